//! Owns: system registers that trap here when a guest uses them.
//! Must never know: the content of memory.
//!
//! Numbers and fields: Arm DDI 0487, chapters D24 and D12.

use super::Hypervisor;
use crate::hardware::{Context, Hardware};
use crate::syndrome::{Register, is_channel, name, parts};

pub(super) const ICC_SGI1R: u32 = name(3, 0, 12, 11, 5);
const ICC_DIR: u32 = name(3, 0, 12, 11, 1);
const ICC_SGI0R: u32 = name(3, 0, 12, 11, 7);
const ICC_ASGI1R: u32 = name(3, 0, 12, 11, 6);
const CNTP_TVAL: u32 = name(3, 3, 14, 2, 0);
const CNTP_CTL: u32 = name(3, 3, 14, 2, 1);
const CNTP_CVAL: u32 = name(3, 3, 14, 2, 2);
const ACTLR: u32 = name(3, 0, 1, 0, 1);
const DC_ISW: u32 = name(1, 0, 7, 6, 2);
const DC_CSW: u32 = name(1, 0, 7, 10, 2);
const DC_CISW: u32 = name(1, 0, 7, 14, 2);
const MDSCR: u32 = name(2, 0, 0, 2, 2);
/// MDSCR_EL1.TDCC: user programs that use the debug communications channel are trapped to EL1.
const CHANNEL_DENIED: u64 = 1 << 12;

/// Whether it is a debug register. Debugging is not given to guests: its registers are there and
/// empty, and what is written to them is forgotten, but for MDSCR_EL1.TDCC. (Those of traces, with
/// op1 = 1, are not there.) Those of the communications channel may be denied at EL0 (`user`).
fn is_debug(register: u32, user: bool, context: &impl Context) -> bool {
    match is_channel(register) {
        true => !(user && denies_channel(context)),
        false => matches!(parts(register), (2, 0, ..)),
    }
}

/// Whether a register is the VCPU's alone: all but those of CRn = 12 and 14, which are of
/// interrupts and timers.
#[inline(always)]
pub(super) const fn is_of_the_vcpu(register: u32) -> bool {
    let (op0, _, crn, ..) = parts(register);
    op0 != 3 || crn < 12
}

/// Whether the kernel in a VCPU keeps its user programs from the debug communications channel.
pub(super) fn denies_channel(context: &impl Context) -> bool {
    context.debug() & CHANNEL_DENIED != 0
}

/// Reads a register of the VCPU alone, at EL0 (`user`) or EL1. None if there is no such register
/// for it.
#[inline(always)]
pub(super) fn read_own<H: Hardware>(
    context: &H::Context,
    register: u32,
    user: bool,
) -> Option<u64> {
    match register {
        ACTLR => Some(0),
        MDSCR => Some(context.debug()),
        _ => match parts(register) {
            (3, 0, 0, crm @ 1..=7, op2) => {
                let shown = SHOWN[crm as usize - 1][op2 as usize % 8];
                Some(H::identity(crm, op2) & shown)
            }
            _ => is_debug(register, user, context).then_some(0),
        },
    }
}

/// Writes a register of the VCPU alone, at EL0 (`user`) or EL1. None if there is no such register
/// for it.
#[inline(always)]
pub(super) fn write_own(
    context: &impl Context,
    register: u32,
    user: bool,
    value: u64,
) -> Option<()> {
    match register {
        // By set and way they mean nothing where caches are shared and coherent; the rest changes
        // nothing.
        ACTLR | DC_ISW | DC_CSW | DC_CISW => Some(()),
        MDSCR => {
            context.set_debug(value & CHANNEL_DENIED);
            Some(())
        }
        _ => is_debug(register, user, context).then_some(()),
    }
}

impl<H: Hardware> Hypervisor<H> {
    /// Carries out a use of a system register of interrupts or timers by the loaded `vcpu`. Says
    /// whether there is such a register for it.
    pub(super) fn register(&mut self, vcpu: usize, access: Register) -> bool {
        let context = H::context(vcpu);
        if access.read {
            let Some(value) = self.read_register(vcpu, access.name) else {
                return false;
            };
            context.set_x(access.register, value);
            return true;
        }
        self.write_register(vcpu, access.name, context.x(access.register))
    }

    fn read_register(&self, vcpu: usize, register: u32) -> Option<u64> {
        let timer = self.vcpus[vcpu].physical;
        match register {
            CNTP_CTL => {
                let expired = timer.compare <= H::ticks();
                Some(timer.control & 3 | u64::from(timer.control & 1 == 1 && expired) << 2)
            }
            CNTP_CVAL => Some(timer.compare),
            CNTP_TVAL => Some(timer.compare.wrapping_sub(H::ticks()) & 0xFFFF_FFFF),
            _ => None,
        }
    }

