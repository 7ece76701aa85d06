//! Cortex-M0 and Cortex-M0+, zero wait states.
//!
//! The rows are those of the Cortex-M0 Technical Reference Manual (DDI 0432) and of the Cortex-M0+
//! one (DDI 0484), section 3.3 "Instruction set summary" each (table 3-1). The manuals' variables
//! are fixed: a multiplication takes 1 cycle (the other choice of a chip's maker is 32), a load or
//! store 2 (an M0+ has ports for single-cycle devices, too). Single loads and stores do not
//! pipeline.
//!
//! An exception is entered in 16 and 15 cycles (the manuals' interrupt latency). No manual states
//! the way back: taken is what the same processor takes to pop eight words and return; and for
//! tail-chaining 6, as on a Cortex-M4.

use super::{Events, cortex_m4};
use crate::t32::{Class, Flow};
use crate::timing::{Flags, Timing};

/// Properties in which the two processors differ, in cycles.
#[derive(Debug, Clone, Copy)]
pub struct Armv6M {
    /// Added to a control transfer that is taken.
    transfer: u8,
    /// A register of the system is read or written, or a barrier waited for.
    system: u8,
    entry: u32,
}

/// Cortex-M0, of three stages.
pub const M0: Armv6M = Armv6M {
    transfer: 2,
    system: 4,
    entry: 16,
};

/// Cortex-M0+, of two stages.
pub const M0_PLUS: Armv6M = Armv6M {
    transfer: 1,
    system: 3,
    entry: 15,
};

impl Armv6M {
    /// Refill, exception entry, exception return, tail-chaining.
    #[must_use]
    pub fn events(self) -> Events {
        let transfer = u32::from(self.transfer);
        Events {
            transfer,
            entry: self.entry,
            // 1 and a word's each, and one more for the return.
            exit: 1 + 8 + 1 + transfer,
            chain: cortex_m4::EVENTS.chain,
        }
    }

    /// The timing of a class of instructions, `wide` where they are of four bytes; none where
    /// Armv6-M does not have the class.
    #[must_use]
    pub fn timing(self, class: Class, wide: bool) -> Option<Timing> {
        let cost = match class {
            // CPS and the hints, or MRS, MSR and the barriers.
            Class::System => match wide {
                true => self.system,
                false => 1,
            },
            // BL is of two parts. Other instructions of four bytes are those of later processors.
            Class::Branch(_) if wide => 2,
            _ if wide => return None,
            Class::Data(_) | Class::Multiply(_) | Class::Branch(_) | Class::Exception => 1,
            Class::Single { .. } => 2,
            Class::Multiple { words, flow, .. } => match flow {
                Flow::Next => 1 + words,
                Flow::Branch | Flow::Return => 2 + words,
            },
            _ => return None,
        };
        let as_m4 = cortex_m4::timing(class);
        Some(Timing {
            cost,
            flags: as_m4.flags.without(Flags::SINGLE),
            ..as_m4
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::t32;

    #[test]
    fn rows_of_the_tables() {
        // With the refill, where control is transferred.
        let rows: &[(&str, u16, u16, u32, u32)] = &[
            ("movs r0,#1", 0x2001, 0, 1, 1),
            ("muls r0,r1", 0x4348, 0, 1, 1),
            ("mov pc,r0", 0x4687, 0, 3, 2),
            ("ldr r0,[r1]", 0x6808, 0, 2, 2),
            ("str r0,[r1]", 0x6008, 0, 2, 2),
            ("stmia r0!,{r4-r7}", 0xc0f0, 0, 5, 5),
            ("push {r4,lr}", 0xb510, 0, 3, 3),
            ("pop {r4}", 0xbc10, 0, 2, 2),
            ("pop {r4,pc}", 0xbd10, 0, 6, 5),
            ("b .", 0xe7fe, 0, 3, 2),
            ("bl .", 0xf7ff, 0xfffe, 4, 3),
            ("bx lr", 0x4770, 0, 3, 2),
            ("blx r3", 0x4798, 0, 3, 2),
            ("cpsid i", 0xb672, 0, 1, 1),
            ("mrs r0,primask", 0xf3ef, 0x8010, 4, 3),
            ("msr primask,r0", 0xf380, 0x8810, 4, 3),
            ("dsb sy", 0xf3bf, 0x8f4f, 4, 3),
        ];
        for (name, first, second, m0, m0_plus) in rows {
            let class = t32::classify(*first, *second).expect("a defined encoding");
            for (model, cycles) in [(M0, m0), (M0_PLUS, m0_plus)] {
                let timing = model.timing(class, t32::size(*first) == 4).expect(name);
                let refill = match timing.flags.contains(Flags::TRANSFER) {
                    true => model.events().transfer,
                    false => 0,
                };
                assert_eq!(u32::from(timing.cost) + refill, *cycles, "{name}");
            }
        }
    }

    #[test]
    fn classes_of_later_processors_have_no_timing() {
        for (name, first, second) in [
            ("udiv r0,r1,r2", 0xfbb1, 0xf0f2),
            ("ldrd r0,r1,[r2]", 0xe9d2, 0x0100),
            ("push.w {r4,r12,pc}", 0xe92d, 0x5010),
            ("it eq", 0xbf08, 0),
        ] {
            let class = t32::classify(first, second).expect("a defined encoding");
            assert!(M0.timing(class, t32::size(first) == 4).is_none(), "{name}");
        }
    }
}
