//! The kernel's test-suite.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(mps3_an547::suite_with_interrupt);
