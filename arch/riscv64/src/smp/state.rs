//! Owns: what the machine remembers between its calls, for each of its processors, and how one
//! finds it: tp holds the address of its block. Must never know: what is done with it.

use super::Hart;
use crate::trap::COLLECTED;
use core::arch::asm;
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicU32};

taktos_arch_common::several_states!(Hart);

/// Part of the block that is this port's.
pub struct More {
    /// When the present slice ends, in ticks.
    pub(crate) slice_end: Cell<u64>,
    /// When the alarm is due, in ticks; the greatest number for never.
    pub(crate) alarm: Cell<u64>,
    /// Bit n is set while the interrupt n that software sends to its own processor waits.
    pub(super) pending: AtomicU32,
    /// Reasons for which other processors call this one; see `calls`.
    pub(super) calls: AtomicU32,
    /// Set by the processor when it has started.
    pub(super) is_there: AtomicBool,
}

impl More {
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub(super) const NEW: Self = Self {
        slice_end: Cell::new(u64::MAX),
        alarm: Cell::new(u64::MAX),
        pending: AtomicU32::new(0),
        calls: AtomicU32::new(0),
        is_there: AtomicBool::new(false),
    };
}

unsafe extern "C" {
    /// The first of the board's [`Processors`].
    static TAKTOS_PROCESSORS: Processor;
}

/// Returns the block of the processor that runs the caller. The caller is masked or cannot move.
#[inline(always)]
pub(crate) fn own() -> &'static State {
    let own: *const State;
    // SAFETY: reads a register; not `pure`, for a thread may resume on another processor between
    // two reads.
    unsafe { asm!("mv {}, tp", out(reg) own, options(nomem, nostack, preserves_flags)) };
    // SAFETY: `adopt` has put the address of one of the blocks there, on each processor before
    // anything else.
    unsafe { &*own }
}

/// Returns this port's part of the block.
#[inline(always)]
pub(crate) fn more() -> &'static More {
    &own().more
}

/// Fills the blocks of all processors. Called once, by the first. The address of the processor's
/// block is stored above the handlers' stack. A thread may change tp, so paths that follow such a
/// thread have nothing but the stack.
pub(crate) fn set_up<B: Board>() {
    // SAFETY: `smp!` has made a block and stacks for each processor, and the others are started
    // later.
    unsafe { taktos_arch_common::set_up::<Hart>(B::PROCESSORS, COLLECTED) };
    for number in 0..B::PROCESSORS {
        let block = numbered::<B>(number);
        let word = core::ptr::from_ref(block).expose_provenance();
        // SAFETY: nothing uses a stack of handlers before its processor starts its first thread.
        let top = unsafe { stacks::<B>(number).handlers.top_below(word) };
        block.handler_stack.set(top);
    }
}

/// Makes this processor, which starts, the one numbered so.
///
/// # Safety
/// `number` is below the board's number of processors.
#[inline(always)]
pub(crate) unsafe fn adopt(number: usize) {
    // SAFETY: within the board's blocks. Compiled code does not touch the register.
    unsafe {
        let own = (&raw const TAKTOS_PROCESSORS).cast::<State>().add(number);
        asm!("mv tp, {}", in(reg) own, options(nostack, preserves_flags));
    }
}

/// The interrupts that software has sent to this processor.
#[inline(always)]
pub(crate) fn pending() -> &'static AtomicU32 {
    &more().pending
}
