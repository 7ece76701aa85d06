//! Owns: what this machine remembers between its calls.

use crate::board::Board;
use core::cell::Cell;
use core::mem::offset_of;
use core::sync::atomic::AtomicU32;
use taktos_machine::SliceSwitch;

/// What each switch reads.
#[repr(C)]
pub(crate) struct State {
    /// The function that a switch calls if a slice begins with it; none while slices are off.
    pub at_switch: Cell<Option<SliceSwitch>>,
    /// Not zero while the current thread may use the floating-point unit.
    pub float_in_use: Cell<usize>,
    /// Where the registers in the floating-point unit are to be saved before another thread
    /// gets it; zero where nobody needs them or they are the current thread's.
    pub float_area: Cell<usize>,
    /// What only the timer has.
    pub more: More,
}

/// When something is due.
#[repr(C)]
pub(crate) struct More {
    /// When the present slice ends, in ticks.
    pub slice_end: Cell<u64>,
    /// When the alarm is due, in ticks; the greatest number for never.
    pub alarm: Cell<u64>,
}

// SAFETY: touched only with kernel-level interrupts masked, on the one processor.
unsafe impl Sync for State {}

pub(crate) static STATE: State = State {
    at_switch: Cell::new(None),
    float_in_use: Cell::new(0),
    float_area: Cell::new(0),
    more: More {
        slice_end: Cell::new(u64::MAX),
        alarm: Cell::new(u64::MAX),
    },
};

/// What the timer has of it.
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

/// Where [`State::at_switch`] lies.
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
