//! A small world in virtual time for one VCPU policy, for integration tests.
//!
//! Owns: the clock, the events, the place of each unit and the time that it got.
//! Must never know: how a policy decides.
//!
//! Units have work: `give` adds some (and wakes the unit), and when it is done the
//! unit goes to sleep; `FOREVER` never ends. After every event the policy's
//! invariants are checked and the world's own: a unit is on one processor, not
//! before it is saved, and a processor that has been tickled schedules.

mod random;

pub use random::Random;

use std::collections::BTreeMap;
use taktos_schedule::vcpu::{Admission, Choice, Domain, Effects, Policy, Timer, Vcpu};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

/// Work without end.
pub const FOREVER: u64 = u64::MAX;

/// The costs of operations, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Costs {
    /// From a tickle to `schedule`.
    pub tickle: u64,
    /// From `schedule` to the next unit's first instruction, and to `context_saved`.
    pub switch: u64,
    /// The least time between the set time of a timer and the time at which it goes off.
    pub slop: u64,
}

/// An event; at one instant the events happen in the order of the variants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Event {
    /// A policy's timer; the number says which setting of it.
    Timer(Timer, u64),
    /// The unit gets so much more work.
    Give(Vcpu, u64),
    /// The unit is paused: its work is forgotten.
    Drop(Vcpu),
    Affinity(Vcpu, CpuSet, CpuSet),
    /// The processor's switch is over; the number says which.
    Switched(Cpu, u64),
    /// The unit's work is done, if it still runs as in that switch.
    Done(Cpu, u64),
    /// A tickle arrives.
    Tickled(Cpu),
    /// The forced re-schedule; the number says which setting.
    Until(Cpu, u64),
}

#[derive(Clone, Copy, Debug, Default)]
struct Processor {
    current: Option<Vcpu>,
    /// The unit that is being switched out until `Switched`.
    leaving: Option<Vcpu>,
    switching: bool,
    /// A schedule is due as soon as the switch is over.
    wanted: bool,
    ticket: u64,
    until: u64,
    /// Since when the current unit's execution has not been counted.
    since: u64,
    work: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Unit {
    /// The time that it still wants to execute.
    pub work: u64,
    /// The time that it has executed.
    pub served: u64,
    pub awake: bool,
    pub switches: u64,
    pub last: Option<Cpu>,
    pub migrations: u64,
}

/// A unit executed on a processor without a break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    pub from: u64,
    pub to: u64,
    pub cpu: usize,
    pub unit: usize,
    pub guaranteed: bool,
}

/// The requests of a policy in one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingEffects {
    pub tickles: Vec<Cpu>,
    pub timers: Vec<(Timer, Option<Instant>)>,
}

impl Effects for PendingEffects {
    fn tickle(&mut self, cpu: Cpu) {
        self.tickles.push(cpu);
    }
    fn arm(&mut self, timer: Timer, at: Option<Instant>) {
        self.timers.push((timer, at));
    }
}

/// The world of one policy.
pub struct World<P> {
    pub policy: P,
    pub now: u64,
    pub units: Vec<Unit>,
    pub costs: Costs,
    /// Every stretch of execution, kept when `Some`.
    pub trace: Option<Vec<Stretch>>,
    /// Returns whether a unit runs on its guarantee; called for each stretch.
    pub guaranteed: fn(&P, Vcpu) -> bool,
    pub events: u64,
    /// Whether invariants are checked after every event.
    pub checking: bool,
    processors: Vec<Processor>,
    queue: BTreeMap<(u64, u8, u64), Event>,
    sequence: u64,
    timers: BTreeMap<Timer, u64>,
}

/// Processor `index`.
pub fn cpu(index: usize) -> Cpu {
    Cpu::new(index).unwrap()
}

/// Unit `index`.
pub fn vcpu(index: usize) -> Vcpu {
    Vcpu::new(index as u16)
}

/// Returns the instant `nanos` nanoseconds after the start.
pub fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

/// Returns `count` milliseconds.
pub fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Milliseconds in nanoseconds.
pub const MS: u64 = 1_000_000;

