//! An EtherCAT MainDevice on one thread of the Taktos kernel: without heap, without an executor.
//!
//! The protocol is that of the crate `ethercrab`, which is re-exported as [`ethercrab`]. This crate
//! adds the needs of a real-time thread: one [`Controller`] that owns the frames and blocks its
//! thread while they are under way, a [`Pace`] that releases the thread by the kernel's
//! [`Period`](taktos_kernel::Period) and follows the clock of the segment, and network ends
//! ([`Wire`]): a [`channel`] to another partition, and any that a program writes.
//!
//! # A cycle
//! 1. [`Pace::await_release`] sleeps until the release.
//! 2. [`Controller::exchange`] sends the outputs and brings the inputs; the thread blocks while the
//!    frame is on the wire.
//! 3. [`Pace::follow`] moves the releases towards the segment's reference clock.
//! 4. The program reads inputs and writes outputs, for the next cycle.
//!
//! # Bounds
//! One controller exists in an image ([`Refused::Twice`]): the timers of `ethercrab` are one
//! static. A frame that does not come back in [`Settings::patience`] is given up and counted;
//! nothing waits without a time-out.
#![cfg_attr(not(test), no_std)]

pub mod channel;
mod controller;
mod drive;
mod pace;
mod settings;
mod timers;
mod wire;

pub use controller::{Answer, Controller, Found, Group, Mapped, Operation, Refused};
pub use ethercrab;
pub use pace::{Pace, Release};
pub use settings::Settings;
pub use wire::{FRAME, Wire};
