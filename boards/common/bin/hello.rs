//! The smallest demonstration: two threads and a semaphore print hello, two others share the
//! processor. With several processors, a thread on each prints hello, one after the other, and then
//! one thread moves over all processors.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(any::hello);
