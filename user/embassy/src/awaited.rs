//! Objects of the kernel that tasks await: the executor's thread waits for them, and for being
//! woken, at once.
//!
//! An operation that has ended stays in its [`Awaited`] until a task takes it. So a future that is
//! dropped, as the loser of a `select`, loses nothing: while no future is there the object is not
//! waited for, and what came just before is the first thing that the next future gets.
//!
//! Owns: the objects that tasks of one executor await. Must never know: tasks, the executor's loop.

#![expect(unsafe_code, reason = "pinned branches are reached by address")]

use crate::Runtime;
use crate::core::Core;
use ::core::cell::{Cell, UnsafeCell};
use ::core::future::poll_fn;
use ::core::marker::PhantomPinned;
use ::core::pin::Pin;
use ::core::ptr::NonNull;
use ::core::task::{Context, Poll, Waker};
use taktos_kernel::branches::Answers;
use taktos_kernel::{Branch, Error, Kernel, MOST_POLLED, Pollable, Semaphore, System, Timeout};

/// How many objects tasks of one executor can await at once: one branch of a poll is the executor's
/// own.
const MOST: usize = MOST_POLLED - 1;

/// An operation of an object, for tasks of one executor to await again and again. It is pinned, in
/// the frame of a task: `pin!(Awaited::<Async, _>::new(ORDERS.receiving()))`.
pub struct Awaited<R: Runtime, A> {
    branch: UnsafeCell<Branch<R::System, A>>,
    /// The core of the executor that waits for it.
    core: Cell<Option<&'static Core<R::System>>>,
    _pinned: PhantomPinned,
}

impl<R: Runtime, A: Answers + 'static> Awaited<R, A>
where
    Branch<R::System, A>: Pollable<R::System>,
{
    /// That of `branch`.
    pub const fn new(branch: Branch<R::System, A>) -> Self {
        Self {
            branch: UnsafeCell::new(branch),
            core: Cell::new(None),
            _pinned: PhantomPinned,
        }
    }

    /// Waits until the operation has ended, and returns what came of it. A future that is dropped
    /// before loses nothing.
    ///
    /// Errors: those of the operation; `Limit` where tasks of the executor await seven others;
    /// `Parameter` where one of them awaits the same object; `State` where the calling thread runs
    /// no executor, or another future waits for this.
    pub async fn next(self: Pin<&Self>) -> Result<A::Answer, Error> {
        if self.core.get().is_some() {
            return Err(Error::State);
        }
        let _entry = Entry(&self.get_ref().core, self.address());
        poll_fn(|context| self.attempt(context)).await
    }

    fn address(&self) -> NonNull<()> {
        NonNull::from(&self.branch).cast()
    }

    /// Takes what is there, or has the executor wait for it.
    fn attempt(&self, context: &Context<'_>) -> Poll<Result<A::Answer, Error>> {
        // SAFETY: the executor's thread alone comes here, and has no reference to the branch while
        // it polls tasks.
        let branch = unsafe { &mut *self.branch.get() };
        if let Some(outcome) = branch.outcome() {
            return Poll::Ready(outcome);
        }
        match Kernel::<R::System>::poll([branch], Timeout::NONE) {
            Ok(_) => {}
            Err(Error::WouldBlock) => return self.register(context.waker()),
            Err(error) => return Poll::Ready(Err(error)),
        }
        branch.outcome().map_or(Poll::Pending, Poll::Ready)
    }

    fn register(&self, waker: &Waker) -> Poll<Result<A::Answer, Error>> {
        let Some((core, true)) = R::section().core() else {
            return Poll::Ready(Err(Error::State));
        };
        let branch: NonNull<dyn Pollable<R::System>> =
            NonNull::from(&self.branch).cast::<Branch<R::System, A>>();
        match core.awaited().add(self.address(), branch, waker) {
            Ok(()) => self.core.set(Some(core)),
            Err(error) => return Poll::Ready(Err(error)),
        }
        Poll::Pending
    }
}

impl<R: Runtime, A> Drop for Awaited<R, A> {
    fn drop(&mut self) {
        // A future of it that was forgotten, and not dropped.
        drop(Entry(&self.core, NonNull::from(&self.branch).cast()));
    }
}

