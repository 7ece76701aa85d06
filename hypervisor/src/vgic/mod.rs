//! The virtual interrupt controller of a partition: a GICv3 (Arm IHI 0069) with one distributor, a
//! redistributor for each VCPU, 64 shared interrupts (32 to 95), one security state, group 1 only,
//! affinity routing always on, no LPIs.
//!
//! Owns: which virtual interrupts are enabled, pending, active, and where they go; the content of
//! the list registers ([`ListRegisters`](crate::hardware::ListRegisters)); the registers as a guest
//! sees them. Must never know: the VCPU that runs, what a device is; the processor's own registers.
//!
//! # How it is called
//! All with the controller's lock held. After each exit of a VCPU, before anything else here:
//! [`VirtualGic::sync`] with its list registers. Reads of what they do not change can do without
//! ([`Frame::tells_states`]). Then what happened: [`VirtualGic::read`], [`VirtualGic::write`],
//! [`VirtualGic::send`], [`VirtualGic::raise`], [`VirtualGic::set_level`],
//! [`VirtualGic::raise_timer`], [`VirtualGic::withdraw`]. Before each return to the guest:
//! [`VirtualGic::flush`]. A VCPU that was synced and does not run may be moved to another processor
//! with its saved registers.
//!
//! Each returns what the caller must do elsewhere: let *kicked* VCPUs flush (a waiting one wakes if
//! [`VirtualGic::is_deliverable`]; one that runs elsewhere is called out of its guest), and end
//! physical interrupts ([`Effects`]).
//!
//! # Physical interrupts
//! Interrupt 27 (the virtual timer) of each VCPU and shared ones that were assigned
//! ([`VirtualGic::assign_physical`]) are tied to the physical interrupt of the same number: it
//! stays active from its acknowledgement until the guest ends the virtual one, by which the
//! processor ends both. Their level is thus read by the physical controller: a raise is one event.
//! If the level falls before the guest has acknowledged it, no VCPU is notified. Instead, the
//! caller checks the source of what is pending ([`VirtualGic::doubtful`]) whenever it syncs the
//! VCPU, and when the VCPU reads what is pending.

mod bits;
mod choice;
mod events;
mod lists;
mod registers;
mod routes;
mod taken;

#[cfg(test)]
mod tests;

use bits::{Bits, ones};
use lists::Lists;
use taktos_abi::vm::{Description, layout};

/// The most VCPUs.
const VCPUS: usize = Description::VCPUS;
/// The first shared interrupt.
const PRIVATE: u8 = 32;
/// How many shared ones there are.
const SHARED: usize = 64;
/// The first number that is no interrupt's.
const INTERRUPTS: u32 = PRIVATE as u32 + SHARED as u32;
/// The virtual timer's.
const TIMER: u8 = layout::TIMER_INTERRUPT as u8;
/// Software's interrupts: always edge-triggered.
const SOFTWARE: u64 = 0xFFFF;
/// The distributor's control: group 1 is enabled.
const GROUP1: u32 = 1 << 1;
/// The place of a shared interrupt that goes to no VCPU.
const NOWHERE: u8 = u8::MAX;

/// Which registers a guest accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// The distributor's 64 KiB.
    Distributor,
    /// The 128 KiB of this VCPU's redistributor.
    Redistributor(usize),
}

impl Frame {
    /// The frame that a guest finds at `physical`, and the offset there. Whether it has such a
    /// VCPU is not looked at.
    #[inline]
    pub const fn at(physical: u64) -> Option<(Self, u64)> {
        let offset = physical.wrapping_sub(layout::DISTRIBUTOR);
        if offset < layout::DISTRIBUTOR_BYTES {
            return Some((Self::Distributor, offset));
        }
        let offset = physical.wrapping_sub(layout::REDISTRIBUTOR);
        let stride = layout::REDISTRIBUTOR_STRIDE;
        if offset < VCPUS as u64 * stride {
            let of = (offset / stride) as usize;
            return Some((Self::Redistributor(of), offset % stride));
        }
        None
    }

    /// Returns whether a read at `offset` shows what list registers change: GICD_ISPENDR to
    /// GICD_ICACTIVER, or their like of the redistributor.
    #[inline]
    pub const fn tells_states(self, offset: u64) -> bool {
        self.is_from_pending(offset, 0x200)
    }

    /// Returns whether a read at `offset` shows what is pending: GICD_ISPENDR and GICD_ICPENDR, or
    /// their like of the redistributor. Sources of what is doubtful are checked before.
    #[inline]
    pub const fn tells_pending(self, offset: u64) -> bool {
        self.is_from_pending(offset, 0x100)
    }

