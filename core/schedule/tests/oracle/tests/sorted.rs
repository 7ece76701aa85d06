//! Stress tests of random operations on several processors, against a model that sorts all threads
//! at every event. Each status, each choice, each order among those that wait, and each nanosecond
//! of CPU time must agree.

mod common;
#[path = "common/model.rs"]
mod model;
#[path = "../../common/storm.rs"]
mod storm;

use common::*;
use model::Model;
use storm::Dice;
use taktos_schedule::{
    Cpu, CpuSet,
    smp::{Error, Instance, InstanceConfig, PolicyKind, Priority, Reasons, Thread},
};

/// How many threads a stress test has at most.
const THREADS: usize = 12;

/// A configuration: the processors online, and the instances.
#[derive(Clone, Debug)]
struct Case {
    online: CpuSet,
    instances: Vec<(PolicyKind, CpuSet)>,
    /// Whether every processor is dispatched after every operation.
    settled: bool,
    levels: u32,
}

struct Storm {
    world: World,
    model: Model,
    settled: bool,
    levels: u32,
}

type Verdict = Result<(), String>;

fn agree<T: PartialEq + std::fmt::Debug>(what: &str, expected: T, found: T) -> Verdict {
    if expected == found {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected:?}, found {found:?}"))
    }
}

fn thread(index: usize) -> Thread {
    Thread::new(index).unwrap()
}

fn instance(index: usize) -> Instance {
    Instance::new(index).unwrap()
}

impl Storm {
    fn step(&mut self, word: u64) -> Verdict {
        let mut dice = Dice(word);
        let kind = dice.draw(32);
        let id = dice.draw(THREADS);
        match kind {
            0..=3 => self.block(id, dice.draw(3)),
            4..=9 => self.unblock(id, dice.draw(3)),
            10 | 11 => self.yield_now(id),
            12 | 13 => self.set_priority(id, &mut dice),
            14..=16 => self.release(id, &mut dice),
            17 => self.cancel(id),
            18 | 19 => self.set_affinity(id, &mut dice),
            20 => self.pin(id),
            21 => self.unpin(id),
            22 | 23 => self.set_scheduler(id, &mut dice),
            24 => self.add(&mut dice),
            25 => self.remove(&mut dice),
            26 => self.create_or_delete(id, &mut dice),
            27 => self.restart(id),
            28 | 29 => self.advance(dice.draw(1_000) as u64),
            _ => {
                let cpu = dice.draw(Cpu::COUNT);
                let cpus = self.model.online.into_iter().collect::<Vec<_>>();
                self.dispatch(cpus[cpu % cpus.len()]);
                Ok(())
            }
        }?;
        if self.settled {
            self.settle();
        }
        self.compare()
    }

    /// Makes a call with a status that the model foretells. Returns whether it succeeded.
    fn call<T>(
        &mut self,
        what: &str,
        expected: Result<(), Error>,
        call: impl FnOnce(
            &mut taktos_schedule_oracle::System,
            taktos_time::Instant,
            &mut Flags,
        ) -> Result<T, Error>,
    ) -> Result<bool, String> {
        let now = self.world.now;
        let found = call(&mut self.world.system, now, &mut self.world.flags).map(|_| ());
        agree(what, expected, found)?;
        Ok(found.is_ok())
    }

    fn exists(&self, id: usize) -> Result<(), Error> {
        match self.model.threads.get(id) {
            Some(t) if t.exists => Ok(()),
            _ => Err(Error::InvalidId),
        }
    }

    fn block(&mut self, id: usize, how: usize) -> Verdict {
        let mut expected = self.exists(id);
        if expected.is_ok() && how == 2 && self.model.threads[id].suspended {
            expected = Err(Error::IncorrectState);
        }
        let reasons = [Reasons::WAIT, Reasons::TIME];
        let t = thread(id);
        let done = self.call("block", expected, |s, now, fx| match how {
            2 => s.suspend(t, now, fx),
            _ => s.block(t, reasons[how], now, fx),
        })?;
        if done {
            self.change_reasons(id, how, true);
        }
        Ok(())
    }

    fn unblock(&mut self, id: usize, how: usize) -> Verdict {
        let mut expected = self.exists(id);
        if expected.is_ok() && how == 2 && !self.model.threads[id].suspended {
            expected = Err(Error::IncorrectState);
        }
        let reasons = [Reasons::WAIT, Reasons::TIME];
        let t = thread(id);
        let done = self.call("unblock", expected, |s, now, fx| match how {
            2 => s.resume(t, now, fx),
            _ => s.unblock(t, reasons[how], now, fx),
        })?;
        if done {
            self.change_reasons(id, how, false);
        }
        Ok(())
    }

