//! Owns: the one lock of the seam as the machines have it: its words, and how it is taken and given
//! back. Must never know: what it guards.

use crate::block::{Block, Port};
use core::marker::PhantomData;
use core::sync::atomic::AtomicU32;
use taktos_lock::{HELD, QueuedLock, Word};

/// The accesses to a lock's word that are shorter on a processor than in the language. They are an
/// exchange that branches on whether it took the word, and stores of its lowest bytes, which their
/// writer alone writes.
///
/// # Safety
/// Each does what [`Word`] says of the call of its name, as one access that other processors see
/// whole or not at all. An exchange around a store of a part of the word begins again.
pub unsafe trait Exchange: 'static {
    /// As [`Word::take`].
    ///
    /// # Safety
    /// `word` is a word of a lock's.
    unsafe fn take(word: *mut u32, held: usize) -> bool;
    /// As [`Word::release`].
    ///
    /// # Safety
    /// As of [`Exchange::take`].
    unsafe fn release(word: *mut u32);
    /// As [`Word::succeed`].
    ///
    /// # Safety
    /// As of [`Exchange::take`].
    unsafe fn succeed(word: *mut u32);
    /// Does a processor's work of each turn while it waits.
    fn wait();
}

/// A word of a lock on a processor that has such accesses.
#[repr(transparent)]
pub struct Shared<E>(AtomicU32, PhantomData<fn() -> E>);

impl<E> Shared<E> {
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    const FREE: Self = Self(AtomicU32::new(0), PhantomData);
}

impl<E: Exchange> Word for Shared<E> {
    fn zero() -> Self {
        Self::FREE
    }

    #[inline(always)]
    fn take(&self, held: usize) -> bool {
        // SAFETY: the word is one of a lock's.
        unsafe { E::take(self.0.as_ptr(), held) }
    }

    #[inline(always)]
    fn release(&self) {
        // SAFETY: as for `take`.
        unsafe { E::release(self.0.as_ptr()) }
    }

    #[inline(always)]
    fn succeed(&self) {
        // SAFETY: as for `take`.
        unsafe { E::succeed(self.0.as_ptr()) }
    }

    #[inline(always)]
    fn set_pending(&self) -> u32 {
        self.0.set_pending()
    }

    #[inline(always)]
    fn add(&self, number: u32) -> u32 {
        self.0.add(number)
    }

    #[inline(always)]
    fn acquire(&self) -> u32 {
        self.0.acquire()
    }

    #[inline(always)]
    fn publish(&self, value: u32) {
        self.0.publish(value);
    }
}

/// A lock of processors.
pub type Lock<E> = QueuedLock<Shared<E>>;

/// Creates a lock without a holder.
pub const fn free_lock<E: Exchange>() -> Lock<E> {
    Lock::with_words(Shared::FREE, Shared::FREE, Shared::FREE)
}

/// Part of a processor's block for the lock: its address, and the value to store in it.
#[repr(C)]
pub struct Handle<P: Port> {
    lock: &'static Lock<P>,
    held: usize,
}

impl<P: Port> Handle<P> {
    pub(crate) const NEW: Self = Self {
        lock: P::LOCK,
        held: HELD as usize,
    };
}

/// The lock as it is held by a processor, until [`unlock`].
pub struct Taken<P: Port> {
    own: &'static Block<P>,
    lock: &'static Lock<P>,
}

impl<P: Port> Copy for Taken<P> {}

impl<P: Port> Clone for Taken<P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Port> Taken<P> {
    /// The block of the processor that holds the lock, and that its holder does not leave.
    #[inline(always)]
    pub fn own(self) -> &'static Block<P> {
        self.own
    }
}

/// Takes the lock. Not nested; called with interrupts masked.
#[inline(always)]
pub fn lock<P: Port>() -> Taken<P> {
    let own = P::own();
    let lock = own.lock.lock;
    if P::LOADS_HELD {
        lock.lock_by(own.lock.held, P::wait);
    } else {
        lock.lock(P::wait);
    }
    Taken { own, lock }
}

/// Takes the lock for a hand-written path that found it held, and that keeps its registers around
/// the call.
pub extern "C" fn lock_out_of_line<P: Port>() {
    let _ = lock::<P>();
}

/// Gives the lock to the processor that waits longest. Called by the holder, with the value that
/// [`lock`] returned.
#[inline(always)]
pub fn unlock<P: Port>(taken: Taken<P>) {
    taken.lock.unlock();
}
