//! The seven tests of Thread-Metric, which `taktos bench --suite thread-metric` measures.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::thread_metric);
