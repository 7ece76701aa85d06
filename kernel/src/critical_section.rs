//! Owns: the proof that the kernel's data may be touched, the cells that ask for it, and the way
//! into an operation and back to its caller.
//! Must never know: what the data is.
//!
//! The kernel's state is shared by all threads and handlers. It is touched only while kernel-level
//! interrupts are masked on the one processor, or masked and the one lock held on one of several.
//! [`CriticalSection`] is the proof of that: a value without size, with the lifetime of the
//! section. Three places create it: [`Held`], for as long as it is held; [`Entered`], for an
//! operation that a machine has entered; and [`CriticalSection::assume`], for what the machine
//! calls at the kernel's interrupt level. The callers of the last one have to say why it holds.
//! The data that a cell lends live no longer than the section.
#![expect(
    unsafe_code,
    reason = "the one place where shared kernel state is made accessible"
)]

use crate::sched::OutcomeOf;
use crate::thread::AnyThread;
use crate::thread::tcb::Running;
use crate::{Kernel, System};
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use taktos_abi::{Error, Status, Timeout};
use taktos_machine::{Answer, Decision, Machine, Reply};

/// Proof that no other code is in the kernel, during `'cs`.
#[derive(Clone, Copy)]
pub struct CriticalSection<'cs>(PhantomData<(&'cs (), *mut ())>);

impl CriticalSection<'_> {
    /// The proof, asserted.
    ///
    /// # Safety
    /// For the lifetime of the value, kernel-level interrupts are masked on the one processor; on
    /// one of several, they are masked and the machine's one lock is held, or the others do not
    /// run yet.
    #[inline(always)]
    pub const unsafe fn assume() -> Self {
        Self(PhantomData)
    }
}

/// A critical section, ended when dropped: kernel-level interrupts are masked; on several
/// processors the others are kept out, too. [`hold`](crate::sched::hold) takes it.
pub struct Held<S: System> {
    mask: <S::Machine as Machine>::Mask,
    running: Running,
}

impl<S: System> Held<S> {
    /// Masks, whatever has been decided for this processor.
    #[inline(always)]
    pub fn mask() -> Self {
        let mask = S::Machine::mask();
        let running = Kernel::<S>::running_in(mask);
        Self { mask, running }
    }

    /// Returns the current thread and the heir of this processor, which the holder does not leave.
    #[inline(always)]
    pub fn running(&self) -> Running {
        self.running
    }

    /// The proof, for as long as this is held.
    #[inline(always)]
    pub fn section(&self) -> CriticalSection<'_> {
        // SAFETY: the mask was set when `self` was made and is ended only when it is dropped, or by
        // `enter`, which takes it; the proof borrows `self`, so it lives no longer.
        unsafe { CriticalSection::assume() }
    }

    /// Enters the operation `O`, which ends the section, possibly after a switch to other threads
    /// and back.
    #[inline(always)]
    pub fn enter<O: Operation<S>>(
        self,
        object: &'static O::Object,
        argument: usize,
        timeout: Timeout,
    ) -> Answer {
        core::mem::forget(self);
        S::Machine::enter::<Entered<S, O>>(object, argument, timeout)
    }

    /// [`Held::enter`] for an operation that uses no words, as the last call of a function that C
    /// calls.
    #[inline(always)]
    pub fn enter_last<O: Operation<S>, R: Reply>(self, object: &'static O::Object) -> usize {
        core::mem::forget(self);
        S::Machine::enter_last::<Entered<S, O>, R>(object)
    }
}

impl<S: System> Drop for Held<S> {
    #[inline(always)]
    fn drop(&mut self) {
        S::Machine::unmask(self.mask);
    }
}

/// A kernel operation that may switch threads: what [`Held::enter`] does. The constants are those
/// of [`Decision`].
pub trait Operation<S: System> {
    /// The kernel object concerned.
    type Object: 'static;
    /// As [`Decision::KEEPS_SLICE`].
    const KEEPS_SLICE: bool = false;
    /// As [`Decision::USES_WORDS`].
    const USES_WORDS: bool = true;
    /// As [`Decision::USES_TIMEOUT`].
    const USES_TIMEOUT: bool = true;
    /// As [`Decision::ALWAYS_SWITCHES`].
    const ALWAYS_SWITCHES: bool = false;
    /// As [`Decision::BLOCKS`].
    const BLOCKS: bool;

