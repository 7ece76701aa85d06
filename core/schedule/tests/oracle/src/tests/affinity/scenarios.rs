//! The facts that the reference's programs smpschedaffinity01 to 05 and smpstrongapa01 verify, and
//! the points where the two policies part.

use super::{NOW, cpus, instance, places, started, system};
use crate::System;
use taktos_schedule::CpuSet;
use taktos_schedule::smp::{Error, PolicyKind, Priority, Reasons};

const BOTH: [PolicyKind; 2] = [PolicyKind::PriorityAffinity, PolicyKind::StrongAffinity];

/// Runs a scenario under a policy on `processors` processors.
fn on(policy: PolicyKind, processors: usize, scenario: impl FnOnce(&mut System)) {
    let mut system = system(8, processors, policy, &[CpuSet::first(processors)]);
    scenario(&mut system);
    system.check_invariants().unwrap();
}

#[test]
fn affinity_can_be_set_before_the_start() {
    for policy in BOTH {
        on(policy, 2, |system| {
            let thread = system.create(instance(0), Priority(5), None).unwrap();
            system
                .set_affinity(thread, cpus(&[1]), NOW, &mut ())
                .unwrap();
            system.start(thread, NOW, &mut ()).unwrap();
            assert_eq!(places(system, [thread]), [Some(1)]);
        });
    }
}

#[test]
fn equals_on_two_processors_stand_where_they_may() {
    for policy in BOTH {
        on(policy, 2, |system| {
            let first = started(system, 4, &[1]);
            let second = started(system, 4, &[0]);
            let third = started(system, 4, &[0, 1]);
            assert_eq!(
                places(system, [first, second, third]),
                [Some(1), Some(0), None]
            );
            system.yield_now(first, NOW, &mut ()).unwrap();
            assert_eq!(
                places(system, [first, second, third]),
                [None, Some(0), Some(1)]
            );
        });
    }
}

#[test]
fn a_thread_walks_over_all_processors() {
    for policy in BOTH {
        on(policy, 4, |system| {
            let walker = started(system, 4, &[0, 1, 2, 3]);
            for at in [1, 2, 3, 0, 3, 1] {
                system
                    .set_affinity(walker, cpus(&[at]), NOW, &mut ())
                    .unwrap();
                assert_eq!(places(system, [walker]), [Some(at)]);
            }
        });
    }
}

#[test]
fn a_more_urgent_thread_is_walked_over_those_of_others() {
    for policy in BOTH {
        on(policy, 4, |system| {
            let own = [0, 1, 2, 3].map(|at| started(system, 5, &[at]));
            let walker = started(system, 3, &[0]);
            for at in 0..4 {
                system
                    .set_affinity(walker, cpus(&[at]), NOW, &mut ())
                    .unwrap();
                let mut expected = [Some(0), Some(1), Some(2), Some(3)];
                expected[at] = None;
                assert_eq!(places(system, own), expected);
                assert_eq!(places(system, [walker]), [Some(at)]);
            }
        });
    }
}

/// Each of four can go one processor on, and is more urgent than the thread that is there.
#[test]
fn the_longest_of_migrations_on_four_processors() {
    for policy in BOTH {
        on(policy, 4, |system| {
            let chain = [
                started(system, 4, &[0, 1]),
                started(system, 5, &[1, 2]),
                started(system, 6, &[2, 3]),
                started(system, 7, &[3]),
            ];
            let ([a, b, c, d], _) = (chain, ());
            assert_eq!(
                places(system, [a, b, c, d]),
                [Some(0), Some(1), Some(2), Some(3)]
            );
            let newcomer = started(system, 3, &[0]);
            assert_eq!(
                places(system, [newcomer, a, b, c, d]),
                [Some(0), Some(1), Some(2), Some(3), None]
            );
            system.block(newcomer, Reasons::WAIT, NOW, &mut ()).unwrap();
            let back = match policy {
                // All shift back, for the sake of the last one.
                PolicyKind::StrongAffinity => [Some(0), Some(1), Some(2), Some(3)],
                // No waiting thread may run on the freed processor.
                _ => [Some(1), Some(2), Some(3), None],
            };
            assert_eq!(places(system, [a, b, c, d]), back);
        });
    }
}

