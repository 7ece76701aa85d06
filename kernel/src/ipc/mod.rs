//! Owns: synchronous messages from thread to thread by direct switching.
//! Must never know: objects that messages could be kept in.
//!
//! After "Fixed Time Synchronous IPC in Zephyr Kernel" (2017): a thread sends to a thread. If the
//! receiver already waits, it resumes at once, on the rest of the sender's time slice, whatever the
//! number of other ready threads; the sender goes behind its equals. The message of a blocked
//! sender, and one that was received, are stored in the control block: one word in the answer, one
//! in `argument`.
//!
//! Which thread runs after a send is the [`Rule`]'s choice. A caller lends its priority to the
//! server until the reply, and its place among its equals.

mod bytes;
mod call;
mod entered;
mod fast;
mod long;
mod slow;

pub use bytes::LONGEST_MESSAGE;
pub(crate) use entered::{go_on, reply_and_receive_entered, reply_entered};
pub(crate) use long::fetch_entered;

use crate::critical_section::Held;
use crate::sched::{IntoResult, hold};
use crate::thread::AnyThread;
use crate::wait::Wait;
use crate::{Kernel, System};
use call::{Call, Reply, ReplyAndReceive};
use slow::Receive;
use taktos_abi::{Error, Timeout};
use taktos_machine::Machine;

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
    /// The sender of the message.
    pub sender: &'static AnyThread<S>,
    /// The message itself.
    pub message: Message,
    /// Whether the sender waits for a [`AnyThread::reply`].
    pub wants_reply: bool,
}

/// When a send switches straight to a receiver that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// If the receiver is at least as urgent as the sender, so that no ready thread is overtaken by
    /// a less urgent one; otherwise the sender continues. Analysis expects this rule, which is the
    /// one at the start.
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
    /// Receives a message from this thread, waiting for it as long as `timeout` says.
    ///
    /// Bound without waiting: fixed, and the sender's time-out and inheritance where it has these.
    /// Errors: `Timeout`, `WouldBlock`; `Deleted` if the sender does not run or ends meanwhile;
    /// `Deadlock` if it waits for the caller; `Parameter` if it sends a buffer; `Context` in an
    /// interrupt handler.
    #[inline(always)]
    pub fn receive_from(&'static self, timeout: Timeout) -> Result<Message, Error> {
        let answer = hold::<S>().enter::<Receive<S, false>>(self, 0, timeout);
        answer.into_result::<S>()?;
        Ok(Message([answer.value, Self::own_argument()]))
    }

    /// Receives a message from any thread, the most urgent sender first. Bounds and errors: as
    /// [`AnyThread::receive_from`], but for `Deleted` and `Deadlock`.
    pub fn receive(timeout: Timeout) -> Result<Received<S>, Error> {
        let current = Self::current();
        let answer = hold::<S>().enter::<Receive<S, false>>(current, 0, timeout);
        answer.into_result::<S>()?;
        Ok(Self::received(answer.value))
    }

    /// Sends `message` to this thread and waits for its reply, both within `timeout`, in one kernel
    /// call. Until then the thread has at least the caller's priority.
    ///
    /// Errors: as [`AnyThread::send`].
    pub fn call(&'static self, message: Message, timeout: Timeout) -> Result<Message, Error> {
        refuse_in_handlers::<S>()?;
        let [first, second] = message.0;
        let held = hold_with_second_word::<S>(second);
        let answer = held.enter::<Call<S>>(self, first, timeout);
        answer.into_result::<S>()?;
        Ok(Message([answer.value, Self::own_argument()]))
    }

    /// Replies to the call of this thread, which resumes. Never waits.
    ///
    /// Bound: fixed, the caller's time-out, and the inheritance. Errors: `State` if it does not
    /// wait for the running thread's reply; `Context` in an interrupt handler.
    pub fn reply(&'static self, message: Message) -> Result<(), Error> {
        refuse_in_handlers::<S>()?;
        let [first, second] = message.0;
        hold_with_second_word::<S>(second)
            .enter::<Reply<S>>(self, first, Timeout::NONE)
            .into_result::<S>()
    }

    /// [`AnyThread::reply`] to this thread, then [`AnyThread::receive`], in one kernel call: what a
    /// server does in its loop. If the reply fails, nothing is received.
    pub fn reply_and_receive(
        &'static self,
        message: Message,
        timeout: Timeout,
    ) -> Result<Received<S>, Error> {
        refuse_in_handlers::<S>()?;
        let [first, second] = message.0;
        let held = hold_with_second_word::<S>(second);
        let answer = held.enter::<ReplyAndReceive<S>>(self, first, timeout);
        answer.into_result::<S>()?;
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

/// Refuses a call in a handler: there the running thread is the interrupted one, with words of its
/// own.
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
