//! Owns: which interrupts a guest has acknowledged and not ended, by their preemption levels; those
//! of them that had to leave the list registers, and how their end is found out.
//! Must never know: what a list register looks like.
//!
//! Interrupts inside each other have different preemption levels, and the processor keeps a bit for
//! each level (`ICH_AP1R0_EL2`, Arm IHI 0069). So an active interrupt can leave the list registers
//! for a more urgent one: when the bit of its level is gone the guest has ended it. The count of
//! ends that no list register knew leads to an exit (ICH_HCR_EL2.EOIcount, LRENPIE); it does not
//! say of which interrupt. A guest that ends in two steps (ICC_CTLR_EL1.EOImode) drops the priority
//! long before: its deactivations (ICC_DIR_EL1) are trapped while there are such interrupts, and
//! where a processor cannot trap them, its active interrupts stay in their registers.

use super::bits::ones;
use super::{Effects, INTERRUPTS, VirtualGic};
use crate::hardware::ListRegisters;

/// Five bits of a priority make a level: the processors' virtual interfaces have no more
/// (ICH_VTR_EL2.PREbits).
pub(super) const LEVEL_BITS: u32 = 5;
const LEVELS: usize = 1 << LEVEL_BITS;

/// The interrupt that was acknowledged at each level. An entry may be left over from an interrupt
/// that has ended in its list register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Taken {
    levels: u32,
    /// Levels of interrupts that had to leave their registers, and are active.
    away: u32,
    names: [u8; LEVELS],
}

impl Taken {
    pub const NOTHING: Self = Self {
        levels: 0,
        away: 0,
        names: [0; LEVELS],
    };

    fn name(&self, level: usize) -> u8 {
        self.names[level % LEVELS]
    }

    /// The entry of `level` counts no more.
    fn forget(&mut self, level: usize) {
        self.levels &= !(1 << level);
        self.away &= !(1 << level);
    }

    /// The interrupt of `level` is in a list register again.
    pub fn comes_back(&mut self, level: u8) {
        self.away &= !(1 << level);
    }

    /// Whether some had to leave their registers.
    pub const fn are_away(&self) -> bool {
        self.away != 0
    }

    /// The level at which interrupt `intid` was acknowledged, one of `levels`.
    pub fn level_of(&self, intid: u8, levels: u32) -> Option<u8> {
        let mut entries = ones(u64::from(self.levels & levels));
        let level = entries.find(|&level| self.name(level) == intid)?;
        Some(level as u8)
    }
}

impl VirtualGic {
    /// Notes that the guest has acknowledged interrupt `intid`, which had the priority `priority`.
    /// An interrupt that was active at the same level before has ended, unless it ends in two
    /// steps.
    pub(super) fn take(
        &mut self,
        vcpu: usize,
        intid: u8,
        priority: u8,
        lists: &impl ListRegisters,
    ) -> Effects {
        let level = usize::from(lists.level(priority)) % LEVELS;
        let known = &mut self.cpus[vcpu].lists.taken;
        let (bit, before) = (1 << level, known.names[level]);
        let was_away = known.away & bit != 0;
        if let Some(earlier) = known.level_of(intid, u32::MAX) {
            known.forget(earlier.into());
        }
        known.forget(level);
        // An interrupt with a priority that was dropped since has no level any more.
        known.levels |= bit & lists.levels();
        known.names[level] = intid;
        match was_away && before != intid && !lists.ends_in_two_steps() {
            true => self.end(vcpu, before),
            false => Effects::NONE,
        }
    }

    /// The active interrupts of VCPU `vcpu` that are in no list register: private ones, shared
    /// ones.
    pub(super) fn away(&self, vcpu: usize) -> (u64, u64) {
        let (cpu, shared) = (&self.cpus[vcpu], &self.shared);
        (
            cpu.private.active & !cpu.private.listed,
            shared.active & !shared.listed & cpu.spis,
        )
    }

    /// Ends those that had to leave their registers, if the guest has dropped their priority.
    pub(super) fn end_away(&mut self, vcpu: usize, lists: &impl ListRegisters) -> Effects {
        let mut effects = Effects::NONE;
        if lists.ends_in_two_steps() {
            return effects;
        }
        let known = &self.cpus[vcpu].lists.taken;
        for level in ones(u64::from(known.away & !lists.levels())) {
            let known = &mut self.cpus[vcpu].lists.taken;
            let intid = known.name(level);
            known.forget(level);
            effects.add(self.end(vcpu, intid));
        }
        effects
    }

    /// Forgets those that the guest has made inactive by a write.
    #[cold]
    pub(super) fn forget_inactive(&mut self, vcpu: usize) {
        for level in ones(self.cpus[vcpu].lists.taken.away.into()) {
            let intid = self.cpus[vcpu].lists.taken.name(level);
            let (bits, bit) = self.bits(vcpu, intid);
            if bits.active & bit == 0 {
                self.cpus[vcpu].lists.taken.forget(level);
            }
        }
    }

    /// Interrupt `intid`, which is in no list register, has ended.
    fn end(&mut self, vcpu: usize, intid: u8) -> Effects {
        let (bits, bit) = self.bits(vcpu, intid);
        let held = bits.held();
        bits.end(bit);
        let mut effects = Effects::of_held(vcpu, intid, held, bits.held());
        effects.add(self.settle(intid));
        effects
    }

    /// All list registers hold active interrupts, and something is pending: takes the least urgent
    /// one out. The register.
    pub(super) fn make_room(&mut self, vcpu: usize, lists: &impl ListRegisters) {
        let known = &self.cpus[vcpu].lists;
        if lists.ends_in_two_steps() && !lists.traps_deactivation() {
            return;
        }
        let levels = lists.levels();
        // Those that it made active by a write are not known by a level: they leave last.
        let urgency = |&register: &usize| {
            let level = known.taken.level_of(known.name(register), levels);
            level.map_or(0, |level| level + 1)
        };
        let Some(register) = ones(known.used.into()).max_by_key(urgency) else {
            return;
        };
        let intid = known.name(register);
        let known = &mut self.cpus[vcpu].lists;
        known.give_up(register);
        let level = known.taken.level_of(intid, levels);
        known.taken.away |= level.map_or(0, |level| 1 << level);
        let (bits, bit) = self.bits(vcpu, intid);
        bits.unlist(bit);
    }

    /// The guest in VCPU `vcpu`, which was synced, writes `value` to ICC_DIR_EL1, and was trapped.
    pub fn deactivate(&mut self, vcpu: usize, value: u64, lists: &impl ListRegisters) -> Effects {
        /// ICC_DIR_EL1.INTID.
        const NUMBER: u64 = 0xFF_FFFF;
        let intid = value & NUMBER;
        // The write means nothing to a guest that ends in one step.
        if intid >= u64::from(INTERRUPTS) || !lists.ends_in_two_steps() {
            return Effects::NONE;
        }
        self.end_active(vcpu, intid as u8)
    }
}
