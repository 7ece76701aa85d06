//! Cases: servers, budgets and late alarms.

use super::board::row;
use super::common::{at, cpu};
use super::pair::Pair;
use super::plans::{WILD, beside_each_other};
use taktos_schedule::smp::PolicyKind;
use taktos_schedule::smp::seats::{Place, World};
use taktos_schedule::{CpuSet, Priority};
use taktos_time::Duration;

/// Two threads on one processor, under deadlines with servers.
pub fn on_one_processor(act: impl FnOnce(&mut Pair<'_>)) {
    let plan = [(PolicyKind::Cbs, vec![0])];
    beside_each_other(&plan, WILD, |pair, _| act(pair));
}

#[test]
fn a_server_ends_a_job() {
    on_one_processor(|pair| {
        pair.job(0, Some(at(10)));
        pair.job(1, Some(at(20)));
        let budget = Duration::from_nanos(5);
        pair.serve(0, Some((budget, Duration::from_nanos(50))));
        pair.serve(0, None);
        // Its job counted no more when it had a server.
        pair.ready(0, Place::Last);
        pair.ready(1, Place::Last);
        pair.compare();
        assert_eq!(
            pair.board.heir(0),
            1,
            "who has a job is before who has none"
        );
    });
}

#[test]
fn a_budget_that_is_used_up_gives_way_to_an_earlier_deadline() {
    on_one_processor(|pair| {
        let budget = Duration::from_nanos(5);
        pair.serve(0, Some((budget, Duration::from_nanos(50))));
        pair.job(1, Some(at(60)));
        pair.ready(0, Place::Last);
        pair.ready(1, Place::Last);
        pair.dispatch(0);
        assert_eq!(pair.board.heir(0), 0, "50 is before 60");
        assert_eq!(
            pair.board.armed[0].get(),
            Some(at(5)),
            "the alarm is for the end of the budget"
        );
        pair.now = 5;
        pair.board.ticks.set(5);
        pair.expire();
        pair.compare();
        assert_eq!(pair.board.heir(0), 1, "60 is before 100");
    });
}

/// A thread of one processor is throttled; it blocks, wakes, and has the processor when its budget
/// is refilled.
#[test]
fn a_throttled_thread_that_wakes_waits_for_its_budget() {
    on_one_processor(|pair| {
        let goes_to = |pair: &mut Pair<'_>, now| {
            pair.now = now;
            pair.board.ticks.set(now);
            pair.expire();
            pair.dispatch(0);
            pair.compare();
        };
        pair.serve_hard(0, Duration::from_nanos(5), Duration::from_nanos(50));
        pair.ready(0, Place::Last);
        pair.dispatch(0);
        goes_to(pair, 5);
        assert!(pair.is_throttled(0) && pair.runner(0).is_none());
        assert_eq!(pair.board.refill.get(), Some(at(50)));
        pair.compare_times();
        goes_to(pair, 20);
        pair.block(0);
        pair.ready(0, Place::Last);
        pair.compare();
        goes_to(pair, 49);
        assert_eq!(pair.runner(0), None, "its deadline is not over");
        goes_to(pair, 50);
        assert_eq!(pair.runner(0), Some(0));
        // With a new server it is throttled no more.
        goes_to(pair, 55);
        assert!(pair.is_throttled(0));
        pair.block(0);
        pair.serve(0, None);
        assert_eq!(pair.board.refill.get(), None);
        pair.ready(0, Place::Last);
        goes_to(pair, 56);
        assert_eq!(pair.runner(0), Some(0));
        pair.compare_times();
    });
}

