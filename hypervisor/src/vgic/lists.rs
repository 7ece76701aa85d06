//! Owns: what stands in a VCPU's list registers.
//! Must never know: how a guest asks for what.
//!
//! The format of a list register is that of ICH_LR<n>_EL2 (Arm IHI 0069, "ICH_LR<n>_EL2, Interrupt Controller
//! List Registers"). Of several pending ones the processor takes the most urgent by itself, so
//! their order among the registers means nothing as long as all fit in; when they do not, the most urgent
//! are chosen, and among equals those of the smallest numbers.

use super::bits::Bits;
use super::{Effects, PRIVATE, VirtualGic};
use crate::hardware::ListRegisters;

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
/// Asks for a maintenance interrupt when the guest ends it (not for those of hardware: the bit is a part of the
/// physical number there, in which it stays zero for numbers below 512).
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
    /// What they hold.
    names: [u8; REGISTERS],
    /// What is known of them is what they hold: the VCPU has not run since it was looked at.
    pub exact: bool,
    /// They must be filled anew before the VCPU runs.
    pub dirty: bool,
    /// There are edits to be done when the registers are looked at.
    pub edited: bool,
    /// The underflow interrupt is asked for.
    underflow: bool,
}

impl Lists {
    pub const EMPTY: Self = Self {
        used: 0,
        stale: 0,
        names: [0; REGISTERS],
        exact: true,
        dirty: false,
        edited: false,
        underflow: false,
    };

    fn name(&self, register: usize) -> u8 {
        self.names[register % REGISTERS]
    }

    /// The register that holds interrupt `intid`.
    pub fn register_of(&self, intid: u8) -> Option<usize> {
        ones(u64::from(self.used)).find(|&register| self.name(register) == intid)
    }

    /// Register `register` holds nothing that counts from now on.
    pub fn give_up(&mut self, register: usize) {
        self.used &= !(1 << register);
        self.stale |= 1 << register;
        self.dirty = true;
    }
}

/// The numbers of the bits that are set, from the lowest.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

impl VirtualGic {
    /// Takes note of what VCPU `vcpu`'s guest acknowledged and ended. Called when the VCPU was left, before anything is
    /// asked about it or done for it, with its list registers: those of the processor that it ran on, or its saved ones.
    /// A second call before it runs again does nothing. Bound: a read of each register in use.
    #[inline]
    pub fn sync(&mut self, vcpu: usize, lists: &mut impl ListRegisters) -> Effects {
        match self.cpus.get(vcpu) {
            Some(cpu) if !cpu.lists.exact => self.fold(vcpu, lists),
            _ => Effects::NONE,
        }
    }

    /// Puts what VCPU `vcpu`'s guest is to see in its list registers. Called before each return to the guest; it implies
    /// [`VirtualGic::sync`]. Bound: a read and a write of each register, and if not all fit in, a look at each of the VCPU's pending
    /// interrupts with at most 16 comparisons.
    #[inline]
    pub fn flush(&mut self, vcpu: usize, lists: &mut impl ListRegisters) -> Effects {
        let mut effects = self.sync(vcpu, lists);
        let Some(cpu) = self.cpus.get_mut(vcpu) else {
            return effects;
        };
        if cpu.lists.dirty {
            cpu.lists.dirty = false;
            effects.add(self.arrange(vcpu, lists));
        }
        let known = &mut self.cpus[vcpu].lists;
        known.exact = known.used == 0;
        effects
    }

    fn fold(&mut self, vcpu: usize, lists: &mut impl ListRegisters) -> Effects {
        let mut effects = Effects::NONE;
        for register in ones(u64::from(self.cpus[vcpu].lists.used)) {
            effects.add(self.fold_one(vcpu, register, lists));
        }
        let known = &mut self.cpus[vcpu].lists;
        known.exact = true;
        known.dirty |= known.edited;
        known.edited = false;
        effects
    }

    fn fold_one(
        &mut self,
        vcpu: usize,
        register: usize,
        lists: &mut impl ListRegisters,
    ) -> Effects {
        let value = lists.read(register);
        let known = &self.cpus[vcpu].lists;
        let (intid, edited) = (known.name(register), known.edited);
        let (bits, bit) = self.bits(vcpu, intid);
        bits.fold(bit, value & PENDING != 0, value & ACTIVE != 0);
        let mut effects = Effects::NONE;
        if edited {
            let held = bits.held();
            bits.edit(bit);
            effects = Effects::of_held(vcpu, intid, held, bits.held());
        }
        let (bits, bit) = self.bits(vcpu, intid);
        if value & PENDING == 0 && bits.pending() & bit != 0 {
            // A timer that the guest itself made pending again has lost its physical interrupt by the end.
            effects.add(Effects::of_held(vcpu, intid, 0, bits.held() & bit));
            self.cpus[vcpu].lists.dirty = true;
        }
        if value & (PENDING | ACTIVE) == 0 {
            self.bits(vcpu, intid).0.listed &= !bit;
            self.cpus[vcpu].lists.used &= !(1 << register);
            if value & NOTIFY != 0 {
                lists.write(register, 0);
            }
            effects.add(self.settle(intid));
        }
        effects
    }