impl<P: Policy> World<P> {
    /// `policy` with processors 0 to `cpus` − 1 and units 0 to `units` − 1, each of a
    /// domain of its own and free to run anywhere, asleep.
    pub fn new(policy: P, cpus: usize, units: usize, costs: Costs) -> Self {
        let mut world = Self::empty(policy, cpus, units, costs);
        for index in 0..cpus {
            world.add_cpu(index);
        }
        for index in 0..units {
            let admission = Admission::anywhere(Domain::new(index as u16));
            world.insert(index, admission);
        }
        world
    }

    /// Returns a world as [`World::new`] does, with nothing in the pool yet.
    pub fn empty(policy: P, cpus: usize, units: usize, costs: Costs) -> Self {
        Self {
            policy,
            now: 0,
            units: vec![Unit::default(); units],
            costs,
            trace: None,
            guaranteed: |_, _| true,
            events: 0,
            checking: true,
            processors: vec![Processor::default(); cpus],
            queue: BTreeMap::new(),
            sequence: 0,
            timers: BTreeMap::new(),
        }
    }

    pub fn add_cpu(&mut self, index: usize) {
        self.call(|p, now, fx| p.add_cpu(cpu(index), now, fx).unwrap());
    }

    pub fn insert(&mut self, index: usize, admission: Admission) {
        self.call(|p, now, fx| p.insert(vcpu(index), admission, now, fx).unwrap());
    }

    /// Calls the policy and carries out its requests.
    pub fn call<R>(&mut self, f: impl FnOnce(&mut P, Instant, &mut PendingEffects) -> R) -> R {
        let mut wishes = PendingEffects::default();
        let result = f(&mut self.policy, at(self.now), &mut wishes);
        for cpu in wishes.tickles {
            self.push(self.now + self.costs.tickle, Event::Tickled(cpu));
        }
        for (timer, instant) in wishes.timers {
            let ticket = self.timers.entry(timer).or_default();
            *ticket += 1;
            let ticket = *ticket;
            if let Some(instant) = instant {
                let when = instant.as_nanos().max(self.now + self.costs.slop);
                self.push(when, Event::Timer(timer, ticket));
            }
        }
        result
    }

    /// Gives unit `index` more work at `when`, which wakes it.
    pub fn give(&mut self, when: u64, index: usize, work: u64) {
        self.push(when, Event::Give(vcpu(index), work));
    }

    /// Pauses unit `index` at `when`; its work is forgotten.
    pub fn stop(&mut self, when: u64, index: usize) {
        self.push(when, Event::Drop(vcpu(index)));
    }

    /// Changes the affinity of unit `index` at `when`.
    pub fn confine(&mut self, when: u64, index: usize, hard: CpuSet) {
        self.push(when, Event::Affinity(vcpu(index), hard, CpuSet::ALL));
    }

    /// The hypervisor has work of its own on processor `index`, or has it no more.
    pub fn work(&mut self, index: usize, work: bool) {
        self.processors[index].work = work;
        self.push(self.now, Event::Tickled(cpu(index)));
    }

    /// Returns the unit that runs on processor `index`.
    pub fn running(&self, index: usize) -> Option<usize> {
        self.processors[index].current.map(Vcpu::index)
    }

    /// Whether processor `index` does nothing and has nothing to save.
    pub fn is_free(&self, index: usize) -> bool {
        let processor = &self.processors[index];
        processor.current.is_none() && !processor.switching
    }

    /// Whether unit `index` is on no processor and saved.
    pub fn is_off(&self, index: usize) -> bool {
        let unit = Some(vcpu(index));
        !self
            .processors
            .iter()
            .any(|p| p.current == unit || p.leaving == unit)
    }

    /// Returns the time that unit `index` has executed up to now.
    pub fn served(&self, index: usize) -> u64 {
        let running = self
            .processors
            .iter()
            .find(|p| p.current == Some(vcpu(index)));
        let open = running.map_or(0, |p| self.now.saturating_sub(p.since));
        self.units[index].served + open
    }

