//! Owns: what a thread waits for, and the one type of wait queue: by priority, first in first out
//! among equals. Must never know: what the waiting is good for.
#![expect(
    unsafe_code,
    reason = "turns the address that a thread waits on back into the object"
)]

pub(crate) mod inherit;
pub(crate) mod stand_in;
pub(crate) mod timeout_queue;
pub(crate) mod transfer;

use crate::critical_section::{CriticalSection, Guarded};
use crate::object::mutex::MutexCore;
use crate::thread::tcb::{Tcb, ThreadRef};
use core::ptr;
use taktos_abi::layout::wait::{
    self, ALONE, CALL, JOIN, KIND, MUTEX, QUEUE_KIND, RECEIVE, REPLY, SEND,
};
use taktos_schedule::{Priority, Ring};

#[cfg(test)]
mod tests;

/// The object of a thread's wait, in one word: its address and, in the low three bits, its kind.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Wait(usize);

/// A [`Wait`] taken apart.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// Nothing: the thread is ready, or only suspended.
    Nothing,
    /// It is in the wait queue of an object.
    Queue(&'static WaitQueue),
    /// It is in the wait queue of a mutex.
    Mutex(&'static MutexCore),
    /// A message from that thread.
    Receive(ThreadRef),
    /// A message from any thread.
    ReceiveAny,
    /// It sends to that thread, and is among its waiters.
    Send(ThreadRef),
    /// It calls that thread, which has not received yet; it is among its waiters.
    Call(ThreadRef),
    /// That thread's reply; it is among its waiters.
    Reply(ThreadRef),
    /// That thread's end; it is among its waiters.
    Join(ThreadRef),
    /// Time alone.
    Sleep,
    /// A notification, or that the processor which has its registers lets go of them: it is in no
    /// queue.
    Notification,
    /// A cluster mutex: it is in the scheduler's queues.
    Lock,
    /// The first of several objects: it is in no queue, but its stand-ins are.
    Poll,
    /// To be started.
    Dormant,
    /// To be created.
    NonExistent,
}

// Control blocks and mutexes are at multiples of eight, wait queues at multiples of four: so a word
// with its two lowest bits clear is a queue's address as it is.

impl Wait {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
    /// A message from any thread.
    pub const RECEIVE_ANY: Self = Self(RECEIVE);
    /// Time alone.
    pub const SLEEP: Self = Self(wait::SLEEP);
    /// A notification.
    pub const NOTIFICATION: Self = Self(wait::NOTIFICATION);
    /// A notification that makes the thread's word another than 0.
    pub const COUNT: Self = Self(wait::COUNT);
    /// To leave the processor that has its registers.
    pub const MOVING: Self = Self(wait::MOVING);
    /// A cluster mutex.
    pub const LOCK: Self = Self(wait::LOCK);
    /// The first of several objects.
    pub const POLL: Self = Self(wait::POLL);
    /// To be started.
    pub const DORMANT: Self = Self(wait::DORMANT);
    /// To be created.
    pub const NON_EXISTENT: Self = Self(wait::NON_EXISTENT);

    /// In `queue`.
    #[inline(always)]
    pub fn queue(queue: &'static WaitQueue) -> Self {
        Self(ptr::from_ref(queue).expose_provenance())
    }

    /// For `mutex`.
    #[inline(always)]
    pub fn mutex(mutex: &'static MutexCore) -> Self {
        Self(ptr::from_ref(mutex).expose_provenance() | MUTEX)
    }

    /// For a message from `sender`.
    #[inline(always)]
    pub fn receive(sender: ThreadRef) -> Self {
        Self(sender.address() | RECEIVE)
    }

    /// To send to `receiver`.
    #[inline(always)]
    pub fn send(receiver: ThreadRef) -> Self {
        Self(receiver.address() | SEND)
    }

    /// To call `server`.
    #[inline(always)]
    pub fn call(server: ThreadRef) -> Self {
        Self(server.address() | CALL)
    }

    /// For `server`'s reply.
    #[inline(always)]
    pub fn reply(server: ThreadRef) -> Self {
        Self(server.address() | REPLY)
    }

    /// For `thread`'s end.
    pub fn join(thread: ThreadRef) -> Self {
        Self(thread.address() | JOIN)
    }

    /// The word, which is 0 for nothing alone.
    #[inline(always)]
    pub fn word(self) -> usize {
        self.0
    }

    /// Whether a notification of a thread with this wait is more than a change of its word: it was
    /// not started, or waits for several objects; and, for the price of one comparison, whether it
    /// waits for a cluster mutex.
    #[inline(always)]
    pub fn is_apart(self) -> bool {
        const DIFFERENCE: usize = wait::DORMANT ^ wait::POLL;
        const _: () = assert!(wait::NON_EXISTENT & !DIFFERENCE == wait::DORMANT);
        self.0 & !DIFFERENCE == wait::DORMANT
    }

    /// Taken apart.
    pub fn target(self) -> Target {
        if self == Self::NOTHING {
            return Target::Nothing;
        }
        if self.0 & QUEUE_KIND == 0 {
            // SAFETY: only `Wait::queue` makes a word of this kind, from a `&'static WaitQueue`.
            return Target::Queue(unsafe { &*ptr::with_exposed_provenance(self.0) });
        }
        let address = self.0 & !KIND;
        match self.0 & KIND {
            // SAFETY: only `Wait::mutex` makes a word of this kind, from a `&'static MutexCore`.
            MUTEX => Target::Mutex(unsafe { &*ptr::with_exposed_provenance(address) }),
            RECEIVE if address == 0 => Target::ReceiveAny,
            RECEIVE => Target::Receive(thread(address)),
            SEND if address < ALONE << 3 => match self {
                Self::SLEEP => Target::Sleep,
                Self::NOTIFICATION | Self::COUNT | Self::MOVING => Target::Notification,
                Self::LOCK => Target::Lock,
                Self::POLL => Target::Poll,
                Self::DORMANT => Target::Dormant,
                _ => Target::NonExistent,
            },
            SEND => Target::Send(thread(address)),
            CALL => Target::Call(thread(address)),
            REPLY => Target::Reply(thread(address)),
            _ => Target::Join(thread(address)),
        }
    }
}

/// The object of a wait, with the words that it expects of a waiting thread.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub wait: Wait,
    pub argument: usize,
    pub value: usize,
}

