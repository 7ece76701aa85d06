//! The smallest demonstration: threads say hello; with several processors, one on each.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(hifive_unleashed::any::hello);