    fn change_reasons(&mut self, id: usize, how: usize, value: bool) {
        let was_ready = self.model.is_ready(id);
        let t = &mut self.model.threads[id];
        match how {
            0 => t.waits = value,
            1 => t.sleeps = value,
            _ => t.suspended = value,
        }
        self.model.reasons_changed(id, was_ready);
    }

    fn yield_now(&mut self, id: usize) -> Verdict {
        let t = thread(id);
        if self.call("yield", self.exists(id), |s, now, fx| {
            s.yield_now(t, now, fx)
        })? {
            self.model.go_behind(id);
        }
        Ok(())
    }

    fn set_priority(&mut self, id: usize, dice: &mut Dice) -> Verdict {
        let priority = if dice.draw(40) == 0 {
            256 + dice.draw(2) as u32
        } else {
            dice.draw(self.levels as usize) as u32
        };
        self.set_priority_to(id, priority)
    }

    fn set_priority_to(&mut self, id: usize, priority: u32) -> Verdict {
        let mut expected = self.exists(id);
        if expected.is_ok() && priority > self.model.most(self.model.threads[id].home) {
            expected = Err(Error::InvalidPriority);
        }
        let t = thread(id);
        let mut old = None;
        if self.call("set priority", expected, |s, now, fx| {
            old = s.set_priority(t, Priority(priority), now, fx).ok();
            old.ok_or(expected.err().unwrap_or(Error::Timeout))
        })? {
            let former = std::mem::replace(&mut self.model.threads[id].real, priority);
            agree("old priority", Some(Priority(former)), old)?;
            self.model.level_changed(id, true);
        }
        Ok(())
    }

    fn release(&mut self, id: usize, dice: &mut Dice) -> Verdict {
        let deadline = self.world.now.as_nanos() + dice.draw(6) as u64 * 500;
        self.release_at(id, deadline)
    }

    fn release_at(&mut self, id: usize, deadline: u64) -> Verdict {
        let t = thread(id);
        if self.call("release", self.exists(id), |s, now, fx| {
            s.release_job(t, at(deadline), now, fx)
        })? && self.model.deadlines_count(self.model.threads[id].home)
        {
            self.model.threads[id].deadline = Some(deadline);
            self.model.level_changed(id, true);
        }
        Ok(())
    }

    fn cancel(&mut self, id: usize) -> Verdict {
        let t = thread(id);
        if self.call("cancel", self.exists(id), |s, now, fx| {
            s.cancel_job(t, now, fx)
        })? {
            self.model.threads[id].deadline = None;
            self.model.level_changed(id, false);
        }
        Ok(())
    }

    fn mask(&self, dice: &mut Dice) -> CpuSet {
        match dice.draw(4) {
            0 | 1 => CpuSet::of(cpu(dice.draw(6))),
            2 => CpuSet::ALL,
            _ => CpuSet::from_bits(dice.draw(64) as u64),
        }
    }

    fn set_affinity(&mut self, id: usize, dice: &mut Dice) -> Verdict {
        let mask = self.mask(dice);
        self.set_affinity_to(id, mask)
    }

    fn set_affinity_to(&mut self, id: usize, mask: CpuSet) -> Verdict {
        let mut expected = self.exists(id);
        if expected.is_ok() && !self.model.accepts(self.model.threads[id].home, mask) {
            expected = Err(Error::InvalidNumber);
        }
        let t = thread(id);
        if self.call("set affinity", expected, |s, now, fx| {
            s.set_affinity(t, mask, now, fx)
        })? {
            let mask = mask.and(self.model.online);
            let t = &mut self.model.threads[id];
            let former = std::mem::replace(&mut t.affinity, mask);
            if former != mask && t.pinned.is_none() {
                self.model.go_behind(id);
            }
        }
        Ok(())
    }

    fn can_pin(&self, cpu: Cpu) -> bool {
        let owner = self.model.owned.iter().position(|o| o.contains(cpu));
        self.model.online.count() == 1
            || owner.is_some_and(|owner| self.model.kinds[owner] == PolicyKind::Edf)
    }

