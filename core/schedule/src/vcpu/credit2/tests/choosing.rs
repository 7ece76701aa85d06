//! The unit that runs next, and for how long.

use super::*;
use taktos_time::Duration;

#[test]
fn the_most_credit_first_and_first_in_first_out_among_equals() {
    alone(5, |b| {
        b.wake(4);
        b.switch(0);
        b.set_credit(2, 5 * CREDIT_MS);
        b.set_credit(3, 10_200_000);
        for index in [2, 0, 3, 1] {
            b.wake(index);
        }
        assert_eq!(b.queue(0), [3, 0, 1, 2]);
        // No unit is above the running one but unit 3.
        assert_eq!(b.switch(0), Some(3));
        assert_eq!(b.queue(0), [0, 1, 4, 2]);
        assert_eq!(b.switch(0), Some(3));
    });
}

#[test]
fn an_equal_does_not_preempt() {
    alone(2, |b| {
        b.wake(0);
        b.switch(0);
        b.wake(1);
        assert_eq!(b.switch(0), Some(0));
        b.set_credit(0, 10 * CREDIT_MS - 1);
        assert_eq!(b.switch(0), Some(1));
    });
}

#[test]
fn a_unit_that_is_switched_out_waits_only_when_it_is_saved() {
    alone(2, |b| {
        b.wake(0);
        b.switch(0);
        b.now = MS;
        b.wake(1);
        assert_eq!(b.schedule(0).next, Some(vcpu(1)));
        assert_eq!(b.queue(0), []);
        b.saved(0, 0);
        assert_eq!(b.queue(0), [0]);
        // A wake-up in that window is not lost, nor a sleep.
        b.set_credit(0, 10_500_000);
        assert_eq!(b.schedule(0).next, Some(vcpu(0)));
        b.sleep(1);
        b.wake(1);
        assert_eq!(b.queue(0), []);
        b.saved(0, 1);
        assert_eq!(b.queue(0), [1]);
    });
}

#[test]
fn a_unit_that_yields_comes_after_all_others() {
    alone(2, |b| {
        b.wake(0);
        b.switch(0);
        b.set_credit(1, CREDIT_MS);
        b.wake(1);
        assert_eq!(b.switch(0), Some(0));
        b.yield_now(0);
        assert_eq!(b.switch(0), Some(1));
        // Once only.
        assert_eq!(b.switch(0), Some(0));
        // With no other unit there it runs on.
        b.sleep(1);
        b.yield_now(0);
        assert_eq!(b.switch(0), Some(0));
    });
}

#[test]
fn the_rate_limit_keeps_who_has_started() {
    with(&flat(1), Grouping::DEFAULT, 2, Parameters::DEFAULT, |b| {
        b.wake(0);
        b.switch(0);
        b.set_credit(0, 0);
        b.wake(1);
        b.now = 999_999;
        assert_eq!(b.switch(0), Some(0));
        b.now = MS;
        assert_eq!(b.switch(0), Some(1));
        // Not one that yields, nor one that blocks.
        b.now = MS + 1;
        b.yield_now(1);
        assert_eq!(b.switch(0), Some(0));
        b.sleep(0);
        assert_eq!(b.switch(0), Some(1));
        // Nor against the hypervisor's work.
        let choice = b.call(|p, now, fx| p.schedule(cpu(0), now, true, fx));
        assert_eq!(choice, Choice::default());
        assert!(b.policy.idlers().is_empty());
        b.saved(0, 1);
    });
}

#[test]
fn a_unit_of_another_processor_needs_half_a_millisecond_more() {
    with(&flat(2), Grouping::DEFAULT, 3, unlimited(), |b| {
        b.run_on(0, 0);
        b.run_on(1, 1);
        b.affinity(2, 0b11, u64::MAX);
        b.policy.units[2].cpu = cpu(1);
        b.set_credit(0, CREDIT_MS);
        b.set_credit(1, 2 * CREDIT_MS);
        b.set_credit(2, CREDIT_MS + 499_999);
        b.wake(2);
        assert_eq!(b.switch(0), Some(0));
        b.set_credit(2, CREDIT_MS + 500_000);
        assert_eq!(b.switch(0), Some(2));
        // It gains 50 µs for the cold caches.
        assert_eq!((b.on(2), b.credit(2)), (0, CREDIT_MS + 550_000));
    });
}

#[test]
fn an_idle_processor_takes_anyone() {
    with(&flat(2), Grouping::DEFAULT, 2, unlimited(), |b| {
        b.run_on(0, 0);
        b.policy.units[1].cpu = cpu(0);
        b.set_credit(1, -10 * CREDIT_MS);
        b.wake(1);
        assert_eq!(b.tickles(), [1]);
        assert_eq!(b.switch(1), Some(1));
    });
}

