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
use crate::vcpu::probe::Probe;
use crate::vcpu::{Admission, Choice, Domain, Place, Policy, Timer, Vcpu};
use crate::{Cpu, CpuSet};
use std::vec::Vec;
use taktos_time::Instant;

/// Nanoseconds in a microsecond and in a millisecond.
const US: u64 = 1_000;
const MS: u64 = 1_000_000;

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

/// A pool and the time; unit i is of domain i.
struct Bench<'a> {
    credit: Credit<'a>,
    probe: Probe,
    now: u64,
}

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
    let mut bench = Bench {
        credit: Credit::new(memory, topology, parameters),
        probe: Probe::default(),
        now: 0,
    };
    for index in 0..topology.len() {
        bench.call(|p, now, fx| p.add_cpu(cpu(index), now, fx).unwrap());
    }
    for index in 0..topology.len() {
        bench.switch(index);
    }
    for index in 0..units {
        bench.insert(index, Admission::anywhere(Domain::new(index as u16)));
    }
    bench.probe.take();
    test(&mut bench);
    assert_eq!(bench.credit.check_invariants(), Ok(()));
}

impl Bench<'_> {
    fn call<R>(&mut self, f: impl FnOnce(&mut Credit, Instant, &mut Probe) -> R) -> R {
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

    fn affinity(&mut self, index: usize, hard: u64, soft: u64) {
        self.call(|p, now, fx| p.set_affinity(vcpu(index), set(hard), set(soft), now, fx))
            .unwrap();
    }

    fn timer(&mut self, timer: Timer) {
        self.call(|p, now, fx| p.timer(timer, now, fx));
    }

    fn tick(&mut self, index: usize) {
        self.timer(Timer::Tick(cpu(index)));
    }

    fn account(&mut self) {
        self.timer(Timer::Accounting);
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
        self.credit.processor_of(vcpu(index)).unwrap().index()
    }

    fn credit(&self, index: usize) -> i64 {
        self.credit.credit(vcpu(index)).unwrap()
    }

    fn rank(&self, index: usize) -> Rank {
        self.credit.rank(vcpu(index)).unwrap()
    }

    fn set_rank(&mut self, index: usize, rank: Rank) {
        self.credit.units[index].rank = rank;
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
        self.credit.set_weight(domain, weight).unwrap();
    }

    fn cap(&mut self, index: usize, cap: u32) {
        self.credit.set_cap(Domain::new(index as u16), cap).unwrap();
    }
}
