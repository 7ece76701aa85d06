//! The ready queue against plain lists.

#[path = "common/chains.rs"]
mod chains;

use chains::Chains;
use proptest::prelude::*;
use taktos_schedule::{Links, Priority, ReadyQueue, Ring};

const ENTITIES: usize = 12;
const IDLE: usize = ENTITIES;

#[derive(Clone, Debug)]
enum Operation {
    Append(usize, u8),
    Prepend(usize, u8),
    Remove(usize),
    Retire,
    Rotate(u8),
    Advance(u8),
    BringToFront(usize),
    TakeTurn(usize, u8),
    Exchange(usize, u8),
    Replace(usize, u8),
}

fn operation() -> impl Strategy<Value = Operation> {
    // The ends of the range, and a few that collide.
    let least = Priority::LEAST_URGENT.level();
    let level = prop::sample::select(vec![0u8, 1, 2, 15, 30, 31, least - 1, least]);
    let id = 0..ENTITIES;
    prop_oneof![
        3 => (id.clone(), level.clone()).prop_map(|(id, level)| Operation::Append(id, level)),
        2 => (id.clone(), level.clone()).prop_map(|(id, level)| Operation::Prepend(id, level)),
        3 => id.clone().prop_map(Operation::Remove),
        1 => Just(Operation::Retire),
        1 => level.clone().prop_map(Operation::Rotate),
        1 => level.clone().prop_map(Operation::Advance),
        1 => id.clone().prop_map(Operation::BringToFront),
        1 => (id.clone(), level.clone()).prop_map(|(id, level)| Operation::TakeTurn(id, level)),
        1 => (id.clone(), level.clone()).prop_map(|(id, level)| Operation::Exchange(id, level)),
        1 => (id, level).prop_map(|(id, level)| Operation::Replace(id, level)),
    ]
}

/// The queue and the lists: one list for each priority, the first in front.
struct Both {
    table: Chains,
    queue: ReadyQueue<usize>,
    lists: Vec<Vec<usize>>,
}

impl Both {
    fn new() -> Self {
        let queue = ReadyQueue::EMPTY;
        queue.set_idle(IDLE);
        Self {
            table: Chains::new(ENTITIES),
            queue,
            lists: vec![Vec::new(); Priority::COUNT],
        }
    }

    fn level_of(&self, id: usize) -> Option<u8> {
        self.lists
            .iter()
            .position(|list| list.contains(&id))
            .map(|level| level as u8)
    }

    /// Does the operation where it is allowed.
    fn act(&mut self, operation: &Operation) {
        let priority = Priority::from_stored;
        match *operation {
            Operation::Append(id, level) if self.level_of(id).is_none() => {
                self.queue.append(&self.table, id, priority(level));
                self.lists[level as usize].push(id);
            }
            Operation::Prepend(id, level) if self.level_of(id).is_none() => {
                self.queue.prepend(&self.table, id, priority(level));
                self.lists[level as usize].insert(0, id);
            }
            Operation::Remove(id) => {
                if let Some(level) = self.level_of(id) {
                    self.queue.remove(&self.table, id, priority(level));
                    self.lists[level as usize].retain(|other| *other != id);
                    assert!(self.table.is_alone(id));
                }
            }
            Operation::Retire => {
                if let Some(level) = self.lists.iter().position(|list| !list.is_empty()) {
                    let first = self.lists[level].remove(0);
                    let next = self.queue.retire(&self.table, first, priority(level as u8));
                    assert_eq!(next, Some(self.top()));
                    assert!(self.table.is_alone(first));
                }
            }
            Operation::Rotate(level) => {
                let list = &mut self.lists[level as usize];
                if !list.is_empty() {
                    list.rotate_left(1);
                }
                assert_eq!(
                    self.queue.rotate(&self.table, priority(level)),
                    list.first().copied()
                );
            }
            Operation::Advance(level) => {
                let list = &mut self.lists[level as usize];
                if let Some(first) = list.first().copied() {
                    list.rotate_left(1);
                    assert_eq!(
                        self.queue.advance(&self.table, first, priority(level)),
                        list[0]
                    );
                }
            }
            Operation::BringToFront(id) => {
                if let Some(level) = self.level_of(id) {
                    self.queue.bring_to_front(&self.table, id, priority(level));
                    let list = &mut self.lists[level as usize];
                    list.retain(|other| *other != id);
                    list.insert(0, id);
                }
            }
            Operation::TakeTurn(id, level) if self.level_of(id).is_none() => {
                let list = &mut self.lists[level as usize];
                if let Some(first) = list.first().copied() {
                    self.queue
                        .take_turn(&self.table, id, first, priority(level));
                    list[0] = id;
                    list.push(first);
                }
            }
            Operation::Exchange(id, level) if self.level_of(id).is_none() => {
                let list = &mut self.lists[level as usize];
                if let Some(first) = list.first().copied() {
                    list.remove(0);
                    list.push(id);
                    let head = self.queue.exchange(&self.table, first, id, priority(level));
                    assert_eq!(head, list[0]);
                    assert!(self.table.is_alone(first));
                }
            }
            Operation::Replace(id, level) if self.level_of(id).is_none() => {
                let list = &mut self.lists[level as usize];
                if let Some(first) = list.first().copied() {
                    list[0] = id;
                    self.queue.replace(&self.table, first, id, priority(level));
                    assert!(self.table.is_alone(first));
                }
            }
            _ => {}
        }
    }

    fn top(&self) -> usize {
        self.lists
            .iter()
            .find_map(|list| list.first().copied())
            .unwrap_or(IDLE)
    }

    fn check(&self) {
        assert_eq!(self.queue.top(), Some(self.top()));
        for (level, list) in self.lists.iter().enumerate() {
            let head = self.queue.head(Priority::from_stored(level as u8));
            assert_eq!(head, list.first().copied());
            let mut id = head;
            for expected in list {
                assert_eq!(id, Some(*expected));
                assert_eq!(self.table.previous(self.table.next(*expected)), *expected);
                id = id.map(|id| self.table.next(id));
            }
            assert_eq!(id, head, "the ring closes");
        }
    }
}

proptest! {
    #[test]
    fn the_ready_queue_is_lists_by_priority(operations in prop::collection::vec(operation(), 0..200)) {
        let mut both = Both::new();
        both.check();
        for operation in &operations {
            both.act(operation);
            both.check();
        }
    }
}
