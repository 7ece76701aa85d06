//! Owns: a decision's outcome as a machine finds it in two registers.

use taktos_machine::{Answer, Context, Outcome};

/// A decision's outcome in the two registers that a function's result comes in. To switch: the thread to go on with, and the one to
/// save. To stay: twice the status plus one (no thread has an odd address), and the value.
#[repr(C)]
pub struct Outcome64 {
    first: usize,
    second: usize,
}

impl Outcome for Outcome64 {
    #[inline(always)]
    fn switch(from: *const Context, to: *const Context) -> Self {
        Self {
            first: to.addr(),
            second: from.addr(),
        }
    }

    #[inline(always)]
    fn stay(answer: Answer) -> Self {
        Self {
            first: answer.status.word() << 1 | 1,
            second: answer.value,
        }
    }
}
