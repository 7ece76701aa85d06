//! Owns: VCPUs that wait for interrupts, what ends that, and the VCPU that is notified of a new
//! interrupt.
//! Must never know: where interrupts come from.

use super::{Condition, Hypervisor};
use crate::hardware::{Hardware, VirtualTimer};
use crate::timers::Timer;
use crate::vgic::Effects;
use taktos_schedule::vcpu::Vcpu;
use taktos_time::Instant;

/// The number of the first shared interrupt.
pub(super) const FIRST_SHARED: u32 = 32;

/// When an enabled, unmasked timer is due.
fn due<H: Hardware>(timer: VirtualTimer) -> Option<Instant> {
    (timer.control & 3 == 1).then(|| H::instant(timer.compare))
}

impl<H: Hardware> Hypervisor<H> {
    /// `vcpu`, which is loaded here, waits for an interrupt. There was none when it was left
    /// (`own`). If its timer is due meanwhile, it is woken soon.
    pub(super) fn wait(&mut self, vcpu: usize) {
        let now = H::now();
        let due = due::<H>(H::timer());
        self.vcpus[vcpu].condition = Condition::Waiting;
        let unit = Vcpu::new(vcpu as u16);
        // No timer of an earlier wait is armed.
        if let Some(due) = due {
            let at = self.pools.supply(unit, due, now);
            self.world
                .timers
                .arm(self.world.here, Timer::Wake(vcpu), Some(at));
        }
        self.pools.sleep(unit, now, &mut self.world);
        self.world.ask(self.world.here);
    }

    /// Postpones the emulated physical timer of `vcpu`, which is on, when the VCPU was taken off
    /// this processor. The timer ends the VCPU's wait, in its own time; while the VCPU does not
    /// wait, nothing needs the timer before it is loaded again.
    pub(super) fn put_physical_timer_off(&mut self, vcpu: usize) {
        let state = &self.vcpus[vcpu];
        let compare = state.physical.compare;
        let ends = state.condition == Condition::Waiting && compare > H::ticks();
        let at = ends.then(|| {
            let unit = Vcpu::new(vcpu as u16);
            self.pools.supply(unit, H::instant(compare), H::now())
        });
        self.world
            .timers
            .arm(self.world.here, Timer::Physical(vcpu), at);
    }

    /// `vcpu` can run, if it waits.
    pub(super) fn wake(&mut self, vcpu: usize) {
        if self.vcpus[vcpu].condition != Condition::Waiting {
            return;
        }
        self.vcpus[vcpu].condition = Condition::Able;
        self.world
            .timers
            .arm(self.world.here, Timer::Wake(vcpu), None);
        let unit = Vcpu::new(vcpu as u16);
        self.pools.wake(unit, H::now(), &mut self.world);
    }

    /// Does the work outside that a change of `partition`'s interrupt controller needs.
    #[inline(always)]
    pub(super) fn carry_out(&mut self, partition: usize, effects: Effects) {
        if effects != Effects::NONE {
            self.carry_out_some(partition, effects);
        }
    }

    #[inline(never)]
    fn carry_out_some(&mut self, partition: usize, effects: Effects) {
        let mut ended = effects.ended;
        while ended != 0 {
            H::deactivate(FIRST_SHARED + ended.trailing_zeros());
            ended &= ended - 1;
        }
        if effects.timers != 0 {
            self.shared.devices(partition).doubtful |= effects.timers;
        }
        self.notify(partition, effects.kick | effects.timers);
    }

    /// Notes that interrupts may have come for the VCPUs of `partition` in `mask`: each is woken if
    /// it waits, and notified if it runs.
    pub(super) fn notify(&mut self, partition: usize, mask: u16) {
        if mask == 0 {
            return;
        }
        for vcpu in self.vcpus_of(partition) {
            let number = usize::from(self.vcpus[vcpu].number);
            if mask >> number & 1 != 0 {
                self.notify_one(vcpu);
            }
        }
    }

    fn notify_one(&mut self, vcpu: usize) {
        let state = &self.vcpus[vcpu];
        match (state.on, state.condition) {
            (Some(cpu), _) if usize::from(cpu) != self.world.here => {
                self.shared.call(cpu.into(), false);
            }
            (None, Condition::Waiting) => {
                let number = usize::from(state.number);
                let controller = self.shared.controller(state.partition.into());
                let deliverable = controller.is_deliverable(number);
                drop(controller);
                if deliverable {
                    self.wake(vcpu);
                }
            }
            // One that is about to be taken off because it waits has not been yet.
            (Some(_), Condition::Waiting) => self.wake(vcpu),
            _ => {}
        }
    }

    /// Works out the level of the emulated physical timer's interrupt, and when it changes next.
    pub(super) fn update_physical_timer(&mut self, vcpu: usize) {
        let timer = self.vcpus[vcpu].physical;
        let wanted = timer.is_on();
        let expired = timer.compare <= H::ticks();
        let at = (wanted && !expired).then(|| H::instant(timer.compare));
        self.world
            .timers
            .arm(self.world.here, Timer::Physical(vcpu), at);
        let (partition, number) = self.place_of(vcpu);
        let mask = self.shared.controller(partition).set_level(
            number,
            taktos_abi::vm::layout::PHYSICAL_TIMER_INTERRUPT,
            wanted && expired,
        );
        self.notify(partition, mask);
    }
}
