//! The smallest program, for the measurement of code size.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::smallest);
