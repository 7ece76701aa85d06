//! How late a periodic thread of a guest is; the boot arguments say how.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(guest::latency);
