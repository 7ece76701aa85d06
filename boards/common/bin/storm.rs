//! Stress test of the kernel on several processors. The words of the command line select the
//! variant; each word has a default: `seed=1+operations=100000+calm=1+policy=edf+layout=global`.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(smp::storm);
