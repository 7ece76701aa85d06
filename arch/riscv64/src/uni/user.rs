//! Owns: how a path finds the processor, and where user mode is to be enabled, for one processor.
//! Must never know: what a path is for.
#![expect(
    clippy::extra_unused_type_parameters,
    reason = "its twin for another number of processors needs it"
)]

use crate::board::Board;
use crate::interrupt::{mask, unmask};
use crate::user::{crossing, map};

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

/// Has the processor execute what was written.
pub fn fetch_anew<B: Board>() {
    map::fetch_anew();
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

/// Nobody else has decided anything since.
macro_rules! call_again {
    () => {
        ""
    };
}

/// The end of an interrupt: both threads in the registers in which the switch expects them; goes to the label 2 where another one is to run.
macro_rules! branch_if_another {
    () => {
        "ld a1, {current}(tp)
         ld a0, {heir}(tp)
         bne a0, a1, 2f"
    };
}

/// Nobody else has decided anything when a thread faults.
macro_rules! branch_where_untold {
    () => {
        ""
    };
}

/// The same behind that.
macro_rules! resume_where_untold {
    () => {
        ""
    };
}

/// Code of a naked function that has [`find_processor!`] in it.
macro_rules! with_processor {
    ($($code:tt)*) => {
        core::arch::naked_asm!(
            $($code)*
            processor = sym taktos_arch_common::TAKTOS_PROCESSOR,
        )
    };
}

/// The same with [`enter!`].
macro_rules! with_call {
    ($($code:tt)*) => { $crate::processors::user::with_processor!($($code)*) };
}

/// Whether the thread that runs still has its turn: nobody else takes it.
#[inline(always)]
pub fn keep_turn() -> bool {
    true
}

pub(crate) use {
    branch_if_another, branch_where_untold, call_again, enter, find_processor, resume_where_untold,
    with_call, with_processor,
};
