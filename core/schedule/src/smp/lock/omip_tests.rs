//! The order of OMIP against lists, and its bound.

extern crate std;
use super::*;
use crate::smp::order::Level;
use crate::smp::steps::counted;
use crate::smp::{Instance, Lock, Thread};
use proptest::prelude::*;
use std::{vec, vec::Vec};

const INSTANCES: usize = 3;
/// Processors of each instance.
const ROOM: [usize; INSTANCES] = [1, 2, 3];

/// The rows of one lock.
struct Rows {
    locks: Vec<LockRecord>,
    ends: Vec<EndsRecord>,
    lines: Vec<LineRecord>,
    sides: Vec<SideRecord>,
    places: Vec<PlaceRecord>,
    waits: Vec<WaitRecord>,
    threads: usize,
}

impl Rows {
    fn new(threads: usize) -> Self {
        Self {
            locks: vec![LockRecord::EMPTY; 1],
            ends: vec![EndsRecord::EMPTY; 1],
            lines: vec![LineRecord::EMPTY; INSTANCES],
            sides: vec![SideRecord::EMPTY; INSTANCES],
            places: vec![PlaceRecord::EMPTY; threads * INSTANCES],
            waits: vec![WaitRecord::EMPTY; threads],
            threads,
        }
    }

    fn table(&mut self) -> (Table<'_>, Lock) {
        let memory = LockMemory {
            locks: &mut self.locks,
            ends: &mut self.ends,
            lines: &mut self.lines,
            sides: &mut self.sides,
            places: &mut self.places,
            waits: &mut self.waits,
        };
        let mut table = Table::new(memory, INSTANCES, self.threads, usize::MAX).unwrap();
        let lock = table.take(Protocol::Omip, instance(0)).unwrap();
        (table, lock)
    }
}

fn instance(at: usize) -> Instance {
    Instance::new(at).unwrap()
}

fn thread(at: usize) -> Thread {
    Thread::new(at).unwrap()
}

#[derive(Default)]
struct Model {
    owner: Option<(usize, usize)>,
    line: Vec<usize>,
    heads: [Vec<usize>; INSTANCES],
    rest: [Vec<(u64, usize)>; INSTANCES],
}

impl Model {
    fn used(&self, at: usize) -> usize {
        self.heads[at].len() + usize::from(self.owner.is_some_and(|owner| owner.1 == at))
    }

    fn line_up(&mut self, at: usize) {
        if self.heads[at].is_empty() {
            self.line.retain(|one| *one != at);
        } else if !self.line.contains(&at) && self.owner.is_none_or(|owner| owner.1 != at) {
            self.line.push(at);
        }
    }

    fn move_up(&mut self, at: usize) {
        while self.used(at) < ROOM[at] && !self.rest[at].is_empty() {
            let next = self.rest[at].remove(0).1;
            self.heads[at].push(next);
        }
        self.line_up(at);
    }

    fn wait(&mut self, who: usize, at: usize, level: u64) {
        if self.used(at) < ROOM[at] {
            self.heads[at].push(who);
            self.line_up(at);
        } else {
            self.rest[at].push((level, who));
            self.rest[at].sort_by_key(|one| one.0); // stable: equals in their order
        }
    }

    fn leave(&mut self, who: usize, at: usize) {
        self.rest[at].retain(|one| one.1 != who);
        self.heads[at].retain(|one| *one != who);
        self.move_up(at);
    }

    fn change(&mut self, who: usize, at: usize, level: u64) {
        if self.rest[at].iter().any(|one| one.1 == who) {
            self.rest[at].retain(|one| one.1 != who);
            self.rest[at].push((level, who));
            self.rest[at].sort_by_key(|one| one.0);
        }
    }

    fn release(&mut self) -> Option<usize> {
        let (_, at) = self.owner.take().unwrap();
        self.move_up(at);
        if self.line.is_empty() {
            return None;
        }
        let at = self.line.remove(0);
        let next = self.heads[at].remove(0);
        self.owner = Some((next, at));
        Some(next)
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 3 } else { 512 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn agrees_with_lists(
        steps in proptest::collection::vec((0usize..14, 0u64..4, 0u8..8), 1..150),
    ) {
        let mut rows = Rows::new(14);
        let (mut table, lock) = rows.table();
        let mut model = Model::default();
        let mut waiting = [false; 14];
        for (who, level, what) in steps {
            let at = who % INSTANCES;
            let (home, one, room) = (instance(at), thread(who), ROOM[at]);
            if what < 2 {
                let Some((_, at)) = model.owner else { continue };
                table.return_slot(lock, ROOM[at]);
                let next = table.next_in_line(lock);
                prop_assert_eq!(next, model.release().map(thread));
                if let Some(next) = next {
                    waiting[next.index()] = false;
                }
            } else if model.owner.is_none() {
                table.take_slot(lock, home);
                table.count_slot(lock, |used| used + 1);
                model.owner = Some((who, at));
            } else if waiting[who] && what == 2 {
                table.stand_down(lock, home, one, room);
                model.leave(who, at);
                waiting[who] = false;
            } else if waiting[who] {
                table.stand_anew(lock, home, one, Level(level));
                model.change(who, at, level);
            } else if model.owner.is_some_and(|owner| owner.0 != who) {
                table.stand(lock, home, one, Level(level), room);
                model.wait(who, at, level);
                waiting[who] = true;
            }
        }
        // All that wait are granted, in the order of the lists.
        while model.owner.is_some() {
            let at = model.owner.unwrap().1;
            table.return_slot(lock, ROOM[at]);
            prop_assert_eq!(table.next_in_line(lock), model.release().map(thread));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "counts steps, which are the same there")]
fn steps_grow_with_the_logarithm_of_the_waiters() {
    for count in [3usize, 63, 511] {
        let mut rows = Rows::new(count + 1);
        let (mut table, lock) = rows.table();
        table.take_slot(lock, instance(0));
        table.count_slot(lock, |used| used + 1);
        let bound = 3 * u64::from((count + 1).ilog2()) + INSTANCES as u64;
        for who in 0..count {
            let level = Level(who as u64 * 7919 % 101);
            let (home, room) = (instance(0), 2);
            let ((), steps) = counted(|| table.stand(lock, home, thread(who), level, room));
            assert!(steps <= bound, "{steps} of {bound}");
        }
        for _ in 0..count {
            let (next, steps) = counted(|| {
                table.return_slot(lock, 2);
                table.next_in_line(lock)
            });
            assert!(next.is_some());
            assert!(steps <= bound, "{steps} of {bound}");
        }
    }
}
