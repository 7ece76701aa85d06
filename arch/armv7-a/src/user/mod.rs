//! Protected user mode on ARMv7-A: threads in user mode, each partition with a map and an address
//! space of its own.
//!
//! Owns: their entry into the kernel and their way back, what is saved of them, their maps, their
//! faults. Must never know: what calls do, what handles name.
//!
//! A program has this by [`partitions!`](crate::partitions); the vectors of other programs lead
//! past it, and nothing of it is in their images. The state of a thread that does not run is stored
//! after its control block ([`state`]). Its form is one that the switch takes for that of a thread
//! that called the kernel, so the paths of privileged threads are unchanged.
//!
//! A call is decided in supervisor mode, on a stack that has nothing of any thread's beyond it.
//! User mode has its stack pointer and its link register in common with system mode, in which
//! threads with privilege run. So if another thread resumes, they are saved before system mode is
//! entered. After a call without a switch they are the thread's own.
//!
//! The kernel is mapped in all maps alike, with privilege alone; threads with privilege run in its
//! own map, where the guards of stacks are.

mod entry;
mod fault;
mod interrupt;
mod loaded;
mod map;
mod resume;
mod state;
mod vectors;

use crate::board::Board;
use crate::interrupt::{mask, unmask};
use crate::machine::ArmV7A;
use crate::memory;
pub use map::Map;
pub use state::UserState;
use taktos_arch_common::HandlerStack;
use taktos_machine::{Isolation, Region};

/// The stack of calls.
static CALLS: HandlerStack = HandlerStack::NEW;

impl<B: Board> Isolation for ArmV7A<B> {
    taktos_arch_common::isolation!(map);
    /// The unit is off in user mode.
    const FLOAT: bool = false;
    const PROGRAMS: Option<u16> = Some(40);

    fn isolate() {
        if map::open::<B>() {
            masked(|| memory::protect(CALLS.guard()));
            vectors::enable::<B>(CALLS.top());
        }
    }

    fn map(regions: &'static [Region], _float: bool) -> Option<Map> {
        map::of(regions)
    }

    fn code_was_written(base: usize, size: usize) {
        map::code_was_written(base, size);
    }
}

/// Does `work` with kernel-level interrupts masked, in a thread that has no mask.
fn masked<T>(work: impl FnOnce() -> T) -> T {
    mask();
    let result = work();
    unmask();
    result
}
