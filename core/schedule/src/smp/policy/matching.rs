//! Owns: the choice of the occupant that leaves its processor and of the processors along which
//! the others shift. Each thread may run only on some of them.
//! Must never know: a thread, the meaning of its priority, where waiting threads are kept.
//!
//! The threads that run are a matching of threads to processors. The sets of
//! threads that can run at once are the independent sets of a transversal
//! matroid (Edmonds & Fulkerson 1965); so one exchange along one alternating
//! path restores the best of them after each single arrival or departure, and
//! the best is the one that a greedy choice from scratch would find. The idea
//! for schedulers is that of Cerqueira, Gujarati & Brandenburg, "Linux's
//! Processor Affinity API, Refined" (RTSS 2014), "strong" semantics.
//!
//! Both searches go by layers, so the path found is one of the shortest: any
//! assignment of the same threads moves at least as many of them.

use crate::{Cpu, CpuSet};

/// The facts that a search reads about the occupants of processors.
pub(crate) trait Seats {
    /// How urgent an occupant is: the smaller, the more. No two have the same.
    type Key: Ord + Copy;

    /// Returns where the one on `cpu` may run.
    fn allowed(&self, cpu: Cpu) -> CpuSet;

    /// Returns the key of the occupant of `cpu`; none if a newcomer displaces no thread there.
    fn key(&self, cpu: Cpu) -> Option<Self::Key>;
}

/// The processors on a path: the newcomer takes the first, each occupant shifts
/// to the next, and the last is left by its occupant or was free.
#[derive(Clone, Copy)]
pub struct Route {
    stops: [Cpu; Cpu::COUNT],
    length: usize,
}

impl Route {
    pub(crate) fn to(only: Cpu) -> Self {
        Self {
            stops: [only; Cpu::COUNT],
            length: 1,
        }
    }

    fn push(&mut self, cpu: Cpu) {
        self.stops[self.length] = cpu;
        self.length += 1;
    }

    /// The processor for the newcomer.
    pub(crate) fn first(&self) -> Cpu {
        self.stops[0]
    }

    /// Returns the processor that must be free before any occupant shifts.
    pub fn last(&self) -> Cpu {
        self.stops[self.length - 1]
    }

    /// The shifts `(from, to)`, in an order in which `to` is always free already.
    pub(crate) fn shifts(&self) -> impl Iterator<Item = (Cpu, Cpu)> {
        let stops = &self.stops[..self.length];
        stops.windows(2).rev().map(|pair| (pair[0], pair[1]))
    }
}

/// Returns the route of a newcomer that may run on `allowed`, up to the occupant that leaves.
///
/// The last processor of the route is the nearest free one that can be reached by shifting. If
/// there is none, it is that of the least urgent occupant that can be reached, provided that this
/// occupant is less urgent than `key`. None: the newcomer waits.
///
/// Bound: each of the m processors of `owned` is checked once: O(m).
pub(crate) fn arrival<S: Seats>(
    seats: &S,
    owned: CpuSet,
    allowed: CpuSet,
    key: S::Key,
) -> Option<Route> {
    let mut reached = allowed.and(owned);
    let mut from = [reached.lowest()?; Cpu::COUNT];
    let mut layer = reached;
    let mut worst: Option<(S::Key, Cpu)> = None;
    while !layer.is_empty() {
        let mut next = CpuSet::EMPTY;
        for cpu in layer {
            let Some(found) = seats.key(cpu) else {
                return Some(back(&from, allowed, cpu));
            };
            if worst.is_none_or(|(worst, _)| found > worst) {
                worst = Some((found, cpu));
            }
            let fresh = seats.allowed(cpu).and(owned).minus(reached);
            for other in fresh {
                from[other.index()] = cpu;
            }
            reached = reached.or(fresh);
            next = next.or(fresh);
        }
        layer = next;
    }
    let (worst, cpu) = worst?;
    (worst > key).then(|| back(&from, allowed, cpu))
}

