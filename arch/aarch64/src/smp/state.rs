//! Owns: what the machine remembers between its calls, for each of its processors, and how one finds it.
//! Must never know: what is done with it.

use super::Arm;
use crate::board::Board;
use core::arch::asm;
use core::mem::offset_of;
use taktos_arch_common::{Block, Blocks, OwnStacks, stacks_of};
use taktos_machine::{Processor, SliceSwitch};

/// A processor's own block; `TPIDR_EL1` holds its address. What each switch reads of it is read together.
pub(crate) type State = Block<Arm>;

/// How far the blocks of processors lie apart, in bytes.
pub const PROCESSOR_SIZE: usize = size_of::<State>();

/// The blocks of all processors; [`smp!`](crate::smp) makes them.
pub type Processors<const N: usize> = Blocks<Arm, N>;

/// The block of the processor that runs the caller, who is masked or cannot move.
#[inline(always)]
pub(crate) fn own() -> &'static State {
    let own: *const State;
    // SAFETY: reads a register; not `pure`, for a thread may go on elsewhere between two reads.
    unsafe { asm!("mrs {}, tpidr_el1", out(reg) own, options(nomem, nostack, preserves_flags)) };
    // SAFETY: `adopt` has put the address of one of the blocks there, on each processor before anything else.
    unsafe { &*own }
}

/// The block of the processor `number`.
#[inline(always)]
pub(crate) fn numbered<B: Board>(number: usize) -> &'static State {
    // SAFETY: `smp!` has made so many blocks.
    unsafe { taktos_arch_common::numbered(number, B::PROCESSORS) }
}

/// The stacks of the processor `number`.
pub(crate) fn stacks<B: Board>(number: usize) -> &'static OwnStacks {
    // SAFETY: `smp!` has made so many.
    unsafe { stacks_of(number, B::PROCESSORS) }
}

/// Fills the blocks of all processors, and makes the caller the first of them. Called once, before anything else.
pub(crate) fn set_up<B: Board>() {
    // SAFETY: `smp!` has made so many blocks and stacks, and the others are started later.
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

/// Where what a switch calls lies by which a slice begins, in a block.
pub(crate) const AT_SWITCH: usize = offset_of!(State, processor) + offset_of!(Processor, at_switch);

/// The function that a switch calls if a slice begins with it.
#[inline(always)]
pub(crate) fn at_switch() -> Option<SliceSwitch> {
    own().processor.at_switch.get()
}

/// Sets it, for all processors. Called with the lock held, as what reads it is.
pub(crate) fn set_at_switch<B: Board>(at_switch: Option<SliceSwitch>) {
    for number in 0..B::PROCESSORS {
        numbered::<B>(number).processor.at_switch.set(at_switch);
    }
}
