//! Owns: physical interrupts.
//! Must never know: what guests do with theirs.

use super::Hypervisor;
use crate::hardware::{CALL_INTERRUPT, CONSOLE_INTERRUPT, Hardware};
use taktos_abi::vm::layout::{HYPERVISOR_TIMER_INTERRUPT, MAINTENANCE_INTERRUPT, TIMER_INTERRUPT};

/// The number that says there is no interrupt (Arm IHI 0069, section 2.2.1) and all above.
const FIRST_SPECIAL: u32 = 1020;

impl<H: Hardware> Hypervisor<H> {
    /// Takes all physical interrupts that are there.
    pub(super) fn take_interrupts(&mut self) {
        while let Some(number) = H::acknowledge() {
            if number >= FIRST_SPECIAL {
                return;
            }
            self.take(number);
        }
    }

    fn take(&mut self, number: u32) {
        let current = self.processors[self.world.here].current;
        match number {
            TIMER_INTERRUPT => {
                // It stays active until the guest ends it.
                if let Some(vcpu) = current {
                    let state = &self.vcpus[vcpu];
                    let gic = &mut self.partitions[usize::from(state.partition)].gic;
                    // It is loaded here, and refilled when it goes on.
                    let _ = gic.raise_timer(state.number.into());
                } else {
                    H::deactivate(number);
                }
            }
            HYPERVISOR_TIMER_INTERRUPT => {
                self.run_timers();
                H::deactivate(number);
            }
            MAINTENANCE_INTERRUPT => {
                // Its level falls when list registers have been filled or nothing is left to fill in.
                if let Some(vcpu) = current {
                    self.refill(vcpu);
                }
                H::deactivate(number);
            }
            CALL_INTERRUPT => {
                // Whoever called has noted what is to be done.
                self.world.called &= !(1 << self.world.here);
                H::deactivate(number);
            }
            CONSOLE_INTERRUPT => {
                self.serve_console();
                H::deactivate(number);
            }
            shared => self.pass_on(shared),
        }
    }

    /// A device of a partition's own.
    fn pass_on(&mut self, number: u32) {
        for index in 0..self.partition_count() {
            let record = &self.description.partitions[index];
            let devices = &record.devices[..usize::from(record.device_count)];
            if devices.iter().any(|device| device.interrupt == number) {
                let mask = self.partitions[index].gic.raise(0, number);
                return self.notify(index, mask);
            }
        }
        H::deactivate(number);
    }
}
