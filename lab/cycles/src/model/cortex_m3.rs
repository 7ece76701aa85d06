//! Cortex-M3, zero wait states.
//!
//! The rows are those of the Cortex-M3 Technical Reference Manual (DDI 0337), section 3.3.1
//! "Cortex-M3 instructions" (table 3-1): those of the Cortex-M4 but for multiplications. The
//! manual's variables are fixed as for the Cortex-M4. A long product takes 4 cycles (the manual: 3
//! to 5, by its operands), and one that is accumulated 6 (4 to 7).

use super::{Events, cortex_m4};
use crate::t32::{Class, Product};
use crate::timing::Timing;

/// Refill, exception entry, exception return, tail-chaining (sections 3.3.1 and 3.9.1).
pub const EVENTS: Events = cortex_m4::EVENTS;

/// The timing of a class of instructions.
#[must_use]
pub fn timing(class: Class) -> Timing {
    let as_m4 = cortex_m4::timing(class);
    let cost = match class {
        Class::Multiply(Product::Accumulated) => 2,
        Class::Multiply(Product::Long) => 4,
        Class::Multiply(Product::LongAccumulated) => 6,
        _ => as_m4.cost,
    };
    Timing { cost, ..as_m4 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::t32;

    #[test]
    fn rows_of_the_table() {
        let rows: &[(&str, u16, u16, u8)] = &[
            ("muls r0,r1", 0x4348, 0, 1),
            ("mul r0,r1,r2", 0xfb01, 0xf002, 1),
            ("mla r0,r1,r2,r3", 0xfb01, 0x3002, 2),
            ("mls r0,r1,r2,r3", 0xfb01, 0x3012, 2),
            ("smull r0,r1,r2,r3", 0xfb82, 0x0103, 4),
            ("umull r0,r1,r2,r3", 0xfba2, 0x0103, 4),
            ("smlal r0,r1,r2,r3", 0xfbc2, 0x0103, 6),
            ("umlal r0,r1,r2,r3", 0xfbe2, 0x0103, 6),
            ("udiv r0,r1,r2", 0xfbb1, 0xf0f2, 7),
            ("ldr r0,[r1]", 0x6808, 0, 2),
        ];
        for (name, first, second, cost) in rows {
            let class = t32::classify(*first, *second).expect("a defined encoding");
            assert_eq!(timing(class).cost, *cost, "{name}");
        }
    }
}
