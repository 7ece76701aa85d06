//! Owns: the calls of guests: PSCI (Arm DEN0022, version 1.1), the calling convention's own (Arm
//! DEN0028, version 1.1) and the project's.
//! Must never know: how they come here.

use super::{Condition, Hypervisor};
use crate::hardware::{Context, Hardware};
use crate::machine::life::Stopped;
use taktos_abi::vm::{call, layout};
use taktos_schedule::vcpu::Vcpu;

/// PSCI's and the calling convention's numbers; bit 30 marks the form with 64-bit arguments.
pub(super) mod psci {
    pub const WIDE: u32 = 1 << 30;
    pub const CONVENTION: u32 = 0x8000_0000;
    pub const ARCH_FEATURES: u32 = 0x8000_0001;
    pub const VERSION: u32 = 0x8400_0000;
    pub const CPU_SUSPEND: u32 = 0x8400_0001;
    pub const CPU_OFF: u32 = 0x8400_0002;
    pub const CPU_ON: u32 = 0x8400_0003;
    pub const AFFINITY_INFO: u32 = 0x8400_0004;
    pub const MIGRATE_INFO_TYPE: u32 = 0x8400_0006;
    pub const SYSTEM_OFF: u32 = 0x8400_0008;
    pub const SYSTEM_RESET: u32 = 0x8400_0009;
    pub const FEATURES: u32 = 0x8400_000A;

    pub const INVALID: u64 = -2i64 as u64;
    pub const DENIED: u64 = -3i64 as u64;
    pub const ALREADY_ON: u64 = -4i64 as u64;
    pub const INVALID_ADDRESS: u64 = -9i64 as u64;
    /// No trusted system that migrates.
    pub const NO_MIGRATION: u64 = 2;
}

impl<H: Hardware> Hypervisor<H> {
    /// Carries out the call in the registers of the loaded `vcpu`.
    pub(super) fn call(&mut self, vcpu: usize) {
        let context = H::context(vcpu);
        let function = context.x(0) as u32;
        let wide = function & psci::WIDE != 0;
        let argument = |n| match wide {
            true => context.x(n),
            false => context.x(n) & 0xFFFF_FFFF,
        };
        let partition = usize::from(self.vcpus[vcpu].partition);
        let answer = match function {
            psci::SYSTEM_OFF => return self.stop(partition, Stopped::Off),
            psci::SYSTEM_RESET => return self.stop(partition, Stopped::Reset),
            psci::CPU_OFF => match self.switch_off(vcpu) {
                true => return,
                false => psci::DENIED,
            },
            _ => match function & !psci::WIDE {
                psci::CPU_ON => self.switch_on(vcpu, argument(1), argument(2), argument(3)),
                _ => call::NOT_SUPPORTED,
            },
        };
        context.set_x(0, answer);
    }

    /// The guest has nothing better to do: others go first once.
    pub(super) fn give_way(&mut self, vcpu: usize) {
        let unit = Vcpu::new(vcpu as u16);
        self.pools.yield_now(unit, H::now(), &mut self.world);
        self.world.ask(self.world.here);
    }

    /// An interrupt of no level comes to `partition`.
    pub(super) fn interrupt(&mut self, partition: usize, number: u32) {
        let mask = self.shared.controller(partition).raise(0, number);
        self.notify(partition, mask);
    }

    /// The VCPU of `of`'s partition that `affinity` names: only the lowest level counts them.
    fn named(&self, of: usize, affinity: u64) -> Option<usize> {
        let vcpus = self.vcpus_of(self.vcpus[of].partition.into());
        let number = usize::try_from(affinity).ok()?;
        (number < vcpus.len()).then(|| vcpus.start + number)
    }

    fn switch_on(&mut self, caller: usize, affinity: u64, entry: u64, argument: u64) -> u64 {
        let Some(vcpu) = self.named(caller, affinity) else {
            return psci::INVALID;
        };
        let partition = usize::from(self.vcpus[vcpu].partition);
        let memory = self.record(partition).bytes;
        if !(layout::MEMORY..layout::MEMORY + memory).contains(&entry) || !entry.is_multiple_of(4) {
            return psci::INVALID_ADDRESS;
        }
        if !self.is_off(vcpu) {
            return psci::ALREADY_ON;
        }
        let (partition, number) = self.place_of(vcpu);
        H::context(vcpu).reset(entry, argument, number as u64);
        let mut devices = self.shared.devices(partition);
        devices.on |= 1 << number;
        let effects = devices.controller.reset_vcpu(number);
        drop(devices);
        self.carry_out(partition, effects);
        self.vcpus[vcpu].condition = Condition::Able;
        let unit = Vcpu::new(vcpu as u16);
        self.pools.wake(unit, H::now(), &mut self.world);
        call::SUCCESS
    }

    /// Switches the calling VCPU off, if another one of its partition is on.
    fn switch_off(&mut self, vcpu: usize) -> bool {
        let mut others = self.vcpus_of(self.vcpus[vcpu].partition.into());
        if !others.any(|other| other != vcpu && self.vcpus[other].condition != Condition::Off) {
            return false;
        }
        self.put_off(vcpu);
        true
    }

    /// Whether `vcpu` is off. Then it is on no processor either: one that switches itself off
    /// leaves it in that exit. If a sibling stops all of them, no VCPU is left to call this.
    fn is_off(&self, vcpu: usize) -> bool {
        self.vcpus[vcpu].condition == Condition::Off
    }
}

/// The answer to a call that is the same for all at all times.
#[inline(always)]
pub(super) fn constant(function: u32, argument: u32) -> Option<u64> {
    Some(match function {
        call::NOTHING => call::SUCCESS,
        call::VERSION => 1,
        psci::VERSION | psci::CONVENTION => 0x1_0001,
        psci::FEATURES => features(argument),
        psci::ARCH_FEATURES => arch_features(argument),
        psci::MIGRATE_INFO_TYPE => psci::NO_MIGRATION,
        _ => return None,
    })
}

/// Which calls of the Arm architecture's own there are: none for mitigations of speculation.
/// Neither does EL2 have any, so "not supported" is the truth on processors that need them and on
/// those that do not.
fn arch_features(function: u32) -> u64 {
    match function {
        psci::CONVENTION | psci::ARCH_FEATURES => call::SUCCESS,
        _ => call::NOT_SUPPORTED,
    }
}

fn features(function: u32) -> u64 {
    let known = match function & !psci::WIDE {
        psci::CPU_ON | psci::AFFINITY_INFO | psci::CPU_SUSPEND => true,
        _ => matches!(
            function,
            psci::CONVENTION
                | psci::VERSION
                | psci::CPU_OFF
                | psci::MIGRATE_INFO_TYPE
                | psci::SYSTEM_OFF
                | psci::SYSTEM_RESET
                | psci::FEATURES
        ),
    };
    match known {
        true => call::SUCCESS,
        false => call::NOT_SUPPORTED,
    }
}
