//! Attacks of threads in partitions on everything else.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(stm32f405::user_attack);
