//! The smallest demonstration: two threads and a semaphore say hello, two others share the processor.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(zcu102::hello);
