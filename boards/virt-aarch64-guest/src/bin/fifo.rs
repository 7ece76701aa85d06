//! How long bytes take to another partition and back; the boot arguments say how.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(guest::fifo);
