//! Owns: the form of a decision: what goes into it, and what the machine is told.

use crate::{Context, Machine};
use taktos_abi::{Status, Timeout};

/// What a kernel call gives back in registers: a status and a word.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Answer {
    /// Whether the call did what it was asked to.
    pub status: Status,
    /// What the call brings, where it brings something.
    pub value: usize,
}

/// What a decision tells the machine; in a form that the machine finds in registers.
pub trait Outcome {
    /// Save the present thread in `from` and go on with `to`.
    fn switch(from: *const Context, to: *const Context) -> Self;
    /// Go on with the present thread, which gets `answer`.
    fn stay(answer: Answer) -> Self;
}

/// What a function that C calls gives back of an [`Answer`] where that is an error: [`Machine::enter_last`].
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
    /// Whether the decision looks at its argument and its time-out; where it does not, a machine need not
    /// carry them.
    const USES_WORDS: bool = true;
    /// Whether, if it looks at any of the two, it looks at its time-out.
    const USES_TIMEOUT: bool = true;
    /// Whether the outcome is always a switch, be it to the caller itself.
    const ALWAYS_SWITCHES: bool = false;
    /// Whether the operation may make the caller wait: in an interrupt handler it is not even
    /// begun, and the answer is [`Error::Context`](taktos_abi::Error::Context).
    const BLOCKS: bool;

    /// Does the operation, with a word of the caller's, and says who runs next.
    extern "C" fn decide(
        object: &'static Self::Object,
        argument: usize,
        timeout: Timeout,
    ) -> M::Outcome;
}
