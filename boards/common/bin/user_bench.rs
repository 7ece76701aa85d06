//! The calls of threads in partitions that `taktos bench --suite user` measures.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(any::user_bench);
