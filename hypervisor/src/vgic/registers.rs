//! Owns: the distributor's and the redistributors' registers as a guest sees them.
//! Must never know: the content of list registers.
//!
//! Offsets and fields: Arm IHI 0069, "The GIC Distributor register map" and "The GIC Redistributor
//! register map". A register that is not named here reads as zero and takes no writes; so does an
//! access of a size that its register does not have. There is no unfinished write: GICD_CTLR.RWP
//! and GICR_CTLR.RWP read as zero.

use super::bits::{Bits, ones};
use super::{Cpu, Effects, Frame, GROUP1, PRIVATE, SHARED, TIMER, VirtualGic};

const CTLR: u64 = 0x0000;
const GICD_TYPER: u64 = 0x0004;
const GICD_IIDR: u64 = 0x0008;
const GICR_IIDR: u64 = 0x0004;
const GICR_TYPER: u64 = 0x0008;
const GICR_TYPER_UPPER: u64 = 0x000C;
const GICR_WAKER: u64 = 0x0014;
const PIDR2: u64 = 0xFFE8;
const IROUTER: u64 = 0x6000;
/// From a redistributor's first frame to that of its interrupts (SGI_base).
pub(super) const SGI_BASE: u64 = 0x1_0000;

/// GICD_CTLR: one security state, affinity routing; both cannot be changed.
const CTLR_FIXED: u32 = 1 << 6 | 1 << 4;
/// GICD_CTLR: the two groups' enables.
const CTLR_WRITABLE: u32 = GROUP1 | 1;
/// GICD_TYPER: interrupts up to number 95 (32 * (2 + 1) of them), 10 bits of numbers, each shared
/// one has one target.
const TYPER: u64 = 2 | 9 << 19 | 1 << 25;
/// Arm's identity as the designer of the interface; product "T".
const IIDR: u64 = 0x5400_043B;
/// Architecture version 3; the rest is Arm's JEP 106 code.
const PIDR2_VALUE: u64 = 0x3B;
/// GICR_WAKER: ProcessorSleep.
const SLEEP: u64 = 1 << 1;
/// GICR_WAKER: ChildrenAsleep.
const ASLEEP: u64 = 1 << 2;
/// Five bits of priority, as the processors' virtual interfaces have (ICH_VTR_EL2.PRIbits).
const PRIORITY_BITS: u8 = 0xF8;
/// An IROUTER's affinities 2, 1 and 0; there is neither affinity 3 nor routing to any one of
/// several.
const ROUTE: u64 = 0x00FF_FFFF;

/// Owner of the interrupts that a register is about.
#[derive(Clone, Copy)]
enum Owner {
    Private(usize),
    Shared,
}

/// The states before a change.
struct Before {
    /// See [`VirtualGic::remote`].
    remote: u64,
    deliverable: u64,
    held: u64,
}

/// A register of a bit for each interrupt.
#[derive(Clone, Copy)]
enum Kind {
    Group,
    Enable(bool),
    Pending(bool),
    Active(bool),
}

impl Kind {
    /// The register at `offset`, and which of its words.
    fn at(offset: u64) -> Option<(Self, u64)> {
        let kind = match offset >> 7 {
            1 => Self::Group,
            2 => Self::Enable(true),
            3 => Self::Enable(false),
            4 => Self::Pending(true),
            5 => Self::Pending(false),
            6 => Self::Active(true),
            7 => Self::Active(false),
            _ => return None,
        };
        Some((kind, (offset & 0x7F) / 4))
    }
}

/// A register, or the part of one that is accessed.
#[derive(Clone, Copy)]
enum Register {
    /// GICD_CTLR.
    Control,
    /// The GICR_WAKER of a VCPU.
    Waker(usize),
    /// The lower half of the GICD_IROUTER of a shared interrupt; the upper one is zero.
    Route(usize),
    /// 32 bits of an owner's interrupts, from this one on.
    Bits(Owner, Kind, u32),
    /// The priorities of so many of an owner's interrupts, from this one on.
    Priorities(Owner, usize, usize),
    /// Two bits for each of 16 of an owner's interrupts, from this one on, of which the upper one
    /// says that it is edge-triggered.
    Configuration(Owner, usize),
    /// It reads so, and takes no writes.
    Constant(u64),
}

impl Register {
    const NONE: Self = Self::Constant(0);
}

