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

use crate::critical_section::{Section, hold, in_decision};
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
use taktos_machine::{Decision, Machine, Outcome};
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
        let s = held.section();
        let [first, second] = message.0;
        let current = Kernel::<S>::running().current(s);
        let receiver = self.reference();
        if receiver.wait.get(s) == Wait::receive(current)
            && receiver.urgency.get(s).equals(current.urgency.get(s))
            && Kernel::<S>::share_queue(s, current, receiver)
        {
            held.hand_over();
            let words = Words {
                second,
                sender: current,
            };
            return S::Machine::enter::<SendToEqual<S>>(self, first, words.pack(s)).told::<S>();
        }
        cold_path();
        refuse_in_handlers::<S>()?;
        current.argument.set(s, second);
        held.hand_over();
        S::Machine::enter::<Send<S, false>>(self, first, timeout).told::<S>()
    }

    /// Receives a message from this thread, waiting for it as long as `timeout` says.
    ///
    /// Bound without waiting: fixed, and the sender's time-out and inheritance where it has these.
    /// Errors: `Timeout`, `WouldBlock`; `Deleted` if the sender does not run or ends meanwhile; `Deadlock` if it waits
    /// for the caller; `Parameter` if it sends a buffer; `Context` in an interrupt handler.
    #[inline(always)]
    pub fn receive_from(&'static self, timeout: Timeout) -> Result<Message, Error> {
        hold::<S>().hand_over();
        let answer = S::Machine::enter::<Receive<S, false>>(self, 0, timeout);
        answer.told::<S>()?;
        Ok(Message([answer.value, second_word::<S>()]))
    }

    /// Receives a message from any thread, the most urgent sender first. Bounds and errors: as
    /// [`AnyThread::receive_from`], but for `Deleted` and `Deadlock`.
    pub fn receive(timeout: Timeout) -> Result<Received<S>, Error> {
        let current = Self::current();
        hold::<S>().hand_over();
        let answer = S::Machine::enter::<Receive<S, false>>(current, 0, timeout);
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
        hold_with_second_word::<S>(second);
        let answer = S::Machine::enter::<Call<S>>(self, first, timeout);
        answer.told::<S>()?;
        Ok(Message([answer.value, second_word::<S>()]))
    }

    /// Answers the call of this thread, which goes on. Never waits.
    ///
    /// Bound: fixed, the caller's time-out, and the inheritance. Errors: `State` if it does not wait for the
    /// running thread's reply; `Context` in an interrupt handler.
    pub fn reply(&'static self, message: Message) -> Result<(), Error> {
        refuse_in_handlers::<S>()?;
        let [first, second] = message.0;
        hold_with_second_word::<S>(second);
        S::Machine::enter::<Reply<S>>(self, first, Timeout::NONE).told::<S>()
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
        hold_with_second_word::<S>(second);
        let answer = S::Machine::enter::<ReplyAndReceive<S>>(self, first, timeout);
        answer.told::<S>()?;
        Ok(Self::received(answer.value))
    }

    fn received(first: usize) -> Received<S> {
        let held = hold::<S>();
        let s = held.section();
        let current = Kernel::<S>::running().current(s);
        let sender = current.group.get(s).unwrap_or(current);
        Received {
            sender: Self::of(sender),
            message: Message([first, current.argument.get(s)]),
            wants_reply: sender.wait.get(s) == Wait::reply(current),
        }
    }
}