/// smpstrongapa01, and the first limit of the weak form: the one in the middle is the more urgent.
#[test]
fn an_arrival_pushes_a_more_urgent_thread_aside() {
    let story = |policy| {
        let mut found = [None; 4];
        on(policy, 3, |system| {
            let first = started(system, 5, &[0, 1]);
            let urgent = started(system, 1, &[1, 2]);
            let last = started(system, 9, &[2]);
            assert_eq!(
                places(system, [first, urgent, last]),
                [Some(0), Some(1), Some(2)]
            );
            let newcomer = started(system, 2, &[0]);
            found = places(system, [newcomer, first, urgent, last]);
        });
        found
    };
    assert_eq!(
        story(PolicyKind::StrongAffinity),
        [Some(0), Some(1), Some(2), None]
    );
    // The first one waits, though a less urgent one runs.
    assert_eq!(
        story(PolicyKind::PriorityAffinity),
        [Some(0), None, Some(1), Some(2)]
    );
}

/// Also of the first limit: when the most urgent READY thread fits nowhere, no thread after it is
/// tried.
#[test]
fn one_that_fits_nowhere_stands_in_the_way() {
    let story = |policy| {
        let mut found = [None; 5];
        on(policy, 3, |system| {
            let holder = started(system, 1, &[0]);
            let waiting = started(system, 3, &[0]);
            let displaced = started(system, 5, &[1, 2]);
            let least = started(system, 9, &[2]);
            assert_eq!(places(system, [displaced, least]), [Some(1), Some(2)]);
            let newcomer = started(system, 2, &[1]);
            found = places(system, [holder, waiting, newcomer, displaced, least]);
        });
        found
    };
    assert_eq!(
        story(PolicyKind::StrongAffinity),
        [Some(0), None, Some(1), Some(2), None]
    );
    assert_eq!(
        story(PolicyKind::PriorityAffinity),
        [Some(0), None, Some(1), None, Some(2)]
    );
}

/// The second limit: after a yield no thread is tried again.
#[test]
fn after_a_yield_the_weak_form_looks_no_further() {
    let story = |policy| {
        let mut found = [None; 3];
        on(policy, 2, |system| {
            let yields = started(system, 3, &[0, 1]);
            let least = started(system, 9, &[1]);
            let equal = started(system, 3, &[0]);
            if policy == PolicyKind::StrongAffinity {
                // Here no thread had to wait in the first place.
                assert_eq!(
                    places(system, [yields, equal, least]),
                    [Some(1), Some(0), None]
                );
            } else {
                assert_eq!(
                    places(system, [yields, equal, least]),
                    [Some(0), None, Some(1)]
                );
            }
            system.yield_now(yields, NOW, &mut ()).unwrap();
            found = places(system, [yields, equal, least]);
        });
        found
    };
    assert_eq!(story(PolicyKind::StrongAffinity), [Some(1), Some(0), None]);
    assert_eq!(
        story(PolicyKind::PriorityAffinity),
        [None, Some(0), Some(1)]
    );
}

/// One after others of its level, or after many levels, is found.
#[test]
fn a_thread_that_may_stand_on_a_freed_processor_gets_it() {
    for policy in BOTH {
        on(policy, 2, |system| {
            let [left, right] = [0, 1].map(|at| started(system, 1, &[at]));
            let _ = [2, 2, 3].map(|priority| started(system, priority, &[0]));
            let equal = started(system, 3, &[1]);
            let last = started(system, 200, &[1]);
            for (blocks, next) in [(right, equal), (equal, last)] {
                system.block(blocks, Reasons::WAIT, NOW, &mut ()).unwrap();
                assert_eq!(places(system, [left, next]), [Some(0), Some(1)]);
            }
        });
    }
}

/// If a newcomer may run on an idle processor, no thread is shifted, whichever idle thread came
/// last.
#[test]
fn nobody_moves_while_there_is_an_idle_processor_to_stand_on() {
    for last in [1, 2] {
        on(PolicyKind::StrongAffinity, 3, |system| {
            let stays = started(system, 5, &[0, 2]);
            let _ = system.set_affinity(stays, cpus(&[0]), NOW, &mut ());
            for at in [3 - last, last] {
                let passes = started(system, 5, &[at]);
                system.block(passes, Reasons::WAIT, NOW, &mut ()).unwrap();
            }
            let _ = system.set_affinity(stays, cpus(&[0, 2]), NOW, &mut ());
            let before = places(system, [stays]);
            let newcomer = started(system, 3, &[0, 1]);
            assert_eq!(places(system, [stays]), before);
            assert!(system.processor_of(newcomer).is_some());
        });
    }
}

