//! The test of this board's port: switches between all kinds of frames, floating-point state, time slices, alarms, interrupts. With several
//! processors: what [`taktos_machine::Machine`] promises of them, without a kernel; see `taktos_workloads::port::smp`. Ends with status 0, or
//! with 1 and the name of what failed.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    all(target_os = "none", feature = "smp"),
    expect(unsafe_code, reason = "registers, vectors and symbols")
)]

// With several processors it needs no kernel, which the board's own crate brings. The formatter would look for these beside the file that a
// board's is a link to.
#[rustfmt::skip]
#[cfg(all(target_os = "none", feature = "smp"))]
#[path = "../place.rs"]
mod place;
#[rustfmt::skip]
#[cfg(all(target_os = "none", feature = "smp"))]
#[path = "../common/port.rs"]
mod port;

#[cfg(all(target_os = "none", feature = "smp"))]
use place::{Machine, Place, arch, begin, console, rt};

#[cfg(not(all(target_os = "none", feature = "smp")))]
taktos_workloads::program!(any::port);
