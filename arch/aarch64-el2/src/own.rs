//! Owns: the block and the stacks of each processor. Must never know: what runs on them.

use crate::copy::Work;
use core::arch::asm;
use core::cell::{Cell, UnsafeCell};
use taktos_abi::vm::Description;

/// The most processors.
pub(crate) const CPUS: usize = Description::CPUS;
/// The bytes of a page.
pub(crate) const PAGE: usize = 4096;

/// The block that a processor finds by `TPIDR_EL2`. Hand-written paths use all but the number and
/// the work.
#[repr(C, align(64))]
pub(crate) struct Own {
    /// Where its stack begins, downwards.
    pub(crate) stack: Cell<usize>,
    /// Where its stack for reports of EL2's own exceptions begins.
    pub(crate) report_stack: Cell<usize>,
    /// Its number.
    pub(crate) number: Cell<usize>,
    /// Not zero where it has more to do, and does not wait next.
    pub(crate) again: Cell<usize>,
    /// The operation on memory that follows when it has given the lock back.
    pub(crate) work: Cell<Option<Work>>,
    /// How many bytes of the last one are done, and not reported.
    pub(crate) moved: Cell<u64>,
}

struct Blocks([Own; CPUS]);

// SAFETY: filled before the processors that read them start; then each writes its own.
unsafe impl Sync for Blocks {}

static BLOCKS: Blocks = Blocks(
    [const {
        Own {
            stack: Cell::new(0),
            report_stack: Cell::new(0),
            number: Cell::new(0),
            again: Cell::new(0),
            work: Cell::new(None),
            moved: Cell::new(0),
        }
    }; CPUS],
);

/// Memory for the stacks of a processor, with pages below them that no code may access.
#[repr(C, align(4096))]
pub(crate) struct Stacks {
    guard: [u8; PAGE],
    stack: UnsafeCell<[u8; Self::SIZE]>,
    report_guard: [u8; PAGE],
    report: UnsafeCell<[u8; PAGE]>,
}

// SAFETY: each is used by its processor alone, as a stack.
unsafe impl Sync for Stacks {}

impl Stacks {
    /// The bytes of a processor's stack. An exit begins with an empty one.
    pub(crate) const SIZE: usize = 4 * PAGE;

    /// The first address of the stack proper.
    pub(crate) fn begin(&self) -> usize {
        self.stack.get().addr()
    }

    /// The addresses of the two guards.
    pub(crate) fn guards(&self) -> [usize; 2] {
        [
            (&raw const self.guard).addr(),
            (&raw const self.report_guard).addr(),
        ]
    }
}

/// The stacks, where the start-up code clears nothing.
#[unsafe(link_section = ".stack.processors")]
pub(crate) static STACKS: [Stacks; CPUS] = [const {
    Stacks {
        guard: [0; PAGE],
        stack: UnsafeCell::new([0; Stacks::SIZE]),
        report_guard: [0; PAGE],
        report: UnsafeCell::new([0; PAGE]),
    }
}; CPUS];

/// Fills all blocks. Called once, before anything else, by the first processor.
pub(crate) fn fill() {
    for (number, (own, stacks)) in BLOCKS.0.iter().zip(&STACKS).enumerate() {
        own.number.set(number);
        own.stack.set(stacks.begin() + Stacks::SIZE);
        own.report_stack.set(stacks.report.get().addr() + PAGE);
    }
}

/// Makes this processor the one with this number. Called once on each.
pub(crate) fn adopt(number: usize) {
    let own = core::ptr::from_ref(&BLOCKS.0[number]);
    // SAFETY: nothing reads the register before.
    unsafe { asm!("msr tpidr_el2, {}", in(reg) own, options(nostack, preserves_flags)) };
}

/// The block of the processor that runs the caller.
#[inline(always)]
pub(crate) fn own() -> &'static Own {
    let own: *const Own;
    // SAFETY: reads a register, which does not change: code at EL2 does not move between
    // processors.
    unsafe {
        asm!("mrs {}, tpidr_el2", out(reg) own, options(pure, nomem, nostack, preserves_flags));
    }
    // SAFETY: `adopt` has put the address of one of the blocks there, on each processor before
    // anything else.
    unsafe { &*own }
}

/// The number of the processor that calls, from 0.
#[inline(always)]
pub fn number() -> usize {
    own().number.get()
}
