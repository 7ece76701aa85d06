//! Owns: what the machine remembers between its calls, for each of its processors, and how one finds it.
//! Must never know: what is done with it.

use super::Hart;
use crate::board::Board;
use crate::trap::COLLECTED;
use core::arch::asm;
use core::cell::Cell;
use core::mem::offset_of;
use core::sync::atomic::{AtomicBool, AtomicU32};
use taktos_arch_common::{Block, Blocks, OwnStacks, stacks_of};
use taktos_machine::{Processor, SliceSwitch};

/// A processor's own block; tp holds its address.
pub(crate) type State = Block<Hart>;

/// What it has of this port's.
pub struct More {
    /// When the present slice ends, in ticks.
    pub(crate) slice_end: Cell<u64>,
    /// When the alarm is due, in ticks; the greatest number for never.
    pub(crate) alarm: Cell<u64>,
    /// Bit n is set while the interrupt n that software sends to its own processor waits.
    pub(super) pending: AtomicU32,
    /// What other processors call this one for; see `calls`.
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

/// How far the blocks of processors lie apart, in bytes.
pub const PROCESSOR_SIZE: usize = size_of::<State>();

/// The blocks of all processors; [`smp!`](crate::smp) makes them.
pub type Processors<const N: usize> = Blocks<Hart, N>;

unsafe extern "C" {
    /// The first of the board's [`Processors`].
    static TAKTOS_PROCESSORS: Processor;
}

/// The block of the processor that runs the caller, who is masked or cannot move.
#[inline(always)]
pub(crate) fn own() -> &'static State {
    let own: *const State;
    // SAFETY: reads a register; not `pure`, for a thread may go on elsewhere between two reads.
    unsafe { asm!("mv {}, tp", out(reg) own, options(nomem, nostack, preserves_flags)) };
    // SAFETY: `adopt` has put the address of one of the blocks there, on each processor before anything else.
    unsafe { &*own }
}

/// What this port has in it.
#[inline(always)]
pub(crate) fn more() -> &'static More {
    &own().more
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

/// Fills the blocks of all processors. Called once, by the first. Above the handlers' stack stands where its processor's block is: paths behind a
/// thread that has tp as it likes have nothing but the stack.
pub(crate) fn set_up<B: Board>() {
    // SAFETY: `smp!` has made so many blocks and stacks, and the others are started later.
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
