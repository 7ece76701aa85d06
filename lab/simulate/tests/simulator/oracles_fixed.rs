//! Task sets with known answers under fixed priorities (spec 07, section 4),
//! as far as a simulation can give them: where the critical instant can be
//! brought about, the simulated response is the listed one; elsewhere it is not above it.

use crate::common::{
    UNIT, ceiling, constrained, global, in_units, responses, run_for, simulate, tasks, under,
    units, workload,
};
use taktos_simulate::random::Stream;
use taktos_simulate::{Arrival, Execution, LockId, LockSpec, Outcome, Policy, Step, Task};
use taktos_time::Duration;

/// Returns the outcome that all fixed-priority policies share on one processor.
fn on_one(tasks: &[Task], horizon: u64) -> Outcome {
    let workload = workload(tasks.to_vec());
    let fixed = [
        Policy::Simple,
        Policy::Priority,
        Policy::PriorityAffinity,
        Policy::StrongAffinity,
    ];
    let outcomes = fixed.map(|policy| simulate(&workload, &global(policy, 1, horizon)));
    for outcome in &outcomes[1..] {
        assert_eq!(outcome.tasks, outcomes[0].tasks);
    }
    outcomes[0].clone()
}

fn some<const N: usize>(responses: [u64; N]) -> Vec<Option<u64>> {
    responses.map(Some).to_vec()
}

#[test]
fn o1_burns_and_wellings_d() {
    let outcome = on_one(&tasks(&[(3, 7), (3, 12), (5, 20)]), 420);
    assert_eq!(in_units(&outcome), some([3, 6, 20]));
    assert_eq!(outcome.missed(), 0);
}

#[test]
fn o2_burns_and_wellings_a_the_lowest_misses() {
    let outcome = on_one(&tasks(&[(10, 30), (10, 40), (12, 50)]), 600);
    assert_eq!(in_units(&outcome), some([10, 20, 52]));
    assert_eq!((outcome.tasks[0].missed, outcome.tasks[1].missed), (0, 0));
    assert!(outcome.tasks[2].missed > 0);
    assert_eq!(outcome.tasks[2].tardiness, 2 * UNIT);
}

#[test]
fn o3_burns_and_wellings_b() {
    let outcome = on_one(&tasks(&[(4, 16), (5, 40), (32, 80)]), 80 * 4);
    assert_eq!(in_units(&outcome), some([4, 9, 58]));
    assert_eq!(outcome.missed(), 0);
}

#[test]
fn o4_harmonic_and_full() {
    let outcome = on_one(&tasks(&[(5, 20), (10, 40), (40, 80)]), 800);
    assert_eq!(in_units(&outcome), some([5, 15, 80]));
    assert_eq!(outcome.missed(), 0);
    assert_eq!(outcome.cpus[0].idle, 0);
    assert_eq!(outcome.cpus[0].busy, 800 * UNIT);
}

#[test]
fn o5_four_tasks() {
    let outcome = on_one(&tasks(&[(1, 4), (1, 5), (3, 9), (3, 18)]), 180);
    assert_eq!(in_units(&outcome), some([1, 2, 7, 18]));
    assert_eq!(outcome.missed(), 0);
}

#[test]
fn o6_lehoczky_sha_ding() {
    let outcome = on_one(&tasks(&[(40, 100), (40, 150), (100, 350)]), 2_100);
    assert_eq!(in_units(&outcome), some([40, 80, 300]));
    assert_eq!(outcome.missed(), 0);
    let outcome = on_one(&tasks(&[(20, 100), (40, 150), (100, 350)]), 2_100);
    assert_eq!(in_units(&outcome), some([20, 60, 240]));
}

