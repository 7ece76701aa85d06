//! Owns: the content of a VCPU's list registers.
//! Must never know: how a guest requests an interrupt.
//!
//! The format of a list register is that of `ICH_LR<n>_EL2` (Arm IHI 0069, "`ICH_LR<n>_EL2`,
//! Interrupt Controller List Registers"). Of several pending ones the processor takes the most
//! urgent by itself, so their order among the registers means nothing as long as all fit in; when
//! they do not, the most urgent are chosen, and among equals those of the smallest numbers.

use super::bits::{Bits, ones};
use super::taken::{LEVEL_BITS, Taken};
use super::{Cpu, Effects, PRIVATE, SHARED, TIMER, VCPUS, VirtualGic, bank};
use crate::hardware::{ListRegisters, Notices};

/// State: pending.
const PENDING: u64 = 1 << 62;
/// State: active.
const ACTIVE: u64 = 1 << 63;
/// The guest's end ends the physical interrupt too.
const HARDWARE: u64 = 1 << 61;
/// Group 1: comes as an IRQ.
const GROUP1: u64 = 1 << 60;
const PRIORITY_SHIFT: u32 = 48;
const PHYSICAL_SHIFT: u32 = 32;
/// Requests a maintenance interrupt when the guest ends it. Not for those of hardware: there the
/// bit is a part of the physical number, in which it stays zero for numbers below 512.
const NOTIFY: u64 = 1 << 41;

/// The most list registers that the architecture has.
pub(super) const REGISTERS: usize = 16;

/// A VCPU's list registers as the hypervisor knows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lists {
    /// Those that hold an interrupt.
    pub used: u16,
    /// Those that hold what must be erased before the VCPU runs again.
    stale: u16,
    /// Interrupts that they hold.
    names: [u8; REGISTERS],
    /// Set if the known content is what they hold: the VCPU has not run since it was read.
    pub exact: bool,
    /// They must be filled again before the VCPU runs.
    pub dirty: bool,
    /// Private interrupts, and shared ones, that became pending since they were filled: if nothing
    /// else happened, it is enough to add these.
    pub fresh: u64,
    /// See `fresh`.
    pub fresh_shared: u64,
    /// There are edits to be done when the registers are looked at.
    pub edited: bool,
    /// The events that lead to the maintenance interrupt.
    notices: Notices,
    /// The interrupts that the guest has acknowledged.
    pub taken: Taken,
}

impl Lists {
    pub const EMPTY: Self = Self {
        used: 0,
        stale: 0,
        names: [0; REGISTERS],
        exact: true,
        dirty: false,
        fresh: 0,
        fresh_shared: 0,
        edited: false,
        notices: Notices {
            underflow: false,
            taken: false,
            away: false,
        },
        taken: Taken::NOTHING,
    };

    /// `bit`, which is interrupt `intid`'s (or none), became pending.
    #[inline]
    pub fn freshen(&mut self, intid: u8, bit: u64) {
        if intid < PRIVATE {
            self.fresh |= bit;
        } else {
            self.fresh_shared |= bit;
        }
    }

    /// Returns the interrupt that register `register` holds, or held last.
    #[inline]
    pub fn name(&self, register: usize) -> u8 {
        self.names[register % REGISTERS]
    }

    /// The register that holds interrupt `intid`.
    pub fn register_of(&self, intid: u8) -> Option<usize> {
        ones(u64::from(self.used)).find(|&register| self.name(register) == intid)
    }

    /// The registers that hold nothing.
    #[inline]
    pub fn free(&self, lists: &impl ListRegisters) -> u16 {
        let count = lists.count().clamp(1, REGISTERS);
        (u16::MAX >> (REGISTERS - count)) & !self.used
    }

    /// Register `register` holds interrupt `intid` from now on: `value`.
    #[inline]
    fn fill(&mut self, register: usize, intid: u8, value: u64, lists: &mut impl ListRegisters) {
        self.used |= 1 << register;
        self.stale &= !(1 << register);
        self.names[register % REGISTERS] = intid;
        lists.write(register, value);
    }

