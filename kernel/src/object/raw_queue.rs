//! Owns: message queues with sizes that are known at run time, in memory that a caller gives, with
//! a priority for each message. Must never know: the meaning of the messages.
#![expect(
    unsafe_code,
    reason = "messages are bytes at addresses, in links of the queue's memory"
)]

use crate::critical_section::{CriticalSection, Guarded, Operation};
use crate::object::copy::copy_words;
use crate::object::deletion::{self, Deletable};
use crate::object::poll::{Alternative, Answers, Branch, Done};
use crate::sched::{IntoResult, OutcomeOf, fail, hold, stay};
use crate::thread::tcb::ThreadRef;
use crate::wait::Place;
use crate::wait::transfer::{Lent, Transaction, Waiters, transact};
use crate::{Error, Kernel, Status, System, Timeout};
use core::cell::Cell;
use core::hint::black_box;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

/// A queue of messages of one size, which are copied in and out. Those of a higher priority (255 is
/// the highest) come out first, those of one priority in the order in which they went in.
///
/// A message that is sent while threads wait for one goes straight to the most urgent of them,
/// first come first served among equals: one copy. When the queue is full, senders wait in the same
/// order; each receive then takes the message of the first of them into the queue and wakes it. The
/// copies are made with kernel-level interrupts masked: for long messages send references.
#[repr(C)]
pub struct RawQueue<S> {
    receivers: Waiters<Landing>,
    senders: Waiters<Offer>,
    /// The messages, by the order in which they come out; the last is meaningless where there is
    /// no first.
    first: Guarded<*mut Slot>,
    last: Guarded<*mut Slot>,
    /// The slots without a message.
    free: Guarded<*mut Slot>,
    used: Guarded<usize>,
    deleted: Guarded<bool>,
    size: usize,
    count: usize,
    system: PhantomData<fn() -> S>,
}

/// The head of a message in the queue's memory.
#[repr(C)]
struct Slot {
    next: *mut Slot,
    priority: usize,
}

/// The message of a thread that waits to send, and its priority.
struct Offer {
    message: *const u8,
    priority: usize,
}

/// The priority of an offer that is to come before all messages, and the one that it has once it is
/// in the queue: above all that senders can name, and not above the next of its kind.
const BEFORE_ALL: usize = usize::MAX;
const IN_FRONT: usize = usize::MAX - 1;

/// Where a thread that waits to receive wants its message.
struct Landing {
    message: *mut u8,
    priority: Cell<usize>,
    /// Whether the message stays in the queue.
    looks: bool,
}

impl Landing {
    fn new(message: &mut [u8], looks: bool) -> Self {
        Self {
            message: message.as_mut_ptr(),
            priority: Cell::new(0),
            looks,
        }
    }
}

const WORD: usize = size_of::<usize>();

/// Copies `size` bytes: word by word where both places and the size allow it.
///
/// # Safety
/// Both can be accessed, and do not overlap.
#[inline(always)]
unsafe fn copy_message(from: *const u8, to: *mut u8, size: usize) {
    if !(from.addr() | to.addr() | size).is_multiple_of(size_of::<u32>()) {
        // SAFETY: the caller's contract.
        return unsafe { copy_bytes(from, to, size) };
    }
    // SAFETY: the caller's contract; all are multiples of a word.
    unsafe { copy_aligned(from, to, size) }
}

/// [`copy_message`] if both places and the size are multiples of a word of 32 bits.
///
/// # Safety
/// As for [`copy_message`], and they are.
#[inline(always)]
unsafe fn copy_aligned(from: *const u8, to: *mut u8, size: usize) {
    let (mut from, mut to, mut left) = (from, to, size);
    // SAFETY: the caller's contract; of `left` bytes 16, 8 and 4 are copied at once.
    unsafe {
        while left >= 16 {
            copy_words(from.cast(), to.cast(), 4);
            (from, to, left) = (from.add(16), to.add(16), left - 16);
            // Once is enough: the compiler would lay the loop out eight times, and save registers
            // for that.
            black_box(());
        }
        if left == 0 {
            return;
        }
        if left & 8 != 0 {
            copy_words(from.cast(), to.cast(), 2);
            (from, to) = (from.add(8), to.add(8));
        }
        if left & 4 != 0 {
            copy_words(from.cast(), to.cast(), 1);
        }
    }
}

