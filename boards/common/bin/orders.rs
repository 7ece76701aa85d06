//! A scheduling script on processors 1 to 3, given from processor 0: see
//! `taktos_workloads::orders`. The words of the command line are the orders.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(smp::orders);
