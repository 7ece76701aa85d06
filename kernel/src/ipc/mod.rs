//! Owns: synchronous messages from thread to thread by direct switching.
//! Must never know: objects that messages could be kept in.
//!
//! After "Fixed Time Synchronous IPC in Zephyr Kernel" (2017): a thread sends to a thread. Where the
//! receiver already waits, it goes on at once, on the rest of the sender's time slice, whatever
//! the number of other ready threads; the sender goes behind its equals. A blocked sender's message, and one
//! that was received, lie in the control block: one word in the answer, one in `argument`.
//!
//! Which thread runs after a send is the [`Rule`]'s choice. A caller lends its priority to the server until
//! the reply, and its place among its equals.

mod bytes;
mod words;

pub use bytes::LONGEST_MESSAGE;

use crate::critical_section::{CriticalSection, Held, Operation, hold};
use crate::sched::{OutcomeOf, Told, fail, first_things_first, refuse_to_wait, seldom};
use crate::smp::{View, several};
use crate::thread::AnyThread;
use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::wait::inherit::{Place, closes_ring};
use crate::wait::{Target, Wait};
use crate::{Kernel, System};
use core::hint::cold_path;
use core::marker::PhantomData;
use taktos_abi::{Error, Status, Timeout};
use taktos_machine::{Machine, Outcome};
use words::Words;

/// A short message: two machine words, carried in registers and control blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Message(pub [usize; 2]);

impl Message {
    /// A message of one word; the other is 0.
    pub const fn word(word: usize) -> Self {
        Self([word, 0])
    }
}

/// A message and where it came from.
pub struct Received<S: 'static> {
    /// Who sent it.
    pub sender: &'static AnyThread<S>,
    /// What was sent.
    pub message: Message,
    /// Whether the sender waits for a [`AnyThread::reply`].
    pub wants_reply: bool,
}

/// When a send switches straight to a receiver that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// When the receiver is at least as urgent as the sender, so that no ready thread is overtaken by
    /// a less urgent one; otherwise the sender goes on. What analysis expects, and the rule at the start.
    Sound,
    /// Always, "regardless of priority", as in the paper.
    Always,
}

impl<S: System> Kernel<S> {
    /// Sets the rule for all sends. Bound: fixed.
    pub fn set_send_rule(rule: Rule) {
        let held = hold::<S>();
        S::kernel()
            .always_direct
            .set(held.section(), rule == Rule::Always);
    }
}

impl<S: System> AnyThread<S> {
    /// Sends `message` to this thread, waiting until it has received it.
    ///
    /// Bound where the receiver waits: fixed, one and the same for any number of other threads.
    /// Errors: `Timeout`, `WouldBlock`; `Deleted` if the receiver does not run or ends meanwhile; `Deadlock` if
    /// it waits for the caller; `Parameter` if it waits with a buffer; `Context` in an interrupt handler.
    #[inline(always)]
    pub fn send(&'static self, message: Message, timeout: Timeout) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let [first, second] = message.0;
        let current = Kernel::<S>::running().current(cs);
        let receiver = self.reference();
        if receiver.wait.get(cs) == Wait::receive(current)
            && receiver.urgency.get(cs).equals(current.urgency.get(cs))
            && Kernel::<S>::share_queue(cs, current, receiver)
        {
            let words = Words {
                second,
                sender: current,
            }
            .pack(cs);
            return held.enter::<SendToEqual<S>>(self, first, words).told::<S>();
        }
        cold_path();
        refuse_in_handlers::<S>()?;
        current.argument.set(cs, second);
        held.enter::<Send<S, false>>(self, first, timeout)
            .told::<S>()
    }

    /// Receives a message from this thread, waiting for it as long as `timeout` says.
    ///
    /// Bound without waiting: fixed, and the sender's time-out and inheritance where it has these.
    /// Errors: `Timeout`, `WouldBlock`; `Deleted` if the sender does not run or ends meanwhile; `Deadlock` if it waits
    /// for the caller; `Parameter` if it sends a buffer; `Context` in an interrupt handler.
    #[inline(always)]
    pub fn receive_from(&'static self, timeout: Timeout) -> Result<Message, Error> {
        let answer = hold::<S>().enter::<Receive<S, false>>(self, 0, timeout);
        answer.told::<S>()?;
        Ok(Message([answer.value, Self::own_argument()]))
    }