/// The result for an arrival, as far as it is known without a shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArrivalKind {
    /// The newcomer takes this processor, which is free, or its occupant makes way.
    Takes(Cpu),
    /// The newcomer waits.
    Waits,
    /// Only [`arrival`] decides: by shifting, another occupant may make way.
    Unclear,
}

/// Returns the result of [`arrival`] if no thread shifts for it: a processor of `allowed` is free,
/// or the least urgent occupant of all is on one of `allowed`, or is more urgent than `key`.
///
/// Bound: each of the m processors of `owned` is checked once: O(m).
#[inline(always)]
pub(crate) fn classify_arrival<S: Seats>(
    seats: &S,
    owned: CpuSet,
    allowed: CpuSet,
    key: S::Key,
) -> ArrivalKind {
    let mut worst: Option<(S::Key, Cpu)> = None;
    let mut elsewhere = false;
    for cpu in owned {
        match seats.key(cpu) {
            None if allowed.contains(cpu) => return ArrivalKind::Takes(cpu),
            None => elsewhere = true,
            Some(found) if worst.is_none_or(|(worst, _)| found > worst) => {
                worst = Some((found, cpu));
            }
            Some(_) => {}
        }
    }
    match worst {
        _ if elsewhere => ArrivalKind::Unclear,
        Some((worst, cpu)) if worst > key => match allowed.contains(cpu) {
            true => ArrivalKind::Takes(cpu),
            false => ArrivalKind::Unclear,
        },
        _ => ArrivalKind::Waits,
    }
}

/// Returns the path that ends at `last`. For each processor, until one of `allowed`, `from` has the
/// processor that its next occupant comes from.
fn back(from: &[Cpu; Cpu::COUNT], allowed: CpuSet, last: Cpu) -> Route {
    let mut route = Route::to(last);
    let mut cpu = last;
    while !allowed.contains(cpu) {
        cpu = from[cpu.index()];
        route.push(cpu);
    }
    route.stops[..route.length].reverse();
    route
}

/// The processors from which an occupant can come, by shifting, to a freed one.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    freed: Cpu,
    all: CpuSet,
    towards: [Cpu; Cpu::COUNT],
    distance: [u8; Cpu::COUNT],
}

/// Returns which threads profit if `freed` is free: all that may run on one of [`Reach::cpus`].
///
/// Bound: at most m layers, each of which checks the processors not reached yet: O(m²); one layer,
/// O(m), when every occupant may run on `freed`.
pub(crate) fn departure<S: Seats>(seats: &S, owned: CpuSet, freed: Cpu) -> Reach {
    let mut reach = Reach {
        freed,
        all: CpuSet::of(freed),
        towards: [freed; Cpu::COUNT],
        distance: [0; Cpu::COUNT],
    };
    let mut layer = reach.all;
    let mut steps = 0;
    while !layer.is_empty() {
        let mut next = CpuSet::EMPTY;
        steps += 1;
        for cpu in owned.minus(reach.all) {
            if let Some(to) = seats.allowed(cpu).and(layer).lowest() {
                reach.towards[cpu.index()] = to;
                reach.distance[cpu.index()] = steps;
                next = next.with(cpu);
            }
        }
        reach.all = reach.all.or(next);
        layer = next;
    }
    reach
}

impl Reach {
    /// Returns the processors one of which a thread must be allowed to run on to profit.
    pub(crate) fn cpus(&self) -> CpuSet {
        self.all
    }

    /// Returns the route of one that may run on `allowed`; none when it cannot profit.
    ///
    /// Bound: O(m).
    pub(crate) fn route(&self, allowed: CpuSet) -> Option<Route> {
        let starts = allowed.and(self.all).into_iter();
        let mut cpu = starts.min_by_key(|cpu| self.distance[cpu.index()])?;
        let mut route = Route::to(cpu);
        while cpu != self.freed {
            cpu = self.towards[cpu.index()];
            route.push(cpu);
        }
        Some(route)
    }
}

#[cfg(test)]
#[path = "matching_tests.rs"]
mod tests;
