//! CREDIT2 in virtual time: stress tests against a model that sorts at every event.

use crate::random_run::{RandomRun, blow, plain, watched};
use crate::world::{Random, World, cpu, vcpu};
use taktos_schedule::vcpu::credit2::{
    CREDIT_CEILING, CREDIT_FLOOR, CREDIT_IDLE, Credit2, DomainRecord, Grouping,
    MIGRATION_RESISTANCE, Memory, Parameters, Processor, RunQueue, Scope, Unit,
};
use taktos_schedule::vcpu::{
    Admission, Choice, Domain, Effects, Error, Place, Policy, Profile, Timer, Vcpu, Violation,
    allowed,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

/// The tables of a pool.
struct Tables {
    units: Vec<Unit>,
    domains: Vec<DomainRecord>,
    processors: Vec<Processor>,
    queues: Vec<RunQueue>,
}

impl Tables {
    fn new(cpus: usize, units: usize) -> Self {
        Self {
            units: vec![Unit::EMPTY; units],
            domains: vec![DomainRecord::EMPTY; units],
            processors: vec![Processor::EMPTY; cpus],
            queues: vec![RunQueue::EMPTY; cpus],
        }
    }

    fn policy(
        &mut self,
        topology: &[Place],
        grouping: Grouping,
        parameters: Parameters,
    ) -> Credit2<'_> {
        let memory = Memory {
            units: &mut self.units,
            domains: &mut self.domains,
            processors: &mut self.processors,
            queues: &mut self.queues,
        };
        Credit2::new(memory, topology, grouping, parameters)
    }
}

/// The model's facts about a unit.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    awake: bool,
    yielding: bool,
    hard: CpuSet,
    soft: CpuSet,
    started: Option<Instant>,
}

/// CREDIT2 and a naive onlooker next to it, which sorts the units that wait at every event, and
/// tries all of them in that order for every choice.
struct Sorted<'a> {
    inner: Credit2<'a>,
    units: Vec<Known>,
    cpus: usize,
    /// Whether caps are in play: the onlooker cannot know which units they let run.
    capped: bool,
}

impl<'a> Sorted<'a> {
    fn new(inner: Credit2<'a>, cpus: usize, units: usize, capped: bool) -> Self {
        Self {
            inner,
            units: vec![Known::default(); units],
            cpus,
            capped,
        }
    }

    fn queues(&self) -> Vec<Vec<usize>> {
        let queue = |on| self.inner.queue(cpu(on)).map(Vcpu::index).collect();
        (0..self.cpus).map(queue).collect()
    }

    fn credit(&self, index: usize) -> i64 {
        self.inner.credit(vcpu(index)).unwrap_or(CREDIT_FLOOR)
    }

    /// Checks every queue: it is the one before, less the units that left, with those that came at
    /// its end, sorted by credit and otherwise in that order.
    fn compare(&self, before: &[Vec<usize>], moved: Option<usize>) {
        for (on, new) in self.queues().iter().enumerate() {
            let old = before[on].iter();
            let stayed = |index: &&usize| new.contains(index) && moved != Some(**index);
            let mut sorted: Vec<usize> = old.filter(stayed).copied().collect();
            let came = new.iter().filter(|index| !sorted.contains(index));
            let came: Vec<usize> = came.copied().collect();
            sorted.extend(came);
            sorted.sort_by_key(|&index| std::cmp::Reverse(self.credit(index)));
            assert_eq!(*new, sorted, "processor {on}");
        }
        for index in 0..self.units.len() {
            let credit = self.credit(index);
            assert!((CREDIT_FLOOR..=CREDIT_CEILING).contains(&credit));
        }
    }

    fn allowed(&self, index: usize) -> CpuSet {
        allowed(self.units[index].hard, self.inner.cpus())
    }

    fn preferred(&self, index: usize) -> CpuSet {
        let soft = self.units[index].soft.and(self.allowed(index));
        if soft.is_empty() || self.inner.parameters().profile() == Profile::Xen45 {
            CpuSet::ALL
        } else {
            soft
        }
    }

    fn is_runnable(&self, index: usize) -> bool {
        let id = vcpu(index);
        self.units[index].awake && !self.inner.is_leaving(id) && !self.inner.is_parked(id)
    }

    /// Returns the unit that processor `on` has to choose, by the rules; `free` are idle.
    fn expected(&self, on: Cpu, now: Instant, work: bool, free: CpuSet) -> Option<usize> {
        if work || !self.inner.cpus().contains(on) {
            return None;
        }
        let last = self.inner.current(on).map(Vcpu::index);
        let last = last.filter(|&index| self.is_runnable(index));
        let yielding = last.is_some_and(|index| self.units[index].yielding);
        let limit = self.inner.parameters().ratelimit();
        if let Some(index) = last.filter(|_| !yielding)
            && now.since(self.units[index].started.unwrap()) < limit
        {
            return last;
        }
        let baseline = last.filter(|&index| {
            let better = self.preferred(index);
            better.contains(on) || better.and(free).and(self.inner.group(on)).is_empty()
        });
        let bar = |index: usize| self.inner.credit_at(vcpu(index), now).unwrap();
        let bar = baseline.map_or(CREDIT_IDLE, bar);
        let mut waiting: Vec<usize> = self.inner.queue(on).map(Vcpu::index).collect();
        // Sorted again, as if the queue were not.
        waiting.sort_by_key(|&index| std::cmp::Reverse(self.credit(index)));
        let fits = |&&index: &&usize| {
            let id = vcpu(index);
            let here = self.inner.processor_of(id) == Some(on);
            let far_bar = bar
                + if baseline.is_some() {
                    MIGRATION_RESISTANCE
                } else {
                    0
                };
            let promised = self.inner.promised_to(id).is_some_and(|other| other != on);
            let enough = yielding || self.credit(index) > bar;
            let close = here || self.credit(index) >= far_bar;
            enough && close && !promised && self.allowed(index).contains(on)
        };
        waiting.iter().find(fits).copied().or(baseline)
    }
}

