//! The smallest guest: prints its words, sleeps a little, and ends.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(guest::hello);
