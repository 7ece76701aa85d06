//! Cortex-A8: two instructions a cycle, in order.
//!
//! After the Cortex-A8 Technical Reference Manual (DDI 0344), chapter 16 "Instruction
//! Cycle Timing": all accesses hit the first-level caches, all branches are predicted, as
//! in the hand analysis for which the manual gives these tables.
//!
//! How to read a row: a source needed in stage E1 must be there in the cycle of issue,
//! one needed in E2 a cycle later, and so on; a result of stage E2 is there for any stage
//! that begins two cycles after its issue. So a move (result E1) and an addition (sources
//! E2) that reads it can be issued together, an addition and one that reads its result
//! follow each other directly, and a load (result E3) and an address made from it (E1) are
//! three cycles apart.
//!
//! Which rows are how certain:
//!
//! - sections 16.3 (dual issue), 16.4.5 (conditional instructions), 16.6.7 (VLDM, VSTM, VLDR,
//!   VSTR), 16.8 (the scheduling example, which is a test here) and 5.1 (13 cycles to refill the
//!   pipeline) were read again for this model; 16.4.5 says that conditional instructions are
//!   scheduled as if their condition held, so one that fails costs as much;
//! - the stages of data processing, multiplication, single and multiple loads and stores (16.2.1 to
//!   16.2.8) agree with the compilers' descriptions of this core, which were made from the manual's
//!   tables;
//! - [`STATUS`], [`COPROCESSOR`], [`BARRIER`] and the floating-point and vector rows are from
//!   memory of sections 16.2.7, 16.2.10 and 16.7 and could not be read again. They are constants of
//!   this module, so that a correction is one line.
//!
//! Checked against the hand analysis in "Implementation and Analysis of Context Switching
//! on OS Kernel" (Jung, Shin), by sequences of the kinds that it describes
//! (`tests/published.rs`), cycles for save and restore:
//!
//! | kernel | the paper | this model | deviation |
//! |---|---|---|---|
//! | ARM-Kernel | 40 | 44 | +10 % |
//! | FreeRTOS | 73 | 77 | +5 % |
//! | uC/OS-II | 56 | 57 | +2 % |
//!
//! The paper gives no listings, so the sequences are the published ports' kinds of
//! instructions, not their code; its figures are no input to the model.
//!
//! Not modelled: the multiplier's own path to the next accumulation; the depth of the
//! queue to the floating-point unit (its instructions hold the issue instead, which is
//! never too little).

use super::Events;
use crate::a32::{Arithmetic, Class, Instruction, Registers};
use crate::t32::Flow;
use crate::timing::{ALWAYS, Flags, Operand, Timing};

/// Cycles to refill the pipeline from the first fetch (section 5.1).
const REFILL: u32 = 13;

/// Control transfers are predicted and cost nothing beyond their issue; exceptions and
/// returns from them are not.
pub const EVENTS: Events = Events {
    transfer: 0,
    entry: REFILL,
    exit: REFILL,
    chain: REFILL,
};

/// MRS, MSR, CPS, SETEND (16.2.7).
pub const STATUS: u8 = 8;
/// MRC, MCR of the system coprocessors (16.2.10): at least this, whatever the register.
pub const COPROCESSOR: u8 = 60;
/// DMB, DSB, CLREX with nothing to wait for.
pub const BARRIER: u8 = 8;
/// VMRS and VMOV to a core register (16.5.2): the way back from the floating-point unit.
pub const FLOAT_TO_CORE: u8 = 20;

/// Stages as times after the issue: of a source, the latest; of a result, the first.
const E1: u8 = 0;
const E2: u8 = 1;
const E3: u8 = 2;
const E4: u8 = 3;
const AFTER_E1: u8 = 1;
const AFTER_E2: u8 = 2;
const AFTER_E3: u8 = 3;
const AFTER_E5: u8 = 5;

/// The timing of an instruction under a condition.
#[must_use]
pub fn timing(instruction: &Instruction, condition: u8) -> Timing {
    let cost = cost(instruction);
    let conditional = condition != ALWAYS;
    Timing {
        cost,
        flags: flags(instruction, cost),
        sources: sources(instruction, conditional),
        results: results(instruction, cost, conditional),
    }
}

/// Cycles of issue.
fn cost(instruction: &Instruction) -> u8 {
    let load_pc = u8::from(instruction.results.0 & 1 << 15 != 0);
    match instruction.class {
        Class::Move | Class::Data | Class::Saturate | Class::Hint | Class::Branch => 1,
        Class::MultiplyHalf | Class::Preload | Class::Double { .. } | Class::Exception => 1,
        Class::MultiplyWord | Class::Exclusive { .. } => 2,
        Class::MultiplyLong => 3,
        Class::Single { shifted, .. } => 1 + u8::from(shifted) + load_pc,
        Class::Multiple { .. } => {
            transfers(instruction.stored.and(instruction.results).len()) + load_pc
        }
        Class::StoreReturnState => transfers(2),
        Class::ReturnFromException => transfers(2) + 1,
        Class::Status => STATUS,
        Class::Coprocessor => COPROCESSOR,
        Class::Barrier => BARRIER,
        Class::InstructionBarrier => REFILL as u8,
        Class::FloatSingle { .. } => 2,
        Class::FloatMultiple { doubles, .. } => doubles / 2 + doubles % 2 + 1,
        Class::FloatToCore => FLOAT_TO_CORE,
        Class::CoreToFloat | Class::VectorConstant => 1,
        Class::FloatArithmetic(kind) => arithmetic(kind),
    }
}

