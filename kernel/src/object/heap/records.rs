//! Owns: a heap's records: its free memory, the threads that wait for some, and the order in which
//! they get it.
//! Must never know: where the memory lies, the use of the memory.
#![expect(unsafe_code, reason = "memory is put back by its address")]

use super::free::FreeMemory;
use crate::critical_section::{CriticalSection, Guarded, Held, Operation};
use crate::object::deletion::Deletable;
use crate::sched::{IntoResult, OutcomeOf, fail, hold};
use crate::thread::urgency::Urgency;
use crate::wait::transfer::{Lent, Transaction, Waiters, transact};
use crate::{Error, Kernel, Status, System, Timeout};
use core::alloc::Layout;
use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr::NonNull;
use taktos_machine::Machine;

/// Everything of a heap except the memory: the same for all sizes of heaps.
#[repr(C)]
pub(super) struct Records<S> {
    waiters: Waiters<Request>,
    pub(super) free: FreeMemory,
    deleted: Guarded<bool>,
    system: PhantomData<fn() -> S>,
}

/// A request of a thread that waits, and the memory that it has been given.
struct Request {
    layout: Layout,
    given: Cell<Option<NonNull<u8>>>,
}

impl<S> Records<S> {
    /// The records of a heap that has no memory yet.
    pub const fn new() -> Self {
        Self {
            waiters: Waiters::new(),
            free: FreeMemory::new(),
            deleted: Guarded::new(false),
            system: PhantomData,
        }
    }
}

impl<S: System> Records<S> {
    /// Takes memory for `layout`, waiting for it as long as `timeout` says.
    pub fn allocate(
        &'static self,
        held: Held<S>,
        layout: Layout,
        timeout: Timeout,
    ) -> Result<NonNull<u8>, Error> {
        let cs = held.section();
        if !self.deleted.get(cs)
            && self.is_next(&held)
            && let Some(memory) = self.free.take(cs, layout)
        {
            return Ok(memory);
        }
        let request = Request {
            layout,
            given: Cell::new(None),
        };
        let answer = transact::<S, Await<S>>(held, self, &request, timeout);
        if let Err(error) = answer.into_result::<S>() {
            self.serve_after(error);
            return Err(error);
        }
        // A wait that ended with success was given memory.
        request.given.get().ok_or(Error::NoMemory)
    }

    /// Returns whether the caller is in front of all that wait: more urgent than the first of them,
    /// or a handler.
    fn is_next(&self, held: &Held<S>) -> bool {
        let cs = held.section();
        let Some((first, _)) = self.waiters.first(cs) else {
            return true;
        };
        let level = |urgency: Urgency| urgency.effective().level();
        S::Machine::in_interrupt()
            || level(held.running().current(cs).urgency.get(cs)) < level(first.urgency.get(cs))
    }

    /// Puts memory back, and serves the threads that wait.
    ///
    /// # Safety
    /// As [`FreeMemory::put`].
    pub unsafe fn free(&'static self, memory: NonNull<u8>, layout: Layout) {
        let held = hold::<S>();
        // SAFETY: the caller's contract.
        unsafe { self.free.put(held.section(), memory, layout) };
        self.serve(held);
    }

    /// Serves the threads behind a caller that has ended its wait with `error`: it may have been
    /// the first, with a request that was too large.
    #[cold]
    fn serve_after(&'static self, error: Error) {
        if matches!(error, Error::Timeout | Error::Cancelled) {
            self.serve(hold::<S>());
        }
    }

    /// Serves the threads that wait, if there are any.
    fn serve(&'static self, held: Held<S>) {
        if !self.waiters.is_empty(held.section()) {
            held.enter::<Serve<S>>(self, 0, Timeout::NONE);
        }
    }

    /// Makes deleted records usable again. Errors: `State` if they are not deleted.
    pub fn renew(&self, cs: CriticalSection<'_>) -> Result<(), Error> {
        if !self.deleted.get(cs) {
            return Err(Error::State);
        }
        self.deleted.set(cs, false);
        Ok(())
    }
}

impl<S: System> Deletable for Records<S> {
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.deleted.get(cs)
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.deleted.set(cs, true);
        self.waiters.flush::<S>(cs, Error::Deleted);
    }
}

struct Await<S>(PhantomData<S>);

impl<S: System> Transaction<S> for Await<S> {
    type Object = Records<S>;
    type Record = Request;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        heap: &'static Records<S>,
        request: Lent<'_, Request>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if heap.deleted.get(cs) {
            return fail::<S>(Error::Deleted);
        }
        heap.waiters.block::<S, false>(cs, request, timeout)
    }
}

/// Gives memory to the threads that wait, in order, until the first of them cannot be served.
struct Serve<S>(PhantomData<S>);

impl<S: System> Operation<S> for Serve<S> {
    type Object = Records<S>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        heap: &'static Records<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        while let Some((waiter, request)) = heap.waiters.first(cs)
            && let Some(memory) = heap.free.take(cs, request.layout)
        {
            request.given.set(Some(memory));
            heap.waiters.pop(cs, waiter);
            S::kernel().wake(cs, waiter);
        }
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}
