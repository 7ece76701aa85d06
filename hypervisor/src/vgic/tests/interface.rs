//! A processor's virtual interrupt interface, as a guest and the hypervisor see it (Arm IHI 0069,
//! "Virtual interrupt handling and prioritization", and the registers ICH_LR<n>_EL2, ICH_HCR_EL2,
//! ICH_MISR_EL2).

use crate::hardware::{ListRegisters, Notices};
use core::ops::RangeInclusive;
use std::vec;
use std::vec::Vec;

const PENDING: u64 = 1 << 62;
const ACTIVE: u64 = 1 << 63;
const HARDWARE: u64 = 1 << 61;
const GROUP1: u64 = 1 << 60;
const NOTIFY: u64 = 1 << 41;

/// An idle interface's running priority.
const IDLE: u8 = 0xFF;

#[derive(Clone, Debug)]
pub struct Interface {
    pub registers: Vec<u64>,
    pub notices: Notices,
    /// ICH_HCR_EL2.EOIcount.
    pub ends: usize,
    /// The guest ends in two steps (ICC_CTLR_EL1.EOImode), and whether the second one can be
    /// trapped alone.
    pub split: bool,
    pub traps: bool,
    /// The priorities of what was acknowledged and not dropped, the last one on top
    /// (ICH_AP1R0_EL2).
    pub running: Vec<u8>,
    /// Physical interrupts that the guest's ends deactivated.
    pub deactivated: Vec<u32>,
}

impl Interface {
    pub fn new(count: usize) -> Self {
        Self {
            registers: vec![0; count],
            notices: Notices::default(),
            ends: 0,
            split: false,
            traps: true,
            running: Vec::new(),
            deactivated: Vec::new(),
        }
    }

    fn priority(value: u64) -> u8 {
        (value >> 48) as u8
    }

    /// The register of the most urgent interrupt that is pending and not active.
    fn highest(&self) -> Option<usize> {
        (0..self.registers.len())
            .filter(|&n| self.registers[n] & (PENDING | ACTIVE) == PENDING)
            .min_by_key(|&n| Self::priority(self.registers[n]))
    }

    /// The guest reads ICC_IAR1_EL1; none for 1023.
    pub fn acknowledge(&mut self) -> Option<u32> {
        let register = self.highest()?;
        let value = &mut self.registers[register];
        assert_ne!(*value & GROUP1, 0, "it must come as an IRQ");
        let priority = Self::priority(*value);
        if priority >= self.running.last().copied().unwrap_or(IDLE) {
            return None;
        }
        *value ^= PENDING | ACTIVE;
        self.running.push(priority);
        Some(*value as u32)
    }

    /// The guest writes `intid` to ICC_EOIR1_EL1, in mode 0: it drops the running priority and
    /// deactivates. Whether a register held it as active.
    pub fn end(&mut self, intid: u32) -> bool {
        let dropped = self.drop_priority();
        self.deactivate(intid, dropped..=dropped)
    }

    /// The guest writes ICC_EOIR1_EL1 in mode 1. The priority that was dropped.
    pub fn drop_priority(&mut self) -> u8 {
        self.running.pop().expect("nothing runs")
    }

    /// The guest writes `intid` to ICC_DIR_EL1 in mode 1.
    pub fn end_in_second_step(&mut self, intid: u32) -> bool {
        self.deactivate(intid, 0..=u8::MAX)
    }

    /// Ends interrupt `intid` in the register that has it active at such a priority: processors
    /// compare it. Returns whether there is one.
    fn deactivate(&mut self, intid: u32, priorities: RangeInclusive<u8>) -> bool {
        let found = self.registers.iter_mut().find(|value| {
            let its = **value as u32 == intid && priorities.contains(&Self::priority(**value));
            **value & ACTIVE != 0 && its
        });
        let Some(value) = found else {
            self.ends += 1;
            return false;
        };
        *value &= !ACTIVE;
        if *value & HARDWARE != 0 {
            self.deactivated.push((*value >> 32 & 0x1FFF) as u32);
        }
        true
    }

    /// Returns whether the maintenance interrupt is asserted: by an underflow, an end with a
    /// requested notice, an end that no register knew, or if nothing is pending.
    pub fn maintenance(&self) -> bool {
        let in_use = |value: &&u64| **value & (PENDING | ACTIVE) != 0;
        let few = self.registers.iter().filter(in_use).count() <= 1;
        let ended = |value: &u64| value & (PENDING | ACTIVE | HARDWARE | NOTIFY) == NOTIFY;
        let Notices {
            underflow,
            taken,
            away,
        } = self.notices;
        let unknown = away && self.ends > 0;
        let taken = taken && self.highest().is_none();
        underflow && few || taken || unknown || self.registers.iter().any(ended)
    }

    /// The interrupts in the registers, with their priorities, in order.
    pub fn pending(&self) -> Vec<(u8, u32)> {
        let pending = self.registers.iter().filter(|value| **value & PENDING != 0);
        let mut pending: Vec<_> = pending.map(|v| (Self::priority(*v), *v as u32)).collect();
        pending.sort_unstable();
        pending
    }

    pub fn running_priority(&self) -> u8 {
        self.running.last().copied().unwrap_or(IDLE)
    }

    /// How many hold an active one.
    pub fn actives(&self) -> usize {
        let active = |value: &&u64| **value & ACTIVE != 0;
        self.registers.iter().filter(active).count()
    }

    /// There is no room for a pending one: the ends of active ones could not be seen elsewhere.
    pub fn is_stuck(&self) -> bool {
        self.actives() == self.registers.len() && self.split && !self.traps
    }

    /// Returns whether a register holds it and requests a notice of its end.
    pub fn is_watched(&self, intid: u32) -> bool {
        let holds = |value: u64| value & (PENDING | ACTIVE) != 0 && value as u32 == intid;
        let asks = |value: u64| value & (HARDWARE | NOTIFY) == NOTIFY;
        let mut registers = self.registers.iter();
        registers.any(|&value| holds(value) && asks(value))
    }

    pub fn is_active(&self, intid: u32) -> bool {
        let mut registers = self.registers.iter();
        registers.any(|value| value & ACTIVE != 0 && *value as u32 == intid)
    }

    /// Checks that no register has what the architecture forbids.
    pub fn check(&self) {
        let mut names = Vec::new();
        for &value in &self.registers {
            if value & (PENDING | ACTIVE) == 0 {
                continue;
            }
            if value & HARDWARE != 0 {
                assert_ne!(value & (PENDING | ACTIVE), PENDING | ACTIVE);
                assert_eq!(value >> 32 & 0x1FFF, u64::from(value as u32));
            }
            names.push(value as u32);
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "an interrupt is in two registers");
    }
}

impl ListRegisters for Interface {
    fn count(&self) -> usize {
        self.registers.len()
    }

    fn read(&self, n: usize) -> u64 {
        self.registers[n]
    }

    fn write(&mut self, n: usize, value: u64) {
        self.registers[n] = value;
    }

    fn set_notices(&mut self, notices: Notices) {
        (self.notices, self.ends) = (notices, 0);
    }

    fn level(&self, priority: u8) -> u8 {
        priority >> 3
    }

    fn levels(&self) -> u32 {
        let bits = self.running.iter().map(|priority| 1 << (priority >> 3));
        bits.sum()
    }

    fn ends_in_two_steps(&self) -> bool {
        self.split
    }

    fn traps_deactivation(&self) -> bool {
        self.traps
    }
}
