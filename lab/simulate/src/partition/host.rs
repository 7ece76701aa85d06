//! Owns: the hypervisor's level: time, its processors, and which guests execute.
//! Must never know: how the pools' schedulers decide, or what happens in a guest.

use taktos_schedule::vcpu::admission::Demand;
use taktos_schedule::vcpu::pool::AnyPolicy;
use taktos_schedule::vcpu::{Choice, Effects, Policy, Timer, Vcpu};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

use super::attack::{Act, Campaign};
use super::meter::Meter;
use super::processor::{Processor, Use};
use super::{
    HostObserver, Machine, MachineOutcome, PartitionError, PartitionOutcome, PoolOutcome,
    VcpuStatistics, build,
};
use crate::engine::draw::{Draw, Row};
use crate::engine::tournament::NEVER;
use crate::{Costs, Engine, Observer, SimError, Workload};

/// A virtual processor.
struct Unit {
    partition: usize,
    /// Its number in its guest.
    place: Cpu,
    pool: usize,
    awake: bool,
    /// Where its guest executes it.
    on: Option<usize>,
    /// Since when that is not counted.
    since: u64,
    /// Since when it has something to do.
    woken: u64,
    /// It has woken and not executed since.
    fresh: bool,
    last: Option<usize>,
    statistics: VcpuStatistics,
    meter: Option<Meter>,
}

/// A scheduler's timer that is to go off.
struct Armed {
    pool: usize,
    timer: Timer,
    at: u64,
    /// The processor that set its own hardware timer for it: it goes off there.
    on: Option<Cpu>,
}

/// Requests of the schedulers, and the costs of their operations.
struct PendingEffects {
    now: u64,
    /// The processor that executes the hypervisor's code: a tickle of itself takes no time.
    acting: Option<Cpu>,
    tickles: Vec<(Cpu, u64)>,
    timers: Vec<Armed>,
    slop: u64,
    ipi: Draw,
    ipis: u64,
    exit: Draw,
    exits: u64,
    seed: u64,
}

impl PendingEffects {
    /// How much later a processor notices something, because of an exit.
    fn late(&mut self) -> u64 {
        self.exits += 1;
        self.exit.at(self.seed, self.exits)
    }
}

/// The requests of one pool's scheduler.
struct OfPool<'w> {
    pool: usize,
    wishes: &'w mut PendingEffects,
}

impl Effects for OfPool<'_> {
    fn tickle(&mut self, cpu: Cpu) {
        let wishes = &mut *self.wishes;
        let mut at = wishes.now;
        if wishes.acting.is_some_and(|acting| acting != cpu) {
            at += wishes.ipi.at(wishes.seed, wishes.ipis) + wishes.late();
            wishes.ipis += 1;
        }
        wishes.tickles.push((cpu, at));
    }

    fn arm(&mut self, timer: Timer, at: Option<Instant>) {
        let wishes = &mut *self.wishes;
        let own = (self.pool, timer);
        wishes
            .timers
            .retain(|armed| (armed.pool, armed.timer) != own);
        if let Some(at) = at {
            let at = at.as_nanos().max(wishes.now + wishes.slop) + wishes.late();
            wishes.timers.push(Armed {
                pool: self.pool,
                timer,
                at,
                on: wishes.acting,
            });
        }
    }
}

/// A machine with its pools and its guests.
pub(super) struct Host<'r, O, H> {
    machine: &'r Machine,
    guests: Vec<Engine<'r, O>>,
    /// For each guest, its virtual processors.
    spans: Vec<core::ops::Range<usize>>,
    /// For each guest, when the host must query its requests although it has no event.
    polls: Vec<u64>,
    /// For each guest, until when it is stopped.
    stopped: Vec<u64>,
    campaigns: Vec<Campaign>,
    policies: Vec<AnyPolicy<'r>>,
    units: Vec<Unit>,
    processors: Vec<Option<Processor>>,
    wishes: PendingEffects,
    costs: [Draw; 3],
    drawn: [u64; 3],
    now: u64,
    events: u64,
    observer: &'r mut H,
    workload: &'r Workload,
}

const SCHEDULE: usize = 0;
const SWITCH: usize = 1;
const MIGRATION: usize = 2;