impl Policy for Sorted<'_> {
    fn add_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        self.inner.add_cpu(cpu, now, fx)
    }

    fn remove_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        self.inner.remove_cpu(cpu, now, fx)
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        self.units[vcpu.index()] = Known {
            hard: admission.hard,
            soft: admission.soft,
            ..Known::default()
        };
        self.inner.insert(vcpu, admission, now, fx)
    }

    fn remove(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        self.inner.remove(vcpu, now, fx)
    }

    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let before = self.queues();
        self.units[vcpu.index()].awake = true;
        self.inner.wake(vcpu, now, fx);
        self.compare(&before, None);
    }

    fn sleep(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let before = self.queues();
        self.units[vcpu.index()].awake = false;
        self.inner.sleep(vcpu, now, fx);
        self.compare(&before, None);
    }

    fn yield_now(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let runs = (0..self.cpus).any(|on| self.inner.current(cpu(on)) == Some(vcpu));
        self.units[vcpu.index()].yielding |= runs;
        self.inner.yield_now(vcpu, now, fx);
    }

    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        soft: CpuSet,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let before = self.queues();
        self.units[vcpu.index()].hard = hard;
        self.units[vcpu.index()].soft = soft;
        let result = self.inner.set_affinity(vcpu, hard, soft, now, fx);
        self.compare(&before, Some(vcpu.index()));
        result
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
        let before = self.queues();
        let last = self.inner.current(cpu);
        let free = self.inner.idlers();
        let expected = self.expected(cpu, now, work, free.without(cpu));
        let choice = self.inner.schedule(cpu, now, work, fx);
        if !self.capped {
            assert_eq!(choice.next.map(Vcpu::index), expected, "on {cpu:?}");
        }
        if let Some(id) = last {
            self.units[id.index()].yielding = false;
        }
        if let Some(id) = choice.next.filter(|_| choice.next != last) {
            self.units[id.index()].started = Some(now);
        }
        if let Some(until) = choice.until {
            let slice = until.since(now);
            assert!(slice >= Duration::from_micros(500));
            assert!(slice <= self.inner.parameters().slice_maximum());
        }
        self.compare(&before, None);
        choice
    }

    fn context_saved(&mut self, cpu: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let before = self.queues();
        self.inner.context_saved(cpu, vcpu, now, fx);
        self.compare(&before, None);
    }

    fn timer(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        let before = self.queues();
        self.inner.timer(timer, now, fx);
        self.compare(&before, None);
    }

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        self.inner.current(cpu)
    }

    fn cpus(&self) -> CpuSet {
        self.inner.cpus()
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        self.inner.check_invariants()
    }
}

fn grouping(seed: u64) -> Grouping {
    let scopes = [
        Scope::Socket,
        Scope::All,
        Scope::Core,
        Scope::Cpu,
        Scope::Node,
    ];
    let largest = [16, 3, 64][seed as usize % 3];
    Grouping::new(scopes[seed as usize % 5], largest).unwrap()
}

fn parameters(seed: u64) -> Parameters {
    let base = Parameters::DEFAULT;
    match seed % 4 {
        0 => base,
        1 => base.with_ratelimit(Duration::ZERO).unwrap(),
        2 => base.without_balancing(),
        _ => Parameters::of(Profile::Xen45),
    }
}

/// Runs a stress test over CREDIT2. Returns the number of events.
fn storm(setup: RandomRun, watched: bool, capped: bool) -> u64 {
    let mut tables = Tables::new(setup.cpus, setup.units);
    let topology = crate::random_run::topology(setup.cpus);
    let policy = tables.policy(&topology, grouping(setup.seed), parameters(setup.seed));
    let draw = |random: &mut Random| {
        let domain = random.between(0, setup.units as u64 / 2) as usize;
        let weight = random.between(1, 2048) as u32;
        let cap = if random.once_in(3) {
            0
        } else {
            random.between(1, 200)
        };
        (Domain::new(domain as u16), weight, cap as u32)
    };
    // Refused for more than 100 % a unit, and in release 4.5.
    if watched {
        let inner = Sorted::new(policy, setup.cpus, setup.units, capped);
        let mut world = crate::random_run::world(inner, setup);
        blow(&mut world, setup, |world, random| {
            let (domain, weight, cap) = draw(random);
            world.call(|p, now, fx| {
                p.inner.set_weight(domain, weight, now).unwrap();
                if capped {
                    let _ = p.inner.set_cap(domain, cap, now, fx);
                }
            });
        });
        world.events
    } else {
        let mut world = crate::random_run::world(policy, setup);
        blow(&mut world, setup, |world: &mut World<Credit2>, random| {
            let (domain, weight, cap) = draw(random);
            world.call(|p, now, fx| {
                p.set_weight(domain, weight, now).unwrap();
                let _ = p.set_cap(domain, cap, now, fx);
            });
        });
        world.events
    }
}

#[test]
fn invariants_hold_in_stress_tests() {
    let events: u64 = plain().map(|setup| storm(setup, false, true)).sum();
    assert!(events >= 1_200_000);
}

#[test]
fn sorted_model_agrees_in_stress_tests() {
    for (number, setup) in watched(24).enumerate() {
        storm(setup, true, number % 2 == 1);
    }
}
