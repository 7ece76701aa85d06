//! Owns: messages as calls of partitions send and receive them: each operation whole.
//! Must never know: which handle named the partner.
//!
//! A thread of a partition gets the second word of a message, and its sender, from its control
//! block when it resumes. So a message that is received in place is reported by a switch, even to
//! the caller itself.

use super::bytes::overlap;
use super::call::{Call, Reply, ReplyAndReceive};
use super::fast::send_to_equal;
use super::long::{is_long, take_piece};
use super::slow::{Receive, Send, accept, receives_from};
use crate::critical_section::{CriticalSection, Operation};
use crate::sched::{OutcomeOf, fail};
use crate::thread::AnyThread;
use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::wait::Wait;
use crate::{Kernel, System};
use taktos_abi::{Error, Timeout};
use taktos_machine::Outcome;

/// Ends the operation: the caller resumes, now or later, with the answer in its control block.
pub(crate) fn go_on<S: System>(cs: CriticalSection<'_>, current: ThreadRef) -> OutcomeOf<S> {
    let heir = S::kernel().heir(cs);
    OutcomeOf::<S>::switch(current.context(), heir.context())
}

fn sends_bytes(cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
    thread.urgency.get(cs).has(Urgency::BYTES)
}

/// Messages of words.
impl<S: System> AnyThread<S> {
    /// [`AnyThread::send`].
    #[inline(always)]
    pub(crate) fn send_entered(
        &'static self,
        cs: CriticalSection<'_>,
        [first, second]: [usize; 2],
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        send_to_equal::<S>(cs, current, self, [first, second])
            .unwrap_or_else(|| send_slowly(self, first, timeout, second, cs))
    }

    /// [`AnyThread::receive_from`]; from any thread where this one is the caller.
    pub(crate) fn receive_entered(
        &'static self,
        cs: CriticalSection<'_>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        self.receive_as::<false>(cs, 0, timeout)
    }

    fn receive_as<const BYTES: bool>(
        &'static self,
        cs: CriticalSection<'_>,
        room: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        match self.ready_sender(cs, current) {
            Some(sender) if sends_bytes(cs, sender) == BYTES => {
                if BYTES {
                    current.set_value(cs, room);
                }
                let _ = accept::<S>(cs, current, sender, BYTES);
                go_on::<S>(cs, current)
            }
            _ => Receive::<S, BYTES>::run(cs, self, room, timeout),
        }
    }

    /// Returns the thread from which `current` would receive a message now.
    fn ready_sender(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
    ) -> Option<ThreadRef> {
        let from = self.reference();
        if from == current {
            return current.waiters.first_sender(cs);
        }
        let wait = from.wait.get(cs);
        (wait == Wait::send(current) || wait == Wait::call(current)).then_some(from)
    }

    /// [`AnyThread::call`].
    pub(crate) fn call_entered(
        &'static self,
        cs: CriticalSection<'_>,
        [first, second]: [usize; 2],
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        set_second_word::<S>(cs, second);
        Call::<S>::run(cs, self, first, timeout)
    }
}

/// The slow path of a send. It has the arguments of the call itself in the same places: so the call
/// continues here by a jump, and saves nothing on the fast path.
#[expect(improper_ctypes_definitions, reason = "called from here alone")]
#[cold]
#[inline(never)]
extern "C" fn send_slowly<S: System>(
    receiver: &'static AnyThread<S>,
    first: usize,
    timeout: Timeout,
    second: usize,
    cs: CriticalSection<'_>,
) -> OutcomeOf<S> {
    set_second_word::<S>(cs, second);
    Send::<S, false>::run(cs, receiver, first, timeout)
}

/// [`AnyThread::reply`] to the caller with the [`ThreadRef::address`] `caller`, if there is one.
pub(crate) fn reply_entered<S: System>(
    cs: CriticalSection<'_>,
    caller: usize,
    [first, second]: [usize; 2],
) -> OutcomeOf<S> {
    let Some(caller) = caller_named::<S>(cs, caller) else {
        return fail::<S>(Error::State);
    };
    set_second_word::<S>(cs, second);
    Reply::<S>::run(cs, AnyThread::of(caller), first, Timeout::NONE)
}

