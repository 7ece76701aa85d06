//! The smallest demonstration: two threads and a semaphore say hello, two others share the processor; with several
//! processors a thread on each says hello, one after the other, and then one goes around.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(any::hello);