/// The second word of the message that the running thread has received.
#[inline(always)]
fn second_word<S: System>() -> usize {
    let s = own_words();
    let mask = several::<S>().then(S::Machine::mask_here);
    let word = Kernel::<S>::running().current(s).argument.get(s);
    if let Some(mask) = mask {
        S::Machine::unmask_here(mask);
    }
    word
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
fn hold_with_second_word<S: System>(word: usize) {
    let s = own_words();
    if !several::<S>() {
        Kernel::<S>::running().current(s).argument.set(s, word);
    }
    let held = hold::<S>();
    if several::<S>() {
        Kernel::<S>::running().current(s).argument.set(s, word);
    }
    held.hand_over();
}

/// A running thread's own `argument` is touched by nobody else. On several processors the caller masks interrupts, so that the thread
/// stays where it is asked which one it is.
#[inline(always)]
fn own_words() -> Section {
    in_decision()
}

struct SendToEqual<S>(PhantomData<S>);

impl<S: System> Decision<S::Machine> for SendToEqual<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;
    const ALWAYS_SWITCHES: bool = true;

    /// The receiver, of the same priority as the running thread, waits for a message from it.
    extern "C" fn decide(
        receiver: &'static AnyThread<S>,
        first: usize,
        words: Timeout,
    ) -> OutcomeOf<S> {
        let s = in_decision();
        let receiver = receiver.reference();
        let Words { second, sender } = Words::unpack::<S>(s, words);
        receiver.set_value(s, first);
        receiver.argument.set(s, second);
        first_things_first();
        let urgency = receiver.urgency.get(s);
        if urgency.is_special() {
            return seldom(wake_special::<S>(s, sender, receiver));
        }
        receiver.wait.set(s, Wait::NOTHING);
        if several::<S>() {
            // The caller has seen that there is one, with the lock that is held still.
            if let Some((solo, seat)) = sender.solo(s) {
                let view = View::<S>::new(s);
                solo.take_turn(&view, seat, receiver, sender, urgency.effective());
                return OutcomeOf::<S>::switch(sender.context(), receiver.context());
            }
            return seldom(send_among_several::<S>(s, sender, receiver));
        }
        let ready = S::kernel().ready.borrow(s);
        ready.take_turn(&s, receiver, sender, urgency.effective());
        Kernel::<S>::running().set_heir(s, receiver);
        OutcomeOf::<S>::switch(sender.context(), receiver.context())
    }
}

/// Ends a send to an equal that has its message, in a closed instance of several processors.
#[inline(never)]
fn send_among_several<S: System>(
    s: Section,
    sender: ThreadRef,
    receiver: ThreadRef,
) -> OutcomeOf<S> {
    let priority = receiver.urgency.get(s).effective();
    let heir = sender.cluster(s).map_or(sender, |cluster| {
        let (view, here) = (View::<S>::new(s), S::Machine::number());
        cluster.take_turn(&view, here, receiver, sender, priority)
    });
    OutcomeOf::<S>::switch(sender.context(), heir.context())
}

