//! The kernel's test-suite for several processors, under the policy that the command line names:
//! `edf`, or another one of `simple`, `priority`, `priority-affinity`, `strong-affinity` and `cbs`.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(smp::several);
