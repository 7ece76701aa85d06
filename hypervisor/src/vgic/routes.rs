//! Owns: which VCPU a shared interrupt goes to, and when it gets there.
//! Must never know: what makes it pending.
//!
//! A shared interrupt has one place at a time. While it is active there, or in a list register of a
//! VCPU that runs, it stays, and is *leaving*.

use super::{Effects, NOWHERE, PRIVATE, SHARED, VirtualGic};

impl VirtualGic {
    /// Lets shared interrupt `intid` go where it is routed to, if it is to leave and nothing holds
    /// it.
    pub(super) fn settle(&mut self, intid: u8) -> Effects {
        if intid < PRIVATE {
            return Effects::NONE;
        }
        let spi = usize::from(intid - PRIVATE) % SHARED;
        let bit = 1 << spi;
        if self.leaving & bit == 0 || (self.shared.listed | self.shared.active) & bit != 0 {
            return Effects::NONE;
        }
        self.leaving &= !bit;
        if let Some(old) = self.cpus.get_mut(usize::from(self.place[spi])) {
            old.spis &= !bit;
        }
        let new = self.target(spi);
        self.place[spi] = new;
        if let Some(cpu) = self.cpus.get_mut(usize::from(new)) {
            cpu.spis |= bit;
        }
        let pending = self.shared.pending() & bit != 0;
        let mut effects = Effects::NONE;
        if pending {
            effects.kick = self.notice(usize::from(new), intid);
        }
        effects
    }

    /// The VCPU that shared interrupt number 32 + `spi` is routed to.
    pub(super) fn target(&self, spi: usize) -> u8 {
        match self.route[spi] {
            vcpu if (vcpu as usize) < self.vcpus => vcpu as u8,
            _ => NOWHERE,
        }
    }

    /// Shared interrupt number 32 + `spi` goes to affinity `route` from now on.
    pub(super) fn route(&mut self, spi: usize, route: u32) -> Effects {
        self.route[spi] = route;
        let (bit, intid) = (1 << spi, spi as u8 + PRIVATE);
        let vcpu = usize::from(self.place[spi]);
        self.leaving &= !bit;
        if self.target(spi) != self.place[spi] {
            self.leaving |= bit;
        }
        let held = (self.shared.listed, self.shared.active);
        let mut effects = Effects::NONE;
        if let Some(cpu) = self.cpus.get_mut(vcpu).filter(|_| held.0 & bit != 0) {
            cpu.lists.dirty = true;
            if !cpu.lists.exact {
                effects.kick = 1 << vcpu;
            } else if held.1 & bit == 0
                && let Some(register) = cpu.lists.register_of(intid)
            {
                cpu.lists.give_up(register);
                self.shared.unlist(bit);
            }
        }
        effects.add(self.settle(intid));
        effects
    }
}
