//! Owns: what an exception to EL2 means: ESR_EL2 (Arm DDI 0487, section D24.2.40), and the program
//! state that goes with it. Must never know: what is done about it.

/// An exception that EL2 takes from a guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
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
    /// A data access that stage 2 refused, by an instruction that the processor does not describe.
    Opaque,
    /// A data access that failed in another way: there is no address that it was for.
    Abort,
    /// An instruction fetch that stage 2 refused.
    Fetch,
    /// An instruction of AArch32 for a coprocessor (classes 0x03 to 0x08 and 0x0C).
    Coprocessor {
        /// It is for the debug communications channel, or another register that MDSCR_EL1.TDCC
        /// keeps user programs from.
        channel: bool,
    },
    /// Anything else: no guest is given what it wants.
    Other,
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
    /// Set if the value read is extended with its sign.
    pub signed: bool,
    /// The register is used with all its 64 bits.
    pub wide: bool,
}

impl Access {
    /// Returns the register's content after `value` was read.
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

/// The number of a system register: op0, op1, CRn, CRm, op2 of the instruction, where the syndrome
/// of class [`REGISTER`] has them.
pub const fn name(op0: u32, op1: u32, crn: u32, crm: u32, op2: u32) -> u32 {
    op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | crm << 1
}

/// The bits of a register's number.
const NAME: u64 = name(3, 7, 15, 15, 7) as u64;

/// The parts of a register's number: op0, op1, CRn, CRm, op2.
pub const fn parts(name: u32) -> (u32, u32, u32, u32, u32) {
    (
        name >> 20 & 3,
        name >> 14 & 7,
        name >> 10 & 15,
        name >> 1 & 15,
        name >> 17 & 7,
    )
}

/// Whether the register is one of the debug communications channel's in AArch64: MDCCSR_EL0,
/// DBGDTR_EL0, DBGDTRRX_EL0 and DBGDTRTX_EL0.
pub const fn is_channel(name: u32) -> bool {
    matches!(parts(name), (2, 3, 0, 1 | 4 | 5, 0))
}

/// The syndrome of an asynchronous error (SError), of which nothing else is known.
pub const ASYNCHRONOUS: u64 = 0x2F << 26;

/// ESR.IL: the instruction has 32 bits. It is one, too, where there is no instruction to tell of.
const LONG: u64 = 1 << 25;

/// The syndrome of an undefined instruction, as EL1 sees it (class 0, which has IL set whatever the
/// instruction's length).
pub const UNDEFINED: u64 = LONG;

/// Classes (ESR.EC): WFI and WFE, HVC, SMC, a system register, and aborts that come from a lower
/// level.
pub const WAIT: u64 = 0x01;
/// See [`WAIT`].
pub const HYPERCALL: u64 = 0x16;
/// See [`WAIT`].
pub const SECURE_CALL: u64 = 0x17;
/// See [`WAIT`].
pub const REGISTER: u64 = 0x18;
/// See [`WAIT`].
pub const FETCH_ABORT: u64 = 0x20;
/// See [`WAIT`].
pub const DATA_ABORT: u64 = 0x24;

/// ESR.ISS of a data abort: WnR, it was a write; CM, it was maintenance of caches.
const WRITE: u64 = 1 << 6;
const MAINTENANCE: u64 = 1 << 8;

/// Returns the syndrome of a synchronous external abort as EL1 sees it, of the instruction fetch or
/// data access that `syndrome` describes to EL2. `user`: it came from EL0.
pub const fn external_abort(syndrome: u64, user: bool) -> u64 {
    let class = match syndrome >> 26 {
        FETCH_ABORT => FETCH_ABORT << 26,
        _ => (DATA_ABORT << 26) | (syndrome & (WRITE | MAINTENANCE)),
    };
    (class + ((!user as u64) << 26)) | LONG | 0x10
}

/// Returns whether the data access that `syndrome` describes to EL2 writes.
pub const fn is_write(syndrome: u64) -> bool {
    syndrome & WRITE != 0
}

/// SPSR: the state of AArch32's programs: T32, and IT in its two parts; the conditions that
/// instructions look at.
const AARCH32: u64 = 1 << 4;
const THUMB: u64 = 1 << 5;
const N: u32 = 31;
const Z: u32 = 30;
const C: u32 = 29;
const V: u32 = 28;

/// Whether a program in `state` (SPSR_EL2) is one of AArch32.
#[inline(always)]
pub const fn is_aarch32(state: u64) -> bool {
    state & AARCH32 != 0
}

/// PSTATE.IT of a program in `state`: of the eight bits the lower two lie apart.
const fn it(state: u64) -> u64 {
    state >> 8 & 0xFC | state >> 25 & 3
}

/// Returns the bytes of the instruction that `syndrome` describes.
#[inline(always)]
pub const fn length(syndrome: u64) -> u64 {
    2 + ((syndrome & LONG) >> 24)
}

/// Returns the `state` of an AArch32 program after an instruction that was carried out for it:
/// PSTATE.IT is advanced (Arm DDI 0487, ITAdvance).
pub const fn behind(state: u64) -> u64 {
    let it = it(state);
    let it = match it & 7 {
        0 => 0,
        _ => it & 0xE0 | it << 1 & 0x1F,
    };
    state & !(0x3F << 10 | 3 << 25) | (it & 0xFC) << 8 | (it & 3) << 25
}

/// Whether the condition of a trapped instruction of AArch32 holds: a processor may trap it where
/// it does not, and then it does nothing (Arm DDI 0487, ESR_ELx, CV and COND).
pub fn holds(syndrome: u64, state: u64) -> bool {
    let valid = syndrome >> 24 & 1 != 0;
    let condition = match (valid, state & THUMB != 0 && it(state) & 0xF != 0) {
        (true, _) => syndrome >> 20 & 0xF,
        (false, true) => it(state) >> 4,
        (false, false) => return true,
    };
    let [n, z, c, v] = [N, Z, C, V].map(|at| state >> at & 1 != 0);
    let base = match condition >> 1 {
        0 => z,
        1 => c,
        2 => n,
        3 => v,
        4 => c && !z,
        5 => n == v,
        6 => n == v && !z,
        _ => return true,
    };
    base != (condition & 1 != 0)
}

/// Whether a syndrome of class [`WAIT`] tells of WFE.
#[inline(always)]
pub const fn is_event(syndrome: u64) -> bool {
    syndrome & 1 != 0
}

/// Reads a syndrome.
pub fn read(syndrome: u64) -> Event {
    match field(syndrome, 26, 6) {
        HYPERCALL => Event::Hypercall {
            immediate: field(syndrome, 0, 16) as u16,
        },
        SECURE_CALL => Event::SecureCall,
        REGISTER => Event::Register(register(syndrome)),
        FETCH_ABORT => Event::Fetch,
        // Of the registers with opc1 = 0 are those of the channel; LDC and STC (0x06) have no
        // others.
        0x05 => Event::Coprocessor {
            channel: field(syndrome, 14, 3) == 0,
        },
        0x06 => Event::Coprocessor { channel: true },
        0x0C => Event::Coprocessor {
            channel: field(syndrome, 16, 4) == 0,
        },
        0x03 | 0x04 | 0x07 | 0x08 => Event::Coprocessor { channel: false },
        DATA_ABORT if syndrome & STATUS != UNMAPPED => Event::Abort,
        DATA_ABORT => access(syndrome).map_or(Event::Opaque, Event::Access),
        _ => Event::Other,
    }
}

/// `bits` bits of a syndrome from bit `at` on.
const fn field(syndrome: u64, at: u32, bits: u32) -> u64 {
    syndrome >> at & ((1 << bits) - 1)
}

/// The system register that a syndrome of class [`REGISTER`] tells of.
#[inline(always)]
pub const fn register(syndrome: u64) -> Register {
    Register {
        name: (syndrome & NAME) as u32,
        register: field(syndrome, 5, 5) as usize,
        read: field(syndrome, 0, 1) == 1,
    }
}

/// ISS of a data abort: whether the access is described (ISV); whether it was a walk of stage 1
/// (S1PTW), and its status (DFSC) but for the level.
const DESCRIBED: u64 = 1 << 24;
const STATUS: u64 = 1 << 7 | 0b11_1100;
/// The status of a fault of stage 2's translation. Of others, as of alignment, HPFAR_EL2 does not
/// hold the address (Arm DDI 0487, HPFAR_EL2).
const UNMAPPED: u64 = 0b00_0100;

/// The access that a syndrome of class [`DATA_ABORT`] describes, if it describes it and nothing is
/// mapped there.
#[inline(always)]
pub fn access(syndrome: u64) -> Option<Access> {
    (syndrome & (DESCRIBED | STATUS) == DESCRIBED | UNMAPPED).then(|| Access {
        bytes: 1 << field(syndrome, 22, 2),
        signed: field(syndrome, 21, 1) == 1,
        register: field(syndrome, 16, 5) as usize,
        wide: field(syndrome, 15, 1) == 1,
        write: field(syndrome, 6, 1) == 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_load_is_read_as_the_manual_says() {
        // LDRSH x5, [..]: valid, 2 bytes, signed, register 5, 64 bits.
        let syndrome = 0x24 << 26 | 1 << 25 | 1 << 24 | 1 << 22 | 1 << 21 | 5 << 16 | 1 << 15 | 7;
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