fn instant(at: u64) -> Instant {
    Instant::from_nanos(at)
}

impl<'r, O: Observer, H: HostObserver> Host<'r, O, H> {
    pub fn new(
        workload: &'r Workload,
        machine: &'r Machine,
        guests: Vec<Engine<'r, O>>,
        policies: Vec<AnyPolicy<'r>>,
        observer: &'r mut H,
    ) -> Result<Self, PartitionError> {
        let count = build::vcpus(workload) as u32;
        let Costs {
            schedule,
            switch,
            ipi,
            migration,
            ..
        } = &machine.host;
        let draw = |cost, kind| Draw::cost(cost, count, Row::cost(kind));
        let mut host = Self {
            machine,
            spans: (0..guests.len())
                .map(|index| span(workload, index))
                .collect(),
            polls: vec![NEVER; guests.len()],
            stopped: vec![0; guests.len()],
            campaigns: campaigns(machine),
            guests,
            policies,
            units: Vec::new(),
            processors: vec![None; Cpu::COUNT],
            wishes: PendingEffects {
                now: machine.begin.as_nanos(),
                acting: None,
                tickles: Vec::new(),
                timers: Vec::new(),
                slop: machine.timer_slop.as_nanos(),
                ipi: draw(ipi, 3),
                ipis: 0,
                exit: draw(&machine.exit, 4),
                exits: 0,
                seed: machine.seed,
            },
            costs: [draw(schedule, 0), draw(switch, 1), draw(migration, 2)],
            drawn: [0; 3],
            now: machine.begin.as_nanos(),
            events: 0,
            observer,
            workload,
        };
        for (pool, spec) in workload.pools.iter().enumerate() {
            for cpu in spec.cpus {
                let processor = Processor::new(cpu.index() as u8, pool);
                host.processors[cpu.index()] = Some(processor);
            }
            let mut fx = OfPool {
                pool,
                wishes: &mut host.wishes,
            };
            build::admit(
                workload,
                pool,
                &mut host.policies[pool],
                machine.begin,
                &mut fx,
            )?;
        }
        host.take_tickles();
        host.make_units(workload)?;
        Ok(host)
    }

    /// All virtual processors, asleep.
    fn make_units(&mut self, workload: &Workload) -> Result<(), PartitionError> {
        for (partition, spec) in workload.partitions.iter().enumerate() {
            let pool = build::pool_of(workload, partition)?;
            let places = CpuSet::first(spec.vcpus.len());
            for (vcpu, place) in spec.vcpus.iter().zip(places) {
                self.guests[partition].hold(place);
                let index = self.units.len();
                self.units.push(Unit {
                    partition,
                    place,
                    pool,
                    awake: false,
                    on: None,
                    since: 0,
                    woken: 0,
                    fresh: false,
                    last: None,
                    statistics: VcpuStatistics::default(),
                    meter: meter(&self.policies[pool], build::unit(index), vcpu),
                });
            }
        }
        Ok(())
    }

    /// Handles all events before the horizon.
    pub fn run(&mut self) -> Result<(), PartitionError> {
        let horizon = self.machine.horizon.as_nanos();
        for guest in 0..self.guests.len() {
            self.sync(guest)?;
        }
        loop {
            let next = self.next();
            if next >= horizon {
                break;
            }
            self.now = self.now.max(next);
            self.wishes.now = self.now;
            self.step()?;
            if self.machine.checked {
                self.check()?;
            }
        }
        for guest in 0..self.guests.len() {
            let advanced = self.guests[guest].advance(horizon);
            advanced.map_err(|error| self.in_guest(guest, error))?;
        }
        Ok(())
    }

    /// When something happens next.
    fn next(&self) -> u64 {
        let timers = self.wishes.timers.iter().map(|armed| armed.at);
        let guests = self.guests.iter().filter_map(Engine::next_event);
        let processors = self.processors.iter().flatten().map(Processor::next);
        let attacks = self.campaigns.iter().map(|campaign| campaign.next);
        let all = timers.chain(guests).chain(processors).chain(attacks);
        all.chain(self.polls.iter().copied()).min().unwrap_or(NEVER)
    }

