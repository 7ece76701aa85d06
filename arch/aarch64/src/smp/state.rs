//! Owns: what the machine remembers between its calls, for each of its processors, and how one
//! finds it: `TPIDR_EL1` holds the address of its block. The words of it that each switch reads are
//! read together. Must never know: what is done with it.

use super::Arm;
use core::arch::asm;

taktos_arch_common::several_states!(Arm);

/// Returns the block of the processor that runs the caller. The caller is masked or cannot move.
#[inline(always)]
pub(crate) fn own() -> &'static State {
    let own: *const State;
    // SAFETY: reads a register; not `pure`, for a thread may resume on another processor between
    // two reads.
    unsafe { asm!("mrs {}, tpidr_el1", out(reg) own, options(nomem, nostack, preserves_flags)) };
    // SAFETY: `adopt` has put the address of one of the blocks there, on each processor before
    // anything else.
    unsafe { &*own }
}

/// Fills the blocks of all processors, and makes the caller the first of them. Called once, before
/// anything else.
pub(crate) fn set_up<B: Board>() {
    // SAFETY: `smp!` has made a block and stacks for each processor, and the others are started
    // later.
    unsafe { taktos_arch_common::set_up::<Arm>(B::PROCESSORS, 0) };
    adopt(numbered::<B>(0));
}

/// Makes `state` the block of this processor.
pub(crate) fn adopt(state: &'static State) {
    // SAFETY: nothing reads the register before.
    unsafe {
        asm!("msr tpidr_el1, {}", in(reg) core::ptr::from_ref(state), options(nostack, preserves_flags))
    };
}
