//! Deliberate faults, one a run; the emulator's semihosting argument selects the fault
//! (`-semihosting-config enable=on,target=native,arg=overflow`). Each fault must be reported, and
//! ends the run with status 70. A run that continues after the fault ends with status 1.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::faults_with_urgent_interrupt);
