//! Owns: the holder of a mutex, and how the holder inherits the priorities of its waiters: as in
//! FreeRTOS until the holder holds no mutex any more, and along chains, which FreeRTOS does not
//! have.
//! Must never know: how tasks wait.

use super::block::Task;
use super::queue::OsQueue;
use super::waiting::{Called, Waiting, wake};
use crate::cmsis::thread::{OsThread, for_each_living};
use crate::os::{in_handler, masked};
use core::cell::Cell;
use core::ptr;
use taktos::{Error, Timeout};

/// The data of a queue that is a mutex.
pub struct Ownership {
    is_recursive: bool,
    pub(super) owner: Cell<Option<&'static OsThread>>,
    /// How often its owner took it beyond the first time.
    depth: Cell<u32>,
    /// The mutex that its owner took before.
    before: Cell<Option<&'static OsQueue>>,
}

impl Ownership {
    /// That of a free mutex.
    pub(super) const fn new(is_recursive: bool) -> Self {
        Self {
            is_recursive,
            owner: Cell::new(None),
            depth: Cell::new(0),
            before: Cell::new(None),
        }
    }

    /// Takes a recursive one once more if the caller owns it; says whether it does.
    pub(super) fn again(&self, thread: &'static OsThread) -> bool {
        let is_owner = |owner: &'static OsThread| ptr::eq(owner, thread);
        let again = self.is_recursive && self.owner.get().is_some_and(is_owner);
        if again {
            self.depth.set(self.depth.get() + 1);
        }
        again
    }
}

/// A thread that takes a mutex, with what it has for that.
#[derive(Clone, Copy)]
pub(super) struct Taker {
    pub(super) thread: &'static OsThread,
    pub(super) task: &'static Task,
}

/// The mutex is this thread's. Masked.
pub(super) fn own(queue: &'static OsQueue, taker: Taker) {
    let Some(ownership) = queue.ownership() else {
        return;
    };
    ownership.owner.set(Some(taker.thread));
    ownership.depth.set(0);
    ownership.before.set(taker.task.held.replace(Some(queue)));
}

/// Leaves the mutex without an owner. Masked; steps: the mutexes that its owner took since.
pub(super) fn disown(queue: &'static OsQueue) {
    let Some(ownership) = queue.ownership() else {
        return;
    };
    let Some(task) = ownership.owner.take().and_then(|owner| owner.task().get()) else {
        return;
    };
    let mut place = &task.held;
    while let Some(other) = place.get()
        && let Some(of_other) = other.ownership()
    {
        if ptr::eq(other, queue) {
            place.set(of_other.before.take());
            return;
        }
        place = &of_other.before;
    }
}

/// The owner of a mutex.
fn owner(queue: &OsQueue) -> Option<&'static OsThread> {
    queue.ownership()?.owner.get()
}

/// The mutex that a thread waits for, if it does so for ever.
fn awaited_for_ever(thread: &'static OsThread) -> Option<&'static OsQueue> {
    let task = thread.task().get()?;
    task.waits_for.get().filter(|_| task.waits_for_ever.get())
}

/// The mutex that a thread waits for.
fn awaited(thread: &'static OsThread) -> Option<&'static OsQueue> {
    thread.task().get()?.waits_for.get()
}

/// Gives a mutex back; returns whether the caller may. If no task holds it (it was reset, or its
/// owner has ended), any task may give it, and a handler, too.
pub(super) fn give(queue: &'static OsQueue, ownership: &Ownership) -> bool {
    let caller = (!in_handler()).then(OsThread::current).flatten();
    let is_caller = |owner: &'static OsThread| caller.is_some_and(|caller| ptr::eq(caller, owner));
    let given: Option<Called> = masked(|| match ownership.owner.get() {
        Some(owner) if !is_caller(owner) => None,
        Some(_) if ownership.depth.get() > 0 => {
            ownership.depth.set(ownership.depth.get() - 1);
            Some(None)
        }
        _ => {
            disown(queue);
            queue.put(ptr::null(), super::queue::BACK)
        }
    });
    let Some(called) = given else { return false };
    // The waiting task is woken first: the caller is as urgent as it is until then.
    wake(called);
    if let Some(thread) = caller
        && let Some(task) = thread.task().get()
        && task.held.get().is_none()
        && task.inherited.replace(0) > 0
    {
        let _ = thread.set_priority(thread.priority());
    }
    true
}

/// Waits at a mutex for the caller's turn, with its priority lent to the owner. `Deadlock` where
/// threads would wait for each other for ever: no ring of such waits comes to be, so each look
/// along them ends.
pub(super) fn wait(
    queue: &'static OsQueue,
    place: &'static Waiting,
    taker: Taker,
    time: Timeout,
) -> Result<(), Error> {
    let for_ever = time == Timeout::FOREVER;
    let closes_no_ring = masked(|| {
        let mut next = owner(queue).filter(|_| for_ever);
        while let Some(thread) = next.filter(|thread| !ptr::eq(*thread, taker.thread)) {
            next = awaited_for_ever(thread).and_then(owner);
        }
        if next.is_none() {
            taker.task.waits_for.set(Some(queue));
            taker.task.waits_for_ever.set(for_ever);
        }
        next.is_none()
    });
    if !closes_no_ring {
        place.leave();
        return Err(Error::Deadlock);
    }
    raise(owner(queue), taker.thread.effective_priority());
    let turn = place.wait(time);
    taker.task.waits_for.set(None);
    if turn.is_err_and(|error| error != Error::Deleted) {
        relax(queue);
    }
    turn
}

/// Lends a priority to the owner of a mutex, and along the chain of those that it waits for. Steps:
/// these.
fn raise(mut next: Option<&'static OsThread>, priority: i32) {
    while let Some(thread) = next
        && thread.effective_priority() < priority
        && let Some(task) = thread.task().get()
    {
        task.inherited.set(priority);
        let _ = thread.set_priority(thread.priority());
        next = awaited(thread).and_then(owner);
    }
}

/// Takes back the priority that a mutex's owner has inherited from a waiter that does not wait any
/// more, if the owner holds no other mutex: otherwise FreeRTOS keeps it. Steps: all threads, for
/// each of the chain.
fn relax(queue: &'static OsQueue) {
    let mut next = Some(queue);
    while let Some(queue) = next
        && let Some(thread) = owner(queue)
        && let Some(task) = thread.task().get()
        && task.held.get().is_some_and(|held| ptr::eq(held, queue))
        && queue
            .ownership()
            .is_some_and(|own| own.before.get().is_none())
    {
        let mut most = 0;
        masked(|| {
            for_each_living(|waiter| {
                if awaited(waiter).is_some_and(|awaited| ptr::eq(awaited, queue)) {
                    most = most.max(waiter.lent_priority());
                }
            });
        });
        let inherited = if most > thread.priority() { most } else { 0 };
        if task.inherited.replace(inherited) == inherited {
            return;
        }
        let _ = thread.set_priority(thread.priority());
        next = task.waits_for.get();
    }
}
