//! Owns: the record of each of several processors, and the thread that resumes when an interrupt
//! ends.
//! Must never know: how a processor finds its block.

use crate::lock::{Exchange, Handle, Lock, Taken, lock, unlock};
use crate::stack::stacks_of;
use core::cell::Cell;
use taktos_machine::{Context, Processor};

/// Properties of a port with several processors that differ between ports.
///
/// # Safety
/// Each processor touches its own [`Port::More`] alone, with interrupts masked, but for what is
/// atomic or was written before others start.
pub unsafe trait Port: Exchange + Sized {
    /// The one lock of the seam. Its holder has interrupts masked. The hand-written paths release
    /// it themselves.
    const LOCK: &'static Lock<Self>;
    /// Whether it is shorter to load what is stored in the lock, which is next to the lock's
    /// address, than to make it.
    const LOADS_HELD: bool;
    /// How many processors there may be.
    const MOST: usize;
    /// Further content of a block.
    type More: 'static;
    /// That of a processor before its start.
    const MORE: Self::More;

    /// Returns the block of the processor that runs the caller. The caller is masked or cannot
    /// move.
    fn own() -> &'static Block<Self>;
}

/// A processor's own block.
#[repr(C, align(64))]
pub struct Block<P: Port> {
    /// Current thread and heir. At the very beginning: the laboratory watches it.
    pub processor: Processor,
    /// Not zero while the current thread may use the floating-point unit.
    pub float_in_use: Cell<usize>,
    /// The one lock. The hand-written paths know of the byte that they write.
    pub lock: Handle<P>,
    /// The processor's number.
    pub number: Cell<usize>,
    /// Where the stack of handlers begins, downwards.
    pub handler_stack: Cell<usize>,
    /// Where the stack begins on which faults are reported, below the space that the port collects
    /// in first.
    pub fault_stack: Cell<usize>,
    /// Further content of this port's.
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

/// The blocks of all processors, in the order of their numbers. They begin a page: where else they
/// lay would decide how many instructions it takes to reach a word of them.
#[repr(C, align(4096))]
pub struct Blocks<P: Port, const N: usize>([Block<P>; N]);

// SAFETY: a block's cells are accessed by its own processor with interrupts masked. One exception
// is the pair, which the kernel keeps in its section (the one lock is held then; a read without it
// is volatile). The other is what the first processor writes before others start. The port says the
// same of what it adds.
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
    /// The board's, by `smp!`: as [`Upcalls::choose`](taktos_machine::Upcalls::choose), with
    /// interrupts masked and the lock held.
    fn taktos_choose() -> *const Context;
}

/// The block of the processor `number`, of `count`.
///
/// # Safety
/// The board has made `count` blocks, of this port.
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

/// Sets the numbers and stacks in the blocks of all `count` processors; `collected` is the space
/// that the port uses first on the stack of faults. Called once, by the first processor, before
/// anything else.
///
/// # Safety
/// The board has made `count` blocks, of this port, and as many stacks. Others have not started.
pub unsafe fn set_up<P: Port>(count: usize, collected: usize) {
    for number in 0..count {
        // SAFETY: the caller's.
        let (block, stacks) = unsafe { (numbered::<P>(number, count), stacks_of(number, count)) };
        block.number.set(number);
        block.handler_stack.set(stacks.handlers.top());
        block.fault_stack.set(stacks.faults.top() - collected);
    }
}

/// Ends an interrupt that has found another heir than the current thread. The heir may be none yet,
/// or may have been replaced by another processor since, so it is checked once more with the lock
/// held. Returns one to switch to the heir: then the lock stays held, for the switch to release.
/// Returns zero to continue; a truth value would cost an instruction more.
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

/// Chooses as [`choose`] does, for a caller that has read this processor's record, and has seen
/// that `current` runs and is not the heir.
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

/// Takes the lock, unless other processors have decided that the running thread is preempted.
/// Returns whether it did. Called with interrupts masked.
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
        // SAFETY: interrupts are masked, and the lock is held; it is released below, or by the
        // switch that follows.
        processor.heir.set(unsafe { taktos_choose() });
    }
    if processor.heir.get() == current() {
        unlock(taken);
        return 0;
    }
    1
}
