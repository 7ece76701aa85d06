//! Protected user mode on RISC-V: threads in U-mode, each partition with a map of its own.
//!
//! Owns: their entry into the kernel and their way back, what is saved of them, their maps, their
//! faults. Must never know: what calls do, what handles name.
//!
//! A program has this by [`partitions!`](crate::partitions); traps of other programs do not lead
//! here, and nothing of it is in their images. The state of a thread that does not run is stored
//! after its control block ([`state`]). Its form is one that the switch takes for that of a thread
//! that called the kernel, so the paths of privileged threads are unchanged.
//!
//! # Two maps
//! Supervisor mode executes no page that user mode may (privileged architecture, 12.1.1.2 and
//! 12.3.1), and all threads share the program's code. So the kernel has its own map, in which
//! nothing is the user's, and leaves it only to go to a thread of a partition: by the one page of
//! code that is the supervisor's in all maps ([`crossing`]). Each map has a number of its own
//! (ASID), so that no translation is forgotten on the way. As the kernel's map says nothing of user
//! mode, `sstatus.SUM` stays 0. The kernel accesses a partition's memory by its own map, after the
//! check of the range.
//!
//! A call is decided on the handlers' stack, which is empty then; `sscratch` is its top as for any
//! thread: so the kernel takes it for what it is, a thread's. Nothing is ever kept there beyond a
//! call, and nothing on the thread's own stack.

pub(crate) mod crossing;
mod entry;
mod fault;
mod interrupt;
pub(crate) mod map;
mod resume;
pub(crate) mod state;

use crate::board::Board;
use crate::machine::RiscV64;
use crate::processors::user as processors;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Release};
pub use map::Map;
pub use state::UserState;
use taktos_machine::{Isolation, Region};

impl<B: Board> Isolation for RiscV64<B> {
    taktos_arch_common::isolation!(map);
    /// The unit is off in U-mode.
    const FLOAT: bool = false;
    const PROGRAMS: Option<u16> = Some(243);

    fn isolate() {
        static DONE: AtomicBool = AtomicBool::new(false);
        if !DONE.load(Acquire) {
            map::keep_kernel();
            processors::enable::<B>();
            DONE.store(true, Release);
        }
    }

    fn map(regions: &'static [Region], _float: bool) -> Option<Map> {
        map::of::<B>(regions)
    }

    fn code_was_written(_base: usize, _size: usize) {
        processors::fetch_anew::<B>();
    }
}
