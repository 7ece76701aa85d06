//! Owns: loads and stores of AArch64 that a syndrome does not describe (ESR_EL2.ISS.ISV is 0):
//! those that write their base register back, and pairs. Encodings: Arm DDI 0487, section C4.1,
//! "Loads and Stores". Must never know: the address of an instruction, what is done about it.

use crate::syndrome::Access;

/// The effect of a load or store of one or two general registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// The access of the first register; of a pair the second one's is the same, that many bytes
    /// after it.
    pub access: Access,
    /// The second register of a pair.
    pub second: Option<usize>,
    /// The base register, 0 to 30.
    pub base: usize,
    /// From the base register to the address that is accessed.
    pub offset: i64,
    /// The number that is added to the base register afterwards.
    pub step: i64,
}

/// Reads an instruction; none, where it is another one, where its base is the stack pointer, or
/// where what it does is left open by the architecture (the base register is also loaded, or
/// stored, and written back; both registers of a load are one).
pub fn read(instruction: u32) -> Option<Transfer> {
    let transfer = match instruction >> 24 & 0x3F {
        // Load or store of a register with an offset of nine bits, which is not scaled.
        0b11_1000 if instruction >> 21 & 1 == 0 => single(instruction),
        // Load or store of a pair.
        0b10_1000 | 0b10_1001 => pair(instruction),
        _ => None,
    };
    transfer.filter(|found| {
        let its = [Some(found.access.register), found.second].contains(&Some(found.base));
        let twice = found.second == Some(found.access.register) && !found.access.write;
        found.base != 31 && !(its && found.step != 0) && !twice
    })
}

/// The bits of `instruction` from `at` on, `count` of them, with their sign.
const fn signed(instruction: u32, at: u32, count: u32) -> i64 {
    ((instruction << (32 - at - count)) as i32 >> (32 - count)) as i64
}

const fn register(instruction: u32, at: u32) -> usize {
    (instruction >> at & 31) as usize
}

fn single(instruction: u32) -> Option<Transfer> {
    let (size, operation) = (instruction >> 30, instruction >> 22 & 3);
    // Loads with a sign have a larger register; the others would be prefetches, or are nothing.
    if operation >= 2 && size + operation >= 5 {
        return None;
    }
    let value = signed(instruction, 12, 9);
    // Written back: never, after the access, never (for EL1 as EL0 may), before the access.
    let (offset, step) = match instruction >> 10 & 3 {
        0b00 | 0b10 => (value, 0),
        0b01 => (0, value),
        _ => (value, value),
    };
    let access = Access {
        bytes: 1 << size,
        write: operation == 0,
        register: register(instruction, 0),
        signed: operation >= 2,
        wide: operation == 2 || size == 3,
    };
    Some(Transfer {
        access,
        second: None,
        base: register(instruction, 5),
        offset,
        step,
    })
}

