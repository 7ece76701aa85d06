//! Stress tests of everything at once: clusters of several policies, locks of all protocols, pins,
//! affinity, processors that come and go, dispatches held off. After each operation the invariants
//! of the library must hold, and the world's own: registers are in one place, and every processor
//! executes its heir once all are dispatched.

mod common;
#[path = "../../common/storm.rs"]
mod storm;

use common::*;
use storm::{Dice, Failure};
use taktos_schedule::{
    Cpu, CpuSet,
    smp::{Error, Instance, InstanceConfig, Lock, PolicyKind, Priority, Protocol, Reasons, Thread},
};
use taktos_schedule_oracle::Dispatch;
use taktos_time::Duration;

const THREADS: usize = 14;

fn ns(span: usize) -> Duration {
    Duration::from_nanos(span as u64)
}

struct Storm {
    world: World,
    cpus: Vec<Cpu>,
    instances: usize,
    /// The thread with its registers on each processor, by the reports to the world.
    registers: [Option<Thread>; Cpu::COUNT],
    locks: Vec<Lock>,
    settled: bool,
    wins: u64,
}

impl Storm {
    fn step(&mut self, word: u64) -> Result<(), String> {
        let mut dice = Dice(word);
        let kind = dice.draw(40);
        let thread = Thread::new(dice.draw(THREADS)).expect("a row");
        let now = self.world.now;
        let cpu = self.cpus[dice.draw(self.cpus.len())];
        if dice.draw(3) == 0 {
            self.world.system.act_on(cpu);
        }
        let fx = &mut self.world.flags;
        let system = &mut self.world.system;
        let reason = [Reasons::WAIT, Reasons::TIME][dice.draw(2)];
        let priority = Priority(dice.draw(6) as u32);
        let instance = Instance::new(dice.draw(self.instances)).expect("a row");
        // Only a thread that executes calls for locks.
        let caller = system.executing(cpu).unwrap_or(thread);
        let lock = self.locks.get(dice.draw(LOCKS)).copied();
        let mask = match dice.draw(3) {
            0 => CpuSet::of(cpu),
            1 => CpuSet::ALL,
            _ => CpuSet::from_bits(dice.draw(64) as u64),
        };
        let result = match kind {
            0..=2 => system.block(thread, reason, now, fx),
            3..=6 => system.unblock(thread, reason, now, fx),
            7 => system.suspend(thread, now, fx),
            8 | 9 => system.resume(thread, now, fx),
            10 => system.yield_now(thread, now, fx),
            11 => system.set_priority(thread, priority, now, fx).map(drop),
            12 => system.release_job(thread, at(now.as_nanos() + dice.draw(5) as u64), now, fx),
            13 => system.cancel_job(thread, now, fx),
            14 => system.set_affinity(thread, mask, now, fx),
            15 => system.pin(caller),
            16 => system.unpin(thread, now, fx),
            17 => system.set_scheduler(thread, instance, priority, now, fx),
            18 => system.add_processor(instance, cpu, now, fx),
            19 => system.remove_processor(instance, cpu, now, fx),
            20 => system.restart(thread, now, fx),
            21 => system.delete(thread, now, fx),
            22 => self.create(instance, priority, &mut dice),
            23 => self.create_lock(caller, priority, &mut dice),
            24 => match lock {
                Some(lock) => system
                    .set_ceiling(lock, instance, priority, now, fx)
                    .map(drop),
                None => Ok(()),
            },
            25..=29 => match lock {
                Some(lock) if !system.is_idle(caller) => system
                    .obtain(lock, caller, dice.draw(5) > 0, now, fx)
                    .map(|_| self.wins += 1),
                _ => Ok(()),
            },
            30..=33 => match lock {
                Some(lock) => system.surrender(lock, caller, now, fx).map(drop),
                None => Ok(()),
            },
            34 => system.time_out(thread, now, fx),
            35 => match lock {
                Some(lock) if dice.draw(4) == 0 => system.flush(lock, now, fx),
                _ => Ok(()),
            },
            36 => system.set_server(thread, ns(1 + dice.draw(5)), ns(5 + dice.draw(5))),
            37 => {
                self.advance(1 + dice.draw(9) as u64)?;
                Ok(())
            }
            _ => {
                self.dispatch(cpu)?;
                Ok(())
            }
        };
        // A refused call must have changed nothing that an invariant forbids; the statuses are
        // tested elsewhere.
        if result == Err(Error::Timeout) {
            return Err("nobody waited here".into());
        }
        if self.settled {
            self.settle()?;
        }
        self.check()
    }

    /// Time passes; every timer fires when it is due.
    fn advance(&mut self, span: u64) -> Result<(), String> {
        let end = at(self.world.now.as_nanos() + span);
        loop {
            let timers = self.world.flags.1.iter().enumerate();
            let due = timers.filter_map(|(index, at)| at.map(|at| (at, index)));
            let Some((time, index)) = due.min().filter(|&(time, _)| time <= end) else {
                self.world.now = end;
                return Ok(());
            };
            self.world.now = time.max(self.world.now);
            self.world.flags.1[index] = None;
            self.world
                .system
                .expire(cpu(index), self.world.now, &mut self.world.flags)
                .map_err(|error| error.to_string())?;
            self.check()?;
        }
    }

