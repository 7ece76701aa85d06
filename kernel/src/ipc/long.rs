//! Owns: messages of more bytes than are copied in one piece: the sender waits while the receiver
//! fetches them, one piece in each call. Between two calls other threads have their turns. Either
//! side may end: the other one is notified by its next step. Must never know: the owner of the
//! memory; the callers have checked it.

use super::bytes::{self, overlap};
use super::entered::{go_on, memory_of, waiter_named};
use super::slow::{receives_from, refusal};
use crate::critical_section::CriticalSection;
use crate::sched::{OutcomeOf, fail};
use crate::thread::AnyThread;
use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::wait::Wait;
use crate::wait::inherit::forget_buffer;
use crate::{Kernel, System};
use taktos_abi::call::LONGEST_BYTES;
use taktos_abi::{Error, Timeout};

/// The bit next to the length of what a sender has left, set if the receiver was notified of it. It
/// is not set for a thread that sends again: pieces of that message cannot be fetched. No memory
/// has this length.
const TOLD: usize = 1 << (usize::BITS - 1);

pub(super) fn is_long(cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
    thread.urgency.get(cs).has(Urgency::LONG)
}

fn mark_long(cs: CriticalSection<'_>, thread: ThreadRef) {
    let urgency = thread.urgency.get(cs);
    thread
        .urgency
        .set(cs, urgency.with(Urgency::BYTES).with(Urgency::LONG));
}

/// Returns the memory that `sender`, which waits, has left to send.
fn rest_of(cs: CriticalSection<'_>, sender: ThreadRef) -> [usize; 2] {
    let [address, length] = memory_of(cs, sender);
    [address, length & !TOLD]
}

/// Reports to `receiver` that `count` bytes were copied, of `length` that `sender` has.
fn tell(
    cs: CriticalSection<'_>,
    receiver: ThreadRef,
    sender: ThreadRef,
    [count, length]: [usize; 2],
) {
    receiver.set_value(cs, count);
    receiver.argument.set(cs, length);
    receiver.group.set(cs, Some(sender));
}

impl<S: System> AnyThread<S> {
    /// Sends the memory `[address, length]` to this thread, which has space for at most
    /// [`LONGEST_BYTES`]. Waits until it has fetched all, or wants no more. If the receiver does
    /// not know of long messages, this is a short one.
    pub(crate) fn send_long_entered(
        &'static self,
        cs: CriticalSection<'_>,
        memory: [usize; 2],
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        let receiver = self.reference();
        let is_awaited = receives_from(cs, receiver, current);
        if memory[1] <= LONGEST_BYTES || is_awaited && !is_long(cs, receiver) {
            return self.send_bytes_entered(cs, memory, timeout);
        }
        if let Some(error) = refusal(cs, current, receiver, timeout) {
            return fail::<S>(error);
        }
        current.set_value(cs, memory[0]);
        let told = if is_awaited { TOLD } else { 0 };
        current.argument.set(cs, memory[1] | told);
        mark_long(cs, current);
        if is_awaited {
            tell(cs, receiver, current, [0, memory[1]]);
            forget_buffer(cs, receiver);
            S::kernel().wake(cs, receiver);
        }
        S::kernel().block_on_thread(cs, current, receiver, Wait::send(receiver), timeout)
    }

    /// Receives from any thread: a short message into the memory `[address, room]`; of a long one
    /// its length alone.
    pub(crate) fn receive_long_entered(
        cs: CriticalSection<'_>,
        room: [usize; 2],
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        if let Some(sender) = current.waiters.first_sender(cs)
            && is_long(cs, sender)
        {
            let [_, length] = rest_of(cs, sender);
            sender.argument.set(cs, length | TOLD);
            tell(cs, current, sender, [0, length]);
            return go_on::<S>(cs, current);
        }
        let outcome = Self::receive_bytes_entered(cs, room, timeout);
        if current.wait.get(cs) == Wait::RECEIVE_ANY {
            mark_long(cs, current);
        }
        outcome
    }
}

/// Copies the next piece of a long message into the memory `[address, room]`, of at most
/// [`LONGEST_BYTES`]. Its sender is the thread with the [`ThreadRef::address`] `sender`. Returns
/// how many bytes were copied, and how many are left. The sender resumes if none are left, or if
/// the memory is empty.
/// Errors: `State` if no such thread waits, or the caller was not notified of its message;
/// `Parameter` if the memories have a byte in common.
pub(crate) fn fetch_entered<S: System>(
    cs: CriticalSection<'_>,
    sender: usize,
    room: [usize; 2],
) -> OutcomeOf<S> {
    let current = Kernel::<S>::running().current(cs);
    let named = waiter_named(cs, current, sender, Wait::send(current));
    let is_told = |thread: &ThreadRef| is_long(cs, *thread) && thread.argument.get(cs) & TOLD != 0;
    match named.filter(is_told) {
        Some(sender) => take_piece::<S>(cs, current, sender, room, room[1] == 0),
        None => fail::<S>(Error::State),
    }
}

/// Copies the next piece of what `sender` has left into the memory `[address, room]`, of at most
/// [`LONGEST_BYTES`]. The sender resumes if nothing is left, or if this `is_last`.
#[inline]
pub(super) fn take_piece<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    sender: ThreadRef,
    room: [usize; 2],
    is_last: bool,
) -> OutcomeOf<S> {
    let [address, length] = rest_of(cs, sender);
    if room[1] > 0 && overlap([address, length], room) {
        return fail::<S>(Error::Parameter);
    }
    let count = bytes::copy([address, length], room);
    let rest = length - count;
    sender.set_value(cs, address + count);
    sender.argument.set(cs, rest | TOLD);
    tell(
        cs,
        current,
        sender,
        [count, if is_last { length } else { rest }],
    );
    if is_last || rest == 0 {
        current.0.waiters.remove(cs, sender);
        forget_buffer(cs, sender);
        S::kernel().wake(cs, sender);
        S::kernel().lose_inheritance(cs, current);
    }
    go_on::<S>(cs, current)
}
