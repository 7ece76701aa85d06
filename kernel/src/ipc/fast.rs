//! Owns: the fast path of a send, to a receiver that waits for just this sender and has its
//! priority: one direct switch. Must never know: buffers, time-outs, queues of senders.

use super::slow;
use super::{Message, refuse_in_handlers};
use crate::critical_section::{CriticalSection, Operation};
use crate::sched::{IntoResult, OutcomeOf, compiler_barrier, hold, is_smp, slow_path};
use crate::thread::AnyThread;
use crate::thread::tcb::ThreadRef;
use crate::wait::Wait;
use crate::{Kernel, System};
use core::hint::cold_path;
use core::marker::PhantomData;
use taktos_abi::{Error, Timeout};
use taktos_machine::Outcome;

impl<S: System> AnyThread<S> {
    /// Sends `message` to this thread, waiting until it has received it.
    ///
    /// Bound where the receiver waits: fixed, one and the same for any number of other threads.
    /// Errors: `Timeout`, `WouldBlock`; `Deleted` if the receiver does not run or ends meanwhile;
    /// `Deadlock` if it waits for the caller; `Parameter` if it waits with a buffer; `Context`
    /// in an interrupt handler.
    #[inline(always)]
    pub fn send(&'static self, message: Message, timeout: Timeout) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let [first, second] = message.0;
        let current = held.running().current(cs);
        if awaits_equal(cs, current, self.reference()) {
            let words = pack(cs, current, second);
            let answer = held.enter::<SendToEqual<S>>(self, first, words);
            return answer.into_result::<S>();
        }
        cold_path();
        refuse_in_handlers::<S>()?;
        current.argument.set(cs, second);
        let answer = held.enter::<slow::Send<S, false>>(self, first, timeout);
        answer.into_result::<S>()
    }
}

/// Whether `receiver` waits for just the message of `current`, which runs, and is its equal.
#[inline(always)]
fn awaits_equal(cs: CriticalSection<'_>, current: ThreadRef, receiver: ThreadRef) -> bool {
    receiver.wait.get(cs) == Wait::receive(current)
        && receiver.urgency.get(cs).equals(current.urgency.get(cs))
}

/// The fast path inside a call of a partition: none where it is not to be taken.
#[inline(always)]
pub(super) fn send_to_equal<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    receiver: &'static AnyThread<S>,
    [first, second]: [usize; 2],
) -> Option<OutcomeOf<S>> {
    awaits_equal(cs, current, receiver.reference())
        .then(|| SendToEqual::<S>::run(cs, receiver, first, pack(cs, current, second)))
}

/// Packs the words that go with a message's first word. Registers have space for 64 bits more,
/// where other operations have their time-out. Here both fit: the second word and the sender's
/// address, which need not be loaded again.
#[cfg(target_pointer_width = "32")]
#[inline(always)]
fn pack(_: CriticalSection<'_>, sender: ThreadRef, second: usize) -> Timeout {
    Timeout::from_bits((sender.address() as u64) << 32 | second as u64)
}

/// The sender and the message's second word, as [`pack`] has put them together.
#[cfg(target_pointer_width = "32")]
#[inline(always)]
fn unpack(_: CriticalSection<'_>, words: Timeout) -> (ThreadRef, usize) {
    let [second, sender] = [words.bits() as usize, (words.bits() >> 32) as usize];
    (crate::wait::thread(sender), second)
}

/// Only one of two wide words fits, which is the sender's address: the message's second word goes
/// by its control block.
#[cfg(not(target_pointer_width = "32"))]
#[inline(always)]
fn pack(cs: CriticalSection<'_>, sender: ThreadRef, second: usize) -> Timeout {
    sender.argument.set(cs, second);
    Timeout::from_bits(sender.address() as u64)
}

/// The sender and the message's second word, as [`pack`] has put them together.
#[cfg(not(target_pointer_width = "32"))]
#[inline(always)]
fn unpack(cs: CriticalSection<'_>, words: Timeout) -> (ThreadRef, usize) {
    let sender = crate::wait::thread(words.bits() as usize);
    (sender, sender.argument.get(cs))
}

struct SendToEqual<S>(PhantomData<S>);

impl<S: System> Operation<S> for SendToEqual<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;
    /// Of several processors another one may run the receiver.
    const ALWAYS_SWITCHES: bool = !is_smp::<S>();

    /// The receiver, of the same priority as the running thread, waits for a message from it. Its
    /// words are `first`, and what [`pack`] made of the second one and of the sender.
    fn run(
        cs: CriticalSection<'_>,
        receiver: &'static AnyThread<S>,
        first: usize,
        packed: Timeout,
    ) -> OutcomeOf<S> {
        let receiver = receiver.reference();
        let (sender, second) = unpack(cs, packed);
        receiver.set_value(cs, first);
        receiver.argument.set(cs, second);
        compiler_barrier();
        let urgency = receiver.urgency.get(cs);
        if urgency.is_special() {
            return slow_path(wake_special::<S>(cs, sender, receiver));
        }
        receiver.wait.set(cs, Wait::NOTHING);
        Kernel::<S>::conclude_by_direct_switch(cs, sender, receiver, urgency.effective())
    }
}

/// Ends a send to a receiver that has its message, and a time-out, or is suspended. Always a
/// switch, if only to the sender itself.
#[cold]
#[inline(never)]
fn wake_special<S: System>(
    cs: CriticalSection<'_>,
    sender: ThreadRef,
    receiver: ThreadRef,
) -> OutcomeOf<S> {
    S::kernel().wake_receiver(cs, sender, receiver);
    // Unknown, on several processors, where another one waits for the sender's registers.
    let heir = S::kernel().heir(cs);
    OutcomeOf::<S>::switch(sender.context(), heir.context())
}