/// O7: O6 with blocking of 20 and 30. The second task holds a lock of the
/// first's for 20; the third one of the second's for 30.
fn o7(offsets: [u64; 3]) -> Outcome {
    let mut set = tasks(&[(40, 100), (40, 150), (100, 350)]);
    let (high, low) = (LockId(0), LockId(1));
    set[0].body = vec![
        Step::Lock(high),
        run_for(1),
        Step::Unlock(high),
        run_for(39),
    ];
    set[1].body = vec![
        Step::Lock(high),
        run_for(20),
        Step::Unlock(high),
        Step::Lock(low),
        run_for(20),
        Step::Unlock(low),
    ];
    set[2].body = vec![Step::Lock(low), run_for(30), Step::Unlock(low), run_for(70)];
    for ((task, offset), period) in set.iter_mut().zip(offsets).zip([100, 150, 350]) {
        task.arrival = Arrival::Periodic {
            period: units(period),
            offset: Duration::from_nanos(offset),
            jitter: Duration::ZERO,
        };
    }
    let mut workload = workload(set);
    workload.locks = vec![ceiling("high", 1), ceiling("low", 2)];
    simulate(&workload, &global(Policy::Priority, 1, 4_200))
}

#[test]
fn o7_ceilings_block_once_and_no_longer_than_one_section() {
    // Each blocker takes its lock 1 ns before the others arrive.
    assert_eq!(responses(&o7([1, 0, 500 * UNIT]))[0], Some(60 * UNIT - 1));
    assert_eq!(responses(&o7([1, 1, 0]))[1], Some(150 * UNIT - 1));
    assert_eq!(responses(&o7([0, 0, 0]))[2], Some(300 * UNIT));
    let stream = Stream::new(7, 7);
    let bounds = [60, 150, 300];
    for try_ in 0..300 {
        let offset = |task: u64| stream.below_or_at(3 * try_ + task, 350 * UNIT);
        let outcome = o7([offset(0), offset(1), offset(2)]);
        for (response, bound) in responses(&outcome).into_iter().zip(bounds) {
            assert!(
                response.is_some_and(|response| response <= bound * UNIT),
                "{outcome:?}"
            );
        }
        assert_eq!(outcome.missed(), 0);
    }
}

#[test]
fn o8_deadlines_beyond_periods() {
    let outcome = on_one(&constrained(&[(52, 100, 100), (52, 140, 10_000)]), 700);
    assert_eq!(in_units(&outcome), some([52, 156]));
    let outcome = on_one(&constrained(&[(52, 140, 140), (52, 100, 10_000)]), 700);
    assert_eq!(in_units(&outcome), some([52, 108]));
}

/// C, T, D, B, J and R (with J), in microseconds: Audsley et al., SEJ 1993, table 3.
const AVIONICS: [(u64, u64, u64, u64, u64, u64); 18] = [
    (51, 1_000, 1_000, 0, 0, 51),
    (3_000, 2_000_000, 5_000, 300, 0, 3_504),
    (2_000, 25_000, 25_000, 600, 0, 5_906),
    (5_000, 25_000, 25_000, 900, 0, 11_512),
    (1_000, 40_000, 40_000, 1_350, 0, 13_064),
    (3_000, 50_000, 50_000, 1_350, 0, 16_217),
    (5_000, 50_000, 50_000, 750, 0, 20_821),
    (8_000, 59_000, 59_000, 750, 0, 36_637),
    (9_000, 80_000, 80_000, 1_350, 0, 47_798),
    (2_000, 80_000, 80_000, 450, 0, 48_949),
    (5_000, 100_000, 100_000, 1_050, 0, 99_150),
    (1_000, 200_000, 200_000, 450, 1_000, 100_550),
    (3_000, 200_000, 200_000, 450, 0, 140_641),
    (1_000, 200_000, 200_000, 450, 0, 141_692),
    (1_000, 200_000, 200_000, 1_350, 0, 143_694),
    (3_000, 1_000_000, 1_000_000, 0, 0, 145_446),
    (1_000, 1_000_000, 1_000_000, 0, 0, 146_497),
    (1_000, 1_000_000, 1_000_000, 0, 0, 147_548),
];