impl VirtualGic {
    /// A guest reads `size` bytes at `offset` of `frame`. Where it reads states that list registers
    /// change ([`Frame::tells_states`]), its VCPU has been synced. Bound: a look at 16 interrupts.
    #[inline]
    pub fn read(&self, frame: Frame, offset: u64, size: usize) -> u64 {
        match self.register(frame, offset, size) {
            Register::Control => u64::from(CTLR_FIXED | self.control),
            Register::Waker(vcpu) if self.cpus[vcpu].awake => 0,
            Register::Waker(_) => SLEEP | ASLEEP,
            Register::Route(spi) => self.route[spi].into(),
            Register::Bits(owner, kind, shift) => {
                let bank = self.bank(owner);
                let word = match kind {
                    Kind::Group => u64::MAX,
                    Kind::Enable(_) => bank.enabled,
                    Kind::Pending(_) => bank.pending(),
                    Kind::Active(_) => bank.active,
                };
                word >> shift & 0xFFFF_FFFF
            }
            Register::Priorities(owner, number, count) => {
                let table = match owner {
                    Owner::Private(vcpu) => &self.cpus[vcpu].priority[..],
                    Owner::Shared => &self.priority[..],
                };
                let fields = table.iter().skip(number).take(count).enumerate();
                fields.fold(0, |value, (n, field)| value | u64::from(*field) << (8 * n))
            }
            Register::Configuration(owner, number) => {
                let edge = self.bank(owner).edge >> number;
                let edges = (0..16).filter(|n| edge >> n & 1 != 0);
                edges.fold(0, |value, n| value | 2 << (2 * n))
            }
            Register::Constant(value) => value,
        }
    }

    /// A guest writes `value`, of `size` bytes, at `offset` of `frame`. Its VCPU has been synced.
    /// Bound: a check of each VCPU, and of each interrupt that a register names.
    pub fn write(&mut self, frame: Frame, offset: u64, size: usize, value: u64) -> Effects {
        match self.register(frame, offset, size) {
            Register::Control => self.set_control(value),
            Register::Waker(vcpu) => self.set_awake(vcpu, value & SLEEP == 0),
            Register::Route(spi) => self.route(spi, (value & ROUTE) as u32),
            Register::Bits(owner, kind, shift) => {
                self.set_bits(owner, kind, u64::from(value as u32) << shift)
            }
            Register::Priorities(owner, number, count) => {
                self.set_priorities(owner, (number, count), value)
            }
            Register::Configuration(owner, number) => self.configure(owner, number, value),
            Register::Constant(_) => Effects::NONE,
        }
    }

    /// The register that an access is about.
    #[inline]
    fn register(&self, frame: Frame, offset: u64, size: usize) -> Register {
        if !matches!(size, 1 | 2 | 4 | 8) || offset & (size as u64 - 1) != 0 {
            return Register::NONE;
        }
        match frame {
            Frame::Distributor => distributor(offset, size),
            Frame::Redistributor(vcpu) if vcpu >= self.vcpus => Register::NONE,
            Frame::Redistributor(vcpu) if offset < SGI_BASE => {
                self.redistributor(vcpu, offset, size)
            }
            Frame::Redistributor(vcpu) => {
                interrupts(Owner::Private(vcpu), offset - SGI_BASE, 0, size)
            }
        }
    }

    fn redistributor(&self, vcpu: usize, offset: u64, size: usize) -> Register {
        match (offset, size) {
            (GICR_IIDR, 4) => Register::Constant(IIDR),
            (GICR_TYPER, 8) => Register::Constant(self.typer(vcpu)),
            (GICR_TYPER, 4) => Register::Constant(self.typer(vcpu) & 0xFFFF_FFFF),
            (GICR_TYPER_UPPER, 4) => Register::Constant(self.typer(vcpu) >> 32),
            (GICR_WAKER, 4) => Register::Waker(vcpu),
            (PIDR2, 4) => Register::Constant(PIDR2_VALUE),
            _ => Register::NONE,
        }
    }

    /// Affinity and number are the VCPU's; the last one says so.
    fn typer(&self, vcpu: usize) -> u64 {
        let number = vcpu as u64;
        let last = u64::from(vcpu + 1 == self.vcpus);
        number << 32 | number << 8 | last << 4
    }

    fn set_control(&mut self, value: u64) -> Effects {
        let control = value as u32 & CTLR_WRITABLE;
        let changed = (control ^ self.control) & GROUP1 != 0;
        self.control = control;
        let mut effects = Effects::NONE;
        let deliverable = self.shared.deliverable();
        for (vcpu, cpu) in self.cpus[..self.vcpus].iter_mut().enumerate() {
            let any = cpu.private.deliverable() | deliverable & cpu.spis;
            // Whether one that runs has ended what it holds is not known.
            let concerned = any != 0 || !cpu.lists.exact;
            cpu.lists.dirty |= changed;
            effects.kick |= u16::from(changed && concerned) << vcpu;
        }
        effects.timers = effects.kick;
        effects
    }

