//! Owns: what is kept of a thread of a partition that does not run. Must never know: how it came to
//! that.

use super::resume::resume_interrupted;
use crate::switch::CALL_FRAME;
use core::arch::asm;
use core::cell::Cell;
use core::mem::offset_of;
use core::ptr;
use taktos_machine::{Context, FAULT_REGISTERS, UserStart};

taktos_arch_common::saved_state! {
    160;
    /// Saved state of a thread. [`Context::stack_pointer`] leads to its beginning. The paths of
    /// privileged threads find there the frame of a thread that switched away in a call, and
    /// continue at `resume_at`.
    #[repr(C, align(16))]
    pub struct UserState {
        s0,
        s1,
        resume_at,
        partition,
        /// x0 to x31, pc, and `sstatus`. Of a thread that called the kernel the stack pointer, tp
        /// and pc alone count, and the last.
        registers[FAULT_REGISTERS],
    }
}

/// The offsets in it of the partition, and of the address to resume at.
pub const PARTITION: usize = offset_of!(UserState, partition);
pub const RESUME_AT: usize = offset_of!(UserState, resume_at);
/// Where the registers lie in it.
pub const REGISTERS: usize = offset_of!(UserState, registers);

/// Places among the registers: of those that have names, and of what is not numbered.
pub const SP: usize = 2;
pub const GP: usize = 3;
pub const TP: usize = 4;
const FIRST_ARGUMENT: usize = 10;
pub const PC: usize = 32;
pub const STATUS: usize = 33;

/// `sstatus` of a thread in U-mode, besides the width of its registers: it came from there, and
/// interrupts are let through. No unit is on.
const CAME_UNMASKED: usize = 1 << 5;
const WIDTH: usize = 3 << 32;

// The switch leaves the stack pointer at the end of the frame: at the registers.
const _: () = assert!(RESUME_AT == 16 && REGISTERS == CALL_FRAME && PARTITION == 24);

impl UserState {
    /// Returns the registers, as a fault reports them.
    pub fn registers(&self) -> [usize; FAULT_REGISTERS] {
        self.registers.each_ref().map(Cell::get)
    }
}

/// [`Isolation::prepare_user`](taktos_machine::Isolation::prepare_user): it resumes as one that was
/// interrupted before its first instruction.
pub fn prepare(context: &Context, start: &UserStart) {
    let (global, status): (usize, usize);
    // SAFETY: reads two registers.
    unsafe {
        asm!(
            "mv {}, gp",
            "csrr {}, sstatus",
            out(reg) global,
            out(reg) status,
            options(nomem, nostack, preserves_flags),
        );
    }
    let state = of(context);
    for register in &state.registers {
        register.set(0);
    }
    let [first, second] = start.arguments;
    let begun = [
        (SP, start.stack_top & !15),
        (GP, global),
        (FIRST_ARGUMENT, first),
        (FIRST_ARGUMENT + 1, second),
        (PC, start.entry.addr()),
        (STATUS, status & WIDTH | CAME_UNMASKED),
    ];
    for (place, value) in begun {
        state.registers[place].set(value);
    }
    state
        .resume_at
        .set(resume_interrupted as *const () as usize);
    state.partition.set(start.partition.expose_provenance());
    context
        .stack_pointer
        .set(ptr::from_ref(state).expose_provenance());
}
