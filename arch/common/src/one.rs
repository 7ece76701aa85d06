//! Owns: the processor of a machine that has one, and what of the seam that makes simple: nobody is to be kept out.
//! Must never know: what a section is for.

use taktos_machine::Processor;

unsafe extern "C" {
    /// Who runs; watched by the laboratory. The board's kernel, which begins with it, has this name: so one base address leads to all
    /// that a switch needs.
    pub safe static TAKTOS_PROCESSOR: OneProcessor;
}

/// A processor in a static.
#[repr(transparent)]
pub struct OneProcessor(pub Processor);

// SAFETY: there is one processor; `current` is written by the switch paths with kernel-level interrupts masked, `heir` by the
// kernel in its sections, and both are single words.
unsafe impl Sync for OneProcessor {}

/// What a mask remembers: nothing.
pub type Taken = ();

/// Nobody is to be kept out.
#[inline(always)]
pub fn lock() {}

/// Nobody was kept out.
#[inline(always)]
pub fn unlock((): Taken) {}

/// The processor.
#[inline(always)]
pub fn own() -> &'static Processor {
    &TAKTOS_PROCESSOR.0
}

/// The processor.
#[inline(always)]
pub fn holder((): Taken) -> &'static Processor {
    own()
}

/// Its number.
#[inline(always)]
pub fn number() -> usize {
    0
}
