//! The wake-up latency of a periodic thread of a guest; the boot arguments give parameters.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(guest::latency);
