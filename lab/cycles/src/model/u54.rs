//! SiFive U54: one instruction a cycle, in order, five stages.
//!
//! After the SiFive FU540-C000 Manual, v1p3, chapter 4 "U54 RISC-V Core": all accesses hit the
//! first-level caches, all branches are predicted. Every instruction is issued alone, and waits
//! for its operands only.
//!
//! Which rows are from where:
//!
//! - section 4.3 "Execution Pipeline": [`EVENTS`]' transfers (none for what is predicted; three
//!   cycles for what is not, which the model never charges), LW 2, LH and LB 3, reads of control
//!   registers 3, multiplication 5 and one at a time, division at the upper end of the manual's
//!   range (65 for 64 bits, by one bit a cycle and two more; so 33 for 32), writes of control
//!   registers 5 cycles more;
//! - section 4.4 "Data Memory System": LD as LW (words and doublewords 2, what is smaller 3);
//! - floating-point latencies, and those of LR and AMO: LLVM's description of this pipeline
//!   (`RISCVSchedRocket.td`), for the manual gives none;
//! - estimates, for which there is no published figure: [`TRAP`], [`STORE_CONDITIONAL`], [`FENCE`].
//!
//! Not modelled: the five cycles of a load from an address that is still in the store
//! pipeline (section 4.4), since the addresses are not known; hazards of two writes of one
//! register. The FU540 lacks registers that the board has: where the image reads `time` or writes
//! `stimecmp`, the model takes it for any other control register.
//!
//! No published sequence with a known count was found for this core. Only each row is checked
//! against the manual's statement (`tests/u54.rs`), so the deviation is not known.

use super::Events;
use crate::rv64::{Arithmetic, Class, Instruction, Registers};
use crate::t32::Flow;
use crate::timing::{Flags, Operand, Timing};

/// Estimate: a trap, and a return from one, as long as the other flushes of the pipeline,
/// which the manual gives as five cycles (section 4.3).
pub const TRAP: u32 = FLUSH as u32;
/// Estimate: the answer of SC, as of a load smaller than a word, for it comes from the same stage
/// as one.
pub const STORE_CONDITIONAL: u8 = 3;
/// Estimate: FENCE with nothing to wait for, until the pipeline is empty.
pub const FENCE: u8 = 5;

/// Cycles that a flush of the pipeline adds (section 4.3, writes of control registers).
const FLUSH: u8 = 5;

/// Control transfers are predicted; traps and returns from them are not.
pub const EVENTS: Events = Events {
    transfer: 0,
    entry: TRAP,
    exit: TRAP,
    chain: TRAP,
};

/// The timing of an instruction.
#[must_use]
pub fn timing(instruction: &Instruction) -> Timing {
    let mut timing = Timing {
        cost: cost(instruction.class),
        flags: flags(instruction),
        sources: operands(instruction.sources, 0),
        results: operands(instruction.results, latency(instruction.class)),
    };
    if let Some((register, when)) = unit(instruction.class) {
        timing.sources.push(Operand { register, when: 0 });
        timing.results.push(Operand { register, when });
    }
    timing
}

fn operands(registers: Registers, when: u8) -> Vec<Operand> {
    registers
        .iter()
        .map(|register| Operand { register, when })
        .collect()
}

/// Cycles of issue.
fn cost(class: Class) -> u8 {
    match class {
        Class::WriteControl | Class::Refetch => 1 + FLUSH,
        Class::Fence => FENCE,
        _ => 1,
    }
}

/// From an instruction's first cycle to the first in which another can use its result.
fn latency(class: Class) -> u8 {
    match class {
        Class::Load { bytes: 4 | 8 } | Class::LoadReserved | Class::Atomic => 2,
        Class::Load { .. } | Class::ReadControl => 3,
        Class::WriteControl => 1 + FLUSH,
        Class::StoreConditional => STORE_CONDITIONAL,
        Class::Multiply => 5,
        Class::Divide { double } => division(double),
        Class::FloatMove => 2,
        Class::Float { kind, double } => arithmetic(kind, double),
        _ => 1,
    }
}

fn division(double: bool) -> u8 {
    if double { 65 } else { 33 }
}

fn arithmetic(kind: Arithmetic, double: bool) -> u8 {
    match (kind, double) {
        (Arithmetic::Add, false) => 4,
        (Arithmetic::Add, true) => 6,
        (Arithmetic::Multiply, false) => 5,
        (Arithmetic::Multiply, true) => 7,
        (Arithmetic::Divide, _) | (Arithmetic::SquareRoot, false) => 20,
        (Arithmetic::SquareRoot, true) => 25,
    }
}

/// A unit that works on one instruction at a time, and for how long.
fn unit(class: Class) -> Option<(u8, u8)> {
    match class {
        // 16 bits a cycle.
        Class::Multiply => Some((Operand::MULTIPLIER, 4)),
        Class::Divide { double } => Some((Operand::DIVIDER, division(double))),
        Class::Float {
            kind: kind @ (Arithmetic::Divide | Arithmetic::SquareRoot),
            double,
        } => Some((Operand::FLOAT_DIVIDER, arithmetic(kind, double))),
        _ => None,
    }
}

fn flags(instruction: &Instruction) -> Flags {
    let mut flags = Flags::ALONE;
    if may_leave(instruction.class) {
        flags |= Flags::MAY_LEAVE;
    }
    if stores(instruction.class) {
        flags |= Flags::STORE;
    }
    flags
        | match instruction.flow {
            Flow::Next => Flags::NONE,
            Flow::Branch => Flags::TRANSFER,
            Flow::Return => Flags::TRANSFER | Flags::RETURN,
        }
}

fn stores(class: Class) -> bool {
    matches!(
        class,
        Class::Store | Class::StoreConditional | Class::Atomic
    )
}

/// A fault may end the emulator's block here, or a device's access.
fn may_leave(class: Class) -> bool {
    stores(class)
        || matches!(
            class,
            Class::Load { .. }
                | Class::LoadReserved
                | Class::ReadControl
                | Class::WriteControl
                | Class::Fence
                | Class::Refetch
                | Class::Wait
                | Class::FloatMove
                | Class::Float { .. }
        )
}
