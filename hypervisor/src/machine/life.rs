//! Owns: how partitions start, stop and start again.
//! Must never know: why a guest did what stops it.
//!
//! A start clears the partition's memory and copies the image piece by piece. That is done in the
//! time of the partition's own first VCPU, so that no other partition pays for it. No guest finds
//! data that another one, or itself before, has left.

use super::{Condition, Hypervisor, Phase, PhysicalTimer};
use crate::hardware::{Context, Hardware};
use crate::text::Text;
use crate::timers::Timer;
use taktos_schedule::vcpu::Vcpu;

/// Why a partition stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// It switched itself off.
    Off,
    /// It reset itself.
    Reset,
    /// It did what cannot be answered.
    Fault {
        /// ESR_EL2.
        syndrome: u64,
        /// FAR_EL2.
        address: u64,
        /// Where it was.
        pc: u64,
    },
}

impl Stopped {
    /// Adds it to what is said.
    fn tell(&self, line: &mut Text) {
        match *self {
            Self::Off => line.add(b"off"),
            Self::Reset => line.add(b"reset"),
            Self::Fault {
                syndrome,
                address,
                pc,
            } => {
                line.add(b"fault at ").add_hex(pc);
                line.add(b" (syndrome ").add_hex(syndrome);
                line.add(b", address ").add_hex(address).add(b")")
            }
        };
    }
}

impl<H: Hardware> Hypervisor<H> {
    /// Starts `partition`, which has no loaded VCPU: its first one clears its memory, copies the
    /// image and begins.
    pub(super) fn start_partition(&mut self, partition: usize) {
        let vcpus = self.vcpus_of(partition);
        let record = self.record(partition);
        self.partitions[partition].phase = Phase::Runs;
        let effects = self.shared.devices(partition).reset(vcpus.len());
        self.carry_out(partition, effects);
        self.reset_links(partition);
        let first = vcpus.start;
        H::context(first).reset(record.entry, record.argument, 0);
        self.vcpus[first].condition = Condition::Loading {
            segment: 0,
            done: 0,
        };
        self.attend(first);
        let unit = Vcpu::new(first as u16);
        self.pools.wake(unit, H::now(), &mut self.world);
    }

    /// Stops `partition`, and starts it again if it may.
    pub(super) fn stop(&mut self, partition: usize, reason: Stopped) {
        if self.partitions[partition].phase != Phase::Runs {
            return;
        }
        let again = match reason {
            Stopped::Off => false,
            Stopped::Reset => self.may_restart(partition, 1),
            Stopped::Fault { .. } => self.may_restart(partition, 0),
        };
        self.partitions[partition].phase = Phase::Stopping { again };
        self.shared.devices(partition).runs = false;
        let mut line = self.line_of(partition);
        line.add(b" stopped: ");
        reason.tell(&mut line);
        match again {
            true => self.say_seldom(partition, &line),
            false => self.say_last(partition, &line),
        }
        for vcpu in self.vcpus_of(partition) {
            self.put_off(vcpu);
        }
        self.settle(partition);
    }

    fn may_restart(&mut self, partition: usize, kind: usize) -> bool {
        let left = &mut self.partitions[partition].restarts[kind];
        let may = *left > 0;
        *left = left.saturating_sub(1);
        may
    }

    /// Takes `vcpu` off whatever processor it is on; it is off.
    pub(super) fn put_off(&mut self, vcpu: usize) {
        let state = &mut self.vcpus[vcpu];
        let was = core::mem::replace(&mut state.condition, Condition::Off);
        state.physical = PhysicalTimer::default();
        let on = state.on;
        let (partition, number) = self.place_of(vcpu);
        self.shared.devices(partition).on &= !(1 << number);
        let here = self.world.here;
        self.world.timers.arm(here, Timer::Wake(vcpu), None);
        self.world.timers.arm(here, Timer::Physical(vcpu), None);
        self.attend(vcpu);
        if matches!(was, Condition::Able | Condition::Loading { .. }) {
            let unit = Vcpu::new(vcpu as u16);
            self.pools.sleep(unit, H::now(), &mut self.world);
        }
        if let Some(cpu) = on {
            self.processors[usize::from(cpu)].heard = None;
            self.world.ask(cpu.into());
        }
    }

    /// If `partition` is stopping and none of its VCPUs is loaded any more, it is off, or starts
    /// again.
    #[inline(always)]
    pub(super) fn settle(&mut self, partition: usize) {
        if let Phase::Stopping { again } = self.partitions[partition].phase {
            self.end_stop(partition, again);
        }
    }

    #[cold]
    #[inline(never)]
    fn end_stop(&mut self, partition: usize, again: bool) {
        if self
            .vcpus_of(partition)
            .any(|vcpu| self.vcpus[vcpu].on.is_some())
        {
            return;
        }
        if again {
            let line = self.again(partition, self.starts(partition));
            self.say_seldom(partition, &line);
            return self.start_partition(partition);
        }
        self.partitions[partition].phase = Phase::Stopped;
        let mut all = self.partitions.0[..self.partition_count()].iter();
        if all.all(|partition| partition.phase == Phase::Stopped) {
            self.console.off();
        }
    }

    /// Returns the line that `partition` has started again, `times` times so far.
    fn again(&self, partition: usize, times: u32) -> Text {
        let mut line = self.line_of(partition);
        line.add(b" started again (").add_decimal(times).add(b")");
        line
    }

    /// A line that begins with the name of `partition`.
    pub(super) fn line_of(&self, partition: usize) -> Text {
        let mut line = Text::new();
        line.add_name(&self.record(partition).name);
        line
    }

    /// Says something of a partition on the machine's console, unless as much as a partition may
    /// was said of it of late.
    pub(super) fn say_seldom(&mut self, partition: usize, line: &Text) {
        if self.partitions[partition].said.may_say(H::now()) {
            self.console.say(partition, line.bytes());
        }
    }

    /// Says the last of a partition. Where it was not said that it started again, it is now.
    fn say_last(&mut self, partition: usize, line: &Text) {
        let starts = self.starts(partition);
        if self.partitions[partition].said.was_silent() && starts > 1 {
            let again = self.again(partition, starts - 1);
            self.console.say(partition, again.bytes());
        }
        self.console.say(partition, line.bytes());
    }
}
