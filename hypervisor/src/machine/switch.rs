//! Owns: the VCPU that runs on a processor, and the way out of each exit.
//! Must never know: why a processor has to choose.

use super::shared::Loaded;
use super::{CHOOSE, Condition, FILL, Hypervisor, MORE, NOBODY, PARTITIONS};
use crate::hardware::{Context, Hardware, Next};
use crate::machine::life::Stopped;
use crate::processor;
use crate::syndrome::ASYNCHRONOUS;
use crate::timers::Timer;
use crate::vgic::Effects;
use taktos_abi::vm::layout;
use taktos_schedule::vcpu::Vcpu;
use taktos_time::Instant;

impl<H: Hardware> Hypervisor<H> {
    /// The end of each exit: the choice is made if it is due, the guest's interrupts are put into
    /// list registers, the timer is set.
    #[inline(always)]
    pub(super) fn leave(&mut self) -> Next {
        let here = self.world.here;
        if self.world.due[here] != 0 && !self.do_due(here) {
            return Next::Again;
        }
        let next = match self.shared.loaded(here) {
            None => Next::Idle,
            Some(loaded) => {
                self.refill(loaded);
                Next::Guest(loaded.vcpu())
            }
        };
        self.set_alarm(here);
        next
    }

    /// Does what is due on this processor before a guest resumes. Returns whether that is all.
    #[inline(always)]
    fn do_due(&mut self, here: usize) -> bool {
        loop {
            let due = self.world.due[here];
            if due & MORE != 0 {
                // It is due at once, however far ahead others may be set.
                H::set_alarm(Some(Instant::START));
                return false;
            }
            if due & CHOOSE != 0 {
                self.world.due[here] = due & !CHOOSE;
                self.choose(here);
                continue;
            }
            if due & FILL != 0 {
                self.fill_memory(here);
                self.set_alarm(here);
                return false;
            }
            return true;
        }
    }

    /// Calls the policy of `here` for the VCPU to run, and switches.
    fn choose(&mut self, here: usize) {
        let now = H::now();
        let cpu = processor(here);
        let choice = self.pools.schedule(cpu, now, false, &mut self.world);
        self.processors[here].until = choice.until;
        let next = choice.next.map(Vcpu::index);
        let current = self.loaded(here);
        if next == current {
            return;
        }
        if let Some(old) = current {
            let wakes = self.unload(here, old);
            let saved = Vcpu::new(old as u16);
            self.pools.context_saved(cpu, saved, now, &mut self.world);
            if wakes {
                self.wake(old);
            }
        }
        if let Some(new) = next {
            self.load(here, new);
        }
        H::show(next);
        if let Some(old) = current {
            self.settle(usize::from(self.vcpus[old].partition));
        }
    }

    /// Takes `vcpu` off. Returns whether an interrupt has ended its wait meanwhile: from here on
    /// others find that it is not loaded (see [`Shared::call_loaded`](super::Shared)).
    fn unload(&mut self, here: usize, vcpu: usize) -> bool {
        let (partition, number) = self.place_of(vcpu);
        self.shared.set_loaded(here, None);
        let mut controller = self.shared.controller(partition);
        let effects = controller.sync(number, &mut H::lists());
        let waits = self.vcpus[vcpu].condition == Condition::Waiting;
        let came = !controller.is_at_rest(number);
        let wakes = waits && came && controller.is_deliverable(number);
        drop(controller);
        H::save(vcpu);
        self.vcpus[vcpu].on = None;
        self.processors[here].heard = None;
        self.carry_out(partition, effects);
        if self.vcpus[vcpu].attended {
            self.depart(vcpu);
        }
        wakes
    }

    /// Loads `vcpu`. If its timer has gone off meanwhile, its interrupt is pending at once: the
    /// guest need not be left again for it.
    fn load(&mut self, here: usize, vcpu: usize) {
        let (partition, number) = self.place_of(vcpu);
        let before = core::mem::replace(&mut self.processors[here].owner, partition as u8);
        // A write of a guest may still be on its way: an error that comes of it is its own, and may
        // not arrive at another.
        if before != partition as u8 && H::take_error() {
            self.charge_error(before);
        }
        let last = &mut self.processors[here].last[partition % PARTITIONS];
        let sibling = core::mem::replace(last, vcpu as u8);
        if sibling != vcpu as u8 && sibling != NOBODY {
            H::flush(partition);
        }
        let context = H::context(vcpu);
        let timer = context.timer();
        let mut controller = self.shared.controller(partition);
        if timer.is_due(H::ticks()) && !controller.timer_is_active(number) {
            let _ = controller.raise_timer(number); // It is refilled when it goes on.
        }
        H::set_timer_active(controller.timer_is_active(number));
        drop(controller);
        H::load(vcpu, partition, self.wait_trapped(vcpu));
        self.vcpus[vcpu].on = Some(here as u8);
        let loaded = Loaded::new(vcpu, partition, number);
        self.shared.set_loaded(here, Some(loaded));
        self.processors[here].heard = Some(vcpu);
        if self.vcpus[vcpu].attended {
            self.arrive(vcpu);
        }
    }

    /// An asynchronous error was that of `before`, which was loaded here last.
    #[cold]
    fn charge_error(&mut self, before: u8) {
        if before != NOBODY {
            let error = Stopped::Fault {
                syndrome: ASYNCHRONOUS,
                address: 0,
                pc: 0,
            };
            self.stop(before.into(), error);
        }
    }

    /// The rest of the work where an attended `vcpu` was taken off this processor.
    #[inline(never)]
    fn depart(&mut self, vcpu: usize) {
        if self.vcpus[vcpu].physical.is_on() {
            self.put_physical_timer_off(vcpu);
        }
        self.leave_devices(self.vcpus[vcpu].partition.into());
    }