    /// Erases what must not be delivered, brings the others up to date, and adds what is missing.
    fn arrange(&mut self, vcpu: usize, lists: &mut impl ListRegisters) -> Effects {
        let open = self.open(vcpu);
        let mut effects = Effects::NONE;
        for register in ones(u64::from(self.cpus[vcpu].lists.used)) {
            let intid = self.cpus[vcpu].lists.name(register);
            let (bits, bit) = self.bits(vcpu, intid);
            if bits.active & bit != 0 || open && self.may_be_listed(vcpu, intid) {
                let value = self.present(vcpu, intid, open, false);
                lists.write(register, value);
            } else {
                effects.add(self.unlist(vcpu, register));
            }
        }
        let free = all_registers(lists) & !self.cpus[vcpu].lists.used;
        let waiting = open && !self.add_missing(vcpu, free, lists);
        if waiting {
            self.choose(vcpu, lists);
        }
        self.add_active(vcpu, open, lists);
        self.finish(vcpu, waiting, lists);
        effects
    }

    /// Whether interrupt `intid` is deliverable and belongs to `vcpu`.
    fn may_be_listed(&mut self, vcpu: usize, intid: u8) -> bool {
        let leaving = self.leaving;
        let (bits, bit) = self.bits(vcpu, intid);
        bits.deliverable() & bit != 0 && (intid < PRIVATE || leaving & bit == 0)
    }

    /// The deliverable ones that are in no register: private ones, shared ones.
    fn missing(&self, vcpu: usize) -> (u64, u64) {
        let (cpu, shared) = (&self.cpus[vcpu], &self.shared);
        let private = cpu.private.deliverable() & !cpu.private.listed;
        let mine = cpu.spis & !self.leaving;
        (private, shared.deliverable() & !shared.listed & mine)
    }

    /// Puts the missing ones into the `free` registers; false if they do not fit.
    fn add_missing(&mut self, vcpu: usize, free: u16, lists: &mut impl ListRegisters) -> bool {
        let mut free = ones(u64::from(free));
        let (private, shared) = self.missing(vcpu);
        for intid in numbers(private, shared) {
            let Some(register) = free.next() else {
                return false;
            };
            self.put(vcpu, register, intid, (true, false), lists);
        }
        true
    }

    /// There are more than fit in: takes all pending ones out, and puts the most urgent in.
    fn choose(&mut self, vcpu: usize, lists: &mut impl ListRegisters) {
        for register in ones(u64::from(self.cpus[vcpu].lists.used)) {
            let intid = self.cpus[vcpu].lists.name(register);
            let (bits, bit) = self.bits(vcpu, intid);
            if bits.active & bit == 0 {
                // It stays this VCPU's: what leaves was taken out before.
                bits.unlist(bit);
                self.cpus[vcpu].lists.give_up(register);
            } else {
                // Of the active ones no end goes unseen: it makes room.
                let value = self.present(vcpu, intid, true, true);
                lists.write(register, value);
            }
        }
        let free = all_registers(lists) & !self.cpus[vcpu].lists.used;
        let (private, shared) = self.missing(vcpu);
        let mut best = Best::new(free.count_ones() as usize);
        for intid in numbers(private, shared) {
            best.offer(self.priority(vcpu, intid), intid);
        }
        // The underflow interrupt comes when at most one register is in use: it never does while two hold active ones, and is of
        // no use with a single register.
        let urgent = self.cpus[vcpu].lists.used.count_ones() >= 2 || lists.count() == 1;
        for (register, &(_, intid)) in ones(u64::from(free)).zip(best.chosen()) {
            self.put(vcpu, register, intid, (true, urgent), lists);
        }
    }

    /// Interrupts that the guest made active by a write, so far as there is room: its end of them finds them then.
    fn add_active(&mut self, vcpu: usize, open: bool, lists: &mut impl ListRegisters) {
        let cpu = &self.cpus[vcpu];
        let private = cpu.private.active & !cpu.private.listed;
        let shared = self.shared.active & !self.shared.listed & cpu.spis;
        let free = all_registers(lists) & !cpu.lists.used;
        for (register, intid) in ones(u64::from(free)).zip(numbers(private, shared)) {
            self.put(vcpu, register, intid, (open, false), lists);
        }
    }

