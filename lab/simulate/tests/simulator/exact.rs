//! Small runs, worked out by hand: costs, late jobs, slices, budgets, what is refused.

use crate::common::{
    UNIT, check_accounts, global, in_units, partitioned, responses, run_for, simulate, tasks,
    under, units, workload,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_simulate::{
    Arrival, Budget, Cost, Costs, Execution, Late, LockId, LockSpec, Partition, Plan, Policy,
    Protocol, Setup, SimError, Step, Task, Workload, run,
};
use taktos_time::Duration;

fn at(task: &mut Task, first: u64) {
    let Arrival::Periodic { offset, .. } = &mut task.arrival else {
        panic!("periodic")
    };
    *offset = units(first);
}

fn cost(count: u64) -> Cost {
    Cost::Constant(units(count))
}

fn costing(setup: Setup, costs: Costs) -> Setup {
    Setup { costs, ..setup }
}

#[test]
fn costs_delay_a_job_and_are_overhead() {
    // Released at 0: interrupt to 1, decision to 3, switch to 6, work to 16,
    // decision to 18, switch to idle to 21.
    let costs = Costs {
        release: cost(1),
        schedule: cost(2),
        switch: cost(3),
        ipi: cost(50),
        migration: cost(70),
    };
    let outcome = simulate(
        &workload(tasks(&[(10, 100)])),
        &costing(global(Policy::Edf, 1, 200), costs),
    );
    assert_eq!(in_units(&outcome), [Some(16)]);
    let cpu = outcome.cpus[0];
    assert_eq!(
        (cpu.busy, cpu.overhead, cpu.idle),
        (20 * UNIT, 22 * UNIT, 158 * UNIT)
    );
    assert_eq!((cpu.decisions, cpu.switches), (4, 4));
    // Processor time is the job's own.
    assert_eq!(outcome.tasks[0].cpu.max(), Some(10 * UNIT));
}

#[test]
fn a_job_sleeps_until_so_long_after_its_arrival() {
    // Arrives at 3: runs to 5, sleeps until 3 + 10, runs to 15. The second `until` is past, and
    // does nothing.
    let mut set = tasks(&[(2, 100)]);
    at(&mut set[0], 3);
    set[0].body = vec![
        run_for(2),
        Step::Until(units(10)),
        run_for(2),
        Step::Until(units(12)),
        Step::Until(units(7)),
        run_for(1),
    ];
    let outcome = simulate(&workload(set), &global(Policy::Edf, 1, 203));
    assert_eq!(in_units(&outcome), [Some(13)]);
    assert_eq!(outcome.tasks[0].jobs, 2);
    assert_eq!(outcome.cpus[0].busy, 10 * UNIT);
}

#[test]
fn a_release_interrupts_whoever_runs_where_its_task_ran_last() {
    // The second is released at 5, for 1, while the first runs; it waits.
    let mut set = tasks(&[(10, 100), (4, 100)]);
    at(&mut set[1], 5);
    let costs = Costs {
        release: cost(1),
        ..Costs::FREE
    };
    let outcome = simulate(
        &workload(set),
        &costing(global(Policy::Priority, 1, 100), costs),
    );
    // First: 0-1 its release, 1-5, 6-12. Second: 12-16.
    assert_eq!(in_units(&outcome), [Some(12), Some(11)]);
    assert_eq!(outcome.tasks[0].preemptions, 0);
}

#[test]
fn an_ipi_delays_the_other_processor_only() {
    // Both are released on processor 0, at 0 and at 1; one of them runs on
    // processor 1, 4 later than its request. Processor 0 takes no request before 2.
    let costs = Costs {
        release: cost(1),
        ipi: cost(4),
        ..Costs::FREE
    };
    let outcome = simulate(
        &workload(tasks(&[(10, 100), (10, 100)])),
        &costing(global(Policy::Edf, 2, 100), costs),
    );
    let mut found = in_units(&outcome);
    found.sort();
    // Here at 2; there at 1 + 4 or 2 + 4, whichever was notified first.
    assert!(
        found == [Some(12), Some(15)] || found == [Some(12), Some(16)],
        "{found:?}"
    );
    assert_eq!(
        outcome.cpus.iter().map(|cpu| cpu.overhead).sum::<u64>(),
        2 * UNIT
    );
}

#[test]
fn a_migration_costs_where_the_thread_arrives() {
    // On two processors the last of three is displaced by the most urgent at 2. It resumes on the
    // processor where the other one is done at 4.
    let mut set = tasks(&[(8, 100), (4, 100), (6, 100)]);
    at(&mut set[0], 2);
    set[0].affinity = None;
    let costs = Costs {
        migration: cost(3),
        ..Costs::FREE
    };
    let free = simulate(&workload(set.clone()), &global(Policy::Priority, 2, 100));
    assert_eq!(in_units(&free), [Some(8), Some(4), Some(8)]);
    assert_eq!(
        (
            free.tasks[2].preemptions,
            free.tasks[2].migrations,
            free.tasks[2].migrations_in_job
        ),
        (1, 1, 1)
    );
    let outcome = simulate(
        &workload(set),
        &costing(global(Policy::Priority, 2, 100), costs),
    );
    assert_eq!(in_units(&outcome), [Some(8), Some(4), Some(11)]);
    assert_eq!(
        outcome.cpus.iter().map(|cpu| cpu.overhead).sum::<u64>(),
        3 * UNIT
    );
}

#[test]
fn a_processor_looks_for_its_heir_when_the_kernel_is_done_there() {
    // Releases at 0, 1 and 3, ever more urgent, of 2 each: interrupts until 6. Only then a decision
    // is taken, and the most urgent one goes first: 6-7, 7-8, 8-9.
    let mut set = tasks(&[(1, 100), (1, 100), (1, 100)]);
    at(&mut set[0], 3);
    at(&mut set[1], 1);
    let costs = Costs {
        release: cost(2),
        ..Costs::FREE
    };
    let outcome = simulate(
        &workload(set),
        &costing(global(Policy::Priority, 1, 100), costs),
    );
    assert_eq!(in_units(&outcome), [Some(4), Some(7), Some(9)]);
    assert!(outcome.tasks.iter().all(|task| task.preemptions == 0));
    assert_eq!(outcome.cpus[0].switches, 4);
}

#[test]
fn a_cost_can_depend_on_the_number_of_tasks() {
    let costs = Costs {
        switch: Cost::Linear(vec![(1, units(2)), (3, units(6))]),
        ..Costs::FREE
    };
    let outcome = simulate(
        &workload(tasks(&[(10, 100), (10, 100)])),
        &costing(global(Policy::Edf, 1, 100), costs),
    );
    // Two tasks: 4 a switch.
    assert_eq!(in_units(&outcome), [Some(14), Some(28)]);
}

#[test]
fn recorded_costs_are_drawn_by_the_seed() {
    let samples = Cost::Samples(vec![units(1), units(2), units(5)]);
    let costs = Costs {
        schedule: samples,
        ..Costs::FREE
    };
    let setup = costing(global(Policy::Edf, 1, 100_000), costs);
    let outcome = simulate(&workload(tasks(&[(10, 100)])), &setup);
    assert_eq!(
        (
            outcome.tasks[0].response.min(),
            outcome.tasks[0].response.max()
        ),
        (Some(11 * UNIT), Some(15 * UNIT))
    );
    // A mean of 8/3, over 1,000 jobs: a standard deviation of about 0.054.
    let mean = outcome.tasks[0].response.mean().unwrap();
    assert!(mean.abs_diff(12_667) < 250, "{mean}");
    let other = Setup { seed: 1, ..setup };
    assert_ne!(simulate(&workload(tasks(&[(10, 100)])), &other), outcome);
}

#[test]
fn an_account_closes_at_the_horizon_in_the_middle_of_anything() {
    let costs = Costs {
        release: cost(7),
        schedule: cost(11),
        switch: cost(13),
        ..Costs::FREE
    };
    for horizon in 1..150 {
        let setup = costing(global(Policy::Edf, 2, horizon), costs.clone());
        let plan = Plan::new(&workload(tasks(&[(10, 40), (20, 50), (9, 30)])), &setup)
            .expect("a workload");
        check_accounts(&run(&plan, 0, &mut ()).expect("a run"));
    }
}

fn late(kind: Late) -> taktos_simulate::Outcome {
    // 25 of work every 10, with the other half of the time: far too much.
    let mut set = tasks(&[(5, 10), (25, 10)]);
    set[1].late = kind;
    simulate(&workload(set), &global(Policy::Priority, 1, 100))
}

#[test]
fn late_jobs_queue() {
    let task = &late(Late::Queue).tasks[1];
    // A job is done at 50 and at 100, with the deadlines 10 and 20.
    assert_eq!((task.released, task.jobs, task.missed), (10, 2, 10));
    assert_eq!(
        (task.response.min(), task.response.max()),
        (Some(50 * UNIT), Some(90 * UNIT))
    );
    assert_eq!(task.wall.max(), Some(50 * UNIT));
    assert_eq!(task.tardiness, 80 * UNIT);
}

#[test]
fn late_jobs_are_given_up() {
    let outcome = late(Late::Abort);
    let task = &outcome.tasks[1];
    // Each has 5 until its deadline.
    assert_eq!(
        (task.released, task.jobs, task.aborted, task.missed),
        (10, 0, 10, 10)
    );
    assert_eq!(outcome.cpus[0].busy, 100 * UNIT);
    // A job that is done at its deadline is not late.
    let mut set = tasks(&[(5, 10), (5, 10)]);
    set[1].late = Late::Abort;
    let outcome = simulate(&workload(set), &global(Policy::Priority, 1, 100));
    assert_eq!(
        (
            outcome.tasks[1].jobs,
            outcome.tasks[1].aborted,
            outcome.missed()
        ),
        (10, 0, 0)
    );
}

#[test]
fn a_job_that_is_given_up_gives_its_locks_back() {
    let mut set = tasks(&[(2, 40), (30, 100)]);
    set[1].deadline = Some(units(15));
    set[1].late = Late::Abort;
    at(&mut set[0], 10);
    for task in &mut set {
        under(task, LockId(0));
    }
    let mut workload = workload(set);
    workload.locks = vec![LockSpec {
        name: "l".to_owned(),
        protocol: Protocol::Inheritance,
        ceilings: Vec::new(),
    }];
    let outcome = simulate(&workload, &global(Policy::Priority, 1, 100));
    // It waits from 10 to 15, then has the lock to 17.
    assert_eq!(outcome.tasks[0].response.max(), Some(7 * UNIT));
    assert_eq!((outcome.tasks[1].aborted, outcome.tasks[0].missed), (1, 0));
}

#[test]
fn a_task_that_has_lost_its_processor_takes_no_lock() {
    // At 3 the second gives the first one what it waits for, and with it the processor;
    // it must not take the next lock at the same instant.
    let mut set = tasks(&[(0, 100), (0, 100)]);
    let section = |lock, time| {
        [
            Step::Lock(LockId(lock)),
            run_for(time),
            Step::Unlock(LockId(lock)),
        ]
    };
    set[0].body = [section(0, 1), section(1, 1)].concat();
    set[1].body = [section(0, 3), section(1, 3)].concat();
    at(&mut set[0], 1);
    let mut workload = workload(set);
    workload.locks = ["a", "b"]
        .map(|name| LockSpec {
            name: name.to_owned(),
            protocol: Protocol::Inheritance,
            ceilings: Vec::new(),
        })
        .to_vec();
    let outcome = simulate(&workload, &global(Policy::Priority, 1, 100));
    // 0-3 the second, 3-5 the first, 5-8 the second.
    assert_eq!(in_units(&outcome), [Some(4), Some(8)]);
}

#[test]
fn jobs_that_come_while_one_is_late_are_dropped() {
    let task = &late(Late::Skip).tasks[1];
    // 0-50, then the job of 50, done at 100; 10, 20, 30, 40, 60 to 90 are dropped.
    assert_eq!((task.released, task.jobs, task.skipped), (10, 2, 8));
    assert_eq!(task.missed, 10);
    assert_eq!(task.response.max(), Some(50 * UNIT));
}

#[test]
fn slices_share_a_processor_among_equals() {
    let mut set = tasks(&[(4, 100), (4, 100), (2, 100)]);
    set[1].priority = Some(1);
    set[2].priority = Some(2);
    let setup = Setup {
        slice: Some(units(1)),
        ..global(Policy::Priority, 1, 100)
    };
    assert_eq!(
        in_units(&simulate(&workload(set.clone()), &setup)),
        [Some(7), Some(8), Some(10)]
    );
    let setup = Setup {
        slice: None,
        ..setup
    };
    assert_eq!(
        in_units(&simulate(&workload(set), &setup)),
        [Some(4), Some(8), Some(10)]
    );
}

/// Two equals run with a task that preempts them more often than a slice is long. The rest of a
/// slice stays with the thread that is preempted, and both end near each other. The test runs on
/// one processor, and on each of four.
#[test]
fn slices_are_shared_beside_a_task_that_wakes_more_often() {
    for cpus in [1, 4] {
        let mut set = tasks(&[(1, 4), (30, 1_000), (30, 1_000)].repeat(cpus));
        for (index, task) in set.iter_mut().enumerate() {
            task.priority = Some(if index % 3 == 0 { 1 } else { 2 });
            task.cluster = Some(format!("c{}", index / 3));
        }
        let setup = Setup {
            slice: Some(units(5)),
            ..partitioned(Policy::Priority, cpus, units(1_000))
        };
        let ends = responses(&simulate(&workload(set), &setup));
        for beside in ends.chunks(3) {
            // Of 4 units 3 are theirs: all of both is done at 80.
            let [first, second] = [1, 2].map(|task| beside[task].expect("a job is done"));
            assert!(first >= 74 * UNIT && second <= 80 * UNIT, "{beside:?}");
        }
    }
}

#[test]
fn a_budget_keeps_a_task_that_takes_too_much_off_the_others() {
    // The second one declares 2 of 4 and takes 3.
    let mut set = tasks(&[(2, 4), (3, 4)]);
    let budget = |runtime| {
        Some(Budget {
            runtime: units(runtime),
            period: units(4),
            hard: false,
        })
    };
    (set[0].budget, set[1].budget) = (budget(2), budget(2));
    let outcome = simulate(&workload(set.clone()), &global(Policy::Cbs, 1, 400));
    assert_eq!((outcome.tasks[0].jobs, outcome.tasks[0].missed), (100, 0));
    assert!(outcome.tasks[1].missed > 50);
    // It has its share all the same.
    assert!(outcome.tasks[1].jobs >= 66, "{}", outcome.tasks[1].jobs);
    // Without enforcement both are late.
    let outcome = simulate(&workload(set), &global(Policy::Edf, 1, 400));
    assert!(outcome.tasks[0].missed > 0);
}

#[test]
fn a_hard_budget_is_all_that_a_task_gets_of_an_idle_processor() {
    // It declares 2 of 4 and takes 3: 0-2, 4-5 done, 5-6, 8-10 done, and so on.
    let mut set = tasks(&[(3, 4)]);
    for (hard, busy, first) in [(true, 200, 5), (false, 300, 3)] {
        set[0].budget = Some(Budget {
            runtime: units(2),
            period: units(4),
            hard,
        });
        let outcome = simulate(&workload(set.clone()), &global(Policy::Cbs, 1, 400));
        assert_eq!(outcome.cpus[0].busy, busy * UNIT);
        assert_eq!(outcome.tasks[0].jobs, busy / 3);
        assert_eq!(outcome.tasks[0].response.min(), Some(first * UNIT));
    }
}

/// Tasks with these periods, executions and deadlines in ms, for that many ms of rate-monotonic
/// priorities on one processor; with the jobs, misses and longest response (ms) of each by SimSo
/// 0.8.5 (`simso.schedulers.RM`, `abort_on_miss` off).
type Given = (u64, &'static [(u64, u64, u64)], &'static [(u64, u64, u64)]);
const BY_SIMSO: [Given; 3] = [
    (
        1_000,
        &[(10, 4, 10), (20, 3, 5)],
        &[(100, 0, 4), (50, 50, 7)],
    ),
    (
        960,
        &[(8, 2, 8), (12, 3, 6), (20, 4, 15), (40, 5, 12)],
        &[(120, 0, 2), (80, 0, 5), (48, 0, 11), (24, 24, 30)],
    ),
    (
        5_005,
        &[(5, 1, 5), (7, 2, 4), (11, 2, 11), (13, 2, 6)],
        &[(1_001, 0, 1), (715, 0, 3), (455, 0, 5), (385, 120, 10)],
    ),
];

#[test]
fn rate_monotonic_priorities_are_as_simso_has_them() {
    for (horizon, tasks, expected) in BY_SIMSO {
        let turned =
            |(period, execution, deadline): &(u64, u64, u64)| (*execution, *period, *deadline);
        let set: Vec<_> = tasks.iter().map(turned).collect();
        let mut workload = workload(crate::common::constrained(&set));
        taktos_simulate::Order::Period
            .prioritise(&mut workload)
            .unwrap();
        let outcome = simulate(&workload, &global(Policy::Priority, 1, horizon));
        let found: Vec<_> = outcome
            .tasks
            .iter()
            .map(|task| {
                (
                    task.released,
                    task.missed,
                    task.response.max().unwrap() / UNIT,
                )
            })
            .collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn what_comes_after_a_late_job_is_shifted() {
    // It runs for 12 of 10: the next job begins with the end of the one before.
    let mut set = tasks(&[(12, 10)]);
    set[0].late = Late::Shift;
    let outcome = simulate(&workload(set.clone()), &global(Policy::Edf, 1, 1_000));
    assert_eq!(outcome.tasks[0].response.max(), Some(12 * UNIT));
    assert_eq!((outcome.tasks[0].released, outcome.tasks[0].jobs), (84, 83));
    // 0-7, late for 5 by 2; 7-8; until 10 + 2. The next comes at 22, not at 20.
    set[0] = Task::periodic("inside", units(7), units(20));
    set[0].late = Late::Shift;
    let until = |count| Step::Until(units(count));
    set[0]
        .body
        .extend([until(5), crate::common::run_for(1), until(10)]);
    let outcome = simulate(&workload(set), &global(Policy::Edf, 1, 99));
    assert_eq!((outcome.tasks[0].released, outcome.tasks[0].jobs), (5, 4));
    assert_eq!(
        (
            outcome.tasks[0].response.min(),
            outcome.tasks[0].response.max()
        ),
        (Some(12 * UNIT), Some(12 * UNIT))
    );
}

/// Runs one thread of rt-app next to another one. Returns how many jobs it has, how many are late,
/// and the longest response in ms.
fn of_rt_app(threads: &str) -> (u64, u64, Option<u64>) {
    let text = format!(
        "{{ \"tasks\": {{ {threads} }}, \"global\": {{ \"default_policy\": \"SCHED_FIFO\" }} }}"
    );
    let set = taktos_simulate::file::parse(&text, "a.json").unwrap();
    assert_eq!(set.warnings, Vec::<String>::new());
    let outcome = simulate(&set.workload, &global(Policy::Priority, 1, 1_000_000));
    let task = &outcome.tasks[0];
    let longest = task.response.max();
    (
        task.jobs,
        task.missed,
        longest.map(|longest| longest / (1_000 * UNIT)),
    )
}

/// Figures of rt-app itself: its timers are relative by default, and the turn after a late one
/// begins at its end.
#[test]
fn timers_of_rt_app_are_relative_or_absolute() {
    let timer =
        |mode: &str| format!("\"timer\": {{ \"ref\": \"unique\", \"period\": 10000{mode} }}");
    let long = |mode| format!("\"a\": {{ \"run\": 12000, {} }}", timer(mode));
    for mode in ["", ", \"mode\": \"relative\""] {
        assert_eq!(of_rt_app(&long(mode)).2, Some(12));
    }
    let absolute = of_rt_app(&long(", \"mode\": \"absolute\""));
    assert_eq!(absolute.2, Some(176));
    let once = format!(
        "\"a\": {{ \"priority\": 50, \"run\": 2000, {} }}, \"hog\": {{ \"priority\": 90, \"loop\": 1, \"delay\": 9000, \"run\": 26000 }}",
        timer("")
    );
    let (jobs, missed, _) = of_rt_app(&once);
    assert_eq!((jobs, missed), (99, 1));
}

#[test]
fn a_task_stays_in_its_cluster() {
    let mut set = tasks(&[(5, 10), (5, 10), (5, 10)]);
    for (task, cluster) in set.iter_mut().zip(["c0", "c1", "c1"]) {
        task.cluster = Some(cluster.to_owned());
    }
    // Without a name, by affinity.
    set[2].cluster = None;
    set[2].affinity = Cpu::new(1).map(CpuSet::of);
    let outcome = simulate(&workload(set), &partitioned(Policy::Simple, 2, units(100)));
    assert_eq!(in_units(&outcome), [Some(5), Some(5), Some(10)]);
    assert_eq!(outcome.cpus[0].busy, 50 * UNIT);
    assert_eq!(outcome.cpus[1].busy, 100 * UNIT);
    assert!(outcome.tasks.iter().all(|task| task.migrations == 0));
}

#[test]
fn a_task_that_comes_once() {
    let mut set = tasks(&[(5, 10), (3, 10)]);
    set[1].arrival = Arrival::Once {
        at: taktos_time::Instant::from_nanos(7 * UNIT),
    };
    let outcome = simulate(&workload(set), &global(Policy::Edf, 1, 100));
    // It has no deadline, so it runs after the first one: 7-10.
    assert_eq!(
        (
            outcome.tasks[1].released,
            outcome.tasks[1].jobs,
            outcome.tasks[1].missed
        ),
        (1, 1, 0)
    );
    assert_eq!(responses(&outcome)[1], Some(3 * UNIT));
}

/// Returns the message of the refusal if `change` is applied to a good workload and set-up.
fn refusal(change: impl FnOnce(&mut Workload, &mut Setup)) -> String {
    let mut workload = workload(tasks(&[(1, 10), (2, 10)]));
    let mut setup = global(Policy::Priority, 2, 100);
    assert!(Plan::new(&workload, &setup).is_ok());
    change(&mut workload, &mut setup);
    let message = Plan::new(&workload, &setup)
        .map(|_| ())
        .expect_err("is refused")
        .to_string();
    assert!(
        !message.contains('\n') && message.contains(':'),
        "{message}"
    );
    message
}

#[test]
fn nonsense_is_refused_by_name() {
    type Change = Box<dyn FnOnce(&mut Workload, &mut Setup)>;
    let cases: Vec<(&str, Change)> = vec![
        ("no cluster", Box::new(|_, setup| setup.clusters.clear())),
        (
            "`all` has no processor",
            Box::new(|_, setup| setup.clusters[0].cpus = CpuSet::EMPTY),
        ),
        (
            "processor 0 is in",
            Box::new(|_, setup| {
                setup.clusters.push(taktos_simulate::Cluster {
                    name: "b".to_owned(),
                    ..setup.clusters[0].clone()
                })
            }),
        ),
        ("0 ns", Box::new(|_, setup| setup.horizon = Duration::ZERO)),
        (
            "two tasks are called `t1`",
            Box::new(|load, _| load.tasks[1].name = "t1".to_owned()),
        ),
        (
            "cluster `x`, which there is not: name one of all",
            Box::new(|load, _| load.tasks[0].cluster = Some("x".to_owned())),
        ),
        (
            "task `t1` may use no processor",
            Box::new(|load, _| load.tasks[0].affinity = Cpu::new(9).map(CpuSet::of)),
        ),
        (
            "task `t2`: its period is 0",
            Box::new(|load, _| {
                load.tasks[1].arrival = Arrival::Periodic {
                    period: units(0),
                    offset: units(0),
                    jitter: units(0),
                }
            }),
        ),
        (
            "longest separation",
            Box::new(|load, _| {
                load.tasks[1].arrival = Arrival::Sporadic {
                    min_separation: units(2),
                    max_separation: units(1),
                    offset: units(0),
                }
            }),
        ),
        (
            "budget",
            Box::new(|load, _| {
                load.tasks[1].budget = Some(Budget {
                    runtime: units(5),
                    period: units(4),
                    hard: false,
                })
            }),
        ),
        (
            "has no deadline",
            Box::new(|load, _| {
                load.tasks[1].late = Late::Abort;
                load.tasks[1].arrival = Arrival::Once {
                    at: taktos_time::Instant::START,
                };
            }),
        ),
        (
            "shortest",
            Box::new(|load, _| {
                load.tasks[0].body = vec![Step::Run(Execution::Uniform {
                    min: units(2),
                    max: units(1),
                })]
            }),
        ),
        (
            "is empty",
            Box::new(|load, _| {
                load.tasks[0].body = vec![Step::Run(Execution::Samples(Vec::new()))]
            }),
        ),
        (
            "step 1: there is no such lock",
            Box::new(|load, _| load.tasks[0].body = vec![Step::Lock(LockId(0))]),
        ),
        (
            "step 2: the job does not hold",
            Box::new(|load, _| load.tasks[0].body = vec![run_for(1), Step::Unlock(LockId(0))]),
        ),
        (
            "no such server",
            Box::new(|load, _| {
                load.tasks[0].body = vec![Step::Call {
                    server: taktos_simulate::ServerId(0),
                    service: Execution::Fixed(units(1)),
                }]
            }),
        ),
        (
            "priority",
            Box::new(|load, _| load.tasks[0].priority = Some(256)),
        ),
        (
            "beyond 2^60",
            Box::new(|load, _| load.tasks[0].deadline = Some(Duration::MAX)),
        ),
        (
            "partitions",
            Box::new(|load, _| {
                load.partitions.push(Partition {
                    name: "p".to_owned(),
                    pool: None,
                    vcpus: Vec::new(),
                    weight: None,
                    cap: None,
                    policy: Policy::Edf,
                    tasks: Vec::new(),
                    locks: Vec::new(),
                    servers: Vec::new(),
                })
            }),
        ),
    ];
    for (expected, change) in cases {
        let message = refusal(change);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn unfinished_sections_and_double_locks_are_refused() {
    let lock = LockSpec {
        name: "l".to_owned(),
        protocol: Protocol::Inheritance,
        ceilings: vec![("x".to_owned(), 1)],
    };
    let body = |body: Vec<Step>, lock: LockSpec| {
        refusal(move |load, _| {
            load.locks.push(lock);
            load.tasks[0].body = body;
        })
    };
    let (take, give) = (Step::Lock(LockId(0)), Step::Unlock(LockId(0)));
    assert!(body(vec![take.clone()], lock.clone()).contains("ends with a lock"));
    assert!(
        body(vec![take.clone(), take.clone(), give.clone()], lock.clone())
            .contains("holds this lock already")
    );
    let ceiling = LockSpec {
        protocol: Protocol::Ceiling,
        ..lock
    };
    assert!(body(vec![take, give], ceiling).contains("ceiling for cluster `x`"));
}

#[test]
fn what_the_library_refuses_names_task_job_and_instant() {
    // Two locks in opposite orders.
    let mut set = tasks(&[(0, 100), (0, 100)]);
    let (a, b) = (LockId(0), LockId(1));
    set[0].body = vec![
        Step::Lock(a),
        run_for(2),
        Step::Lock(b),
        Step::Unlock(b),
        Step::Unlock(a),
    ];
    set[1].body = vec![
        Step::Lock(b),
        run_for(3),
        Step::Lock(a),
        Step::Unlock(a),
        Step::Unlock(b),
    ];
    let mut workload = workload(set);
    workload.locks = ["a", "b"]
        .map(|name| LockSpec {
            name: name.to_owned(),
            protocol: Protocol::Inheritance,
            ceilings: Vec::new(),
        })
        .to_vec();
    let plan = Plan::new(&workload, &global(Policy::Priority, 2, 100)).expect("a workload");
    let error = run(&plan, 0, &mut ()).expect_err("a deadlock");
    assert!(
        matches!(&error, SimError::Refused { task, job: 0, at: 3_000, what, .. } if task == "t2" && what == "obtaining `a`"),
        "{error}"
    );
    // More urgent than the ceiling.
    workload
        .tasks
        .iter_mut()
        .for_each(|task| task.body = vec![Step::Lock(a), Step::Unlock(a)]);
    workload.locks[0] = crate::common::ceiling("a", 2);
    let plan = Plan::new(&workload, &global(Policy::Priority, 2, 100)).expect("a workload");
    assert!(matches!(
        run(&plan, 0, &mut ()),
        Err(SimError::Refused { .. })
    ));
}

#[test]
fn priorities_are_deadline_monotonic_unless_given() {
    let mut set = tasks(&[(5, 30), (5, 20), (5, 20)]);
    set.iter_mut().for_each(|task| task.priority = None);
    set[0].deadline = Some(units(10));
    let outcome = simulate(&workload(set), &global(Policy::Priority, 1, 60));
    assert_eq!(in_units(&outcome), [Some(5), Some(10), Some(15)]);
}
