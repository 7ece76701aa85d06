//! The smallest demonstration: a thread on each processor says hello, one after the other; then one goes around.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(virt_riscv64_smp::smp::hello);
