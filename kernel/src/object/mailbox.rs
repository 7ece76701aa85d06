//! Owns: mailboxes: letters from thread to thread, by name or to any receiver, transferred directly
//! or left in a slot. Must never know: the content of the letters.

use crate::critical_section::{CriticalSection, Held, Operation};
use crate::object::deletion::{self, Deletable};
use crate::object::ring::Ring;
use crate::sched::{IntoResult, OutcomeOf, fail, hold, refuse_to_wait, stay};
use crate::thread::AnyThread;
use crate::thread::tcb::ThreadRef;
use crate::wait::Wait;
use crate::wait::transfer::{Lent, Transaction, Waiters, transact};
use crate::{Error, Kernel, Status, System, Timeout};
use core::cell::Cell;
use core::marker::PhantomData;
use taktos_machine::Machine;

/// The threads with which a letter may be exchanged.
pub enum Partner<S: 'static> {
    /// With anyone.
    Any,
    /// With this thread alone.
    Only(&'static AnyThread<S>),
}

impl<S> Clone for Partner<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Partner<S> {}

impl<S: System> Partner<S> {
    #[inline(always)]
    fn thread(self) -> Option<ThreadRef> {
        match self {
            Self::Any => None,
            Self::Only(thread) => Some(thread.reference()),
        }
    }
}

/// A message that a mailbox delivers, and its sender.
pub struct Letter<S: 'static, T> {
    /// The message that was sent.
    pub message: T,
    /// The sender; none if an interrupt handler sent the message.
    pub sender: Option<&'static AnyThread<S>>,
}

/// A letter on its way.
#[derive(Clone, Copy)]
struct Mail<T> {
    message: T,
    from: Option<ThreadRef>,
    to: Option<ThreadRef>,
}

impl<T> Mail<T> {
    /// Whether it is for `receiver`, which wants one from `wanted`, or from anyone.
    #[inline(always)]
    fn suits(&self, receiver: ThreadRef, wanted: Option<ThreadRef>) -> bool {
        self.to.is_none_or(|to| to == receiver) && (wanted.is_none() || self.from == wanted)
    }
}

/// The request of a waiting receiver, and the place for its letter.
struct Request<T> {
    wanted: Option<ThreadRef>,
    answer: Cell<Option<Mail<T>>>,
}

/// A mailbox for letters with messages of the type `T`, and slots for `N` letters that were posted.
///
/// A sender names the receiver, or lets any thread have its letter; a receiver names the sender, or
/// takes a letter from any thread. [`Mailbox::send`] is synchronous: it is over when a receiver has
/// the message. [`Mailbox::post`] is asynchronous: it leaves the letter in a slot, if no receiver
/// waits for it, and returns.
///
/// A letter goes to the most urgent waiting receiver that it suits. A receiver gets, of the letters
/// that suit it, the oldest one in a slot; else that of the most urgent thread that waits for a
/// slot; else that of the most urgent thread that sends. First come, first served among equals. So
/// letters from one thread to another keep their order. A thread that is named as partner must have
/// been created when the call has to wait; that it ends afterwards is not noticed: limit the wait.
/// A letter in a slot stays there until a receiver that it suits takes it.
#[repr(C)]
pub struct Mailbox<S, T, const N: usize> {
    receivers: Waiters<Request<T>>,
    /// Threads with a letter that a receiver is to take.
    senders: Waiters<Mail<T>>,
    /// Threads with a letter that is to be put into a slot.
    posters: Waiters<Mail<T>>,
    slots: Ring<Mail<T>, N>,
    system: PhantomData<fn() -> S>,
}