    /// Erases what is left over, and asks for the underflow interrupt if some are `waiting` for room.
    fn finish(&mut self, vcpu: usize, waiting: bool, lists: &mut impl ListRegisters) {
        // It comes when at most one register is in use. With a single register that is always so: it would come again and
        // again, and nothing would get done.
        let underflow = waiting && lists.count() > 1;
        let known = &mut self.cpus[vcpu].lists;
        for register in ones(u64::from(known.stale)) {
            lists.write(register, 0);
        }
        known.stale = 0;
        known.dirty = waiting;
        if known.underflow != underflow {
            known.underflow = underflow;
            lists.set_underflow(underflow);
        }
    }

    /// Fills register `register` with interrupt `intid`: see `present`.
    fn put(
        &mut self,
        vcpu: usize,
        register: usize,
        intid: u8,
        (open, urgent): (bool, bool),
        lists: &mut impl ListRegisters,
    ) {
        let known = &mut self.cpus[vcpu].lists;
        known.used |= 1 << register;
        known.stale &= !(1 << register);
        known.names[register % REGISTERS] = intid;
        let (bits, bit) = self.bits(vcpu, intid);
        bits.listed |= bit;
        let value = self.present(vcpu, intid, open, urgent);
        lists.write(register, value);
    }

    /// Takes what register `register` holds out of it.
    fn unlist(&mut self, vcpu: usize, register: usize) -> Effects {
        let known = &mut self.cpus[vcpu].lists;
        known.give_up(register);
        let intid = known.name(register);
        let (bits, bit) = self.bits(vcpu, intid);
        bits.unlist(bit);
        self.settle(intid)
    }

    /// What a list register holds for interrupt `intid`. `urgent`: its end must be noticed.
    fn present(&mut self, vcpu: usize, intid: u8, open: bool, urgent: bool) -> u64 {
        let priority = u64::from(self.priority(vcpu, intid));
        let leaving = intid >= PRIVATE && self.leaving & self.bits(vcpu, intid).1 != 0;
        let (bits, bit) = self.bits(vcpu, intid);
        state(bits, bit, open && !leaving, urgent || leaving)
            | GROUP1
            | priority << PRIORITY_SHIFT
            | u64::from(intid)
            | if bits.physical & bit != 0 {
                HARDWARE | u64::from(intid) << PHYSICAL_SHIFT
            } else {
                0
            }
    }
}

/// The state of `bit`, for which pending is shown if it is `open`, and how its end is noticed.
fn state(bits: &mut Bits, bit: u64, open: bool, urgent: bool) -> u64 {
    let active = bits.active & bit != 0;
    let physical = bits.physical & bit != 0;
    // Both at once is not for those of hardware (IHI 0069, ICH_LR<n>_EL2.State): it stays with us until the end.
    let shown = open && bits.pending() & bits.enabled & bit != 0 && !(active && physical);
    bits.lend(bit, shown);
    // Whether the line is still high is to be asked when the guest has ended it.
    let notify = !physical && (bits.raised() & bit != 0 || urgent);
    (if shown { PENDING } else { 0 })
        | (if active { ACTIVE } else { 0 })
        | (if notify { NOTIFY } else { 0 })
}

/// The registers that there are.
fn all_registers(lists: &impl ListRegisters) -> u16 {
    let count = lists.count().clamp(1, REGISTERS);
    u16::MAX >> (REGISTERS - count)
}

/// The numbers of private and shared interrupts.
fn numbers(private: u64, shared: u64) -> impl Iterator<Item = u8> {
    let shared = ones(shared).map(|spi| spi as u8 + PRIVATE);
    ones(private).map(|private| private as u8).chain(shared)
}

/// The most urgent of those that are offered.
struct Best {
    room: usize,
    count: usize,
    chosen: [(u8, u8); REGISTERS],
}

impl Best {
    fn new(room: usize) -> Self {
        Self {
            room: room.min(REGISTERS),
            count: 0,
            chosen: [(0, 0); REGISTERS],
        }
    }

    /// Offers an interrupt; those of one priority come in the order of their numbers.
    fn offer(&mut self, priority: u8, intid: u8) {
        let full = self.count == self.room;
        let before = self.chosen[..self.count].iter();
        let place = before.take_while(|&&(other, _)| other <= priority).count();
        if place == self.room {
            return;
        }
        let last = if full { self.count - 1 } else { self.count };
        self.chosen.copy_within(place..last, place + 1);
        self.chosen[place] = (priority, intid);
        self.count = last + 1;
    }

    fn chosen(&self) -> &[(u8, u8)] {
        &self.chosen[..self.count]
    }
}
