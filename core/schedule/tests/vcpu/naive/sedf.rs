//! SEDF from the description alone (spec 05, section 4): the queues of a processor
//! are plain rows that are sorted at every event.

use taktos_schedule::vcpu::sedf::Parameters;
use taktos_schedule::vcpu::{
    Admission, Choice, Effects, Error, Policy, Timer, Vcpu, Violation, allowed,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

const QUANTUM: u64 = 500_000;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Mode {
    Slice,
    Penalty,
    Share,
}

#[derive(Clone, Debug)]
struct Unit {
    parameters: Parameters,
    present: bool,
    awake: bool,
    saving: bool,
    started: bool,
    mode: Option<Mode>,
    hard: CpuSet,
    home: usize,
    goal: usize,
    period: u64,
    slice: u64,
    used: u64,
    deadline: u64,
    lost: u64,
    lost_score: u64,
    score: u64,
}

impl Unit {
    fn begin(&self) -> u64 {
        self.deadline.saturating_sub(self.period)
    }

    fn extratime(&self) -> bool {
        match self.parameters {
            Parameters::Periodic { extratime, .. } => extratime,
            Parameters::Weighted { extratime, .. } => extratime,
            Parameters::BestEffort { .. } => true,
        }
    }

    fn set_slice(&mut self, slice: u64) {
        self.slice = slice;
        self.used = self.used.min(slice);
    }

    /// Ends the periods with used slices.
    fn settle(&mut self) {
        if self.slice == 0 {
            self.used = 0;
        }
        while self.slice > 0 && self.used >= self.slice {
            self.used -= self.slice;
            self.deadline += self.period;
        }
    }
}

#[derive(Clone, Default, Debug)]
struct Processor {
    run: Vec<usize>,
    wait: Vec<usize>,
    penalty: Vec<usize>,
    shares: Vec<usize>,
    current: Option<usize>,
    since: u64,
    planned: u64,
    tickled: bool,
}

pub struct Naive {
    units: Vec<Unit>,
    processors: Vec<Processor>,
    cpus: CpuSet,
}

impl Naive {
    pub fn new(units: usize, cpus: usize) -> Self {
        let unit = Unit {
            parameters: Parameters::DEFAULT,
            present: false,
            awake: false,
            saving: false,
            started: false,
            mode: None,
            hard: CpuSet::ALL,
            home: 0,
            goal: 0,
            period: 100_000_000,
            slice: 0,
            used: 0,
            deadline: 0,
            lost: 0,
            lost_score: 0,
            score: 0,
        };
        let processor = Processor {
            planned: Instant::MAX.as_nanos(),
            ..Processor::default()
        };
        Self {
            units: vec![unit; units],
            processors: vec![processor; cpus],
            cpus: CpuSet::EMPTY,
        }
    }

    pub fn set(&mut self, vcpu: Vcpu, parameters: Parameters, now: Instant, fx: &mut impl Effects) {
        let index = vcpu.index();
        self.units[index].parameters = parameters;
        if !self.units[index].present {
            return;
        }
        let listed = self.take(index);
        self.adopt(index);
        self.weigh(self.units[index].home, fx);
        if listed {
            self.put(index, now.as_nanos());
        }
        self.tickle(self.units[index].home, fx);
    }

    fn adopt(&mut self, index: usize) {
        let unit = &mut self.units[index];
        let (period, slice) = match unit.parameters {
            Parameters::Periodic { period, slice, .. } => (period.as_nanos(), slice.as_nanos()),
            _ => (100_000_000, 0),
        };
        unit.period = period;
        unit.set_slice(slice);
    }

    /// Slices of the weighted units on a processor.
    fn weigh(&mut self, cpu: usize, fx: &mut impl Effects) {
        let (mut weights, mut rest) = (0u64, 95_000_000u64);
        for unit in self.units.iter().filter(|u| u.present && u.goal == cpu) {
            match unit.parameters {
                Parameters::Weighted { weight, .. } => weights += u64::from(weight),
                Parameters::Periodic { period, slice, .. } => {
                    let part = u128::from(slice.as_nanos()) * 100_000_000;
                    rest = rest.saturating_sub((part / u128::from(period.as_nanos())) as u64);
                }
                Parameters::BestEffort { .. } => {}
            }
        }
        if weights == 0 {
            return;
        }
        for unit in self.units.iter_mut().filter(|u| u.present && u.goal == cpu) {
            if let Parameters::Weighted { weight, .. } = unit.parameters {
                unit.set_slice(rest * u64::from(weight) / weights);
            }
        }
        self.tickle(cpu, fx);
    }

    fn tickle(&mut self, cpu: usize, fx: &mut impl Effects) {
        if !self.processors[cpu].tickled {
            self.processors[cpu].tickled = true;
            fx.tickle(Cpu::new(cpu).unwrap());
        }
    }

    /// Into the rows; each is sorted after.
    fn put(&mut self, index: usize, now: u64) {
        let unit = self.units[index].clone();
        self.put_period(index, now);
        let processor = &mut self.processors[unit.home];
        if unit.lost > 0 {
            processor.penalty.push(index);
        }
        if unit.extratime() {
            processor.shares.push(index);
        }
        self.sort(unit.home);
    }

    fn put_period(&mut self, index: usize, now: u64) {
        let unit = &self.units[index];
        let home = unit.home;
        let processor = &mut self.processors[home];
        match unit.begin() <= now {
            true => processor.run.push(index),
            false => processor.wait.push(index),
        }
        self.sort(home);
    }

    fn sort(&mut self, cpu: usize) {
        let units = &self.units;
        let processor = &mut self.processors[cpu];
        processor.run.sort_by_key(|&u| units[u].deadline);
        processor.wait.sort_by_key(|&u| units[u].begin());
        processor.penalty.sort_by_key(|&u| units[u].lost_score);
        processor.shares.sort_by_key(|&u| units[u].score);
    }

    /// Out of all rows; says whether it was in any.
    fn take(&mut self, index: usize) -> bool {
        let processor = &mut self.processors[self.units[index].home];
        let listed = processor.run.contains(&index) || processor.wait.contains(&index);
        for row in [
            &mut processor.run,
            &mut processor.wait,
            &mut processor.penalty,
            &mut processor.shares,
        ] {
            row.retain(|&u| u != index);
        }
        listed
    }

    fn tickle_for(&mut self, index: usize, now: u64, fx: &mut impl Effects) {
        let unit = &self.units[index];
        if !unit.awake {
            return;
        }
        let processor = &self.processors[unit.home];
        let earlier = unit.begin() < processor.planned || processor.planned <= now;
        let weaker = match processor.current.map(|u| &self.units[u]) {
            None => true,
            Some(current) => match current.mode {
                Some(Mode::Share) => unit.lost > 0,
                Some(Mode::Penalty) => unit.lost > 0 && unit.lost_score < current.lost_score,
                _ => false,
            },
        };
        if earlier || weaker {
            self.tickle(unit.home, fx);
        }
    }

    fn pick(&self, index: usize) -> usize {
        let may: Vec<Cpu> = allowed(self.units[index].hard, self.cpus)
            .into_iter()
            .collect();
        may[index % may.len()].index()
    }

    fn review(&mut self, now: u64, fx: &mut impl Effects) {
        for index in 0..self.units.len() {
            if self.units[index].present {
                self.check_home(index, now, fx);
            }
        }
    }

    fn check_home(&mut self, index: usize, now: u64, fx: &mut impl Effects) {
        let unit = &self.units[index];
        let goal = Cpu::new(unit.goal).unwrap();
        if allowed(unit.hard, self.cpus).contains(goal) {
            return;
        }
        self.units[index].goal = self.pick(index);
        if self.units[index].mode.is_some() {
            return self.tickle(self.units[index].home, fx);
        }
        self.take(index);
        let unit = &self.units[index];
        if !unit.saving || unit.goal == unit.home {
            self.arrive(index, now, fx);
        }
    }

    fn arrive(&mut self, index: usize, now: u64, fx: &mut impl Effects) {
        let (from, to) = (self.units[index].home, self.units[index].goal);
        self.units[index].home = to;
        if from != to {
            self.weigh(from, fx);
            self.weigh(to, fx);
        }
        if self.units[index].awake {
            self.put(index, now);
        }
        self.tickle_for(index, now, fx);
    }

    /// Ends what ran.
    fn put_down(&mut self, cpu: usize, index: usize, now: u64) {
        let ran = now - self.processors[cpu].since;
        let deadline = self.units[index].deadline;
        match self.units[index].mode.take() {
            Some(Mode::Slice) => {
                self.units[index].used += ran;
                self.units[index].settle();
            }
            Some(Mode::Penalty) => {
                self.units[index].lost = 0;
                self.processors[cpu].penalty.retain(|&u| u != index);
            }
            Some(Mode::Share) => self.shift(cpu, index),
            None => {}
        }
        let unit = &self.units[index];
        if !unit.awake || unit.home != unit.goal {
            self.take(index);
        } else if unit.deadline != deadline {
            self.renew(cpu, index, now);
        }
    }

    fn renew(&mut self, cpu: usize, index: usize, now: u64) {
        self.processors[cpu].run.retain(|&u| u != index);
        self.processors[cpu].wait.retain(|&u| u != index);
        self.put_period(index, now);
    }

    /// A share of extra time was served.
    fn shift(&mut self, cpu: usize, index: usize) {
        if !self.processors[cpu].shares.contains(&index) {
            return;
        }
        let served = self.units[index].score;
        let row = &mut self.processors[cpu].shares;
        row.retain(|&u| u != index);
        for &other in row.iter() {
            let unit = &mut self.units[other];
            unit.score -= unit.score.min(served);
        }
        row.push(index);
        let unit = &mut self.units[index];
        unit.score = match unit.parameters {
            Parameters::BestEffort { weight } => 131_072 / u64::from(weight),
            _ if unit.slice > 0 => unit.period * 1_024 / unit.slice,
            _ => 131_072,
        };
        self.sort(cpu);
    }

    fn update(&mut self, cpu: usize, now: u64) {
        while let Some(&index) = self.processors[cpu].wait.first() {
            if self.units[index].begin() > now {
                break;
            }
            self.renew(cpu, index, now);
        }
        while let Some(&index) = self.processors[cpu].run.first() {
            let unit = &mut self.units[index];
            if unit.slice == 0 {
                while unit.begin() <= now {
                    unit.deadline += unit.period;
                }
            } else if unit.used >= unit.slice {
                unit.settle();
            } else if unit.deadline <= now {
                while unit.deadline <= now {
                    unit.deadline += unit.period;
                }
                unit.used = 0;
            } else {
                break;
            }
            self.renew(cpu, index, now);
        }
    }

    fn best(&self, cpu: usize, now: u64) -> (Option<(usize, Mode)>, u64) {
        let processor = &self.processors[cpu];
        let begin = processor.wait.first().map(|&u| self.units[u].begin());
        if let Some(&index) = processor.run.first() {
            let unit = &self.units[index];
            let end = now + unit.slice - unit.used;
            return (Some((index, Mode::Slice)), end.min(begin.unwrap_or(end)));
        }
        let Some(begin) = begin else {
            return (None, now + 1_000_000_000);
        };
        if begin - now >= QUANTUM {
            let penalty = processor.penalty.first().map(|&u| (u, Mode::Penalty));
            let share = processor.shares.first().map(|&u| (u, Mode::Share));
            if let Some(extra) = penalty.or(share) {
                return (Some(extra), now + QUANTUM);
            }
        }
        (None, begin)
    }
}

impl Policy for Naive {
    fn add_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        self.cpus = self.cpus.with(cpu);
        self.processors[cpu.index()].planned = Instant::MAX.as_nanos();
        self.processors[cpu.index()].tickled = false;
        self.review(now.as_nanos(), fx);
        Ok(())
    }

    fn remove_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if self.cpus == CpuSet::of(cpu) && self.units.iter().any(|u| u.present) {
            return Err(Error::LastCpu(cpu));
        }
        self.cpus = self.cpus.without(cpu);
        self.review(now.as_nanos(), fx);
        Ok(())
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        _: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let index = vcpu.index();
        let parameters = self.units[index].parameters;
        let mut unit = Naive::new(1, 1).units.remove(0);
        unit.parameters = parameters;
        unit.present = true;
        unit.hard = admission.hard;
        self.units[index] = unit;
        self.adopt(index);
        let home = self.pick(index);
        (self.units[index].home, self.units[index].goal) = (home, home);
        self.weigh(home, fx);
        Ok(())
    }

    fn remove(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let unit = &mut self.units[vcpu.index()];
        if unit.awake || unit.saving || unit.mode.is_some() {
            return Err(Error::Busy(vcpu));
        }
        unit.present = false;
        let home = unit.home;
        self.weigh(home, fx);
        Ok(())
    }

    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let now = now.as_nanos();
        let unit = &mut self.units[vcpu.index()];
        if unit.awake || !unit.present {
            return;
        }
        unit.awake = true;
        if unit.mode.is_some() {
            return;
        }
        if !unit.started {
            unit.started = true;
            unit.deadline = now + unit.slice;
        }
        if unit.begin() > now {
            // It was in extra time: its period is still to come.
        } else if now < unit.deadline {
            unit.lost = unit.slice - unit.used;
            unit.lost_score = match unit.lost {
                0 => 0,
                lost => unit.period * 1_024 / lost,
            };
            unit.deadline += unit.period;
            unit.used = 0;
        } else {
            unit.deadline = now + unit.period;
            unit.used = 0;
        }
        if unit.home == unit.goal {
            self.put(vcpu.index(), now);
            self.tickle_for(vcpu.index(), now, fx);
        }
    }

    fn sleep(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        if !unit.awake {
            return;
        }
        unit.awake = false;
        match unit.mode {
            Some(_) => {
                let home = unit.home;
                self.tickle(home, fx);
            }
            None => {
                self.take(vcpu.index());
            }
        }
    }

    fn yield_now(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        if self.units[vcpu.index()].mode.is_some() {
            self.tickle(self.units[vcpu.index()].home, fx);
        }
    }

    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        _: CpuSet,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        self.units[vcpu.index()].hard = hard;
        self.check_home(vcpu.index(), now.as_nanos(), fx);
        Ok(())
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, _: &mut impl Effects) -> Choice {
        let (index, now) = (cpu.index(), now.as_nanos());
        self.processors[index].tickled = false;
        let before = self.processors[index].current.take();
        if let Some(unit) = before {
            self.put_down(index, unit, now);
        }
        self.update(index, now);
        let (next, until) = match work || !self.cpus.contains(cpu) {
            true => (None, None),
            false => {
                let (next, until) = self.best(index, now);
                (next, Some(until))
            }
        };
        let chosen = next.map(|(unit, _)| unit);
        if let Some(unit) = before {
            self.units[unit].saving = chosen != Some(unit);
        }
        if let Some((unit, mode)) = next {
            self.units[unit].mode = Some(mode);
        }
        let processor = &mut self.processors[index];
        (processor.current, processor.since) = (chosen, now);
        processor.planned = until.unwrap_or(Instant::MAX.as_nanos());
        Choice {
            next: chosen.map(|unit| Vcpu::new(unit as u16)),
            until: until.map(Instant::from_nanos),
        }
    }

    fn context_saved(&mut self, _: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        unit.saving = false;
        if unit.home != unit.goal {
            self.arrive(vcpu.index(), now.as_nanos(), fx);
        }
    }

    fn timer(&mut self, _: Timer, _: Instant, _: &mut impl Effects) {}

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        self.processors[cpu.index()]
            .current
            .map(|unit| Vcpu::new(unit as u16))
    }

    fn cpus(&self) -> CpuSet {
        self.cpus
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        Ok(())
    }
}
