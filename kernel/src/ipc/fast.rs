//! Owns: the fast path of a send, to a receiver that waits for just this sender and has its priority: one direct switch.
//! Must never know: buffers, time-outs, queues of senders.

use super::slow;
use super::{Message, refuse_in_handlers};
use crate::critical_section::{CriticalSection, Operation};
use crate::sched::{IntoResult, OutcomeOf, first_things_first, hold, slow_path};
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
    /// Errors: `Timeout`, `WouldBlock`; `Deleted` if the receiver does not run or ends meanwhile; `Deadlock` if
    /// it waits for the caller; `Parameter` if it waits with a buffer; `Context` in an interrupt handler.
    #[inline(always)]
    pub fn send(&'static self, message: Message, timeout: Timeout) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let [first, second] = message.0;
        let current = Kernel::<S>::running().current(cs);
        let receiver = self.reference();
        if awaits_equal::<S>(cs, current, receiver) {
            let words = Words {
                second,
                sender: current,
            }
            .pack(cs);
            return held
                .enter::<SendToEqual<S>>(self, first, words)
                .into_result::<S>();
        }
        cold_path();
        refuse_in_handlers::<S>()?;
        current.argument.set(cs, second);
        held.enter::<slow::Send<S, false>>(self, first, timeout)
            .into_result::<S>()
    }
}

/// Whether `receiver` waits for just the message of `current`, which runs, and is its equal.
#[inline(always)]
fn awaits_equal<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    receiver: ThreadRef,
) -> bool {
    receiver.wait.get(cs) == Wait::receive(current)
        && receiver.urgency.get(cs).equals(current.urgency.get(cs))
        && Kernel::<S>::share_queue(cs, current, receiver)
}

/// The fast path inside a call of a partition: none where it is not to be taken.
#[inline(always)]
pub(super) fn send_to_equal<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    receiver: &'static AnyThread<S>,
    [first, second]: [usize; 2],
) -> Option<OutcomeOf<S>> {
    awaits_equal::<S>(cs, current, receiver.reference()).then(|| {
        let words = Words {
            second,
            sender: current,
        };
        SendToEqual::<S>::run(cs, receiver, first, words.pack(cs))
    })
}

/// What goes with a message's first word: beside that, registers have room for 64 bits, where other operations have their
/// time-out.
struct Words {
    second: usize,
    sender: ThreadRef,
}

/// Both fit: the sender's address needs not be loaded again.
#[cfg(target_pointer_width = "32")]
impl Words {
    #[inline(always)]
    fn pack(self, _: CriticalSection<'_>) -> Timeout {
        Timeout::from_bits((self.sender.address() as u64) << 32 | self.second as u64)
    }

    #[inline(always)]
    #[expect(
        clippy::extra_unused_type_parameters,
        reason = "the same form for all widths"
    )]
    fn unpack<S: System>(_: CriticalSection<'_>, words: Timeout) -> Self {
        let [second, sender] = [words.bits() as usize, (words.bits() >> 32) as usize];
        Self {
            second,
            sender: crate::wait::thread(sender),
        }
    }
}

/// Only one of two wide words fits: the second word of the message goes by the sender's control block.
#[cfg(not(target_pointer_width = "32"))]
impl Words {
    fn pack(self, cs: CriticalSection<'_>) -> Timeout {
        self.sender.argument.set(cs, self.second);
        Timeout::NONE
    }

    fn unpack<S: System>(cs: CriticalSection<'_>, _: Timeout) -> Self {
        let sender = Kernel::<S>::running().current(cs);
        Self {
            second: sender.argument.get(cs),
            sender,
        }
    }
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
            return slow_path(wake_special::<S>(cs, sender, receiver));
        }
        receiver.wait.set(cs, Wait::NOTHING);
        // The caller has seen that both share a queue, with the section that is held still.
        Kernel::<S>::conclude_by_direct_switch(cs, sender, receiver, urgency.effective())
    }
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
