//! The smallest program, whose size is measured.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::smallest);
