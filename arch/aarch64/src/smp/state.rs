//! Owns: what the machine remembers between its calls, for each of its processors.

use crate::board::Board;
use crate::lock::Handle;
use core::arch::asm;
use core::cell::Cell;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use taktos_machine::Processor;

/// A processor's own block; `TPIDR_EL1` holds its address. What each switch reads of it is read together.
#[repr(C, align(64))]
pub struct State {
    /// Who runs. At the very beginning: the laboratory watches it.
    pub(crate) processor: Processor,
    /// Ticks of a slice; zero while slices are off. The one word that other processors write.
    pub(crate) slice: AtomicU64,
    /// Not zero while the current thread may use the floating-point unit.
    pub(crate) float_in_use: Cell<u64>,
    /// The one lock. The hand-written paths know of the byte that they write.
    pub(crate) lock: Handle,
    /// The processor's number.
    pub(crate) number: Cell<usize>,
    /// Where the stack of handlers begins, downwards.
    pub(crate) handler_stack: Cell<usize>,
    /// The same of the stack on which faults are reported.
    pub(crate) fault_stack: Cell<usize>,
}

/// How far the blocks of processors lie apart, in bytes.
pub const PROCESSOR_SIZE: usize = size_of::<State>();

/// The blocks of all processors, in the order of their numbers; [`smp!`](crate::smp) makes them. They begin a
/// page: where else they lay would decide how many instructions it takes to reach a word of them.
#[repr(C, align(4096))]
pub struct Processors<const N: usize>([State; N]);

// SAFETY: a block's cells are touched by its own processor with interrupts masked, but for the pair, which the kernel
// keeps in its section (the one lock is held then), and what is written before the other processors start.
unsafe impl<const N: usize> Sync for Processors<N> {}

impl<const N: usize> Processors<N> {
    /// Processors before their start.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        const {
            assert!(
                N >= 1 && N <= 16,
                "the machine has one to sixteen processors"
            )
        };
        Self([const { State::NEW }; N])
    }
}

impl State {
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    const NEW: Self = Self {
        processor: Processor::EMPTY,
        slice: AtomicU64::new(0),
        float_in_use: Cell::new(0),
        lock: Handle::NEW,
        number: Cell::new(0),
        handler_stack: Cell::new(0),
        fault_stack: Cell::new(0),
    };
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
    unsafe { asm!("mrs {}, tpidr_el1", out(reg) own, options(nomem, nostack, preserves_flags)) };
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

/// How many processors there are; zero before [`set_up`].
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Numbers the blocks of all processors. Called once, before anything else.
pub(crate) fn set_up<B: Board>() {
    COUNT.store(B::PROCESSORS, Relaxed);
    for number in 0..B::PROCESSORS {
        numbered::<B>(number).number.set(number);
    }
}

/// Makes `state` the block of this processor.
pub(crate) fn adopt(state: &'static State) {
    // SAFETY: nothing reads the register before.
    unsafe {
        asm!("msr tpidr_el1, {}", in(reg) core::ptr::from_ref(state), options(nostack, preserves_flags))
    };
}

/// Ticks of a slice on this processor.
#[inline(always)]
pub(crate) fn slice() -> u64 {
    own().slice.load(Relaxed)
}

/// Sets the ticks of a slice, for all processors.
pub(crate) fn set_slice(ticks: u64) {
    for number in 0..COUNT.load(Relaxed) {
        // SAFETY: the board has so many blocks.
        let state = unsafe { &*(&raw const TAKTOS_PROCESSORS).add(number) };
        state.slice.store(ticks, Relaxed);
    }
}