    /// All that happens now, once: what follows from it at the same instant comes next.
    fn step(&mut self) -> Result<(), PartitionError> {
        self.go_off()?;
        for guest in 0..self.guests.len() {
            let event = self.guests[guest].next_event();
            if event.is_some_and(|at| at <= self.now) || self.polls[guest] <= self.now {
                self.events += 1;
                self.sync(guest)?;
            }
        }
        for index in 0..self.campaigns.len() {
            if self.campaigns[index].next <= self.now {
                self.events += 1;
                self.attack(index)?;
            }
        }
        for index in 0..self.processors.len() {
            let due = |p: &Processor| p.busy_until <= self.now;
            if self.processors[index].as_ref().is_some_and(due) {
                self.events += 1;
                self.complete(index)?;
            }
        }
        for index in 0..self.processors.len() {
            self.choose(index)?;
        }
        Ok(())
    }

    /// The schedulers' timers that are due go off, on the lowest processor first, and there in
    /// the order in which they were armed; each processor chooses before the next one acts.
    fn go_off(&mut self) -> Result<(), PartitionError> {
        let now = self.now;
        let mut due: Vec<(Option<Cpu>, usize, Timer)> = Vec::new();
        let policies = &self.policies;
        self.wishes.timers.retain(|armed| {
            if armed.at <= now {
                let on = armed.on.or_else(|| policies[armed.pool].cpus().lowest());
                due.push((on, armed.pool, armed.timer));
            }
            armed.at > now
        });
        due.sort_by_key(|(on, ..)| *on);
        for (place, &(on, pool, timer)) in due.iter().enumerate() {
            self.events += 1;
            self.ask(pool, on, |policy, now, fx| policy.timer(timer, now, fx));
            let last = due.get(place + 1).is_none_or(|(next, ..)| *next != on);
            if let Some(cpu) = on.filter(|_| last) {
                self.choose(cpu.index())?;
            }
        }
        Ok(())
    }

    /// The processor chooses, if it has to now and is not at it.
    fn choose(&mut self, index: usize) -> Result<(), PartitionError> {
        let due = |p: &Processor| p.busy_until == NEVER && p.next() <= self.now;
        if self.processors[index].as_ref().is_some_and(due) {
            self.events += 1;
            self.schedule(index)?;
        }
        Ok(())
    }

    /// A hostile guest does what it does.
    fn attack(&mut self, index: usize) -> Result<(), PartitionError> {
        let campaign = &mut self.campaigns[index];
        campaign.pass(self.machine.seed);
        let (guest, act) = (campaign.partition, campaign.act);
        self.sync(guest)?;
        match act {
            Act::Yield => self.yield_all(guest),
            Act::Restart { away } => {
                self.stopped[guest] = self.now + away.as_nanos();
                self.review(guest);
            }
        }
        Ok(())
    }

    fn yield_all(&mut self, guest: usize) {
        for index in self.spans[guest].clone() {
            let unit = &self.units[index];
            let Some(on) = unit.on.filter(|_| unit.awake) else {
                continue;
            };
            let (pool, vcpu) = (unit.pool, build::unit(index));
            self.ask(pool, Cpu::new(on), |policy, now, fx| {
                policy.yield_now(vcpu, now, fx);
            });
        }
    }

    /// Calls the scheduler of `pool`, while `acting` executes the hypervisor.
    fn ask<R>(
        &mut self,
        pool: usize,
        acting: Option<Cpu>,
        call: impl FnOnce(&mut AnyPolicy<'r>, Instant, &mut OfPool<'_>) -> R,
    ) -> R {
        self.wishes.acting = acting;
        let mut fx = OfPool {
            pool,
            wishes: &mut self.wishes,
        };
        let result = call(&mut self.policies[pool], instant(self.now), &mut fx);
        self.take_tickles();
        // A processor in the hypervisor sees a tickle that is on its way to it.
        let here = acting.and_then(|cpu| self.processors[cpu.index()].as_mut());
        if let Some(processor) = here.filter(|processor| processor.tickle != NEVER) {
            processor.tickle = processor.tickle.min(self.now);
        }
        result
    }

    fn take_tickles(&mut self) {
        for (cpu, at) in self.wishes.tickles.drain(..) {
            if let Some(processor) = &mut self.processors[cpu.index()] {
                processor.tickle = processor.tickle.min(at);
            }
        }
    }

