//! Tests this board's port: switches between all kinds of frames, floating-point state, time
//! slices, alarms, interrupts. Ends with status 0, or with 1 and the name of the check that failed.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(one::port);