    /// Erases what does not count any more.
    #[cold]
    fn erase(&mut self, lists: &mut impl ListRegisters) {
        for register in ones(u64::from(self.stale)) {
            lists.write(register, 0);
        }
        self.stale = 0;
    }

    /// Register `register` holds nothing that counts from now on.
    pub fn give_up(&mut self, register: usize) {
        self.used &= !(1 << register);
        self.stale |= 1 << register;
        self.dirty = true;
    }
}

impl VirtualGic {
    /// Takes note of what VCPU `vcpu`'s guest acknowledged and ended. Called when the VCPU was
    /// left, before any query about it or work for it. `lists` are those of the processor that it
    /// ran on, or its saved ones. A second call before it runs again does nothing. Bound: a read of
    /// each register in use.
    #[inline]
    pub fn sync(&mut self, vcpu: usize, lists: &mut impl ListRegisters) -> Effects {
        match self.cpus.get(vcpu) {
            Some(cpu) if !cpu.lists.exact => self.fold(vcpu, lists),
            _ => Effects::NONE,
        }
    }

    /// Puts what VCPU `vcpu`'s guest is to see in its list registers. Called before each return to
    /// the guest; it implies [`VirtualGic::sync`]. Bound: a read and a write of each register. If
    /// not all fit in, also a check of each of the VCPU's pending interrupts with at most 16
    /// comparisons.
    #[inline]
    pub fn flush(&mut self, vcpu: usize, lists: &mut impl ListRegisters) -> Effects {
        let mut effects = self.sync(vcpu, lists);
        let Some(cpu) = self.cpus.get(vcpu) else {
            return effects;
        };
        let fresh = cpu.lists.fresh | cpu.lists.fresh_shared != 0;
        if cpu.lists.dirty || fresh && !self.add_fresh(vcpu, lists) {
            effects.add(self.arrange(vcpu, lists));
        }
        let known = &mut self.cpus[vcpu].lists;
        known.exact = known.used == 0;
        effects
    }

    /// The virtual timer of VCPU `vcpu`, which was left and not synced, has fired again, and
    /// nothing else has changed: the guest has ended it in its list register, the only one in use,
    /// where it is pending once more. All states are then as they were when the register was
    /// filled. Returns whether it is so; otherwise nothing was done.
    #[inline]
    pub fn renew_timer(&mut self, vcpu: usize, lists: &mut impl ListRegisters) -> bool {
        let Cpu {
            private,
            lists: known,
            ..
        } = &self.cpus[vcpu % VCPUS];
        let register = usize::from(known.used).trailing_zeros() as usize;
        let alone = known.used.is_power_of_two() && known.name(register) == TIMER;
        let changed = known.dirty | known.edited | (known.fresh | known.fresh_shared != 0);
        // Shown as pending, and not known to be taken.
        let doubtful = private.active | private.latch | private.written;
        let shown = private.lent & !doubtful & 1 << TIMER != 0;
        if !alone || changed || known.exact || !shown || self.leaving != 0 {
            return false;
        }
        let value = lists.read(register);
        let ended = value & (PENDING | ACTIVE) == 0;
        if ended {
            lists.write(register, value | PENDING);
        }
        ended
    }

