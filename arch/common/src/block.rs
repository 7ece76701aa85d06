//! Owns: what is remembered of each of several processors, and who goes on when an interrupt ends.
//! Must never know: how a processor finds its block.

use crate::lock::{Exchange, Handle, Lock, Taken, lock, unlock};
use crate::stack::stacks_of;
use core::cell::Cell;
use taktos_machine::{Context, Processor};

/// What a port with several processors has that others have not.
///
/// # Safety
/// Each processor touches its own [`Port::More`] alone, with interrupts masked, but for what is atomic or was written before others start.
pub unsafe trait Port: Exchange + Sized {
    /// The one lock of the seam. Whoever holds it has interrupts masked. The hand-written paths give it back themselves.
    const LOCK: &'static Lock<Self>;
    /// Whether it is shorter to load what is stored in the lock, which lies beside the lock's address, than to make it.
    const LOADS_HELD: bool;
    /// How many processors there may be.
    const MOST: usize;
    /// What a block has besides.
    type More: 'static;
    /// That of a processor before its start.
    const MORE: Self::More;

    /// The block of the processor that runs the caller, who is masked or cannot move.
    fn own() -> &'static Block<Self>;
}

/// A processor's own block.
#[repr(C, align(64))]
pub struct Block<P: Port> {
    /// Who runs. At the very beginning: the laboratory watches it.
    pub processor: Processor,
    /// Not zero while the current thread may use the floating-point unit.
    pub float_in_use: Cell<usize>,
    /// The one lock. The hand-written paths know of the byte that they write.
    pub lock: Handle<P>,
    /// The processor's number.
    pub number: Cell<usize>,
    /// Where the stack of handlers begins, downwards.
    pub handler_stack: Cell<usize>,
    /// The same of the stack on which faults are reported, below what the port collects there first.
    pub fault_stack: Cell<usize>,
    /// What this port has besides.
    pub more: P::More,
}

impl<P: Port> Block<P> {
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    const NEW: Self = Self {
        processor: Processor::EMPTY,
        float_in_use: Cell::new(0),
        lock: Handle::NEW,
        number: Cell::new(0),
        handler_stack: Cell::new(0),
        fault_stack: Cell::new(0),
        more: P::MORE,
    };
}

/// The blocks of all processors, in the order of their numbers. They begin a page: where else they lay would decide how many
/// instructions it takes to reach a word of them.
#[repr(C, align(4096))]
pub struct Blocks<P: Port, const N: usize>([Block<P>; N]);

// SAFETY: a block's cells are touched by its own processor with interrupts masked, but for the pair, which the kernel keeps in its
// section (the one lock is held then; a look without it is volatile), and for what the first processor writes before others start.
// The port says the same of what it adds.
unsafe impl<P: Port, const N: usize> Sync for Blocks<P, N> {}

impl<P: Port, const N: usize> Blocks<P, N> {
    /// Processors before their start.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        const {
            assert!(
                N >= 1 && N <= P::MOST,
                "the machine has not so many processors"
            )
        };
        Self([const { Block::NEW }; N])
    }
}

unsafe extern "C" {
    /// The first of the board's [`Blocks`], which `smp!` makes.
    static TAKTOS_PROCESSORS: Processor;
    /// The board's, by `smp!`: as [`Upcalls::choose`](taktos_machine::Upcalls::choose), with interrupts masked and the lock held.
    fn taktos_choose() -> *const Context;
}

/// The block of the processor `number`, of `count`.
///
/// # Safety
/// The board has made so many, of this port.
#[inline(always)]
pub unsafe fn numbered<P: Port>(number: usize, count: usize) -> &'static Block<P> {
    assert!(number < count, "there is no such processor");
    // SAFETY: within the board's blocks, as the caller says.
    unsafe {
        &*(&raw const TAKTOS_PROCESSORS)
            .cast::<Block<P>>()
            .add(number)
    }
}

/// Tells the blocks of all `count` processors who they are and where their stacks are; `collected` is what the port puts first on that of
/// faults. Called once, by the first processor, before anything else.
///
/// # Safety
/// The board has made so many, of this port, and as many stacks. Others have not started.
pub unsafe fn set_up<P: Port>(count: usize, collected: usize) {
    for number in 0..count {
        // SAFETY: the caller's.
        let (block, stacks) = unsafe { (numbered::<P>(number, count), stacks_of(number, count)) };
        block.number.set(number);
        block.handler_stack.set(stacks.handlers.top());
        block.fault_stack.set(stacks.faults.top() - collected);
    }
}

/// The end of an interrupt that has found another heir than the current thread: it may be none yet, or may have been replaced by
/// another processor since, and is looked at once more with the lock held. One says to switch to the heir: then the lock stays held, for
/// the switch to release. Zero says to go on; a truth value would cost an instruction more.
///
/// # Safety
/// Interrupts are masked, and the caller does not hold the lock.
#[inline]
pub unsafe extern "C" fn choose<P: Port>() -> usize {
    let taken = lock::<P>();
    let processor = &taken.own().processor;
    // SAFETY: the caller's; the lock was just taken.
    unsafe { choose_holding(taken, processor, || processor.current.get()) }
}

/// The same for who has looked at this processor, and has seen that `current` runs and is not the heir.
///
/// # Safety
/// As of [`choose`].
#[inline(always)]
pub unsafe fn choose_after<P: Port>(
    processor: &'static Processor,
    current: *const Context,
) -> usize {
    let taken = lock::<P>();
    // SAFETY: the caller's; the lock was just taken.
    unsafe { choose_holding(taken, processor, || current) }
}

/// Takes the lock, unless others have decided that the thread that runs gives way; says whether. Called with interrupts masked.
pub fn keep_turn<P: Port>() -> bool {
    let taken = lock::<P>();
    let processor = &taken.own().processor;
    let keeps = processor.heir.get() == processor.current.get();
    if !keeps {
        unlock(taken);
    }
    keeps
}

/// # Safety
/// Interrupts are masked.
#[inline(always)]
unsafe fn choose_holding<P: Port>(
    taken: Taken<P>,
    processor: &'static Processor,
    current: impl FnOnce() -> *const Context,
) -> usize {
    if processor.heir.get().is_null() {
        // SAFETY: interrupts are masked, and the lock is held; it is released below, or by the switch that follows.
        processor.heir.set(unsafe { taktos_choose() });
    }
    if processor.heir.get() == current() {
        unlock(taken);
        return 0;
    }
    1
}
