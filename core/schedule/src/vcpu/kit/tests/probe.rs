//! Owns: a world for unit tests that only notes a policy's requests.
//! Must never know: what comes of it.

extern crate std;

use crate::vcpu::{Admission, Domain, Effects, Policy, Timer, Vcpu};
use crate::{Cpu, CpuSet};
use std::vec::Vec;
use taktos_time::{Duration, Instant};

/// The requests of a policy since the last [`Probe::take`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) tickles: Vec<Cpu>,
    pub(crate) timers: Vec<(Timer, Option<Instant>)>,
}

impl Probe {
    /// Returns all requests, and forgets them.
    pub(crate) fn take(&mut self) -> Self {
        core::mem::take(self)
    }
}

impl Effects for Probe {
    fn tickle(&mut self, cpu: Cpu) {
        self.tickles.push(cpu);
    }
    fn arm(&mut self, timer: Timer, at: Option<Instant>) {
        self.timers.push((timer, at));
    }
}

/// The last operation on a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Act {
    Insert,
    Wake,
    Sleep,
    Yield,
    Affinity,
    Schedule,
    Saved,
    Timer { due: u64 },
    AddCpu,
    RemoveCpu,
}

/// Does random acts on `policy` with `units` units in the pool and `cpus` processors, in an order
/// that a world could bring about. `then` is called after each, to check the steps that it took.
/// `due` returns how many units a timer finds due.
pub(crate) fn storm<P: Policy>(
    policy: &mut P,
    (units, cpus): (usize, usize),
    seed: u64,
    due: impl Fn(&P, Instant) -> u64,
    mut then: impl FnMut(&mut P, Act),
) {
    let mut fx = Probe::default();
    let mut random = seed;
    let mut next = |limit: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % limit
    };
    let mut now = Instant::START;
    let mut saving: Vec<(Cpu, Vcpu)> = Vec::new();
    for index in 0..cpus {
        policy.add_cpu(cpu(index), now, &mut fx).unwrap();
        then(policy, Act::AddCpu);
    }
    for index in 0..units {
        let admission = Admission::anywhere(Domain::new(0));
        let unit = Vcpu::new(index as u16);
        policy.insert(unit, admission, now, &mut fx).unwrap();
        then(policy, Act::Insert);
    }
    let turns = if cfg!(miri) { 300 } else { 20_000 };
    for turn in 0..turns {
        let unit = Vcpu::new(next(units as u64) as u16);
        let at = cpu(next(cpus as u64) as usize);
        // At times all units wake, or everything is due at once.
        let act = if turn % 500 < units { 0 } else { next(20) };
        match act {
            0..5 => {
                let unit = if turn % 500 < units {
                    Vcpu::new((turn % 500) as u16)
                } else {
                    unit
                };
                policy.wake(unit, now, &mut fx);
                then(policy, Act::Wake);
            }
            5..7 => {
                policy.sleep(unit, now, &mut fx);
                then(policy, Act::Sleep);
            }
            7 => {
                policy.yield_now(unit, now, &mut fx);
                then(policy, Act::Yield);
            }
            8 => {
                let hard = CpuSet::from_bits(next(1 << cpus) | next(1 << cpus));
                policy.set_affinity(unit, hard, hard, now, &mut fx).unwrap();
                then(policy, Act::Affinity);
            }
            9..14 if saving.iter().all(|(cpu, _)| *cpu != at) => {
                let before = policy.current(at);
                let choice = policy.schedule(at, now, next(10) == 0, &mut fx);
                then(policy, Act::Schedule);
                saving.extend(
                    before
                        .filter(|_| choice.next != before)
                        .map(|unit| (at, unit)),
                );
            }
            14..17 => {
                if let Some((at, unit)) = saving.pop() {
                    policy.context_saved(at, unit, now, &mut fx);
                    then(policy, Act::Saved);
                }
            }
            17 => {
                let span = if next(10) == 0 { 50_000_000 } else { 2_000_000 };
                now = now.saturating_add(Duration::from_nanos(next(span)));
                let due = due(policy, now);
                policy.timer(Timer::Replenishment, now, &mut fx);
                then(policy, Act::Timer { due });
            }
            18 if policy.remove_cpu(at, now, &mut fx).is_ok() => then(policy, Act::RemoveCpu),
            19 if policy.add_cpu(at, now, &mut fx).is_ok() => then(policy, Act::AddCpu),
            _ => {}
        }
        policy.check_invariants().unwrap();
    }
}

fn cpu(index: usize) -> Cpu {
    Cpu::new(index).unwrap()
}