    #[inline]
    fn fold(&mut self, vcpu: usize, lists: &mut impl ListRegisters) -> Effects {
        let moving = self.leaving != 0;
        let Cpu {
            private,
            lists: known,
            ..
        } = &mut self.cpus[vcpu];
        known.exact = true;
        let mut left = known.used;
        let mut odd = u32::from(if moving || known.edited { left } else { 0 });
        while left != 0 {
            let register = left.trailing_zeros() as usize;
            left &= left - 1;
            let value = lists.read(register);
            let intid = known.name(register);
            let (bits, bit) = bank(private, &mut self.shared, intid);
            if value & (PENDING | ACTIVE) == 0 {
                bits.end(bit);
                known.used &= !(1 << register);
                known.freshen(intid, bits.pending() & bit);
                odd |= u32::from(value & NOTIFY != 0) << register;
            } else {
                let taken = value & ACTIVE != 0 && bits.active & bit == 0;
                let doubtful = value & (PENDING | HARDWARE) == PENDING | HARDWARE;
                odd |= (u32::from(taken) << REGISTERS | u32::from(doubtful)) << register;
                bits.fold(bit, value & PENDING != 0, value & ACTIVE != 0);
                known.dirty |= value & PENDING == 0 && bits.pending() & bit != 0;
            }
        }
        match odd {
            0 => Effects::NONE,
            _ => self.fold_odd(vcpu, odd, lists),
        }
    }

    /// Does the rest of the work for the `odd` ones of the registers that were read; in the upper
    /// half those with interrupts that have been acknowledged since.
    #[cold]
    fn fold_odd(&mut self, vcpu: usize, odd: u32, lists: &mut impl ListRegisters) -> Effects {
        let mut effects = Effects::NONE;
        let edited = core::mem::take(&mut self.cpus[vcpu].lists.edited);
        self.cpus[vcpu].lists.dirty |= edited;
        for register in ones(u64::from((odd | odd >> REGISTERS) as u16)) {
            let value = lists.read(register);
            let intid = self.cpus[vcpu].lists.name(register);
            if odd >> REGISTERS >> register & 1 != 0 {
                effects.add(self.take(vcpu, intid, (value >> PRIORITY_SHIFT) as u8, lists));
            }
            if value & (PENDING | HARDWARE) == PENDING | HARDWARE {
                // Whether its line is still high only the machine knows.
                effects.timers |= 1 << vcpu;
            }
            let (bits, bit) = self.bits(vcpu, intid);
            if value & PENDING == 0 {
                // It was taken; it may have been written once more since.
                bits.written &= !bit | bits.latch;
            }
            let held = bits.held();
            bits.edit(bit);
            effects.add(Effects::of_held(vcpu, intid, held, bits.held()));
            if value & (PENDING | ACTIVE | NOTIFY) == NOTIFY {
                lists.write(register, 0);
                // One that came once more meanwhile is likely to come again.
                bits.again &= !bit | bits.latch;
            }
            effects.add(self.settle(intid));
        }
        effects.add(self.end_away(vcpu, lists));
        effects
    }

    /// Adds what became pending since all registers were filled; false if that is not enough.
    #[inline]
    fn add_fresh(&mut self, vcpu: usize, lists: &mut impl ListRegisters) -> bool {
        let cpu = &mut self.cpus[vcpu];
        let private = core::mem::take(&mut cpu.lists.fresh);
        let shared = core::mem::take(&mut cpu.lists.fresh_shared);
        // In a register they are pending already, or active too.
        if cpu.private.listed & private | self.shared.listed & shared != 0 {
            return false;
        }
        let private = cpu.private.deliverable() & private;
        let shared = match shared {
            0 => 0,
            _ => self.missing(vcpu).1 & shared,
        };
        !self.open(vcpu) || self.add(vcpu, private, shared, lists)
    }

