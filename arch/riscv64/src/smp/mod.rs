//! The machine with several processors. Its items here have the same names as those for one
//! processor in `uni`; the crate's head chooses.
//!
//! Owns: the parts of the seam that depend on the number of processors: each has a block, and there
//! is a lock; the wiring of a board.
//! Must never know: the purpose of a section; the thread that runs on a processor, and why.

mod calls;
pub(crate) mod devices;
pub(crate) mod entry;
pub(crate) mod float;
mod lock;
pub(crate) mod pieces;
mod start;
pub(crate) mod state;
pub(crate) mod user;

pub(crate) use calls::serve as serve_calls;
pub use lock::Hart;

use crate::interrupt::{mask_over, restore};

taktos_arch_common::several_processors!(Hart);

/// Items that boards and macros name.
pub mod exported {
    pub use super::devices::INTERRUPTS;
    pub use super::state::{PROCESSOR_SIZE, Processors};
}

/// How many processors the machine has.
pub(crate) const fn count<B: Board>() -> usize {
    assert!(
        B::CALLS != 0,
        "the board does not say where processors are called"
    );
    B::PROCESSORS
}

/// Calls the processor `number` for the kernel.
#[inline(always)]
pub(crate) fn call<B: Board>(number: usize) {
    calls::call::<B>(number, calls::KERNEL);
}

/// Makes this processor, which starts, the first one.
#[inline(always)]
pub(crate) fn adopt_first() {
    // SAFETY: there is a first processor.
    unsafe { state::adopt(0) };
}

/// Fills the processors' blocks.
pub(crate) fn begin<B: Board>() {
    state::set_up::<B>();
}

/// Starts the other processors, and leaves the start-up code for the first one's first thread.
pub(crate) fn start<B: Board>() -> ! {
    start::start_others::<B>();
    leave_start()
}

/// Notifies the other processors that slices have another length.
pub(crate) fn tell_slice<B: Board>() {
    calls::call_others::<B>(calls::SLICE);
}

/// Notifies the other processors that a page that was memory is not any more.
pub(crate) fn tell_map<B: Board>() {
    calls::call_others::<B>(calls::MAP);
}

/// Does `act`; the caller does not leave this processor meanwhile.
#[inline(always)]
pub(crate) fn stay(act: impl FnOnce()) {
    let was_unmasked = mask_over();
    act();
    restore(was_unmasked);
}

/// Wires the processors to a type that implements [`Upcalls`](taktos_machine::Upcalls), and makes
/// space for those of `board`. Used once, in a board crate, in addition to
/// [`exceptions!`](crate::exceptions).
#[macro_export]
macro_rules! smp {
    ($upcalls:ty, $board:ty) => {
        $crate::common::wire_processors!($upcalls, $board, $crate);
    };
}
