//! The experiment on synchronous messages, which `taktos reproduce ipc` runs.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::ipc);