    /// Receives a message from any thread, the most urgent sender first. Bounds and errors: as
    /// [`AnyThread::receive_from`], but for `Deleted` and `Deadlock`.
    pub fn receive(timeout: Timeout) -> Result<Received<S>, Error> {
        let current = Self::current();
        let answer = hold::<S>().enter::<Receive<S, false>>(current, 0, timeout);
        answer.told::<S>()?;
        Ok(Self::received(answer.value))
    }

    /// Sends `message` to this thread and waits for its reply, both within `timeout`, in one kernel call.
    /// Until then the thread has at least the caller's priority.
    ///
    /// Errors: as [`AnyThread::send`].
    pub fn call(&'static self, message: Message, timeout: Timeout) -> Result<Message, Error> {
        refuse_in_handlers::<S>()?;
        let [first, second] = message.0;
        let held = hold_with_second_word::<S>(second);
        let answer = held.enter::<Call<S>>(self, first, timeout);
        answer.told::<S>()?;
        Ok(Message([answer.value, Self::own_argument()]))
    }

    /// Answers the call of this thread, which goes on. Never waits.
    ///
    /// Bound: fixed, the caller's time-out, and the inheritance. Errors: `State` if it does not wait for the
    /// running thread's reply; `Context` in an interrupt handler.
    pub fn reply(&'static self, message: Message) -> Result<(), Error> {
        refuse_in_handlers::<S>()?;
        let [first, second] = message.0;
        hold_with_second_word::<S>(second)
            .enter::<Reply<S>>(self, first, Timeout::NONE)
            .told::<S>()
    }

    /// [`AnyThread::reply`] to this thread, then [`AnyThread::receive`], in one kernel call: what a server does
    /// in its loop. If the reply fails, nothing is received.
    pub fn reply_and_receive(
        &'static self,
        message: Message,
        timeout: Timeout,
    ) -> Result<Received<S>, Error> {
        refuse_in_handlers::<S>()?;
        let [first, second] = message.0;
        let held = hold_with_second_word::<S>(second);
        let answer = held.enter::<ReplyAndReceive<S>>(self, first, timeout);
        answer.told::<S>()?;
        Ok(Self::received(answer.value))
    }

    fn received(first: usize) -> Received<S> {
        let held = hold::<S>();
        let cs = held.section();
        let current = Kernel::<S>::running().current(cs);
        let sender = current.group.get(cs).unwrap_or(current);
        Received {
            sender: Self::of(sender),
            message: Message([first, current.argument.get(cs)]),
            wants_reply: sender.wait.get(cs) == Wait::reply(current),
        }
    }
}

/// In a handler the running thread is the interrupted one, whose words are not the handler's.
fn refuse_in_handlers<S: System>() -> Result<(), Error> {
    if S::Machine::in_interrupt() {
        Err(Error::Context)
    } else {
        Ok(())
    }
}

/// Holds the section for a call, with the second word of the caller's message where it belongs.
fn hold_with_second_word<S: System>(word: usize) -> Held<S> {
    let held = hold::<S>();
    let cs = held.section();
    Kernel::<S>::running().current(cs).argument.set(cs, word);
    held
}

struct SendToEqual<S>(PhantomData<S>);

impl<S: System> Operation<S> for SendToEqual<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;
    const ALWAYS_SWITCHES: bool = true;

    /// The receiver, of the same priority as the running thread, waits for a message from it.
    fn run(
        cs: CriticalSection<'_>,
        receiver: &'static AnyThread<S>,
        first: usize,
        words: Timeout,
    ) -> OutcomeOf<S> {
        let receiver = receiver.reference();
        let Words { second, sender } = Words::unpack::<S>(cs, words);
        receiver.set_value(cs, first);
        receiver.argument.set(cs, second);
        first_things_first();
        let urgency = receiver.urgency.get(cs);
        if urgency.is_special() {
            return seldom(wake_special::<S>(cs, sender, receiver));
        }
        receiver.wait.set(cs, Wait::NOTHING);
        if several::<S>() {
            // The caller has seen that there is one, with the lock that is held still.
            if let Some((solo, seat)) = sender.solo(cs) {
                let view = View::<S>::new(cs);
                solo.take_turn(&view, seat, receiver, sender, urgency.effective());
                return OutcomeOf::<S>::switch(sender.context(), receiver.context());
            }
            return seldom(send_among_several::<S>(cs, sender, receiver));
        }
        let ready = S::kernel().ready.borrow(cs);
        ready.take_turn(&cs, receiver, sender, urgency.effective());
        Kernel::<S>::running().set_heir(cs, receiver);
        OutcomeOf::<S>::switch(sender.context(), receiver.context())
    }
}

