//! Random calls by random threads over clusters of any policy: all invariants hold after every
//! event, ownership and turns are what lists say, and no help is missed.

use crate::lists::{Lists, Own, Urgency};
use crate::random::Random;
use crate::turns::Turns;
use crate::world::{Cluster, LOCKS, World};
use taktos_schedule::smp::{
    PolicyKind::{Edf, Simple},
    *,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

const EVENTS: usize = if cfg!(miri) { 60 } else { 6_000 };
const SEEDS: u64 = if cfg!(miri) { 1 } else { 12 };
const LEVELS: PolicyKind = PolicyKind::Priority;
const PEOPLE: usize = 16;

pub struct Storm {
    pub world: World,
    pub random: Random,
    pub people: Vec<Thread>,
    pub clusters: usize,
    pub policies: Vec<PolicyKind>,
    pub lists: Lists,
    /// The waiters of each lock, by its row.
    pub turns: Vec<Turns<Instance, Thread, Urgency>>,
    /// The thread that requested a lock last.
    pub asked: Option<Thread>,
    /// Whether threads are pinned and bound, and processors come and go.
    pub unsettled: bool,
    pub grants: usize,
    pub helped: usize,
}

/// Returns the instances with waiters for a lock in their turn, and the waiters there, by the
/// library.
pub fn queued(world: &World, lock: Lock) -> Vec<(Instance, Vec<Thread>)> {
    let mut queued: Vec<(Instance, Vec<Thread>)> = Vec::new();
    world
        .system
        .for_each_waiter(lock, |instance, thread| match queued.last_mut() {
            Some((last, waiters)) if *last == instance => waiters.push(thread),
            _ => queued.push((instance, vec![thread])),
        })
        .unwrap();
    queued
}

/// How many threads of an instance can run at a time.
pub fn room<'w>(world: &'w World) -> impl Fn(Instance) -> usize + 'w {
    |instance| world.system.processors(instance).unwrap().count().max(1)
}

impl Storm {
    fn new(clusters: &[Cluster], seed: u64) -> Self {
        let world = World::new(clusters);
        let mut storm = Self {
            world,
            random: Random::new(seed),
            people: Vec::new(),
            clusters: clusters.len(),
            policies: clusters.iter().map(|cluster| cluster.0).collect(),
            lists: Lists::default(),
            turns: vec![Turns::new(false); LOCKS],
            asked: None,
            unsettled: false,
            grants: 0,
            helped: 0,
        };
        for _ in 0..PEOPLE {
            storm.be_born();
        }
        for _ in 0..LOCKS {
            storm.create_lock();
        }
        storm
    }

    fn be_born(&mut self) {
        // Its last processor goes where no thread is at home any more.
        let has_processors = |cluster: &usize| {
            let instance = Instance::new(*cluster).unwrap();
            !self.world.system.processors(instance).unwrap().is_empty()
        };
        let clusters: Vec<usize> = (0..self.clusters).filter(has_processors).collect();
        let cluster = self.random.pick(&clusters).unwrap();
        let priority = 2 + self.random.below(12) as u32;
        let thread = self.world.thread(cluster, priority);
        self.people.push(thread);
        self.lists.threads.push(Own {
            thread,
            home: Instance::new(cluster).unwrap(),
            initial: priority,
            priority,
            deadline: None,
        });
    }

    fn create_lock(&mut self) {
        use Protocol::*;
        let protocol = [None, Inheritance, Ceiling, MrsP, MrsP, Omip];
        let protocol = protocol[self.random.below(protocol.len())];
        let creator = self.people[self.random.below(self.people.len())];
        let ceiling = self.random.below(6) as u32;
        let lock = self.world.lock(protocol, creator, ceiling);
        self.lists.locks.push(lock);
        self.lists.protocols.resize(LOCKS, Option::None);
        self.lists.protocols[lock.index()] = Some(protocol);
        self.turns[lock.index()] = Turns::new(protocol == Omip);
    }

    /// Returns a thread that may call: one that executes.
    fn caller(&mut self) -> Option<Thread> {
        let running: Vec<Thread> = self.world.running().into_iter().flatten().collect();
        self.random.pick(&running)
    }

    fn obtain(&mut self) {
        let Some(thread) = self.caller() else { return };
        let lock = self.random.pick(&self.lists.locks).unwrap();
        let owner = self.lists.owner(lock);
        let answer = match self.random.below(5) {
            0 => self.world.try_obtain(lock, thread),
            _ => self.world.obtain(lock, thread),
        };
        match answer {
            Ok(Obtained::Owned) => match owner {
                Some(owner) => {
                    assert_eq!(owner, thread);
                    let row = self.lists.owners.iter_mut().find(|one| one.0 == lock);
                    row.unwrap().2 += 1;
                }
                None => {
                    self.lists.owners.push((lock, thread, 1));
                    self.turns[lock.index()].taken(self.lists.own(thread).home);
                    self.raise(lock, thread);
                }
            },
            Ok(Obtained::Waiting) => {
                assert!(owner.is_some_and(|owner| owner != thread));
                self.lists.waits.push((thread, lock));
                self.asked = Some(thread);
            }
            Ok(Obtained::Spinning) => {
                assert!(owner.is_some_and(|owner| owner != thread));
                self.lists.waits.push((thread, lock));
                self.asked = Some(thread);
                self.raise(lock, thread);
            }
            Err(_) => {}
        }
    }

