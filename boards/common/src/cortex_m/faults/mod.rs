//! Owns: the board's part of the fault program: faults that need instructions outside the language.
//!
//! Functions that call the kernel are compiled for the fault program alone, as functions of any
//! board: kernel code that is compiled with the board would not be compiled again for the programs
//! that are measured.

// Of the processors Armv6-M alone does not exchange words.
#[cfg(not(target_has_atomic = "32"))]
mod armv6m;
#[cfg(target_has_atomic = "32")]
mod armv7m;

#[cfg(target_has_atomic = "32")]
pub use armv7m::FromAbove;

use core::arch::asm;
use taktos_arch_cortex_m::lowest_of_thread;
use taktos_workloads::faults::{FaultBoard, Objects, slices, spin};

/// The fault cases in instructions of a Cortex-M.
#[derive(Clone, Copy, Debug)]
pub struct Faults;

/// Those of `Instructions` that all have.
macro_rules! instructions {
    () => {
        fn with_a_short_stack(room: usize, f: extern "C" fn()) -> ! {
            super::with_a_short_stack(room, f)
        }

        fn jump(place: usize) -> ! {
            super::jump(place)
        }

        fn undefined() {
            super::undefined();
        }
    };
}
use instructions;

/// Calls `f` again and again, each time with eight bytes of stack less.
fn with_a_short_stack(room: usize, f: extern "C" fn()) -> ! {
    // SAFETY: goes down on the thread's own stack; does not come back to what it clobbers.
    unsafe {
        asm!(
            "2:",
            "mov sp, r4",
            "blx r5",
            "subs r4, r4, #8",
            "b 2b",
            in("r4") lowest_of_thread() + room,
            in("r5") f,
            options(noreturn),
        );
    }
}

fn jump(place: usize) -> ! {
    // SAFETY: no instruction is executed there: it faults.
    unsafe { asm!("bx {}", in(reg) place, options(noreturn)) }
}

fn undefined() {
    // SAFETY: faults.
    unsafe { asm!("udf #0") };
}

/// Overflows at a switch: the processor's frame fits, but the other registers do not.
fn overflow_at_a_switch<S: FaultBoard>(objects: &'static Objects<S>) {
    slices(objects);
    with_a_short_stack(64, spin);
}

fn jump_to_an_even_address() {
    jump(jump_to_an_even_address as *const () as usize & !3);
}

/// Faults with everything masked that can be masked.
fn undefined_while_masked() {
    // SAFETY: faults.
    unsafe { asm!("cpsid i", "udf #0") };
}
