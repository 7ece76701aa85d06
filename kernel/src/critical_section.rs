//! Owns: the proof that the kernel's data may be touched, and the cells that ask for it.
//! Must never know: what the data is.
//!
//! The kernel's state is shared by all threads and handlers. It is touched only while kernel-level
//! interrupts are masked on the one processor, or masked and the one lock held on one of several. [`Section`] is the proof of that: a value without size
//! that only [`hold`] and a machine's call of a decision bring forth; each cell demands one.
#![expect(
    unsafe_code,
    reason = "the one place where shared kernel state is made accessible"
)]

use crate::System;
use crate::smp::{mask_several, several};
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use taktos_machine::Machine;

/// Proof that nobody else is in the kernel.
#[derive(Clone, Copy)]
pub struct Section(PhantomData<*mut ()>);

impl Section {
    /// The proof, asserted.
    ///
    /// # Safety
    /// For as long as the value is used, kernel-level interrupts are masked on the one processor; on one of several, they are
    /// masked and the machine's one lock is held, or the others do not run yet.
    #[inline(always)]
    pub const unsafe fn assume() -> Self {
        Self(PhantomData)
    }
}

/// A masked section, ended when dropped.
pub struct Held<S: System> {
    mask: <S::Machine as Machine>::Mask,
}

/// Masks kernel-level interrupts until the value is dropped; on several processors, keeps the others out, too.
#[inline(always)]
pub fn hold<S: System>() -> Held<S> {
    Held {
        mask: if several::<S>() {
            mask_several::<S>()
        } else {
            S::Machine::mask()
        },
    }
}

impl<S: System> Held<S> {
    /// The proof, for as long as this is held.
    #[inline(always)]
    pub fn section(&self) -> Section {
        // SAFETY: the mask was set when `self` was made and is ended only when it is dropped;
        // callers use the proof in the same function, before that.
        unsafe { Section::assume() }
    }

    /// Leaves the masked section to [`Machine::enter`], which ends it.
    #[inline(always)]
    pub fn hand_over(self) {
        core::mem::forget(self);
    }
}

impl<S: System> Drop for Held<S> {
    #[inline(always)]
    fn drop(&mut self) {
        S::Machine::unmask(self.mask);
    }
}

/// The section in which a machine calls a decision.
#[inline(always)]
pub fn in_decision() -> Section {
    // SAFETY: `Machine::enter` calls decisions with interrupts masked and the lock held, and nothing else calls them.
    unsafe { Section::assume() }
}

/// The section of an upcall at the kernel's own interrupt level, on the one processor; also, before the start.
#[inline(always)]
pub fn in_upcall() -> Section {
    // SAFETY: upcalls come at the kernel's interrupt level, at which no other kernel-level
    // interrupt can come in between; threads do not run meanwhile, nor do other processors.
    unsafe { Section::assume() }
}

/// A value that is read and written only in a [`Section`].
#[repr(transparent)]
pub struct Guarded<T>(UnsafeCell<T>);

// SAFETY: every access demands a `Section`, so no two accesses are ever concurrent.
unsafe impl<T> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    /// A cell that holds `value`.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The cell's content, for as long as the section lasts. The content has cells of its own
    /// where it is to be changed.
    #[inline(always)]
    pub fn borrow(&self, _: Section) -> &T {
        // SAFETY: in a section, so nobody writes concurrently; `set` and `take` hold no reference.
        unsafe { &*self.0.get() }
    }
}

impl<T: Copy> Guarded<T> {
    /// What the cell holds.
    #[inline(always)]
    pub fn get(&self, _: Section) -> T {
        // SAFETY: in a section, so there is no concurrent access.
        unsafe { *self.0.get() }
    }

    /// Makes the cell hold `value`.
    #[inline(always)]
    pub fn set(&self, _: Section, value: T) {
        // SAFETY: in a section, so there is no concurrent access; `T: Copy` needs no drop, and
        // `borrow` is used only on types that are not `Copy`.
        unsafe { *self.0.get() = value }
    }
}