    /// Brings `guest` up to now, and wakes and puts to sleep its virtual processors.
    fn sync(&mut self, guest: usize) -> Result<(), PartitionError> {
        let advanced = self.guests[guest].advance_through(self.now);
        advanced.map_err(|error| self.in_guest(guest, error))?;
        self.review(guest);
        Ok(())
    }

    /// Wakes each virtual processor with something to do, and puts to sleep each that executes and
    /// has nothing to do. (One that is held cannot see that there is nothing to do.) If the guest
    /// is stopped, puts all to sleep.
    fn review(&mut self, guest: usize) {
        let stopped = self.now < self.stopped[guest];
        self.polls[guest] = match stopped {
            true => self.stopped[guest],
            false => NEVER,
        };
        for index in self.spans[guest].clone() {
            let unit = &self.units[index];
            let engine = &self.guests[guest];
            let wants = engine.wants_to_run(unit.place) && !stopped;
            if wants && !unit.awake {
                self.wake(index);
            } else if !wants && unit.awake && (stopped || unit.on.is_some()) {
                self.sleep(index);
            } else if let Some(at) = engine.kernel_until(unit.place) {
                self.polls[guest] = self.polls[guest].min(at);
            }
        }
    }

    fn wake(&mut self, index: usize) {
        let now = self.now;
        let unit = &mut self.units[index];
        unit.awake = true;
        unit.fresh = unit.on.is_none();
        unit.woken = now;
        unit.statistics.wakes += 1;
        // Its interrupt arrives where it was last.
        let (pool, acting) = (unit.pool, unit.last.and_then(Cpu::new));
        let vcpu = build::unit(index);
        self.ask(pool, acting, |policy, now, fx| policy.wake(vcpu, now, fx));
        let end = period_end(&self.policies[pool], vcpu);
        let unit = &mut self.units[index];
        if let Some(meter) = &mut unit.meter {
            let period = meter.periods.period;
            meter.wake(now, end.unwrap_or((now / period + 1) * period));
        }
        let name = (unit.partition, unit.place.index());
        self.observer.wants(instant(now), name, true);
    }

    fn sleep(&mut self, index: usize) {
        self.count(index);
        let now = self.now;
        let unit = &mut self.units[index];
        unit.awake = false;
        unit.fresh = false;
        unit.statistics.wanted += now - unit.woken;
        if let Some(meter) = &mut unit.meter {
            meter.sleep(now);
        }
        let name = (unit.partition, unit.place.index());
        let (pool, acting) = (unit.pool, unit.on.and_then(Cpu::new));
        let vcpu = build::unit(index);
        self.ask(pool, acting, |policy, now, fx| policy.sleep(vcpu, now, fx));
        self.observer.wants(instant(now), name, false);
    }

    /// Counts what a virtual processor has executed up to now.
    fn count(&mut self, index: usize) {
        let now = self.now;
        let unit = &mut self.units[index];
        if unit.on.is_none() {
            return;
        }
        unit.statistics.received += now - unit.since;
        if let Some(meter) = &mut unit.meter {
            meter.executed(unit.since, now);
        }
        unit.since = now;
    }

    /// The processor decides, and begins to switch.
    fn schedule(&mut self, index: usize) -> Result<(), PartitionError> {
        let Some(before) = self.processors[index].as_ref().map(|p| p.current) else {
            return Ok(());
        };
        if let Some(unit) = before {
            self.sync(self.units[unit].partition)?;
        }
        let Some(processor) = &mut self.processors[index] else {
            return Ok(());
        };
        (processor.tickle, processor.until) = (NEVER, NEVER);
        processor.statistics.decisions += 1;
        let pool = processor.pool;
        let Some(cpu) = Cpu::new(index) else {
            return Ok(());
        };
        let Choice { next, until } = self.ask(pool, Some(cpu), |policy, now, fx| {
            policy.schedule(cpu, now, false, fx)
        });
        let next = next.map(Vcpu::index);
        let cost = self.cost_of(index, before, next);
        let earliest = self.now + self.wishes.slop;
        let late = self.wishes.late();
        if let Some(processor) = &mut self.processors[index] {
            processor.until = until.map_or(NEVER, |at| at.as_nanos().max(earliest) + late);
            if next == before && cost == 0 {
                return Ok(());
            }
            processor.current = next;
            processor.leaving = before.filter(|_| next != before);
            processor.entered = self.now;
            processor.busy_until = self.now + cost;
            processor.switched = next != before;
            processor.statistics.switches += u64::from(next != before);
            processor.begin(Use::Hypervisor, self.now);
        }
        if let Some(unit) = before {
            self.take_off(unit);
        }
        match cost {
            0 => self.complete(index),
            _ => Ok(()),
        }
    }

