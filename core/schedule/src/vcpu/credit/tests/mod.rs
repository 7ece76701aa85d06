//! The rules of CREDIT, one by one, with numbers worked out by hand.

mod accounting;
// Steps are counted, which are the same in the interpreter.
#[cfg(not(miri))]
mod bounds;
mod parameters;
mod placing;
mod pool;
mod queueing;
mod scheduling;
mod stealing;
mod tickling;

extern crate std;

use super::{Credit, DomainRecord, Memory, Parameters, Processor, Rank, Unit};
use crate::CpuSet;
use crate::vcpu::kit::tests::{self, MS, US, cpu, flat, set, vcpu};
use crate::vcpu::{Admission, Choice, Domain, Place, Policy, Timer, Vcpu};
use std::vec::Vec;
use taktos_time::Instant;

type Bench<'a> = tests::Bench<Credit<'a>>;

/// Runs `test` on a pool of all processors of `topology`, in which `units` units sleep.
fn with(topology: &[Place], units: usize, parameters: Parameters, test: impl FnOnce(&mut Bench)) {
    let mut records = std::vec![Unit::EMPTY; units];
    let mut domains = std::vec![DomainRecord::EMPTY; units];
    let mut processors = std::vec![Processor::EMPTY; topology.len()];
    let memory = Memory {
        units: &mut records,
        domains: &mut domains,
        processors: &mut processors,
    };
    let policy = Credit::new(memory, topology, parameters);
    Bench::new(policy, topology.len()).with(units, test);
}

impl Bench<'_> {
    fn tick(&mut self, index: usize) {
        self.timer(Timer::Tick(cpu(index)));
    }

    fn account(&mut self) {
        self.timer(Timer::Accounting);
    }

    /// Makes unit `index` active without letting time pass, and asleep.
    fn activate(&mut self, index: usize) {
        self.wake(index);
        let on = self.on(index);
        assert_eq!(self.switch(on), Some(index));
        self.tick(on);
        self.sleep(index);
        assert_eq!(self.switch(on), None);
        self.probe.take();
    }

    fn on(&self, index: usize) -> usize {
        self.policy.processor_of(vcpu(index)).unwrap().index()
    }

    fn credit(&self, index: usize) -> i64 {
        self.policy.credit(vcpu(index)).unwrap()
    }

    fn rank(&self, index: usize) -> Rank {
        self.policy.rank(vcpu(index)).unwrap()
    }

    fn set_rank(&mut self, index: usize, rank: Rank) {
        self.policy.units[index].rank = rank;
    }

    fn queue(&self, on: usize) -> Vec<usize> {
        self.policy.queue(cpu(on)).map(Vcpu::index).collect()
    }

    fn weight(&mut self, index: usize, weight: u32) {
        let domain = Domain::new(index as u16);
        self.policy.set_weight(domain, weight).unwrap();
    }

    fn cap(&mut self, index: usize, cap: u32) {
        self.policy.set_cap(Domain::new(index as u16), cap).unwrap();
    }
}
