//! Owns: the exchange of units between run queues.
//! Must never know: credit.

use super::Credit2;
use super::parameters::Capacity;
use crate::vcpu::Effects;
use taktos_time::Instant;

/// A unit to give, a unit to take, and by how much the loads differ then.
#[derive(Clone, Copy)]
struct Exchange {
    push: Option<usize>,
    pull: Option<usize>,
    difference: i64,
}

impl Credit2<'_> {
    /// Evens out the loads of run queue `own` and the one that differs most from it, by the best
    /// of all single moves and swaps. Checks each run queue once, and each pair of a member here
    /// and a member there.
    pub(super) fn balance(&mut self, own: usize, now: Instant, fx: &mut impl Effects) {
        let Some((other, difference)) = self.most_different(own, now) else {
            return;
        };
        if difference < self.tolerance(own, other) {
            return;
        }
        let best = self.best_exchange(own, other, difference);
        if let Some(index) = best.push {
            self.migrate(index, other as u8, now, fx);
        }
        if let Some(index) = best.pull {
            self.migrate(index, own as u8, now, fx);
        }
    }

    /// Returns the run queue with the load that differs most from that of `own`, and the
    /// difference.
    fn most_different(&mut self, own: usize, now: Instant) -> Option<(usize, i64)> {
        self.average_queue(own, now);
        let mut most: Option<(usize, i64)> = None;
        for other in 0..self.queues.len() {
            self.steps.one();
            if other == own || self.queues[other].cpus.is_empty() {
                continue;
            }
            self.average_queue(other, now);
            let difference = self.difference(own, other, 0);
            if difference > most.map_or(0, |(_, most)| most) {
                most = Some((other, difference));
            }
        }
        most
    }

    /// By how much the loads differ when `moved` goes from `own` to `other`.
    fn difference(&self, own: usize, other: usize, moved: i64) -> i64 {
        (self.queues[own].balance - moved - (self.queues[other].balance + moved)).abs()
    }

    /// The least difference that is worth a move: less when the larger load keeps
    /// all processors of the larger queue busy.
    fn tolerance(&self, own: usize, other: usize) -> i64 {
        let asked = match self.modes().capacity {
            Capacity::MostDifferent => other,
            Capacity::LastVisited => {
                let mut visited = (0..self.queues.len()).rev();
                let is_visited =
                    |&group: &usize| group != own && !self.queues[group].cpus.is_empty();
                visited.find(is_visited).unwrap_or(other)
            }
        };
        let (here, there) = (&self.queues[own], &self.queues[asked]);
        let load = here.balance.max(there.balance);
        let cpus = here.cpus.count().max(there.cpus.count()) as i64;
        self.modes()
            .tolerance(load >= cpus * self.modes().whole_load())
    }

    /// The exchange after which the loads differ least; none when none helps.
    fn best_exchange(&mut self, own: usize, other: usize, difference: i64) -> Exchange {
        let mut best = Exchange {
            push: None,
            pull: None,
            difference,
        };
        let mut push = None;
        loop {
            self.try_pulls(own, other, push, &mut best);
            push = self.next_movable(own, other, push);
            if push.is_none() {
                return best;
            }
        }
    }

    /// Tries to push `push`, if there is one, alone and for each unit of `other`.
    fn try_pulls(&mut self, own: usize, other: usize, push: Option<usize>, best: &mut Exchange) {
        let given = push.map_or(0, |index| self.units[index].average);
        let mut pull = None;
        loop {
            self.steps.one();
            let taken = pull.map_or(0, |index: usize| self.units[index].average);
            let difference = self.difference(own, other, given - taken);
            if difference < best.difference {
                *best = Exchange {
                    push,
                    pull,
                    difference,
                };
            }
            pull = self.next_movable(other, own, pull);
            if pull.is_none() {
                return;
            }
        }
    }

    /// Returns the member of run queue `from` after `last`, or the first, that can go to `to`.
    fn next_movable(&mut self, from: usize, to: usize, last: Option<usize>) -> Option<usize> {
        let mut at = match last {
            Some(index) => self.fellow(index),
            None => self.queues[from].members.first(),
        };
        while let Some(index) = at {
            self.steps.one();
            let reach = self.allowed(index).and(self.queues[to].cpus);
            if !self.units[index].migrating && !reach.is_empty() {
                return at;
            }
            at = self.fellow(index);
        }
        None
    }

    /// Moves unit `index` to run queue `group`: at once if it waits or sleeps; if it runs, its
    /// processor is notified, and it goes when its registers are saved.
    fn migrate(&mut self, index: usize, group: u8, now: Instant, fx: &mut impl Effects) {
        if self.is_running(index) || self.units[index].state.saving {
            self.units[index].migrating = true;
            self.units[index].target = Some(group);
            if self.is_running(index) {
                self.poke(self.units[index].cpu, None, fx);
            }
        } else {
            let cpu = self.place_in(index, group);
            self.relocate(index, Some(group), cpu, now, fx);
        }
    }

    /// Assigns unit `index`, which neither runs nor is being switched out, to run
    /// queue `group` and processor `cpu`; if it waits, it waits there.
    pub(super) fn relocate(
        &mut self,
        index: usize,
        group: Option<u8>,
        cpu: crate::Cpu,
        now: Instant,
        fx: &mut impl Effects,
    ) {
        let waits = self.units[index].queued;
        if waits {
            self.dequeue(index);
        }
        if self.units[index].group != group {
            self.assign(index, group, now);
        }
        self.units[index].cpu = cpu;
        if waits {
            self.enqueue(index);
            self.tickle(index, now, fx);
        }
    }
}
