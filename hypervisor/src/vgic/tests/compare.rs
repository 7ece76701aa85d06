//! Conditions of the system that is driven: after each entry, whenever all is compared, and when
//! all falls silent.

use super::system::{Act, Event, PHYSICAL, System, place};

impl System {
    /// Checks that no interrupt that was left out is more urgent than one that was taken.
    pub fn check_choice(&mut self, vcpu: usize) {
        let open = self.naive.awake[vcpu];
        let listed = self.cpus[vcpu].pending();
        let pending = self.naive.deliverable(vcpu);
        let alone = |entry: &&(u8, u32)| !self.cpus[vcpu].is_active(entry.1);
        let Some(last) = listed.iter().rfind(alone) else {
            return;
        };
        assert!(open && self.naive.group);
        let left = pending.iter().filter(|entry| !listed.contains(entry));
        for entry in left {
            assert!(entry > last, "{entry:x?} was left out for {last:x?}");
        }
    }

    pub fn compare(&mut self) {
        for vcpu in 0..self.cpus.len() {
            self.exit(vcpu);
        }
        for vcpu in 0..self.cpus.len() {
            self.sync(vcpu);
        }
        for vcpu in 0..self.cpus.len() {
            for intid in 0..96 {
                self.compare_one(vcpu, intid);
            }
            let wakes = !self.naive.deliverable(vcpu).is_empty();
            assert_eq!(self.gic.is_deliverable(vcpu), wakes);
            // The guest can make a timer pending again after its end has ended the physical
            // interrupt.
            assert!(
                self.gic.timer_is_active(vcpu) || !self.timers[vcpu],
                "no timer any more"
            );
        }
        let state = *self.naive.get(0, PHYSICAL);
        let held = state.latch || state.active.is_some();
        assert!(held || !self.device, "the device is never heard of again");
        for vcpu in 0..self.cpus.len() {
            self.flush(vcpu);
        }
    }

    fn deactivate_all(&mut self, vcpu: usize) {
        while !self.dropped[vcpu].is_empty() {
            self.deactivate(vcpu, 0);
        }
    }

    fn compare_one(&mut self, vcpu: usize, intid: u32) {
        let (frame, base) = place(vcpu, intid);
        let word = base + u64::from(intid / 32 * 4);
        let bit = |offset: u64| self.gic.read(frame, offset + word, 4) >> (intid % 32) & 1 == 1;
        let seen = (bit(0x100), bit(0x200), bit(0x300));
        let state = *self.naive.get(vcpu, intid);
        let expected = (state.enabled, state.pending(), state.active.is_some());
        assert_eq!(
            seen, expected,
            "interrupt {intid} of {vcpu}: enabled, pending, active"
        );
        let priority = self.gic.read(frame, base + 0x400 + u64::from(intid), 1);
        assert_eq!(priority, u64::from(state.priority));
    }

    /// The devices of `intids` fall silent; the guests end what they do and take all that is left:
    /// nothing is left over.
    pub fn finish(&mut self, intids: &[u32]) {
        for vcpu in 0..self.cpus.len() {
            for &intid in intids {
                self.step(Event::Level(vcpu, intid, false));
                self.step(Event::Act(vcpu, vcpu, intid, Act::Deactivate));
            }
            while !self.stacks[vcpu].is_empty() {
                self.end(vcpu);
            }
            self.deactivate_all(vcpu);
        }
        for vcpu in 0..self.cpus.len() {
            // The exit is for those of hardware alone: see `acknowledge`.
            self.exit(vcpu);
            while self.expected(vcpu).is_some() {
                self.acknowledge(vcpu);
                self.end(vcpu);
                self.deactivate_all(vcpu);
            }
            assert_eq!(self.cpus[vcpu].acknowledge(), None);
        }
        self.compare();
    }
}