    /// Executes the operation with a word of the caller's. Returns the thread that runs next.
    fn run(
        cs: CriticalSection<'_>,
        object: &'static Self::Object,
        argument: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S>;
}

/// An operation as the decision that a machine calls.
pub struct Entered<S, O>(PhantomData<(S, O)>);

impl<S: System, O: Operation<S>> Decision<S::Machine> for Entered<S, O> {
    type Object = O::Object;
    const KEEPS_SLICE: bool = O::KEEPS_SLICE;
    const USES_WORDS: bool = O::USES_WORDS;
    const USES_TIMEOUT: bool = O::USES_TIMEOUT;
    const ALWAYS_SWITCHES: bool = O::ALWAYS_SWITCHES;
    const BLOCKS: bool = O::BLOCKS;

    #[inline(always)]
    extern "C" fn decide(
        object: &'static O::Object,
        argument: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        // SAFETY: `Machine::enter` alone calls decisions, in the section that its caller held:
        // `Held::enter` is the only caller with this one. The section lasts until the
        // decision has returned, and the proof is not kept: the lifetime of `run`'s
        // parameter is of any length.
        let cs = unsafe { CriticalSection::assume() };
        O::run(cs, object, argument, timeout)
    }
}

/// A value that is read and written only in a [`CriticalSection`].
#[repr(transparent)]
pub struct Guarded<T>(UnsafeCell<T>);

// SAFETY: every access demands a `CriticalSection`, or is `unsafe`; so no two accesses are ever
// concurrent.
unsafe impl<T> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    /// A cell that holds `value`.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The cell's content, for as long as the section lasts. The content has cells of its own
    /// where it is to be changed.
    #[inline(always)]
    pub fn borrow<'cs>(&'cs self, _: CriticalSection<'cs>) -> &'cs T {
        // SAFETY: in a section, so there is no concurrent write; `set` is used only on types that
        // are `Copy`, and those are not borrowed.
        unsafe { &*self.0.get() }
    }
}

impl<T> Guarded<T> {
    /// The cell's content, outside of a section.
    ///
    /// # Safety
    /// No other code reaches the content meanwhile: it is the calling thread's, and others reach it
    /// only while that thread waits.
    #[inline(always)]
    pub unsafe fn borrow_own(&self) -> &T {
        // SAFETY: the caller's, as said above.
        unsafe { &*self.0.get() }
    }
}

impl<T> Guarded<T> {
    /// Returns the place of the value, for constants.
    pub const fn place(&self) -> *const T {
        self.0.get()
    }
}

impl<T: Copy> Guarded<T> {
    /// Returns the value of the cell.
    #[inline(always)]
    pub fn get(&self, _: CriticalSection<'_>) -> T {
        // SAFETY: in a section, so there is no concurrent access.
        unsafe { *self.0.get() }
    }

    /// Makes the cell hold `value`.
    #[inline(always)]
    pub fn set(&self, _: CriticalSection<'_>, value: T) {
        // SAFETY: in a section, so there is no concurrent access; `T: Copy` needs no drop, and
        // `borrow` is used only on types that are not `Copy`.
        unsafe { *self.0.get() = value }
    }

    /// Returns the value of the cell, outside of a section.
    ///
    /// # Safety
    /// As [`Guarded::borrow_own`].
    #[inline(always)]
    pub unsafe fn get_own(&self) -> T {
        // SAFETY: the caller's, as said above.
        unsafe { *self.0.get() }
    }
}

/// Returns the section of a test that has its threads and objects for itself.
#[cfg(test)]
pub fn alone<'cs>() -> CriticalSection<'cs> {
    // SAFETY: what a test makes is reached from its one thread.
    unsafe { CriticalSection::assume() }
}

/// The answer of a call to the running thread.
///
/// The invariant: the status in a thread's context is success whenever the thread runs. A thread
/// that gets an error clears it. So the fast paths, on which a thread waits or is switched away
/// from, need not set it.
pub(crate) trait IntoResult {
    /// The answer's status, as the call gives it back.
    fn into_result<S: System>(self) -> Result<(), Error>;
    /// The end of a call that cannot fail: a caller that must not call the kernel gets no answer,
    /// but ends the program.
    fn done(self) -> Result<(), Error>;
}

impl IntoResult for Answer {
    #[inline(always)]
    fn into_result<S: System>(self) -> Result<(), Error> {
        if self.status == Status::OK {
            Ok(())
        } else {
            take_error::<S>(self.status)
        }
    }

    #[inline(always)]
    fn done(self) -> Result<(), Error> {
        Ok(())
    }
}

/// Returns the error that the calling thread has received.
#[cold]
#[inline(never)]
pub(crate) fn take_error<S: System>(status: Status) -> Result<(), Error> {
    // A handler's answer never lay in the thread that it interrupted, which may just be about to
    // read its own.
    if !(S::Machine::HANDLERS_INTERRUPT_SWITCHES && S::Machine::in_interrupt()) {
        AnyThread::<S>::clear_own_error();
    }
    status.result()
}