    fn create(&mut self, home: Instance, priority: Priority, dice: &mut Dice) -> Result<(), Error> {
        let affinity = (dice.draw(3) == 0).then(|| CpuSet::of(cpu(dice.draw(6))));
        let thread = self.world.system.create(home, priority, affinity)?;
        self.world
            .system
            .start(thread, self.world.now, &mut self.world.flags)
    }

    fn create_lock(
        &mut self,
        creator: Thread,
        ceiling: Priority,
        dice: &mut Dice,
    ) -> Result<(), Error> {
        let protocols = [
            (Protocol::None, None),
            (Protocol::Inheritance, None),
            (Protocol::Inheritance, None),
            (Protocol::Ceiling, Some(ceiling)),
            (Protocol::MrsP, Some(ceiling)),
            (Protocol::MrsP, Some(ceiling)),
        ];
        let (protocol, ceiling) = protocols[dice.draw(protocols.len())];
        if self.locks.len() == LOCKS {
            return Ok(());
        }
        let lock = self.world.system.create_lock(
            protocol,
            creator,
            ceiling,
            dice.draw(4) == 0,
            self.world.now,
            &mut self.world.flags,
        )?;
        self.locks.push(lock);
        Ok(())
    }

    fn dispatch(&mut self, cpu: Cpu) -> Result<(), String> {
        self.world.flags.0 = self.world.flags.0.without(cpu);
        let dispatch = self
            .world
            .system
            .dispatch(cpu, self.world.now, &mut self.world.flags)
            .map_err(|error| error.to_string())?;
        let former = self.registers[cpu.index()].take();
        match dispatch {
            Dispatch::Run(thread) => {
                if self.registers.contains(&Some(thread)) {
                    return Err(format!("{thread:?} would execute twice (was {former:?})"));
                }
                self.registers[cpu.index()] = Some(thread);
            }
            Dispatch::Wait {
                thread,
                registers_on,
            } => {
                if self.registers[registers_on.index()] != Some(thread) {
                    return Err(format!("{thread:?} is not on {registers_on:?}"));
                }
            }
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), String> {
        for _ in 0..1_000 {
            let Some(cpu) = self.world.flags.0.lowest() else {
                for &cpu in &self.cpus {
                    if self.world.system.heir(cpu) != self.registers[cpu.index()] {
                        return Err(format!("{cpu:?} does not execute its heir"));
                    }
                }
                return Ok(());
            };
            self.dispatch(cpu)?;
            self.check()?;
        }
        Err("the processors never settle".into())
    }

    fn check(&self) -> Result<(), String> {
        self.world
            .system
            .check_invariants()
            .map_err(|violation| violation.to_string())
    }
}

fn run(kinds: [PolicyKind; 3], settled: bool, words: &[u64]) -> Result<u64, Failure> {
    let online = CpuSet::first(6);
    let shares = [set([0, 1, 2]), set([3, 4]), set([5])];
    let configs: Vec<_> = (0..3)
        .map(|index| InstanceConfig {
            name: [b'A' + index as u8; 4],
            policy: kinds[index],
            cpus: shares[index],
        })
        .collect();
    let mut storm = Storm {
        world: World::new(THREADS, online, &configs),
        cpus: online.into_iter().collect(),
        instances: configs.len(),
        registers: [None; Cpu::COUNT],
        locks: Vec::new(),
        settled,
        wins: 0,
    };
    for &cpu in &storm.cpus {
        storm.registers[cpu.index()] = storm.world.system.executing(cpu);
    }
    for (index, &word) in words.iter().enumerate() {
        storm.step(word).map_err(|error| (index, error))?;
    }
    storm.settle().map_err(|error| (words.len(), error))?;
    Ok(storm.wins)
}

const OPERATIONS: usize = if cfg!(miri) { 60 } else { 1_000_000 };
const LENGTH: usize = if cfg!(miri) { 60 } else { 1_000 };

fn storms(kinds: [PolicyKind; 3]) {
    for index in 0..OPERATIONS / LENGTH {
        let settled = index % 2 == 0;
        storm::storm(
            |words| run(kinds, settled, words).map(drop),
            index as u64,
            LENGTH,
        );
    }
}

#[test]
fn deadlines_in_all_clusters() {
    storms([PolicyKind::Edf; 3]);
}

#[test]
fn fixed_priorities_in_all_clusters() {
    storms([PolicyKind::Priority; 3]);
}

#[test]
fn budgets_in_all_clusters() {
    storms([PolicyKind::Cbs; 3]);
}

#[test]
fn clusters_of_different_kinds() {
    storms([PolicyKind::Edf, PolicyKind::Priority, PolicyKind::Simple]);
}

#[test]
fn any_affinity_in_all_clusters() {
    storms([PolicyKind::StrongAffinity; 3]);
}

#[test]
fn the_weak_form_beside_others() {
    storms([
        PolicyKind::PriorityAffinity,
        PolicyKind::StrongAffinity,
        PolicyKind::Edf,
    ]);
}
