//! Pools of processors: what is refused, how processors and domains move, and stress tests over
//! all six schedulers together.

use crate::world::{MS, Random, at, cpu, vcpu};
use std::collections::BTreeMap;
use taktos_schedule::vcpu::arinc653::{self, Arinc653, Slot, Window};
use taktos_schedule::vcpu::pool::{AnyPolicy, EmptyAffinityRule, Member, Pool, PoolEffects, Pools};
use taktos_schedule::vcpu::rtds::{Options, Rtds};
use taktos_schedule::vcpu::sedf::Sedf;
use taktos_schedule::vcpu::{
    Admission, Domain, Error, Place, Timer, Vcpu, credit, credit2, null, rtds, sedf,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

const UNITS: usize = 12;
const CPUS: usize = 8;
/// Domains 0 to 5, of one to three units.
const DOMAINS: [u16; UNITS] = [0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5];
const KEEP: EmptyAffinityRule = EmptyAffinityRule::Refused;

/// Memory for one scheduler of each kind.
struct Tables {
    rtds: Vec<rtds::Unit>,
    sedf: (Vec<sedf::Unit>, Vec<sedf::Processor>),
    null: Vec<null::Unit>,
    arinc: (Vec<arinc653::Unit>, Vec<Slot>),
    credit: (
        Vec<credit::Unit>,
        Vec<credit::DomainRecord>,
        Vec<credit::Processor>,
    ),
    credit2: (
        Vec<credit2::Unit>,
        Vec<credit2::DomainRecord>,
        Vec<credit2::Processor>,
        Vec<credit2::RunQueue>,
    ),
}

impl Tables {
    fn new() -> Self {
        Self {
            rtds: vec![rtds::Unit::EMPTY; UNITS],
            sedf: (
                vec![sedf::Unit::EMPTY; UNITS],
                vec![sedf::Processor::EMPTY; CPUS],
            ),
            null: vec![null::Unit::EMPTY; UNITS],
            arinc: (vec![arinc653::Unit::EMPTY; UNITS], vec![Slot::EMPTY; 64]),
            credit: (
                vec![credit::Unit::EMPTY; UNITS],
                vec![credit::DomainRecord::EMPTY; 6],
                vec![credit::Processor::EMPTY; CPUS],
            ),
            credit2: (
                vec![credit2::Unit::EMPTY; UNITS],
                vec![credit2::DomainRecord::EMPTY; 6],
                vec![credit2::Processor::EMPTY; CPUS],
                vec![credit2::RunQueue::EMPTY; CPUS],
            ),
        }
    }

    /// In this order: RTDS, SEDF, NULL, ARINC 653, CREDIT, CREDIT2.
    fn policies(&mut self) -> Vec<AnyPolicy<'_>> {
        let places: Vec<Place> = (0..CPUS).map(Place::flat).collect();
        let credit = credit::Memory {
            units: &mut self.credit.0,
            domains: &mut self.credit.1,
            processors: &mut self.credit.2,
        };
        let credit2 = credit2::Memory {
            units: &mut self.credit2.0,
            domains: &mut self.credit2.1,
            processors: &mut self.credit2.2,
            queues: &mut self.credit2.3,
        };
        let (units, slots) = &mut self.arinc;
        vec![
            AnyPolicy::Rtds(Rtds::new(&mut self.rtds, Options::DEFAULT)),
            AnyPolicy::Sedf(Sedf::new(&mut self.sedf.0, &mut self.sedf.1)),
            AnyPolicy::Null(null::Null::new(&mut self.null)),
            AnyPolicy::Arinc653(Arinc653::new(units, slots, Domain::new(0))),
            AnyPolicy::Credit(credit::Credit::new(
                credit,
                &places,
                credit::Parameters::DEFAULT,
            )),
            AnyPolicy::Credit2(credit2::Credit2::new(
                credit2,
                &places,
                credit2::Grouping::DEFAULT,
                credit2::Parameters::DEFAULT,
            )),
        ]
    }
}

const RTDS: Pool = Pool::new(0);
const NULL: Pool = Pool::new(2);
const CREDIT: Pool = Pool::new(4);
const CREDIT2: Pool = Pool::new(5);

/// The requests that are not done yet.
#[derive(Default)]
struct Asked {
    tickled: CpuSet,
    timers: BTreeMap<(Pool, Timer), Instant>,
}