    fn pin(&mut self, id: usize) -> Verdict {
        let mut expected = self.exists(id);
        let t = thread(id);
        if expected.is_ok() {
            expected = match self.world.system.executes_on(t) {
                None => Err(Error::IncorrectState),
                Some(cpu) if !self.can_pin(cpu) => Err(Error::NotDefined),
                Some(_) => Ok(()),
            };
        }
        if self.call("pin", expected, |s, _, _| s.pin(t))? {
            self.model.threads[id].pins += 1;
            if self.settled {
                let cpu = self.world.system.executes_on(t);
                self.dispatch(cpu.ok_or("it executed")?);
            }
        }
        Ok(())
    }

    fn unpin(&mut self, id: usize) -> Verdict {
        let mut expected = self.exists(id);
        if expected.is_ok() && self.model.threads[id].pins == 0 {
            expected = Err(Error::IncorrectState);
        }
        let t = thread(id);
        if self.call("unpin", expected, |s, now, fx| s.unpin(t, now, fx))? {
            let t = &mut self.model.threads[id];
            t.pins -= 1;
            if t.pins == 0 && t.pinned.take().is_some() {
                self.model.go_behind(id);
            }
        }
        Ok(())
    }

    fn set_scheduler(&mut self, id: usize, dice: &mut Dice) -> Verdict {
        let target = dice.draw(self.model.kinds.len() + 1);
        let priority = match dice.draw(20) {
            0 => 300,
            1 => u32::MAX,
            _ => dice.draw(self.levels as usize) as u32,
        };
        let expected = if id < self.model.threads.len() {
            self.model.may_move(id, target, priority)
        } else if target >= self.model.kinds.len() {
            Err(Error::InvalidId)
        } else if priority > self.model.most(target) {
            Err(Error::InvalidPriority)
        } else {
            Err(Error::InvalidId)
        };
        let t = thread(id);
        if self.call("set scheduler", expected, |s, now, fx| {
            s.set_scheduler(t, instance(target), Priority(priority), now, fx)
        })? {
            let home = std::mem::replace(&mut self.model.threads[id].home, target);
            self.model.threads[id].real = priority;
            if home == target {
                self.model.level_changed(id, true);
            } else {
                self.model.threads[id].initial = priority;
                self.model.go_behind(id);
            }
        }
        Ok(())
    }

    fn add(&mut self, dice: &mut Dice) -> Verdict {
        let (target, index) = (dice.draw(self.model.kinds.len() + 1), dice.draw(7));
        let expected = self.model.may_add(target, index);
        if self.call("add processor", expected, |s, now, fx| {
            s.add_processor(instance(target), cpu(index), now, fx)
        })? {
            let owned = &mut self.model.owned[target];
            *owned = owned.with(cpu(index));
        }
        Ok(())
    }

    fn remove(&mut self, dice: &mut Dice) -> Verdict {
        let (from, index) = (dice.draw(self.model.kinds.len() + 1), dice.draw(7));
        let expected = self.model.may_remove(from, index);
        let holder = self.world.system.heir(cpu(index));
        let executing = self.world.system.executing(cpu(index));
        if self.call("remove processor", expected, |s, now, fx| {
            s.remove_processor(instance(from), cpu(index), now, fx)
        })? {
            let owned = &mut self.model.owned[from];
            *owned = owned.without(cpu(index));
            let holder = holder.ok_or("an online processor has an heir")?;
            if !self.world.system.is_idle(holder) {
                self.model.go_behind(holder.index());
            }
            // One that still runs there comes in again after that one.
            let left_over =
                executing.filter(|row| *row != holder && !self.world.system.is_idle(*row));
            let threads = &self.model.threads;
            let left_over = left_over.map(|row| row.index());
            if let Some(id) =
                left_over.filter(|id| threads[*id].exists && threads[*id].home == from)
            {
                self.model.go_behind(id);
            }
        }
        Ok(())
    }

    fn create_or_delete(&mut self, id: usize, dice: &mut Dice) -> Verdict {
        let t = thread(id);
        if self.call("delete", self.exists(id), |s, now, fx| s.delete(t, now, fx))? {
            self.model.leave(id);
            self.model.threads[id].exists = false;
        }
        self.create(dice)
    }

    /// Creates a thread, and starts it.
    fn create(&mut self, dice: &mut Dice) -> Verdict {
        let home = dice.draw(self.model.kinds.len() + 1);
        let priority = dice.draw(self.levels as usize) as u32;
        let affinity = (dice.draw(2) == 0).then(|| self.mask(dice));
        self.create_one(home, priority, affinity)
    }

