//! `SysTick` as the one timer of a machine: clock, alarm and time slices.
//!
//! Owns: the clock that a board takes which has, or trusts, no timer but the processor's own.
//! Must never know: a board; who is to be woken.
//!
//! No tick: the counter runs in periods as long as its 24 bits allow, at whose ends it interrupts, and is moved nearer to zero where
//! something is due before. The ticks that this takes are known, so time is exact to the tick. The
//! end of a slice is a second alarm.
//!
//! What is due within [`LEAST`](time::LEAST) ticks of the time that it is asked for comes up to as many late.
//!
//! Interrupts may be masked for as long as a period less the longest alarm that is set, and no more than a sixteenth of a period while
//! there are slices (at 80 MHz: 210 ms, 13 ms); otherwise time is lost.

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
