//! Cortex-M4 with floating point, zero wait states.
//!
//! The rows are those of the Cortex-M4 Technical Reference Manual (DDI 0439), section
//! 3.3.1 "Cortex-M4 instructions" (table 3-1), and for floating point section 7.2.3
//! (table 7-1), with the manual's variables fixed so that other kernels, which were
//! measured under the same rows, stay comparable:
//!
//! - a pipeline refill (P) is 2 cycles: "any control transfer taken: +2";
//! - a division takes 7 cycles (the manual: 2 to 12, by its operands);
//! - MRS, MSR, CPS and the barriers take 2 cycles (the manual: 1 or 2, and B);
//! - exclusive accesses take 2 cycles;
//! - section 3.3.2: single loads and stores pipeline, so that one directly after another takes 1
//!   cycle;
//! - section 3.9.1: 12 cycles to enter an exception and 12 to return, 6 in place of both when one
//!   follows another directly (tail-chaining).

use super::Events;
use crate::t32::{Class, Flow};
use crate::timing::{Flags, Timing};

/// Refill, exception entry, exception return, tail-chaining.
pub const EVENTS: Events = Events {
    transfer: 2,
    entry: 12,
    exit: 12,
    chain: 6,
};

/// The timing of a class of instructions.
#[must_use]
pub fn timing(class: Class) -> Timing {
    Timing {
        cost: cost(class),
        flags: flags(class),
        ..Timing::default()
    }
}

fn cost(class: Class) -> u8 {
    match class {
        Class::Data(_) | Class::Multiply(_) | Class::It { .. } => 1,
        Class::Branch(_) | Class::Exception | Class::FloatData => 1,
        Class::Single { .. } | Class::Exclusive { .. } | Class::System => 2,
        Class::TableBranch | Class::FloatPair => 2,
        Class::FloatSingle { double: false, .. } => 2,
        Class::FloatSingle { double: true, .. } => 3,
        Class::Double { .. } | Class::FloatAccumulate => 3,
        Class::Multiple { words, .. } | Class::FloatMultiple { words, .. } => 1 + words,
        Class::Divide => 7,
        Class::FloatDivide => 14,
    }
}

fn flags(class: Class) -> Flags {
    let mut flags = match class {
        Class::Single { flow: Flow::Next, .. } => Flags::SINGLE | Flags::MAY_LEAVE,
        Class::Single { .. } // of the PC: section 3.3.3, it does not pipeline
        | Class::Double { .. }
        | Class::Multiple { .. }
        | Class::Exclusive { .. }
        | Class::TableBranch
        | Class::Divide
        | Class::FloatSingle { .. }
        | Class::FloatMultiple { .. }
        | Class::FloatPair
        | Class::FloatData
        | Class::FloatAccumulate
        | Class::FloatDivide => Flags::MAY_LEAVE,
        _ => Flags::NONE,
    };
    if stores(class) {
        flags |= Flags::STORE;
    }
    flags | flow_flags(flow(class))
}

fn stores(class: Class) -> bool {
    match class {
        Class::Single { store, .. }
        | Class::Double { store }
        | Class::Multiple { store, .. }
        | Class::Exclusive { store }
        | Class::FloatSingle { store, .. }
        | Class::FloatMultiple { store, .. } => store,
        _ => false,
    }
}

fn flow(class: Class) -> Flow {
    match class {
        Class::Data(flow)
        | Class::Branch(flow)
        | Class::Single { flow, .. }
        | Class::Multiple { flow, .. } => flow,
        Class::TableBranch => Flow::Branch,
        _ => Flow::Next,
    }
}

fn flow_flags(flow: Flow) -> Flags {
    match flow {
        Flow::Next => Flags::NONE,
        Flow::Branch => Flags::TRANSFER,
        Flow::Return => Flags::TRANSFER | Flags::RETURN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::t32;

    fn cost_of(first: u16, second: u16) -> u8 {
        timing(t32::classify(first, second).expect("a defined encoding")).cost
    }

    #[test]
    fn rows_of_the_table() {
        let rows: &[(&str, u16, u16, u8)] = &[
            ("movs r0,#1", 0x2001, 0, 1),
            ("muls r0,r1", 0x4348, 0, 1),
            ("nop", 0xbf00, 0, 1),
            ("ldr r0,[r1]", 0x6808, 0, 2),
            ("strb r0,[r1,r2]", 0x5488, 0, 2),
            ("push {r4,r5,r6,lr}", 0xb570, 0, 5),
            ("pop {r4,pc}", 0xbd10, 0, 3),
            ("bx lr", 0x4770, 0, 1),
            ("svc 0", 0xdf00, 0, 1),
            ("cpsid i", 0xb672, 0, 2),
            ("ldmia r0!,{r4-r7}", 0xc8f0, 0, 5),
            ("stmdb r0!,{r4-r11}", 0xe920, 0x0ff0, 9),
            ("ldrd r0,r1,[r2]", 0xe9d2, 0x0100, 3),
            ("ldrex r0,[r1]", 0xe851, 0x0f00, 2),
            ("strex r2,r0,[r1]", 0xe841, 0x0200, 2),
            ("ldaex r2,[r0]", 0xe8d0, 0x2fef, 2),
            ("stlex r1,r4,[r0]", 0xe8c0, 0x4fe1, 2),
            ("lda r0,[r1]", 0xe8d1, 0x0faf, 2),
            ("tbb [pc,r0]", 0xe8df, 0xf000, 2),
            ("udiv r0,r1,r2", 0xfbb1, 0xf0f2, 7),
            ("umull r0,r1,r2,r3", 0xfba2, 0x0103, 1),
            ("mrs r0,basepri", 0xf3ef, 0x8011, 2),
            ("msr basepri,r0", 0xf380, 0x8811, 2),
            ("dsb sy", 0xf3bf, 0x8f4f, 2),
            ("bl", 0xf000, 0xf800, 1),
            ("vldr s0,[r0]", 0xed90, 0x0a00, 2),
            ("vldr d0,[r0]", 0xed90, 0x0b00, 3),
            ("vstmdb r0!,{s16-s31}", 0xed20, 0x8a10, 17),
            ("vadd.f32 s0,s0,s1", 0xee30, 0x0a20, 1),
            ("vmla.f32 s0,s0,s1", 0xee00, 0x0a20, 3),
            ("vdiv.f32 s0,s0,s1", 0xee80, 0x0a20, 14),
            ("vsqrt.f32 s0,s0", 0xeeb1, 0x0ac0, 14),
            ("vmov r0,r1,s0,s1", 0xec51, 0x0a10, 2),
        ];
        for (name, first, second, cost) in rows {
            assert_eq!(cost_of(*first, *second), *cost, "{name}");
        }
    }
}