    /// `thread` has what `lock` has as its ceiling now.
    fn raise(&mut self, lock: Lock, thread: Thread) {
        let home = self.lists.own(thread).home;
        let ceiling = self.world.system.ceiling(lock, home).ok();
        self.lists.raise(lock, thread, ceiling);
    }

    fn surrender(&mut self) {
        let running = self.world.running();
        let owned: Vec<_> = self
            .lists
            .owners
            .iter()
            .copied()
            .filter(|one| running.contains(&Some(one.1)))
            .collect();
        let Some((lock, thread, nesting)) = self.random.pick(&owned) else {
            return;
        };
        let next = self.world.surrender(lock, thread).unwrap();
        if nesting > 1 {
            assert_eq!(next, None);
            let row = self.lists.owners.iter_mut().find(|one| one.0 == lock);
            row.unwrap().2 -= 1;
            return;
        }
        self.lists.owners.retain(|one| one.0 != lock);
        self.lists.lower(lock, thread);
        let room = room(&self.world);
        let expected = self.turns[lock.index()].granted(room);
        assert_eq!(next, expected, "{lock:?} is granted to whose turn it is");
        let Some(next) = next else { return };
        assert_eq!(self.lists.waits_for(next), Some(lock));
        assert_eq!(self.world.outcome(next), Some(Outcome::Granted));
        let raised = self.lists.raised.iter().copied();
        let kept = { raised }.find(|one| (one.0, one.1) == (lock, next));
        self.lists.stop_waiting(next);
        self.lists.owners.push((lock, next, 1));
        match kept {
            // A thread that spun keeps the priority to which it was raised.
            Some((.., ceiling)) => self.lists.raise(lock, next, Some(ceiling)),
            None => self.raise(lock, next),
        }
        self.grants += 1;
    }

    fn time_out(&mut self) {
        let waiting: Vec<_> = self.lists.waits.iter().map(|one| one.0).collect();
        let Some(thread) = self.random.pick(&waiting) else {
            return;
        };
        self.world.time_out(thread).unwrap();
        assert_eq!(self.world.outcome(thread), Some(Outcome::Timeout));
        self.lists.stop_waiting(thread);
    }

    fn flush(&mut self) {
        let lock = self.random.pick(&self.lists.locks).unwrap();
        if self.world.flush(lock).is_ok() {
            assert_eq!(queued(&self.world, lock), []);
            self.lists.waits.retain(|one| one.1 != lock);
        }
    }

    fn replace_lock(&mut self) {
        let at = self.random.below(self.lists.locks.len());
        let lock = self.lists.locks[at];
        let deleted = self.world.act(|system, _, _| system.delete_lock(lock));
        assert_eq!(deleted.is_ok(), self.lists.owner(lock).is_none());
        if deleted.is_ok() {
            self.lists.locks.remove(at);
            self.create_lock();
        }
    }

    /// Something that happens to a thread without its doing.
    fn befall(&mut self, what: usize) {
        let at = self.random.below(self.people.len());
        let thread = self.people[at];
        let number = self.random.below(14) as u32;
        let deadline = Instant::from_nanos(self.random.next() % 1_000);
        let instance = Instance::new(self.random.below(self.clusters)).unwrap();
        // Refusals are part of the stress test.
        let done = self.world.act(|system, now, due| match what {
            0 => system.suspend(thread, now, due),
            1 | 2 => system.resume(thread, now, due),
            3 => system.block(thread, Reasons::TIME, now, due),
            4 | 5 => system.unblock(thread, Reasons::TIME, now, due),
            6 | 7 => system
                .set_priority(thread, Priority(number), now, due)
                .map(|_| ()),
            8 => system.yield_now(thread, now, due),
            9 => system.release_job(thread, deadline, now, due),
            10 => system.cancel_job(thread, now, due),
            11 => system.set_scheduler(thread, instance, Priority(number), now, due),
            12 => system.restart(thread, now, due),
            _ => system.delete(thread, now, due),
        });
        if done.is_ok() {
            let own = self.lists.own_mut(thread);
            let knows_deadlines = self.policies[own.home.index()].knows_deadlines();
            match what {
                6 | 7 => own.priority = number,
                9 => own.deadline = knows_deadlines.then_some(deadline),
                10 => own.deadline = None,
                11 => own.move_to(instance, number),
                12 => own.renew(),
                _ => {}
            }
            if what >= 12 {
                self.lists.stop_waiting(thread);
            }
        }
        if self.world.system.reasons(thread).is_err() {
            self.people.remove(at);
            self.lists.threads.retain(|one| one.thread != thread);
            self.world.settle();
            self.be_born();
        }
    }

