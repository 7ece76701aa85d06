//! Response times of the mechanisms, on one processor and across two; the command line gives
//! parameters.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(smp::mechanisms);
