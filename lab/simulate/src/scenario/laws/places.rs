//! Threads that hold the processors.
//!
//! Owns: the rules that no thread holds two, that each thread is where it may be, and that the most
//! urgent hold them. Must never know: how they were chosen.

use taktos_schedule::smp::PolicyKind;
use taktos_schedule::{Cpu, CpuSet};

use super::priorities::Chains;
use super::{Laws, Urgency};
use crate::scenario::command::{InstanceName, ThreadName};
use crate::scenario::names::Names;
use crate::scenario::script::{Occupant, Setup};
use crate::scenario::target::Target;

/// One that holds a processor of an instance, or could.
struct Candidate {
    urgency: Urgency,
    allowed: CpuSet,
}

impl Laws {
    /// Each thread is heir once at most and executes once at most, is ready where it is heir, and
    /// may be there.
    pub(super) fn places(
        &self,
        target: &dyn Target,
        setup: &Setup,
        names: &Names,
    ) -> Result<(), String> {
        let mut heirs = vec![None; names.threads().len()];
        let mut executing = vec![None; names.threads().len()];
        for cpu in setup.online {
            let on = target.on(cpu);
            if self.held.is_empty() && on.executing != on.heir {
                let index = cpu.index();
                return Err(format!(
                    "processor {index} does not execute its heir, and nothing holds it"
                ));
            }
            if let Occupant::Thread(thread) = on.executing {
                once(&mut executing, thread, cpu, "executes", names)?;
            }
            if let Occupant::Thread(thread) = on.heir {
                once(&mut heirs, thread, cpu, "is heir", names)?;
                self.may_be(target, thread, cpu, names)?;
            }
        }
        for instance in (0..names.instances().len()).map(InstanceName) {
            self.as_many(target, instance, names)?;
        }
        Ok(())
    }

    /// That a thread is ready and allowed where it is heir.
    fn may_be(
        &self,
        target: &dyn Target,
        thread: ThreadName,
        cpu: Cpu,
        names: &Names,
    ) -> Result<(), String> {
        let (name, index) = (names.thread(thread), cpu.index());
        if target
            .reasons(thread)
            .is_none_or(|reasons| !reasons.is_empty())
        {
            return Err(format!(
                "{name} is not ready, and heir of processor {index}"
            ));
        }
        let pinned = target.pinned(thread);
        if pinned.is_some_and(|pinned| pinned != cpu) {
            return Err(format!(
                "{name} is pinned elsewhere, and heir of processor {index}"
            ));
        }
        let home = target.home(thread);
        let at_home = home.is_some_and(|home| target.owned(home).contains(cpu));
        if at_home && pinned.is_none() && !target.affinity(thread).contains(cpu) {
            return Err(format!(
                "{name} may not be on processor {index}, and is its heir"
            ));
        }
        Ok(())
    }

    /// An instance has as many scheduled nodes as processors, and their heirs are those.
    fn as_many(
        &self,
        target: &dyn Target,
        instance: InstanceName,
        names: &Names,
    ) -> Result<(), String> {
        let owned = target.owned(instance);
        let mut heirs: Vec<Occupant> = owned.into_iter().map(|cpu| target.on(cpu).heir).collect();
        let scheduled = target.scheduled(instance);
        let name = names.instance(instance);
        if scheduled.len() != heirs.len() {
            let (found, count) = (scheduled.len(), heirs.len());
            return Err(format!(
                "{name} has {count} processors, and {found} hold one"
            ));
        }
        for who in scheduled {
            let Some(place) = heirs.iter().position(|heir| *heir == who) else {
                return Err(format!(
                    "{name}: one that holds a processor is heir of none"
                ));
            };
            heirs.swap_remove(place);
        }
        Ok(())
    }

    /// Checks that the threads on the processors of an instance are as urgent as can be. They are
    /// as many of the most urgent as fit where they may be. (Among equals any thread will do.)
    pub(super) fn most_urgent(
        &self,
        target: &dyn Target,
        instance: InstanceName,
        names: &Names,
    ) -> Result<(), String> {
        let policy = self.policy(instance);
        let budgets = policy == PolicyKind::Cbs && self.threads.iter().any(|own| own.server);
        // The weak form does not look for the best.
        if policy == PolicyKind::PriorityAffinity || budgets {
            return Ok(());
        }
        let chains = self.chains(target);
        let owned = target.owned(instance);
        let candidate = |thread: &ThreadName| Candidate {
            urgency: self
                .urgency(target, &chains, *thread, instance)
                .unwrap_or(Urgency::Idle),
            allowed: self.allowed(target, &chains, *thread, instance).and(owned),
        };
        let waiting = target.ready(instance).into_iter();
        let waiting: Vec<_> = waiting.filter(|one| waits(target, *one, owned)).collect();
        let mut first = None;
        for holders in holders(&target.scheduled(instance), &waiting, &chains) {
            let rest = waiting.iter().filter(|one| !holders.contains(one));
            let mut candidates: Vec<_> = holders.iter().chain(rest).map(candidate).collect();
            let mut found: Vec<_> = { candidates.iter().take(holders.len()) }
                .map(|candidate| candidate.urgency)
                .collect();
            found.resize(owned.count(), Urgency::Idle);
            found.sort();
            candidates.sort_by_key(|candidate| candidate.urgency);
            let mut best = chosen(&candidates);
            best.resize(owned.count(), Urgency::Idle);
            if best == found {
                return Ok(());
            }
            first.get_or_insert((best, found));
        }
        let (best, found) = first.unwrap_or_default();
        let name = names.instance(instance);
        Err(format!(
            "{name}: the most urgent of those who fit are {best:?}, but {found:?} hold its processors"
        ))
    }

