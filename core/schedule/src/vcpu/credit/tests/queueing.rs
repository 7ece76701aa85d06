//! The order of the run queues.

use super::*;

/// Units 0 to 5 of the given classes wait on processor 0 after a running one (6).
fn waiting(ranks: [Rank; 6], test: impl FnOnce(&mut Bench)) {
    with(&flat(1), 7, Parameters::DEFAULT, |b| {
        b.wake(6);
        b.switch(0);
        for (index, rank) in ranks.into_iter().enumerate() {
            b.set_rank(index, rank);
            b.wake(index);
        }
        test(b);
    });
}

use Rank::{Over, Under};

#[test]
fn classes_in_order_first_in_first_out_within() {
    // Those that wake while UNDER are in class BOOST by that.
    waiting([Over, Under, Over, Under, Over, Under], |b| {
        assert_eq!(b.queue(0), [1, 3, 5, 0, 2, 4]);
        b.set_rank(6, Under);
        b.policy.units[6].yielding = false;
        b.now = 2 * MS;
        // The running one, UNDER, goes after BOOST and before OVER.
        assert_eq!(b.switch(0), Some(1));
        assert_eq!(b.queue(0), [3, 5, 6, 0, 2, 4]);
    });
}

#[test]
fn an_over_unit_that_wakes_is_not_boosted() {
    waiting([Over, Under, Over, Over, Over, Over], |b| {
        assert_eq!((b.rank(0), b.rank(1)), (Over, Rank::Boost));
    });
}

#[test]
fn a_unit_that_yields_lets_one_more_go_first() {
    waiting([Over, Under, Over, Under, Over, Over], |b| {
        b.set_rank(6, Under);
        b.yield_now(6);
        assert_eq!(b.tickles().last(), Some(&0));
        assert_eq!(b.switch(0), Some(1));
        assert_eq!(b.queue(0), [3, 0, 6, 2, 4, 5]);
    });
    // After the last one, with no unit left to slip in after.
    waiting([Under; 6], |b| {
        b.set_rank(6, Over);
        b.yield_now(6);
        assert_eq!(b.switch(0), Some(0));
        assert_eq!(b.queue(0), [1, 2, 3, 4, 5, 6]);
        // Off the queue, the yield is over.
        for index in 1..6 {
            b.sleep(index);
        }
        b.sleep(0);
        assert_eq!(b.switch(0), Some(6));
        assert!(!b.policy.units[6].yielding);
    });
}

#[test]
fn a_queue_is_sorted_at_its_own_tick_after_an_accounting() {
    waiting([Under; 6], |b| {
        for (index, rank) in [Over, Under, Over, Under, Over, Under].iter().enumerate() {
            b.set_rank(index, *rank);
        }
        b.tick(0);
        assert_eq!(b.queue(0), [0, 1, 2, 3, 4, 5], "no accounting yet");
        b.policy.epoch += 1;
        assert_eq!(b.queue(0), [0, 1, 2, 3, 4, 5], "no tick yet");
        b.tick(0);
        assert_eq!(b.queue(0), [1, 3, 5, 0, 2, 4]);
        b.set_rank(1, Over);
        b.tick(0);
        assert_eq!(b.queue(0), [1, 3, 5, 0, 2, 4], "once for each accounting");
    });
}

#[test]
fn boost_and_under_are_not_parted_by_the_sort() {
    waiting([Under; 6], |b| {
        b.set_rank(0, Under);
        b.set_rank(2, Over);
        b.policy.epoch += 1;
        b.tick(0);
        assert_eq!(b.queue(0), [0, 1, 3, 4, 5, 2]);
    });
}