/// Two processors under deadlines with servers: threads 0 and 1 run, and what is left of the budget
/// of thread 1 is used up when processor 1 leaves, before its alarm.
fn with_a_used_up_budget(act: impl FnOnce(&mut Pair<'_>)) {
    let plan = [(PolicyKind::Cbs, vec![0, 1])];
    beside_each_other(&plan, WILD, |pair, _| {
        let budget = Duration::from_nanos(5);
        pair.serve(1, Some((budget, Duration::from_nanos(50))));
        pair.job(0, Some(at(20)));
        for id in [0, 1] {
            pair.ready(id, Place::Last);
            pair.dispatch(id);
        }
        assert_eq!(pair.board.heir(1), 1, "the server runs");
        pair.now = 5;
        pair.board.ticks.set(5);
        pair.change_processors(0, 1, false);
        [1, 0].into_iter().for_each(|number| pair.dispatch(number));
        act(pair);
    });
}

#[test]
fn a_budget_that_was_used_up_on_a_processor_that_left_is_looked_at() {
    with_a_used_up_budget(|pair| {
        pair.expire();
        pair.compare();
        (0..2).for_each(|number| pair.dispatch(number));
        pair.block(0);
        pair.compare();
        pair.dispatch(0);
        pair.compare();
        assert_eq!(pair.router.system().server(row(1)).unwrap().1, at(100));
        pair.compare_times();
    });
}

/// The alarm of processor 1 is for the budget of thread 1, also after another decider has taken its
/// seat over.
#[test]
fn a_thread_that_used_up_a_budget_before_a_thread_was_bound_is_looked_at() {
    let plan = [(PolicyKind::Cbs, vec![0, 1])];
    beside_each_other(&plan, WILD, |pair, _| {
        let (bound, urgent) = (pair.made, pair.made + 1);
        for _ in [bound, urgent] {
            pair.create(0, Priority::new(2).unwrap(), None);
        }
        let budget = Duration::from_nanos(5);
        pair.serve(1, Some((budget, Duration::from_nanos(50))));
        pair.job(0, Some(at(20)));
        pair.job(urgent, Some(at(10)));
        for id in [0, 1] {
            pair.ready(id, Place::Last);
            pair.dispatch(id);
        }
        assert_eq!(pair.board.heir(1), 1, "the server runs");
        pair.now = 5;
        pair.board.ticks.set(5);
        pair.bind(bound, CpuSet::of(cpu(0)));
        pair.ready(urgent, Place::Last);
        pair.compare();
        pair.expire();
        pair.compare();
        let deadline = |pair: &Pair<'_>| pair.router.system().server(row(1)).unwrap().1;
        assert_eq!(deadline(pair), at(100), "its budget is looked at");
    });
}

/// Two instances with servers. Thread 1 of the first has lost processor 1 with its budget used up,
/// and blocked before the alarm; `act` takes it to processor 2, on which it uses up a budget as
/// well before both alarms.
fn with_alarms_of_two_processors(act: impl FnOnce(&mut Pair<'_>, Option<(Duration, Duration)>)) {
    let plan = [(PolicyKind::Cbs, vec![0, 1]), (PolicyKind::Cbs, vec![2])];
    beside_each_other(&plan, WILD, |pair, _| {
        let server = Some((Duration::from_nanos(5), Duration::from_nanos(50)));
        pair.create(0, Priority::new(2).unwrap(), None);
        pair.serve(1, server);
        pair.job(0, Some(at(20)));
        pair.job(4, Some(at(10)));
        for id in [0, 1] {
            pair.ready(id, Place::Last);
            pair.dispatch(id);
        }
        pair.now = 5;
        pair.board.ticks.set(5);
        pair.ready(4, Place::Last);
        pair.dispatch(1);
        assert_eq!(pair.board.heir(1), 4, "thread 1 lost processor 1");
        pair.block(1);
        act(pair, server);
        assert_eq!(pair.board.heir(2), 1, "the server runs");
        pair.now = 10;
        pair.board.ticks.set(10);
        // It loses that processor, too, and processor 1, which it lost before, has its alarm first.
        pair.job(2, Some(at(12)));
        pair.ready(2, Place::Last);
        pair.dispatch(2);
        pair.expire();
        pair.all_run_in_turn();
    });
}

#[test]
fn a_thread_that_has_used_up_a_budget_and_left_is_looked_at_where_it_is_at_home_now() {
    with_alarms_of_two_processors(|pair, server| {
        pair.serve(1, None);
        pair.moves(1, 1, Priority::new(2).unwrap());
        pair.serve(1, server);
        // It waits for processor 2, and has it then until its new
        // budget is used up.
        pair.job(2, Some(at(30)));
        pair.ready(2, Place::Last);
        pair.dispatch(2);
        pair.ready(1, Place::Last);
        pair.acting = 2;
        pair.block(2);
        pair.dispatch(2);
    });
}

#[test]
fn what_affinities_noted_of_a_thread_is_no_server_where_it_comes_to() {
    let plan = [
        (PolicyKind::StrongAffinity, vec![0, 1]),
        (PolicyKind::Cbs, vec![2]),
    ];
    beside_each_other(&plan, WILD, |pair, _| {
        // It may run everywhere, which is noted of it.
        pair.bind(0, CpuSet::ALL);
        pair.moves(0, 1, Priority::new(2).unwrap());
        pair.ready(0, Place::Last);
        pair.all_run_in_turn();
    });
}

#[test]
fn a_thread_that_has_a_row_after_one_that_used_up_its_budget_is_not_looked_at_elsewhere() {
    with_alarms_of_two_processors(|pair, server| {
        pair.begins_anew(1, 1, Priority::new(2).unwrap());
        pair.serve(1, server);
        pair.acting = 2;
        pair.ready(1, Place::Last);
        pair.dispatch(2);
    });
}

/// The guarantee of the book for two budgets that are used up on one processor before one late
/// alarm.
#[test]
fn the_first_of_two_that_used_up_budgets_before_one_late_alarm_is_looked_at_when_it_runs() {
    on_one_processor(|pair| {
        let goes_to = |pair: &mut Pair<'_>, now| {
            pair.now = now;
            pair.board.ticks.set(now);
        };
        let deadlines = |pair: &Pair<'_>| pair.deadlines()[..2].to_vec();
        for (id, period) in [(0, 60), (1, 50)] {
            pair.serve(
                id,
                Some((Duration::from_nanos(5), Duration::from_nanos(period))),
            );
        }
        pair.create(0, Priority::new(2).unwrap(), None);
        pair.job(2, Some(at(20)));
        pair.ready(0, Place::Last);
        pair.dispatch(0);
        goes_to(pair, 5);
        pair.ready(1, Place::Last);
        pair.dispatch(0);
        assert_eq!(pair.board.heir(0), 1, "55 is before 60");
        goes_to(pair, 10);
        pair.ready(2, Place::Last);
        pair.dispatch(0);
        assert_eq!(pair.board.heir(0), 2, "20 is before 55");
        pair.expire();
        assert_eq!(
            deadlines(pair),
            [Some(at(60)), Some(at(105))],
            "the last one"
        );
        pair.block(2);
        pair.dispatch(0);
        assert_eq!(pair.board.heir(0), 0, "60 is before 105");
        assert_eq!(pair.board.armed[0].get(), Some(at(10)), "at once");
        pair.expire();
        assert_eq!(deadlines(pair), [Some(at(120)), Some(at(105))]);
        pair.all_run_in_turn();
    });
}
