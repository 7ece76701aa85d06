//! Owns: a pool and the time, for tests with numbers worked out by hand.
//! Must never know: the rules of the pool.

extern crate std;

use super::probe::Probe;
use crate::vcpu::{Admission, Choice, Domain, Error, Place, Policy, Timer, Vcpu};
use crate::{Cpu, CpuSet};
use std::vec::Vec;
use taktos_time::Instant;

/// Nanoseconds in a microsecond and in a millisecond.
pub(crate) const US: u64 = 1_000;
pub(crate) const MS: u64 = 1_000_000;

/// Processor `index`.
pub(crate) fn cpu(index: usize) -> Cpu {
    Cpu::new(index).unwrap()
}

/// Unit `index`.
pub(crate) fn vcpu(index: usize) -> Vcpu {
    Vcpu::new(index as u16)
}

/// The processors with a bit in `bits`.
pub(crate) fn set(bits: u64) -> CpuSet {
    CpuSet::from_bits(bits)
}

/// A machine of one socket without hardware threads.
pub(crate) fn flat(cpus: usize) -> Vec<Place> {
    (0..cpus).map(Place::flat).collect()
}

/// A pool and the time.
pub(crate) struct Bench<P> {
    pub(crate) policy: P,
    pub(crate) probe: Probe,
    /// In nanoseconds.
    pub(crate) now: u64,
}

impl<P: Policy> Bench<P> {
    /// `policy` with the processors 0 to `cpus` − 1, which have followed their first requests.
    pub(crate) fn new(policy: P, cpus: usize) -> Self {
        let mut bench = Self {
            policy,
            probe: Probe::default(),
            now: 0,
        };
        for index in 0..cpus {
            bench.add_cpu(index).unwrap();
            bench.switch(index);
        }
        bench
    }

    /// Runs `test` with `units` units that sleep; unit i is of domain i.
    pub(crate) fn with(mut self, units: usize, test: impl FnOnce(&mut Self)) {
        for index in 0..units {
            self.insert(index, Admission::anywhere(Domain::new(index as u16)));
        }
        self.probe.take();
        test(&mut self);
        assert_eq!(self.policy.check_invariants(), Ok(()));
    }

    pub(crate) fn call<R>(&mut self, f: impl FnOnce(&mut P, Instant, &mut Probe) -> R) -> R {
        let now = Instant::from_nanos(self.now);
        f(&mut self.policy, now, &mut self.probe)
    }

    pub(crate) fn add_cpu(&mut self, index: usize) -> Result<(), Error> {
        self.call(|p, now, fx| p.add_cpu(cpu(index), now, fx))
    }

    pub(crate) fn remove_cpu(&mut self, index: usize) -> Result<(), Error> {
        self.call(|p, now, fx| p.remove_cpu(cpu(index), now, fx))
    }

    pub(crate) fn try_insert(&mut self, index: usize, admission: Admission) -> Result<(), Error> {
        self.call(|p, now, fx| p.insert(vcpu(index), admission, now, fx))
    }

    pub(crate) fn insert(&mut self, index: usize, admission: Admission) {
        self.try_insert(index, admission).unwrap();
    }

    pub(crate) fn remove(&mut self, index: usize) -> Result<(), Error> {
        self.call(|p, now, fx| p.remove(vcpu(index), now, fx))
    }

    pub(crate) fn wake(&mut self, index: usize) {
        self.call(|p, now, fx| p.wake(vcpu(index), now, fx));
    }

    pub(crate) fn sleep(&mut self, index: usize) {
        self.call(|p, now, fx| p.sleep(vcpu(index), now, fx));
    }

    pub(crate) fn yield_now(&mut self, index: usize) {
        self.call(|p, now, fx| p.yield_now(vcpu(index), now, fx));
    }

    pub(crate) fn affinity(&mut self, index: usize, hard: u64, soft: u64) {
        self.call(|p, now, fx| p.set_affinity(vcpu(index), set(hard), set(soft), now, fx))
            .unwrap();
    }

    pub(crate) fn timer(&mut self, timer: Timer) {
        self.call(|p, now, fx| p.timer(timer, now, fx));
    }

    pub(crate) fn schedule(&mut self, index: usize) -> Choice {
        self.call(|p, now, fx| p.schedule(cpu(index), now, false, fx))
    }

    /// Schedules where the hypervisor has work of its own.
    pub(crate) fn work(&mut self, index: usize) -> Choice {
        self.call(|p, now, fx| p.schedule(cpu(index), now, true, fx))
    }

    /// Returns the number of the unit that is chosen for processor `index`.
    pub(crate) fn next(&mut self, index: usize) -> Option<usize> {
        self.schedule(index).next.map(Vcpu::index)
    }

    pub(crate) fn saved(&mut self, on: usize, index: usize) {
        self.call(|p, now, fx| p.context_saved(cpu(on), vcpu(index), now, fx));
    }

    /// Schedules, and saves at once what was switched out.
    pub(crate) fn switch(&mut self, on: usize) -> Option<usize> {
        let before = self.policy.current(cpu(on)).map(Vcpu::index);
        let next = self.next(on);
        if let Some(last) = before.filter(|_| before != next) {
            self.saved(on, last);
        }
        next
    }

    pub(crate) fn supply(&self, index: usize, at: u64, now: u64) -> u64 {
        let [at, now] = [at, now].map(Instant::from_nanos);
        self.policy.supply(vcpu(index), at, now).as_nanos()
    }

    /// Returns the processors that were tickled since the last call.
    pub(crate) fn tickles(&mut self) -> Vec<usize> {
        let tickles = self.probe.take().tickles;
        tickles.into_iter().map(Cpu::index).collect()
    }

    pub(crate) fn check(&self) {
        assert_eq!(self.policy.check_invariants(), Ok(()));
    }
}
