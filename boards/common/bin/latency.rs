//! How late periodic threads are, one on each processor; the command line says how.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(smp::latency);
