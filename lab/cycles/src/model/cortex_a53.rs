//! Cortex-A53: two instructions a cycle, in order, eight stages.
//!
//! All accesses hit the first-level caches, all branches are predicted. Arm publishes no
//! instruction timings of this processor: its Technical Reference Manual (DDI 0500) has no
//! such chapter, and the sheet "Cortex-A53 Software Optimisation Specification - Instruction
//! Timings", which compiler writers had, is not public. So the rows are facts from
//! descriptions that were made from it:
//!
//! - [GCC] `gcc/config/arm/cortex-a53.md` (2013-2020, contributed by Arm), the latencies and
//!   bypasses of integer instructions, loads, stores and floating point, and what may be issued
//!   together;
//! - [LLVM] `AArch64SchedA53.td`, where GCC's says nothing: the misprediction penalty of 9 cycles,
//!   which counts here for exceptions only; STXR; MSR as one cycle; floating-point comparison; how
//!   long division occupies its unit.
//!
//! If the two differ, GCC's figure is taken, because GCC has bypasses of loads, which LLVM does
//! not have. How a row is read: an address or a multiplicand is read in the cycle of issue, the
//! operand of a shift one cycle later. Operands of arithmetic are read two cycles later; what is
//! stored or what a branch tests, three. The row gives the number of cycles from an instruction's
//! issue to its result. So an addition (3) and one that reads it (2) follow each other directly. A
//! load (4) and an addition are two cycles apart; a shift (2) and an addition are issued together.
//! A load's result reaches an address a cycle earlier than other things ([GCC], 3 in place of 4),
//! so addresses have a second view of the registers ([`Operand::ADDRESS`]).
//!
//! | row | result | from |
//! |---|---|---|
//! | ADR, constants, shifts by a constant or register | 2 | GCC `shift`, `shift_reg` |
//! | other integer, MRS | 3 | GCC `alu`, `alu_shift` (MRS: type `mrs`) |
//! | multiplication | 4, one a cycle | GCC `mul` |
//! | one load | 4; to an address 3 | GCC `load1` |
//! | LDP of 64-bit registers | two cycles, alone in the first; 1 later than a load | GCC `load2` |
//! | stores, STP of 64-bit registers | one cycle | GCC `store1`, `store2` |
//! | floating-point loads | 3; of 128 bits two cycles, 4 | GCC `f_load_64`, `f_load_many` |
//! | floating-point arithmetic | 4; accumulating 8; division and root 14, 29 | GCC |
//! | FMOV from core, to core | 2, 4 | GCC `r2f`, `f2r` |
//! | conversions from, to | 4, 5 | GCC `r2f_cvt`, `f2r_cvt` |
//! | FCMP | 6 | LLVM |
//! | STXR | 4 | LLVM |
//!
//! Estimates, for which there is no published figure, are the constants of this module:
//! [`DIVIDE`], [`WRITE_SYSTEM`], [`WRITE_STATE`], [`BARRIER`], [`MAINTAIN`], [`REFILL`] for
//! exceptions and ISB. On a board the registers of the interrupt controller and of the timers
//! are slower than this.
//!
//! Not modelled: EXTR only as second of a pair; the multiplier's bypass to the next accumulation
//! (GCC 1, here 2 as in LLVM's), and the like of floating point (4, here 5); the single fetch
//! buffer after a taken branch.
//!
//! Checked against measurements of others on the processor: the authors of OpenSSL's routines
//! publish cycles per byte of their hand-written integer code on a Cortex-A53.
//!
//! | routine | measured | this model | deviation |
//! |---|---|---|---|
//! | ChaCha20 (`chacha-armv8.pl`, "IALU") | 8.40 | 8.25 | -2 % |
//! | SHA-256 (`sha512-armv8.pl`) | 15.5 | 15.1 | -2 % |
//! | SHA-512 (`sha512-armv8.pl`) | 10.0 | 9.7 | -3 % |
//!
//! The first is a test (`tests/measured.rs`, made from the cipher's definition); the others were
//! applied once to the routines themselves, which are not here. So integer code, and what of it
//! goes together, is within a few per cent, and leans to fewer cycles; how far the estimates are
//! from the processor is not known. Each row and bypass is checked against the
//! descriptions (`tests/cortex_a53.rs`).

use super::Events;
use crate::a64::{Arithmetic, Class, Instruction, Registers};
use crate::t32::Flow;
use crate::timing::{Flags, Operand, Timing};