    fn set_awake(&mut self, vcpu: usize, awakes: bool) -> Effects {
        let Cpu { awake, lists, .. } = &mut self.cpus[vcpu];
        let changed = core::mem::replace(awake, awakes) != awakes;
        lists.dirty |= changed;
        let kick = u16::from(changed) << vcpu;
        Effects {
            kick,
            timers: kick,
            ..Effects::NONE
        }
    }

    fn set_bits(&mut self, owner: Owner, kind: Kind, bits: u64) -> Effects {
        let before = self.before(owner);
        let (bank, remote) = (self.bank_mut(owner), before.remote);
        match kind {
            Kind::Group => {}
            Kind::Enable(true) => bank.enabled |= bits,
            Kind::Enable(false) => bank.enabled &= !bits,
            Kind::Pending(true) => {
                bank.written |= bits & bank.physical;
                bank.latch |= bits;
            }
            Kind::Pending(false) => bank.forget(bits, remote),
            Kind::Active(true) => bank.activate(bits, remote),
            Kind::Active(false) => bank.deactivate(bits, remote),
        }
        let mut effects = self.changed(owner, bits, before);
        if matches!(kind, Kind::Enable(true)) {
            // An interrupt that has been pending for long may not be so any more.
            effects.timers |= effects.kick;
        }
        effects
    }

    fn set_priorities(
        &mut self,
        owner: Owner,
        (number, count): (usize, usize),
        value: u64,
    ) -> Effects {
        let table = match owner {
            Owner::Private(vcpu) => &mut self.cpus[vcpu].priority[..],
            Owner::Shared => &mut self.priority[..],
        };
        for (n, field) in table.iter_mut().skip(number).take(count).enumerate() {
            *field = (value >> (8 * n)) as u8 & PRIORITY_BITS;
        }
        let bits = ((1 << count) - 1) << number;
        let before = self.before(owner);
        self.changed(owner, bits, before)
    }

    fn configure(&mut self, owner: Owner, number: usize, value: u64) -> Effects {
        // Software's interrupts stay as they are.
        if matches!(owner, Owner::Private(_)) && number == 0 {
            return Effects::NONE;
        }
        let edge = (0..16)
            .filter(|n| value >> (2 * n + 1) & 1 != 0)
            .fold(0, |edge, n| edge | 1 << n);
        let bits = 0xFFFF << number;
        let before = self.before(owner);
        let bank = self.bank_mut(owner);
        bank.edge = bank.edge & !bits | edge << number;
        self.changed(owner, bits, before)
    }

    /// The sources of the timer of `vcpu`, which was synced, and of `shared` interrupts (bit 0 is
    /// number 32) do not ask any more: their pending states are taken back, as by the guest's
    /// own writes to GICR_ICPENDR0, GICD_ICPENDR1 and GICD_ICPENDR2.
    pub fn withdraw(&mut self, vcpu: usize, timer: bool, shared: u64) -> Effects {
        let mut effects = Effects::NONE;
        if timer && vcpu < self.vcpus {
            let owner = Owner::Private(vcpu);
            effects.add(self.change(owner, 1 << TIMER, Bits::forget));
        }
        if shared != 0 {
            effects.add(self.change(Owner::Shared, shared, Bits::forget));
        }
        effects
    }

    /// Interrupt `intid` of `vcpu`, which was synced, or a shared one is active no longer, as by
    /// the guest's own write to GICR_ICACTIVER0, GICD_ICACTIVER1 or GICD_ICACTIVER2.
    pub(super) fn end_active(&mut self, vcpu: usize, intid: u8) -> Effects {
        match intid.checked_sub(PRIVATE) {
            None => self.change(Owner::Private(vcpu), 1 << intid, Bits::deactivate),
            Some(spi) => self.change(Owner::Shared, 1 << spi, Bits::deactivate),
        }
    }

    /// Changes `bits` of the owner's interrupts, of which some may be in list registers of VCPUs
    /// that run.
    fn change(&mut self, owner: Owner, bits: u64, change: fn(&mut Bits, u64, u64)) -> Effects {
        let before = self.before(owner);
        change(self.bank_mut(owner), bits, before.remote);
        self.changed(owner, bits, before)
    }

    fn bank(&self, owner: Owner) -> &Bits {
        match owner {
            Owner::Private(vcpu) => &self.cpus[vcpu].private,
            Owner::Shared => &self.shared,
        }
    }

    fn bank_mut(&mut self, owner: Owner) -> &mut Bits {
        match owner {
            Owner::Private(vcpu) => &mut self.cpus[vcpu].private,
            Owner::Shared => &mut self.shared,
        }
    }