impl PoolEffects for Asked {
    fn tickle(&mut self, cpu: Cpu) {
        self.tickled = self.tickled.with(cpu);
    }
    fn arm(&mut self, pool: Pool, timer: Timer, at: Option<Instant>) {
        match at {
            Some(at) => self.timers.insert((pool, timer), at),
            None => self.timers.remove(&(pool, timer)),
        };
    }
}

/// A machine where each thing happens when the test says so.
struct Machine<'p, 'a> {
    pools: Pools<'p, 'a>,
    asked: Asked,
    now: Instant,
    saving: BTreeMap<Cpu, Vcpu>,
    until: BTreeMap<Cpu, Instant>,
}

impl<'p, 'a> Machine<'p, 'a> {
    fn new(policies: &'p mut [AnyPolicy<'a>], members: &'p mut [Member]) -> Self {
        Self {
            pools: Pools::new(policies, members),
            asked: Asked::default(),
            now: at(0),
            saving: BTreeMap::new(),
            until: BTreeMap::new(),
        }
    }

    fn assign(&mut self, index: usize, pool: Option<Pool>) -> Result<(), Error> {
        self.pools
            .assign(cpu(index), pool, KEEP, self.now, &mut self.asked)
    }

    fn insert(&mut self, index: usize, hard: CpuSet, pool: Pool) -> Result<(), Error> {
        let admission = Admission {
            domain: Domain::new(DOMAINS[index]),
            hard,
            soft: hard,
        };
        self.pools.insert(
            vcpu(index),
            admission,
            pool,
            KEEP,
            self.now,
            &mut self.asked,
        )
    }

    fn wake(&mut self, index: usize) {
        self.pools.wake(vcpu(index), self.now, &mut self.asked);
    }

    fn move_domain(&mut self, domain: u16, pool: Pool) -> Result<(), Error> {
        self.pools
            .move_domain(Domain::new(domain), pool, KEEP, self.now, &mut self.asked)
    }

    /// Schedules on `cpu`, if it is not in the middle of a switch.
    fn schedule(&mut self, cpu: Cpu) {
        if self.saving.contains_key(&cpu) {
            return;
        }
        self.asked.tickled = self.asked.tickled.without(cpu);
        let before = self.pools.current(cpu);
        let choice = self.pools.schedule(cpu, self.now, false, &mut self.asked);
        match choice.until {
            Some(until) => self.until.insert(cpu, until),
            None => self.until.remove(&cpu),
        };
        if let Some(vcpu) = choice.next.filter(|_| choice.next != before) {
            let twice = CpuSet::ALL
                .into_iter()
                .filter(|&c| self.pools.current(c) == Some(vcpu))
                .count();
            assert_eq!(twice, 1, "{vcpu:?} runs twice");
            let unsaved = self.saving.values().any(|&saving| saving == vcpu);
            assert!(!unsaved, "{vcpu:?} is not saved yet");
        }
        if let Some(vcpu) = before.filter(|_| choice.next != before) {
            self.saving.insert(cpu, vcpu);
        }
    }

    fn save(&mut self, cpu: Cpu) {
        if let Some(vcpu) = self.saving.remove(&cpu) {
            self.pools
                .context_saved(cpu, vcpu, self.now, &mut self.asked);
        }
    }

    /// Serves all requests, until nothing is left to do now.
    fn settle(&mut self) {
        for _ in 0..1_000 {
            let saving: Vec<Cpu> = self.saving.keys().copied().collect();
            saving.into_iter().for_each(|cpu| self.save(cpu));
            self.go_off();
            let Some(cpu) = self.asked.tickled.lowest() else {
                return;
            };
            self.schedule(cpu);
            self.check();
        }
        panic!("it never settles");
    }

    /// Serves the timers and choices that are due now.
    fn go_off(&mut self) {
        let due = |at: &Instant| *at <= self.now;
        let timers: Vec<(Pool, Timer)> = self
            .asked
            .timers
            .iter()
            .filter(|(_, at)| due(at))
            .map(|(&key, _)| key)
            .collect();
        let cpus: CpuSet = self
            .until
            .iter()
            .filter(|(_, at)| due(at))
            .map(|(&cpu, _)| cpu)
            .collect();
        for (pool, timer) in timers {
            self.asked.timers.remove(&(pool, timer));
            self.pools.timer(pool, timer, self.now, &mut self.asked);
        }
        for cpu in cpus {
            self.until.remove(&cpu);
        }
        self.asked.tickled = self.asked.tickled.or(cpus);
    }

    /// Moves the time to the next requested instant; by 1 ms at most.
    fn pass(&mut self) {
        let limit = self.now.saturating_add(Duration::from_millis(1));
        let asked = self.asked.timers.values().chain(self.until.values());
        let next = asked.min().copied().unwrap_or(limit);
        self.now = self.now.max(next.min(limit));
        self.go_off();
    }

    fn check(&self) {
        if let Err(violation) = self.pools.check_invariants() {
            panic!("at {:?}: {violation}", self.now);
        }
    }
}