/// Ends a send to a receiver that has its message, and a time-out, or is suspended. Always a switch, if only to
/// the sender itself.
#[cold]
#[inline(never)]
fn wake_special<S: System>(s: Section, sender: ThreadRef, receiver: ThreadRef) -> OutcomeOf<S> {
    S::kernel().wake_receiver(s, sender, receiver);
    let heir = Kernel::<S>::running().heir(s);
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
fn deliver<S: System>(s: Section, parcel: Parcel, receiver: ThreadRef) -> OutcomeOf<S> {
    if receiver.urgency.get(s).has(Urgency::BYTES) != parcel.bytes {
        return fail::<S>(Error::Parameter);
    }
    let sender = parcel.sender;
    hand_over(s, parcel, receiver);
    S::kernel().wake_receiver(s, sender, receiver);
    slice_is_for::<S>(s, receiver, S::kernel().heir(s));
    Kernel::<S>::conclude(s, Status::OK, 0)
}

/// The running slice goes on for `thread`, if it is the `heir`; any other heir, but for the running thread
/// itself, begins one.
fn slice_is_for<S: System>(s: Section, thread: ThreadRef, heir: ThreadRef) {
    if heir != thread && heir != Kernel::<S>::running().current(s) {
        S::Machine::begin_slice();
    }
}

/// Puts what `parcel` holds where `receiver`, which waits or runs, will find it.
fn hand_over(s: Section, parcel: Parcel, receiver: ThreadRef) {
    let [first, second] = if parcel.bytes {
        let room = [receiver.value(s), receiver.argument.get(s)];
        [bytes::copy(parcel.words, room), parcel.words[1]]
    } else {
        parcel.words
    };
    receiver.set_value(s, first);
    receiver.argument.set(s, second);
    receiver.group.set(s, Some(parcel.sender));
}

/// Whether `receiver` waits for a message that `sender` can send.
fn receives_from(s: Section, receiver: ThreadRef, sender: ThreadRef) -> bool {
    let wait = receiver.wait.get(s);
    wait == Wait::receive(sender) || wait == Wait::RECEIVE_ANY
}

fn mark_bytes(s: Section, thread: ThreadRef, bytes: bool) {
    let urgency = thread.urgency.get(s);
    let marked = if bytes {
        urgency.with(Urgency::BYTES)
    } else {
        urgency.without(Urgency::BYTES)
    };
    thread.urgency.set(s, marked);
}

impl<S: System> Kernel<S> {
    /// Wakes `receiver`, to which the running thread `sender` has just sent, by the rule.
    fn wake_receiver(&'static self, s: Section, sender: ThreadRef, receiver: ThreadRef) {
        mark_bytes(s, receiver, false);
        receiver.wait.set(s, Wait::NOTHING);
        self.stop_timeout(s, receiver);
        self.end_lent_turn(s, receiver);
        let urgency = receiver.urgency.get(s);
        if urgency.has(Urgency::SUSPENDED) {
            return;
        }
        let own = sender.urgency.get(s).effective();
        let priority = urgency.effective();
        if several::<S>() {
            return self.wake_receiver_several(s, sender, receiver);
        }
        let ready = self.ready.borrow(s);
        let running = Self::running();
        if priority == own && ready.head(own) == Some(sender) {
            ready.take_turn(&s, receiver, sender, own);
            running.set_heir(s, receiver);
        } else if self.always_direct.get(s) && ready.head(own) == Some(sender) {
            let lent = urgency.with_effective(own).with(Urgency::LENT_TURN);
            receiver.urgency.set(s, lent);
            self.expect_special(s);
            ready.take_turn(&s, receiver, sender, own);
            running.set_heir(s, receiver);
        } else {
            self.make_ready(s, receiver);
        }
    }

    /// The rule where there are several processors: a turn is handed only within an instance, to a receiver that may run here.
    fn wake_receiver_several(&'static self, s: Section, sender: ThreadRef, receiver: ThreadRef) {
        let own = sender.urgency.get(s).effective();
        let urgency = receiver.urgency.get(s);
        let equal = urgency.effective() == own;
        if (equal || self.always_direct.get(s)) && self.may_hand_turn(s, sender, receiver) {
            if !equal {
                let lent = urgency.with_effective(own).with(Urgency::LENT_TURN);
                receiver.urgency.set(s, lent);
                self.expect_special(s);
            }
            self.hand_turn(s, sender, receiver, own);
        } else {
            self.make_ready(s, receiver);
        }
    }

    /// Blocks the running thread among the waiters of `server`, which inherits its priority.
    fn block_on_thread(
        &'static self,
        s: Section,
        current: ThreadRef,
        server: ThreadRef,
        wait: Wait,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let outcome = self.block(s, current, wait, timeout);
        server.0.waiters.insert(s, current);
        // The wait may be long: who runs now does so for itself.
        S::Machine::begin_slice();
        if current
            .urgency
            .get(s)
            .effective()
            .beats(server.urgency.get(s).effective())
        {
            self.settle(s, server, Place::Last);
            let heir = self.heir(s);
            return OutcomeOf::<S>::switch(current.context(), heir.context());
        }
        outcome
    }
}

/// The errors of a message to `receiver` that would have to wait; none if it may.
fn refusal(s: Section, current: ThreadRef, receiver: ThreadRef, timeout: Timeout) -> Option<Error> {
    if !receiver.was_started(s) {
        Some(Error::Deleted)
    } else if timeout.is_none() {
        Some(Error::WouldBlock)
    } else if closes_ring(s, current, receiver) {
        Some(Error::Deadlock)
    } else {
        None
    }
}

struct Send<S, const BYTES: bool>(PhantomData<S>);

impl<S: System, const BYTES: bool> Decision<S::Machine> for Send<S, BYTES> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;

    extern "C" fn decide(
        receiver: &'static AnyThread<S>,
        first: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let s = in_decision();
        let receiver = receiver.reference();
        let current = Kernel::<S>::running().current(s);
        if receives_from(s, receiver, current) {
            let words = [first, current.argument.get(s)];
            return deliver::<S>(
                s,
                Parcel {
                    sender: current,
                    words,
                    bytes: BYTES,
                },
                receiver,
            );
        }
        if let Some(error) = refusal(s, current, receiver, timeout) {
            return fail::<S>(error);
        }
        current.set_value(s, first);
        mark_bytes(s, current, BYTES);
        S::kernel().block_on_thread(s, current, receiver, Wait::send(receiver), timeout)
    }
}

struct Receive<S, const BYTES: bool>(PhantomData<S>);

