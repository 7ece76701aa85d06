//! Faults on purpose, one a run; the emulator's semihosting argument names which
//! (`-semihosting-config enable=on,target=native,arg=overflow`). Each must be reported, and ends with
//! the status 70; a run that goes on ends with 1.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::faults_with_urgent_interrupt);
