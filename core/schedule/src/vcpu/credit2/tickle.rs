//! Owns: which processor is notified of a unit that has come to wait.
//! Must never know: how it is notified.

use super::Credit2;
use super::parameters::{CREDIT_INITIAL, MIGRATION_RESISTANCE, RATELIMIT_TOLERANCE};
use crate::vcpu::kit::topology::next_in;
use crate::vcpu::{Effects, Profile};
use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

impl Credit2<'_> {
    /// Requests that `cpu` schedules, on behalf of unit `promised` if there is one. Until it has,
    /// no other unit tickles it, and no other processor takes the unit.
    pub(super) fn poke(&mut self, cpu: Cpu, promised: Option<usize>, fx: &mut impl Effects) {
        if let Some(group) = self.processors[cpu.index()].group {
            let queue = &mut self.queues[usize::from(group)];
            queue.tickled = queue.tickled.with(cpu);
        }
        if let Some(index) = promised {
            self.units[index].promise = Some(cpu);
            self.processors[cpu.index()].promised = Some(index as u16);
        }
        fx.tickle(cpu);
    }

    /// Notifies a processor of unit `index`, which has come on its run queue. Checks each
    /// processor of the queue three times at most.
    pub(super) fn tickle(&mut self, index: usize, now: Instant, fx: &mut impl Effects) {
        let chosen = match self.modes().profile {
            Profile::Current => self.free_for(index).or_else(|| self.victim_of(index, now)),
            Profile::Xen45 => self
                .own_before_all(index, now)
                .or_else(|| self.free_for(index))
                .or_else(|| self.victim_of(index, now)),
        };
        if let Some(cpu) = chosen {
            self.poke(cpu, Some(index), fx);
        }
    }

    /// Notifies an idle processor of unit `index`, if one suits it.
    pub(super) fn tickle_free(&mut self, index: usize, fx: &mut impl Effects) {
        if let Some(cpu) = self.free_for(index) {
            self.poke(cpu, Some(index), fx);
        }
    }

    /// Returns the idle processor for unit `index`: its own if it is pinned there; then one with
    /// its whole core idle, then any. Each time its own comes before others. All of that is tried
    /// first on the processors that it prefers, then on those where it may run.
    fn free_for(&mut self, index: usize) -> Option<Cpu> {
        let own = self.units[index].cpu;
        let queue = &self.queues[self.group_of(index)];
        let (free, cpus) = (queue.free(), queue.cpus);
        if free.is_empty() {
            return None;
        }
        if self.units[index].state.affinity.hard == CpuSet::of(own) && free.contains(own) {
            return Some(own);
        }
        for mask in self.passes(index).into_iter().flatten() {
            let suitable = mask.and(free);
            let whole = self.whole_cores(suitable, free, cpus);
            for set in [whole, suitable] {
                if set.contains(own) {
                    return Some(own);
                }
                if let Some(cpu) = next_in(set, own) {
                    return Some(cpu);
                }
            }
        }
        None
    }

    /// Returns those of `suitable` on cores that have only `free` processors of the queue.
    fn whole_cores(&mut self, suitable: CpuSet, free: CpuSet, cpus: CpuSet) -> CpuSet {
        let mut whole = CpuSet::EMPTY;
        for cpu in suitable {
            self.steps.one();
            let core = self.processors[cpu.index()].near.core;
            if free.covers(core.and(cpus)) {
                whole = whole.with(cpu);
            }
        }
        whole
    }

    /// Release 4.5: the unit's own processor, if what runs there has less credit; the
    /// idle unit has.
    fn own_before_all(&mut self, index: usize, now: Instant) -> Option<Cpu> {
        let own = self.units[index].cpu;
        let queue = &self.queues[self.group_of(index)];
        if queue.free().contains(own) {
            return Some(own);
        }
        if queue.tickled.contains(own) {
            return None;
        }
        let current = self.processors[own.index()].current.map(usize::from)?;
        self.burn(current, now);
        (self.units[index].credit > self.units[current].credit).then_some(own)
    }

    /// Returns the busy processor with the unit that makes way for unit `index` at the least loss:
    /// its own, if it prefers it and has more credit than the unit that runs there; otherwise the
    /// one of the best score, if any is above zero.
    fn victim_of(&mut self, index: usize, now: Instant) -> Option<Cpu> {
        let own = self.units[index].cpu;
        let queue = &self.queues[self.group_of(index)];
        let mut busy = queue.cpus.minus(queue.idle).minus(queue.tickled);
        busy = busy.and(self.allowed(index));
        let mut best = (0, None);
        if busy.contains(own) {
            let score = self.score(index, own, now);
            if score > 0 {
                if self.comfort_of(index).contains(own) {
                    return Some(own);
                }
                best = (score, Some(own));
            }
        }
        for cpu in busy.without(own) {
            self.steps.one();
            let score = self.score(index, cpu, now);
            if score > best.0 {
                best = (score, Some(cpu));
            }
        }
        best.1
    }

    /// How much better it is to run unit `index` on `cpu` than what runs there;
    /// above zero when it is.
    fn score(&mut self, index: usize, cpu: Cpu, now: Instant) -> i64 {
        let Some(current) = self.processors[cpu.index()].current.map(usize::from) else {
            return 0; // The hypervisor's own work.
        };
        let limit = self.modes().ratelimit;
        let ran = now.since(self.units[current].started);
        if limit != Duration::ZERO && ran < limit.saturating_sub(RATELIMIT_TOLERANCE) {
            return 0;
        }
        self.burn(current, now);
        let mut score = self.units[index].credit - self.units[current].credit;
        if self.units[index].cpu != cpu {
            score -= MIGRATION_RESISTANCE;
        }
        if score > 0 {
            if self.comfort_of(index).contains(cpu) {
                score += CREDIT_INITIAL;
            }
            if !self.comfort_of(current).contains(cpu) {
                score += CREDIT_INITIAL;
            }
        }
        score
    }
}
