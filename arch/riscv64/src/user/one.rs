//! Owns: how a path finds the processor, and where user mode is to be enabled, for one processor.
//! Must never know: what a path is for.
#![expect(
    clippy::extra_unused_type_parameters,
    reason = "its twin for another number of processors needs it"
)]

use super::{crossing, map};
use crate::board::Board;
use crate::interrupt::{mask, unmask};

/// Enables user mode.
pub fn enable<B: Board>() {
    mask();
    map::look_at_spaces();
    crossing::enable();
    unmask();
}

/// Has all that was written to tables count, which the processor may have looked at before.
pub fn forget<B: Board>() {
    map::forget();
}

/// The processor's address, in the register named.
macro_rules! find_processor {
    ($register:literal) => {
        concat!("la ", $register, ", {processor}\n")
    };
}

/// The partition that calls, in s5.
macro_rules! enter {
    () => {
        "ld s5, {current}(tp)
         ld s5, {partition}(s5)\n"
    };
}

pub(super) use {enter, find_processor};
