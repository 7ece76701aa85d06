//! Owns: what is kept of a thread of a partition that does not run. Must never know: how it came to that.

use super::resume::resume;
use crate::switch::CALL_FRAME;
use core::cell::Cell;
use core::mem::offset_of;
use core::ptr;
use taktos_machine::{Context, UserStart};

/// What is saved of a thread. [`Context::stack_pointer`] leads to its beginning, where the paths of privileged threads find the frame of
/// one that gave way in a call, and go on at `resume_at`.
#[repr(C, align(16))]
pub struct UserState {
    x19: Cell<usize>,
    x29: Cell<usize>,
    resume_at: Cell<usize>,
    partition: Cell<usize>,
    /// `SP_EL0`.
    stack_pointer: Cell<usize>,
    /// `TPIDR_EL0`, which a thread uses as it likes.
    thread_word: Cell<usize>,
    pc: Cell<usize>,
    /// The processor's state; its highest bit, which means nothing to the processor, is set of a thread that was interrupted: all registers
    /// are its own, and it gets no answer.
    status: Cell<usize>,
    /// x0 to x18, x20 to x28 and x30 of such a thread.
    registers: [Cell<usize>; REGISTERS],
}

const REGISTERS: usize = 30;

/// Where it lies behind the beginning of the control block.
pub const OFFSET: usize = 160;

/// Where the partition lies in it.
pub const PARTITION: usize = offset_of!(UserState, partition);
/// What lies behind the frame, from its end on, where the switch has left the stack pointer when a thread goes on: the stack pointer, and behind it the thread's word.
pub const STACK: usize = offset_of!(UserState, stack_pointer) - CALL_FRAME;
/// The program counter, and behind it the state.
pub const PC: usize = offset_of!(UserState, pc) - CALL_FRAME;
/// The registers.
pub const REST: usize = offset_of!(UserState, registers) - CALL_FRAME;
/// From there back to the control block.
pub const CONTROL_BLOCK: i32 = -((OFFSET + CALL_FRAME) as i32);

/// The bit of [`UserState::status`] of a thread that was interrupted.
pub const INTERRUPTED: usize = 63;

const _: () = assert!(offset_of!(UserState, resume_at) == 16 && STACK == 0);

impl UserState {
    /// That of a thread that was never started.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const NEW: Self = Self {
        x19: Cell::new(0),
        x29: Cell::new(0),
        resume_at: Cell::new(0),
        partition: Cell::new(0),
        stack_pointer: Cell::new(0),
        thread_word: Cell::new(0),
        pc: Cell::new(0),
        status: Cell::new(0),
        registers: [const { Cell::new(0) }; REGISTERS],
    };
}

fn of(context: &Context) -> &UserState {
    let place = ptr::from_ref(context).expose_provenance() + OFFSET;
    // SAFETY: by the law of `Isolation` a state lies there behind the control block of a thread of a partition, whose context this is; its
    // fields are cells, which the switch writes while the thread does not run, masked, as the caller is.
    unsafe { &*ptr::with_exposed_provenance(place) }
}

/// [`Isolation::prepare_user`](taktos_machine::Isolation::prepare_user): it goes on as one that was interrupted before its first instruction.
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

/// [`Isolation::partition_of`](taktos_machine::Isolation::partition_of).
pub fn partition_of(context: &Context) -> *const () {
    ptr::with_exposed_provenance(of(context).partition.get())
}
