//! Load averages.

use super::super::load::averaged;
use super::*;

const P: Parameters = Parameters::DEFAULT;
/// Steps in the window of 2³⁰ ns.
const WINDOW: u64 = 1 << 20;
const WHOLE: i64 = 1 << 18;

#[test]
fn an_average_moves_by_the_part_of_the_window_that_has_passed() {
    assert_eq!(averaged(0, 1, WINDOW / 2, &P), WHOLE / 2);
    assert_eq!(averaged(WHOLE, 0, WINDOW / 4, &P), WHOLE * 3 / 4);
    assert_eq!(
        averaged(WHOLE / 2, 3, WINDOW / 8, &P),
        WHOLE / 2 + WHOLE * 5 / 16
    );
    assert_eq!(averaged(5, 2, WINDOW, &P), 2 * WHOLE);
    assert_eq!(averaged(5, 2, WINDOW * 3 / 2, &P), 2 * WHOLE);
    assert_eq!(averaged(5, 2, 10 * WINDOW, &P), 2 * WHOLE);
    assert_eq!(averaged(7, 2, 0, &P), 7);
    // Less than a fraction's unit is no move.
    assert_eq!(averaged(0, 1, 3, &P), 0);
    assert_eq!(averaged(0, 1, 4, &P), 1);
    assert_eq!(averaged(1, 0, 4, &P), 1);
}

#[test]
fn a_unit_starts_at_one_half() {
    alone(1, |b| {
        assert_eq!(b.policy.units[0].average, WHOLE / 2);
        // That counts at once in the balance average, not in the load.
        assert_eq!(b.policy.queues[0].balance, WHOLE / 2);
        assert_eq!(b.policy.queues[0].average, 0);
    });
}

#[test]
fn runnable_units_are_the_load() {
    alone(3, |b| {
        for index in 0..3 {
            b.wake(index);
        }
        b.switch(0);
        assert_eq!(b.policy.queues[0].load, 3);
        // 2²⁹ ns are half a window.
        b.now = 1 << 29;
        b.sleep(2);
        assert_eq!(b.policy.load_average(cpu(0)), WHOLE * 3 / 2);
        assert_eq!(b.policy.units[2].average, WHOLE / 2 + WHOLE / 4);
        assert_eq!(b.policy.queues[0].load, 2);
        // A running unit counts until it is saved.
        b.sleep(0);
        b.schedule(0);
        assert_eq!(b.policy.queues[0].load, 2);
        b.saved(0, 0);
        assert_eq!(b.policy.queues[0].load, 1);
    });
}

#[test]
fn time_is_sampled_in_steps_of_1024_nanoseconds() {
    alone(1, |b| {
        b.wake(0);
        b.now = 4 * 1024 - 1;
        b.policy.average_queue(0, Instant::from_nanos(b.now));
        // Three steps of load 1 move it by three quarters of a unit: nothing.
        assert_eq!(b.policy.queues[0].average, 0);
        b.now = 8 * 1024 - 1;
        b.policy.average_queue(0, Instant::from_nanos(b.now));
        assert_eq!(b.policy.queues[0].average, 1);
    });
}