impl Place {
    /// In `queue`, without words.
    pub fn in_queue(queue: &'static WaitQueue) -> Self {
        Self {
            wait: Wait::queue(queue),
            argument: 0,
            value: 0,
        }
    }
}

/// Returns the thread with the [`ThreadRef::address`] `address`.
#[inline(always)]
pub(crate) fn thread(address: usize) -> ThreadRef {
    // SAFETY: the kinds of wait that hold a thread are made only by functions that take a
    // `ThreadRef`, from the address of its control block; and so are the words of a message to
    // an equal. A stand-in is a control block that is lent, and out of all queues before its lender
    // continues.
    ThreadRef(unsafe { &*ptr::with_exposed_provenance::<Tcb>(address) })
}

/// The order of threads in a wait queue: smaller keys first, equal keys in the order of arrival.
///
/// Ordinary waiters have their priority as key. Among the waiters of a thread, those that send to
/// it come first. Threads that wait for its end are after these, and threads with a call that it
/// works on are last.
pub(crate) type Key = u8;

const JOINING: Key = Priority::COUNT as Key;
const REPLYING: Key = 2 * Priority::COUNT as Key;

/// The key of `thread`, by what it waits for and by its present priority.
#[inline(always)]
fn key(cs: CriticalSection<'_>, thread: ThreadRef) -> Key {
    let priority = thread.urgency.get(cs).effective().level();
    match thread.wait.get(cs).0 & KIND {
        JOIN => JOINING,
        REPLY => REPLYING + priority,
        _ => priority,
    }
}

/// A wait queue. Threads of equal key form a ring; the first of each ring leads to the next one.
///
/// Bounds: to pop, fixed; to insert or remove, one step for each key in use before the thread's
/// own: 32 at most, and 65 for the waiters of a thread, whatever the number of threads.
#[repr(C)]
pub(crate) struct WaitQueue {
    first: Guarded<Option<ThreadRef>>,
}

impl WaitQueue {
    /// A queue without threads.
    pub const fn new() -> Self {
        Self {
            first: Guarded::new(None),
        }
    }

    /// The most urgent thread.
    #[inline(always)]
    pub fn first(&self, cs: CriticalSection) -> Option<ThreadRef> {
        self.first.get(cs)
    }

    /// Returns whether no thread waits.
    #[inline(always)]
    pub fn is_empty(&self, cs: CriticalSection<'_>) -> bool {
        self.first.get(cs).is_none()
    }

    /// The most urgent thread that neither joins nor awaits a reply: a sender or a caller.
    #[inline(always)]
    pub fn first_sender(&self, cs: CriticalSection<'_>) -> Option<ThreadRef> {
        self.first.get(cs).filter(|first| key(cs, *first) < JOINING)
    }

    /// The most urgent thread that awaits a reply. Steps: the keys in use.
    pub fn first_awaiting_reply(&self, cs: CriticalSection<'_>) -> Option<ThreadRef> {
        let mut leader = self.first.get(cs);
        while let Some(thread) = leader.filter(|thread| key(cs, *thread) < REPLYING) {
            leader = thread.group.get(cs);
        }
        leader
    }

    /// Takes out `first`, which [`WaitQueue::first`] named; it is then a ring of its own.
    #[inline(always)]
    pub fn pop(&self, cs: CriticalSection<'_>, first: ThreadRef) {
        let group = first.group.get(cs);
        if cs.is_alone(first) {
            self.first.set(cs, group);
        } else {
            self.first.set(cs, Some(promote_next(cs, first, group)));
        }
    }