/// The entry of an [`Awaited`] in its executor's list, which ends when this is dropped.
struct Entry<'a, S: System>(&'a Cell<Option<&'static Core<S>>>, NonNull<()>);

impl<S: System> Drop for Entry<'_, S> {
    fn drop(&mut self) {
        if let Some(core) = self.0.take() {
            core.awaited().remove(self.1);
        }
    }
}

/// An operation that a task awaits: its address, the branch there, and the task.
struct Waiting<S: System> {
    address: NonNull<()>,
    branch: NonNull<dyn Pollable<S>>,
    waker: Waker,
}

/// The operations that tasks of an executor await. Its thread alone uses them.
pub(crate) struct List<S: System>([Cell<Option<Waiting<S>>>; MOST]);

impl<S: System> List<S> {
    pub(crate) const fn new() -> Self {
        Self([const { Cell::new(None) }; MOST])
    }

    /// Adds an operation, or changes its task. Errors: `Limit` if there is no space, `Parameter` if
    /// an operation of the same object is there: one poll cannot have both.
    fn add(
        &self,
        address: NonNull<()>,
        branch: NonNull<dyn Pollable<S>>,
        waker: &Waker,
    ) -> Result<(), Error> {
        self.remove(address);
        let shares = |entry: &Waiting<S>| {
            // SAFETY: as in `poll`; the task that is polled now uses no reference to its branch.
            let [one, other] = [branch, entry.branch].map(|branch| unsafe { &*branch.as_ptr() });
            Kernel::share_queue(one, other)
        };
        if self.0.iter().any(|place| looked_at(place, shares)) {
            return Err(Error::Parameter);
        }
        let free = self.0.iter().find(|place| is_free(place));
        let free = free.ok_or(Error::Limit)?;
        free.set(Some(Waiting {
            address,
            branch,
            waker: waker.clone(),
        }));
        Ok(())
    }

    fn remove(&self, address: NonNull<()>) {
        for place in &self.0 {
            let entry = place.take();
            place.set(entry.filter(|entry| entry.address != address));
        }
    }

    /// Waits for the first of the operations and for a permit of `woken`, until `timeout`. The task
    /// of an operation that ends is woken. Returns whether something came before `timeout`.
    pub(crate) fn wait(&self, woken: &'static Semaphore<S>, timeout: Timeout) -> bool {
        if self.0.iter().all(is_free) {
            return woken.take(timeout).is_ok();
        }
        let mut permit = woken.taking();
        let mut entries = [const { None }; MOST];
        for (entry, place) in entries.iter_mut().zip(&self.0) {
            *entry = place.take();
        }
        let ended = poll(&mut permit, &entries, timeout);
        for (index, (entry, place)) in entries.into_iter().zip(&self.0).enumerate() {
            match entry {
                Some(entry) if ended == Ok(index + 1) => entry.waker.wake(),
                entry => place.set(entry),
            }
        }
        ended.is_ok()
    }
}

/// Whether an operation is in the place for which `is_it` holds.
fn looked_at<S: System>(
    place: &Cell<Option<Waiting<S>>>,
    is_it: impl Fn(&Waiting<S>) -> bool,
) -> bool {
    let entry = place.take();
    let found = entry.as_ref().is_some_and(is_it);
    place.set(entry);
    found
}

/// Whether no operation is in the place.
fn is_free<S: System>(place: &Cell<Option<Waiting<S>>>) -> bool {
    !looked_at(place, |_| true)
}

/// Polls `permit` and all entries. Returns 0, or the number of an entry, from 1.
fn poll<S: System>(
    permit: &mut dyn Pollable<S>,
    entries: &[Option<Waiting<S>>; MOST],
    timeout: Timeout,
) -> Result<usize, Error> {
    let mut branches: [Option<&mut dyn Pollable<S>>; MOST_POLLED] = Default::default();
    for (branch, entry) in branches[1..].iter_mut().zip(entries) {
        // SAFETY: the branch is pinned, and takes its entry out before it ends. This thread polls
        // no task now, so no other reference to the branch is used.
        *branch = entry
            .as_ref()
            .map(|entry| unsafe { &mut *entry.branch.as_ptr() });
    }
    branches[0] = Some(permit);
    Kernel::<S>::poll_among(&branches, timeout)
}
