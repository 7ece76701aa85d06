//! Attacks of threads in partitions on everything else.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(any::user_attack);
