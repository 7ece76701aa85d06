//! What `taktos bench` measures; with several processors in the layout that the command line names: `partitioned`, or another one of
//! `several_bench::LAYOUTS`.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(any::bench);
