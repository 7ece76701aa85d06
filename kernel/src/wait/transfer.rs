//! Owns: how a thread lends the kernel, and so other threads, a record on its own stack while it is
//! inside a kernel call: a message to be fetched, a place where one is to be put.
//! Must never know: what is in the record, or what the waiting is good for.
//!
//! The address of a record goes into a decision as its argument and, where the decision makes the
//! caller wait, into the waiting thread's control block, or into that of its stand-in. The reason
//! that this is sound is in this file alone: a [`Lent`] is made only for a record with an owner
//! that is inside the call (or asserted to be so, for one in the memory of a partition), and a
//! thread comes into [`Waiters`] only with a [`Lent`]; it is taken out before it can run again.
#![expect(
    unsafe_code,
    reason = "records on the stacks of waiting threads are reached by address"
)]

use crate::System;
use crate::critical_section::{CriticalSection, Held, Operation};
use crate::sched::OutcomeOf;
use crate::thread::tcb::{Tcb, ThreadRef};
use crate::wait::{Place, Wait, WaitQueue, thread};
use crate::{Error, Kernel, Timeout};
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr;
use taktos_machine::Answer;

/// A record of a thread that is inside a kernel call, and stays there as long as the record is
/// used.
pub(crate) struct Lent<'a, R>(&'a R);

impl<'a, R> Lent<'a, R> {
    /// A record, asserted to be lent.
    ///
    /// # Safety
    /// It stays where it is until the thread that runs, which is inside a call, is back from that,
    /// possibly after a wait.
    pub const unsafe fn assume(record: &'a R) -> Self {
        Self(record)
    }
}

impl<'a, R> Lent<'a, R> {
    /// The part of the record that `part` names.
    pub fn part<P>(&self, part: impl for<'r> FnOnce(&'r R) -> &'r P) -> Lent<'a, P> {
        Lent(part(self.0))
    }

    /// The word that identifies the record in the control block of a waiting thread.
    fn address(&self) -> usize {
        ptr::from_ref(self.0).expose_provenance()
    }
}

impl Lent<'_, Tcb> {
    /// The control block as that of a thread. It is taken out of all queues before the thread that
    /// lends it continues.
    pub fn as_thread(&self) -> ThreadRef {
        thread(self.address())
    }
}

impl<R> Deref for Lent<'_, R> {
    type Target = R;
    #[inline(always)]
    fn deref(&self) -> &R {
        self.0
    }
}

/// A decision that is given a record of its caller's.
pub(crate) trait Transaction<S: System> {
    /// The kernel object concerned.
    type Object: 'static;
    /// The record that the caller lends.
    type Record;
    /// As [`Decision::BLOCKS`].
    const BLOCKS: bool;
    /// As [`Decision::USES_TIMEOUT`].
    const USES_TIMEOUT: bool = true;

    /// Executes the operation. Returns the thread that runs next.
    fn run(
        cs: CriticalSection<'_>,
        object: &'static Self::Object,
        record: Lent<'_, Self::Record>,
        timeout: Timeout,
    ) -> OutcomeOf<S>;
}

/// Enters the decision `D` with `record`, which others may read, and write where it has cells,
/// until this returns.
#[inline(always)]
pub(crate) fn transact<S: System, D: Transaction<S>>(
    held: Held<S>,
    object: &'static D::Object,
    record: &D::Record,
    timeout: Timeout,
) -> Answer {
    let address = ptr::from_ref(record).expose_provenance();
    held.enter::<Entry<S, D>>(object, address, timeout)
}

struct Entry<S, D>(PhantomData<(S, D)>);

impl<S: System, D: Transaction<S>> Operation<S> for Entry<S, D> {
    type Object = D::Object;
    const BLOCKS: bool = D::BLOCKS;
    const USES_TIMEOUT: bool = D::USES_TIMEOUT;

    fn run(
        cs: CriticalSection<'_>,
        object: &'static D::Object,
        address: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let record = ptr::with_exposed_provenance::<D::Record>(address);
        // SAFETY: only `transact` enters this decision, with the address of a record that is
        // borrowed until the caller is back from it: also while it waits, and others use
        // the record.
        D::run(cs, object, Lent(unsafe { &*record }), timeout)
    }
}

/// The threads that wait in one queue, each with a record of the type `R`.
pub(crate) struct Waiters<R> {
    queue: WaitQueue,
    record: PhantomData<fn(&R)>,
}