#[test]
fn processors_and_domains_move_when_what_runs_is_saved() {
    let mut tables = Tables::new();
    let mut policies = tables.policies();
    let mut members = [Member::EMPTY; UNITS];
    let mut machine = Machine::new(&mut policies, &mut members);
    (0..2).for_each(|index| machine.assign(index, Some(RTDS)).unwrap());
    machine.assign(2, Some(NULL)).unwrap();
    machine.insert(1, CpuSet::ALL, RTDS).unwrap();
    machine.insert(2, CpuSet::ALL, RTDS).unwrap();
    machine.wake(1);
    machine.wake(2);
    machine.settle();
    assert_eq!(machine.pools.current(cpu(1)), Some(vcpu(2)));
    // Processor 1 goes: what it runs has to be switched out and saved before.
    machine.assign(1, Some(NULL)).unwrap();
    assert_eq!(machine.pools.pool_of_cpu(cpu(1)), None);
    assert_eq!(machine.assign(1, None), Err(Error::Moving(cpu(1))));
    machine.schedule(cpu(1));
    assert_eq!(machine.pools.pool_of_cpu(cpu(1)), None);
    machine.save(cpu(1));
    assert_eq!(machine.pools.pool_of_cpu(cpu(1)), Some(NULL));
    machine.settle();
    // Both units of domain 1 go after it.
    machine.move_domain(1, NULL).unwrap();
    let on = machine.pools.current(cpu(0)).unwrap();
    assert_eq!(machine.pools.pool_of(on), Some(RTDS), "it still runs");
    machine.settle();
    assert_eq!(machine.pools.pool_of(on), Some(NULL));
    assert_eq!(machine.pools.current(cpu(0)), None);
    let both = [machine.pools.current(cpu(1)), machine.pools.current(cpu(2))];
    assert!(both.contains(&Some(vcpu(1))) && both.contains(&Some(vcpu(2))));
}

#[test]
fn what_would_leave_somebody_nowhere_is_refused() {
    let mut tables = Tables::new();
    let mut policies = tables.policies();
    let mut members = [Member::EMPTY; UNITS];
    let mut machine = Machine::new(&mut policies, &mut members);
    assert_eq!(machine.insert(0, CpuSet::ALL, RTDS), Err(Error::NoCpu));
    assert_eq!(machine.assign(0, Some(Pool::new(9))), Err(Error::NoPool(9)));
    machine.assign(0, Some(RTDS)).unwrap();
    machine.assign(1, Some(RTDS)).unwrap();
    machine.assign(2, Some(NULL)).unwrap();
    let first = CpuSet::of(cpu(0));
    machine.insert(0, first, RTDS).unwrap();
    machine.insert(1, CpuSet::ALL, RTDS).unwrap();
    assert_eq!(machine.assign(0, None), Err(Error::Stranded(vcpu(0))));
    assert_eq!(machine.move_domain(0, NULL), Err(Error::Stranded(vcpu(0))));
    let split = machine.insert(2, CpuSet::ALL, NULL);
    assert_eq!(split, Err(Error::Split(Domain::new(1))));
    machine.assign(1, None).unwrap();
    assert_eq!(machine.assign(0, None), Err(Error::LastCpu(cpu(0))));
    let away = CpuSet::of(cpu(2));
    let asked = &mut machine.asked;
    let refused = machine
        .pools
        .set_affinity(vcpu(0), away, away, KEEP, at(0), asked);
    assert_eq!(refused, Err(Error::Stranded(vcpu(0))));
}

