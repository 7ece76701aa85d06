//! Units that a processor takes from others.

use super::*;
use taktos_time::Duration;

/// Unit i + 8 runs UNDER on each processor i but the first, and two units wait UNDER after it: 2 i
/// and 2 i + 1.
fn loaded(topology: &[Place], parameters: Parameters, test: impl FnOnce(&mut Bench)) {
    with(topology, 16, parameters, |b| {
        for on in 1..topology.len() {
            for index in [on + 8, 2 * on, 2 * on + 1] {
                b.affinity(index, 1 << on, u64::MAX);
                b.wake(index);
                b.switch(on);
            }
            assert_eq!(b.queue(on), [2 * on, 2 * on + 1]);
        }
        // Without moving any unit, they may go anywhere.
        for unit in b.policy.units.iter_mut() {
            unit.state.affinity.hard = CpuSet::ALL;
            unit.rank = Rank::Under;
        }
        b.policy.processors[0].balanced = None;
        b.now = 100 * MS;
        test(b);
    });
}

#[test]
fn the_first_that_waits_on_the_next_busy_processor_in_turn() {
    loaded(&flat(4), Parameters::DEFAULT, |b| {
        let mut stolen = Vec::new();
        for _ in 0..4 {
            let next = b.switch(0).unwrap();
            stolen.push(next);
            b.sleep(next);
            b.now += 2 * MS;
        }
        assert_eq!(stolen, [2, 4, 6, 3]);
    });
}

#[test]
fn only_what_strictly_outranks_the_local_best() {
    loaded(&flat(2), Parameters::DEFAULT, |b| {
        b.affinity(0, 1, u64::MAX);
        b.set_rank(0, Rank::Over);
        b.wake(0);
        assert_eq!(b.switch(0), Some(2), "UNDER outranks OVER");
        b.sleep(2);
        b.set_rank(3, Rank::Over);
        b.now += 2 * MS;
        assert_eq!(b.switch(0), Some(0), "OVER does not");
    });
    // With UNDER work of its own it does not even look.
    loaded(&flat(2), Parameters::DEFAULT, |b| {
        b.affinity(0, 1, u64::MAX);
        b.wake(0);
        b.set_rank(0, Rank::Under);
        b.set_rank(2, Rank::Boost);
        assert_eq!(b.switch(0), Some(0));
    });
}

#[test]
fn it_looks_no_more_often_than_the_balance_rate_limit_allows() {
    loaded(&flat(2), Parameters::DEFAULT, |b| {
        assert_eq!(b.switch(0), Some(2));
        b.sleep(2);
        b.now += MS;
        assert_eq!(b.switch(0), None, "not more than 1 ms has passed");
        b.now += 1;
        assert_eq!(b.switch(0), Some(3));
    });
    let xen45 = Parameters::of(crate::vcpu::Profile::Xen45);
    loaded(&flat(2), xen45, |b| {
        assert_eq!(b.switch(0), Some(2));
        b.sleep(2);
        assert_eq!(b.switch(0), Some(3));
    });
}

#[test]
fn what_cannot_be_stolen() {
    let whom = |change: &dyn Fn(&mut Bench)| {
        let mut found = None;
        loaded(&flat(2), Parameters::DEFAULT, |b| {
            change(b);
            found = b.switch(0);
        });
        found
    };
    assert_eq!(whom(&|_| ()), Some(2));
    assert_eq!(whom(&|b| b.policy.units[2].yielding = true), Some(3));
    assert_eq!(
        whom(&|b| b.policy.units[2].state.affinity.hard = set(0b10)),
        Some(3)
    );
    assert_eq!(whom(&|b| b.policy.units[2].state.saving = true), Some(3));
    // A unit that prefers this processor is found first.
    assert_eq!(
        whom(&|b| b.policy.units[3].state.affinity.soft = set(0b01)),
        Some(3)
    );
    // A processor that is about to leave idleness keeps what waits there.
    let idle = whom(&|b| {
        b.policy.processors[1].current = None;
        b.policy.units[9].state.awake = false;
    });
    assert_eq!(idle, None);
    // One that has a single unit is left it.
    let single = whom(&|b| {
        b.sleep(9);
        b.switch(1);
        b.sleep(3);
    });
    assert_eq!(single, None);
}

#[test]
fn a_hot_unit_stays_where_its_caches_are() {
    let delayed = Parameters::DEFAULT
        .with_migration_delay(Duration::from_millis(50))
        .unwrap();
    loaded(&flat(2), delayed, |b| {
        b.policy.units[2].stopped = Some(Instant::from_nanos(50 * MS + 1));
        b.policy.units[3].stopped = Some(Instant::from_nanos(50 * MS));
        assert_eq!(b.switch(0), Some(3));
    });
}

#[test]
fn the_own_node_comes_first() {
    let place = |node| Place {
        node,
        ..Place::flat(0)
    };
    let topology = [(0, 0), (1, 1), (2, 0)].map(|(core, node)| Place {
        core,
        ..place(node)
    });
    loaded(&topology, Parameters::DEFAULT, |b| {
        assert_eq!(b.switch(0), Some(4));
        b.sleep(4);
        b.now += 2 * MS;
        assert_eq!(b.switch(0), Some(5));
        b.sleep(5);
        b.now += 2 * MS;
        assert_eq!(b.switch(0), Some(2));
    });
}

#[test]
fn none_is_stolen_when_it_is_switched_off() {
    loaded(&flat(2), Parameters::DEFAULT.with_stealing(false), |b| {
        assert_eq!(b.switch(0), None);
    });
}
