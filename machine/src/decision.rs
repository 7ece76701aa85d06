//! Owns: the form of a decision: its input, and its result for the machine.

use crate::{Context, Machine};
use taktos_abi::{Status, Timeout};

/// The return value of a kernel call, in registers: a status and a word.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Answer {
    /// The status of the call: success, or an error.
    pub status: Status,
    /// The word that the call returns, if it returns one.
    pub value: usize,
}

/// The result of a decision, in a form that the machine finds in registers.
pub trait Outcome {
    /// Saves the present thread in `from` and continues with `to`.
    fn switch(from: *const Context, to: *const Context) -> Self;
    /// Continues with the present thread, which gets `answer`.
    fn stay(answer: Answer) -> Self;
}

/// The conversion of an [`Answer`] with an error to the return value of a function that C calls:
/// [`Machine::enter_last`].
pub trait Reply {
    /// The word for the status of a call that failed.
    extern "C" fn failed(status: Status) -> usize;
}

/// A kernel operation that may switch threads. Interrupts are masked while it decides.
///
/// A decision to switch has already written [`Processor::heir`](crate::Processor::heir).
pub trait Decision<M: Machine> {
    /// The kernel object concerned.
    type Object: 'static;
    /// Whether the thread that is switched to runs for the rest of the present time slice.
    const KEEPS_SLICE: bool = false;
    /// Whether the decision reads its argument and its time-out; if it does not, a machine need not
    /// carry them.
    const USES_WORDS: bool = true;
    /// Whether, if it reads any of the two, it reads its time-out.
    const USES_TIMEOUT: bool = true;
    /// Whether the outcome is always a switch, be it to the caller itself.
    const ALWAYS_SWITCHES: bool = false;
    /// Whether the operation may make the caller wait: in an interrupt handler it is not even
    /// begun, and the answer is [`Error::Context`](taktos_abi::Error::Context).
    const BLOCKS: bool;

    /// Executes the operation with a word of the caller's. Returns the thread that runs next.
    extern "C" fn decide(
        object: &'static Self::Object,
        argument: usize,
        timeout: Timeout,
    ) -> M::Outcome;
}
