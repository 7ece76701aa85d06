//! The calls of threads in partitions with budgets that `taktos bench --suite budgets` measures.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::budgets_bench);
