//! The round-trip time of bytes to another partition; the boot arguments give parameters.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(guest::fifo);