    /// Returns the cost of a decision, with the switch that follows from it.
    fn cost_of(&mut self, index: usize, before: Option<usize>, next: Option<usize>) -> u64 {
        let mut cost = self.draw(SCHEDULE);
        if next != before {
            cost += self.draw(SWITCH);
            let last = next.and_then(|unit| self.units[unit].last);
            if last.is_some_and(|last| last != index) {
                cost += self.draw(MIGRATION);
            }
        }
        cost
    }

    fn draw(&mut self, kind: usize) -> u64 {
        let place = self.drawn[kind];
        self.drawn[kind] += 1;
        self.costs[kind].at(self.machine.seed, place)
    }

    /// The guest of a virtual processor does not execute it any more.
    fn take_off(&mut self, index: usize) {
        self.count(index);
        let unit = &mut self.units[index];
        unit.on = None;
        self.guests[unit.partition].hold(unit.place);
    }

    /// The decision and the switch of a processor are over.
    fn complete(&mut self, index: usize) -> Result<(), PartitionError> {
        let (Some(cpu), Some(processor)) = (Cpu::new(index), &mut self.processors[index]) else {
            return Ok(());
        };
        let overhead = self.now - processor.entered;
        processor.busy_until = NEVER;
        let doing = match processor.current {
            Some(_) => Use::Guest,
            None => Use::Idle,
        };
        processor.begin(doing, self.now);
        let (pool, current, switched) = (processor.pool, processor.current, processor.switched);
        let leaving = processor.leaving.take();
        if let Some(unit) = leaving {
            let vcpu = build::unit(unit);
            self.ask(pool, Some(cpu), |policy, now, fx| {
                policy.context_saved(cpu, vcpu, now, fx);
            });
        }
        let name = current.map(|unit| {
            let unit = &self.units[unit];
            (unit.partition, unit.place.index())
        });
        let overhead = Duration::from_nanos(overhead);
        self.observer.run(instant(self.now), cpu, name, overhead);
        match current {
            Some(unit) => self.put_on(unit, index, switched),
            None => Ok(()),
        }
    }

    /// The guest of a virtual processor executes it from now on.
    fn put_on(
        &mut self,
        index: usize,
        processor: usize,
        switched: bool,
    ) -> Result<(), PartitionError> {
        let now = self.now;
        let partition = self.units[index].partition;
        self.sync(partition)?;
        let unit = &mut self.units[index];
        unit.on = Some(processor);
        unit.since = now;
        let statistics = &mut unit.statistics;
        statistics.switches += u64::from(switched);
        let elsewhere = unit.last.is_some_and(|last| last != processor);
        statistics.migrations += u64::from(elsewhere);
        unit.last = Some(processor);
        if core::mem::take(&mut unit.fresh) {
            statistics.latency.add(now - unit.woken);
        }
        self.guests[partition].let_go(unit.place);
        self.review(partition);
        Ok(())
    }

    fn check(&mut self) -> Result<(), PartitionError> {
        for (pool, policy) in self.policies.iter().enumerate() {
            if let Err(violation) = policy.check_invariants() {
                return Err(PartitionError::Broken {
                    at: self.now,
                    pool: self.workload.pools[pool].name.clone(),
                    violation,
                });
            }
        }
        for (guest, engine) in self.guests.iter_mut().enumerate() {
            let checked = engine.check_laws();
            checked.map_err(|error| build::in_partition(self.workload, guest, error))?;
        }
        Ok(())
    }

    fn in_guest(&self, guest: usize, error: SimError) -> PartitionError {
        build::in_partition(self.workload, guest, error)
    }

