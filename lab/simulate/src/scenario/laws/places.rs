//! Who holds which processor.
//!
//! Owns: that nobody holds two, that everybody is where it may be, and that the most urgent hold them.
//! Must never know: how they were chosen.

use taktos_schedule::smp::PolicyKind;
use taktos_schedule::{Cpu, CpuSet};

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

    /// Those that hold the processors of an instance are as urgent as can be: as many of the most urgent as fit where
    /// they may be. (Among equals anybody will do.)
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
        let candidate = |thread: ThreadName| Candidate {
            urgency: self
                .urgency(target, &chains, thread, instance)
                .unwrap_or(Urgency::Idle),
            allowed: allowed(target, thread, instance).and(owned),
        };
        let holders = target.scheduled(instance);
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut found: Vec<Urgency> = Vec::new();
        for who in &holders {
            let (Occupant::Thread(thread) | Occupant::Idle(Some(thread))) = who else {
                found.push(Urgency::Idle);
                continue;
            };
            let holder = candidate(*thread);
            found.push(holder.urgency);
            candidates.push(holder);
        }
        let waiting = target.ready(instance).into_iter();
        candidates.extend(
            waiting
                .filter(|thread| waits(target, *thread, owned))
                .map(candidate),
        );
        candidates.sort_by_key(|candidate| candidate.urgency);
        let mut best = chosen(&candidates);
        best.resize(owned.count(), Urgency::Idle);
        found.sort();
        if best == found {
            return Ok(());
        }
        let name = names.instance(instance);
        Err(format!(
            "{name}: the most urgent of those who fit are {best:?}, but {found:?} hold its processors"
        ))
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

/// Where the thread's node may hold a processor of the instance: its affinity binds at home only. One that is pinned to
/// another instance's processor may have its place kept here.
fn allowed(target: &dyn Target, thread: ThreadName, instance: InstanceName) -> CpuSet {
    let pinned = target.pinned(thread);
    match pinned.filter(|cpu| target.owned(instance).contains(*cpu)) {
        Some(cpu) => CpuSet::of(cpu),
        None if target.home(thread) == Some(instance) => target.affinity(thread),
        None => CpuSet::ALL,
    }
}

/// Whether the thread waits for one of these processors: it is ready, heir of none anywhere, and not pinned elsewhere.
fn waits(target: &dyn Target, thread: ThreadName, owned: CpuSet) -> bool {
    let ready = target
        .reasons(thread)
        .is_some_and(|reasons| reasons.is_empty());
    let here = target.pinned(thread).is_none_or(|cpu| owned.contains(cpu));
    ready && here && !target.has_processor(thread)
}

/// The urgencies of the best set that fits: each in turn, the most urgent first, is taken when all those taken and it can
/// have a processor each. (The sets that fit are those of a transversal matroid, so greed is right.)
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