/// Cycles from a wrong prediction to the right instruction (LLVM `MispredictPenalty`). Estimate for
/// exceptions, returns from them, and ISB, which all fetch again.
pub const REFILL: u8 = 9;
/// Estimate: SDIV, UDIV. GCC's description of 2013 has 8 and 9, "high enough" by its own
/// words; the later ones have 4, and say that it is not the real figure.
pub const DIVIDE: u8 = 9;
/// Estimate: MSR of a register, until it has left the pipeline's four stages of execution.
pub const WRITE_SYSTEM: u8 = 4;
/// Estimate: MSR of DAIFSet, DAIFClr, SPSel: as in LLVM's description, alone in one cycle. A
/// measurement of 0.63 ns for DAIFSet that is published for this processor ("High Latency in DAIF
/// Register Operations on Cortex-A72 Compared to Cortex-A53", systemonchips.com; the clock rate is
/// not given) is one cycle at 1.6 GHz.
pub const WRITE_STATE: u8 = 1;
/// Estimate: DMB, DSB, CLREX with nothing to wait for: until the eight stages are empty.
pub const BARRIER: u8 = 8;
/// Estimate: maintenance of caches and address translation, as a barrier.
pub const MAINTAIN: u8 = BARRIER;

/// Control transfers are predicted; exceptions and returns from them are not.
pub const EVENTS: Events = Events {
    transfer: 0,
    entry: REFILL as u32,
    exit: REFILL as u32,
    chain: REFILL as u32,
};

/// When operands are read, in cycles after the issue.
const ADDRESS: u8 = 0;
const EARLY: u8 = 1;
const ARITHMETIC: u8 = 2;
const LATE: u8 = 3;

/// The timing of an instruction.
#[must_use]
pub fn timing(instruction: &Instruction) -> Timing {
    let cost = cost(instruction.class);
    let mut timing = Timing {
        cost,
        flags: flags(instruction, cost),
        sources: sources(instruction),
        results: results(instruction),
    };
    if let Some((register, when)) = unit(instruction.class) {
        timing.sources.push(Operand { register, when: 0 });
        timing.results.push(Operand { register, when });
    }
    timing
}

/// Cycles of issue.
fn cost(class: Class) -> u8 {
    match class {
        // 64 bits a cycle come in, 128 go out.
        Class::Memory { store, bytes, .. } => bytes.div_ceil(if store { 16 } else { 8 }).max(1),
        Class::WriteSystem => WRITE_SYSTEM,
        Class::WriteState => WRITE_STATE,
        Class::Maintain => MAINTAIN,
        Class::Barrier => BARRIER,
        Class::InstructionBarrier => REFILL,
        _ => 1,
    }
}

/// From an instruction's first cycle to the first in which its result is there.
fn latency(instruction: &Instruction) -> u8 {
    match instruction.class {
        Class::Shift | Class::ShiftByRegister | Class::CoreToFloat | Class::FloatConstant => 2,
        Class::Multiply | Class::FloatToCore | Class::ConvertFromCore => 4,
        Class::Divide => DIVIDE,
        Class::Memory { bytes, .. } => {
            let float = instruction.results.0 >> 32 != 0;
            bytes.div_ceil(8).max(1) + if float { 2 } else { 3 }
        }
        Class::Exclusive { .. } => 4,
        Class::Branch => 1,
        Class::ConvertToCore => 5,
        Class::FloatCompare => 6,
        Class::FloatArithmetic(kind) => arithmetic(kind),
        _ => 3,
    }
}

fn arithmetic(kind: Arithmetic) -> u8 {
    match kind {
        Arithmetic::Add | Arithmetic::Multiply => 4,
        Arithmetic::Accumulate => 8,
        Arithmetic::Divide { double } | Arithmetic::SquareRoot { double } => {
            if double {
                29
            } else {
                14
            }
        }
    }
}

/// A unit that works on one instruction at a time, and for how long.
fn unit(class: Class) -> Option<(u8, u8)> {
    match class {
        Class::Multiply => Some((Operand::MULTIPLIER, 1)),
        Class::ShiftByRegister => Some((Operand::SHIFTER, 1)),
        Class::Divide => Some((Operand::DIVIDER, DIVIDE)),
        Class::FloatArithmetic(
            kind @ (Arithmetic::Divide { .. } | Arithmetic::SquareRoot { .. }),
        ) => Some((Operand::FLOAT_DIVIDER, arithmetic(kind))),
        _ => None,
    }
}

