//! The heap of time-outs: its laws, its bound, and its order against a plain list.

use super::{TimeoutQueue, rank};
use crate::section::{Section, in_decision};
use crate::tcb::{Tcb, ThreadRef};
use proptest::prelude::*;
use std::boxed::Box;
use std::vec::Vec;
use taktos_time::Instant;

fn leak<T>(object: T) -> &'static T {
    Box::leak(Box::new(object))
}

fn threads(count: usize) -> Vec<ThreadRef> {
    (0..count).map(|_| ThreadRef(leak(Tcb::new()))).collect()
}

/// Checks the laws below `thread`; gives the number of threads there.
fn check_below(s: Section, thread: Option<ThreadRef>, parent: Option<ThreadRef>) -> usize {
    let Some(thread) = thread else { return 0 };
    let (left, right) = (thread.left.get(s), thread.right.get(s));
    assert!(thread.parent.get(s) == parent, "a child knows its parent");
    assert!(
        rank(s, left) >= rank(s, right),
        "the short way is on the right"
    );
    assert_eq!(thread.urgency.get(s).rank(), rank(s, right) + 1);
    for child in [left, right].into_iter().flatten() {
        assert!(
            thread.deadline.get(s) <= child.deadline.get(s),
            "the earliest is on top"
        );
    }
    1 + check_below(s, left, Some(thread)) + check_below(s, right, Some(thread))
}

/// The length of the longest way to the right anywhere in the heap, which bounds what a merge costs.
fn longest_way_right(s: Section, root: Option<ThreadRef>) -> u32 {
    let mut length = 0;
    let mut thread = root;
    while let Some(next) = thread {
        length += 1;
        thread = next.right.get(s);
    }
    length
}

fn check(s: Section, queue: &TimeoutQueue, expected: &[(u64, usize)]) {
    let root = queue.earliest.get(s);
    assert_eq!(check_below(s, root, None), expected.len());
    assert_eq!(
        queue.next(s).map(Instant::as_nanos),
        expected.iter().map(|(at, _)| *at).min()
    );
    // A way to the right of length r has at least 2^r - 1 threads around it.
    let bound = (expected.len() as u32 + 1).ilog2();
    assert!(longest_way_right(s, root) <= bound);
}

#[derive(Clone, Debug)]
enum Operation {
    Insert(usize, u64),
    Remove(usize),
    PopDue(u64),
}

const THREADS: usize = 24;

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (0..THREADS, 0..40u64).prop_map(|(id, at)| Operation::Insert(id, at)),
        2 => (0..THREADS).prop_map(Operation::Remove),
        1 => (0..40u64).prop_map(Operation::PopDue),
    ]
}

proptest! {
    #[test]
    fn the_heap_is_a_list_sorted_by_time(operations in prop::collection::vec(operation(), 0..150)) {
        let s = in_decision();
        let queue = TimeoutQueue::new();
        let threads = threads(THREADS);
        let mut list: Vec<(u64, usize)> = Vec::new();
        for operation in &operations {
            match *operation {
                Operation::Insert(id, at) if !list.iter().any(|(_, other)| *other == id) => {
                    queue.insert(s, threads[id], Instant::from_nanos(at));
                    list.push((at, id));
                }
                Operation::Remove(id) if list.iter().any(|(_, other)| *other == id) => {
                    queue.remove(s, threads[id]);
                    list.retain(|(_, other)| *other != id);
                    assert_eq!(threads[id].urgency.get(s).rank(), 0);
                }
                Operation::PopDue(now) => {
                    let due = list.iter().map(|(at, _)| *at).filter(|at| *at <= now).min();
                    let popped = queue.pop_due(s, Instant::from_nanos(now));
                    assert_eq!(popped.map(|thread| thread.deadline.get(s).as_nanos()), due);
                    list.retain(|(_, id)| popped != Some(threads[*id]));
                }
                _ => {}
            }
            check(s, &queue, &list);
        }
    }
}

/// Orders that make other heaps degenerate.
#[test]
fn the_way_to_the_right_stays_short_with_two_thousand_threads() {
    let orders: [fn(usize) -> u64; 4] = [
        |number| number as u64,
        |number| 10_000 - number as u64,
        |number| {
            if number.is_multiple_of(2) {
                number as u64
            } else {
                10_000 - number as u64
            }
        },
        |_| 7,
    ];
    for order in orders {
        let s = in_decision();
        let queue = TimeoutQueue::new();
        let threads = threads(2_000);
        let mut list = Vec::new();
        for (number, thread) in threads.iter().enumerate() {
            queue.insert(s, *thread, Instant::from_nanos(order(number)));
            list.push((order(number), number));
            assert!(longest_way_right(s, queue.earliest.get(s)) <= (list.len() as u32 + 1).ilog2());
        }
        check(s, &queue, &list);
        for number in (0..2_000).step_by(3) {
            queue.remove(s, threads[number]);
            list.retain(|(_, other)| *other != number);
            assert!(longest_way_right(s, queue.earliest.get(s)) <= (list.len() as u32 + 1).ilog2());
        }
        check(s, &queue, &list);
        while let Some(thread) = queue.pop_due(s, Instant::MAX) {
            list.retain(|(_, other)| threads[*other] != thread);
        }
        check(s, &queue, &[]);
        assert!(list.is_empty());
    }
}