impl<S: System, const BYTES: bool> Decision<S::Machine> for Receive<S, BYTES> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;

    /// From `thread`, or from any thread if it is the running one.
    extern "C" fn decide(
        thread: &'static AnyThread<S>,
        room: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let s = in_decision();
        let thread = thread.reference();
        let current = Kernel::<S>::running().current(s);
        if BYTES {
            current.set_value(s, room);
        }
        if thread == current {
            return receive_any::<S>(s, current, BYTES, timeout);
        }
        let wait = thread.wait.get(s);
        if wait == Wait::send(current) || wait == Wait::call(current) {
            return accept::<S>(s, current, thread, BYTES);
        }
        if let Some(error) = refusal(s, current, thread, timeout) {
            return fail::<S>(error);
        }
        thread
            .urgency
            .set(s, thread.urgency.get(s).with(Urgency::RECEIVED_FROM));
        await_message::<S>(s, current, Wait::receive(thread), BYTES, timeout)
    }
}

fn receive_any<S: System>(
    s: Section,
    current: ThreadRef,
    bytes: bool,
    timeout: Timeout,
) -> OutcomeOf<S> {
    if let Some(sender) = current.waiters.first_sender(s) {
        return accept::<S>(s, current, sender, bytes);
    }
    if timeout.is_none() {
        return refuse_to_wait::<S>();
    }
    await_message::<S>(s, current, Wait::RECEIVE_ANY, bytes, timeout)
}

fn await_message<S: System>(
    s: Section,
    current: ThreadRef,
    wait: Wait,
    bytes: bool,
    timeout: Timeout,
) -> OutcomeOf<S> {
    mark_bytes(s, current, bytes);
    S::kernel().block(s, current, wait, timeout)
}

/// Takes the message of `sender`, which is blocked sending to or calling the running thread. A sender goes on, a
/// caller now waits for the reply.
fn accept<S: System>(
    s: Section,
    current: ThreadRef,
    sender: ThreadRef,
    bytes: bool,
) -> OutcomeOf<S> {
    let urgency = sender.urgency.get(s);
    if urgency.has(Urgency::BYTES) != bytes {
        // After a reply the heir may be another.
        return Kernel::<S>::conclude(s, Status::failed(Error::Parameter), 0);
    }
    let words = [sender.value(s), sender.argument.get(s)];
    hand_over(
        s,
        Parcel {
            sender,
            words,
            bytes,
        },
        current,
    );
    let value = current.value(s);
    mark_bytes(s, sender, false);
    let calls = matches!(sender.wait.get(s).target(), Target::Call(_));
    current.0.waiters.remove(s, sender);
    if calls {
        sender.wait.set(s, Wait::reply(current));
        current.0.waiters.insert(s, sender);
    } else {
        S::kernel().wake(s, sender);
        S::kernel().lose_inheritance(s, current);
    }
    Kernel::<S>::conclude(s, Status::OK, value)
}

impl<S: System> Kernel<S> {
    /// Takes back what `thread` may have inherited from one that no longer waits for it.
    fn lose_inheritance(&'static self, s: Section, thread: ThreadRef) {
        let urgency = thread.urgency.get(s);
        if urgency.effective() != urgency.base() {
            self.settle(s, thread, Place::First);
        }
    }
}

struct Call<S>(PhantomData<S>);

impl<S: System> Decision<S::Machine> for Call<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;

    extern "C" fn decide(
        server: &'static AnyThread<S>,
        first: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let s = in_decision();
        let server = server.reference();
        let current = Kernel::<S>::running().current(s);
        if !receives_from(s, server, current) {
            if let Some(error) = refusal(s, current, server, timeout) {
                return fail::<S>(error);
            }
            current.set_value(s, first);
            return S::kernel().block_on_thread(s, current, server, Wait::call(server), timeout);
        }
        if server.urgency.get(s).has(Urgency::BYTES) {
            return fail::<S>(Error::Parameter);
        }
        if timeout.is_none() {
            return refuse_to_wait::<S>();
        }
        let words = [first, current.argument.get(s)];
        hand_over(
            s,
            Parcel {
                sender: current,
                words,
                bytes: false,
            },
            server,
        );
        lend_turn::<S>(s, current, server, timeout)
    }
}