/// # Safety
/// As for [`copy_message`].
#[cold]
#[inline(never)]
unsafe fn copy_bytes(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: the caller's contract.
    unsafe { ptr::copy_nonoverlapping(from, to, size) }
}

impl Slot {
    /// The message of the slot.
    ///
    /// # Safety
    /// The slot is one of a queue's memory.
    #[inline(always)]
    unsafe fn message(slot: *mut Slot) -> *mut u8 {
        // SAFETY: after each slot of that memory there is space for a message.
        unsafe { slot.add(1).cast() }
    }
}

impl<S: System> RawQueue<S> {
    /// How many words of memory a queue of `count` messages of `size` bytes needs; none where that
    /// is more than there can be, or one of them is 0.
    pub const fn words(size: usize, count: usize) -> Option<usize> {
        if size == 0 || count == 0 || size > isize::MAX as usize / 2 {
            return None;
        }
        (size.div_ceil(WORD) + size_of::<Slot>() / WORD).checked_mul(count)
    }

    /// An empty queue for `count` messages of `size` bytes in `memory`. Bound: one step a message.
    /// Errors: `Parameter` where there is no such queue; `NoMemory` where it does not fit.
    pub fn new(
        memory: &'static mut [MaybeUninit<usize>],
        size: usize,
        count: usize,
    ) -> Result<Self, Error> {
        let words = Self::words(size, count).ok_or(Error::Parameter)?;
        if memory.len() < words {
            return Err(Error::NoMemory);
        }
        let first = NonNull::from(memory).cast::<usize>().as_ptr();
        let mut free = ptr::null_mut();
        for number in (0..count).rev() {
            // SAFETY: within the memory, at a multiple of a word.
            unsafe {
                let slot = first.add(number * (words / count)).cast::<Slot>();
                slot.write(Slot {
                    next: free,
                    priority: 0,
                });
                free = slot;
            }
        }
        Ok(Self {
            receivers: Waiters::new(),
            senders: Waiters::new(),
            first: Guarded::new(ptr::null_mut()),
            last: Guarded::new(ptr::null_mut()),
            free: Guarded::new(free),
            used: Guarded::new(0),
            deleted: Guarded::new(false),
            size,
            count,
            system: PhantomData,
        })
    }

    /// Sends a copy of `message`, waiting for room as long as `timeout` says. Allowed in interrupt
    /// handlers at the kernel's level, with [`Timeout::NONE`].
    ///
    /// Bound without waiting: one copy, and one step for each message of at least the same priority
    /// where one of a lower priority is in the queue (and the removal of the receiver's
    /// time-out, if it has one). Errors, the message not being sent: `Parameter` where it is
    /// not of the queue's size, `Timeout`, `WouldBlock`, `Deleted`, `Cancelled`; `Context` in an
    /// interrupt handler where the queue is full (or deleted).
    #[inline(always)]
    pub fn send(
        &'static self,
        message: &[u8],
        priority: u8,
        timeout: Timeout,
    ) -> Result<(), Error> {
        self.offer(message, priority.into(), timeout)
    }

    /// Sends a copy of `message`, if no thread waits for one, there is room, no message of a lower
    /// priority is there, and the message and its size are multiples of a word of 32 bits;
    /// whether it did. Then that is what [`RawQueue::send`] does, in code that calls nothing
    /// and switches no threads: the function around it saves fewer registers. Never waits; allowed
    /// in interrupt handlers at the kernel's level. Bound: one copy.
    #[inline(always)]
    pub fn send_at_once(&'static self, message: &[u8], priority: u8) -> bool {
        // Properties that do not change are checked before the section.
        if message.len() != self.size || !self.is_aligned(message.as_ptr()) {
            return false;
        }
        let held = hold::<S>();
        let cs = held.section();
        let offer = Offer {
            message: message.as_ptr(),
            priority: priority.into(),
        };
        self.receivers.is_empty(cs) && self.put_at_once(cs, &offer)
    }

