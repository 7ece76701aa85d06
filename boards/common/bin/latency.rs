//! The wake-up latency of periodic threads, one on each processor; the command line gives
//! parameters.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(smp::latency);
