//! The processors that are tickled for a unit that wakes.

use super::super::Kick;
use super::*;

/// Processors 0 to 3 of which `busy` run units 4 to 7, UNDER; unit 0 sleeps on
/// processor 0.
fn with_busy(busy: u64, parameters: Parameters, test: impl FnOnce(&mut Bench)) {
    with(&flat(4), 8, parameters, |b| {
        for on in set(busy) {
            let index = on.index() + 4;
            b.affinity(index, 1 << on.index(), u64::MAX);
            b.wake(index);
            assert_eq!(b.switch(on.index()), Some(index));
            b.set_rank(index, Rank::Under);
            b.affinity(index, 0b1111, u64::MAX);
        }
        b.policy.units[0].cpu = cpu(0);
        b.tickles();
        test(b);
    });
}

#[test]
fn its_own_processor_if_that_is_idle() {
    with_busy(0b1110, Parameters::DEFAULT, |b| {
        b.wake(0);
        assert_eq!(b.tickles(), [0]);
        assert!(b.policy.idlers().is_empty());
    });
}

#[test]
fn its_own_processor_if_none_is_idle_and_it_outranks() {
    with_busy(0b1111, Parameters::DEFAULT, |b| {
        b.wake(0);
        assert_eq!(b.tickles(), [0], "BOOST outranks UNDER");
        b.sleep(0);
        b.set_rank(0, Rank::Over);
        b.wake(0);
        assert_eq!(b.tickles(), [], "OVER does not");
    });
}

#[test]
fn an_idle_processor_even_if_it_outranks_in_turn() {
    with_busy(0b0001, Parameters::DEFAULT, |b| {
        let mut told = Vec::new();
        for _ in 0..3 {
            b.wake(0);
            told.extend(b.tickles());
            b.sleep(0);
        }
        // Each tickled one is no idler until it has scheduled.
        assert_eq!(told, [1, 2, 3]);
        b.wake(0);
        assert_eq!(b.tickles(), [0], "none is left");
        b.sleep(0);
        b.switch(2);
        b.switch(1);
        b.wake(0);
        assert_eq!(b.tickles(), [1], "behind the one told last");
    });
}

#[test]
fn all_idle_processors_by_option() {
    let all = Parameters::DEFAULT.with_tickle_one_idler(false);
    with_busy(0b0011, all, |b| {
        b.wake(0);
        assert_eq!(b.tickles(), [2, 3]);
        assert!(b.policy.idlers().is_empty());
    });
}

#[test]
fn idle_processors_that_it_prefers_come_first() {
    with_busy(0b0001, Parameters::DEFAULT, |b| {
        b.affinity(0, 0b1111, 0b1001);
        b.wake(0);
        assert_eq!(b.tickles(), [3]);
        b.sleep(0);
        b.wake(0);
        assert_eq!(b.tickles(), [1], "then those where it may run");
    });
}

#[test]
fn a_pinned_unit_wakes_its_processor_only() {
    with_busy(0b0010, Parameters::DEFAULT, |b| {
        b.affinity(0, 0b0001, u64::MAX);
        b.wake(0);
        assert_eq!(b.tickles(), [0]);
        b.sleep(0);
        b.affinity(1, 0b0010, u64::MAX);
        b.set_rank(1, Rank::Over);
        b.wake(1);
        assert_eq!(b.tickles(), [], "its processor is busy with better work");
    });
}

#[test]
fn whom_it_preempts_goes_to_an_idle_processor_that_suits() {
    // Unit 0 is pinned to processor 0, where unit 4 runs; 1 to 3 are idle.
    with_busy(0b0001, Parameters::DEFAULT, |b| {
        b.affinity(0, 0b0001, u64::MAX);
        b.wake(0);
        assert_eq!(b.tickles(), [0]);
        assert_eq!(b.switch(0), Some(0));
        // Saved, unit 4 has gone where a processor is idle.
        assert_ne!(b.on(4), 0);
        let on = b.on(4);
        assert_eq!(b.tickles(), [on]);
        assert_eq!(b.switch(on), Some(4));
        assert_eq!(b.rank(4), Rank::Under, "moving is no reason for a boost");
    });
    // The reference checks the affinity of the unit that wakes.
    let reference = Parameters::DEFAULT.with_kick(Kick::WakingUnit);
    with_busy(0b0001, reference, |b| {
        b.affinity(0, 0b0001, u64::MAX);
        b.wake(0);
        b.now = 2 * MS;
        assert_eq!(b.switch(0), Some(0));
        assert_eq!(b.queue(0), [4]);
    });
}

#[test]
fn without_stealing_only_its_own_processor_is_told() {
    let alone = Parameters::DEFAULT.without_balancing();
    with_busy(0b0001, alone, |b| {
        b.wake(0);
        assert_eq!(b.tickles(), [0], "it outranks");
        b.sleep(0);
        b.set_rank(0, Rank::Over);
        b.wake(0);
        assert_eq!(b.tickles(), []);
    });
}