    /// Whether `offset` is in the `bytes` that begin with the first pending states.
    const fn is_from_pending(self, offset: u64, bytes: u64) -> bool {
        const PENDING: u64 = 0x200;
        let first = match self {
            Self::Distributor => PENDING,
            Self::Redistributor(_) => registers::SGI_BASE + PENDING,
        };
        offset.wrapping_sub(first) < bytes
    }
}

/// Work to be done elsewhere.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// Shared interrupts (bit 0 is number 32) with physical interrupts that are to be deactivated
    /// now: the guest took them back without ending them.
    pub ended: u64,
    /// VCPUs that have something to do: they must pass through [`VirtualGic::sync`] and
    /// [`VirtualGic::flush`].
    pub kick: u16,
    /// VCPUs for which [`VirtualGic::timer_is_active`] or [`VirtualGic::doubtful`] may return
    /// another value than before. If one is loaded, the sources of what is doubtful must be
    /// checked, and physical 27 be set again.
    pub timers: u16,
}

impl Effects {
    /// Nothing.
    pub const NONE: Self = Self {
        ended: 0,
        kick: 0,
        timers: 0,
    };

    /// These VCPUs are kicked.
    #[inline(always)]
    pub const fn of_kick(kick: u16) -> Self {
        Self { kick, ..Self::NONE }
    }

    /// These too.
    #[inline]
    pub fn add(&mut self, other: Self) {
        self.ended |= other.ended;
        self.kick |= other.kick;
        self.timers |= other.timers;
    }

    /// After those of `before` were held and those of `after` are, in the bank of interrupt
    /// `intid`.
    fn of_held(vcpu: usize, intid: u8, before: u64, after: u64) -> Self {
        if intid >= PRIVATE {
            Self {
                ended: before & !after,
                ..Self::NONE
            }
        } else {
            Self {
                timers: u16::from(before != after) << (vcpu % VCPUS),
                ..Self::NONE
            }
        }
    }
}

/// State that each VCPU has of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cpu {
    private: Bits,
    priority: [u8; PRIVATE as usize],
    /// The shared interrupts that are its: routed to it, or in its list registers, or active
    /// there.
    spis: u64,
    lists: Lists,
    /// Its redistributor was woken.
    awake: bool,
}

impl Cpu {
    const RESET: Self = Self {
        private: Bits::new(1 << TIMER, SOFTWARE),
        priority: [0; PRIVATE as usize],
        spis: 0,
        lists: Lists::EMPTY,
        awake: false,
    };
}

/// The virtual interrupt controller of one partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VirtualGic {
    vcpus: usize,
    control: u32,
    shared: Bits,
    priority: [u8; SHARED],
    /// GICD_IROUTER as written: a VCPU's affinity, which is its number.
    route: [u32; SHARED],
    /// VCPU that has each shared interrupt at present.
    place: [u8; SHARED],
    /// Those that go elsewhere as soon as where they are lets them go.
    leaving: u64,
    cpus: [Cpu; VCPUS],
}

impl Default for VirtualGic {
    fn default() -> Self {
        Self::new()
    }
}

impl VirtualGic {
    /// One without VCPUs: to be reset before use.
    pub const fn new() -> Self {
        Self {
            vcpus: 0,
            control: 0,
            shared: Bits::new(0, 0),
            priority: [0; SHARED],
            route: [0; SHARED],
            place: [NOWHERE; SHARED],
            leaving: 0,
            cpus: [Cpu::RESET; VCPUS],
        }
    }

    /// Sets the state after power-on, for `vcpus` VCPUs (at most 16), of which none runs and all
    /// have empty list registers. Assignments stay. Returns the physical interrupts to be ended.
    pub fn reset(&mut self, vcpus: usize) -> Effects {
        let effects = Effects {
            ended: self.shared.held(),
            kick: 0,
            timers: u16::MAX,
        };
        // In place, and no more than there are of: it is done in one hold of the lock.
        let Self { cpus, .. } = self;
        self.vcpus = vcpus.min(VCPUS);
        let cpus = &mut cpus[..self.vcpus];
        cpus.fill(Cpu::RESET);
        let first = cpus.first_mut().map(|first| first.spis = u64::MAX);
        self.place = [first.map_or(NOWHERE, |()| 0); SHARED];
        self.shared = Bits::new(self.shared.physical, 0);
        (self.control, self.leaving) = (0, 0);
        (self.priority, self.route) = ([0; SHARED], [0; SHARED]);
        effects
    }

