//! The wait queue against a sorted list.

use super::{Key, Wait, WaitQueue, key};
use crate::critical_section::{CriticalSection, alone};
use crate::thread::tcb::{Tcb, ThreadRef};
use crate::thread::urgency::Urgency;
use proptest::prelude::*;
use std::boxed::Box;
use std::vec::Vec;
use taktos_schedule::{Priority, Ring};

const THREADS: usize = 10;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Ordinary,
    Sends,
    Joins,
    AwaitsReply,
}

#[derive(Clone, Debug)]
enum Operation {
    Insert(usize, u8, Kind),
    Remove(usize),
    Pop,
    Extract(u16),
}

fn operation() -> impl Strategy<Value = Operation> {
    let level = prop::sample::select(std::vec![0u8, 1, 7, 31]);
    let kind = prop::sample::select(std::vec![
        Kind::Ordinary,
        Kind::Sends,
        Kind::Joins,
        Kind::AwaitsReply
    ]);
    prop_oneof![
        4 => (0..THREADS, level, kind).prop_map(|(id, level, kind)| Operation::Insert(id, level, kind)),
        2 => (0..THREADS).prop_map(Operation::Remove),
        1 => Just(Operation::Pop),
        1 => any::<u16>().prop_map(Operation::Extract),
    ]
}

fn leak<T>(object: T) -> &'static T {
    Box::leak(Box::new(object))
}

struct Both {
    cs: CriticalSection<'static>,
    queue: &'static WaitQueue,
    server: ThreadRef,
    threads: Vec<ThreadRef>,
    /// In order, with the key that each was put in with.
    list: Vec<(Key, usize)>,
}

impl Both {
    fn new() -> Self {
        let cs = alone();
        let threads = (0..THREADS).map(|_| ThreadRef(leak(Tcb::new()))).collect();
        let both = Self {
            cs,
            queue: leak(WaitQueue::new()),
            server: ThreadRef(leak(Tcb::new())),
            threads,
            list: Vec::new(),
        };
        both.threads
            .iter()
            .for_each(|thread| cs.make_alone(*thread));
        both
    }

    fn waits(&self, id: usize) -> bool {
        self.list.iter().any(|(_, other)| *other == id)
    }

    fn insert(&mut self, id: usize, level: u8, kind: Kind) {
        let thread = self.threads[id];
        thread
            .urgency
            .set(self.cs, Urgency::new(Priority::from_stored(level)));
        let (wait, expected) = match kind {
            Kind::Ordinary => (Wait::queue(self.queue), level),
            Kind::Sends => (Wait::send(self.server), level),
            Kind::Joins => (Wait::join(self.server), 32),
            Kind::AwaitsReply => (Wait::reply(self.server), 64 + level),
        };
        thread.wait.set(self.cs, wait);
        assert_eq!(key(self.cs, thread), expected);
        self.queue.insert(self.cs, thread);
        let place = self.list.partition_point(|(other, _)| *other <= expected);
        self.list.insert(place, (expected, id));
    }

    fn act(&mut self, operation: &Operation) {
        match *operation {
            Operation::Insert(id, level, kind) if !self.waits(id) => self.insert(id, level, kind),
            Operation::Remove(id) if self.waits(id) => {
                self.queue.remove(self.cs, self.threads[id]);
                self.list.retain(|(_, other)| *other != id);
                assert!(self.cs.is_alone(self.threads[id]));
            }
            Operation::Pop if !self.list.is_empty() => {
                let (_, id) = self.list.remove(0);
                self.queue.pop(self.cs, self.threads[id]);
                assert!(self.cs.is_alone(self.threads[id]));
            }
            Operation::Extract(chosen) => self.extract(chosen),
            _ => {}
        }
    }

    fn extract(&mut self, chosen: u16) {
        let is_chosen = |id: usize| chosen >> id & 1 == 1;
        let threads = self.threads.clone();
        let number = |thread| threads.iter().position(|other| *other == thread);
        let mut taken = Vec::new();
        self.queue.extract(
            self.cs,
            |thread| number(thread).is_some_and(is_chosen),
            |thread| taken.extend(number(thread)),
        );
        let expected = self
            .list
            .iter()
            .map(|(_, id)| *id)
            .filter(|id| is_chosen(*id));
        assert_eq!(taken, expected.collect::<Vec<_>>());
        self.list.retain(|(_, id)| !is_chosen(*id));
        assert!(taken.iter().all(|id| self.cs.is_alone(self.threads[*id])));
    }

    fn check(&self) {
        let first = |from: Key, to: Key| {
            let found = self.list.iter().find(|(key, _)| (from..to).contains(key));
            found.map(|(_, id)| self.threads[*id])
        };
        let ahead = self
            .list
            .first()
            .filter(|(key, _)| *key < 32)
            .map(|(_, id)| self.threads[*id]);
        assert!(self.queue.first(self.cs) == first(0, Key::MAX));
        assert!(self.queue.first_sender(self.cs) == ahead);
        assert!(self.queue.first_awaiting_reply(self.cs) == first(64, Key::MAX));
        assert!(self.queue.only(self.cs).is_some() == (self.list.len() == 1));
        let mut order = self.list.iter();
        let left_over = self.queue.any(self.cs, |thread| {
            !order
                .next()
                .is_some_and(|(_, id)| self.threads[*id] == thread)
        });
        assert!(!left_over && order.next().is_none());
    }
}

proptest! {
    #[test]
    fn the_wait_queue_is_a_list_sorted_by_key(operations in prop::collection::vec(operation(), 0..120)) {
        let mut both = Both::new();
        for operation in &operations {
            both.act(operation);
            both.check();
        }
    }
}