    fn rule(&mut self) {
        let lock = self.random.pick(&self.lists.locks).unwrap();
        let cluster = self.random.below(self.clusters);
        let ceiling = self.random.below(8) as u32;
        let set = self.world.set_ceiling(lock, cluster, ceiling);
        let at_once = self.lists.protocol(lock) == Some(Protocol::Ceiling);
        if let (Ok(_), true, Some(owner)) = (set, at_once, self.lists.owner(lock)) {
            self.raise(lock, owner);
        }
    }

    /// Does pins, affinities, processors that come and go: all that has no place in the invariant
    /// of help, which knows none of them.
    fn unsettle(&mut self) {
        let thread = self.people[self.random.below(self.people.len())];
        let cpu = Cpu::new(self.random.below(self.world.cpus)).unwrap();
        let cpus = match self.random.below(3) {
            0 => CpuSet::of(cpu),
            1 => CpuSet::from_bits(self.random.next()),
            _ => CpuSet::first(self.world.cpus),
        };
        let instance = Instance::new(self.random.below(self.clusters)).unwrap();
        let what = self.random.below(9);
        let _ = self.world.act(|system, now, due| match what {
            0 | 1 => system.pin(thread),
            2 | 3 => system.unpin(thread, now, due),
            4..7 => system.set_affinity(thread, cpus, now, due),
            7 => system.remove_processor(instance, cpu, now, due),
            _ => system.add_processor(instance, cpu, now, due),
        });
    }

    fn event(&mut self) {
        if self.unsettled && self.random.below(6) == 0 {
            self.unsettle();
        }
        match self.random.below(100) {
            0..32 => self.obtain(),
            32..54 => self.surrender(),
            54..58 => self.time_out(),
            58 => self.flush(),
            59 => self.replace_lock(),
            60..62 => self.rule(),
            _ => {
                let what = self.random.below(14);
                self.befall(what);
            }
        }
        if !self.world.eager {
            self.dispatch_somewhere();
        }
        self.compare();
    }

    /// Processors dispatch late, and not all of them.
    fn dispatch_somewhere(&mut self) {
        if self.random.below(8) == 0 {
            self.world.settle();
            return;
        }
        if let Some(cpu) = Cpu::new(self.random.below(self.world.cpus)) {
            let _ = self
                .world
                .act(|system, now, due| system.dispatch(cpu, now, due));
        }
    }
}

fn blow(clusters: &[Cluster], eager: bool, unsettled: bool) {
    let (mut grants, mut helped) = (0, 0);
    for seed in 0..SEEDS {
        let mut storm = Storm::new(clusters, seed);
        storm.world.eager = eager;
        storm.unsettled = unsettled;
        for _ in 0..EVENTS {
            storm.event();
        }
        storm.world.settle();
        grants += storm.grants;
        helped += storm.helped;
    }
    println!("{grants} grants, help {helped} times");
    assert!(cfg!(miri) || grants > EVENTS / 8, "only {grants} grants");
    assert!(
        cfg!(miri) || !eager || unsettled || helped > EVENTS / 4,
        "help was given {helped} times only"
    );
}

#[test]
fn one_processor_each() {
    blow(&[(LEVELS, 1), (LEVELS, 1), (LEVELS, 1)], true, false);
}

#[test]
fn clusters_of_several_policies() {
    blow(&[(Simple, 2), (LEVELS, 1), (Edf, 2)], true, false);
    let strong = PolicyKind::StrongAffinity;
    blow(&[(strong, 2), (PolicyKind::Cbs, 1)], true, false);
}

#[test]
fn clusters_under_deadlines() {
    blow(&[(Edf, 2), (Edf, 1)], true, false);
}

#[test]
fn dispatched_late() {
    blow(&[(LEVELS, 1), (Simple, 2), (Edf, 1)], false, false);
}

#[test]
fn pinned_bound_and_short_of_processors() {
    let clusters = [(Edf, 2), (PolicyKind::StrongAffinity, 2), (Edf, 1)];
    blow(&clusters, true, true);
    let clusters = [(PolicyKind::PriorityAffinity, 2), (PolicyKind::Cbs, 2)];
    blow(&clusters, false, true);
}

/// Two calls of one seed give the same story.
#[test]
fn the_same_seed_the_same_story() {
    let tell = || {
        let clusters = [(LEVELS, 1), (Edf, 2)];
        let mut storm = Storm::new(&clusters, 7);
        let mut story = Vec::new();
        for _ in 0..EVENTS / 20 {
            storm.event();
            story.push(storm.world.running());
        }
        story
    };
    assert_eq!(tell(), tell());
}