    /// VCPU `vcpu`, which was synced, is switched on. Its list registers, which the caller empties,
    /// are forgotten, its interrupts are not active any longer, and its timer asserts nothing. The
    /// rest of what its redistributor says stays: other VCPUs may have set it up before, and so it
    /// is on the bare board.
    pub fn reset_vcpu(&mut self, vcpu: usize) -> Effects {
        let Some(cpu) = self.cpus.get_mut(vcpu) else {
            return Effects::NONE;
        };
        let spis = cpu.spis;
        cpu.private.stop(u64::MAX);
        cpu.private.forget(cpu.private.physical, 0);
        cpu.lists = Lists::EMPTY;
        cpu.lists.dirty = true;
        let held = self.shared.held();
        self.shared.stop(spis);
        let mut effects = Effects {
            ended: held & !self.shared.held(),
            kick: 0,
            timers: 1 << vcpu,
        };
        for spi in ones(spis & self.leaving) {
            effects.add(self.settle(spi as u8 + PRIVATE));
        }
        effects
    }

    /// Which of the machine's interrupts are pending, and neither active nor made so by the guest:
    /// the timer of `vcpu`, shared ones (bit 0 is number 32). Where the source of one does not
    /// ask any more, it is to be taken back ([`VirtualGic::withdraw`]).
    pub fn doubtful(&mut self, vcpu: usize) -> (bool, u64) {
        let shared = self.shared.doubtful();
        let private = self.cpus.get_mut(vcpu).map(|cpu| cpu.private.doubtful());
        (private.is_some_and(|doubtful| doubtful != 0), shared)
    }

    /// Shared interrupt `intid` is the machine's from now on; others are not changed.
    pub fn assign_physical(&mut self, intid: u32) {
        if (u32::from(PRIVATE)..INTERRUPTS).contains(&intid) {
            self.shared.physical |= 1 << (intid - u32::from(PRIVATE));
        }
    }

    /// Returns whether nothing of `vcpu`'s interrupts has to be checked, or put into list
    /// registers, before it resumes. Then the list registers are empty, and no interrupt has come.
    #[inline(always)]
    pub fn is_at_rest(&self, vcpu: usize) -> bool {
        let lists = &self.cpus[vcpu % VCPUS].lists;
        lists.exact && !lists.dirty && lists.used == 0 && lists.fresh | lists.fresh_shared == 0
    }

    /// The VCPU that `affinity` names, as a mask of one bit: only the lowest level counts them.
    pub fn mask_of(&self, affinity: u64) -> Option<u16> {
        (affinity < self.vcpus as u64).then(|| 1 << affinity)
    }

    /// Whether the partition has a VCPU with this redistributor.
    #[inline(always)]
    pub fn has_frame(&self, frame: Frame) -> bool {
        match frame {
            Frame::Distributor => true,
            Frame::Redistributor(vcpu) => vcpu < self.vcpus,
        }
    }

    /// Whether physical 27 must be active while `vcpu`, which was synced, is loaded: its virtual
    /// one is pending or active.
    #[inline]
    pub fn timer_is_active(&self, vcpu: usize) -> bool {
        let cpu = self.cpus.get(vcpu);
        cpu.is_some_and(|cpu| cpu.private.held() != 0)
    }

    /// Whether `vcpu`, which was synced, has an interrupt that ends its wait: pending, enabled, not
    /// active, its group enabled.
    #[inline]
    pub fn is_deliverable(&self, vcpu: usize) -> bool {
        let Some(cpu) = self.cpus.get(vcpu) else {
            return false;
        };
        let any = cpu.private.deliverable() | self.shared.deliverable() & cpu.spis;
        self.control & GROUP1 != 0 && any != 0
    }

    /// Interrupts reach VCPU `vcpu`: their group is enabled, and its redistributor is awake.
    fn open(&self, vcpu: usize) -> bool {
        self.control & GROUP1 != 0 && self.cpus[vcpu].awake
    }

    /// The states of interrupt `intid`, and its bit.
    #[inline]
    fn bits(&mut self, vcpu: usize, intid: u8) -> (&mut Bits, u64) {
        bank(&mut self.cpus[vcpu].private, &mut self.shared, intid)
    }

    fn priority(&self, vcpu: usize, intid: u8) -> u8 {
        if intid < PRIVATE {
            self.cpus[vcpu].priority[usize::from(intid)]
        } else {
            self.priority[usize::from(intid - PRIVATE) % SHARED]
        }
    }
}

/// The states of interrupt `intid`, and its bit.
#[inline]
fn bank<'a>(private: &'a mut Bits, shared: &'a mut Bits, intid: u8) -> (&'a mut Bits, u64) {
    match intid.checked_sub(PRIVATE) {
        None => (private, 1 << intid),
        Some(spi) => (shared, 1 << (spi % SHARED as u8)),
    }
}
