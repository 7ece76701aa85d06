//! The storm over the kernel on several processors; the words of the command line say which one.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(hifive_unleashed::smp::storm);