    /// As [`RawQueue::send`], but the message comes before all that are in the queue, whatever
    /// their priority; among those of waiting senders it is the first, too, once it is its sender's
    /// turn. A receiver gets the priority 254.
    pub fn send_first(&'static self, message: &[u8], timeout: Timeout) -> Result<(), Error> {
        self.offer(message, BEFORE_ALL, timeout)
    }

    #[inline(always)]
    fn offer(
        &'static self,
        message: &[u8],
        priority: usize,
        timeout: Timeout,
    ) -> Result<(), Error> {
        if message.len() != self.size {
            return Err(Error::Parameter);
        }
        let held = hold::<S>();
        let cs = held.section();
        let offer = Offer {
            message: message.as_ptr(),
            priority,
        };
        if !self.receivers.is_empty(cs) {
            return transact::<S, Deliver<S>>(held, self, &offer, Timeout::NONE).done();
        }
        if self.put(cs, &offer) {
            return Ok(());
        }
        transact::<S, AwaitRoom<S>>(held, self, &offer, timeout).into_result::<S>()
    }

    /// Sends a copy of `message` with the priority 0; where the queue is full, in the place of the
    /// last message that is in it. Never waits; allowed in interrupt handlers at the kernel's
    /// level.
    ///
    /// Bound: as [`RawQueue::send`]. Errors: `Parameter` where `message` is not of the queue's
    /// size, `Deleted`.
    pub fn replace(&'static self, message: &[u8]) -> Result<(), Error> {
        if message.len() != self.size {
            return Err(Error::Parameter);
        }
        let held = hold::<S>();
        let cs = held.section();
        let offer = Offer {
            message: message.as_ptr(),
            priority: 0,
        };
        if !self.receivers.is_empty(cs) {
            return transact::<S, Deliver<S>>(held, self, &offer, Timeout::NONE).done();
        }
        if self.put(cs, &offer) {
            return Ok(());
        }
        if self.deleted.get(cs) {
            return Err(Error::Deleted);
        }
        // SAFETY: a queue that is not deleted and has no room has a last message; the new one is of
        // the queue's size.
        unsafe { copy_message(offer.message, Slot::message(self.last.get(cs)), self.size) };
        Ok(())
    }

    /// Takes the next message out into `message`, waiting for one as long as `timeout` says, and
    /// names its priority. Allowed in interrupt handlers at the kernel's level, with
    /// [`Timeout::NONE`].
    ///
    /// Bound without waiting: one copy; two where a sender waits, and the steps of
    /// [`RawQueue::send`]. Errors, no message being taken: `Parameter` where `message` is not
    /// of the queue's size, `Timeout`, `WouldBlock`, `Deleted`, `Cancelled`; `Context`
    /// in an interrupt handler where the queue is empty (or deleted).
    #[inline(always)]
    pub fn receive(&'static self, message: &mut [u8], timeout: Timeout) -> Result<u8, Error> {
        if message.len() != self.size {
            return Err(Error::Parameter);
        }
        let held = hold::<S>();
        let cs = held.section();
        let landing = Landing::new(message, false);
        if self.take(cs, &landing) {
            if !self.senders.is_empty(cs) {
                held.enter::<Refill<S>>(self, 0, Timeout::NONE);
            }
            return Ok(landing.priority.get() as u8);
        }
        transact::<S, Await<S>>(held, self, &landing, timeout).into_result::<S>()?;
        Ok(landing.priority.get() as u8)
    }

    /// Takes the next message out into `message`, if there is one, no thread waits to send, and the
    /// place and the size are multiples of a word of 32 bits; names its priority. It is to
    /// [`RawQueue::receive`] what [`RawQueue::send_at_once`] is to [`RawQueue::send`]. Never waits;
    /// allowed in interrupt handlers at the kernel's level. Bound: one copy.
    #[inline(always)]
    pub fn receive_at_once(&'static self, message: &mut [u8]) -> Option<u8> {
        if message.len() != self.size || !self.is_aligned(message.as_ptr()) {
            return None;
        }
        let held = hold::<S>();
        let cs = held.section();
        let slot = self.first.get(cs);
        if slot.is_null() || !self.senders.is_empty(cs) {
            return None;
        }
        // SAFETY: the first slot is one of the queue, and is located at a multiple of a word; the
        // place is of the size of its messages.
        let priority = unsafe {
            copy_aligned(Slot::message(slot), message.as_mut_ptr(), self.size);
            (*slot).priority
        };
        self.remove_first(cs, slot);
        Some(priority as u8)
    }

