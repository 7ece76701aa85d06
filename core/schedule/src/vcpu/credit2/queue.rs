//! Owns: the units on each run queue, their order, and the greatest weight and the load that
//! follow.
//! Must never know: the unit that runs next.

use super::Credit2;
use super::load::{averaged, step_of};
use super::tables::{MEMBERS, QUEUE};
use crate::vcpu::kit::chain::Chain;
use taktos_time::Instant;

impl Credit2<'_> {
    /// Returns the unit after `index` on its queue.
    pub(super) fn behind(&self, index: usize) -> Option<usize> {
        Chain::<QUEUE>::next(self.units, index)
    }

    /// The member of its run queue that follows unit `index`.
    pub(super) fn fellow(&self, index: usize) -> Option<usize> {
        Chain::<MEMBERS>::next(self.units, index)
    }

    /// The run queue that unit `index`, which is in the pool, is assigned to.
    pub(super) fn group_of(&self, index: usize) -> usize {
        self.units[index].group.map_or(0, usize::from)
    }

    /// Returns the weight of unit `index`.
    pub(super) fn weight_of(&self, index: usize) -> u16 {
        self.domains[self.units[index].domain as usize].weight
    }

    /// Puts unit `index` on its run queue, after all that have no less credit. Each unit on the
    /// queue is checked once at most.
    pub(super) fn enqueue(&mut self, index: usize) {
        let group = self.group_of(index);
        let credit = self.units[index].credit;
        let queue = &mut self.queues[group].queue;
        let at = queue.place_of(self.units, &mut self.steps, |other| credit > other.credit);
        queue.insert_before(self.units, index, at);
        self.units[index].queued = true;
    }

    /// Takes unit `index` off its run queue.
    pub(super) fn dequeue(&mut self, index: usize) {
        let group = self.group_of(index);
        self.queues[group].queue.remove(self.units, index);
        self.units[index].queued = false;
        self.units[index].promise = None;
    }

    /// Brings the averages of run queue `group` up to `now`.
    pub(super) fn average_queue(&mut self, group: usize, now: Instant) {
        let queue = &mut self.queues[group];
        let step = step_of(now);
        let steps = step - queue.averaged.min(step);
        queue.average = averaged(queue.average, queue.load, steps, &self.parameters.held());
        queue.balance = averaged(queue.balance, queue.load, steps, &self.parameters.held());
        queue.averaged = step;
    }

    fn average_unit(&mut self, index: usize, now: Instant) {
        let unit = &mut self.units[index];
        let step = step_of(now);
        let steps = step - unit.averaged.min(step);
        unit.average = averaged(
            unit.average,
            unit.counted as i64,
            steps,
            &self.parameters.held(),
        );
        unit.averaged = step;
    }

    /// Unit `index` is part of its run queue's load from now on, or no more.
    pub(super) fn count(&mut self, index: usize, counted: bool, now: Instant) {
        let group = self.group_of(index);
        self.average_queue(group, now);
        self.average_unit(index, now);
        if self.units[index].counted != counted {
            self.units[index].counted = counted;
            self.queues[group].load += if counted { 1 } else { -1 };
        }
    }

    /// Assigns unit `index`, which is on no run queue's list of those that wait, to run queue
    /// `group`; none: to no one. The balance averages of both change at once. Checks each member
    /// of the old one when the unit was its heaviest.
    pub(super) fn assign(&mut self, index: usize, group: Option<u8>, now: Instant) {
        if self.units[index].group.is_some() {
            self.deassign(index, now);
        }
        self.units[index].group = group;
        let Some(group) = group.map(usize::from) else {
            return;
        };
        self.average_queue(group, now);
        let weight = self.weight_of(index);
        let queue = &mut self.queues[group];
        queue.members.push_back(self.units, index);
        queue.heaviest = queue.heaviest.max(weight);
        queue.balance += self.units[index].average;
        queue.load += self.units[index].counted as i64;
    }

    fn deassign(&mut self, index: usize, now: Instant) {
        let group = self.group_of(index);
        self.average_queue(group, now);
        self.average_unit(index, now);
        let weight = self.weight_of(index);
        let queue = &mut self.queues[group];
        queue.members.remove(self.units, index);
        queue.balance = (queue.balance - self.units[index].average).max(0);
        queue.load -= self.units[index].counted as i64;
        if weight == queue.heaviest {
            self.weigh(group);
        }
    }

    /// Finds the heaviest member of run queue `group` again.
    pub(super) fn weigh(&mut self, group: usize) {
        let mut heaviest = 1;
        let mut at = self.queues[group].members.first();
        while let Some(index) = at {
            self.steps.one();
            heaviest = heaviest.max(self.weight_of(index));
            at = self.fellow(index);
        }
        self.queues[group].heaviest = heaviest;
    }
}
