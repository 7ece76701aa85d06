//! Owns: messages to and from threads in the general case: the side that comes first waits, among
//! others, as long as its time-out says. Must never know: replies.

use super::bytes;
use crate::critical_section::{CriticalSection, Operation};
use crate::sched::{OutcomeOf, fail, refuse_to_wait, slice};
use crate::thread::AnyThread;
use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::wait::inherit::{Place, closes_ring};
use crate::wait::{Target, Wait};
use crate::{Kernel, System};
use core::marker::PhantomData;
use taktos_abi::{Error, Status, Timeout};
use taktos_machine::Outcome;

/// A message on its way.
pub(super) struct Parcel {
    pub sender: ThreadRef,
    /// The message, or the address and the length of its bytes.
    pub words: [usize; 2],
    pub bytes: bool,
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

/// Continues the running slice for `thread`, if that is the `heir` and has taken the running
/// thread's turn. Any other heir, but for the running thread itself, begins a slice or continues
/// its own.
pub(super) fn slice_is_for<S: System>(cs: CriticalSection<'_>, thread: ThreadRef, heir: ThreadRef) {
    let current = Kernel::<S>::running().current(cs);
    if heir != current {
        slice::is_kept_for::<S>(current, heir, Some(thread));
    }
}

/// Puts what `parcel` holds where `receiver`, which waits or runs, will find it.
pub(super) fn hand_over(cs: CriticalSection<'_>, parcel: Parcel, receiver: ThreadRef) {
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
pub(super) fn receives_from(
    cs: CriticalSection<'_>,
    receiver: ThreadRef,
    sender: ThreadRef,
) -> bool {
    let wait = receiver.wait.get(cs);
    wait == Wait::receive(sender) || wait == Wait::RECEIVE_ANY
}

pub(super) fn mark_bytes(cs: CriticalSection<'_>, thread: ThreadRef, bytes: bool) {
    let urgency = thread.urgency.get(cs);
    let marked = if bytes {
        urgency.with(Urgency::BYTES)
    } else {
        urgency.without(Urgency::BUFFER)
    };
    thread.urgency.set(cs, marked);
}

impl<S: System> Kernel<S> {
    /// Wakes `receiver`, to which the running thread `sender` has just sent, by the rule.
    pub(super) fn wake_receiver(
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
        if urgency.has(Urgency::HELD) {
            return;
        }
        let own = sender.urgency.get(cs).effective();
        let priority = urgency.effective();
        let equal = priority == own;
        if (equal || self.always_direct.get(cs))
            && self.may_direct_switch(cs, sender, receiver, own)
        {
            if !equal {
                let lent = urgency.with_effective(own).with(Urgency::LENT_TURN);
                receiver.urgency.set(cs, lent);
                self.expect_special(cs);
            }
            self.direct_switch(cs, sender, receiver, own);
        } else {
            self.make_ready(cs, receiver);
        }
    }

    /// Blocks the running thread among the waiters of `server`, which inherits its priority.
    pub(super) fn block_on_thread(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        server: ThreadRef,
        wait: Wait,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        self.block(cs, current, wait, timeout);
        server.0.waiters.insert(cs, current);
        if current
            .urgency
            .get(cs)
            .effective()
            .beats(server.urgency.get(cs).effective())
        {
            self.recompute_priority(cs, server, Place::Last);
        }
        // The wait may be long: the heir runs for itself.
        let heir = self.heir(cs);
        slice::is_kept_for::<S>(current, heir, None);
        OutcomeOf::<S>::switch(current.context(), heir.context())
    }
}

/// The errors of a message to `receiver` that would have to wait; none if it may.
pub(super) fn refusal(
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

pub(super) struct Send<S, const BYTES: bool>(PhantomData<S>);

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

pub(super) struct Receive<S, const BYTES: bool>(PhantomData<S>);

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

/// Takes the message of `sender`, which is blocked sending to or calling the running thread. A
/// sender then resumes, a caller waits for the reply.
pub(super) fn accept<S: System>(
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
    #[cfg(feature = "budgets")]
    S::kernel().settle_payer(cs, current);
    Kernel::<S>::conclude(cs, Status::OK, value)
}

impl<S: System> Kernel<S> {
    /// Takes back what `thread` may have inherited from one that no longer waits for it.
    pub(super) fn lose_inheritance(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let urgency = thread.urgency.get(cs);
        if urgency.effective() != urgency.base() {
            self.recompute_priority(cs, thread, Place::First);
        }
    }
}