/// The critical instant of task `which`: 1 ns after a less urgent one has taken a lock
/// with its priority as ceiling, for its blocking time, all tasks arrive.
fn avionics(which: usize) -> u64 {
    let blocking = AVIONICS[which].3;
    let arrives = u64::from(blocking > 0);
    let mut set = tasks(&AVIONICS.map(|(execution, period, ..)| (execution, period)));
    for (task, (_, period, deadline, ..)) in set.iter_mut().zip(AVIONICS) {
        task.deadline = Some(units(deadline));
        task.arrival = Arrival::Periodic {
            period: units(period),
            offset: Duration::from_nanos(arrives),
            jitter: Duration::ZERO,
        };
    }
    let mut blocker = Task::periodic("blocker", units(blocking), units(10_000_000));
    blocker.priority = Some(100);
    under(&mut blocker, LockId(0));
    set.push(blocker);
    let mut workload = workload(set);
    workload.locks = vec![ceiling("shared", which as u32 + 1)];
    let outcome = simulate(&workload, &global(Policy::Priority, 1, 1_000_000));
    responses(&outcome)[which].unwrap() + arrives
}

#[test]
fn o10_avionics() {
    for (which, (.., jitter, response)) in AVIONICS.into_iter().enumerate() {
        assert_eq!(
            avionics(which),
            (response - jitter) * UNIT,
            "task {}",
            which + 1
        );
    }
}

/// Simulates without preemption: each body is under one lock with the highest priority as ceiling.
fn non_preemptive(mut set: Vec<Task>, offsets: &[u64], horizon: u64) -> Outcome {
    for (task, offset) in set.iter_mut().zip(offsets) {
        under(task, LockId(0));
        let Arrival::Periodic { offset: first, .. } = &mut task.arrival else {
            panic!("periodic")
        };
        *first = Duration::from_nanos(*offset);
    }
    let mut workload = workload(set);
    workload.locks = vec![ceiling("processor", 1)];
    simulate(&workload, &global(Policy::Priority, 1, horizon))
}

#[test]
fn o12_the_second_instance_of_a_message_is_the_late_one() {
    // In quarters of a unit: 2.5 is 10.
    let set = || constrained(&[(4, 10, 10), (4, 14, 13), (4, 14, 13)]);
    let outcome = non_preemptive(set(), &[0, 0, 0], 140);
    assert_eq!(in_units(&outcome)[2], Some(14));
    assert!(outcome.tasks[2].missed > 0);
    assert_eq!(outcome.tasks[2].tardiness, UNIT);
    // Blocked by the last one, which began 1 ns earlier.
    assert_eq!(
        responses(&non_preemptive(set(), &[1, 1, 0], 140))[0],
        Some(8 * UNIT - 1)
    );
    assert_eq!(
        responses(&non_preemptive(set(), &[1, 1, 0], 140))[1],
        Some(12 * UNIT - 1)
    );
    let stream = Stream::new(12, 0);
    for try_ in 0..500 {
        let offsets = [0u64, 1, 2].map(|task| stream.below_or_at(3 * try_ + task, 14 * UNIT));
        let found = responses(&non_preemptive(set(), &offsets, 140));
        for (response, bound) in found.into_iter().zip([8, 12, 14]) {
            assert!(response.unwrap() <= bound * UNIT, "offsets {offsets:?}");
        }
    }
}

#[test]
fn o18_a_blocker_begins_one_unit_earlier() {
    let set = || tasks(&[(20, 70), (20, 80), (35, 200)]);
    let found = in_units(&non_preemptive(set(), &[UNIT, UNIT, 0], 2_800));
    assert_eq!(found[..2], some([54, 74]));
    assert_eq!(
        in_units(&non_preemptive(set(), &[0, 0, 0], 2_800))[2],
        Some(75)
    );
    let stream = Stream::new(18, 0);
    for try_ in 0..500 {
        let offsets = [0u64, 1, 2].map(|task| UNIT * stream.below_or_at(3 * try_ + task, 80));
        let found = in_units(&non_preemptive(set(), &offsets, 2_800));
        for (response, bound) in found.into_iter().zip([54, 74, 75]) {
            assert!(response.unwrap() <= bound, "offsets {offsets:?}");
        }
    }
}

