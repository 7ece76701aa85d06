//! The tree of time-outs: its invariants, its bound, and its order against a plain list in which
//! equals keep their order.

use super::TimeoutQueue;
use crate::critical_section::{CriticalSection, alone};
use crate::thread::tcb::{Tcb, ThreadRef};
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

/// Checks the invariants below `thread`; adds the threads there to `all`, from left to right.
fn check_below(
    cs: CriticalSection<'_>,
    thread: Option<ThreadRef>,
    parent: Option<ThreadRef>,
    all: &mut Vec<ThreadRef>,
) {
    let Some(thread) = thread else { return };
    let (left, right) = (thread.left.get(cs), thread.right.get(cs));
    assert!(thread.parent.get(cs) == parent, "a child knows its parent");
    let (left_rank, right_rank) = (rank(cs, left), rank(cs, right));
    assert!(
        left_rank.abs_diff(right_rank) <= 1,
        "neither side is much higher"
    );
    assert_eq!(thread.urgency.get(cs).rank(), left_rank.max(right_rank) + 1);
    check_below(cs, left, Some(thread), all);
    all.push(thread);
    check_below(cs, right, Some(thread), all);
}

fn rank(cs: CriticalSection<'_>, thread: Option<ThreadRef>) -> u8 {
    thread.map_or(0, |thread| thread.urgency.get(cs).rank())
}

fn top(cs: CriticalSection<'_>, queue: &TimeoutQueue) -> Option<ThreadRef> {
    let mut top = queue.0.borrow(cs).first()?;
    while let Some(above) = top.parent.get(cs) {
        top = above;
    }
    Some(top)
}

/// The fewest threads that can stand in a tree so high.
fn fewest(height: u8) -> usize {
    match height {
        0 => 0,
        1 => 1,
        _ => 1 + fewest(height - 1) + fewest(height - 2),
    }
}

/// Checks the invariants, the bound, and that `expected` are there, in this order; each with its
/// time.
fn check(cs: CriticalSection<'_>, queue: &TimeoutQueue, expected: &[(u64, ThreadRef)]) {
    let mut all = Vec::new();
    let top = top(cs, queue);
    check_below(cs, top, None, &mut all);
    let all: Vec<(u64, ThreadRef)> = all
        .into_iter()
        .map(|thread| (thread.deadline.get(cs).as_nanos(), thread))
        .collect();
    assert!(all == expected, "equals stand as they came");
    let first = expected.first();
    assert!(queue.0.borrow(cs).first() == first.map(|(_, thread)| *thread));
    assert_eq!(
        queue.next(cs).map(Instant::as_nanos),
        first.map(|(at, _)| *at)
    );
    assert!(fewest(rank(cs, top)) <= expected.len());
}

/// Puts a thread into the plain list, behind its equals.
fn list_insert(list: &mut Vec<(u64, ThreadRef)>, at: u64, thread: ThreadRef) {
    let place = list.partition_point(|(other, _)| *other <= at);
    list.insert(place, (at, thread));
}

#[derive(Clone, Debug)]
enum Operation {
    Insert(usize, u64),
    Remove(usize),
    PopDue(u64),
}

const THREADS: usize = 24;

fn operation() -> impl Strategy<Value = Operation> {
    // Few times, so that there are always equals.
    prop_oneof![
        4 => (0..THREADS, 0..8u64).prop_map(|(id, at)| Operation::Insert(id, at)),
        2 => (0..THREADS).prop_map(Operation::Remove),
        1 => (0..8u64).prop_map(Operation::PopDue),
    ]
}

proptest! {
    #[test]
    fn equal_time_outs_end_in_the_order_in_which_they_began(
        operations in prop::collection::vec(operation(), 0..300),
    ) {
        let cs = alone();
        let queue = TimeoutQueue::new();
        let threads = threads(THREADS);
        let mut list: Vec<(u64, ThreadRef)> = Vec::new();
        for operation in &operations {
            let place = |id: usize| list.iter().position(|(_, other)| *other == threads[id]);
            match *operation {
                Operation::Insert(id, at) if place(id).is_none() => {
                    queue.insert(cs, threads[id], Instant::from_nanos(at));
                    list_insert(&mut list, at, threads[id]);
                }
                Operation::Remove(id) => {
                    if let Some(place) = place(id) {
                        queue.remove(cs, threads[id]);
                        list.remove(place);
                        assert_eq!(threads[id].urgency.get(cs).rank(), 0);
                    }
                }
                Operation::PopDue(now) => {
                    let due = list.first().filter(|(at, _)| *at <= now).map(|(_, thread)| *thread);
                    assert!(queue.pop_due(cs, Instant::from_nanos(now)) == due, "who began first ends first");
                    list.retain(|(_, thread)| due != Some(*thread));
                }
                Operation::Insert(..) => {}
            }
            check(cs, &queue, &list);
        }
    }
}

/// Orders that make other trees degenerate.
#[test]
fn the_tree_stays_low_with_two_thousand_threads() {
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
        let cs = alone();
        let queue = TimeoutQueue::new();
        let threads = threads(2_000);
        let mut list = Vec::new();
        for (number, thread) in threads.iter().enumerate() {
            queue.insert(cs, *thread, Instant::from_nanos(order(number)));
            list_insert(&mut list, order(number), *thread);
            assert!(fewest(rank(cs, top(cs, &queue))) <= list.len());
        }
        check(cs, &queue, &list);
        for thread in threads.iter().step_by(3) {
            queue.remove(cs, *thread);
            list.retain(|(_, other)| other != thread);
            assert!(fewest(rank(cs, top(cs, &queue))) <= list.len());
        }
        check(cs, &queue, &list);
        for (_, thread) in list {
            assert!(queue.pop_due(cs, Instant::MAX) == Some(thread));
        }
        check(cs, &queue, &[]);
    }
}