/// Ends a send to an equal that has its message, in a closed instance of several processors.
#[inline(never)]
fn send_among_several<S: System>(
    cs: CriticalSection<'_>,
    sender: ThreadRef,
    receiver: ThreadRef,
) -> OutcomeOf<S> {
    let priority = receiver.urgency.get(cs).effective();
    let heir = sender.cluster(cs).map_or(sender, |cluster| {
        let (view, here) = (View::<S>::new(cs), S::Machine::number());
        cluster.take_turn(&view, here, receiver, sender, priority)
    });
    OutcomeOf::<S>::switch(sender.context(), heir.context())
}

/// Ends a send to a receiver that has its message, and a time-out, or is suspended. Always a switch, if only to
/// the sender itself.
#[cold]
#[inline(never)]
fn wake_special<S: System>(
    cs: CriticalSection<'_>,
    sender: ThreadRef,
    receiver: ThreadRef,
) -> OutcomeOf<S> {
    S::kernel().wake_receiver(cs, sender, receiver);
    let heir = Kernel::<S>::running().heir(cs);
    OutcomeOf::<S>::switch(sender.context(), heir.context())
}

/// A message on its way.
struct Parcel {
    sender: ThreadRef,
    /// The message, or the address and the length of its bytes.
    words: [usize; 2],
    bytes: bool,
}

/// Hands `parcel` to `receiver`, which waits, and lets it run by the rule.
fn deliver<S: System>(
    cs: CriticalSection<'_>,
    parcel: Parcel,
    receiver: ThreadRef,
) -> OutcomeOf<S> {
    if receiver.urgency.get(cs).has(Urgency::BYTES) != parcel.bytes {
        return fail::<S>(Error::Parameter);
    }
    let sender = parcel.sender;
    hand_over(cs, parcel, receiver);
    S::kernel().wake_receiver(cs, sender, receiver);
    slice_is_for::<S>(cs, receiver, S::kernel().heir(cs));
    Kernel::<S>::conclude(cs, Status::OK, 0)
}

/// The running slice goes on for `thread`, if it is the `heir`; any other heir, but for the running thread
/// itself, begins one.
fn slice_is_for<S: System>(cs: CriticalSection<'_>, thread: ThreadRef, heir: ThreadRef) {
    if heir != thread && heir != Kernel::<S>::running().current(cs) {
        S::Machine::begin_slice();
    }
}

/// Puts what `parcel` holds where `receiver`, which waits or runs, will find it.
fn hand_over(cs: CriticalSection<'_>, parcel: Parcel, receiver: ThreadRef) {
    let [first, second] = if parcel.bytes {
        let room = [receiver.value(cs), receiver.argument.get(cs)];
        [bytes::copy(parcel.words, room), parcel.words[1]]
    } else {
        parcel.words
    };
    receiver.set_value(cs, first);
    receiver.argument.set(cs, second);
    receiver.group.set(cs, Some(parcel.sender));
}

/// Whether `receiver` waits for a message that `sender` can send.
fn receives_from(cs: CriticalSection<'_>, receiver: ThreadRef, sender: ThreadRef) -> bool {
    let wait = receiver.wait.get(cs);
    wait == Wait::receive(sender) || wait == Wait::RECEIVE_ANY
}

fn mark_bytes(cs: CriticalSection<'_>, thread: ThreadRef, bytes: bool) {
    let urgency = thread.urgency.get(cs);
    let marked = if bytes {
        urgency.with(Urgency::BYTES)
    } else {
        urgency.without(Urgency::BYTES)
    };
    thread.urgency.set(cs, marked);
}

