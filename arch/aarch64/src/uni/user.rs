//! Owns: which map is loaded, and on which processors user mode is to be enabled, for one
//! processor. Must never know: what is in a map.
//!
//! The paths learn from memory which partition runs: that is one instruction less than to find the
//! thread that does.
#![expect(
    clippy::extra_unused_type_parameters,
    reason = "its twin for another number of processors needs it"
)]

use crate::board::Board;
use crate::user::vectors;
use aarch64_cpu::registers::{Readable, TTBR0_EL1};
use core::cell::Cell;

/// Partition that has its map loaded, or none; and the value of `TTBR0_EL1` for the kernel.
#[repr(C, align(16))]
pub struct Loaded {
    partition: Cell<usize>,
    kernel: Cell<usize>,
}

// SAFETY: the former is written by the switch alone, which nothing of its kind interrupts, the
// latter before there is anything to switch.
unsafe impl Sync for Loaded {}

pub static LOADED: Loaded = Loaded {
    partition: Cell::new(0),
    kernel: Cell::new(0),
};

/// Keeps what is loaded, which is the kernel's map: this is a thread with privilege.
pub fn keep_kernel() {
    LOADED.kernel.set(TTBR0_EL1.get() as usize);
}

/// Returns the value of `TTBR0_EL1` for the kernel.
pub fn kernel() -> usize {
    LOADED.kernel.get()
}

/// Enables user mode.
pub fn enable<B: Board>() {
    vectors::enable();
}

/// The partition that calls, in x22.
macro_rules! enter {
    () => {
        "adrp x21, {loaded}
         ldr x22, [x21, :lo12:{loaded}]"
    };
}

/// Whether the map of the partition of x11 is loaded: equal. Loads the program counter and the
/// state into x9 and x10 meanwhile.
macro_rules! compare_map {
    () => {
        "adrp x12, {loaded}
         ldr x13, [x12, :lo12:{loaded}]
         ldp x9, x10, [sp, #{pc}]
         cmp x11, x13"
    };
}

/// Loads that map after [`compare_map!`].
macro_rules! load_map {
    () => {
        "ldr x13, [x11]
         str x11, [x12, :lo12:{loaded}]
         msr ttbr0_el1, x13"
    };
}

/// Loads the kernel's map. Destroys x9 and x10.
macro_rules! load_kernel {
    () => {
        "adrp x9, {loaded}
         add x9, x9, :lo12:{loaded}
         ldr x10, [x9, #8]
         str xzr, [x9]
         msr ttbr0_el1, x10"
    };
}

/// Loads the kernel's value of `TTBR0_EL1` into x0, and the beginning of the handlers' stack into
/// x1.
macro_rules! kernel_map {
    () => {
        "adrp x0, {loaded}
         add x0, x0, :lo12:{loaded}
         ldr x0, [x0, #8]
         adrp x1, {handlers}
         add x1, x1, :lo12:{handlers}
         add x1, x1, #{begin}"
    };
}

/// Code of a naked function that has [`kernel_map!`] in it.
macro_rules! with_kernel_map {
    ($($code:tt)*) => {
        core::arch::naked_asm!(
            $($code)*
            loaded = sym $crate::processors::user::LOADED,
            handlers = sym $crate::processors::entry::HANDLER_STACK,
            begin = const taktos_arch_common::HandlerStack::BEGIN,
        )
    };
}

/// The map of the partition of the thread that runs, in x2.
macro_rules! own_map {
    () => {
        "adrp x2, {loaded}
         ldr x2, [x2, :lo12:{loaded}]
         ldr x2, [x2]"
    };
}

/// Code of a naked function that has [`compare_map!`], [`enter!`] or [`own_map!`] in it.
macro_rules! with_loaded {
    ($($code:tt)*) => {
        core::arch::naked_asm!($($code)* loaded = sym $crate::processors::user::LOADED)
    };
}

// No other processor has decided anything since a call or a fault.
pub(crate) use taktos_arch_common::one::keep_turn;
pub(crate) use taktos_arch_common::{
    nothing as branch_where_untold, nothing as call_again, nothing as restore_where_untold,
};
pub(crate) use {
    compare_map, enter, kernel_map, load_kernel, load_map, own_map, with_kernel_map, with_loaded,
    with_loaded as with_call, with_loaded as with_own_map,
};