    /// Closes the accounts at the horizon.
    pub fn finish(mut self) -> MachineOutcome {
        let workload = self.workload;
        let horizon = self.machine.horizon.as_nanos();
        self.now = horizon;
        for index in 0..self.units.len() {
            self.count(index);
            let unit = &mut self.units[index];
            if unit.awake {
                unit.statistics.wanted += horizon - unit.woken;
            }
            if let Some(meter) = &mut unit.meter {
                meter.sleep(horizon);
                unit.statistics.periods = Some(meter.periods);
            }
        }
        let cpus = self.processors.iter_mut().flatten().map(|processor| {
            processor.begin(Use::Idle, horizon);
            processor.statistics
        });
        let cpus = cpus.collect();
        let pools = workload.pools.iter().zip(&self.policies);
        let pools = pools.map(|(pool, policy)| PoolOutcome {
            name: pool.name.clone(),
            scheduler: policy.name(),
            admitted: admitted(policy),
            waiting: waiting(workload, policy),
        });
        let pools = pools.collect();
        let units = &self.units;
        let mut events = self.events;
        let parts = self.guests.into_iter().zip(&self.spans);
        let partitions = workload.partitions.iter().zip(parts);
        let partitions = partitions.map(|(spec, (engine, span))| {
            let guest = engine.finish();
            events += guest.events;
            PartitionOutcome {
                name: spec.name.clone(),
                guest,
                vcpus: units[span.clone()].iter().map(|u| u.statistics).collect(),
            }
        });
        MachineOutcome {
            partitions: partitions.collect(),
            cpus,
            pools,
            virtual_time: horizon,
            events,
        }
    }
}

fn campaigns(machine: &Machine) -> Vec<Campaign> {
    let attacks = machine.attacks.iter().enumerate();
    attacks
        .map(|(index, attack)| Campaign::new(index, attack, machine.seed))
        .collect()
}

fn span(workload: &Workload, partition: usize) -> core::ops::Range<usize> {
    let first = build::first_vcpu(workload, partition);
    first..first + workload.partitions[partition].vcpus.len()
}

/// Returns the meter of a virtual processor, for the budget and period of its server or for the
/// periods that the workload gives it.
fn meter(policy: &AnyPolicy, vcpu: Vcpu, spec: &crate::VcpuSpec) -> Option<Meter> {
    let (budget, period) = match policy {
        AnyPolicy::Rtds(rtds) => {
            let server = rtds.parameters(vcpu)?;
            (server.budget, server.period)
        }
        AnyPolicy::Sedf(sedf) => sedf.slice(vcpu)?,
        _ => (spec.budget.unwrap_or(Duration::ZERO), spec.period?),
    };
    Some(Meter::new(period, budget))
}

/// When the present period of a server ends.
fn period_end(policy: &AnyPolicy, vcpu: Vcpu) -> Option<u64> {
    let end = match policy {
        AnyPolicy::Rtds(rtds) => rtds.deadline(vcpu),
        AnyPolicy::Sedf(sedf) => sedf.deadline(vcpu),
        _ => None,
    };
    end.map(Instant::as_nanos)
}

/// The virtual processors of a NULL pool for which no processor is left.
fn waiting(workload: &Workload, policy: &AnyPolicy) -> Vec<(String, usize)> {
    let mut all = Vec::new();
    if let AnyPolicy::Null(null) = policy {
        null.for_each_waiting(|vcpu| {
            let mut spans = (0..workload.partitions.len())
                .map(|partition| (partition, span(workload, partition)));
            if let Some((partition, span)) = spans.find(|(_, span)| span.contains(&vcpu.index())) {
                all.push((
                    workload.partitions[partition].name.clone(),
                    vcpu.index() - span.start,
                ));
            }
        });
    }
    all
}

/// Returns the result of a pool's analysis.
fn admitted(policy: &AnyPolicy) -> Option<Result<(), taktos_schedule::vcpu::Error>> {
    match policy {
        AnyPolicy::Rtds(rtds) => Some(rtds.check_admission(Demand::Interference)),
        AnyPolicy::Sedf(sedf) => Some(sedf.check_admission()),
        _ => None,
    }
}
