//! The task set of a spacecraft on four processors; the command line gives parameters.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(smp::spacecraft);
