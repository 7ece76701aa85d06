//! Owns: what is kept of a thread of a partition that does not run. Must never know: how it came to that.

use super::resume::resume_interrupted;
use crate::switch::CALL_FRAME;
use core::arch::asm;
use core::cell::Cell;
use core::mem::offset_of;
use core::ptr;
use taktos_machine::{Context, FAULT_REGISTERS, UserStart};

/// What is saved of a thread. [`Context::stack_pointer`] leads to its beginning, where the paths of privileged threads find the frame of
/// one that gave way in a call, and go on at `resume_at`.
#[repr(C, align(16))]
pub struct UserState {
    s0: Cell<usize>,
    s1: Cell<usize>,
    resume_at: Cell<usize>,
    partition: Cell<usize>,
    /// x0 to x31, pc, and `sstatus`. Of a thread that called the kernel the stack pointer, tp and pc alone count, and the last.
    registers: [Cell<usize>; FAULT_REGISTERS],
}

/// Where it lies behind the beginning of the control block.
pub const OFFSET: usize = 160;

/// Where the partition lies in it, and the address to go on at.
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

/// `sstatus` of a thread in U-mode, besides the width of its registers: it came from there, and interrupts are let through. No unit is on.
const CAME_UNMASKED: usize = 1 << 5;
const WIDTH: usize = 3 << 32;

// The switch leaves the stack pointer behind the frame: at the registers.
const _: () = assert!(RESUME_AT == 16 && REGISTERS == CALL_FRAME && PARTITION == 24);

impl UserState {
    /// That of a thread that was never started.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const NEW: Self = Self {
        s0: Cell::new(0),
        s1: Cell::new(0),
        resume_at: Cell::new(0),
        partition: Cell::new(0),
        registers: [const { Cell::new(0) }; FAULT_REGISTERS],
    };

    /// The registers, as a fault tells them.
    pub fn registers(&self) -> [usize; FAULT_REGISTERS] {
        self.registers.each_ref().map(Cell::get)
    }
}

/// That of the thread of `context`.
pub fn of(context: &Context) -> &UserState {
    let place = ptr::from_ref(context).expose_provenance() + OFFSET;
    // SAFETY: by the law of `Isolation` a state lies there behind the control block of a thread of a partition, whose context this is; its
    // fields are cells, which the switch writes while the thread does not run, masked, as the caller is.
    unsafe { &*ptr::with_exposed_provenance(place) }
}

/// [`Isolation::prepare_user`](taktos_machine::Isolation::prepare_user): it goes on as one that was interrupted before its first instruction.
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

/// [`Isolation::partition_of`](taktos_machine::Isolation::partition_of).
pub fn partition_of(context: &Context) -> *const () {
    ptr::with_exposed_provenance(of(context).partition.get())
}