    /// Puts in `thread`, a ring of its own with its wait set, after its equals.
    #[inline(always)]
    pub fn insert(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        match self.first.get(cs) {
            None => self.insert_first(cs, thread),
            Some(first) => self.insert_among(cs, thread, first),
        }
    }

    /// Puts `thread`, a ring of its own, into the queue, which is empty.
    #[inline(always)]
    pub fn insert_first(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        thread.group.set(cs, None);
        self.first.set(cs, Some(thread));
    }

    fn insert_among(&self, cs: CriticalSection<'_>, thread: ThreadRef, first: ThreadRef) {
        let own = key(cs, thread);
        let mut before = None;
        let mut leader = Some(first);
        while let Some(other) = leader {
            let others = key(cs, other);
            if others == own {
                cs.join_before(thread, other);
                return;
            }
            if others > own {
                break;
            }
            before = leader;
            leader = other.group.get(cs);
        }
        thread.group.set(cs, leader);
        self.link(cs, before, Some(thread));
    }

    /// Takes out `thread`, with the wait and priority that it was put in with; it is then a ring of
    /// its own.
    pub fn remove(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let own = key(cs, thread);
        let mut before = None;
        let mut leader = self.first.get(cs);
        while let Some(other) = leader.filter(|other| key(cs, *other) != own) {
            before = Some(other);
            leader = other.group.get(cs);
        }
        if leader != Some(thread) {
            cs.leave(thread);
            return;
        }
        let group = thread.group.get(cs);
        let successor = if cs.is_alone(thread) {
            group
        } else {
            Some(promote_next(cs, thread, group))
        };
        self.link(cs, before, successor);
    }

    #[inline(always)]
    fn link(&self, cs: CriticalSection<'_>, before: Option<ThreadRef>, leader: Option<ThreadRef>) {
        match before {
            None => self.first.set(cs, leader),
            Some(before) => before.group.set(cs, leader),
        }
    }

    /// The only thread of the queue; none if there are several, or none at all.
    #[inline(always)]
    pub fn only(&self, cs: CriticalSection<'_>) -> Option<ThreadRef> {
        self.first
            .get(cs)
            .filter(|first| cs.is_alone(*first) && first.group.get(cs).is_none())
    }

    /// Takes out the only thread.
    #[inline(always)]
    pub fn clear(&self, cs: CriticalSection<'_>) {
        self.first.set(cs, None);
    }

    /// Takes out all threads for which `chosen`, called in order, returns true, and gives each to
    /// `taken`, which may wake it. Steps: the threads.
    pub fn extract(
        &self,
        cs: CriticalSection<'_>,
        mut chosen: impl FnMut(ThreadRef) -> bool,
        mut taken: impl FnMut(ThreadRef),
    ) {
        let mut before = None;
        let mut leader = self.first.get(cs);
        while let Some(first) = leader {
            leader = first.group.get(cs);
            let remaining = extract_from_ring(cs, first, &mut chosen, &mut taken);
            if let Some(remaining) = remaining {
                remaining.group.set(cs, leader);
            }
            self.link(cs, before, remaining.or(leader));
            before = remaining.or(before);
        }
    }

    /// Returns whether `visit`, called in order, returns true for a thread; it stops there. Steps:
    /// the threads.
    pub fn any(&self, cs: CriticalSection<'_>, mut visit: impl FnMut(ThreadRef) -> bool) -> bool {
        let mut leader = self.first.get(cs);
        while let Some(first) = leader {
            let mut thread = first;
            loop {
                if visit(thread) {
                    return true;
                }
                thread = taktos_schedule::Links::next(&cs, thread);
                if thread == first {
                    break;
                }
            }
            leader = first.group.get(cs);
        }
        false
    }
}

/// Takes `leader` out of its ring; the next of the ring leads in its place, and is named.
fn promote_next(cs: CriticalSection<'_>, leader: ThreadRef, group: Option<ThreadRef>) -> ThreadRef {
    let next = taktos_schedule::Links::next(&cs, leader);
    next.group.set(cs, group);
    cs.leave(leader);
    next
}

/// Does the work of [`WaitQueue::extract`] for the ring that `first` leads; names the first that
/// stays.
fn extract_from_ring(
    cs: CriticalSection<'_>,
    first: ThreadRef,
    chosen: &mut impl FnMut(ThreadRef) -> bool,
    taken: &mut impl FnMut(ThreadRef),
) -> Option<ThreadRef> {
    let last = taktos_schedule::Links::previous(&cs, first);
    let mut remaining = None;
    let mut thread = first;
    loop {
        let next = taktos_schedule::Links::next(&cs, thread);
        if chosen(thread) {
            cs.leave(thread);
            taken(thread);
        } else {
            remaining = remaining.or(Some(thread));
        }
        if thread == last {
            return remaining;
        }
        thread = next;
    }
}
