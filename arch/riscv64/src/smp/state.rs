//! Owns: what the machine remembers between its calls, for each of its processors.

use crate::board::Board;
use crate::lock::{LOCK, Lock};
use core::arch::asm;
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use taktos_machine::Processor;

/// A processor's own block; tp holds its address.
#[repr(C, align(64))]
pub struct State {
    /// Who runs. At the very beginning: the laboratory watches it.
    pub(crate) processor: Processor,
    /// Ticks of a slice; zero while slices are off. Other processors write it, too.
    pub(crate) slice: AtomicU64,
    /// Not zero while the current thread may use the floating-point unit.
    pub(crate) float_in_use: Cell<usize>,
    /// When the present slice ends, in ticks.
    pub(crate) slice_end: Cell<u64>,
    /// When the alarm is due, in ticks; the greatest number for never.
    pub(crate) alarm: Cell<u64>,
    /// The one lock. The hand-written paths know of the byte that they write.
    pub(crate) lock: &'static Lock,
    /// The processor's number.
    pub(crate) number: usize,
    /// Where the stack of handlers begins, downwards.
    pub(crate) handler_stack: Cell<usize>,
    /// The same of the stack on which faults are reported, below room for the registers.
    pub(crate) fault_stack: Cell<usize>,
    /// Bit n is set while the interrupt n that software sends to its own processor waits.
    pub(crate) pending: AtomicU32,
    /// What other processors call this one for; see `calls`.
    pub(crate) calls: AtomicU32,
    /// Set by the processor when it has started.
    pub(crate) is_there: AtomicBool,
}

/// How far the blocks of processors lie apart, in bytes.
pub const PROCESSOR_SIZE: usize = size_of::<State>();

/// The blocks of all processors, in the order of their numbers; [`smp!`](crate::smp) makes them. They begin a
/// page: where else they lay would decide how many instructions it takes to reach a word of them.
#[repr(C, align(4096))]
pub struct Processors<const N: usize>([State; N]);

// SAFETY: a block's cells are touched by its own processor with interrupts masked, but for the pair, which the kernel
// keeps in its section (the one lock is held then; the look without it is volatile), and what the first processor
// writes before the others start.
unsafe impl<const N: usize> Sync for Processors<N> {}

impl<const N: usize> Processors<N> {
    /// Processors before their start.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        const {
            assert!(
                N >= 1 && N <= 64,
                "the machine has one to sixty-four processors"
            )
        };
        let mut blocks = [const { State::numbered(0) }; N];
        let mut number = 1;
        while number < N {
            blocks[number] = State::numbered(number);
            number += 1;
        }
        Self(blocks)
    }
}

impl State {
    const fn numbered(number: usize) -> Self {
        Self {
            processor: Processor::EMPTY,
            slice: AtomicU64::new(0),
            float_in_use: Cell::new(0),
            slice_end: Cell::new(u64::MAX),
            alarm: Cell::new(u64::MAX),
            lock: &LOCK,
            number,
            handler_stack: Cell::new(0),
            fault_stack: Cell::new(0),
            pending: AtomicU32::new(0),
            calls: AtomicU32::new(0),
            is_there: AtomicBool::new(false),
        }
    }
}

unsafe extern "C" {
    /// The first of the board's [`Processors`].
    static TAKTOS_PROCESSORS: State;
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

/// The block of the processor `number`.
#[inline(always)]
pub(crate) fn numbered<B: Board>(number: usize) -> &'static State {
    assert!(number < B::PROCESSORS, "there is no such processor");
    // SAFETY: the board's blocks are as many as its processors.
    unsafe { &*(&raw const TAKTOS_PROCESSORS).add(number) }
}

/// Makes this processor, which starts, the one numbered so.
///
/// # Safety
/// `number` is below the board's number of processors.
pub(crate) unsafe fn adopt(number: usize) {
    // SAFETY: within the board's blocks. Compiled code does not touch the register.
    unsafe {
        let own = (&raw const TAKTOS_PROCESSORS).add(number);
        asm!("mv tp, {}", in(reg) own, options(nostack, preserves_flags));
    }
}

/// The interrupts that software has sent to this processor.
#[inline(always)]
pub(crate) fn pending() -> &'static AtomicU32 {
    &own().pending
}

/// Ticks of a slice on this processor.
#[inline(always)]
pub(crate) fn slice() -> u64 {
    own().slice.load(Relaxed)
}

/// Sets the ticks of a slice, for all processors.
pub(crate) fn set_slice<B: Board>(ticks: u64) {
    for number in 0..B::PROCESSORS {
        numbered::<B>(number).slice.store(ticks, Relaxed);
    }
}
