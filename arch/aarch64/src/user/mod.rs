//! Protected user mode on AArch64: threads at EL0, each partition with a map of its own.
//!
//! Owns: their entry into the kernel and their way back, what is saved of them, their maps, their
//! faults. Must never know: what calls do, what handles name.
//!
//! A program has this by [`partitions!`](crate::partitions); the vectors of other programs lead
//! past it, and nothing of it is in their images. The state of a thread that does not run is stored
//! after its control block ([`state`]). Its form is one that the switch takes for that of a thread
//! that called the kernel, so the paths of privileged threads are unchanged.
//!
//! A call is decided on the handlers' stack, which is empty then, by the stack pointer that threads
//! have: so the kernel takes it for what it is, a thread's. Nothing is ever kept there beyond a
//! call, and nothing on the thread's own stack.
//!
//! The kernel is mapped in all maps alike, at EL1 alone; what belongs to a partition is of its
//! address space (ASID) in all of them. Threads with privilege run in the kernel's own map, where
//! the guards of stacks are.

mod entry;
mod fault;
mod interrupt;
mod map;
pub(crate) mod resume;
pub(crate) mod state;
pub(crate) mod vectors;

use crate::board::Board;
use crate::machine::AArch64;
use crate::processors::user as processors;
use aarch64_cpu::registers::{Readable, TTBR0_EL1};
pub use map::Map;
pub use state::UserState;
use taktos_machine::{Isolation, Region};

impl<B: Board> Isolation for AArch64<B> {
    taktos_arch_common::isolation!(map);
    /// The unit is trapped at EL0.
    const FLOAT: bool = false;
    const PROGRAMS: Option<u16> = Some(183);

    fn isolate() {
        map::open();
        processors::keep_kernel();
        processors::enable::<B>();
    }

    fn map(regions: &'static [Region], _float: bool) -> Option<Map> {
        map::of(regions)
    }

    fn code_was_written(base: usize, size: usize) {
        map::code_was_written(base, size);
    }

    /// In the kernel's map: what EL0 may only read, EL1 cannot write in the same map.
    fn with_writes<R>(work: impl FnOnce() -> R) -> R {
        let map = TTBR0_EL1.get();
        map::load(processors::kernel() as u64);
        let result = work();
        map::load(map);
        result
    }
}
