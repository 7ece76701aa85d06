//! Owns: a decision's outcome as a machine finds it in two registers. To switch: the thread to
//! resume, and the one to save. To stay: twice the status plus one (no thread has an odd address),
//! and the value. Must never know: the registers' names.

use crate::reexports::two_words;
use taktos_machine::{Answer, Context, Outcome};

/// A decision's outcome in the two registers that a function's result comes in.
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

/// That of machines on which a structure does not come in registers, and an integer does.
#[repr(transparent)]
pub struct Outcome32(u64);

impl Outcome for Outcome32 {
    #[inline(always)]
    fn switch(from: *const Context, to: *const Context) -> Self {
        Self(two_words(to.addr(), from.addr()) as u64)
    }

    #[inline(always)]
    fn stay(answer: Answer) -> Self {
        Self(two_words(answer.status.word() << 1 | 1, answer.value) as u64)
    }
}