impl<S: System> Kernel<S> {
    /// Wakes `receiver`, to which the running thread `sender` has just sent, by the rule.
    fn wake_receiver(
        &'static self,
        cs: CriticalSection<'_>,
        sender: ThreadRef,
        receiver: ThreadRef,
    ) {
        mark_bytes(cs, receiver, false);
        receiver.wait.set(cs, Wait::NOTHING);
        self.stop_timeout(cs, receiver);
        self.end_lent_turn(cs, receiver);
        let urgency = receiver.urgency.get(cs);
        if urgency.has(Urgency::SUSPENDED) {
            return;
        }
        let own = sender.urgency.get(cs).effective();
        let priority = urgency.effective();
        if several::<S>() {
            return self.wake_receiver_several(cs, sender, receiver);
        }
        let ready = self.ready.borrow(cs);
        let running = Self::running();
        if priority == own && ready.head(own) == Some(sender) {
            ready.take_turn(&cs, receiver, sender, own);
            running.set_heir(cs, receiver);
        } else if self.always_direct.get(cs) && ready.head(own) == Some(sender) {
            let lent = urgency.with_effective(own).with(Urgency::LENT_TURN);
            receiver.urgency.set(cs, lent);
            self.expect_special(cs);
            ready.take_turn(&cs, receiver, sender, own);
            running.set_heir(cs, receiver);
        } else {
            self.make_ready(cs, receiver);
        }
    }

    /// The rule where there are several processors: a turn is handed only within an instance, to a receiver that may run here.
    fn wake_receiver_several(
        &'static self,
        cs: CriticalSection<'_>,
        sender: ThreadRef,
        receiver: ThreadRef,
    ) {
        let own = sender.urgency.get(cs).effective();
        let urgency = receiver.urgency.get(cs);
        let equal = urgency.effective() == own;
        if (equal || self.always_direct.get(cs)) && self.may_hand_turn(cs, sender, receiver) {
            if !equal {
                let lent = urgency.with_effective(own).with(Urgency::LENT_TURN);
                receiver.urgency.set(cs, lent);
                self.expect_special(cs);
            }
            self.hand_turn(cs, sender, receiver, own);
        } else {
            self.make_ready(cs, receiver);
        }
    }

    /// Blocks the running thread among the waiters of `server`, which inherits its priority.
    fn block_on_thread(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        server: ThreadRef,
        wait: Wait,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let outcome = self.block(cs, current, wait, timeout);
        server.0.waiters.insert(cs, current);
        // The wait may be long: who runs now does so for itself.
        S::Machine::begin_slice();
        if current
            .urgency
            .get(cs)
            .effective()
            .beats(server.urgency.get(cs).effective())
        {
            self.settle(cs, server, Place::Last);
            let heir = self.heir(cs);
            return OutcomeOf::<S>::switch(current.context(), heir.context());
        }
        outcome
    }
}

/// The errors of a message to `receiver` that would have to wait; none if it may.
fn refusal(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    receiver: ThreadRef,
    timeout: Timeout,
) -> Option<Error> {
    if !receiver.was_started(cs) {
        Some(Error::Deleted)
    } else if timeout.is_none() {
        Some(Error::WouldBlock)
    } else if closes_ring(cs, current, receiver) {
        Some(Error::Deadlock)
    } else {
        None
    }
}

struct Send<S, const BYTES: bool>(PhantomData<S>);

impl<S: System, const BYTES: bool> Operation<S> for Send<S, BYTES> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        receiver: &'static AnyThread<S>,
        first: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let receiver = receiver.reference();
        let current = Kernel::<S>::running().current(cs);
        if receives_from(cs, receiver, current) {
            let words = [first, current.argument.get(cs)];
            return deliver::<S>(
                cs,
                Parcel {
                    sender: current,
                    words,
                    bytes: BYTES,
                },
                receiver,
            );
        }
        if let Some(error) = refusal(cs, current, receiver, timeout) {
            return fail::<S>(error);
        }
        current.set_value(cs, first);
        mark_bytes(cs, current, BYTES);
        S::kernel().block_on_thread(cs, current, receiver, Wait::send(receiver), timeout)
    }
}

