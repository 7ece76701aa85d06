//! Deliberate faults, one a run; the emulator's semihosting argument selects the fault
//! (`-semihosting-config enable=on,target=native,arg=overflow`). Each fault must be reported, and
//! ends the run with status 70. A run that continues after the fault ends with status 1. With
//! several processors, the victim runs on the third of them, or on the one that another word names
//! (`on-0` to `on-3`). The first processor starts the victim.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(any::faults);
