//! The kernel's test-suite, as a guest.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(guest::suite);