/// [`AnyThread::reply_and_receive`] in the same way. Nothing is done where it would not wait, or
/// the next sender sends bytes.
pub(crate) fn reply_and_receive_entered<S: System>(
    cs: CriticalSection<'_>,
    caller: usize,
    [first, second]: [usize; 2],
    timeout: Timeout,
) -> OutcomeOf<S> {
    let current = Kernel::<S>::running().current(cs);
    let next = current.waiters.first_sender(cs);
    if timeout.is_none() || next.is_some_and(|next| sends_bytes(cs, next)) {
        return fail::<S>(Error::Parameter);
    }
    let Some(caller) = caller_named::<S>(cs, caller) else {
        return fail::<S>(Error::State);
    };
    set_second_word::<S>(cs, second);
    let waits = ReplyAndReceive::<S>::run(cs, AnyThread::of(caller), first, timeout);
    match next {
        Some(_) => go_on::<S>(cs, current),
        None => waits,
    }
}

/// The thread of that address, if it waits for the running thread's reply. Steps: the threads that
/// do.
fn caller_named<S: System>(cs: CriticalSection<'_>, address: usize) -> Option<ThreadRef> {
    let current = Kernel::<S>::running().current(cs);
    waiter_named(cs, current, address, Wait::reply(current))
}

/// The thread of that address, if it waits for `thread` in that way. Steps: the threads that wait
/// for it.
#[inline(always)]
pub(super) fn waiter_named(
    cs: CriticalSection<'_>,
    thread: ThreadRef,
    address: usize,
    wait: Wait,
) -> Option<ThreadRef> {
    let mut found = None;
    thread.waiters.any(cs, |waiter| {
        if waiter.address() == address && waiter.wait.get(cs) == wait {
            found = Some(waiter);
        }
        found.is_some()
    });
    found
}

fn set_second_word<S: System>(cs: CriticalSection<'_>, word: usize) {
    Kernel::<S>::running().current(cs).argument.set(cs, word);
}

/// Messages of bytes. The callers have made sure that the memory is theirs.
impl<S: System> AnyThread<S> {
    /// [`AnyThread::send_bytes`] of the memory `[address, length]`. Memory that both share is
    /// refused.
    pub(crate) fn send_bytes_entered(
        &'static self,
        cs: CriticalSection<'_>,
        bytes: [usize; 2],
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        let receiver = self.reference();
        if receives_from(cs, receiver, current)
            && sends_bytes(cs, receiver)
            && overlap(bytes, memory_of(cs, receiver))
        {
            return fail::<S>(Error::Parameter);
        }
        set_second_word::<S>(cs, bytes[1]);
        Send::<S, true>::run(cs, self, bytes[0], timeout)
    }

    /// [`AnyThread::receive_bytes`] into the memory `[address, room]`. Memory that both share is
    /// refused.
    pub(crate) fn receive_bytes_entered(
        cs: CriticalSection<'_>,
        room: [usize; 2],
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        let sender = current.waiters.first_sender(cs);
        if let Some(sender) = sender
            && is_long(cs, sender)
        {
            return take_piece::<S>(cs, current, sender, room, true);
        }
        if sender
            .is_some_and(|sender| sends_bytes(cs, sender) && overlap(room, memory_of(cs, sender)))
        {
            return fail::<S>(Error::Parameter);
        }
        set_second_word::<S>(cs, room[1]);
        Self::of(current).receive_as::<true>(cs, room[0], timeout)
    }
}

/// The memory that `thread`, which is blocked, sends from or receives into.
pub(super) fn memory_of(cs: CriticalSection<'_>, thread: ThreadRef) -> [usize; 2] {
    [thread.value(cs), thread.argument.get(cs)]
}