struct Receive<S, const BYTES: bool>(PhantomData<S>);

impl<S: System, const BYTES: bool> Operation<S> for Receive<S, BYTES> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;

    /// From `thread`, or from any thread if it is the running one.
    fn run(
        cs: CriticalSection<'_>,
        thread: &'static AnyThread<S>,
        room: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let thread = thread.reference();
        let current = Kernel::<S>::running().current(cs);
        if BYTES {
            current.set_value(cs, room);
        }
        if thread == current {
            return receive_any::<S>(cs, current, BYTES, timeout);
        }
        let wait = thread.wait.get(cs);
        if wait == Wait::send(current) || wait == Wait::call(current) {
            return accept::<S>(cs, current, thread, BYTES);
        }
        if let Some(error) = refusal(cs, current, thread, timeout) {
            return fail::<S>(error);
        }
        thread
            .urgency
            .set(cs, thread.urgency.get(cs).with(Urgency::RECEIVED_FROM));
        await_message::<S>(cs, current, Wait::receive(thread), BYTES, timeout)
    }
}

fn receive_any<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    bytes: bool,
    timeout: Timeout,
) -> OutcomeOf<S> {
    if let Some(sender) = current.waiters.first_sender(cs) {
        return accept::<S>(cs, current, sender, bytes);
    }
    if timeout.is_none() {
        return refuse_to_wait::<S>();
    }
    await_message::<S>(cs, current, Wait::RECEIVE_ANY, bytes, timeout)
}

fn await_message<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    wait: Wait,
    bytes: bool,
    timeout: Timeout,
) -> OutcomeOf<S> {
    mark_bytes(cs, current, bytes);
    S::kernel().block(cs, current, wait, timeout)
}

/// Takes the message of `sender`, which is blocked sending to or calling the running thread. A sender goes on, a
/// caller now waits for the reply.
fn accept<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    sender: ThreadRef,
    bytes: bool,
) -> OutcomeOf<S> {
    let urgency = sender.urgency.get(cs);
    if urgency.has(Urgency::BYTES) != bytes {
        // After a reply the heir may be another.
        return Kernel::<S>::conclude(cs, Status::failed(Error::Parameter), 0);
    }
    let words = [sender.value(cs), sender.argument.get(cs)];
    hand_over(
        cs,
        Parcel {
            sender,
            words,
            bytes,
        },
        current,
    );
    let value = current.value(cs);
    mark_bytes(cs, sender, false);
    let calls = matches!(sender.wait.get(cs).target(), Target::Call(_));
    current.0.waiters.remove(cs, sender);
    if calls {
        sender.wait.set(cs, Wait::reply(current));
        current.0.waiters.insert(cs, sender);
    } else {
        S::kernel().wake(cs, sender);
        S::kernel().lose_inheritance(cs, current);
    }
    Kernel::<S>::conclude(cs, Status::OK, value)
}

impl<S: System> Kernel<S> {
    /// Takes back what `thread` may have inherited from one that no longer waits for it.
    fn lose_inheritance(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let urgency = thread.urgency.get(cs);
        if urgency.effective() != urgency.base() {
            self.settle(cs, thread, Place::First);
        }
    }
}

struct Call<S>(PhantomData<S>);

impl<S: System> Operation<S> for Call<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        server: &'static AnyThread<S>,
        first: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let server = server.reference();
        let current = Kernel::<S>::running().current(cs);
        if !receives_from(cs, server, current) {
            if let Some(error) = refusal(cs, current, server, timeout) {
                return fail::<S>(error);
            }
            current.set_value(cs, first);
            return S::kernel().block_on_thread(cs, current, server, Wait::call(server), timeout);
        }
        if server.urgency.get(cs).has(Urgency::BYTES) {
            return fail::<S>(Error::Parameter);
        }
        if timeout.is_none() {
            return refuse_to_wait::<S>();
        }
        let words = [first, current.argument.get(cs)];
        hand_over(
            cs,
            Parcel {
                sender: current,
                words,
                bytes: false,
            },
            server,
        );
        lend_turn::<S>(cs, current, server, timeout)
    }
}

