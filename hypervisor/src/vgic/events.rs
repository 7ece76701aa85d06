//! Owns: what makes interrupts pending: events, lines, the virtual timer, software of other VCPUs.
//! Must never know: list registers' contents; how a guest reads what is pending.

use super::bits::ones;
use super::{GROUP1, INTERRUPTS, PRIVATE, TIMER, VCPUS, VirtualGic, bank};

/// ICC_SGI1R_EL1: affinities 3, 2 and 1, and the range of affinity 0: zero for every VCPU.
const SGI_AFFINITY: u64 = 0xFF << 48 | 0xF << 44 | 0xFF << 32 | 0xFF << 16;

impl VirtualGic {
    /// Records an event of interrupt `intid`: of `vcpu`'s private one, or of a shared one. Returns
    /// the VCPUs to kick.
    pub fn raise(&mut self, vcpu: usize, intid: u32) -> u16 {
        let Some((owner, intid)) = self.owner(vcpu, intid) else {
            return 0;
        };
        self.latch(vcpu, owner, intid)
    }

    /// Sets the line of `vcpu`'s private interrupt `intid`, or of a shared one, to `high` or low.
    /// Returns the VCPUs to kick. An edge-triggered interrupt takes a rise for an event. Not for
    /// physical ones: see the head of this module.
    pub fn set_level(&mut self, vcpu: usize, intid: u32, high: bool) -> u16 {
        let Some((owner, intid)) = self.owner(vcpu, intid) else {
            return 0;
        };
        let (bits, bit) = self.bits(vcpu, intid);
        let rose = high && bits.line & bit == 0;
        let changed = high != (bits.line & bit != 0);
        bits.line = if high {
            bits.line | bit
        } else {
            bits.line & !bit
        };
        if rose {
            bits.latch |= bit & bits.edge;
        }
        let listed = bits.listed & bit != 0;
        match (changed, high) {
            (false, _) => 0,
            (true, true) => self.notice(owner, intid),
            (true, false) => self.fall(owner, listed),
        }
    }

    /// Records that the virtual timer of `vcpu` has fired: physically, if the VCPU runs, or by the
    /// hypervisor's reckoning, while it does not run. Returns the VCPUs to kick.
    #[inline]
    pub fn raise_timer(&mut self, vcpu: usize) -> u16 {
        let Some(cpu) = self.cpus.get_mut(vcpu) else {
            return 0;
        };
        // When the guest has ended it, the physical line shows whether it is to come again.
        if cpu.lists.exact && cpu.private.active & 1 << TIMER != 0 {
            return 0;
        }
        cpu.private.latch |= 1 << TIMER;
        self.notice(vcpu, TIMER)
    }

    /// Sends the interrupt that VCPU `from` requests by `value` in ICC_SGI1R_EL1 (IHI 0069,
    /// "ICC_SGI1R_EL1"). Returns the VCPUs to kick. Targets that do not exist are left out.
    pub fn send(&mut self, from: usize, value: u64) -> u16 {
        let everyone = ((1u32 << self.vcpus) - 1) as u16;
        let targets = if value >> 40 & 1 != 0 {
            everyone & !(1u16 << (from % VCPUS))
        } else if value & SGI_AFFINITY != 0 {
            0
        } else {
            value as u16 & everyone
        };
        let intid = (value >> 24 & 0xF) as u8;
        let mut kick = 0;
        for target in ones(u64::from(targets)) {
            kick |= self.latch(target, target, intid);
        }
        kick
    }

    /// Returns the VCPU that has interrupt `intid`: `vcpu`, or a shared one's place. None if there
    /// is no such interrupt or VCPU.
    fn owner(&self, vcpu: usize, intid: u32) -> Option<(usize, u8)> {
        let number = u8::try_from(intid).ok().filter(|_| intid < INTERRUPTS)?;
        if number >= PRIVATE {
            Some((
                usize::from(self.place[usize::from(number - PRIVATE)]),
                number,
            ))
        } else {
            (vcpu < self.vcpus).then_some((vcpu, number))
        }
    }

    /// Records an event of interrupt `intid`, which is at `owner`: `vcpu`'s, or a shared one.
    /// Returns no VCPU to kick if an event was noted before and not been shown to the guest yet:
    /// its kick is done.
    #[inline]
    fn latch(&mut self, vcpu: usize, owner: usize, intid: u8) -> u16 {
        let (bits, bit) = self.bits(vcpu, intid);
        let noted = bits.latch & bit != 0;
        bits.latch |= bit;
        let kick = self.notice(owner, intid);
        if noted { 0 } else { kick }
    }

    /// Notes that interrupt `intid` of VCPU `owner` became pending. Returns the VCPUs to kick: none
    /// if the guest's end of the interrupt in the register is an exit by itself.
    #[inline]
    pub(super) fn notice(&mut self, owner: usize, intid: u8) -> u16 {
        let group = self.control & GROUP1 != 0;
        let Some(cpu) = self.cpus.get_mut(owner) else {
            return 0;
        };
        let exact = cpu.lists.exact;
        let (bits, bit) = bank(&mut cpu.private, &mut self.shared, intid);
        cpu.lists.freshen(intid, bit);
        // Whether one that runs has ended it is not known.
        let told = match exact {
            true => bits.active,
            false => bits.listed & bits.again,
        };
        u16::from(group && bits.enabled & !told & bit != 0) << owner
    }

    /// An interrupt of VCPU `owner` is perhaps not pending any more.
    fn fall(&mut self, owner: usize, listed: bool) -> u16 {
        let Some(cpu) = self.cpus.get_mut(owner) else {
            return 0;
        };
        cpu.lists.dirty |= listed;
        u16::from(listed && !cpu.lists.exact) << owner
    }
}