#[test]
fn o24_suspension() {
    let plain = on_one(&tasks(&[(1, 2), (5, 20), (1, 20)]), 200);
    assert_eq!(in_units(&plain), some([1, 10, 12]));
    // The second one may sleep for 5 anywhere within its 5 units of work: its response is at most
    // 20.
    let stream = Stream::new(24, 0);
    for try_ in 0..200 {
        let before = 1 + stream.below_or_at(2 * try_, 3);
        let offset = stream.below_or_at(2 * try_ + 1, 20 * UNIT);
        let mut set = tasks(&[(1, 2), (5, 20), (1, 20)]);
        set[1].body = vec![
            run_for(before),
            Step::Suspend(Execution::Fixed(units(5))),
            run_for(5 - before),
        ];
        set[1].arrival = Arrival::Periodic {
            period: units(20),
            offset: Duration::from_nanos(offset),
            jitter: Duration::ZERO,
        };
        let outcome = on_one(&set, 400);
        assert_eq!(responses(&outcome)[0], Some(UNIT));
        let response = responses(&outcome)[1].unwrap();
        assert!(response > 10 * UNIT && response <= 20 * UNIT, "{response}");
        assert_eq!(outcome.tasks[1].cpu.max(), Some(5 * UNIT));
    }
}

#[test]
fn o27_overload_starves_the_least_urgent() {
    let outcome = on_one(&tasks(&[(1, 2), (1, 3), (3, 9), (3, 18)]), 100);
    assert_eq!(in_units(&outcome)[..2], some([1, 2]));
    assert_eq!((outcome.tasks[0].missed, outcome.tasks[1].missed), (0, 0));
    // One unit in six is left for the third: a job takes 18, and is late.
    assert_eq!(outcome.tasks[2].jobs, 5);
    assert_eq!(outcome.tasks[2].missed, 11);
    assert_eq!((outcome.tasks[3].jobs, outcome.tasks[3].missed), (0, 5));
    assert_eq!(outcome.cpus[0].idle, 0);
}

/// A server is a lock with inheritance: its caller runs at the priority of the waiters.
#[test]
fn a_call_is_served_at_the_priority_of_the_most_urgent_caller() {
    use taktos_simulate::{ServerId, ServerSpec};
    let call = |time| Step::Call {
        server: ServerId(0),
        service: Execution::Fixed(units(time)),
    };
    let mut set = tasks(&[(0, 100), (10, 100), (0, 100)]);
    set[0].body = vec![call(2)];
    set[2].body = vec![call(5)];
    let at = |offset| Arrival::Periodic {
        period: units(100),
        offset: units(offset),
        jitter: Duration::ZERO,
    };
    // The last calls at 0; at 1 the middle one comes, at 2 the first.
    (set[2].arrival, set[1].arrival, set[0].arrival) = (at(0), at(1), at(2));
    let mut workload = workload(set);
    workload.servers = vec![ServerSpec {
        name: "server".to_owned(),
    }];
    let outcome = simulate(&workload, &global(Policy::Priority, 1, 100));
    // 0-1 the last's call, 1-2 the middle one, 2-6 the last's call with the first's
    // priority, 6-8 the first's call, then the middle one to 17.
    assert_eq!(in_units(&outcome), some([6, 16, 6]));
    // Without inheritance the middle one would have gone on.
    let mut plain = workload.clone();
    let lock = LockId(0);
    plain.locks = vec![LockSpec {
        name: "plain".to_owned(),
        protocol: taktos_simulate::Protocol::None,
        ceilings: Vec::new(),
    }];
    plain.tasks[0].body = vec![Step::Lock(lock), run_for(2), Step::Unlock(lock)];
    plain.tasks[2].body = vec![Step::Lock(lock), run_for(5), Step::Unlock(lock)];
    let outcome = simulate(&plain, &global(Policy::Priority, 1, 100));
    assert_eq!(in_units(&outcome), some([15, 10, 15]));
}
