//! Owns: what this machine remembers between its calls.

use crate::board::Board;
use core::cell::Cell;
use core::mem::offset_of;
use core::sync::atomic::AtomicU32;
use taktos_machine::SliceSwitch;

pub(crate) type State = taktos_arch_common::one::State<More>;

/// State of the timer alone: when something is due.
#[repr(C)]
pub(crate) struct More {
    /// When the present slice ends, in ticks.
    pub slice_end: Cell<u64>,
    /// When the alarm is due, in ticks; the greatest number for never.
    pub alarm: Cell<u64>,
}

// SAFETY: the timer touches that masked, on the one processor.
pub(crate) static STATE: State = unsafe {
    State::new(More {
        slice_end: Cell::new(u64::MAX),
        alarm: Cell::new(u64::MAX),
    })
};

/// Returns the timer's part of the state.
#[inline(always)]
pub(crate) fn more() -> &'static More {
    &STATE.more
}

/// Bit n is set while the interrupt n that software sends waits.
static PENDING: AtomicU32 = AtomicU32::new(0);

/// The interrupts that software has sent.
#[inline(always)]
pub(crate) fn pending() -> &'static AtomicU32 {
    &PENDING
}

/// The offset of [`State::at_switch`].
pub(crate) const AT_SWITCH: usize = offset_of!(State, at_switch);

/// The function that a switch calls if a slice begins with it.
#[inline(always)]
pub(crate) fn at_switch() -> Option<SliceSwitch> {
    STATE.at_switch.get()
}

/// Sets it.
pub(crate) fn set_at_switch<B: Board>(at_switch: Option<SliceSwitch>) {
    STATE.at_switch.set(at_switch);
}
