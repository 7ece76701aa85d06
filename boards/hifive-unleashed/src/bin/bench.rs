//! The kernel operations that `taktos bench` measures.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(hifive_unleashed::any::bench);
