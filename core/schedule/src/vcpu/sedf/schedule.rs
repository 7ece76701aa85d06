//! Owns: the choice at one processor, and the periods that begin and end there.
//! Must never know: the other processors.

use super::Sedf;
use super::parameters::Parameters;
use super::unit::Run;
use crate::Cpu;
use crate::vcpu::{Choice, Vcpu};
use taktos_time::{Duration, Instant};

/// How long a processor idles when it has no units.
const IDLE: Duration = Duration::from_secs(1);

impl Sedf<'_> {
    /// Charges what ran on `cpu`, begins and ends periods, and takes the earliest deadline, or a
    /// unit for extra time.
    pub(super) fn decide(&mut self, cpu: Cpu, now: Instant, work: bool) -> Choice {
        self.requests.follow(cpu, work);
        let index = cpu.index();
        if index >= self.processors.len() {
            return Choice::default();
        }
        let before = self.processors[index].current.take();
        if let Some(vcpu) = before {
            self.put_down(cpu, vcpu, now);
        }
        self.update(cpu, now);
        let (next, until) = match work || !self.requests.cpus.contains(cpu) {
            true => (None, None),
            false => self.best(cpu, now),
        };
        if let Some(vcpu) = before {
            self.units[vcpu.index()].state.saving = next.is_none_or(|(v, _)| v != vcpu);
        }
        if let Some((vcpu, run)) = next {
            self.units[vcpu.index()].running = Some(run);
        }
        let next = next.map(|(vcpu, _)| vcpu);
        let processor = &mut self.processors[index];
        processor.current = next;
        processor.since = now;
        processor.planned = until.unwrap_or(Instant::MAX);
        Choice { next, until }
    }

    /// Ends the turn of `vcpu`: charges it to what it ran on.
    fn put_down(&mut self, cpu: Cpu, vcpu: Vcpu, now: Instant) {
        let ran = now.since(self.processors[cpu.index()].since);
        let unit = &mut self.units[vcpu.index()];
        let deadline = unit.deadline;
        match unit.running.take() {
            Some(Run::Slice) => unit.charge(ran),
            Some(Run::Penalty) => self.end_penalty(cpu, vcpu),
            Some(Run::Utilisation) => self.end_utilisation(cpu, vcpu),
            None => {}
        }
        let unit = &self.units[vcpu.index()];
        if !unit.state.awake || unit.home != unit.goal {
            self.unlist(vcpu);
        } else if unit.deadline != deadline {
            // Within its period it keeps its place.
            self.unlist_period(vcpu);
            self.list_period(vcpu, now);
        }
    }

    /// Begins the periods that are due, and ends those that are over.
    fn update(&mut self, cpu: Cpu, now: Instant) {
        while let Some(vcpu) = self.processors[cpu.index()].wait.first() {
            if !self.units[vcpu.index()].has_begun(now) {
                break;
            }
            self.unlist_period(vcpu);
            self.list_period(vcpu, now);
        }
        while let Some(vcpu) = self.processors[cpu.index()].run.first() {
            let unit = &mut self.units[vcpu.index()];
            if unit.slice == Duration::ZERO {
                unit.skip(now);
            } else if unit.left() == Duration::ZERO {
                unit.charge(Duration::ZERO);
            } else if unit.deadline <= now {
                unit.realign(now);
            } else {
                break;
            }
            self.unlist_period(vcpu);
            self.list_period(vcpu, now);
        }
    }

    fn best(&self, cpu: Cpu, now: Instant) -> (Option<(Vcpu, Run)>, Option<Instant>) {
        let processor = &self.processors[cpu.index()];
        let begin = processor
            .wait
            .first()
            .map(|vcpu| self.units[vcpu.index()].begin());
        if let Some(vcpu) = processor.run.first() {
            let end = now.saturating_add(self.units[vcpu.index()].left());
            let until = begin.map_or(end, |begin| begin.min(end));
            return (Some((vcpu, Run::Slice)), Some(until));
        }
        let Some(begin) = begin else {
            return (None, Some(now.saturating_add(IDLE)));
        };
        let room = begin.since(now) >= Parameters::QUANTUM;
        match self.extra(cpu).filter(|_| room) {
            Some(extra) => (Some(extra), Some(now.saturating_add(Parameters::QUANTUM))),
            None => (None, Some(begin)),
        }
    }
}
