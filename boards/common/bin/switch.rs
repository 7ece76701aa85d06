//! The experiment on context switching.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::switch);
