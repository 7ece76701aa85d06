//! A guest that checks whether it gets its guaranteed time; the boot arguments give that time.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(guest::monitor);