    fn create_one(&mut self, home: usize, priority: u32, affinity: Option<CpuSet>) -> Verdict {
        let expected = self.model.create(home, priority, affinity);
        let found = self
            .world
            .system
            .create(instance(home), Priority(priority), affinity);
        let (record, id) = match (expected, found) {
            // The model knows nothing of rows; they are used up only where all exist, or the rest
            // executes still.
            (Ok(_), Err(Error::TooMany)) => return Ok(()),
            (Ok(record), Ok(id)) => (record, id),
            (expected, found) => {
                return agree("create", expected.map(|_| ()), found.map(|_| ()));
            }
        };
        let known = self.model.threads.len();
        if id.index() < known {
            agree(
                "the row is free",
                false,
                self.model.threads[id.index()].exists,
            )?;
            self.model.threads[id.index()] = record;
        } else {
            agree("the next row", known, id.index())?;
            self.model.threads.push(record);
        }
        self.call("start", Ok(()), |s, now, fx| s.start(id, now, fx))?;
        self.model.threads[id.index()].dormant = false;
        self.model.reasons_changed(id.index(), false);
        self.call("start again", Err(Error::IncorrectState), |s, now, fx| {
            s.start(id, now, fx)
        })?;
        Ok(())
    }

    fn restart(&mut self, id: usize) -> Verdict {
        let t = thread(id);
        if self.call("restart", self.exists(id), |s, now, fx| {
            s.restart(t, now, fx)
        })? {
            let was_ready = self.model.is_ready(id);
            let t = &mut self.model.threads[id];
            t.real = t.initial;
            t.deadline = None;
            (t.waits, t.sleeps, t.suspended) = (false, false, false);
            self.model.level_changed(id, true);
            self.model.reasons_changed(id, was_ready);
        }
        Ok(())
    }

    /// Every heir is charged for the time that passes.
    fn advance(&mut self, span: u64) -> Verdict {
        for cpu in self.model.online {
            let heir = self.world.system.heir(cpu).ok_or("an heir")?;
            if !self.world.system.is_idle(heir) {
                self.model.threads[heir.index()].time += span;
            }
        }
        self.world.now = at(self.world.now.as_nanos() + span);
        Ok(())
    }

    /// Dispatches one processor; a pin takes effect there.
    fn dispatch(&mut self, cpu: Cpu) {
        let executing = self.world.system.executing(cpu);
        let id = executing.map_or(usize::MAX, Thread::index);
        if let Some(t) = self.model.threads.get(id) {
            let owner = self.model.owned.iter().position(|o| o.contains(cpu));
            let wants = t.exists && t.pins > 0 && t.pinned.is_none();
            if wants && owner == Some(t.home) && self.can_pin(cpu) {
                self.model.threads[id].pinned = Some(cpu);
                self.model.go_behind(id);
            }
        }
        let _ = self.world.dispatch(cpu);
    }

    fn settle(&mut self) {
        while let Some(cpu) = self.world.flags.0.lowest() {
            self.dispatch(cpu);
        }
        self.world.settle();
    }

    fn compare(&mut self) -> Verdict {
        self.world
            .system
            .check_invariants()
            .map_err(|violation| violation.to_string())?;
        for index in 0..self.model.kinds.len() {
            let mut expected = self.model.running(index);
            for &id in &expected {
                let cpu = self.world.system.processor_of(thread(id));
                let bound = self.model.bound(id);
                if bound.is_some() {
                    agree("a bound thread's processor", bound, cpu)?;
                }
            }
            let mut found = self.model.owned[index]
                .into_iter()
                .filter_map(|cpu| self.world.system.heir(cpu))
                .filter(|&heir| !self.world.system.is_idle(heir))
                .map(Thread::index)
                .collect::<Vec<_>>();
            expected.sort_unstable();
            found.sort_unstable();
            agree("who runs", expected, found)?;
            let ready = self.world.ready(instance(index));
            let ready = ready.into_iter().map(Thread::index).collect::<Vec<_>>();
            agree("who waits, in order", self.model.waiting(index), ready)?;
        }
        for (id, t) in self
            .model
            .threads
            .iter()
            .enumerate()
            .filter(|(_, t)| t.exists)
        {
            let time = self.world.system.cpu_time(thread(id), self.world.now);
            agree("CPU time", Ok(t.time), time.map(|time| time.as_nanos()))?;
        }
        Ok(())
    }
}