    /// As [`RawQueue::receive`], but the message stays in the queue: the next receiver gets it,
    /// too. Threads that wait here get the next message that is sent, each before the first
    /// that waits to receive it and is less urgent.
    ///
    /// Bound without waiting: one copy. Errors: as [`RawQueue::receive`].
    pub fn peek(&'static self, message: &mut [u8], timeout: Timeout) -> Result<u8, Error> {
        if message.len() != self.size {
            return Err(Error::Parameter);
        }
        let held = hold::<S>();
        let cs = held.section();
        let landing = Landing::new(message, true);
        if self.look(cs, &landing) {
            return Ok(landing.priority.get() as u8);
        }
        transact::<S, Await<S>>(held, self, &landing, timeout).into_result::<S>()?;
        Ok(landing.priority.get() as u8)
    }

    /// Copies the next message, if there is one, and leaves it there.
    #[inline(always)]
    fn look(&self, cs: CriticalSection<'_>, landing: &Landing) -> bool {
        let slot = self.first.get(cs);
        if slot.is_null() {
            return false;
        }
        // SAFETY: the first slot is one of the queue; the landing is of the size of its messages,
        // and is located elsewhere.
        unsafe {
            copy_message(Slot::message(slot), landing.message, self.size);
            landing.priority.set((*slot).priority);
        }
        true
    }

    /// Gives a message to the first thread that waits for one. Returns this thread, which is to be
    /// woken, and whether it only looks.
    #[inline(always)]
    fn hand_over(&self, cs: CriticalSection<'_>, offer: &Offer) -> Option<(ThreadRef, bool)> {
        let (thread, landing) = self.receivers.first(cs)?;
        landing.priority.set(offer.priority.min(IN_FRONT));
        // SAFETY: both are of the size of the queue's messages; each is lent by its thread, which
        // is inside its call.
        unsafe { copy_message(offer.message, landing.message, self.size) };
        let looks = landing.looks;
        self.receivers.pop(cs, thread);
        Some((thread, looks))
    }

    /// Gives a message, which a first thread has only read, to the threads after it up to the first
    /// that takes it away. If there is none, puts it in: there is space, since the queue was empty
    /// while they waited.
    #[cold]
    fn hand_over_behind_lookers(&self, cs: CriticalSection<'_>, offer: &Offer) {
        while let Some((thread, looks)) = self.hand_over(cs, offer) {
            S::kernel().wake(cs, thread);
            if !looks {
                return;
            }
        }
        self.put(cs, offer);
    }

    /// Puts a message in, if there is room.
    #[inline(always)]
    fn put(&self, cs: CriticalSection<'_>, offer: &Offer) -> bool {
        let slot = self.free.get(cs);
        if slot.is_null() {
            return false;
        }
        // SAFETY: slots in the list of free ones are the queue's; the message is of its size, and
        // is located elsewhere.
        unsafe {
            copy_message(offer.message, Slot::message(slot), self.size);
            self.free.set(cs, (*slot).next);
            (*slot).priority = offer.priority.min(IN_FRONT);
            (*slot).next = ptr::null_mut();
        }
        self.used.set(cs, self.used.get(cs) + 1);
        match self.comes_last(cs, offer.priority) {
            true => self.append(cs, slot),
            false => self.insert(cs, slot, offer.priority),
        }
        true
    }

    /// [`RawQueue::put`] without calls: only if all are multiples of a word, and the message is to
    /// come out last.
    #[inline(always)]
    fn put_at_once(&self, cs: CriticalSection<'_>, offer: &Offer) -> bool {
        let slot = self.free.get(cs);
        if slot.is_null() || !self.comes_last(cs, offer.priority) {
            return false;
        }
        // SAFETY: as in `put`; slots lie at multiples of a word.
        unsafe {
            copy_aligned(offer.message, Slot::message(slot), self.size);
            self.free.set(cs, (*slot).next);
            (*slot).priority = offer.priority;
            (*slot).next = ptr::null_mut();
        }
        self.used.set(cs, self.used.get(cs) + 1);
        self.append(cs, slot);
        true
    }

