//! Credit: spent by weight, renewed by resets.

use super::*;

#[test]
fn a_unit_comes_with_ten_milliseconds() {
    alone(1, |b| assert_eq!(b.credit(0), 10 * CREDIT_MS));
}

#[test]
fn the_heaviest_pays_one_to_one_lighter_ones_more() {
    alone(2, |b| {
        b.weight(1, 1024);
        b.wake(0);
        b.switch(0);
        b.now = MS;
        b.switch(0);
        // 256 against 1024: four times.
        assert_eq!(b.credit(0), 6 * CREDIT_MS);
        b.sleep(0);
        b.wake(1);
        b.switch(0);
        b.now = 2 * MS;
        b.switch(0);
        assert_eq!(b.credit(1), 9 * CREDIT_MS);
    });
}

#[test]
fn no_part_of_a_nanosecond_is_lost() {
    alone(2, |b| {
        b.weight(0, 3);
        b.weight(1, 7);
        b.wake(0);
        b.switch(0);
        // 7/3 a nanosecond: 2, then 4, then 7.
        for (now, used) in [(1, 2), (2, 4), (3, 7)] {
            b.now = now;
            b.switch(0);
            assert_eq!(b.credit(0), 10 * CREDIT_MS - used);
        }
    });
}

#[test]
fn the_greatest_weight_is_that_of_the_own_run_queue() {
    with(&flat(2), each_alone(), 2, unlimited(), |b| {
        b.affinity(0, 0b01, u64::MAX);
        b.affinity(1, 0b10, u64::MAX);
        b.weight(1, 1024);
        b.wake(0);
        b.switch(0);
        b.now = MS;
        b.switch(0);
        assert_eq!(b.credit(0), 9 * CREDIT_MS);
        // The heavy one comes to its queue, if only to sleep there.
        b.affinity(1, 0b01, u64::MAX);
        b.now = 2 * MS;
        b.switch(0);
        assert_eq!(b.credit(0), 5 * CREDIT_MS);
        b.remove(1).unwrap();
        b.now = 3 * MS;
        b.switch(0);
        assert_eq!(b.credit(0), 4 * CREDIT_MS);
    });
}

#[test]
fn a_new_weight_holds_from_now_on() {
    alone(2, |b| {
        b.weight(0, 512);
        b.wake(1);
        b.switch(0);
        b.now = MS;
        b.weight(1, 512);
        b.now = 2 * MS;
        b.switch(0);
        assert_eq!(b.credit(1), (10 - 2 - 1) * CREDIT_MS);
    });
}

#[test]
fn a_reset_renews_all_that_are_assigned_even_sleepers() {
    alone(4, |b| {
        b.wake(0);
        b.switch(0);
        b.set_credit(1, -3 * CREDIT_MS);
        b.wake(2);
        b.set_credit(2, -CREDIT_MS);
        b.policy.units[3].credit = 200_000;
        b.now = 10 * MS;
        // Unit 0 has exactly nothing left, and the unit that waits has less than that.
        assert_eq!(b.switch(0), Some(0));
        let all = [0, 1, 2, 3].map(|index| b.credit(index));
        assert_eq!(
            all,
            [10 * CREDIT_MS, 7 * CREDIT_MS, 9 * CREDIT_MS, 10_200_000]
        );
    });
}

#[test]
fn no_reset_while_the_chosen_or_the_head_has_credit() {
    alone(2, |b| {
        b.wake(0);
        b.switch(0);
        b.now = 10 * MS - 1;
        b.switch(0);
        assert_eq!(b.credit(0), 1);
        // The head has credit, though it may not run here just now.
        b.wake(1);
        b.set_credit(1, 1);
        b.policy.units[1].promise = Some(cpu(0));
        b.now = 10 * MS + 1;
        assert_eq!(b.switch(0), Some(1));
        assert_eq!((b.credit(0), b.credit(1)), (-1, 1));
    });
}

#[test]
fn credit_ends_at_the_floor_and_the_ceiling() {
    alone(3, |b| {
        b.weight(1, 65_535);
        b.weight(2, 65_535);
        b.weight(0, 1);
        b.wake(0);
        b.switch(0);
        b.now = MS;
        // A millisecond costs it 65 s: it owes all it can, so all gain 20 ms.
        b.set_credit(2, -9 * CREDIT_MS);
        assert_eq!(b.switch(0), Some(0));
        let all = [0, 1, 2].map(|index| b.credit(index));
        assert_eq!(all, [10 * CREDIT_MS, 10_500_000, 10_500_000]);
    });
}

#[test]
fn a_reset_charges_those_that_run_elsewhere() {
    with(&flat(2), Grouping::DEFAULT, 2, unlimited(), |b| {
        b.run_on(0, 0);
        b.run_on(1, 1);
        b.now = 10 * MS;
        b.switch(0);
        assert_eq!((b.credit(0), b.credit(1)), (10 * CREDIT_MS, 10 * CREDIT_MS));
        // Its clock was restarted: it does not pay twice.
        b.now = 11 * MS;
        b.switch(1);
        assert_eq!(b.credit(1), 9 * CREDIT_MS);
    });
}

#[test]
fn idleness_resets_nothing() {
    alone(1, |b| {
        b.set_credit(0, -CREDIT_MS);
        b.switch(0);
        assert_eq!(b.credit(0), -CREDIT_MS);
    });
}
