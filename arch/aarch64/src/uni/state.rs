//! Owns: what this machine remembers between its calls.

use crate::board::Board;
use core::cell::Cell;

/// What each switch reads. The first two are read together.
#[repr(C, align(16))]
pub(crate) struct State {
    /// Ticks of a slice; zero while slices are off.
    pub slice: Cell<u64>,
    /// Not zero while the current thread may use the floating-point unit.
    pub float_in_use: Cell<u64>,
    /// Where the registers in the floating-point unit are to be saved before another thread
    /// gets it; zero where nobody needs them or they are the current thread's.
    pub float_area: Cell<usize>,
}

// SAFETY: touched only with kernel-level interrupts masked, on the one processor.
unsafe impl Sync for State {}

pub(crate) static STATE: State = State {
    slice: Cell::new(0),
    float_in_use: Cell::new(0),
    float_area: Cell::new(0),
};

/// Ticks of a slice.
#[inline(always)]
pub(crate) fn slice() -> u64 {
    STATE.slice.get()
}

/// Sets the ticks of a slice.
pub(crate) fn set_slice<B: Board>(ticks: u64) {
    STATE.slice.set(ticks);
}
