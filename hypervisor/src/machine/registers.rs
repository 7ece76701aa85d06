//! Owns: system registers whose use by a guest comes here.
//! Must never know: what memory holds.
//!
//! Numbers and fields: Arm DDI 0487, chapters D24 and D12.

use super::Hypervisor;
use crate::hardware::{Context, Hardware};
use crate::syndrome::{Register, name, parts};

const ICC_SGI1R: u32 = name(3, 0, 12, 11, 5);
const ICC_SGI0R: u32 = name(3, 0, 12, 11, 7);
const ICC_ASGI1R: u32 = name(3, 0, 12, 11, 6);
const CNTP_TVAL: u32 = name(3, 3, 14, 2, 0);
const CNTP_CTL: u32 = name(3, 3, 14, 2, 1);
const CNTP_CVAL: u32 = name(3, 3, 14, 2, 2);
const ACTLR: u32 = name(3, 0, 1, 0, 1);
const DC_ISW: u32 = name(1, 0, 7, 6, 2);
const DC_CSW: u32 = name(1, 0, 7, 10, 2);
const DC_CISW: u32 = name(1, 0, 7, 14, 2);

impl<H: Hardware> Hypervisor<H> {
    /// Carries out a use of a system register by the loaded `vcpu`. Says whether there is such a register for guests.
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

    fn read_register(&mut self, vcpu: usize, register: u32) -> Option<u64> {
        let timer = self.vcpus[vcpu].physical;
        Some(match register {
            CNTP_CTL => {
                let expired = timer.compare <= H::ticks();
                timer.control & 3 | u64::from(timer.control & 1 == 1 && expired) << 2
            }
            CNTP_CVAL => timer.compare,
            CNTP_TVAL => timer.compare.wrapping_sub(H::ticks()) & 0xFFFF_FFFF,
            ACTLR => 0,
            _ => match parts(register) {
                (3, 0, 0, crm @ 1..=7, op2) => identity(crm, op2, H::identity(crm, op2)),
                // Debugging is not given to guests: its registers are there and empty.
                (2, ..) => 0,
                _ => return None,
            },
        })
    }

    fn write_register(&mut self, vcpu: usize, register: u32, value: u64) -> bool {
        let timer = &mut self.vcpus[vcpu].physical;
        match register {
            ICC_SGI1R => self.send_interrupt(vcpu, value),
            // The other groups are never enabled.
            ICC_SGI0R | ICC_ASGI1R => {}
            CNTP_CTL => {
                timer.control = value & 3;
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
            // By set and way they mean nothing where caches are shared and coherent; the rest changes nothing.
            ACTLR | DC_ISW | DC_CSW | DC_CISW => {}
            _ => return matches!(parts(register), (2, ..)),
        }
        true
    }

    fn send_interrupt(&mut self, vcpu: usize, value: u64) {
        let partition = usize::from(self.vcpus[vcpu].partition);
        let number = usize::from(self.vcpus[vcpu].number);
        let mask = self.partitions[partition].gic.send(number, value);
        self.notify(partition, mask);
    }
}

/// What a guest sees of an identification register: what it must not use is taken out.
fn identity(crm: u32, op2: u32, value: u64) -> u64 {
    let without = |value: u64, fields: &[u32]| {
        let mask = fields.iter().fold(0, |mask, &at| mask | 0xF << at);
        value & !mask
    };
    match (crm, op2) {
        // ID_AA64PFR0_EL1: EL3, EL2, SVE, MPAM, AMU. RAS.
        (4, 0) => without(value, &[8, 12, 28, 32, 40, 44]),
        // ID_AA64PFR1_EL1: MTE, MPAM, SME.
        (4, 1) => without(value, &[8, 16, 24]),
        // ID_AA64ZFR0_EL1, ID_AA64SMFR0_EL1.
        (4, 4 | 5) => 0,
        // ID_AA64DFR0_EL1: version of debugging and the number of breakpoints and watchpoints stay; tracing, performance
        // monitors, statistical profiling and branch records are taken out.
        (5, 0) => without(value, &[4, 8, 32, 36, 40, 44, 48, 52]),
        // ID_DFR0_EL1: performance monitors, traces.
        (1, 2) => without(value, &[12, 16, 20, 24, 28]),
        // ID_AA64MMFR0_EL1: 32 bits of physical addresses (PARange 0).
        (7, 0) => without(value, &[0]),
        // ID_AA64MMFR1_EL1: virtualisation host extensions, limited ordering.
        (7, 1) => without(value, &[8, 16]),
        // ID_AA64MMFR2_EL1: nested virtualisation.
        (7, 2) => without(value, &[24]),
        // ID_AA64ISAR1_EL1: pointer authentication, whose keys are not switched.
        (6, 1) => without(value, &[4, 8, 24, 28]),
        // ID_AA64ISAR2_EL1: the same.
        (6, 2) => without(value, &[8, 12]),
        _ => value,
    }
}