impl<R> Waiters<R> {
    /// Creates a queue in which no thread waits.
    pub const fn new() -> Self {
        Self {
            queue: WaitQueue::new(),
            record: PhantomData,
        }
    }

    /// Returns whether no thread waits.
    #[inline(always)]
    pub fn is_empty(&self, cs: CriticalSection) -> bool {
        self.queue.is_empty(cs)
    }

    /// The most urgent thread, and its record.
    #[inline(always)]
    pub fn first<'cs>(&self, cs: CriticalSection<'cs>) -> Option<(ThreadRef, &'cs R)> {
        self.queue
            .first(cs)
            .map(|thread| (thread, record(cs, thread)))
    }

    /// Returns the record of `thread`, if it is among these.
    #[inline(always)]
    pub fn record_of<'cs>(
        &'static self,
        cs: CriticalSection<'cs>,
        thread: ThreadRef,
    ) -> Option<&'cs R> {
        (thread.wait.get(cs) == Wait::queue(&self.queue)).then(|| record(cs, thread))
    }

    /// The most urgent thread that `accept` says yes to, and its record. Steps: the threads before
    /// it.
    pub fn find<'cs>(
        &self,
        cs: CriticalSection<'cs>,
        mut accept: impl FnMut(ThreadRef, &R) -> bool,
    ) -> Option<(ThreadRef, &'cs R)> {
        let mut found = None;
        self.queue.any(cs, |thread| {
            let accepted = accept(thread, record(cs, thread));
            if accepted {
                found = Some(thread);
            }
            accepted
        });
        found.map(|thread| (thread, record(cs, thread)))
    }

    /// Whether the sum of what `amount` says of each record reaches `needed`. Steps: the threads
    /// until it does.
    #[cold]
    #[inline(never)]
    pub fn sum_reaches(
        &self,
        cs: CriticalSection<'_>,
        needed: usize,
        amount: impl Fn(&R) -> usize,
    ) -> bool {
        let mut sum = 0;
        self.queue.any(cs, |thread| {
            sum += amount(record(cs, thread));
            sum >= needed
        })
    }

    /// Blocks the running thread, with the record `record`, as long as `timeout` says; it refuses
    /// without a time to wait. If the time is known to be `FOREVER`, `timeout` is not read.
    #[inline(always)]
    pub fn block<S: System, const FOREVER: bool>(
        &'static self,
        cs: CriticalSection<'_>,
        record: Lent<'_, R>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        current.argument.set(cs, record.address());
        if FOREVER {
            S::kernel().block_in_forever(cs, &self.queue)
        } else {
            S::kernel().block_in(cs, &self.queue, timeout)
        }
    }

    /// Returns the place of a stand-in for a thread with the record `record`.
    pub fn place(&'static self, record: Lent<'_, R>) -> Place {
        Place {
            argument: record.address(),
            ..Place::in_queue(&self.queue)
        }
    }

    /// Takes out `first`, the most urgent thread; it is to be woken then, and its record is no
    /// longer used.
    #[inline(always)]
    pub fn pop(&self, cs: CriticalSection<'_>, first: ThreadRef) {
        self.queue.pop(cs, first);
    }

    /// Takes out `thread`, wherever it is, as [`Waiters::pop`]. Steps: those of the wait queue.
    #[inline(always)]
    pub fn remove(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if self.queue.first(cs) == Some(thread) {
            self.queue.pop(cs, thread);
        } else {
            self.queue.remove(cs, thread);
        }
    }

    /// Wakes all with `error`.
    pub fn flush<S: System>(&'static self, cs: CriticalSection<'_>, error: Error) {
        S::kernel().flush(cs, &self.queue, error);
    }
}

/// Returns the record of `thread`, which is in a `Waiters<R>`: for this section, in which the
/// thread cannot run.
#[inline(always)]
fn record<'cs, R>(cs: CriticalSection<'cs>, thread: ThreadRef) -> &'cs R {
    let address = ptr::with_exposed_provenance(thread.argument.get(cs));
    // SAFETY: only `Waiters::block` puts threads into that queue, and sets the argument to the
    // address of an `R` that stays until the thread returns from its call; it does not run in
    // this section, beyond which the reference does not live.
    unsafe { &*address }
}