    /// Returns the processors of the instance that the thread may have there. At home its own
    /// affinity counts; if it is helped there, the affinity of the first waiter of that instance
    /// counts. A thread that is pinned to another instance's processor may have its place kept at
    /// home.
    fn allowed(
        &self,
        target: &dyn Target,
        chains: &Chains,
        thread: ThreadName,
        instance: InstanceName,
    ) -> CpuSet {
        let pinned = target.pinned(thread);
        if let Some(cpu) = pinned.filter(|cpu| target.owned(instance).contains(*cpu)) {
            return CpuSet::of(cpu);
        }
        if target.home(thread) == Some(instance) {
            return target.affinity(thread);
        }
        let is_here = |waiter: &ThreadName| target.home(*waiter) == Some(instance);
        let waits = |waiter: &ThreadName| end_of(chains, *waiter) == Some(thread);
        let waiters = chains.values().flat_map(|(_, waiters)| waiters).copied();
        let lenders = waiters.filter(is_here).filter(waits);
        let first = lenders.min_by_key(|lender| self.urgency(target, chains, *lender, instance));
        first.map_or(CpuSet::ALL, |lender| {
            self.allowed(target, chains, lender, instance)
        })
    }
}

/// Notes that a thread has a processor, which it may have once.
fn once(
    seen: &mut [Option<Cpu>],
    thread: ThreadName,
    cpu: Cpu,
    what: &str,
    names: &Names,
) -> Result<(), String> {
    match seen[thread.0].replace(cpu) {
        None => Ok(()),
        Some(other) => Err(format!(
            "{} {what} on processors {} and {}",
            names.thread(thread),
            other.index(),
            cpu.index()
        )),
    }
}

/// Whether the thread waits for one of these processors: it is ready, heir of none anywhere, and
/// not pinned elsewhere.
fn waits(target: &dyn Target, thread: ThreadName, owned: CpuSet) -> bool {
    let ready = target
        .reasons(thread)
        .is_some_and(|reasons| reasons.is_empty());
    let here = target.pinned(thread).is_none_or(|cpu| owned.contains(cpu));
    ready && here && !target.has_processor(thread)
}

/// Returns the owner at the end of the chain of threads for which the thread waits; none if it
/// waits for no lock.
fn end_of(chains: &Chains, thread: ThreadName) -> Option<ThreadName> {
    let owner_for = |thread: &ThreadName| {
        let mut all = chains.values();
        let waited = all.find(|(_, waiters)| waiters.contains(thread));
        waited.map(|(owner, _)| *owner)
    };
    std::iter::successors(owner_for(&thread), owner_for).last()
}

/// Returns all ways in which the processors may be held. A scheduled thread holds one by itself, or
/// by the place of a thread of `waiting` that spins for it and lends it this place.
fn holders(
    scheduled: &[Occupant],
    waiting: &[ThreadName],
    chains: &Chains,
) -> Vec<Vec<ThreadName>> {
    let mut ways = vec![Vec::new()];
    for who in scheduled {
        let (Occupant::Thread(thread) | Occupant::Idle(Some(thread))) = who else {
            continue;
        };
        let lends = |spinner: &&ThreadName| end_of(chains, **spinner) == Some(*thread);
        let places = || std::iter::once(thread).chain(waiting.iter().filter(lends));
        ways = ways
            .iter()
            .flat_map(|way| places().map(|place| [&way[..], &[*place]].concat()))
            .collect();
    }
    ways
}

/// The urgencies of the best set that fits: each in turn, the most urgent first, is taken when all
/// those taken and it can have a processor each. (The sets that fit are those of a transversal
/// matroid, so greed is right.)
fn chosen(candidates: &[Candidate]) -> Vec<Urgency> {
    let mut holders: Vec<Option<usize>> = vec![None; Cpu::COUNT];
    let mut best = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let mut seen = CpuSet::EMPTY;
        if seat(candidates, &mut holders, index, &mut seen) {
            best.push(candidate.urgency);
        }
    }
    best
}

/// Gives the candidate a processor, if need be by moving others.
fn seat(
    candidates: &[Candidate],
    holders: &mut [Option<usize>],
    index: usize,
    seen: &mut CpuSet,
) -> bool {
    for cpu in candidates[index].allowed {
        if seen.contains(cpu) {
            continue;
        }
        *seen = seen.with(cpu);
        let free = match holders[cpu.index()] {
            None => true,
            Some(other) => seat(candidates, holders, other, seen),
        };
        if free {
            holders[cpu.index()] = Some(index);
            return true;
        }
    }
    false
}
