//! Owns: what is due when, on each processor.
//! Must never know: what happens then.
//!
//! The end of a processor's choice is none of these timers: it is a word of the processor.
//!
//! A timer goes off on the processor that armed it last: no notification to another processor is
//! needed to set its hardware timer again. Each processor's timers are a list in the order of their
//! instants, FIFO among equals. Bounds: arming is one pass over those of the processor that are due
//! no later; disarming and taking a fixed number of steps.

use taktos_abi::vm::Description;
use taktos_schedule::vcpu::{Domain, Timer as PolicyTimer};
use taktos_time::Instant;

const CPUS: usize = Description::CPUS;
const VCPUS: usize = Description::VCPUS;
const POLICY_TIMERS: usize = CPUS + 2 + Description::PARTITIONS;
/// How many timers there are.
const COUNT: usize = 2 * VCPUS + Description::POOLS * POLICY_TIMERS;
/// Heads of the processors' lists follow the timers.
const RECORDS: usize = COUNT + CPUS;

/// A timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timer {
    /// The guest's timer of a VCPU that waits.
    Wake(usize),
    /// The emulated physical timer of a VCPU.
    Physical(usize),
    /// A timer of a pool's policy.
    Policy(usize, PolicyTimer),
}

impl Timer {
    fn index(self) -> usize {
        match self {
            Self::Wake(vcpu) => vcpu,
            Self::Physical(vcpu) => VCPUS + vcpu,
            Self::Policy(pool, timer) => {
                let own = match timer {
                    PolicyTimer::Tick(cpu) => cpu.index(),
                    PolicyTimer::Accounting => CPUS,
                    PolicyTimer::Replenishment => CPUS + 1,
                    PolicyTimer::Refill(domain) => CPUS + 2 + domain.index(),
                };
                2 * VCPUS + pool * POLICY_TIMERS + own
            }
        }
    }

    /// The timer of that index; all indices below [`COUNT`] name one.
    fn of(index: usize) -> Self {
        if index < VCPUS {
            return Self::Wake(index);
        }
        if index < 2 * VCPUS {
            return Self::Physical(index - VCPUS);
        }
        let rest = index - 2 * VCPUS;
        let (pool, own) = (rest / POLICY_TIMERS, rest % POLICY_TIMERS);
        let timer = match own {
            CPUS => PolicyTimer::Accounting,
            _ if own == CPUS + 1 => PolicyTimer::Replenishment,
            _ if own > CPUS => PolicyTimer::Refill(Domain::new((own - CPUS - 2) as u16)),
            _ => PolicyTimer::Tick(crate::processor(own)),
        };
        Self::Policy(pool, timer)
    }
}

/// The timers of all processors.
///
/// They are served in passes ([`Timers::begin_pass`]). A timer that is armed during one, and after
/// it, is not due in that pass, however long ago its instant was: whatever a timer's service arms,
/// a pass ends.
pub struct Timers {
    /// Nothing is armed for an earlier instant: it is after the latest pass.
    earliest: u64,
    at: [u64; RECORDS],
    next: [u8; RECORDS],
    previous: [u8; RECORDS],
}

/// Marks a timer that is in no list: it is its own neighbour.
const fn alone() -> [u8; RECORDS] {
    let mut links = [0; RECORDS];
    let mut index = 0;
    while index < RECORDS {
        links[index] = index as u8;
        index += 1;
    }
    links
}

impl Timers {
    /// None is armed.
    pub const fn new() -> Self {
        const { assert!(RECORDS <= 256) };
        Self {
            earliest: 0,
            at: [u64::MAX; RECORDS],
            next: alone(),
            previous: alone(),
        }
    }

    /// Those that are due at `now` are about to be taken, by whichever processor. Passes come in
    /// the order of time.
    pub fn begin_pass(&mut self, now: Instant) {
        self.earliest = now.as_nanos() + 1;
    }