    /// Those in list registers of VCPUs that run: what has become of them is known when they are
    /// seen next.
    fn remote(&self, owner: Owner) -> u64 {
        let running = |cpu: &&Cpu| !cpu.lists.exact;
        match owner {
            Owner::Private(vcpu) => {
                let cpu = Some(&self.cpus[vcpu]).filter(running);
                cpu.map_or(0, |cpu| cpu.private.listed)
            }
            Owner::Shared => {
                let running = self.cpus[..self.vcpus].iter().filter(running);
                running.fold(0, |spis, cpu| spis | cpu.spis) & self.shared.listed
            }
        }
    }

    /// Returns the state that a change of the owner's interrupts is compared with.
    fn before(&self, owner: Owner) -> Before {
        let remote = self.remote(owner);
        let bank = self.bank(owner);
        Before {
            remote,
            deliverable: bank.deliverable(),
            held: bank.held(),
        }
    }

    /// Returns the effects of a change of `bits` of the owner's interrupts, on the VCPUs that it
    /// concerns.
    #[inline(never)]
    fn changed(&mut self, owner: Owner, bits: u64, before: Before) -> Effects {
        let Before {
            remote,
            deliverable,
            held,
        } = before;
        let bank = self.bank(owner);
        // Also those that were and stay deliverable: their priority may be another.
        let changed = deliverable ^ bank.deliverable() | bits & (bank.listed | deliverable);
        let after = bank.held();
        match owner {
            Owner::Private(vcpu) => {
                let mut effects = Effects::of_held(vcpu, 0, held, after);
                effects.kick = self.concern(vcpu, bits & remote, changed);
                effects
            }
            Owner::Shared => {
                let mut effects = Effects::of_held(0, PRIVATE, held, after);
                for vcpu in 0..self.vcpus {
                    let spis = self.cpus[vcpu].spis;
                    if spis & bits != 0 {
                        effects.kick |= self.concern(vcpu, bits & remote & spis, changed & spis);
                    }
                }
                for spi in ones(bits & self.leaving) {
                    effects.add(self.settle(spi as u8 + PRIVATE));
                }
                effects
            }
        }
    }

    /// Something changed for `vcpu`: `edits` are to be done when it is seen, `changed` ones are a
    /// reason to see it soon.
    fn concern(&mut self, vcpu: usize, edits: u64, changed: u64) -> u16 {
        let lists = &mut self.cpus[vcpu].lists;
        lists.dirty = true;
        lists.edited |= edits != 0;
        if lists.taken.are_away() {
            self.forget_inactive(vcpu);
        }
        u16::from(changed != 0) << vcpu
    }
}

/// A register of the distributor.
#[inline]
fn distributor(offset: u64, size: usize) -> Register {
    match (offset, size) {
        (CTLR, 4) => Register::Control,
        (GICD_TYPER, 4) => Register::Constant(TYPER),
        (GICD_IIDR, 4) => Register::Constant(IIDR),
        (PIDR2, 4) => Register::Constant(PIDR2_VALUE),
        (IROUTER..0x8000, 4 | 8) if offset & 4 == 0 => {
            let spi = ((offset - IROUTER) / 8).wrapping_sub(PRIVATE.into()) as usize;
            match spi < SHARED {
                true => Register::Route(spi),
                false => Register::NONE,
            }
        }
        _ => interrupts(Owner::Shared, offset, PRIVATE.into(), size),
    }
}

/// A register that has a field for each interrupt, of which the owner's first is number `first`.
fn interrupts(owner: Owner, offset: u64, first: u64, size: usize) -> Register {
    let count = match owner {
        Owner::Private(_) => u64::from(PRIVATE),
        Owner::Shared => SHARED as u64,
    };
    // The first interrupt that the access is about, in a register where each has `bits` bits.
    let index = |start: u64, bits: u64| {
        let number = (offset.checked_sub(start)? * 8 / bits).checked_sub(first)?;
        (number < count).then_some(number as usize)
    };
    match offset {
        0x0080..0x0400 if size == 4 => Kind::at(offset)
            .and_then(|(kind, word)| Some((kind, (word * 32).checked_sub(first)?)))
            .filter(|&(_, number)| number < count)
            .map(|(kind, number)| Register::Bits(owner, kind, number as u32)),
        0x0400..0x0800 if size == 1 || size == 4 => {
            index(0x0400, 8).map(|number| Register::Priorities(owner, number, size))
        }
        0x0C00..0x0D00 if size == 4 => {
            index(0x0C00, 2).map(|number| Register::Configuration(owner, number))
        }
        _ => None,
    }
    .unwrap_or(Register::NONE)
}
