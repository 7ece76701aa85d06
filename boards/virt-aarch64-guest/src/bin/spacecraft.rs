//! The task set of a spacecraft on one processor, as a guest; the boot arguments give parameters.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(guest::spacecraft);
