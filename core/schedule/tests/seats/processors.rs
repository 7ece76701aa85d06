//! Cases: processors that come and go.

use super::common::cpu;
use super::pair::Pair;
use super::plans::{WILD, beside_each_other};
use taktos_schedule::smp::PolicyKind;
use taktos_schedule::smp::seats::{Decider, Place, World};
use taktos_schedule::{CpuSet, Priority};

#[test]
fn an_instance_whose_last_processor_goes_is_decided_by_seats_when_it_comes_again() {
    for policy in [
        PolicyKind::Priority,
        PolicyKind::Cbs,
        PolicyKind::StrongAffinity,
    ] {
        for cpus in [vec![1], vec![1, 2]] {
            let plan = [(PolicyKind::Priority, vec![0]), (policy, cpus.clone())];
            beside_each_other(&plan, WILD, |pair, _| {
                for id in [2, 3] {
                    pair.moves(id, 0, Priority::new(2).unwrap());
                }
                cpus.iter()
                    .for_each(|number| pair.change_processors(1, *number, false));
                assert_eq!(pair.router.check(pair.board), Ok(()));
                cpus.iter()
                    .for_each(|number| pair.change_processors(1, *number, true));
                assert_eq!(changes(pair), [cpus.len(), cpus.len()]);
                pair.moves(2, 1, Priority::new(2).unwrap());
                pair.ready(2, Place::Last);
                cpus.iter().for_each(|number| pair.dispatch(*number));
                pair.compare_order();
                assert!(cpus.iter().any(|number| pair.runner(*number) == Some(2)));
            });
        }
    }
}

#[test]
fn a_thread_is_bound_where_deadlines_count() {
    for policy in [PolicyKind::Edf, PolicyKind::Cbs] {
        a_thread_is_bound_and_then_to_none(policy);
    }
}

/// Two threads of an instance of two processors, one of which is bound to a processor, and then to
/// none.
fn a_thread_is_bound_and_then_to_none(policy: PolicyKind) {
    let plan = [(policy, vec![0, 1])];
    beside_each_other(&plan, WILD, |pair, _| {
        for id in [0, 1] {
            pair.ready(id, Place::Last);
            pair.dispatch(id);
        }
        for cpus in [CpuSet::of(cpu(1)), CpuSet::ALL] {
            pair.bind(0, cpus);
            (0..2).for_each(|number| pair.dispatch(number));
            (0..2).for_each(|number| pair.dispatch(number));
            pair.compare();
        }
        pair.compare_order();
    });
}

/// How often a processor came to an instance, and left one.
pub fn changes(pair: &Pair<'_>) -> [usize; 2] {
    [pair.count.came, pair.count.left]
}

#[test]
fn an_instance_of_one_processor_gets_a_second_one_and_loses_the_first() {
    let plan = [
        (PolicyKind::Priority, vec![0]),
        (PolicyKind::Priority, vec![1, 2]),
    ];
    beside_each_other(&plan, WILD, |pair, _| {
        pair.ready(0, Place::Last);
        pair.ready(1, Place::Last);
        pair.dispatch(0);
        pair.change_processors(0, 1, true);
        assert_eq!(changes(pair), [0; 2], "another has it");
        pair.change_processors(1, 2, false);
        pair.compare();
        pair.change_processors(0, 2, true);
        pair.compare();
        assert_eq!([pair.runner(0), pair.runner(2)], [Some(0), Some(1)]);
        assert!(matches!(pair.home(0).decider(), Decider::Cluster(_)));
        pair.change_processors(0, 0, false);
        pair.compare();
        assert_eq!([pair.runner(0), pair.runner(2)], [None, Some(1)]);
        pair.change_processors(0, 2, false);
        assert_eq!(changes(pair), [1, 2], "its last one is refused");
        pair.all_run_in_turn();
    });
}

/// The owner of the seat of a processor that goes has its registers nowhere; another thread ran
/// there and is to be preempted.
#[test]
fn a_thread_that_gives_way_on_a_processor_that_goes_comes_in_again_behind_its_equals() {
    let plan = [(PolicyKind::Priority, vec![0, 1])];
    beside_each_other(&plan, WILD, |pair, _| {
        for id in [0, 1] {
            pair.ready(id, Place::Last);
            pair.dispatch(id);
        }
        pair.create(0, Priority::new(1).unwrap(), None);
        pair.acting = 0;
        pair.ready(2, Place::Last);
        assert_eq!([pair.board.heir(1), pair.board.current(1)], [2, 1]);
        pair.change_processors(0, 1, false);
        pair.compare();
        assert_eq!(changes(pair), [0, 1]);
        (0..2).for_each(|number| pair.dispatch(number));
        pair.compare();
        assert_eq!([pair.runner(0), pair.runner(1)], [Some(2), None]);
        pair.compare_order();
        pair.all_run_in_turn();
    });
}
