//! Owns: what this machine remembers between its calls.

use core::cell::Cell;
use taktos_machine::SliceSwitch;

/// What each switch reads. The first two are read together.
#[repr(C, align(8))]
pub(crate) struct State {
    /// The function that a switch calls if a slice begins with it; none while slices are off.
    pub at_switch: Cell<Option<SliceSwitch>>,
    /// Not zero while the current thread may use the floating-point unit.
    pub float_in_use: Cell<u32>,
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
