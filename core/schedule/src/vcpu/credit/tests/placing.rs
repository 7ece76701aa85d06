//! Where a unit belongs.

use super::*;

/// Two sockets of two cores with two threads each.
fn big() -> Vec<Place> {
    let place = |index: u16| Place {
        core: index / 2,
        socket: index / 4,
        node: index / 4,
    };
    (0..8).map(place).collect()
}

/// Where unit 0, last on processor `own`, belongs when `idle` are idle.
fn placed(own: usize, idle: u64, soft: u64, parameters: Parameters) -> usize {
    let mut place = 0;
    with(&big(), 1, parameters, |b| {
        b.policy.units[0].cpu = cpu(own);
        b.policy.units[0].state.affinity.soft = set(soft);
        b.policy.idlers = set(idle);
        place = b.policy.place(0).index();
    });
    place
}

const SPREAD: Parameters = Parameters::DEFAULT;

#[test]
fn its_own_if_that_is_as_idle_as_any() {
    assert_eq!(placed(1, 0b1111_1111, u64::MAX, SPREAD), 1);
    assert_eq!(placed(1, 0b0000_0010, u64::MAX, SPREAD), 1);
    assert_eq!(placed(1, 0, u64::MAX, SPREAD), 1, "no idle one");
}

#[test]
fn an_idle_one_rather_than_its_own_busy_one() {
    assert_eq!(placed(1, 0b0100_0000, u64::MAX, SPREAD), 6);
}

#[test]
fn in_its_socket_any_idler_core_in_another_only_twice_as_idle_a_socket() {
    // Core 0 has one idle thread, core 1 two.
    assert_eq!(placed(0, 0b0000_1101, u64::MAX, SPREAD), 2);
    // Three idle in the own socket, four in the other.
    assert_eq!(placed(0, 0b1111_0111, u64::MAX, SPREAD), 0);
    // One against two is not more than twice as many; one against three is.
    assert_eq!(placed(0, 0b0011_0001, u64::MAX, SPREAD), 0);
    assert_eq!(placed(0, 0b0111_0001, u64::MAX, SPREAD), 4);
}

#[test]
fn power_saving_fills_cores_first() {
    let saving = SPREAD.with_power_saving(true);
    // Core 1 has one idle thread only: the better one now.
    assert_eq!(placed(0, 0b0000_1011, u64::MAX, saving), 3);
    assert_eq!(placed(0, 0b0000_1011, u64::MAX, SPREAD), 0);
}

#[test]
fn where_it_prefers_to_be_if_a_processor_is_idle_there() {
    assert_eq!(placed(0, 0b1000_0001, 0b1100_0000, SPREAD), 7);
    assert_eq!(placed(0, 0b0000_0001, 0b1100_0000, SPREAD), 0);
}

#[test]
fn without_placement_it_stays() {
    let still = SPREAD.with_placement(false);
    assert_eq!(placed(1, 0b0100_0000, 0b1100_0000, still), 1);
}

#[test]
fn a_running_unit_moves_at_a_tick_when_another_processor_is_better() {
    with(&big()[..4], 2, SPREAD, |b| {
        for (index, on) in [(0, 0), (1, 1)] {
            b.affinity(index, 1 << on, u64::MAX);
            b.wake(index);
            b.switch(on);
            b.affinity(index, 0b1111, u64::MAX);
        }
        b.tickles();
        // The first tick makes it active; the second looks for a better place:
        // core 1 is all idle.
        b.tick(0);
        assert_eq!(b.tickles(), []);
        b.tick(0);
        assert_eq!(b.tickles(), [0]);
        assert_eq!(b.schedule(0).next, None);
        assert_eq!(b.queue(0), []);
        b.saved(0, 0);
        assert_eq!(b.on(0), 2);
        assert_eq!(b.tickles(), [2]);
        assert_eq!(b.rank(0), Rank::Under, "moving is no reason for a boost");
        // Alone on its core, unit 1 stays.
        b.tick(1);
        b.tick(1);
        assert_eq!(b.tickles(), []);
    });
}