    /// The rest of the work where an attended `vcpu` was loaded.
    #[inline(never)]
    fn arrive(&mut self, vcpu: usize) {
        if let Condition::Loading { .. } = self.vcpus[vcpu].condition {
            self.world.due[self.world.here] |= FILL;
        }
        if self.vcpus[vcpu].physical.is_on() {
            self.update_physical_timer(vcpu);
        }
        self.fetch_devices(self.vcpus[vcpu].partition.into());
    }

    /// Takes what the guest has ended out of the list registers of the loaded `vcpu`, and puts what
    /// is pending in.
    #[inline(always)]
    pub(super) fn refill(&mut self, loaded: Loaded) {
        let (partition, number) = (loaded.partition(), loaded.number());
        let mut devices = self.shared.devices(partition);
        let controller = &mut devices.controller;
        let mut effects = match controller.is_at_rest(number) {
            true => Effects::NONE,
            false => controller.flush(number, &mut H::lists()),
        };
        let asks = (devices.doubtful | effects.timers) >> number & 1 != 0;
        effects.timers &= !(1 << number);
        drop(devices);
        self.carry_out(partition, effects);
        if asks {
            self.refill_asked(loaded);
        }
    }

    /// Does the same for one of which sources are to be asked before.
    #[cold]
    #[inline(never)]
    fn refill_asked(&mut self, loaded: Loaded) {
        self.ask_sources(loaded.vcpu());
        let mut controller = self.shared.controller(loaded.partition());
        let effects = controller.flush(loaded.number(), &mut H::lists());
        drop(controller);
        self.carry_out(loaded.partition(), effects);
    }

    /// Requests that the memory of the loaded VCPU's partition is filled with its initial content,
    /// before the VCPU resumes; or finds that all is filled. Bound: a step for each segment.
    fn fill_memory(&mut self, here: usize) {
        self.world.due[here] &= !FILL;
        let Some(vcpu) = self.loaded(here) else {
            return;
        };
        let record = self.record(self.vcpus[vcpu].partition.into());
        let segments = &record.segments[..usize::from(record.segment_count)];
        while let Condition::Loading { segment, done } = self.vcpus[vcpu].condition {
            let part = segment
                .checked_sub(1)
                .map(|part| segments.get(usize::from(part)));
            let whole = match part {
                None => record.bytes,
                Some(Some(part)) => part.bytes,
                Some(None) => {
                    self.vcpus[vcpu].condition = Condition::Able;
                    return self.attend(vcpu);
                }
            };
            if done < whole {
                match part.flatten() {
                    None => H::clear(record.memory + done, whole - done),
                    Some(part) => {
                        let offset = part.at - layout::MEMORY + done;
                        H::copy(record.memory + offset, part.store + done, whole - done);
                    }
                }
                self.world.due[here] |= FILL;
                return;
            }
            self.vcpus[vcpu].condition = Condition::Loading {
                segment: segment + 1,
                done: 0,
            };
        }
    }

    /// Notes how much of the memory was filled that the loaded VCPU waits for.
    pub(super) fn note_filled(&mut self) {
        let Some(vcpu) = self.loaded(self.world.here) else {
            return;
        };
        let moved = H::take_moved();
        if let Condition::Loading { done, .. } = &mut self.vcpus[vcpu].condition {
            *done += moved;
        }
    }

    #[inline(always)]
    fn set_alarm(&mut self, here: usize) {
        let first = earlier(self.world.timers.first(here), self.processors[here].until);
        if first != self.processors[here].alarm {
            self.move_alarm(here, first);
        }
    }

    #[inline(never)]
    fn move_alarm(&mut self, here: usize, first: Option<Instant>) {
        self.processors[here].alarm = first;
        let floor = self.description.timer_floor;
        let at = match (first, floor) {
            (Some(at), 1..) => {
                let floor = taktos_time::Duration::from_nanos(floor);
                Some(at.max(H::now().saturating_add(floor)))
            }
            (first, _) => first,
        };
        H::set_alarm(at);
    }

    /// The first timer of this processor that is due. Where there are more, they come one in each
    /// hold of the lock: all that were due when the first was served, before anything else is
    /// chosen.
    pub(super) fn run_timer(&mut self) {
        let here = self.world.here;
        // The hardware's timer is to be set again in any case.
        let processor = &mut self.processors[here];
        processor.alarm = None;
        H::set_alarm(None);
        let now = H::now();
        if processor.until.is_some_and(|at| at <= now) {
            processor.until = None;
            self.world.ask(here);
        }
        let pass = self.processors[here].pass.take().unwrap_or_else(|| {
            self.world.timers.begin_pass(now);
            now
        });
        self.world.due[here] &= !MORE;
        if let Some(timer) = self.world.timers.take_due(here, pass) {
            self.serve(timer, now);
        }
        if self.world.timers.first(here).is_some_and(|at| at <= pass) {
            self.processors[here].pass = Some(pass);
            self.world.due[here] |= MORE;
        }
    }

    fn serve(&mut self, timer: Timer, now: Instant) {
        match timer {
            Timer::Wake(vcpu) => self.wake(vcpu),
            Timer::Physical(vcpu) => self.update_physical_timer(vcpu),
            Timer::Policy(pool, timer) => {
                let pool = taktos_schedule::vcpu::pool::Pool::new(pool as u8);
                self.pools.timer(pool, timer, now, &mut self.world);
            }
        }
    }
}

/// The earlier one of two instants, if there is any.
#[inline(always)]
fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
