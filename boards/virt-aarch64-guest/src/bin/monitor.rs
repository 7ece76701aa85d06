//! A guest that looks whether it gets what it was promised; the boot arguments say what that is.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(guest::monitor);