    /// Erases what must not be delivered, brings the others up to date, and adds what is missing.
    fn arrange(&mut self, vcpu: usize, lists: &mut impl ListRegisters) -> Effects {
        let open = self.open(vcpu);
        let mut effects = Effects::NONE;
        if self.cpus[vcpu].lists.used != 0 {
            effects = self.refresh(vcpu, open, lists);
        }
        let (private, shared) = self.missing(vcpu);
        let waiting = open && !self.add(vcpu, private, shared, lists);
        if waiting {
            self.choose(vcpu, lists);
            // An interrupt that is shown may have waited for long.
            effects.timers |= u16::from(self.doubtful(vcpu) != (false, 0)) << vcpu;
        }
        let private = &self.cpus[vcpu].private;
        let mut away = false;
        if (private.active & !private.listed) | (self.shared.active & !self.shared.listed) != 0 {
            self.add_active(vcpu, open, lists);
            away = self.away(vcpu) != (0, 0);
        }
        // A guest that ends in two steps is open for more as soon as it has taken what is shown,
        // whatever is active.
        let taken = waiting && lists.ends_in_two_steps() && self.shows_pending(vcpu);
        let known = &mut self.cpus[vcpu].lists;
        known.dirty = waiting | away;
        known.edited |= away;
        (known.fresh, known.fresh_shared) = (0, 0);
        if known.stale != 0 {
            known.erase(lists);
        }
        // The underflow interrupt comes when at most one register is in use. With a single register
        // that is always so: it would come again and again, and nothing would get done.
        let underflow = waiting && lists.count() > 1;
        let notices = Notices {
            underflow,
            taken,
            away,
        };
        if away || known.notices != notices {
            known.notices = notices;
            lists.set_notices(notices);
        }
        effects
    }

    /// A register holds an interrupt that is pending and not active.
    fn shows_pending(&self, vcpu: usize) -> bool {
        let cpu = &self.cpus[vcpu];
        let spis = self.shared.listed & cpu.spis;
        (cpu.private.listed & !cpu.private.active) | (spis & !self.shared.active) != 0
    }

    /// Erases what must not be delivered, and brings the others up to date.
    fn refresh(&mut self, vcpu: usize, open: bool, lists: &mut impl ListRegisters) -> Effects {
        let mut effects = Effects::NONE;
        for register in ones(u64::from(self.cpus[vcpu].lists.used)) {
            let intid = self.cpus[vcpu].lists.name(register);
            let leaving = self.leaves(intid);
            let (bits, bit) = self.bits(vcpu, intid);
            let deliverable = open && !leaving && bits.deliverable() & bit != 0;
            if bits.active & bit != 0 || deliverable {
                self.put(vcpu, register, intid, (open, false), lists);
            } else {
                bits.unlist(bit);
                self.cpus[vcpu].lists.give_up(register);
                effects.add(self.settle(intid));
            }
        }
        effects
    }

    /// The deliverable ones that are in no register: private ones, shared ones.
    #[inline]
    pub(super) fn missing(&self, vcpu: usize) -> (u64, u64) {
        let (cpu, shared) = (&self.cpus[vcpu], &self.shared);
        let private = cpu.private.deliverable() & !cpu.private.listed;
        let mine = cpu.spis & !self.leaving;
        (private, shared.deliverable() & !shared.listed & mine)
    }

    /// Puts deliverable ones, which are in no register, into free registers; false if they do not
    /// fit.
    #[inline]
    fn add(
        &mut self,
        vcpu: usize,
        mut private: u64,
        mut shared: u64,
        lists: &mut impl ListRegisters,
    ) -> bool {
        let cpu = &mut self.cpus[vcpu];
        while private | shared != 0 {
            let register = cpu.lists.free(lists).trailing_zeros() as usize;
            if register >= REGISTERS {
                return false;
            }
            let (intid, value) = if private != 0 {
                let number = private.trailing_zeros() as u8 % PRIVATE;
                private &= private - 1;
                let priority = cpu.priority[usize::from(number)];
                (
                    number,
                    show(&mut cpu.private, 1 << number, number, priority),
                )
            } else {
                let spi = shared.trailing_zeros() as u8 % SHARED as u8;
                shared &= shared - 1;
                let (intid, priority) = (spi + PRIVATE, self.priority[usize::from(spi)]);
                (intid, show(&mut self.shared, 1 << spi, intid, priority))
            };
            cpu.lists.fill(register, intid, value, lists);
        }
        true
    }

    /// Active interrupts that are in no register, so far as there is room: the guest's end of them
    /// finds them then.
    #[cold]
    fn add_active(&mut self, vcpu: usize, open: bool, lists: &mut impl ListRegisters) {
        let (private, shared) = self.away(vcpu);
        let free = self.cpus[vcpu].lists.free(lists);
        for (register, intid) in ones(u64::from(free)).zip(numbers(private, shared)) {
            self.put(vcpu, register, intid, (open, false), lists);
        }
    }

