//! The seven tests of Thread-Metric, which `taktos bench --suite thread-metric` measures.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(mps2_an386::thread_metric);
