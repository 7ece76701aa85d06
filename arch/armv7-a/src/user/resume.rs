//! Owns: how a thread of a partition resumes. Must never know: why.
//!
//! All that is loaded into registers here is the thread's own, or nothing. The last instruction is
//! executed in supervisor mode, which has a link register that no thread sees.

use super::entry::clear_rest;
use super::loaded::{LOADED, NOBODY, load_map, loaded_in};
use super::state::{self, OFFSET, R12, REGISTERS, STACK, WORD};
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_machine::Context;

/// Offset of the second word of a thread's message in its control block; the sender follows it.
/// Defined by the kernel.
const ARGUMENT: i32 = 28;
/// From the end of the frame back to the control block.
const CONTROL_BLOCK: i32 = -((OFFSET + state::LOADED) as i32);

/// Ensures that the map of the thread's partition is loaded. Destroys r2, r3 and r12.
macro_rules! have_map {
    () => {
        concat!(
            "ldr r3, [sp]\n",
            loaded_in!("r12"),
            "\n ldr r2, [r12]
             cmp r2, r3
             beq 1f
             str r3, [r12]
             ldr r3, [r3]\n",
            load_map!(),
            "\n 1:"
        )
    };
}

/// Loads the stack pointer, the link register and the thread's word. Then it is in supervisor mode,
/// with lr at the saved program counter, and r12 at the end of the frame.
macro_rules! load_own {
    () => {
        "mov r12, sp
         ldr r3, [r12, #{word}]
         ldr lr, [r12, #{stack} + 4]
         mcr p15, 0, r3, c13, c0, 2
         ldr sp, [r12, #{stack}]
         cps #{supervisor_mode}
         add lr, r12, #{word} + 4"
    };
}

const SUPERVISOR_MODE: u32 = 0x13;

/// Resumes a thread that was switched out in a call; its saved frame leads here. The result is in
/// r0 and r1; r6, r7, r10 and r11 are the thread's own; the stack pointer leads to the end of the
/// frame.
#[unsafe(naked)]
pub extern "C" fn resume() {
    naked_asm!(
        have_map!(),
        "cmp r0, #0",
        "bne 4f",
        "2:",
        load_own!(),
        "ldrd r2, r3, [r12, #{argument}]",
        clear_rest!(),
        "rfeia lr",
        "4:",
        "mov r3, #0",
        "str r3, [sp, #{status}]",
        "b 2b",
        loaded = sym LOADED,
        nobody = const NOBODY,
        word = const WORD - state::LOADED,
        stack = const STACK - state::LOADED,
        argument = const CONTROL_BLOCK + ARGUMENT,
        status = const CONTROL_BLOCK + offset_of!(Context, status) as i32,
        supervisor_mode = const SUPERVISOR_MODE,
    )
}

/// Resumes a thread of a partition that was interrupted: all registers are its own.
#[unsafe(naked)]
pub extern "C" fn resume_interrupted() {
    naked_asm!(
        have_map!(),
        load_own!(),
        "ldrd r0, r1, [r12, #{registers}]",
        "ldrd r2, r3, [r12, #{registers} + 8]",
        "ldr r12, [r12, #{r12}]",
        "rfeia lr",
        loaded = sym LOADED,
        nobody = const NOBODY,
        word = const WORD - state::LOADED,
        stack = const STACK - state::LOADED,
        registers = const REGISTERS - state::LOADED,
        r12 = const R12 as i32 - state::LOADED as i32,
        supervisor_mode = const SUPERVISOR_MODE,
    )
}
