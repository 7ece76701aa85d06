//! The benchmark that `taktos bench` runs. With several processors, the command line names the
//! layout: `partitioned`, or another one of `several_bench::LAYOUTS`.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(any::bench);
