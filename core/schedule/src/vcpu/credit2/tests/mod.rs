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
use crate::CpuSet;
use crate::vcpu::kit::tests::{self, MS, US, cpu, flat, probe::Probe, set, vcpu};
use crate::vcpu::{Admission, Choice, Domain, Place, Policy, Timer, Vcpu};
use std::vec::Vec;
use taktos_time::Instant;

/// A millisecond of credit.
const CREDIT_MS: i64 = 1_000_000;

fn each_alone() -> Grouping {
    Grouping::new(Scope::Cpu, 1).unwrap()
}

/// No rate limit: it has tests of its own.
fn unlimited() -> Parameters {
    Parameters::DEFAULT
        .with_ratelimit(taktos_time::Duration::ZERO)
        .unwrap()
}

type Bench<'a> = tests::Bench<Credit2<'a>>;

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
    let policy = Credit2::new(memory, topology, grouping, parameters);
    Bench::new(policy, topology.len()).with(units, test);
}

/// Runs `test` with one processor, without a rate limit.
fn alone(units: usize, test: impl FnOnce(&mut Bench)) {
    with(&flat(1), Grouping::DEFAULT, units, unlimited(), test);
}

impl Bench<'_> {
    /// How long the choice of `on` lasts, in nanoseconds.
    fn slice(&mut self, on: usize) -> u64 {
        let until = self.schedule(on).until.unwrap();
        until.as_nanos() - self.now
    }

    /// Unit `index` wakes and runs on processor `on`, where nothing runs.
    fn run_on(&mut self, index: usize, on: usize) {
        let hard = self.policy.units[index].state.affinity.hard;
        self.affinity(index, 1 << on, u64::MAX);
        self.wake(index);
        assert_eq!(self.switch(on), Some(index));
        self.policy.units[index].state.affinity.hard = hard;
        self.probe.take();
    }

    fn credit(&self, index: usize) -> i64 {
        self.policy.credit(vcpu(index)).unwrap()
    }

    fn set_credit(&mut self, index: usize, credit: i64) {
        self.policy.units[index].credit = credit;
    }

    fn on(&self, index: usize) -> usize {
        self.policy.processor_of(vcpu(index)).unwrap().index()
    }

    fn queue(&self, on: usize) -> Vec<usize> {
        self.policy.queue(cpu(on)).map(Vcpu::index).collect()
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
