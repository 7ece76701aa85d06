//! Partitions with budgets of processor time.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::budgets);