impl<S: System, T: Copy + Send + 'static, const N: usize> Mailbox<S, T, N> {
    /// An empty mailbox.
    ///
    /// # Panics
    /// If `N` is 0 or above 32,767: for a static, when it is compiled.
    pub const fn new() -> Self {
        Self {
            receivers: Waiters::new(),
            senders: Waiters::new(),
            posters: Waiters::new(),
            slots: Ring::new(),
            system: PhantomData,
        }
    }

    /// Sends `message` to `to`, and waits as long as `timeout` says until a receiver has it.
    ///
    /// Bound without waiting: one step for each receiver that waits for other letters and is more
    /// urgent than the one that gets this, one copy. Errors, the message not being delivered:
    /// `Timeout`, `WouldBlock`, `Deleted` (also if `to` does not exist), `Cancelled`;
    /// `Deadlock` if `to` is the caller; `Context` in an interrupt handler, unless a receiver
    /// waits.
    pub fn send(&'static self, message: &T, to: Partner<S>, timeout: Timeout) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let mail = Self::mail(cs, message, to);
        if let Some(receiver) = self.receiver_for(cs, &mail) {
            return self.deliver(held, mail, receiver);
        }
        transact::<S, AwaitReceiver<S, T, N>>(held, self, &mail, timeout).into_result::<S>()
    }

    /// Sends `message` to `to` without waiting for a receiver: the letter goes into a slot, if no
    /// receiver waits for it. Waits for a free slot as long as `timeout` says. Allowed in
    /// interrupt handlers at the kernel's level, with [`Timeout::NONE`]; the letter then has no
    /// sender.
    ///
    /// Bound without waiting: as [`Mailbox::send`]. Errors, the message being neither delivered nor
    /// kept: `Timeout`, `WouldBlock`, `Deleted`, `Cancelled`; `Context` in an interrupt handler
    /// where no slot is free (or the mailbox is deleted).
    pub fn post(&'static self, message: &T, to: Partner<S>, timeout: Timeout) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let mail = Self::mail(cs, message, to);
        if let Some(receiver) = self.receiver_for(cs, &mail) {
            return self.deliver(held, mail, receiver);
        }
        if self.slots.put(cs, &mail) {
            return Ok(());
        }
        transact::<S, AwaitSlot<S, T, N>>(held, self, &mail, timeout).into_result::<S>()
    }

    /// Receives a letter from `from`, waiting for one as long as `timeout` says.
    ///
    /// Bound without waiting: the slots, and the threads that send or post; fixed where the oldest
    /// letter in a slot, or that of the most urgent of those threads, suits. Errors: `Timeout`,
    /// `WouldBlock`, `Deleted` (also if `from` does not exist), `Cancelled`; `Deadlock` if
    /// `from` is the caller; `Context` in an interrupt handler.
    pub fn receive(
        &'static self,
        from: Partner<S>,
        timeout: Timeout,
    ) -> Result<Letter<S, T>, Error> {
        let held = hold::<S>();
        let cs = held.section();
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        let receiver = Kernel::<S>::running().current(cs);
        let wanted = from.thread();
        if let Some(mail) = self
            .slots
            .take_first(cs, |mail| mail.suits(receiver, wanted))
        {
            if !self.posters.is_empty(cs) {
                held.enter::<Refill<S, T, N>>(self, 0, Timeout::NONE);
            }
            return Ok(mail.into());
        }
        if let Some((sender, mail)) = self.sender_for(cs, receiver, wanted) {
            transact::<S, Release<S, T, N>>(held, self, &sender, Timeout::NONE);
            return Ok(mail.into());
        }
        self.wait_for_letter(held, wanted, timeout)
    }

    fn deliver(
        &'static self,
        held: Held<S>,
        mail: Mail<T>,
        receiver: ThreadRef,
    ) -> Result<(), Error> {
        let delivery = Delivery { mail, receiver };
        transact::<S, Deliver<S, T, N>>(held, self, &delivery, Timeout::NONE);
        Ok(())
    }

    fn wait_for_letter(
        &'static self,
        held: Held<S>,
        wanted: Option<ThreadRef>,
        timeout: Timeout,
    ) -> Result<Letter<S, T>, Error> {
        let request = Request {
            wanted,
            answer: Cell::new(None),
        };
        transact::<S, AwaitLetter<S, T, N>>(held, self, &request, timeout).into_result::<S>()?;
        // A wake of a receiver with success comes with a letter for it.
        request.answer.get().map(Letter::from).ok_or(Error::State)
    }

    /// The number of letters in slots. Allowed in interrupt handlers. Bound: fixed.
    pub fn len(&'static self) -> usize {
        self.slots.len(hold::<S>().section())
    }

    /// Whether there is no letter in a slot. Allowed in interrupt handlers. Bound: fixed.
    pub fn is_empty(&'static self) -> bool {
        self.len() == 0
    }

    /// Deletes the mailbox and the letters in its slots: all threads that wait at it get `Deleted`,
    /// and so does each later call. Allowed in interrupt handlers.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }

    /// Makes a deleted mailbox an empty one. Bound: fixed. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        self.slots.renew(hold::<S>().section())
    }

    #[inline(always)]
    fn mail(cs: CriticalSection<'_>, message: &T, to: Partner<S>) -> Mail<T> {
        let current = Kernel::<S>::running().current(cs);
        let from = if S::Machine::in_interrupt() {
            None
        } else {
            Some(current)
        };
        Mail {
            message: *message,
            from,
            to: to.thread(),
        }
    }

    /// The most urgent waiting receiver that `mail` suits.
    #[inline(always)]
    fn receiver_for(&self, cs: CriticalSection<'_>, mail: &Mail<T>) -> Option<ThreadRef> {
        let (first, request) = self.receivers.first(cs)?;
        if mail.suits(first, request.wanted) {
            Some(first)
        } else {
            self.later_receiver_for(cs, mail)
        }
    }

    #[cold]
    #[inline(never)]
    fn later_receiver_for(&self, cs: CriticalSection<'_>, mail: &Mail<T>) -> Option<ThreadRef> {
        let suits = |receiver, request: &Request<T>| mail.suits(receiver, request.wanted);
        self.receivers.find(cs, suits).map(|(receiver, _)| receiver)
    }

    /// Returns the thread from which `receiver` gets a letter, and the letter.
    fn sender_for(
        &self,
        cs: CriticalSection<'_>,
        receiver: ThreadRef,
        wanted: Option<ThreadRef>,
    ) -> Option<(ThreadRef, Mail<T>)> {
        let suits = |_, mail: &Mail<T>| mail.suits(receiver, wanted);
        let found = self
            .posters
            .find(cs, suits)
            .or_else(|| self.senders.find(cs, suits));
        found.map(|(sender, mail)| (sender, *mail))
    }
}

