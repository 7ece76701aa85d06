//! Owns: which unit a processor runs next, and for how long.
//! Must never know: what a switch takes.

use super::Credit2;
use super::parameters::{
    CREDIT_CEILING, CREDIT_IDLE, MIGRATION_COMPENSATION, MIGRATION_RESISTANCE, SLICE_MINIMUM,
};
use crate::Cpu;
use taktos_time::{Duration, Instant};

impl Credit2<'_> {
    /// Returns the rest of the rate limit for unit `index`, which runs or is to.
    fn ratelimit_left(&self, index: usize, now: Instant) -> Duration {
        let ran = now.since(self.units[index].started);
        self.modes().ratelimit.saturating_sub(ran)
    }

    /// The unit that `cpu` runs next instead of `last`, off the run queue. Looks
    /// at each unit on the queue once at most.
    pub(super) fn pick(&mut self, cpu: Cpu, last: Option<usize>, now: Instant) -> Option<usize> {
        let mut yielding = false;
        let mut baseline = None;
        if let Some(index) = last {
            let unit = &mut self.units[index];
            yielding = core::mem::take(&mut unit.yielding);
            let runnable = unit.is_runnable();
            if runnable && !yielding && self.ratelimit_left(index, now) > Duration::ZERO {
                return last;
            }
            if runnable && !self.is_better_elsewhere(index, cpu) {
                if self.grab_budget(index) {
                    baseline = last;
                } else {
                    self.park(index);
                }
            }
        }
        let found = self.walk(cpu, baseline, yielding, now);
        if let Some(index) = found {
            self.dequeue(index);
            return found;
        }
        baseline
    }

    /// The first unit of the queue that is better than `baseline`, and that `cpu`
    /// may take. Units that could be taken but for their cap are parked.
    fn walk(
        &mut self,
        cpu: Cpu,
        baseline: Option<usize>,
        yielding: bool,
        now: Instant,
    ) -> Option<usize> {
        let group = self.processors[cpu.index()].group.map(usize::from)?;
        let bar = baseline.map_or(CREDIT_IDLE, |index| self.units[index].credit);
        // An idle processor has no unit to spare the migration for.
        let far_bar = baseline.map_or(CREDIT_IDLE, |_| bar + MIGRATION_RESISTANCE);
        let mut at = self.queues[group].queue.first();
        while let Some(index) = at {
            self.steps.one();
            at = self.behind(index);
            let unit = &self.units[index];
            if unit.credit <= bar && !yielding {
                return None;
            }
            let far = unit.cpu != cpu && unit.credit < far_bar;
            if far || !self.allowed(index).contains(cpu) || self.is_promised(index, cpu) {
                continue;
            }
            if self.grab_budget(index) {
                return Some(index);
            }
            self.dequeue(index);
            self.count(index, false, now);
            self.park(index);
        }
        None
    }

    /// Whether another processor was tickled for unit `index` and has not
    /// scheduled since.
    fn is_promised(&self, index: usize, cpu: Cpu) -> bool {
        let tickled = self.queues[self.group_of(index)].tickled;
        let promise = self.units[index].promise;
        promise.is_some_and(|other| other != cpu && tickled.contains(other))
    }

    /// Whether unit `index` had better not run on `cpu`, and an idle processor
    /// where it had better run can take it.
    fn is_better_elsewhere(&self, index: usize, cpu: Cpu) -> bool {
        let Some(group) = self.processors[cpu.index()].group else {
            return false;
        };
        let free = self.queues[usize::from(group)].free();
        self.preferred(index)
            .is_some_and(|soft| !soft.contains(cpu) && !soft.and(free).is_empty())
    }

    /// Makes unit `index`, just chosen from the queue, one that runs on `cpu`.
    pub(super) fn begin(&mut self, index: usize, cpu: Cpu, now: Instant) {
        let unit = &mut self.units[index];
        if unit.cpu != cpu {
            unit.cpu = cpu;
            unit.credit = (unit.credit + MIGRATION_COMPENSATION).min(CREDIT_CEILING);
        }
        unit.promise = None;
        unit.started = now;
        unit.charged = now;
    }

    /// Returns for how long unit `index` runs instead of `last`: until its credit is used up, or is
    /// no more than that of a waiting unit; as far as its budget goes; and within the bounds of
    /// slices, which come last.
    pub(super) fn slice(&self, index: usize, last: Option<usize>, now: Instant) -> Duration {
        let own = self.units[index].credit;
        let head = self.queues[self.group_of(index)].queue.first();
        let outgoing = last.filter(|&last| last != index && self.units[last].is_runnable());
        let waiters = [head, outgoing].into_iter().flatten();
        let waiting = waiters.map(|other| self.units[other].credit).max();
        let credit = own - waiting.unwrap_or(0).max(0);
        let mut time = if credit > 0 {
            self.time_of(credit, index)
        } else {
            0
        };
        if self.is_capped(index) {
            time = time.min(self.units[index].budget.max(0) as u64);
        }
        let least = SLICE_MINIMUM.max(self.ratelimit_left(index, now));
        Duration::from_nanos(time)
            .max(least)
            .min(self.modes().slice_maximum)
    }
}