#[test]
fn compensation_ends_at_the_ceiling() {
    with(&flat(2), Grouping::DEFAULT, 2, unlimited(), |b| {
        b.run_on(0, 0);
        b.policy.units[1].cpu = cpu(0);
        b.set_credit(1, 10_480_000);
        b.wake(1);
        assert_eq!(b.switch(1), Some(1));
        assert_eq!(b.credit(1), 10_500_000);
    });
}

#[test]
fn what_is_promised_to_a_tickled_processor_is_left_to_it() {
    with(&flat(3), Grouping::DEFAULT, 4, unlimited(), |b| {
        for index in 0..2 {
            b.run_on(index, index);
        }
        b.policy.units[2].cpu = cpu(2);
        b.wake(2);
        assert_eq!(b.tickles(), [2]);
        b.sleep(0);
        assert_eq!(b.switch(0), None, "unit 2 is promised");
        // Once that processor has scheduled, the reservation is over.
        b.affinity(3, 0b100, u64::MAX);
        b.wake(3);
        b.set_credit(3, 10_400_000);
        b.sleep(3);
        b.wake(3);
        assert_eq!(b.queue(2), [3, 2]);
        b.tickles();
        assert_eq!(b.switch(2), Some(3));
        // It took another: an idle processor is notified of unit 2.
        assert_eq!(b.tickles(), [0]);
        assert_eq!(b.switch(0), Some(2));
    });
}

#[test]
fn hard_affinity_is_never_broken() {
    with(&flat(2), Grouping::DEFAULT, 2, unlimited(), |b| {
        b.affinity(0, 0b10, u64::MAX);
        b.wake(0);
        assert_eq!(b.switch(0), None);
        assert_eq!(b.switch(1), Some(0));
    });
}

#[test]
fn a_unit_that_prefers_another_processor_leaves_when_that_is_idle() {
    with(&flat(2), Grouping::DEFAULT, 1, unlimited(), |b| {
        b.run_on(0, 0);
        b.affinity(0, 0b11, 0b10);
        assert_eq!(b.switch(0), None);
        assert_eq!(b.tickles(), [1]);
        assert_eq!(b.switch(1), Some(0));
        // There it stays.
        assert_eq!(b.switch(1), Some(0));
    });
    with(&flat(2), Grouping::DEFAULT, 2, unlimited(), |b| {
        b.run_on(0, 0);
        b.run_on(1, 1);
        b.affinity(0, 0b11, 0b10);
        assert_eq!(b.switch(0), Some(0), "that one is busy");
    });
}

#[test]
fn a_slice_lasts_as_long_as_the_credit() {
    alone(3, |b| {
        b.weight(2, 512);
        b.wake(0);
        // 10 ms of credit last a light one half as long.
        assert_eq!(b.slice(0), 5 * MS);
        b.set_credit(1, 8 * CREDIT_MS);
        b.wake(1);
        assert_eq!(b.slice(0), MS, "until it has what unit 1 has");
        // Debts of those that wait do not lengthen it.
        b.sleep(1);
        b.set_credit(1, -8 * CREDIT_MS);
        b.wake(1);
        assert_eq!(b.slice(0), 5 * MS);
        b.set_credit(0, 100_000);
        assert_eq!(b.slice(0), 500 * US, "not less");
    });
    alone(1, |b| {
        b.set_credit(0, 10_300_000);
        b.wake(0);
        assert_eq!(b.slice(0), 10 * MS, "not more");
    });
}

#[test]
fn the_outgoing_unit_waits_too() {
    alone(2, |b| {
        b.wake(0);
        b.switch(0);
        b.set_credit(0, 4 * CREDIT_MS);
        b.wake(1);
        // It is not on the queue yet, but it counts.
        assert_eq!(b.slice(0), 6 * MS);
        b.saved(0, 0);
    });
}

#[test]
fn a_slice_is_no_shorter_than_what_is_left_of_the_rate_limit() {
    with(&flat(1), Grouping::DEFAULT, 2, Parameters::DEFAULT, |b| {
        b.set_credit(0, 200_000);
        b.wake(0);
        assert_eq!(b.slice(0), MS);
        b.wake(1);
        b.now = 300 * US;
        assert_eq!(b.slice(0), 700 * US);
        b.now = 900 * US;
        assert_eq!(b.slice(0), 500 * US);
    });
    let long = Parameters::DEFAULT
        .with_ratelimit(Duration::from_millis(500))
        .unwrap();
    with(&flat(1), Grouping::DEFAULT, 1, long, |b| {
        b.wake(0);
        assert_eq!(b.slice(0), 10 * MS);
    });
}