/// Runs the operations; says which one fails, and how.
fn run(case: &Case, words: &[u64]) -> Result<(), (usize, String)> {
    let configs = case
        .instances
        .iter()
        .enumerate()
        .map(|(index, &(policy, cpus))| InstanceConfig {
            name: [b'A' + index as u8; 4],
            policy,
            cpus,
        })
        .collect::<Vec<_>>();
    let mut storm = Storm {
        world: World::new(THREADS, case.online, &configs),
        model: Model::new(case.online, &case.instances),
        settled: case.settled,
        levels: case.levels,
    };
    for (index, &word) in words.iter().enumerate() {
        storm.step(word).map_err(|error| (index, error))?;
    }
    storm.settle();
    storm.compare().map_err(|error| (words.len(), error))
}

/// One of a few operations on a thread, for the exhaustive cases.
fn small(storm: &mut Storm, id: usize, what: usize) -> Verdict {
    match what {
        0 => storm.block(id, 0),
        1 => storm.unblock(id, 0),
        2 => storm.yield_now(id),
        3 | 4 => storm.set_priority_to(id, what as u32 - 3),
        5 => storm.set_affinity_to(id, CpuSet::ALL),
        6 | 7 => storm.set_affinity_to(id, CpuSet::of(cpu(what - 6))),
        8 => storm.release_at(id, 7),
        _ => storm.cancel(id),
    }?;
    if storm.settled {
        storm.settle();
    }
    storm.compare()
}

/// Runs every sequence of `length` operations on `threads` threads of one level, on two
/// processors.
fn every_sequence(policy: PolicyKind, settled: bool, threads: usize, length: u32) {
    let choices = threads * 10;
    for sequence in 0..choices.pow(length) {
        let online = CpuSet::first(2);
        let mut storm = Storm {
            world: World::new(threads, online, &[one(policy, 2)]),
            model: Model::new(online, &[(policy, online)]),
            settled,
            levels: 2,
        };
        let mut rest = sequence;
        let verdict = (0..threads)
            .try_for_each(|_| storm.create_one(0, 1, None))
            .and_then(|()| {
                (0..length).try_for_each(|_| {
                    let choice = rest % choices;
                    rest /= choices;
                    small(&mut storm, choice / 10, choice % 10)
                })
            });
        if let Err(error) = verdict {
            panic!("{policy:?}, sequence {sequence} of {threads} threads: {error}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "far too many")]
fn every_short_sequence_agrees_with_the_model() {
    for policy in [PolicyKind::Simple, PolicyKind::Priority, PolicyKind::Edf] {
        for settled in [true, false] {
            every_sequence(policy, settled, 4, 3);
            every_sequence(policy, settled, 3, 3);
        }
    }
    every_sequence(PolicyKind::Edf, true, 3, 4);
}

/// How many operations each test takes, in all.
const OPERATIONS: usize = if cfg!(miri) { 60 } else { 1_000_000 };
const LENGTH: usize = if cfg!(miri) { 60 } else { 2_000 };

fn storms(kinds: [PolicyKind; 2]) {
    let two = [set([0, 1, 2, 3]), set([4, 5])];
    let shapes: [(CpuSet, Vec<(PolicyKind, CpuSet)>); 5] = [
        (CpuSet::first(1), vec![(kinds[0], CpuSet::first(1))]),
        (CpuSet::first(2), vec![(kinds[0], CpuSet::first(2))]),
        (CpuSet::first(5), vec![(kinds[0], CpuSet::first(5))]),
        (
            CpuSet::first(6),
            vec![(kinds[0], two[0]), (kinds[1], two[1])],
        ),
        // A processor that is not there, one that no instance was given, and an instance without
        // any.
        (
            set([0, 1, 4, 6]),
            vec![
                (kinds[0], set([0, 1])),
                (kinds[1], set([4, 5])),
                (kinds[0], CpuSet::EMPTY),
            ],
        ),
    ];
    let runs = OPERATIONS / LENGTH;
    for index in 0..runs {
        let (online, instances) = shapes[index % shapes.len()].clone();
        let case = Case {
            online,
            instances,
            settled: index % 2 == 0,
            levels: [2, 5, 40][index % 3],
        };
        storm::storm(|words| run(&case, words), index as u64, LENGTH);
    }
}

#[test]
fn simple_agrees_with_the_model() {
    storms([PolicyKind::Simple, PolicyKind::Simple]);
}

#[test]
fn priority_agrees_with_the_model() {
    storms([PolicyKind::Priority, PolicyKind::Priority]);
}

#[test]
fn edf_agrees_with_the_model() {
    storms([PolicyKind::Edf, PolicyKind::Edf]);
}

#[test]
fn mixed_clusters_agree_with_the_model() {
    storms([PolicyKind::Edf, PolicyKind::Priority]);
    storms([PolicyKind::Simple, PolicyKind::Edf]);
}
