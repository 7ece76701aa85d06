//! `SysTick` as the one timer of a machine: clock, alarm and time slices.
//!
//! Owns: the clock for a board that has, or trusts, no timer but the processor's own.
//! Must never know: a board; the thread to wake.
//!
//! No tick: the counter runs in periods as long as its 24 bits allow, and interrupts at their ends.
//! It is moved nearer to zero if something is due before. The ticks that this takes are known, so
//! time is exact to the tick. The end of a slice is a second alarm.
//!
//! An event that is due within [`LEAST`](time::LEAST) ticks of its request comes up to
//! [`LEAST`](time::LEAST) ticks late.
//!
//! Interrupts may be masked for at most a period less the longest alarm that is set. While there
//! are slices, the limit is a sixteenth of a period (at 80 MHz: 210 ms, 13 ms). Otherwise time is
//! lost.

#[cfg(target_os = "none")]
mod clock;
#[cfg(target_os = "none")]
mod counter;
#[cfg_attr(
    not(target_os = "none"),
    allow(dead_code, reason = "used on the target, tested on the host")
)]
mod rate;
#[cfg(test)]
mod tests;
#[cfg_attr(
    not(target_os = "none"),
    allow(dead_code, reason = "used on the target, tested on the host")
)]
mod time;

#[cfg(target_os = "none")]
pub use clock::{SystemTimer, start};
