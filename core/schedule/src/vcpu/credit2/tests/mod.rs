//! The rules of CREDIT2, one by one, with numbers worked out by hand.

mod balancing;
// Steps are counted, which are the same in the interpreter.
#[cfg(not(miri))]
mod bounds;
mod caps;
mod choosing;
mod grouping;
mod loads;
mod parameters;
mod pool;
mod spending;
mod tickling;

extern crate std;

use super::{
    Credit2, DomainRecord, Grouping, Memory, Parameters, Processor, RunQueue, Scope, Unit,
};
use crate::vcpu::probe::Probe;
use crate::vcpu::{Admission, Choice, Domain, Place, Policy, Timer, Vcpu};
use crate::{Cpu, CpuSet};
use std::vec::Vec;
use taktos_time::Instant;

/// Nanoseconds in a microsecond and in a millisecond; the same for credit.
const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const CREDIT_MS: i64 = 1_000_000;

fn cpu(index: usize) -> Cpu {
    Cpu::new(index).unwrap()
}

fn vcpu(index: usize) -> Vcpu {
    Vcpu::new(index as u16)
}

fn set(bits: u64) -> CpuSet {
    CpuSet::from_bits(bits)
}

fn flat(cpus: usize) -> Vec<Place> {
    (0..cpus).map(Place::flat).collect()
}

fn each_alone() -> Grouping {
    Grouping::new(Scope::Cpu, 1).unwrap()
}

/// No rate limit: it has tests of its own.
fn unlimited() -> Parameters {
    Parameters::DEFAULT
        .with_ratelimit(taktos_time::Duration::ZERO)
        .unwrap()
}

/// A pool and the time; unit i is of domain i.
struct Bench<'a> {
    credit: Credit2<'a>,
    probe: Probe,
    now: u64,
}

/// Runs `test` on a pool of all processors of `topology`, in which `units` units sleep.
fn with(
    topology: &[Place],
    grouping: Grouping,
    units: usize,
    parameters: Parameters,
    test: impl FnOnce(&mut Bench),
) {
    let mut records = std::vec![Unit::EMPTY; units];
    let mut domains = std::vec![DomainRecord::EMPTY; units + 1];
    let mut processors = std::vec![Processor::EMPTY; topology.len()];
    let mut queues = std::vec![RunQueue::EMPTY; topology.len()];
    let memory = Memory {
        units: &mut records,
        domains: &mut domains,
        processors: &mut processors,
        queues: &mut queues,
    };
    let mut bench = Bench {
        credit: Credit2::new(memory, topology, grouping, parameters),
        probe: Probe::default(),
        now: 0,
    };
    for index in 0..topology.len() {
        bench.call(|p, now, fx| p.add_cpu(cpu(index), now, fx).unwrap());
        bench.switch(index);
    }
    for index in 0..units {
        bench.insert(index, Admission::anywhere(Domain::new(index as u16)));
    }
    bench.probe.take();
    test(&mut bench);
    assert_eq!(bench.credit.check_invariants(), Ok(()));
}

/// The same on one processor, without a rate limit.
fn alone(units: usize, test: impl FnOnce(&mut Bench)) {
    with(&flat(1), Grouping::DEFAULT, units, unlimited(), test);
}

impl Bench<'_> {
    fn call<R>(&mut self, f: impl FnOnce(&mut Credit2, Instant, &mut Probe) -> R) -> R {
        f(
            &mut self.credit,
            Instant::from_nanos(self.now),
            &mut self.probe,
        )
    }

    fn insert(&mut self, index: usize, admission: Admission) {
        self.call(|p, now, fx| p.insert(vcpu(index), admission, now, fx).unwrap());
    }

    fn wake(&mut self, index: usize) {
        self.call(|p, now, fx| p.wake(vcpu(index), now, fx));
    }

    fn sleep(&mut self, index: usize) {
        self.call(|p, now, fx| p.sleep(vcpu(index), now, fx));
    }

    fn yield_now(&mut self, index: usize) {
        self.call(|p, now, fx| p.yield_now(vcpu(index), now, fx));
    }

    fn affinity(&mut self, index: usize, hard: u64, soft: u64) {
        self.call(|p, now, fx| p.set_affinity(vcpu(index), set(hard), set(soft), now, fx))
            .unwrap();
    }

    fn schedule(&mut self, index: usize) -> Choice {
        self.call(|p, now, fx| p.schedule(cpu(index), now, false, fx))
    }

    fn saved(&mut self, on: usize, index: usize) {
        self.call(|p, now, fx| p.context_saved(cpu(on), vcpu(index), now, fx));
    }

    /// Schedules, and saves at once what was switched out.
    fn switch(&mut self, on: usize) -> Option<usize> {
        let before = self.credit.current(cpu(on));
        let next = self.schedule(on).next;
        if let Some(last) = before.filter(|_| before != next) {
            self.saved(on, last.index());
        }
        next.map(Vcpu::index)
    }

    /// How long the choice of `on` lasts, in nanoseconds.
    fn slice(&mut self, on: usize) -> u64 {
        let until = self.schedule(on).until.unwrap();
        until.as_nanos() - self.now
    }

    /// Unit `index` wakes and runs on processor `on`, where nothing runs.
    fn run_on(&mut self, index: usize, on: usize) {
        let hard = self.credit.units[index].affinity.hard;
        self.affinity(index, 1 << on, u64::MAX);
        self.wake(index);
        assert_eq!(self.switch(on), Some(index));
        self.credit.units[index].affinity.hard = hard;
        self.probe.take();
    }

    fn credit(&self, index: usize) -> i64 {
        self.credit.credit(vcpu(index)).unwrap()
    }

    fn set_credit(&mut self, index: usize, credit: i64) {
        self.credit.units[index].credit = credit;
    }

    fn on(&self, index: usize) -> usize {
        self.credit.processor_of(vcpu(index)).unwrap().index()
    }

    fn queue(&self, on: usize) -> Vec<usize> {
        self.credit.queue(cpu(on)).map(Vcpu::index).collect()
    }

    fn tickles(&mut self) -> Vec<usize> {
        let tickles = self.probe.take().tickles;
        tickles.into_iter().map(Cpu::index).collect()
    }

    fn weight(&mut self, index: usize, weight: u32) {
        let domain = Domain::new(index as u16);
        self.call(|p, now, _| p.set_weight(domain, weight, now).unwrap());
    }

    fn cap(&mut self, domain: u16, cap: u32) {
        self.call(|p, now, fx| p.set_cap(Domain::new(domain), cap, now, fx).unwrap());
    }

    fn refill(&mut self, domain: u16) {
        self.call(|p, now, fx| p.timer(Timer::Refill(Domain::new(domain)), now, fx));
    }
}
