//! The storm over the kernel on several processors. The words of the command line say which one; all have a meaning without them:
//! `seed=1+operations=100000+calm=1+policy=edf+layout=global`.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(smp::storm);
