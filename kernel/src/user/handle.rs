//! Owns: handles: what the threads of a partition may name, and what each allows. Must never know:
//! what is done with the object.

#![expect(
    unsafe_code,
    reason = "a handle is shared by threads as its object is, which is known by its kind"
)]

use super::{Data, Line, Plain, Pool, Queue, UserThread};
use crate::{AnyThread, Condition, EventFlags, Mutex, Semaphore, System};
use core::marker::PhantomData;
use core::ptr;
use taktos_abi::call::{KEEPS_SLICE, kind, right};
use taktos_machine::Isolation;

/// Rights that a handle gives: a sum of them by `|`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rights(u32);

impl Rights {
    /// To give permits, set flags, notify, signal, give blocks back and pass them on.
    pub const GIVE: Self = Self(right::GIVE);
    /// To take permits and blocks, acknowledge interrupts, wait for flags and clear them, lock and
    /// unlock, wait for signals and for a thread's end.
    pub const TAKE: Self = Self(right::TAKE);
    /// To send messages to a thread or a queue.
    pub const SEND: Self = Self(right::SEND);
    /// To receive messages from a thread or a queue.
    pub const RECEIVE: Self = Self(right::RECEIVE);
    /// To call a thread.
    pub const CALL: Self = Self(right::CALL);
    /// To start, stop, suspend and resume a thread, to end its wait, to change its priority: for
    /// threads of the same partition.
    pub const CONTROL: Self = Self(right::CONTROL);

    /// These and the `others`.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}

/// An object, and what may be done with it. Two words, as the machines' paths read them.
#[repr(C)]
pub struct Handle<S> {
    object: *const (),
    allows: u32,
    system: PhantomData<fn() -> S>,
}

// SAFETY: the object is a static that any thread may use.
unsafe impl<S> Sync for Handle<S> {}

impl<S: System<Machine: Isolation>> Handle<S> {
    /// A thread of a partition, of the caller's or of another one.
    pub const fn member<T: Data>(object: &'static UserThread<S, T>, rights: Rights) -> Self {
        // As for a thread without partition, the control block: more may lie before it.
        Self::named(object.block(), kind::THREAD | kind::MEMBER, rights)
    }

    /// A queue of messages.
    pub const fn queue<T: Plain, const N: usize>(
        object: &'static Queue<S, T, N>,
        rights: Rights,
    ) -> Self {
        Self::new(object, kind::QUEUE, rights)
    }

    /// A pool of blocks.
    pub const fn pool(object: &'static Pool<S>, rights: Rights) -> Self {
        Self::new(object, kind::POOL, rights)
    }

    /// The interrupt of a device that the partition has.
    pub const fn interrupt(object: &'static Line<S>) -> Self {
        Self::new(object, kind::INTERRUPT, Rights::TAKE)
    }

    /// The interrupt that is named, if it is one.
    pub(super) fn as_line(&self) -> Option<&'static Line<S>> {
        // SAFETY: `interrupt` alone makes a handle of this kind.
        (self.allows & kind::INTERRUPT != 0).then(|| unsafe { &*self.object.cast() })
    }

    /// The pool that is named, if it is one.
    pub(super) fn as_pool(&self) -> Option<&'static Pool<S>> {
        // SAFETY: `pool` alone makes a handle of this kind.
        (self.allows & kind::POOL != 0).then(|| unsafe { &*self.object.cast() })
    }
}

impl<S: System> Handle<S> {
    const fn new<T>(object: &'static T, kind: u32, rights: Rights) -> Self {
        Self::named(ptr::from_ref(object).cast(), kind, rights)
    }

    const fn named(object: *const (), kind: u32, rights: Rights) -> Self {
        Self {
            object,
            allows: kind | rights.0 | KEEPS_SLICE,
            system: PhantomData,
        }
    }

    /// A semaphore.
    pub const fn semaphore(object: &'static Semaphore<S>, rights: Rights) -> Self {
        Self::new(object, kind::SEMAPHORE, rights)
    }

    /// A mutex.
    pub const fn mutex(object: &'static Mutex<S>) -> Self {
        Self::new(object, kind::MUTEX, Rights::TAKE)
    }

    /// A condition variable. A thread that waits at it needs a handle of the mutex, too.
    pub const fn condition(object: &'static Condition<S>, rights: Rights) -> Self {
        Self::new(object, kind::CONDITION, rights)
    }

    /// A group of event flags.
    pub const fn flags(object: &'static EventFlags<S>, rights: Rights) -> Self {
        Self::new(object, kind::FLAGS, rights)
    }

    /// A thread that is in no partition. [`Rights::CONTROL`] is nothing there.
    pub const fn thread(object: &'static AnyThread<S>, rights: Rights) -> Self {
        Self::new(object, kind::THREAD, rights)
    }

    /// Returns the named object.
    pub(crate) const fn object(&self) -> *const () {
        self.object
    }

    /// The kind and the rights.
    pub(crate) const fn allows(&self) -> u32 {
        self.allows
    }
}