fn flags(instruction: &Instruction, cost: u8) -> Flags {
    let mut flags = match instruction.class {
        Class::Memory { store, pair, .. } if pair && !store => {
            Flags::LOAD_STORE_PIPE | Flags::MAY_LEAVE | Flags::FIRST_ONLY
        }
        Class::Memory { .. } | Class::Exclusive { .. } => Flags::LOAD_STORE_PIPE | Flags::MAY_LEAVE,
        Class::Preload => Flags::LOAD_STORE_PIPE,
        Class::ReadSystem => Flags::MAY_LEAVE,
        Class::WriteSystem
        | Class::WriteState
        | Class::Maintain
        | Class::Barrier
        | Class::InstructionBarrier => Flags::ALONE | Flags::MAY_LEAVE,
        Class::Exception | Class::ExceptionReturn => Flags::ALONE,
        Class::Hint => Flags::MAY_LEAVE, // WFI, WFE
        Class::Divide => Flags::FIRST_ONLY,
        Class::FloatArithmetic(Arithmetic::Divide { .. } | Arithmetic::SquareRoot { .. }) => {
            Flags::FIRST_ONLY | Flags::MAY_LEAVE
        }
        Class::CoreToFloat
        | Class::FloatToCore
        | Class::ConvertFromCore
        | Class::ConvertToCore
        | Class::FloatConstant
        | Class::FloatCompare
        | Class::FloatArithmetic(_) => Flags::MAY_LEAVE,
        _ => Flags::NONE,
    };
    if cost > 1 {
        flags |= Flags::FIRST_ONLY;
    }
    if let Class::Memory { store: true, .. } | Class::Exclusive { store: true } = instruction.class
    {
        flags |= Flags::STORE;
    }
    flags
        | match instruction.flow {
            Flow::Next => Flags::NONE,
            Flow::Branch => Flags::TRANSFER | Flags::BRANCH_PIPE,
            Flow::Return => Flags::TRANSFER | Flags::RETURN,
        }
}

fn operands(registers: Registers, when: u8) -> impl Iterator<Item = Operand> {
    registers
        .iter()
        .map(move |register| Operand { register, when })
}

/// A core register as address generation sees it.
fn seen(operand: Operand) -> Operand {
    Operand {
        register: operand.register + Operand::ADDRESS,
        ..operand
    }
}

/// Floating-point registers are read in the cycle of issue, but for the accumulated one.
fn sources(instruction: &Instruction) -> Vec<Operand> {
    let accumulates = instruction.class == Class::FloatArithmetic(Arithmetic::Accumulate);
    let float = |operand: Operand| match operand.register {
        Operand::FLOAT.. if !accumulates || operand.when < LATE => Operand { when: 0, ..operand },
        _ => operand,
    };
    // A multiplication takes what is multiplied, and a move to a floating-point register what is
    // moved, at other times than a shift.
    let early = match instruction.class {
        Class::Multiply | Class::Divide => ADDRESS,
        Class::CoreToFloat => LATE,
        _ => EARLY,
    };
    let mut sources: Vec<Operand> = operands(instruction.address, ADDRESS)
        .map(seen)
        .chain(operands(instruction.early, early))
        .chain(operands(instruction.plain, ARITHMETIC))
        .chain(operands(instruction.late, LATE))
        .map(float)
        .collect();
    if instruction.reads_flags {
        let when = if instruction.class == Class::Branch {
            LATE
        } else {
            ARITHMETIC
        };
        sources.push(Operand {
            register: Operand::WIDE_FLAGS,
            when,
        });
    }
    sources
}

fn results(instruction: &Instruction) -> Vec<Operand> {
    let when = latency(instruction);
    let loads = matches!(instruction.class, Class::Memory { store: false, .. });
    let to_address = when - u8::from(loads);
    let core = Registers(instruction.results.0 & 0xffff_ffff);
    let mut results: Vec<Operand> = operands(instruction.results, when)
        .chain(operands(core, to_address).map(seen))
        .chain(operands(instruction.write_back, 1))
        .chain(operands(instruction.write_back, 1).map(seen))
        .collect();
    if instruction.sets_flags {
        results.push(Operand {
            register: Operand::WIDE_FLAGS,
            when,
        });
    }
    results
}
