//! The next choice of a processor, and its end.

use super::*;
use taktos_time::Duration;

fn at(ns: u64) -> Option<Instant> {
    Some(Instant::from_nanos(ns))
}

#[test]
fn a_slice_ends_after_thirty_milliseconds_and_idleness_never() {
    with(&flat(1), 2, Parameters::DEFAULT, |b| {
        b.now = 7 * MS;
        b.wake(0);
        let choice = b.schedule(0);
        assert_eq!(choice.next, Some(vcpu(0)));
        assert_eq!(choice.until, at(37 * MS));
        b.wake(1);
        b.set_rank(1, Rank::Under);
        b.set_rank(0, Rank::Under);
        // Round robin among equals.
        b.now = 37 * MS;
        assert_eq!(b.switch(0), Some(1));
        b.sleep(0);
        b.sleep(1);
        assert_eq!(b.schedule(0), Choice::default());
    });
}

#[test]
fn the_rate_limit_delays_even_a_boosted_unit() {
    with(&flat(1), 2, Parameters::DEFAULT, |b| {
        b.wake(0);
        b.switch(0);
        b.set_rank(0, Rank::Over);
        b.now = 50 * US;
        b.wake(1);
        // Below 100 µs it looks again after 100 µs, not when the limit ends.
        let kept = b.schedule(0);
        assert_eq!((kept.next, kept.until), (Some(vcpu(0)), at(150 * US)));
        b.now = 150 * US;
        let kept = b.schedule(0);
        assert_eq!((kept.next, kept.until), (Some(vcpu(0)), at(1000 * US)));
        b.now = 999_999;
        assert_eq!(b.switch(0), Some(0));
        b.now = 1000 * US;
        assert_eq!(b.switch(0), Some(1));
    });
}

#[test]
fn the_rate_limit_counts_from_the_start_not_from_the_last_charge() {
    with(&flat(1), 2, Parameters::DEFAULT, |b| {
        b.wake(0);
        b.switch(0);
        b.now = 9_800 * US;
        b.tick(0);
        b.now = 10 * MS;
        b.wake(1);
        assert_eq!(b.switch(0), Some(1));
        // Chosen again without a switch, a unit has not started again.
        b.sleep(0);
        b.now = 40 * MS;
        b.switch(0);
        b.now += 10 * US;
        b.set_rank(1, Rank::Over);
        b.wake(0);
        assert_eq!(b.switch(0), Some(0));
    });
}

#[test]
fn what_the_rate_limit_does_not_keep() {
    let rested = |test: &dyn Fn(&mut Bench)| {
        with(&flat(1), 2, Parameters::DEFAULT, |b| {
            b.wake(0);
            b.switch(0);
            b.set_rank(0, Rank::Under);
            b.wake(1);
            b.now = 10 * US;
            test(b);
        });
    };
    rested(&|b| {
        b.sleep(0);
        assert_eq!(b.switch(0), Some(1));
    });
    rested(&|b| {
        b.yield_now(0);
        assert_eq!(b.switch(0), Some(1));
    });
    rested(&|b| {
        let choice = b.call(|p, now, fx| p.schedule(cpu(0), now, true, fx));
        assert_eq!(choice, Choice::default());
        // Idle, but no idler: it is at work.
        assert!(b.policy.idlers().is_empty());
        assert_eq!(b.queue(0), [1, 0]);
    });
    let off = Parameters::DEFAULT.with_ratelimit(Duration::ZERO).unwrap();
    with(&flat(1), 2, off, |b| {
        b.wake(0);
        b.switch(0);
        b.set_rank(0, Rank::Under);
        b.wake(1);
        assert_eq!(b.switch(0), Some(1));
    });
}

#[test]
fn ticks_stop_when_idle_and_resume_at_the_next_multiple() {
    with(&flat(1), 1, Parameters::DEFAULT, |b| {
        b.now = 13 * MS;
        b.wake(0);
        b.probe.take();
        b.switch(0);
        assert_eq!(b.probe.take().timers, [(Timer::Tick(cpu(0)), at(20 * MS))]);
        b.now = 20 * MS + 5;
        b.tick(0);
        assert_eq!(
            b.probe.take().timers,
            [(Timer::Tick(cpu(0)), at(30 * MS + 5))]
        );
        b.sleep(0);
        b.switch(0);
        assert_eq!(b.probe.take().timers, [(Timer::Tick(cpu(0)), None)]);
        // On a multiple, the next one is meant.
        b.now = 40 * MS;
        b.wake(0);
        b.switch(0);
        assert_eq!(b.probe.take().timers, [(Timer::Tick(cpu(0)), at(50 * MS))]);
    });
}

#[test]
fn a_unit_that_sleeps_and_wakes_before_the_switch_runs_on() {
    with(&flat(1), 1, Parameters::DEFAULT, |b| {
        b.wake(0);
        b.switch(0);
        b.tick(0);
        b.sleep(0);
        b.wake(0);
        assert_eq!(b.rank(0), Rank::Under, "no boost for who runs");
        assert_eq!(b.switch(0), Some(0));
    });
}

#[test]
fn nobody_is_told_of_a_unit_before_it_is_saved() {
    with(&flat(2), 1, Parameters::DEFAULT, |b| {
        b.affinity(0, 0b01, u64::MAX);
        b.wake(0);
        b.switch(0);
        b.affinity(0, 0b11, u64::MAX);
        b.sleep(0);
        assert_eq!(b.schedule(0).next, None);
        b.tickles();
        b.wake(0);
        assert_eq!((b.tickles(), b.queue(0)), ([].to_vec(), [0].to_vec()));
        // The other processor finds it, but cannot have it.
        assert_eq!(b.switch(1), None);
        b.saved(0, 0);
        assert_eq!(b.tickles(), [0]);
        assert_eq!(b.switch(0), Some(0));
    });
}
