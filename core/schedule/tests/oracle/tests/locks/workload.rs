//! Threads with a programme, in virtual time: work, a critical section, work, sleep.
//! Time passes only by what the processors execute.

use crate::random::Random;
use crate::world::World;
use taktos_schedule::smp::*;

/// The next action of a thread.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Phase {
    Sleeps {
        until: u64,
    },
    /// Executes, then obtains its lock, if it has one.
    Before {
        left: u64,
    },
    Waits,
    Inside {
        left: u64,
    },
    After {
        left: u64,
    },
}

/// A thread and its programme.
pub struct Actor {
    pub thread: Thread,
    pub home: usize,
    /// Its own, whatever it inherits.
    pub priority: u32,
    /// The lock and the length of its critical sections.
    pub uses: Option<(Lock, u64)>,
    pub phase: Phase,
    longest_sleep: usize,
    longest_work: usize,
}

/// The events that the bounds need to see.
pub trait Watch {
    /// `actor` has requested its lock; `_owner` owned it then.
    fn asked(&mut self, _: &World, _: &[Actor], _actor: usize, _owner: Option<Thread>) {}
    /// `actor` owns its lock.
    fn granted(&mut self, _: &World, _: &[Actor], _actor: usize) {}
    /// `actor` has released it.
    fn released(&mut self, _: &World, _: &[Actor], _actor: usize) {}
    /// `span` passes with the processors as they are.
    fn passes(&mut self, _: &World, _: &[Actor], _span: u64) {}
}

pub struct Workload<'w> {
    pub world: &'w mut World,
    pub actors: Vec<Actor>,
    pub random: Random,
    pub now: u64,
}

impl Workload<'_> {
    pub fn add(
        &mut self,
        home: usize,
        priority: u32,
        uses: Option<(Lock, u64)>,
        longest_sleep: usize,
        longest_work: usize,
    ) {
        let thread = self.world.thread(home, priority);
        self.world.sleep(thread);
        let until = self.random.below(longest_sleep) as u64;
        self.actors.push(Actor {
            thread,
            home,
            priority,
            uses,
            phase: Phase::Sleeps { until },
            longest_sleep,
            longest_work,
        });
    }

    /// Runs until `end`.
    pub fn run(&mut self, end: u64, watch: &mut impl Watch) {
        while self.now < end {
            // At equal times the actor that comes first in the table acts first.
            if let Some(actor) = (0..self.actors.len()).find(|at| self.is_due(*at)) {
                self.act(actor, watch);
                continue;
            }
            let span = self.next_event().unwrap_or(end - self.now);
            watch.passes(self.world, &self.actors, span);
            self.pass(span);
        }
    }

    fn executes(&self, actor: usize) -> bool {
        self.world.cpu_of(self.actors[actor].thread).is_some()
    }

    /// Returns the rest of the phase until the actor does something.
    fn left(&self, actor: usize) -> Option<u64> {
        match self.actors[actor].phase {
            Phase::Sleeps { until } => Some(until - self.now),
            Phase::Waits => None,
            Phase::Before { left } | Phase::Inside { left } | Phase::After { left } => {
                self.executes(actor).then_some(left)
            }
        }
    }

    fn is_due(&self, actor: usize) -> bool {
        self.left(actor) == Some(0)
    }

    fn next_event(&self) -> Option<u64> {
        (0..self.actors.len()).filter_map(|at| self.left(at)).min()
    }

    fn pass(&mut self, span: u64) {
        for at in 0..self.actors.len() {
            if !self.executes(at) {
                continue;
            }
            match &mut self.actors[at].phase {
                Phase::Before { left } | Phase::Inside { left } | Phase::After { left } => {
                    *left -= span;
                }
                Phase::Sleeps { .. } | Phase::Waits => {}
            }
        }
        self.now += span;
    }

    fn work(&mut self, actor: usize) -> u64 {
        1 + self.random.below(self.actors[actor].longest_work) as u64
    }

    fn act(&mut self, actor: usize, watch: &mut impl Watch) {
        let Actor { thread, uses, .. } = self.actors[actor];
        match (self.actors[actor].phase, uses) {
            (Phase::Sleeps { .. }, _) => {
                let left = self.work(actor);
                self.actors[actor].phase = Phase::Before { left };
                self.world.wake(thread);
            }
            (Phase::Before { .. }, Some((lock, length))) => {
                let owner = self.world.owner(lock);
                let answer = self.world.obtain(lock, thread).unwrap();
                self.actors[actor].phase = Phase::Waits;
                watch.asked(self.world, &self.actors, actor, owner);
                if answer == Obtained::Owned {
                    self.enter(actor, length, watch);
                }
            }
            (Phase::Inside { .. }, Some((lock, length))) => {
                let left = self.work(actor);
                self.actors[actor].phase = Phase::After { left };
                let next = self.world.surrender(lock, thread).unwrap();
                watch.released(self.world, &self.actors, actor);
                let next =
                    next.and_then(|next| self.actors.iter().position(|one| one.thread == next));
                if let Some(next) = next {
                    self.enter(next, length, watch);
                }
            }
            _ => {
                let rest = 1 + self.random.below(self.actors[actor].longest_sleep) as u64;
                let until = self.now + rest;
                self.actors[actor].phase = Phase::Sleeps { until };
                self.world.sleep(thread);
            }
        }
    }

    fn enter(&mut self, actor: usize, length: u64, watch: &mut impl Watch) {
        self.actors[actor].phase = Phase::Inside { left: length };
        watch.granted(self.world, &self.actors, actor);
    }
}
