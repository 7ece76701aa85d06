//! Faults on purpose, one a run; the emulator's semihosting argument names which
//! (`-semihosting-config enable=on,target=native,arg=overflow`). Each must be reported, and ends with
//! the status 70; a run that goes on ends with 1. With several processors the victim runs on the third of them, or on the one that
//! another word names (`on-0` to `on-3`), started by the first.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(any::faults);
