//! Owns: what an exception to EL2 means: ESR_EL2 (Arm DDI 0487, section D24.2.40).
//! Must never know: what is done about it.

/// An exception that EL2 takes from a guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// WFI or WFE (`event`).
    Wait {
        /// It was WFE.
        event: bool,
    },
    /// HVC.
    Hypercall {
        /// Its immediate value.
        immediate: u16,
    },
    /// SMC, which is trapped before it executes.
    SecureCall,
    /// A read or a write of a system register.
    Register(Register),
    /// A data access that stage 2 refused, with what is needed to carry it out.
    Access(Access),
    /// A data access that stage 2 refused, whose instruction the processor does not describe.
    Opaque,
    /// An instruction fetch that stage 2 refused.
    Fetch,
    /// Anything else.
    Other {
        /// The exception class.
        class: u8,
    },
}

/// An access of a general register to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// How many bytes: 1, 2, 4 or 8.
    pub bytes: u64,
    /// It writes.
    pub write: bool,
    /// The general register; 31 is zero.
    pub register: usize,
    /// What is read is extended with its sign.
    pub signed: bool,
    /// The register is used with all its 64 bits.
    pub wide: bool,
}

impl Access {
    /// What the register holds after `value` was read.
    pub fn extended(&self, value: u64) -> u64 {
        let unused = 64 - 8 * self.bytes as u32;
        let narrow = value << unused >> unused;
        let full = match self.signed {
            true => ((narrow << unused) as i64 >> unused) as u64,
            false => narrow,
        };
        match self.wide {
            true => full,
            false => full & 0xFFFF_FFFF,
        }
    }
}

/// A trapped MRS or MSR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Register {
    /// Which: see [`name`].
    pub name: u32,
    /// The general register; 31 is zero.
    pub register: usize,
    /// It is a read (MRS).
    pub read: bool,
}

/// The number of a system register: op0, op1, CRn, CRm, op2 as in the instruction.
pub const fn name(op0: u32, op1: u32, crn: u32, crm: u32, op2: u32) -> u32 {
    op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2
}

/// The parts of a register's number: op0, op1, CRn, CRm, op2.
pub const fn parts(name: u32) -> (u32, u32, u32, u32, u32) {
    (
        name >> 14 & 3,
        name >> 11 & 7,
        name >> 7 & 15,
        name >> 3 & 15,
        name & 7,
    )
}

/// The syndrome of an undefined instruction, as EL1 sees it (class 0, 32 bits).
pub const UNDEFINED: u64 = 1 << 25;

/// The syndrome of a synchronous external abort on a data access, as EL1 sees it; `user`: the access came from EL0.
pub const fn external_abort(user: bool) -> u64 {
    let class = if user { 0x24 } else { 0x25 };
    class << 26 | 1 << 25 | 0x10
}

/// Reads a syndrome.
pub fn read(syndrome: u64) -> Event {
    let class = (syndrome >> 26) as u8 & 0x3F;
    let field = |at: u32, bits: u32| (syndrome >> at) & ((1 << bits) - 1);
    match class {
        0x01 => Event::Wait {
            event: field(0, 1) == 1,
        },
        0x16 => Event::Hypercall {
            immediate: field(0, 16) as u16,
        },
        0x17 => Event::SecureCall,
        0x18 => Event::Register(Register {
            name: name(
                field(20, 2) as u32,
                field(14, 3) as u32,
                field(10, 4) as u32,
                field(1, 4) as u32,
                field(17, 3) as u32,
            ),
            register: field(5, 5) as usize,
            read: field(0, 1) == 1,
        }),
        0x20 => Event::Fetch,
        0x24 if field(24, 1) == 1 => Event::Access(Access {
            bytes: 1 << field(22, 2),
            signed: field(21, 1) == 1,
            register: field(16, 5) as usize,
            wide: field(15, 1) == 1,
            write: field(6, 1) == 1,
        }),
        0x24 => Event::Opaque,
        class => Event::Other { class },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_load_is_read_as_the_manual_says() {
        // LDRSH x5, [..]: valid, 2 bytes, signed, register 5, 64 bits.
        let syndrome = 0x24 << 26 | 1 << 25 | 1 << 24 | 1 << 22 | 1 << 21 | 5 << 16 | 1 << 15;
        let access = Access {
            bytes: 2,
            write: false,
            register: 5,
            signed: true,
            wide: true,
        };
        assert_eq!(read(syndrome), Event::Access(access));
        assert_eq!(access.extended(0x1_8001), 0xFFFF_FFFF_FFFF_8001);
        let narrow = Access {
            wide: false,
            ..access
        };
        assert_eq!(narrow.extended(0x8001), 0xFFFF_8001);
        let eight = Access {
            bytes: 8,
            signed: false,
            ..access
        };
        assert_eq!(eight.extended(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_register_is_read_as_the_manual_says() {
        // MSR ICC_SGI1R_EL1 (3, 0, 12, 11, 5), x7.
        let syndrome = 0x18 << 26 | 1 << 25 | 3 << 20 | 5 << 17 | 12 << 10 | 7 << 5 | 11 << 1;
        let register = Register {
            name: name(3, 0, 12, 11, 5),
            register: 7,
            read: false,
        };
        assert_eq!(read(syndrome), Event::Register(register));
        assert_eq!(parts(register.name), (3, 0, 12, 11, 5));
    }

    proptest! {
        #[test]
        fn any_syndrome_is_something(syndrome: u64, value: u64) {
            if let Event::Access(access) = read(syndrome) {
                let read = access.extended(value);
                prop_assert!(access.wide || read <= 0xFFFF_FFFF);
            }
        }
    }
}
