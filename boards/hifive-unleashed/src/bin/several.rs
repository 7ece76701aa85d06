//! The kernel's test-suite for several processors, under the policy that the command line names.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(hifive_unleashed::smp::several);