/// Equals are served in the order in which they came, whichever processors they may run on.
#[test]
fn first_come_first_served_among_equals_across_processors() {
    on(PolicyKind::StrongAffinity, 2, |system| {
        let urgent = started(system, 1, &[0]);
        let first = started(system, 5, &[0, 1]);
        let second = started(system, 5, &[1]);
        let third = started(system, 5, &[0, 1]);
        assert_eq!(
            places(system, [urgent, first, second, third]),
            [Some(0), Some(1), None, None]
        );
        // Both processors could go to the third; the second, which came before it, gets one by a
        // shift.
        system.block(urgent, Reasons::WAIT, NOW, &mut ()).unwrap();
        assert_eq!(
            places(system, [first, second, third]),
            [Some(0), Some(1), None]
        );
        // One that is displaced keeps its turn.
        system.unblock(urgent, Reasons::WAIT, NOW, &mut ()).unwrap();
        assert_eq!(
            places(system, [urgent, first, second, third]),
            [Some(0), Some(1), None, None]
        );
        system.block(first, Reasons::WAIT, NOW, &mut ()).unwrap();
        assert_eq!(places(system, [second, third]), [Some(1), None]);
    });
}

#[test]
fn a_pinned_thread_is_shifted_by_nobody() {
    on(PolicyKind::StrongAffinity, 2, |system| {
        let pinned = started(system, 5, &[0, 1]);
        let other = started(system, 6, &[0, 1]);
        let [at, _] = places(system, [pinned, other]).map(Option::unwrap);
        for index in 0..2 {
            let _ = system.dispatch(super::cpu(index), NOW, &mut ()).unwrap();
        }
        system.pin(pinned).unwrap();
        let _ = system.dispatch(super::cpu(at), NOW, &mut ()).unwrap();
        // It may only run there, so the less urgent one, which could go to both, is displaced.
        let newcomer = started(system, 4, &[1 - at]);
        assert_eq!(
            places(system, [pinned, newcomer, other]),
            [Some(at), Some(1 - at), None]
        );
        // One that is more urgent and can run nowhere else takes its place; no thread moves it
        // away.
        let urgent = started(system, 3, &[at]);
        assert_eq!(
            places(system, [pinned, newcomer, urgent]),
            [None, Some(1 - at), Some(at)]
        );
        system.block(newcomer, Reasons::WAIT, NOW, &mut ()).unwrap();
        assert_eq!(places(system, [pinned, other]), [None, Some(1 - at)]);
        // Unpinned it may go there.
        system.unpin(pinned, NOW, &mut ()).unwrap();
        assert_eq!(places(system, [pinned, other]), [Some(1 - at), None]);
    });
}

#[test]
fn affinity_must_name_a_processor_of_the_instance() {
    for policy in BOTH {
        let shares = [CpuSet::first(2), cpus(&[2, 3])];
        let mut system = system(2, 4, policy, &shares);
        let home = instance(0);
        let refused = system.create(home, Priority(1), Some(cpus(&[2, 3])));
        assert_eq!(refused, Err(Error::InvalidNumber));
        let thread = system
            .create(home, Priority(1), Some(cpus(&[1, 2])))
            .unwrap();
        system.start(thread, NOW, &mut ()).unwrap();
        assert_eq!(places(&system, [thread]), [Some(1)]);
        assert_eq!(
            system.set_affinity(thread, cpus(&[3]), NOW, &mut ()),
            Err(Error::InvalidNumber)
        );
        assert_eq!(
            system.remove_processor(home, super::cpu(1), NOW, &mut ()),
            Err(Error::ResourceInUse)
        );
        // There it is on the processor that it may have.
        system
            .set_scheduler(thread, instance(1), Priority(1), NOW, &mut ())
            .unwrap();
        assert_eq!(places(&system, [thread]), [Some(2)]);
    }
}
