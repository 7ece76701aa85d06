//! Virtual processors that a world above takes away and gives back.

use crate::common::{UNIT, check_accounts, global, in_units, tasks, units, workload};
use taktos_schedule::Cpu;
use taktos_simulate::random::Stream;
use taktos_simulate::{Arrival, Cost, Costs, Engine, Outcome, Plan, Policy, Setup, Tables};
use taktos_time::Duration;

fn cpu(index: usize) -> Cpu {
    Cpu::new(index).expect("a processor")
}

/// Runs with each virtual processor in windows: `window(cpu, k)` is the k-th change, at
/// which it is taken away (k even: it runs first) or given back.
fn in_windows(plan: &Plan, window: impl Fn(usize, u64) -> u64) -> Outcome {
    let mut tables = Tables::new(plan);
    let mut observer = ();
    let mut engine = Engine::new(plan, &mut tables, 0, &mut observer).expect("a guest");
    let cpus = plan.cpus().count();
    let mut changes = vec![0u64; cpus];
    loop {
        let next = (0..cpus)
            .map(|cpu| (window(cpu, changes[cpu]), cpu))
            .min()
            .expect("a processor");
        let (at, which) = next;
        if at >= plan.horizon() {
            engine.advance(plan.horizon()).expect("a run");
            return engine.finish();
        }
        engine.advance_through(at).expect("a run");
        if changes[which].is_multiple_of(2) {
            engine.hold(cpu(which));
        } else {
            engine.let_go(cpu(which));
        }
        changes[which] += 1;
    }
}

#[test]
fn a_job_takes_the_windows_that_it_gets() {
    // The processor runs for 3 of each 5; a job of 4 that arrives at 2 has 1 at once,
    // sleeps from 3 to 5, and is done at 8.
    let mut set = tasks(&[(4, 100)]);
    let Arrival::Periodic { offset, .. } = &mut set[0].arrival else {
        panic!("periodic")
    };
    *offset = units(2);
    let plan = Plan::new(&workload(set), &global(Policy::Edf, 1, 100)).expect("a workload");
    let outcome = in_windows(&plan, |_, change| {
        (change / 2 * 5 + if change % 2 == 0 { 3 } else { 5 }) * UNIT
    });
    check_accounts(&outcome);
    assert_eq!(in_units(&outcome), [Some(6)]);
    assert_eq!(outcome.cpus[0].stolen, 40 * UNIT);
    assert_eq!(outcome.cpus[0].busy, 4 * UNIT);
}

#[test]
fn what_is_held_wants_to_run_when_a_job_is_released() {
    let plan =
        Plan::new(&workload(tasks(&[(1, 10)])), &global(Policy::Edf, 1, 100)).expect("a workload");
    let mut tables = Tables::new(&plan);
    let mut observer = ();
    let mut engine = Engine::new(&plan, &mut tables, 0, &mut observer).expect("a guest");
    engine.advance_through(5 * UNIT).expect("a run");
    assert!(!engine.wants_to_run(cpu(0)));
    engine.hold(cpu(0));
    assert_eq!(engine.next_event(), Some(10 * UNIT));
    engine.advance_through(10 * UNIT).expect("a run");
    assert!(engine.wants_to_run(cpu(0)));
    engine.advance_through(12 * UNIT).expect("a run");
    engine.let_go(cpu(0));
    engine.advance_through(13 * UNIT).expect("a run");
    assert!(!engine.wants_to_run(cpu(0)));
    engine.advance(100 * UNIT).expect("a run");
    let outcome = engine.finish();
    check_accounts(&outcome);
    assert_eq!(outcome.tasks[0].response.max(), Some(3 * UNIT));
    assert_eq!(outcome.cpus[0].stolen, 7 * UNIT);
}

#[test]
fn the_kernel_goes_on_where_it_was_held() {
    // A switch of 3 from 0 on, held from 1 to 11: the kernel to 13, the job to 17, a switch to 20.
    let costs = Costs {
        switch: Cost::Constant(units(3)),
        ..Costs::FREE
    };
    let setup = Setup {
        costs,
        ..global(Policy::Edf, 1, 100)
    };
    let plan = Plan::new(&workload(tasks(&[(4, 100)])), &setup).expect("a workload");
    let windows = |_, change| {
        [UNIT, 11 * UNIT]
            .get(change as usize)
            .copied()
            .unwrap_or(u64::MAX)
    };
    let outcome = in_windows(&plan, windows);
    check_accounts(&outcome);
    assert_eq!(in_units(&outcome), [Some(17)]);
    assert_eq!(
        (outcome.cpus[0].overhead, outcome.cpus[0].stolen),
        (6 * UNIT, 10 * UNIT)
    );
}

#[test]
fn a_guest_that_nobody_disturbs_is_a_host() {
    let set = workload(tasks(&[(2, 10), (3, 15), (4, 12), (7, 20)]));
    let plan = Plan::new(&set, &global(Policy::Edf, 2, 1_000)).expect("a workload");
    let alone = taktos_simulate::run(&plan, 0, &mut ()).expect("a run");
    assert_eq!(in_windows(&plan, |_, _| u64::MAX), alone);
}

/// Random windows on several virtual processors, with costs: no nanosecond is lost, and
/// no job executes in time that its processor does not have.
#[test]
fn nothing_is_lost_in_random_windows() {
    for set in 0..300u64 {
        let stream = Stream::new(55, set);
        let cpus = 1 + set as usize % 4;
        let count = 1 + stream.below_or_at(0, 8);
        let pairs: Vec<(u64, u64)> = (0..count)
            .map(|task| {
                let period = 3 + stream.below_or_at(1 + 2 * task, 20);
                (1 + stream.below_or_at(2 + 2 * task, period / 2), period)
            })
            .collect();
        let policy = Policy::ALL[set as usize % 6];
        let cost = |ns| Cost::Constant(Duration::from_nanos(ns));
        let setup = Setup {
            costs: Costs {
                release: cost(7),
                schedule: cost(11),
                switch: cost(13),
                ipi: cost(17),
                migration: cost(19),
            },
            ..global(policy, cpus, 500)
        };
        let plan = Plan::new(&workload(tasks(&pairs)), &setup).expect("a workload");
        let window = |cpu: usize, change: u64| {
            let spread = stream.below_or_at(1_000 + 100_000 * cpu as u64 + change, 900);
            change * 3 * UNIT + spread
        };
        let outcome = in_windows(&plan, window);
        check_accounts(&outcome);
        let horizon = 500 * UNIT;
        for cpu in &outcome.cpus {
            let changes = (0..).take_while(|change| window(cpu.cpu.into(), *change) < horizon);
            let edges: Vec<u64> = changes
                .map(|change| window(cpu.cpu.into(), change))
                .chain([horizon])
                .collect();
            let stolen: u64 = edges
                .chunks(2)
                .filter(|pair| pair.len() == 2)
                .map(|pair| pair[1] - pair[0])
                .sum();
            assert_eq!(cpu.stolen, stolen, "set {set}, processor {}", cpu.cpu);
        }
        let busy: u64 = outcome.cpus.iter().map(|cpu| cpu.busy).sum();
        let used: u128 = outcome.tasks.iter().map(|task| task.cpu.total()).sum();
        assert!(u128::from(busy) >= used);
        assert!(outcome.jobs() > 0, "set {set}");
    }
}
