//! Owns: what a board brings to this machine.

use core::ops::Range;
use taktos_time::{Duration, Instant};

/// A board with a Cortex-A8: where its interrupt controller and its memory are, and its clock.
pub trait Board: 'static {
    /// The address of the interrupt controller's distributor (GIC version 1 or 2).
    const DISTRIBUTOR: usize;
    /// The address of the interrupt controller's processor interface.
    const PROCESSOR_INTERFACE: usize;
    /// The memory that contains the image; whole megabytes, at most 128.
    const MEMORY: Range<usize>;
    /// The devices' registers; whole megabytes.
    const DEVICES: Range<usize>;

    /// The present time. Called with and without the mask.
    fn now() -> Instant;
    /// Requests an alarm, as [`Machine::set_alarm`](taktos_machine::Machine::set_alarm).
    fn set_alarm(at: Option<Instant>);
    /// Switches slices of the given length on, or off; a whole one begins now. Called with the
    /// mask.
    fn set_slice(length: Option<Duration>);
    /// As [`Machine::slice_left`](taktos_machine::Machine::slice_left).
    fn slice_left() -> usize;
    /// As [`Machine::begin_slice`](taktos_machine::Machine::begin_slice).
    fn begin_slice(left: usize);
}