    /// Whether a place and the size of messages are multiples of a word of 32 bits.
    #[inline(always)]
    fn is_aligned(&self, place: *const u8) -> bool {
        (place.addr() | self.size).is_multiple_of(size_of::<u32>())
    }

    /// Returns whether a message of this priority comes out after all that are there.
    #[inline(always)]
    fn comes_last(&self, cs: CriticalSection<'_>, priority: usize) -> bool {
        // SAFETY: where there is a first slot, the last one is one.
        self.first.get(cs).is_null() || unsafe { (*self.last.get(cs)).priority } >= priority
    }

    /// Puts `slot` after all messages.
    #[inline(always)]
    fn append(&self, cs: CriticalSection<'_>, slot: *mut Slot) {
        if self.first.get(cs).is_null() {
            self.first.set(cs, slot);
        } else {
            // SAFETY: there is a first slot, so the last one is one.
            unsafe { (*self.last.get(cs)).next = slot };
        }
        self.last.set(cs, slot);
    }

    /// Puts `slot` before the first message of a lower priority; there is one.
    #[cold]
    #[inline(never)]
    fn insert(&self, cs: CriticalSection<'_>, slot: *mut Slot, priority: usize) {
        // SAFETY: all are slots of the queue; the last one ends the walk.
        unsafe {
            let mut before = ptr::null_mut::<Slot>();
            let mut behind = self.first.get(cs);
            while (*behind).priority >= priority {
                before = behind;
                behind = (*behind).next;
            }
            (*slot).next = behind;
            if before.is_null() {
                self.first.set(cs, slot);
            } else {
                (*before).next = slot;
            }
        }
    }

    /// Takes the next message out, if there is one.
    #[inline(always)]
    fn take(&self, cs: CriticalSection<'_>, landing: &Landing) -> bool {
        let slot = self.first.get(cs);
        if !self.look(cs, landing) {
            return false;
        }
        self.remove_first(cs, slot);
        true
    }

    /// Makes the first slot a free one.
    #[inline(always)]
    fn remove_first(&self, cs: CriticalSection<'_>, slot: *mut Slot) {
        // SAFETY: there is a first slot.
        unsafe {
            self.first.set(cs, (*slot).next);
            (*slot).next = self.free.get(cs);
        }
        self.free.set(cs, slot);
        self.used.set(cs, self.used.get(cs) - 1);
    }

    /// Throws away all messages; those of threads that wait to send come in. Allowed in interrupt
    /// handlers. Bound: one wake for each sender that comes in. Errors: `Deleted`.
    pub fn reset(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<Reset<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// How many messages there is room for.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// How many bytes a message has.
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The number of messages in the queue, those of waiting senders not counted. Allowed in
    /// interrupt handlers. Bound: fixed.
    pub fn len(&'static self) -> usize {
        self.used.get(hold::<S>().section())
    }

    /// Whether there is no message. Allowed in interrupt handlers. Bound: fixed.
    pub fn is_empty(&'static self) -> bool {
        self.len() == 0
    }

    /// Deletes the queue and the messages in it: threads that wait to send or to receive get
    /// `Deleted`, and so does each later call. The memory is no longer the queue's. Allowed in
    /// interrupt handlers.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }
}

/// A message, as one of several things that a thread waits for.
pub struct RawReceiving<'a, S: 'static> {
    queue: &'static RawQueue<S>,
    landing: Landing,
    length: usize,
    message: PhantomData<&'a mut [u8]>,
}

impl<S: System> RawQueue<S> {
    /// Returns [`RawQueue::receive`] as one of several things that a thread waits for: see
    /// [`Kernel::poll`]. The answer is the priority of the message, which is then in `message`.
    pub fn receiving<'a>(&'static self, message: &'a mut [u8]) -> Branch<S, RawReceiving<'a, S>> {
        Branch::new(RawReceiving {
            queue: self,
            length: message.len(),
            landing: Landing::new(message, false),
            message: PhantomData,
        })
    }
}

impl<S> Answers for RawReceiving<'_, S> {
    type Answer = u8;

    fn answer(&self, _: Done) -> u8 {
        self.landing.priority.get() as u8
    }
}