impl<S: System, T> From<Mail<T>> for Letter<S, T> {
    #[inline(always)]
    fn from(mail: Mail<T>) -> Self {
        Self {
            message: mail.message,
            sender: mail.from.map(AnyThread::of),
        }
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize> Default for Mailbox<S, T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize> Deletable for Mailbox<S, T, N> {
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.slots.is_closed(cs)
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.slots.close(cs);
        self.receivers.flush::<S>(cs, Error::Deleted);
        self.posters.flush::<S>(cs, Error::Deleted);
        self.senders.flush::<S>(cs, Error::Deleted);
    }
}

/// Why a thread may not wait for `partner`, if it may not.
fn refusal<S: System>(
    cs: CriticalSection<'_>,
    mailbox: &impl Deletable,
    partner: Option<ThreadRef>,
    timeout: Timeout,
) -> Option<OutcomeOf<S>> {
    let gone = |partner: ThreadRef| partner.wait.get(cs) == Wait::NON_EXISTENT;
    if mailbox.is_deleted(cs) || partner.is_some_and(gone) {
        Some(fail::<S>(Error::Deleted))
    } else if timeout.is_none() {
        Some(refuse_to_wait::<S>())
    } else {
        None
    }
}

/// Like [`refusal`], if the partner must come before the caller continues.
fn refusal_to_meet<S: System>(
    cs: CriticalSection<'_>,
    mailbox: &impl Deletable,
    partner: Option<ThreadRef>,
    timeout: Timeout,
) -> Option<OutcomeOf<S>> {
    if partner == Some(Kernel::<S>::running().current(cs)) {
        return Some(fail::<S>(Error::Deadlock));
    }
    refusal::<S>(cs, mailbox, partner, timeout)
}

/// A letter, and the waiting receiver that gets it.
#[derive(Clone, Copy)]
struct Delivery<T> {
    mail: Mail<T>,
    receiver: ThreadRef,
}

struct Deliver<S, T, const N: usize>(PhantomData<(S, T)>);

impl<S: System, T: Copy + Send + 'static, const N: usize> Transaction<S> for Deliver<S, T, N> {
    type Object = Mailbox<S, T, N>;
    type Record = Delivery<T>;
    const BLOCKS: bool = false;
    const USES_TIMEOUT: bool = false;