/// Everything at random, and each thing in whatever order: after each, all invariants of the pools
/// and of their schedulers hold.
#[test]
fn storms_over_all_schedulers() {
    let mut events = 0;
    for seed in 0..30 {
        let mut tables = Tables::new();
        let mut policies = tables.policies();
        let mut members = [Member::EMPTY; UNITS];
        let mut machine = Machine::new(&mut policies, &mut members);
        let mut random = Random::new(seed);
        (0..6).for_each(|index| {
            let pool = Pool::new(index as u8);
            machine.assign(index, Some(pool)).unwrap();
        });
        set_table(&mut machine);
        for (index, &domain) in DOMAINS.iter().enumerate() {
            let pool = Pool::new(domain as u8);
            machine.insert(index, CpuSet::ALL, pool).unwrap();
        }
        for _ in 0..10_000 {
            rage(&mut machine, &mut random);
            machine.check();
            events += 1;
            if events % 50 == 0 {
                machine.settle();
                find_forgotten(&mut machine);
            }
        }
        machine.settle();
        for index in 0..CPUS {
            let free = machine.pools.pool_of_cpu(cpu(index)).is_none();
            let gone = machine.assign(index, None);
            assert!(!free || gone.is_ok(), "processor {index} is on its way");
        }
    }
    assert!(events >= 300_000);
}

/// Checks that a processor that idles has nothing to do when all requests are served: otherwise a
/// unit was forgotten. (CREDIT and CREDIT2 take work over from others only when they look.)
fn find_forgotten(machine: &mut Machine) {
    for cpu in CpuSet::first(CPUS) {
        let pool = machine.pools.pool_of_cpu(cpu);
        let steals = pool == Some(CREDIT) || pool == Some(CREDIT2);
        if machine.pools.current(cpu).is_none() && !steals {
            machine.schedule(cpu);
            let found = machine.pools.current(cpu);
            assert_eq!(
                found,
                None,
                "{cpu:?} was not told: {:?}",
                machine.pools.pool_of_cpu(cpu)
            );
        }
    }
}

fn set_table(machine: &mut Machine) {
    let windows: Vec<Window> = (0..UNITS)
        .map(|index| Window {
            vcpu: vcpu(index),
            runtime: Duration::from_micros(300 + 100 * index as u64),
        })
        .collect();
    let pool = Pool::new(3);
    let Some(AnyPolicy::Arinc653(arinc)) = machine.pools.policy_mut(pool) else {
        panic!("the fourth pool is ARINC 653");
    };
    let mut fx = crate::world::PendingEffects::default();
    arinc
        .set_table(&windows, Duration::from_nanos(12 * MS), at(0), &mut fx)
        .unwrap();
}

fn rage(machine: &mut Machine, random: &mut Random) {
    let unit = vcpu(random.between(0, UNITS as u64 - 1) as usize);
    let processor = random.between(0, CPUS as u64 - 1) as usize;
    let now = machine.now;
    let asked = &mut machine.asked;
    match random.between(0, 99) {
        0..20 => machine.pools.wake(unit, now, asked),
        20..30 => machine.pools.sleep(unit, now, asked),
        30..33 => machine.pools.yield_now(unit, now, asked),
        33..36 => {
            let hard = CpuSet::from_bits(random.next() | random.next());
            let soft = CpuSet::from_bits(random.next());
            let set = machine
                .pools
                .set_affinity(unit, hard, soft, KEEP, now, asked);
            assert!(matches!(set, Ok(()) | Err(Error::Stranded(_))));
        }
        36..41 => {
            let pool = Some(Pool::new(random.between(0, 5) as u8)).filter(|_| !random.once_in(3));
            let moved = machine.assign(processor, pool);
            assert!(matches!(
                moved,
                Ok(()) | Err(Error::Moving(_) | Error::LastCpu(_) | Error::Stranded(_))
            ));
        }
        41..44 => {
            let to = Pool::new(random.between(0, 5) as u8);
            let moved = machine.move_domain(random.between(0, 5) as u16, to);
            assert!(matches!(
                moved,
                Ok(()) | Err(Error::NoCpu | Error::Busy(_) | Error::Stranded(_))
            ));
        }
        44..70 => {
            let tickled: Vec<Cpu> = machine.asked.tickled.into_iter().collect();
            if !tickled.is_empty() {
                let which = random.between(0, tickled.len() as u64 - 1) as usize;
                machine.schedule(tickled[which]);
            }
        }
        70..90 => machine.save(cpu(processor)),
        90..97 => machine.pass(),
        _ => machine.settle(),
    }
}