    fn write_register(&mut self, vcpu: usize, register: u32, value: u64) -> bool {
        let timer = &mut self.vcpus[vcpu].physical;
        match register {
            ICC_DIR => self.deactivate_interrupt(vcpu, value),
            // The other groups are never enabled.
            ICC_SGI0R | ICC_ASGI1R => {}
            CNTP_CTL => {
                timer.control = value & 3;
                self.attend(vcpu);
                self.update_physical_timer(vcpu);
            }
            CNTP_CVAL => {
                timer.compare = value;
                self.update_physical_timer(vcpu);
            }
            CNTP_TVAL => {
                timer.compare = H::ticks().wrapping_add(value as u32 as i32 as u64);
                self.update_physical_timer(vcpu);
            }
            _ => return false,
        }
        true
    }

    /// It is trapped while active interrupts are in no list register.
    #[cold]
    #[inline(never)]
    fn deactivate_interrupt(&mut self, vcpu: usize, value: u64) {
        let (partition, number) = self.place_of(vcpu);
        let mut controller = self.shared.controller(partition);
        let mut effects = controller.sync(number, &mut H::lists());
        effects.add(controller.deactivate(number, value, &H::lists()));
        drop(controller);
        self.carry_out(partition, effects);
    }
}

/// Fields of four bits, each named by its lowest.
const fn fields(all: &[u32]) -> u64 {
    let (mut mask, mut index) = (0, 0);
    while index < all.len() {
        mask |= 0xF << all[index];
        index += 1;
    }
    mask
}

/// Identification registers as guests see them, by CRm (1 to 7) and op2. A register that is not
/// named here reads as zero, which says that there is none, or the least of it. (Fields that say so
/// by 0xF are FP and AdvSIMD of ID_AA64PFR0_EL1 and the granules of ID_AA64MMFR0_EL1, which are
/// shown as they are, and DoubleLock of ID_AA64DFR0_EL1, where zero says that OSDLR_EL1 can be
/// accessed: it can.) Shown is what Armv8.0 has, and later instructions that only compute. An
/// extension with registers, bits of PSTATE or traps of its own is not, before EL2 knows it.
const SHOWN: [[u64; 8]; 7] = {
    const ALL: u64 = 0xFFFF_FFFF;
    [
        [
            // ID_PFR0_EL1: the four instruction sets.
            fields(&[0, 4, 8, 12]),
            // ID_PFR1_EL1: the programmers' models, the timer, the interrupt controller; neither
            // security nor virtualisation.
            fields(&[0, 8, 16, 28]),
            // ID_DFR0_EL1: the version of debugging; neither performance monitors nor traces.
            fields(&[0]),
            // ID_AFR0_EL1: the implementation's own.
            0,
            // ID_MMFR0_EL1 to ID_MMFR3_EL1; of the last not PAN.
            ALL,
            ALL,
            ALL,
            ALL & !fields(&[16]),
        ],
        [
            // ID_ISAR0_EL1 to ID_ISAR5_EL1.
            ALL,
            ALL,
            ALL,
            ALL,
            ALL,
            fields(&[0, 4, 8, 12, 16, 24, 28]),
            // ID_MMFR4_EL1: the form of CCSIDR.
            fields(&[24]),
            // ID_ISAR6_EL1: not SPECRES.
            fields(&[0, 4, 8, 12, 20, 24]),
        ],
        // MVFR0_EL1 to MVFR2_EL1.
        [ALL, ALL, ALL, 0, 0, 0, 0, 0],
        [
            // ID_AA64PFR0_EL1: EL0, EL1, FP, AdvSIMD, the interrupt controller's registers; CSV2
            // and CSV3 if they are 1: the next value of CSV2 implies more registers.
            fields(&[0, 4, 16, 20, 24]) | 1 << 56 | 1 << 60,
            // ID_AA64PFR1_EL1, ID_AA64ZFR0_EL1, ID_AA64SMFR0_EL1, ID_AA64FPFR0_EL1.
            0,
            0,
            0,
            0,
            0,
            0,
            0,
        ],
        [
            // ID_AA64DFR0_EL1: the version, breakpoints and watchpoints.
            fields(&[0, 12, 20, 28]),
            0,
            0,
            0,
            0,
            0,
            0,
            0,
        ],
        [
            // ID_AA64ISAR0_EL1: AES, SHA1, SHA2, CRC32, Atomic; RDM, SHA3, SM3, SM4, DP, FHM.
            fields(&[4, 8, 12, 16, 20, 28, 32, 36, 40, 44, 48]),
            // ID_AA64ISAR1_EL1: DPB, JSCVT, FCMA, LRCPC, FRINTTS, SB, BF16, DGH, I8MM. Keys of
            // pointers are not moved with a VCPU.
            fields(&[0, 12, 16, 20, 32, 36, 44, 48, 52]),
            // ID_AA64ISAR2_EL1: waits with a time-out are none here.
            0,
            0,
            0,
            0,
            0,
            0,
        ],
        [
            // ID_AA64MMFR0_EL1: ASIDs, endianness, granules. PARange reads as zero: 32 bits, which
            // is what the second stage maps.
            fields(&[4, 8, 12, 16, 20, 24, 28]),
            // ID_AA64MMFR1_EL1.
            0,
            // ID_AA64MMFR2_EL1: the form of CCSIDR_EL1, and how EL0's reads of these registers are
            // reported.
            fields(&[20, 36]),
            0,
            0,
            0,
            0,
            0,
        ],
    ]
};
