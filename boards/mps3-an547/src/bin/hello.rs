//! The smallest demonstration: two threads and a semaphore say hello.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(mps3_an547::hello);
