//! The kernel's test-suite.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::suite_with_interrupt);