    #[inline(always)]
    fn run(
        cs: CriticalSection<'_>,
        mailbox: &'static Self::Object,
        delivery: Lent<'_, Delivery<T>>,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let Delivery { mail, receiver } = *delivery;
        let Some(request) = mailbox.receivers.record_of(cs, receiver) else {
            return stay::<S>(Status::OK);
        };
        request.answer.set(Some(mail));
        mailbox.receivers.remove(cs, receiver);
        S::kernel().conclude_by_waking(cs, receiver)
    }
}

struct AwaitReceiver<S, T, const N: usize>(PhantomData<(S, T)>);

impl<S: System, T: Copy + Send + 'static, const N: usize> Transaction<S>
    for AwaitReceiver<S, T, N>
{
    type Object = Mailbox<S, T, N>;
    type Record = Mail<T>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        mailbox: &'static Self::Object,
        mail: Lent<'_, Mail<T>>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        match refusal_to_meet::<S>(cs, mailbox, mail.to, timeout) {
            Some(refusal) => refusal,
            None => mailbox.senders.block::<S, false>(cs, mail, timeout),
        }
    }
}

struct AwaitSlot<S, T, const N: usize>(PhantomData<(S, T)>);

impl<S: System, T: Copy + Send + 'static, const N: usize> Transaction<S> for AwaitSlot<S, T, N> {
    type Object = Mailbox<S, T, N>;
    type Record = Mail<T>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        mailbox: &'static Self::Object,
        mail: Lent<'_, Mail<T>>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        match refusal::<S>(cs, mailbox, mail.to, timeout) {
            Some(refusal) => refusal,
            None => mailbox.posters.block::<S, false>(cs, mail, timeout),
        }
    }
}

struct AwaitLetter<S, T, const N: usize>(PhantomData<(S, T)>);

impl<S: System, T: Copy + Send + 'static, const N: usize> Transaction<S> for AwaitLetter<S, T, N> {
    type Object = Mailbox<S, T, N>;
    type Record = Request<T>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        mailbox: &'static Self::Object,
        request: Lent<'_, Request<T>>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        match refusal_to_meet::<S>(cs, mailbox, request.wanted, timeout) {
            Some(refusal) => refusal,
            None => mailbox.receivers.block::<S, false>(cs, request, timeout),
        }
    }
}

/// Moves the letter of the first thread that waits for a slot into the one that has become free.
struct Refill<S, T, const N: usize>(PhantomData<(S, T)>);

impl<S: System, T: Copy + Send + 'static, const N: usize> Operation<S> for Refill<S, T, N> {
    type Object = Mailbox<S, T, N>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        mailbox: &'static Self::Object,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        match mailbox.posters.first(cs) {
            Some((poster, mail)) => {
                mailbox.slots.put(cs, mail);
                mailbox.posters.pop(cs, poster);
                S::kernel().conclude_by_waking(cs, poster)
            }
            None => stay::<S>(Status::OK),
        }
    }
}

/// Releases a thread after its letter was taken straight from it.
struct Release<S, T, const N: usize>(PhantomData<(S, T)>);

impl<S: System, T: Copy + Send + 'static, const N: usize> Transaction<S> for Release<S, T, N> {
    type Object = Mailbox<S, T, N>;
    type Record = ThreadRef;
    const BLOCKS: bool = false;
    const USES_TIMEOUT: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        _: &'static Self::Object,
        sender: Lent<'_, ThreadRef>,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let sender = *sender;
        S::kernel().withdraw(cs, sender);
        S::kernel().conclude_by_waking(cs, sender)
    }
}