    /// Fills register `register` with interrupt `intid`, pending if its VCPU is `open`. `urgent`:
    /// its end must be noticed.
    pub(super) fn put(
        &mut self,
        vcpu: usize,
        register: usize,
        intid: u8,
        (open, urgent): (bool, bool),
        lists: &mut impl ListRegisters,
    ) {
        // It is pending elsewhere as soon as it has ended here.
        let leaving = self.leaves(intid);
        let shown = (open && !leaving, urgent || leaving);
        let mut priority = (self.priority(vcpu, intid), true);
        let known = &mut self.cpus[vcpu].lists.taken;
        let (bits, bit) = bank(&mut self.cpus[vcpu].private, &mut self.shared, intid);
        if bits.active & bit != 0
            && let Some(level) = known.level_of(intid, lists.levels())
        {
            let kept = level << (8 - LEVEL_BITS);
            priority = (kept, kept == priority.0);
            known.comes_back(level);
        }
        let value = present(bits, bit, intid, priority, shown);
        self.cpus[vcpu].lists.fill(register, intid, value, lists);
    }

    fn leaves(&self, intid: u8) -> bool {
        intid >= PRIVATE && self.leaving >> (intid - PRIVATE) & 1 != 0
    }
}

/// Returns the list register's value for the deliverable interrupt `intid`, which is `bit` of
/// `bits`.
#[inline]
fn show(bits: &mut Bits, bit: u64, intid: u8, priority: u8) -> u64 {
    bits.lend(bit, true);
    bits.listed |= bit;
    // Whether the line is still high must be checked when the guest has ended it.
    let notify = (bits.raised() | bits.again) & bit != 0;
    PENDING | encode(intid, priority, bits.physical & bit != 0, notify)
}

/// Returns the list register's value for interrupt `intid`, which is `bit` of `bits`: pending, if
/// it is and its VCPU is `open`. `urgent`: its end must be noticed. An active one has the priority
/// at which it was acknowledged, by which its end finds it; it may not be the `current` one.
fn present(
    bits: &mut Bits,
    bit: u64,
    intid: u8,
    (priority, current): (u8, bool),
    (open, urgent): (bool, bool),
) -> u64 {
    let active = bits.active & bit != 0;
    let physical = bits.physical & bit != 0;
    let shown = open && bits.pending() & bits.enabled & bit != 0;
    // Both at once is not for those of hardware (IHI 0069, ICH_LR<n>_EL2.State), nor for two
    // priorities: it stays with us until the end.
    let held_back = shown && active && (physical || !current);
    let (shown, urgent) = (shown && !held_back, urgent || held_back);
    bits.again |= bits.lent & bits.latch & bit & !bits.physical;
    bits.lend(bit, shown);
    bits.listed |= bit;
    let notify = (bits.raised() | bits.again) & bit != 0 || urgent;
    encode(intid, priority, physical, notify)
        | if shown { PENDING } else { 0 }
        | if active { ACTIVE } else { 0 }
}

/// A list register's fields but its state.
#[inline]
fn encode(intid: u8, priority: u8, physical: bool, notify: bool) -> u64 {
    let tie = match (physical, notify) {
        (true, _) => HARDWARE | u64::from(intid) << PHYSICAL_SHIFT,
        (false, true) => NOTIFY,
        (false, false) => 0,
    };
    GROUP1 | tie | u64::from(priority) << PRIORITY_SHIFT | u64::from(intid)
}

/// The numbers of private and shared interrupts.
pub(super) fn numbers(private: u64, shared: u64) -> impl Iterator<Item = u8> {
    let shared = ones(shared).map(|spi| spi as u8 + PRIVATE);
    ones(private).map(|private| private as u8).chain(shared)
}