/// Blocks the caller until the reply and lets the server, which has its message, run in its place.
fn lend_turn<S: System>(
    s: Section,
    current: ThreadRef,
    server: ThreadRef,
    timeout: Timeout,
) -> OutcomeOf<S> {
    let kernel = S::kernel();
    server.wait.set(s, Wait::NOTHING);
    if server.urgency.get(s).is_special() {
        kernel.stop_timeout(s, server);
    }
    let own = current.urgency.get(s).effective();
    let urgency = server.urgency.get(s);
    if own.beats(urgency.effective()) {
        server.urgency.set(s, urgency.with_effective(own));
    }
    let outcome = kernel.block(s, current, Wait::reply(server), timeout);
    server.0.waiters.insert(s, current);
    if urgency.has(Urgency::SUSPENDED) {
        S::Machine::begin_slice();
        return outcome;
    }
    kernel.take_place(s, server);
    let heir = kernel.reselected(s);
    slice_is_for::<S>(s, server, heir);
    OutcomeOf::<S>::switch(current.context(), heir.context())
}

/// Gives the running thread's reply to `caller`, which is then to have its place among its equals again.
fn give_reply<S: System>(
    s: Section,
    current: ThreadRef,
    caller: ThreadRef,
    first: usize,
) -> Result<(), Error> {
    if caller.wait.get(s) != Wait::reply(current) {
        return Err(Error::State);
    }
    let kernel = S::kernel();
    current.0.waiters.remove(s, caller);
    caller.wait.set(s, Wait::NOTHING);
    caller.set_value(s, first);
    caller.argument.set(s, current.argument.get(s));
    let urgency = caller.urgency.get(s);
    if urgency.is_special() {
        kernel.stop_timeout(s, caller);
    }
    Ok(())
}

impl<S: System> Kernel<S> {
    /// Makes `thread` ready, in front of its equals, unless it is suspended.
    fn take_place(&'static self, s: Section, thread: ThreadRef) {
        let urgency = thread.urgency.get(s);
        if several::<S>() {
            if !urgency.has(Urgency::SUSPENDED) {
                self.admit(s, thread, urgency.effective(), Place::First);
            }
            return;
        }
        if !urgency.has(Urgency::SUSPENDED) {
            self.ready
                .borrow(s)
                .prepend(&s, thread, urgency.effective());
        }
    }
}

struct Reply<S>(PhantomData<S>);

impl<S: System> Decision<S::Machine> for Reply<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;

    extern "C" fn decide(caller: &'static AnyThread<S>, first: usize, _: Timeout) -> OutcomeOf<S> {
        let s = in_decision();
        let current = Kernel::<S>::running().current(s);
        let kernel = S::kernel();
        if let Err(error) = give_reply::<S>(s, current, caller.reference(), first) {
            return fail::<S>(error);
        }
        kernel.take_place(s, caller.reference());
        // The server goes on before its equals; only a more urgent caller displaces it.
        let priority = current.urgency.get(s).effective();
        if several::<S>() {
            kernel.replace(s, current, Place::First);
        } else {
            kernel.ready.borrow(s).bring_to_front(&s, current, priority);
        }
        kernel.lose_inheritance(s, current);
        kernel.reselect(s);
        Kernel::<S>::conclude(s, Status::OK, 0)
    }
}

struct ReplyAndReceive<S>(PhantomData<S>);

impl<S: System> Decision<S::Machine> for ReplyAndReceive<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;

    extern "C" fn decide(
        caller: &'static AnyThread<S>,
        first: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let s = in_decision();
        let current = Kernel::<S>::running().current(s);
        if let Err(error) = give_reply::<S>(s, current, caller.reference(), first) {
            return fail::<S>(error);
        }
        let kernel = S::kernel();
        kernel.lose_inheritance(s, current);
        if current.waiters.first_sender(s).is_none() && !timeout.is_none() {
            await_message::<S>(s, current, Wait::RECEIVE_ANY, false, timeout);
            kernel.take_place(s, caller.reference());
            let heir = kernel.reselected(s);
            slice_is_for::<S>(s, caller.reference(), heir);
            return OutcomeOf::<S>::switch(current.context(), heir.context());
        }
        kernel.take_place(s, caller.reference());
        kernel.reselect(s);
        let outcome = match current.waiters.first_sender(s) {
            Some(sender) => accept::<S>(s, current, sender, false),
            // The reply stands, and may have made another thread the heir.
            None => Kernel::<S>::conclude(s, Status::failed(Error::WouldBlock), 0),
        };
        slice_is_for::<S>(s, caller.reference(), kernel.heir(s));
        outcome
    }
}