    /// Arms `timer` on `cpu` for `at`, instead of any instant before, but not for one that a pass
    /// has dealt with; none disarms it.
    pub fn arm(&mut self, cpu: usize, timer: Timer, at: Option<Instant>) {
        let index = timer.index();
        if index >= COUNT || cpu >= CPUS {
            return; // No policy of a machine of this size has it.
        }
        if usize::from(self.next[index]) != index {
            self.unlink(index);
        }
        let Some(at) = at.map(|at| at.as_nanos().max(self.earliest)) else {
            return;
        };
        let head = COUNT + cpu;
        let mut after = usize::from(self.next[head]);
        while after != head && self.at[after] <= at {
            after = usize::from(self.next[after]);
        }
        let before = usize::from(self.previous[after]);
        self.at[index] = at;
        (self.next[index], self.previous[index]) = (after as u8, before as u8);
        self.next[before] = index as u8;
        self.previous[after] = index as u8;
    }

    fn unlink(&mut self, index: usize) {
        let (before, after) = (self.previous[index], self.next[index]);
        self.next[usize::from(before)] = after;
        self.previous[usize::from(after)] = before;
        (self.next[index], self.previous[index]) = (index as u8, index as u8);
    }

    /// When the first of `cpu` is due.
    #[inline]
    pub fn first(&self, cpu: usize) -> Option<Instant> {
        let first = usize::from(self.next[COUNT + cpu]);
        (first < COUNT).then(|| Instant::from_nanos(self.at[first]))
    }

    /// Takes the first of `cpu` if it is due at `now`.
    pub fn take_due(&mut self, cpu: usize, now: Instant) -> Option<Timer> {
        let first = usize::from(self.next[COUNT + cpu]);
        if first >= COUNT || self.at[first] > now.as_nanos() {
            return None;
        }
        self.unlink(first);
        Some(Timer::of(first))
    }
}

impl Default for Timers {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    #[test]
    fn every_timer_has_an_index_of_its_own() {
        for index in 0..COUNT {
            assert_eq!(Timer::of(index).index(), index);
        }
    }

    proptest! {
        /// Against a list that is sorted again at each step.
        #[test]
        fn timers_go_off_in_order(steps in prop::collection::vec((0..COUNT, 0..CPUS, prop::option::of(0u64..50), any::<bool>()), 0..200)) {
            let mut timers = Timers::new();
            let (mut passed, mut served) = (false, 0); // The latest pass.
            let mut model: Vec<(u64, usize, usize, usize)> = Vec::new(); // at, age, cpu, timer
            for (age, &(index, cpu, at, take)) in steps.iter().enumerate() {
                if take {
                    let now = Instant::from_nanos(at.unwrap_or(25).max(served));
                    (passed, served) = (true, now.as_nanos());
                    timers.begin_pass(now);
                    model.sort();
                    let due = model.iter().position(|&(when, _, on, _)| on == cpu && when <= now.as_nanos());
                    let expected = due.map(|place| Timer::of(model.remove(place).3));
                    prop_assert_eq!(timers.take_due(cpu, now), expected);
                } else {
                    model.retain(|entry| entry.3 != index);
                    if let Some(at) = at {
                        let at = if passed { at.max(served + 1) } else { at };
                        model.push((at, age, cpu, index));
                    }
                    timers.arm(cpu, Timer::of(index), at.map(Instant::from_nanos));
                }
                for cpu in 0..CPUS {
                    let first = model.iter().filter(|entry| entry.2 == cpu).map(|entry| entry.0).min();
                    prop_assert_eq!(timers.first(cpu).map(Instant::as_nanos), first);
                }
            }
        }
    }

    #[test]
    fn a_pass_ends_whatever_its_timers_arm() {
        let mut timers = Timers::new();
        let all = [Timer::Wake(0), Timer::Physical(1), Timer::Wake(2)];
        for timer in all {
            timers.arm(0, timer, Some(Instant::from_nanos(50)));
        }
        for pass in 100..104 {
            let now = Instant::from_nanos(pass);
            timers.begin_pass(now);
            for timer in all {
                assert_eq!(timers.take_due(0, now), Some(timer));
                // Each is armed at once for an instant that has passed long since.
                timers.arm(0, timer, Some(Instant::START));
            }
            assert_eq!(timers.take_due(0, now), None);
            assert_eq!(timers.first(0), Some(Instant::from_nanos(pass + 1)));
        }
    }
}