/// Blocks the caller until the reply and lets the server, which has its message, run in its place.
fn lend_turn<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    server: ThreadRef,
    timeout: Timeout,
) -> OutcomeOf<S> {
    let kernel = S::kernel();
    server.wait.set(cs, Wait::NOTHING);
    if server.urgency.get(cs).is_special() {
        kernel.stop_timeout(cs, server);
    }
    let own = current.urgency.get(cs).effective();
    let urgency = server.urgency.get(cs);
    if own.beats(urgency.effective()) {
        server.urgency.set(cs, urgency.with_effective(own));
    }
    let outcome = kernel.block(cs, current, Wait::reply(server), timeout);
    server.0.waiters.insert(cs, current);
    if urgency.has(Urgency::SUSPENDED) {
        S::Machine::begin_slice();
        return outcome;
    }
    kernel.take_place(cs, server);
    let heir = kernel.reselected(cs);
    slice_is_for::<S>(cs, server, heir);
    OutcomeOf::<S>::switch(current.context(), heir.context())
}

/// Gives the running thread's reply to `caller`, which is then to have its place among its equals again.
fn give_reply<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    caller: ThreadRef,
    first: usize,
) -> Result<(), Error> {
    if caller.wait.get(cs) != Wait::reply(current) {
        return Err(Error::State);
    }
    let kernel = S::kernel();
    current.0.waiters.remove(cs, caller);
    caller.wait.set(cs, Wait::NOTHING);
    caller.set_value(cs, first);
    caller.argument.set(cs, current.argument.get(cs));
    let urgency = caller.urgency.get(cs);
    if urgency.is_special() {
        kernel.stop_timeout(cs, caller);
    }
    Ok(())
}

impl<S: System> Kernel<S> {
    /// Makes `thread` ready, in front of its equals, unless it is suspended.
    fn take_place(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let urgency = thread.urgency.get(cs);
        if several::<S>() {
            if !urgency.has(Urgency::SUSPENDED) {
                self.admit(cs, thread, urgency.effective(), Place::First);
            }
            return;
        }
        if !urgency.has(Urgency::SUSPENDED) {
            self.ready
                .borrow(cs)
                .prepend(&cs, thread, urgency.effective());
        }
    }
}

struct Reply<S>(PhantomData<S>);

impl<S: System> Operation<S> for Reply<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        caller: &'static AnyThread<S>,
        first: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        let kernel = S::kernel();
        if let Err(error) = give_reply::<S>(cs, current, caller.reference(), first) {
            return fail::<S>(error);
        }
        kernel.take_place(cs, caller.reference());
        // The server goes on before its equals; only a more urgent caller displaces it.
        let priority = current.urgency.get(cs).effective();
        if several::<S>() {
            kernel.replace(cs, current, Place::First);
        } else {
            kernel
                .ready
                .borrow(cs)
                .bring_to_front(&cs, current, priority);
        }
        kernel.lose_inheritance(cs, current);
        kernel.reselect(cs);
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}

struct ReplyAndReceive<S>(PhantomData<S>);

impl<S: System> Operation<S> for ReplyAndReceive<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        caller: &'static AnyThread<S>,
        first: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        if let Err(error) = give_reply::<S>(cs, current, caller.reference(), first) {
            return fail::<S>(error);
        }
        let kernel = S::kernel();
        kernel.lose_inheritance(cs, current);
        if current.waiters.first_sender(cs).is_none() && !timeout.is_none() {
            await_message::<S>(cs, current, Wait::RECEIVE_ANY, false, timeout);
            kernel.take_place(cs, caller.reference());
            let heir = kernel.reselected(cs);
            slice_is_for::<S>(cs, caller.reference(), heir);
            return OutcomeOf::<S>::switch(current.context(), heir.context());
        }
        kernel.take_place(cs, caller.reference());
        kernel.reselect(cs);
        let outcome = match current.waiters.first_sender(cs) {
            Some(sender) => accept::<S>(cs, current, sender, false),
            // The reply stands, and may have made another thread the heir.
            None => Kernel::<S>::conclude(cs, Status::failed(Error::WouldBlock), 0),
        };
        slice_is_for::<S>(cs, caller.reference(), kernel.heir(cs));
        outcome
    }
}