/// Two registers a cycle; the first goes alone, because the schedule cannot know that
/// the address is a multiple of eight.
fn transfers(registers: u8) -> u8 {
    registers / 2 + 1 - u8::from(registers == 0)
}

/// The slower end of section 16.7's ranges, single precision: the unit is not pipelined.
fn arithmetic(kind: Arithmetic) -> u8 {
    match kind {
        Arithmetic::Add | Arithmetic::Other => 10,
        Arithmetic::Multiply => 12,
        Arithmetic::Accumulate => 21,
        Arithmetic::Divide => 37,
        Arithmetic::SquareRoot => 33,
    }
}

fn flags(instruction: &Instruction, cost: u8) -> Flags {
    let mut flags = match instruction.class {
        Class::Single { .. }
        | Class::Double { .. }
        | Class::Multiple { .. }
        | Class::Exclusive { .. }
        | Class::FloatSingle { .. }
        | Class::FloatMultiple { .. } => Flags::LOAD_STORE_PIPE | Flags::MAY_LEAVE,
        Class::StoreReturnState | Class::ReturnFromException => {
            Flags::LOAD_STORE_PIPE | Flags::MAY_LEAVE
        }
        Class::Preload => Flags::LOAD_STORE_PIPE,
        Class::MultiplyHalf => Flags::FIRST_ONLY,
        Class::Status | Class::Coprocessor | Class::Barrier | Class::InstructionBarrier => {
            Flags::ALONE | Flags::MAY_LEAVE
        }
        Class::Exception => Flags::ALONE,
        Class::FloatToCore
        | Class::CoreToFloat
        | Class::FloatArithmetic(_)
        | Class::VectorConstant => Flags::MAY_LEAVE | Flags::FIRST_ONLY,
        _ => Flags::NONE,
    };
    if cost > 1 {
        flags |= Flags::FIRST_ONLY;
    }
    if stores(instruction.class) {
        flags |= Flags::STORE;
    }
    flags
        | match instruction.flow {
            Flow::Next => Flags::NONE,
            Flow::Branch => Flags::TRANSFER | Flags::BRANCH_PIPE,
            Flow::Return => Flags::TRANSFER | Flags::RETURN | Flags::ALONE,
        }
}

fn stores(class: Class) -> bool {
    match class {
        Class::Single { store, .. }
        | Class::Double { store }
        | Class::Multiple { store }
        | Class::Exclusive { store }
        | Class::FloatSingle { store }
        | Class::FloatMultiple { store, .. } => store,
        Class::StoreReturnState => true,
        _ => false,
    }
}

/// The cycle, after the first, in which each register of a transfer moves, and whether
/// it is the second of its pair.
fn schedule(registers: Registers) -> impl Iterator<Item = (u8, u8, bool)> {
    registers
        .iter()
        .enumerate()
        .map(|(i, r)| (r, (i as u8).div_ceil(2), i > 0 && i % 2 == 0))
}

fn sources(instruction: &Instruction, conditional: bool) -> Vec<Operand> {
    let mut sources = Vec::new();
    let mut need = |registers: Registers, when: u8| {
        // The PC is always there.
        sources.extend(
            registers
                .iter()
                .filter(|r| *r != 15)
                .map(|register| Operand { register, when }),
        );
    };
    need(instruction.early, E1);
    need(instruction.plain, E2);
    need(instruction.accumulated, E4);
    if conditional {
        need(instruction.results, E2); // the old value, in case the condition fails
    }
    if matches!(instruction.class, Class::Multiple { .. }) {
        for (register, cycle, _) in schedule(instruction.stored) {
            need(Registers::one(u32::from(register)), E3 + cycle);
        }
    } else {
        need(instruction.stored, E3);
    }
    // A predicted branch does not wait for the flags.
    let branches = instruction.class == Class::Branch;
    if instruction.reads_flags || (conditional && !branches) {
        sources.push(Operand {
            register: Operand::FLAGS,
            when: E2,
        });
    }
    sources
}

fn results(instruction: &Instruction, cost: u8, conditional: bool) -> Vec<Operand> {
    let mut results = Vec::new();
    let mut give = |registers: Registers, when: u8| {
        results.extend(
            registers
                .iter()
                .filter(|r| *r != 15)
                .map(|register| Operand { register, when }),
        );
    };
    let last = cost - 1; // data processing counts from its last cycle
    match instruction.class {
        Class::Move if !conditional => give(instruction.results, AFTER_E1),
        Class::Saturate => give(instruction.results, AFTER_E3),
        Class::MultiplyHalf | Class::MultiplyWord | Class::MultiplyLong => {
            give(instruction.results, AFTER_E5 + last);
        }
        Class::Single { .. } | Class::Exclusive { .. } | Class::Double { .. } => {
            give(instruction.results, AFTER_E3 + last);
        }
        Class::Multiple { .. } => {
            for (register, cycle, second) in schedule(instruction.results) {
                give(
                    Registers::one(u32::from(register)),
                    AFTER_E3 + cycle + u8::from(second),
                );
            }
        }
        _ => give(instruction.results, AFTER_E2 + last),
    }
    give(instruction.write_back, AFTER_E2);
    if instruction.sets_flags {
        results.push(Operand {
            register: Operand::FLAGS,
            when: AFTER_E2 + last,
        });
    }
    results
}
