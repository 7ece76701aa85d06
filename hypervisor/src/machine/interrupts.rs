//! Owns: physical interrupts, and the processors to which those of devices come.
//! Must never know: what guests do with theirs.
//!
//! An interrupt of a partition's device comes to a processor in which the partition is loaded, and
//! is its guest's own exit. While none of its VCPUs is loaded, it is masked, but where one waits:
//! then it comes once, to the processor that was left last, and stays active until the guest has
//! ended it. So it costs others at most one exit between two runs of its owner.

use super::waiting::FIRST_SHARED;
use super::{Condition, Hypervisor, interrupts};
use crate::hardware::{CALL_INTERRUPT, CONSOLE_INTERRUPT, Hardware};
use crate::vgic::{Effects, Frame};
use taktos_abi::vm::layout::{HYPERVISOR_TIMER_INTERRUPT, MAINTENANCE_INTERRUPT, TIMER_INTERRUPT};

/// The number that says there is no interrupt (Arm IHI 0069, section 2.2.1) and all above.
const FIRST_SPECIAL: u32 = 1020;

impl<H: Hardware> Hypervisor<H> {
    /// Takes all physical interrupts that are there, of which `first` was acknowledged.
    pub(super) fn take_interrupts(&mut self, first: Option<u32>) {
        let mut next = first;
        while let Some(number) = next.filter(|&number| number < FIRST_SPECIAL) {
            self.take(number);
            next = H::acknowledge();
        }
    }

    fn take(&mut self, number: u32) {
        let loaded = self.shared.loaded(self.world.here);
        match number {
            TIMER_INTERRUPT => {
                // It stays active until the guest ends it.
                if let Some(loaded) = loaded {
                    // It is refilled when the guest resumes.
                    let mut controller = self.shared.controller(loaded.partition());
                    let _ = controller.raise_timer(loaded.number());
                } else {
                    H::deactivate(number);
                }
            }
            HYPERVISOR_TIMER_INTERRUPT => {
                self.run_timer();
                H::deactivate(number);
            }
            MAINTENANCE_INTERRUPT => {
                // Its level falls when list registers have been filled or nothing is left to fill
                // in.
                if let Some(loaded) = loaded {
                    self.refill(loaded);
                }
                H::deactivate(number);
            }
            CALL_INTERRUPT => {
                // The caller has noted the work to do.
                self.shared.take_call(self.world.here);
                H::deactivate(number);
            }
            CONSOLE_INTERRUPT => {
                self.serve_console();
                H::deactivate(number);
            }
            shared => self.pass_on(shared),
        }
    }

    /// Looks whether the timer of the loaded `vcpu` and its partition's devices still ask for what
    /// is pending of them: a level that has fallen is no interrupt any more.
    #[cold]
    #[inline(never)]
    pub(super) fn ask_sources(&mut self, vcpu: usize) {
        let (partition, number) = self.place_of(vcpu);
        let mut devices = self.shared.devices(partition);
        devices.doubtful &= !(1 << number);
        let controller = &mut devices.controller;
        let mut effects = controller.sync(number, &mut H::lists());
        let (timer, mut asked) = controller.doubtful(number);
        let due = H::timer().is_due(H::ticks());
        let mut low = 0;
        while asked != 0 {
            let spi = asked.trailing_zeros();
            asked &= asked - 1;
            low |= u64::from(!H::is_asserted(FIRST_SHARED + spi)) << spi;
        }
        effects.add(controller.withdraw(number, timer && !due, low));
        let active = controller.timer_is_active(number);
        drop(devices);
        effects.timers &= !(1 << number);
        self.carry_out(partition, effects);
        H::set_timer_active(active);
    }

    /// The loaded `vcpu` is about to read what is pending in `frame`. Another VCPU's timer is known
    /// on the processor that runs that VCPU: it is called, and checks the timer.
    #[cold]
    #[inline(never)]
    pub(super) fn ask_sources_of(&mut self, vcpu: usize, frame: Frame) {
        self.ask_sources(vcpu);
        let (partition, number) = self.place_of(vcpu);
        if let Frame::Redistributor(of) = frame
            && of != number
        {
            let effects = Effects {
                timers: 1 << of,
                ..Effects::NONE
            };
            self.carry_out(partition, effects);
        }
    }

    /// A device of a partition's own. It does not come again before the partition's guest has ended
    /// it.
    fn pass_on(&mut self, number: u32) {
        for index in 0..self.partition_count() {
            if interrupts(self.record(index)).any(|own| own == number) {
                let mask = self.shared.controller(index).raise(0, number);
                return self.notify(index, mask);
            }
        }
        H::deactivate(number);
    }

    /// A VCPU of `partition` was loaded here: the interrupts of its devices come here, if none of
    /// its VCPUs has them already where it is loaded.
    pub(super) fn fetch_devices(&mut self, partition: usize) {
        let home = self.partitions[partition].home;
        if home.is_none_or(|cpu| !self.is_loaded_on(partition, cpu)) {
            self.send_devices(partition, Some(self.world.here));
        }
    }

    /// A VCPU of `partition` was taken off this processor. The interrupts of its devices follow one
    /// of its VCPUs that is loaded; if none is, they stay here to end the wait of one that waits,
    /// and are masked where none does.
    pub(super) fn leave_devices(&mut self, partition: usize) {
        if self.partitions[partition].home != Some(self.world.here) {
            return;
        }
        let mut vcpus = self.vcpus_of(partition);
        let elsewhere = vcpus.clone().find_map(|vcpu| self.vcpus[vcpu].on);
        let waits = vcpus.any(|vcpu| self.vcpus[vcpu].condition == Condition::Waiting);
        if elsewhere.is_some() || !waits {
            self.send_devices(partition, elsewhere.map(usize::from));
        }
    }

    fn is_loaded_on(&self, partition: usize, cpu: usize) -> bool {
        let loaded = self.shared.loaded(cpu);
        loaded.is_some_and(|loaded| loaded.partition() == partition)
    }

    #[inline(never)]
    fn send_devices(&mut self, partition: usize, home: Option<usize>) {
        if core::mem::replace(&mut self.partitions[partition].home, home) == home {
            return;
        }
        for number in interrupts(self.record(partition)) {
            H::route(number, home);
        }
    }
}
