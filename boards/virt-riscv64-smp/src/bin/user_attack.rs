//! Attacks of threads in partitions on everything else.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(virt_riscv64_smp::smp::user_attack);
