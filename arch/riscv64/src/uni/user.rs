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

/// Activates all that was written to tables, which the processor may have read before.
pub fn forget<B: Board>() {
    map::forget();
}

/// Makes the processor execute newly written code.
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

/// The end of an interrupt: both threads in the registers in which the switch expects them; goes to
/// the label 2 where another one is to run.
macro_rules! branch_if_another {
    () => {
        "ld a1, {current}(tp)
         ld a0, {heir}(tp)
         bne a0, a1, 2f"
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

// No other processor has decided anything since a call or a fault.
pub(crate) use taktos_arch_common::one::keep_turn;
pub(crate) use taktos_arch_common::{
    nothing as branch_where_untold, nothing as call_again, nothing as resume_where_untold,
};
pub(crate) use {
    branch_if_another, enter, find_processor, with_processor, with_processor as with_call,
};