impl<S: System> Alternative<S> for RawReceiving<'_, S> {
    fn place(this: Lent<'_, Self>) -> Place {
        this.queue.receivers.place(this.part(|this| &this.landing))
    }

    /// A place that is not of the queue's size is refused, which needs no wait.
    fn is_due(&self, cs: CriticalSection<'_>) -> bool {
        self.length != self.queue.size || self.queue.used.get(cs) > 0 || self.queue.deleted.get(cs)
    }

    fn conclude(this: Lent<'_, Self>, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        if this.length != this.queue.size {
            return fail::<S>(Error::Parameter);
        }
        if !this.queue.take(cs, &this.landing) {
            return fail::<S>(Error::Deleted);
        }
        Refill::<S>::run(cs, this.queue, 0, Timeout::NONE)
    }
}

impl<S: System> Deletable for RawQueue<S> {
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.deleted.get(cs)
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.deleted.set(cs, true);
        self.first.set(cs, ptr::null_mut());
        self.free.set(cs, ptr::null_mut());
        self.used.set(cs, 0);
        self.receivers.flush::<S>(cs, Error::Deleted);
        self.senders.flush::<S>(cs, Error::Deleted);
    }
}

/// Gives a message to the most urgent of the threads that wait for one, and to threads that only
/// look and are more urgent. At least one thread waits.
struct Deliver<S>(PhantomData<S>);

impl<S: System> Transaction<S> for Deliver<S> {
    type Object = RawQueue<S>;
    type Record = Offer;
    const BLOCKS: bool = false;
    const USES_TIMEOUT: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        queue: &'static RawQueue<S>,
        offer: Lent<'_, Offer>,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let Some((thread, looks)) = queue.hand_over(cs, &offer) else {
            return stay::<S>(Status::OK);
        };
        if !looks {
            return S::kernel().conclude_by_waking(cs, thread);
        }
        S::kernel().wake(cs, thread);
        queue.hand_over_behind_lookers(cs, &offer);
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}

struct Await<S>(PhantomData<S>);

impl<S: System> Transaction<S> for Await<S> {
    type Object = RawQueue<S>;
    type Record = Landing;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        queue: &'static RawQueue<S>,
        landing: Lent<'_, Landing>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if queue.deleted.get(cs) {
            return fail::<S>(Error::Deleted);
        }
        queue.receivers.block::<S, false>(cs, landing, timeout)
    }
}

struct AwaitRoom<S>(PhantomData<S>);

impl<S: System> Transaction<S> for AwaitRoom<S> {
    type Object = RawQueue<S>;
    type Record = Offer;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        queue: &'static RawQueue<S>,
        offer: Lent<'_, Offer>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if queue.deleted.get(cs) {
            return fail::<S>(Error::Deleted);
        }
        queue.senders.block::<S, false>(cs, offer, timeout)
    }
}

/// Takes the message of the first waiting sender into the room that a receive has made.
struct Refill<S>(PhantomData<S>);

impl<S: System> Operation<S> for Refill<S> {
    type Object = RawQueue<S>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        queue: &'static RawQueue<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let Some((thread, offer)) = queue.senders.first(cs) else {
            return stay::<S>(Status::OK);
        };
        queue.put(cs, offer);
        queue.senders.pop(cs, thread);
        S::kernel().conclude_by_waking(cs, thread)
    }
}

struct Reset<S>(PhantomData<S>);

impl<S: System> Operation<S> for Reset<S> {
    type Object = RawQueue<S>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        queue: &'static RawQueue<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        if queue.deleted.get(cs) {
            return fail::<S>(Error::Deleted);
        }
        let first = queue.first.get(cs);
        if !first.is_null() {
            // SAFETY: there is a first slot, so the last one is one.
            unsafe { (*queue.last.get(cs)).next = queue.free.get(cs) };
            queue.free.set(cs, first);
            queue.first.set(cs, ptr::null_mut());
            queue.used.set(cs, 0);
        }
        while let Some((thread, offer)) = queue.senders.first(cs)
            && queue.put(cs, offer)
        {
            queue.senders.pop(cs, thread);
            S::kernel().wake(cs, thread);
        }
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}
