//! Owns: which map is loaded, and on which processors user mode is to be enabled: on all, before
//! any thread of a partition runs. Must never know: what is in a map.
//!
//! Each processor's own register (`TTBR0_EL1`) holds its map, and its block the running thread.

use super::{Arm, controller};
use crate::board::Board;
use crate::user::vectors;
use crate::{interrupt, state};
use aarch64_cpu::registers::{Readable, TTBR0_EL1};
use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering};

/// Value of `TTBR0_EL1` for the kernel.
#[repr(transparent)]
pub struct Kernel(Cell<usize>);

// SAFETY: written in a thread with privilege, which has that map, and each time with the same, as
// all processors have it.
unsafe impl Sync for Kernel {}

pub static LOADED: Kernel = Kernel(Cell::new(0));

/// Keeps what is loaded, which is the kernel's map: this is a thread with privilege.
pub fn keep_kernel() {
    LOADED.0.set(TTBR0_EL1.get() as usize);
}

/// Returns the value of `TTBR0_EL1` for the kernel.
pub fn kernel() -> usize {
    LOADED.0.get()
}

/// The software interrupt by which the others are notified: the last.
const ENABLE: u32 = interrupt::SOFTWARE - 1;

/// Bit n is set when the processor n has done so.
static DONE: AtomicU32 = AtomicU32::new(0);

/// Enables user mode on all processors, and comes back when it is so: that is an interrupt on each.
pub fn enable<B: Board>() {
    let all = u32::MAX >> (u32::BITS - B::PROCESSORS as u32);
    if DONE.load(Ordering::Acquire) == all {
        return;
    }
    interrupt::set_handler::<B>(ENABLE, enable_here);
    for number in 0..B::PROCESSORS {
        controller::send_to::<B>(ENABLE, number);
    }
    while DONE.load(Ordering::Acquire) != all {
        core::hint::spin_loop();
    }
}

/// In the handler: the processor is the same all the time.
fn enable_here() {
    vectors::enable();
    DONE.fetch_or(1 << state::own().number.get(), Ordering::Release);
}

/// The partition that calls, in x22, with the lock; this processor's address in x21. Continues at
/// the label 44 if [`take!`](crate::pieces) does.
macro_rules! enter {
    () => {
        concat!(
            "mrs x21, tpidr_el1\n",
            $crate::pieces::take!("x21"),
            "ldr x22, [x21, #{current}]
             ldr x22, [x22, #{partition}]"
        )
    };
}

/// Whether the map of the partition of x11 is loaded: equal. Loads the program counter and the
/// state into x9 and x10 meanwhile.
macro_rules! compare_map {
    () => {
        "mrs x12, ttbr0_el1
         ldr x13, [x11]
         ldp x9, x10, [sp, #{pc}]
         cmp x12, x13"
    };
}

/// Loads that map after [`compare_map!`].
macro_rules! load_map {
    () => {
        "msr ttbr0_el1, x13"
    };
}

/// Loads the kernel's map. Destroys x9 and x10.
macro_rules! load_kernel {
    () => {
        "adrp x9, {loaded}
         ldr x10, [x9, :lo12:{loaded}]
         msr ttbr0_el1, x10"
    };
}

/// Loads the kernel's value of `TTBR0_EL1` into x0, and the beginning of the handlers' stack into
/// x1.
macro_rules! kernel_map {
    () => {
        "adrp x0, {loaded}
         ldr x0, [x0, :lo12:{loaded}]
         mrs x1, tpidr_el1
         ldr x1, [x1, #{handlers}]"
    };
}

/// Code of a naked function that has [`kernel_map!`] in it.
macro_rules! with_kernel_map {
    ($($code:tt)*) => {
        core::arch::naked_asm!(
            $($code)*
            loaded = sym $crate::processors::user::LOADED,
            handlers = const core::mem::offset_of!($crate::state::State, handler_stack),
        )
    };
}

/// The map of the partition of the thread that runs, in x2.
macro_rules! own_map {
    () => {
        "mrs x2, tpidr_el1
         ldr x2, [x2, #{current}]
         ldr x2, [x2, #{partition}]
         ldr x2, [x2]"
    };
}

/// Code of a naked function that has [`own_map!`] in it, and the end of an interrupt.
macro_rules! with_own_map {
    ($($code:tt)*) => {
        $crate::processors::entry::with_choice!(
            $($code)*
            partition = const $crate::user::state::OFFSET + $crate::user::state::PARTITION,
        )
    };
}

/// Code of a naked function that has [`enter!`] in it.
macro_rules! with_call {
    ($($code:tt)*) => {
        core::arch::naked_asm!(
            $($code)*
            wait = sym $crate::processors::wait_for_lock,
            current = const core::mem::offset_of!(taktos_machine::Processor, current),
            partition = const $crate::user::state::OFFSET + $crate::user::state::PARTITION,
        )
    };
}

/// Goes back to the instruction that called; the stack pointer is the thread's.
macro_rules! call_again {
    () => {
        concat!(
            "44:
             mrs x9, elr_el1
             sub x9, x9, #4
             msr elr_el1, x9
             mov sp, x20
             .irp n, 4,5,6,7,9,10,11,12,13,14,15,16,17,18,30
             mov x\\n, xzr
             .endr\n",
            $crate::user::resume::clear_own!(),
            "\neret\n"
        )
    };
}

/// Branches if the fault was not reported, after [`keep_turn`].
macro_rules! branch_where_untold {
    () => {
        "cbz x0, 2f"
    };
}

/// Gives the registers back, and the thread its turn.
macro_rules! restore_where_untold {
    () => {
        concat!(
            "2:\n",
            $crate::registers::x2_to_x17!("ldp", "sp, #"),
            $crate::registers::x18_to_x29!("ldp", "sp, #"),
            "ldr x30, [sp, #240]
             ldp x0, x1, [sp]
             add sp, sp, #{size}
             eret"
        )
    };
}

/// As the common part says.
pub(crate) fn keep_turn() -> bool {
    taktos_arch_common::keep_turn::<Arm>()
}

// [`compare_map!`] names nothing.
pub(crate) use core::arch::naked_asm as with_loaded;
pub(crate) use {
    branch_where_untold, call_again, compare_map, enter, kernel_map, load_kernel, load_map,
    own_map, restore_where_untold, with_call, with_kernel_map, with_own_map,
};