fn pair(instruction: u32) -> Option<Transfer> {
    let load = instruction >> 22 & 1 == 1;
    // Two of 32 bits, two of 32 bits with a sign (as stores they are something else), two of 64
    // bits.
    let (bytes, signed_words) = match (instruction >> 30, load) {
        (0, _) => (4, false),
        (1, true) => (4, true),
        (2, _) => (8, false),
        _ => return None,
    };
    let value = signed(instruction, 15, 7) * bytes as i64;
    // Written back: after the access, before it, never (with a hint for caches, or without).
    let (offset, step) = match instruction >> 23 & 3 {
        0b01 => (0, value),
        0b11 => (value, value),
        0b00 if signed_words => return None,
        _ => (value, 0),
    };
    let access = Access {
        bytes,
        write: !load,
        register: register(instruction, 0),
        signed: signed_words,
        wide: signed_words || bytes == 8,
    };
    Some(Transfer {
        access,
        second: Some(register(instruction, 10)),
        base: register(instruction, 5),
        offset,
        step,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The encoding that an assembler makes of each: the register, the bytes, w(rite) or r(ead),
    /// s(igned), whether all 64 bits are used; the second register; the base, the offset, the
    /// step.
    type Row = (
        u32,
        (usize, u64, &'static str, bool),
        Option<usize>,
        (usize, i64, i64),
    );

    const TABLE: &[Row] = &[
        // strb w2, [x0], #1; strb w2, [x0, #-1]!; ldrb w2, [x0], #1; ldrb w2, [x0, #-1]!
        (0x3800_1402, (2, 1, "w", false), None, (0, 0, 1)),
        (0x381F_FC02, (2, 1, "w", false), None, (0, -1, -1)),
        (0x3840_1402, (2, 1, "r", false), None, (0, 0, 1)),
        (0x385F_FC02, (2, 1, "r", false), None, (0, -1, -1)),
        // ldrsb x2, [x0], #1; ldrsb w2, [x0], #1
        (0x3880_1402, (2, 1, "rs", true), None, (0, 0, 1)),
        (0x38C0_1402, (2, 1, "rs", false), None, (0, 0, 1)),
        // strh w3, [x1], #2; ldrh w3, [x1, #2]!; ldrsh x3, [x1], #2; ldrsh w3, [x1], #2
        (0x7800_2423, (3, 2, "w", false), None, (1, 0, 2)),
        (0x7840_2C23, (3, 2, "r", false), None, (1, 2, 2)),
        (0x7880_2423, (3, 2, "rs", true), None, (1, 0, 2)),
        (0x78C0_2423, (3, 2, "rs", false), None, (1, 0, 2)),
        // str w4, [x30], #4; ldr w4, [x30, #-256]!; ldrsw x4, [x30], #4; str wzr, [x5], #255
        (0xB800_47C4, (4, 4, "w", false), None, (30, 0, 4)),
        (0xB850_0FC4, (4, 4, "r", false), None, (30, -256, -256)),
        (0xB880_47C4, (4, 4, "rs", true), None, (30, 0, 4)),
        (0xB80F_F4BF, (31, 4, "w", false), None, (5, 0, 255)),
        // str x4, [x5], #8; ldr x4, [x5, #8]!
        (0xF800_84A4, (4, 8, "w", true), None, (5, 0, 8)),
        (0xF840_8CA4, (4, 8, "r", true), None, (5, 8, 8)),
        // sttrb w2, [x0, #3]; ldtr x2, [x0, #-8]; ldtrsh w2, [x0]; stur w2, [x0, #-3]; ldur x0,
        // [x0, #5]
        (0x3800_3802, (2, 1, "w", false), None, (0, 3, 0)),
        (0xF85F_8802, (2, 8, "r", true), None, (0, -8, 0)),
        (0x78C0_0802, (2, 2, "rs", false), None, (0, 0, 0)),
        (0xB81F_D002, (2, 4, "w", false), None, (0, -3, 0)),
        (0xF840_5000, (0, 8, "r", true), None, (0, 5, 0)),
        // stp w1, w2, [x0]; ldp w1, w2, [x0], #8; stp x1, x2, [x0, #-16]!; ldp x0, x2, [x0, #504];
        // ldpsw x1, x2, [x0], #-256
        (0x2900_0801, (1, 4, "w", false), Some(2), (0, 0, 0)),
        (0x28C1_0801, (1, 4, "r", false), Some(2), (0, 0, 8)),
        (0xA9BF_0801, (1, 8, "w", true), Some(2), (0, -16, -16)),
        (0xA95F_8800, (0, 8, "r", true), Some(2), (0, 504, 0)),
        (0x68E0_0801, (1, 4, "rs", true), Some(2), (0, 0, -256)),
        // stnp x1, x2, [x0, #16]; stp xzr, xzr, [x0], #16
        (0xA801_0801, (1, 8, "w", true), Some(2), (0, 16, 0)),
        (0xA881_7C1F, (31, 8, "w", true), Some(31), (0, 0, 16)),
    ];

    #[test]
    fn each_is_read_as_the_assembler_writes_it() {
        for &(instruction, (register, bytes, kind, wide), second, (base, offset, step)) in TABLE {
            let access = Access {
                bytes,
                write: kind == "w",
                register,
                signed: kind == "rs",
                wide,
            };
            let expected = Transfer {
                access,
                second,
                base,
                offset,
                step,
            };
            assert_eq!(read(instruction), Some(expected), "{instruction:#x}");
        }
    }

    #[test]
    fn what_is_no_transfer_of_general_registers_is_none() {
        for instruction in [
            0x3800_17E2, // strb w2, [sp], #1
            0xF800_8400, // str x0, [x0], #8
            0xF840_8C00, // ldr x0, [x0, #8]!
            0xA8C1_0800, // ldp x0, x2, [x0], #16
            0xA8C1_0802, // ldp x2, x2, [x0], #16
            0x3C00_1400, // str b0, [x0], #1
            0xFC40_8400, // ldr d0, [x0], #8
            0xAC81_0400, // stp q0, q1, [x0], #32
            0xF880_0000, // prfum
            0xB8C0_0400, // nothing
            0xF8C0_0400, // nothing
            0x6881_0801, // stgp
            0x6840_0801, // nothing: ldnp of words with a sign
            0x885F_7C00, // ldxr w0, [x0]
            0xB820_0001, // ldadd w0, w1, [x0]
            0xF820_6801, // str x1, [x0, x0]
            0x3900_0002, // strb w2, [x0]
            0x1800_0000, // ldr w0, of what lies beside it
            0xD503_201F, // nop
            0,
            u32::MAX,
        ] {
            assert_eq!(read(instruction), None, "{instruction:#x}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_can_be_carried_out(instruction: u32) {
            if let Some(found) = read(instruction) {
                prop_assert!(found.base < 31 && found.step.abs() <= 512 && found.offset.abs() <= 512);
                prop_assert!(matches!(found.access.bytes, 1 | 2 | 4 | 8));
                prop_assert!(!found.access.write || !found.access.signed);
            }
        }
    }
}
