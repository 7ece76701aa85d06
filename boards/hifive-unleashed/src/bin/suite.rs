//! The kernel's test-suite; with several processors on one of them, which the command line names.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(hifive_unleashed::any::suite);
