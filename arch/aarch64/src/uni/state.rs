//! Owns: what this machine remembers between its calls.

use crate::board::Board;
use core::cell::Cell;
use core::mem::offset_of;
use taktos_machine::SliceSwitch;

/// What each switch reads. The first two are read together.
#[repr(C, align(16))]
pub(crate) struct State {
    /// The function that a switch calls if a slice begins with it; none while slices are off.
    pub at_switch: Cell<Option<SliceSwitch>>,
    /// Not zero while the current thread may use the floating-point unit.
    pub float_in_use: Cell<u64>,
    /// Where the registers in the floating-point unit are to be saved before another thread
    /// gets it; zero where nobody needs them or they are the current thread's.
    pub float_area: Cell<usize>,
}

// SAFETY: touched only with kernel-level interrupts masked, on the one processor.
unsafe impl Sync for State {}

pub(crate) static STATE: State = State {
    at_switch: Cell::new(None),
    float_in_use: Cell::new(0),
    float_area: Cell::new(0),
};

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
