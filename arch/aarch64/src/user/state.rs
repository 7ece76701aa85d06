//! Owns: what is kept of a thread of a partition that does not run. Must never know: how it came to
//! that.

use super::resume::resume;
use crate::switch::CALL_FRAME;
use core::mem::offset_of;
use core::ptr;
use taktos_machine::{Context, UserStart};

taktos_arch_common::saved_state! {
    160;
    /// Saved state of a thread. [`Context::stack_pointer`] leads to its beginning. The paths of
    /// privileged threads find there the frame of a thread that switched away in a call, and
    /// continue at `resume_at`.
    #[repr(C, align(16))]
    pub struct UserState {
        x19,
        x29,
        resume_at,
        partition,
        /// `SP_EL0`.
        stack_pointer,
        /// `TPIDR_EL0`, which a thread uses as it likes.
        thread_word,
        pc,
        /// The processor's state; its highest bit, which means nothing to the processor, is set of
        /// a thread that was interrupted: all registers are its own, and it gets no answer.
        status,
        /// x0 to x18, x20 to x28 and x30 of such a thread.
        registers[REGISTERS],
    }
}

const REGISTERS: usize = 30;

/// The offset of the partition in it.
pub const PARTITION: usize = offset_of!(UserState, partition);
/// Offset of the thread's stack pointer from the end of the frame, where the switch leaves the
/// stack pointer when a thread resumes; the thread's word follows it.
pub const STACK: usize = offset_of!(UserState, stack_pointer) - CALL_FRAME;
/// The program counter; the state follows it.
pub const PC: usize = offset_of!(UserState, pc) - CALL_FRAME;
/// The registers.
pub const REST: usize = offset_of!(UserState, registers) - CALL_FRAME;
/// From there back to the control block.
pub const CONTROL_BLOCK: i32 = -((OFFSET + CALL_FRAME) as i32);

/// The bit of [`UserState::status`] of a thread that was interrupted.
pub const INTERRUPTED: usize = 63;

const _: () = assert!(offset_of!(UserState, resume_at) == 16 && STACK == 0);

/// [`Isolation::prepare_user`](taktos_machine::Isolation::prepare_user): it resumes as one that was
/// interrupted before its first instruction.
pub fn prepare(context: &Context, start: &UserStart) {
    let state = of(context);
    for register in [&state.x19, &state.x29, &state.thread_word] {
        register.set(0);
    }
    for register in &state.registers {
        register.set(0);
    }
    for (register, argument) in state.registers.iter().zip(start.arguments) {
        register.set(argument);
    }
    state.resume_at.set(resume as *const () as usize);
    state.partition.set(start.partition.expose_provenance());
    state.stack_pointer.set(start.stack_top & !15);
    state.pc.set(start.entry.addr());
    state.status.set(1 << INTERRUPTED);
    context
        .stack_pointer
        .set(ptr::from_ref(state).expose_provenance());
}