    /// When unit `index` executed up to now, in microseconds: from, to; stretches
    /// that meet are one. Needs the trace.
    pub fn executed(&mut self, index: usize) -> Vec<(u64, u64)> {
        (0..self.processors.len()).for_each(|index| self.count(cpu(index)));
        let mut spans: Vec<(u64, u64)> = Vec::new();
        let trace = self.trace.iter().flatten();
        for stretch in trace.filter(|stretch| stretch.unit == index) {
            let (from, to) = (stretch.from / 1_000, stretch.to / 1_000);
            match spans.last_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => spans.push((from, to)),
            }
        }
        spans
    }

    /// Lets everything happen up to and at `end`.
    pub fn run_until(&mut self, end: u64) {
        while self.next_at().is_some_and(|when| when <= end) {
            self.step();
        }
        self.now = end;
    }

    /// When something happens next.
    pub fn next_at(&self) -> Option<u64> {
        self.queue.first_key_value().map(|(key, _)| key.0)
    }

    /// One event.
    pub fn step(&mut self) {
        let Some(((when, ..), event)) = self.queue.pop_first() else {
            return;
        };
        assert!(when >= self.now, "time goes back");
        self.now = when;
        self.events += 1;
        self.happen(event);
        if self.checking {
            self.check();
        }
    }

    /// Checks the policy's invariants and the world's.
    pub fn check(&self) {
        if let Err(violation) = self.policy.check_invariants() {
            panic!("at {} ns: {violation}\n{:?}", self.now, self.processors);
        }
        for (index, processor) in self.processors.iter().enumerate() {
            let theirs = self.policy.current(cpu(index));
            assert_eq!(theirs, processor.current, "processor {index}");
        }
    }

    fn push(&mut self, when: u64, event: Event) {
        let class = match event {
            Event::Timer(..) => 0,
            Event::Give(..) | Event::Drop(_) | Event::Affinity(..) => 1,
            Event::Switched(..) => 2,
            Event::Done(..) => 3,
            Event::Tickled(_) | Event::Until(..) => 4,
        };
        self.sequence += 1;
        self.queue.insert((when, class, self.sequence), event);
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Timer(timer, ticket) => {
                if self.timers.get(&timer) == Some(&ticket) {
                    // Time that was executed before the timer belongs to the state before it.
                    (0..self.processors.len()).for_each(|index| self.count(cpu(index)));
                    self.call(|p, now, fx| p.timer(timer, now, fx));
                }
            }
            Event::Give(vcpu, work) => self.more_work(vcpu, work),
            Event::Drop(vcpu) => self.no_work(vcpu),
            Event::Affinity(vcpu, hard, soft) => {
                self.call(|p, now, fx| p.set_affinity(vcpu, hard, soft, now, fx))
                    .unwrap();
            }
            Event::Switched(cpu, ticket) => self.switched(cpu, ticket),
            Event::Done(cpu, ticket) => {
                let processor = &self.processors[cpu.index()];
                if processor.ticket == ticket && !processor.switching {
                    self.count(cpu);
                    self.finish(cpu);
                }
            }
            Event::Tickled(cpu) => self.schedule(cpu),
            Event::Until(cpu, ticket) => {
                if self.processors[cpu.index()].until == ticket {
                    self.schedule(cpu);
                }
            }
        }
    }

    fn more_work(&mut self, vcpu: Vcpu, work: u64) {
        if let Some(index) = self.executing(vcpu) {
            self.count(cpu(index));
        }
        let unit = &mut self.units[vcpu.index()];
        unit.work = unit.work.saturating_add(work);
        if !unit.awake {
            unit.awake = true;
            self.call(|p, now, fx| p.wake(vcpu, now, fx));
        }
        if let Some(index) = self.executing(vcpu) {
            self.expect_end(cpu(index));
        }
    }

    fn no_work(&mut self, vcpu: Vcpu) {
        if let Some(index) = self.executing(vcpu) {
            self.count(cpu(index));
        }
        self.units[vcpu.index()].work = 0;
        self.fall_asleep(vcpu);
    }

    fn fall_asleep(&mut self, vcpu: Vcpu) {
        let unit = &mut self.units[vcpu.index()];
        if unit.awake {
            unit.awake = false;
            self.call(|p, now, fx| p.sleep(vcpu, now, fx));
        }
    }

    fn executing(&self, vcpu: Vcpu) -> Option<usize> {
        self.processors
            .iter()
            .position(|p| p.current == Some(vcpu) && !p.switching)
    }

    /// Counts what the current unit of `cpu` has executed.
    fn count(&mut self, cpu: Cpu) {
        let processor = &mut self.processors[cpu.index()];
        let (Some(vcpu), false) = (processor.current, processor.switching) else {
            return;
        };
        let (from, to) = (processor.since, self.now);
        processor.since = to;
        let unit = &mut self.units[vcpu.index()];
        unit.served += to - from;
        if unit.work != FOREVER {
            unit.work -= (to - from).min(unit.work);
        }
        let guaranteed = (self.guaranteed)(&self.policy, vcpu);
        if let Some(trace) = self.trace.as_mut().filter(|_| to > from) {
            trace.push(Stretch {
                from,
                to,
                cpu: cpu.index(),
                unit: vcpu.index(),
                guaranteed,
            });
        }
    }

    /// Sends the current unit of `cpu` to sleep if its work is done.
    fn finish(&mut self, cpu: Cpu) {
        let Some(vcpu) = self.processors[cpu.index()].current else {
            return;
        };
        if self.units[vcpu.index()].work == 0 {
            self.fall_asleep(vcpu);
        }
    }

    fn expect_end(&mut self, cpu: Cpu) {
        let processor = &mut self.processors[cpu.index()];
        processor.ticket += 1;
        let ticket = processor.ticket;
        let Some(vcpu) = processor.current else {
            return;
        };
        let unit = &self.units[vcpu.index()];
        if unit.work != FOREVER && unit.awake {
            self.push(self.now + unit.work, Event::Done(cpu, ticket));
        }
    }

    fn schedule(&mut self, cpu: Cpu) {
        if self.processors[cpu.index()].switching {
            self.processors[cpu.index()].wanted = true;
            return;
        }
        self.count(cpu);
        self.finish(cpu);
        let work = self.processors[cpu.index()].work;
        let Choice { next, until } = self.call(|p, now, fx| p.schedule(cpu, now, work, fx));
        self.set_until(cpu, until);
        let before = self.processors[cpu.index()].current;
        if next != before {
            self.switch(cpu, before, next);
        }
    }

    fn set_until(&mut self, cpu: Cpu, until: Option<Instant>) {
        let processor = &mut self.processors[cpu.index()];
        processor.until += 1;
        let ticket = processor.until;
        if let Some(until) = until {
            let when = until.as_nanos().max(self.now + self.costs.slop);
            self.push(when, Event::Until(cpu, ticket));
        }
    }

    fn switch(&mut self, cpu: Cpu, before: Option<Vcpu>, next: Option<Vcpu>) {
        if let Some(vcpu) = next {
            assert!(self.is_off(vcpu.index()), "{vcpu:?} is still elsewhere");
            let unit = &mut self.units[vcpu.index()];
            assert!(unit.awake, "{vcpu:?} is asleep");
            unit.switches += 1;
            unit.migrations += u64::from(unit.last.is_some_and(|last| last != cpu));
            unit.last = Some(cpu);
        }
        let processor = &mut self.processors[cpu.index()];
        processor.current = next;
        processor.leaving = before;
        processor.switching = true;
        processor.ticket += 1;
        let ticket = processor.ticket;
        self.push(self.now + self.costs.switch, Event::Switched(cpu, ticket));
    }

    fn switched(&mut self, cpu: Cpu, ticket: u64) {
        let processor = &mut self.processors[cpu.index()];
        assert_eq!(processor.ticket, ticket, "a switch was overtaken");
        processor.switching = false;
        processor.since = self.now;
        if let Some(vcpu) = processor.leaving.take() {
            self.call(|p, now, fx| p.context_saved(cpu, vcpu, now, fx));
        }
        self.expect_end(cpu);
        if std::mem::take(&mut self.processors[cpu.index()].wanted) {
            self.schedule(cpu);
        }
    }
}
