//! Known answers with deadlines and on several processors (spec 07, section 4),
//! Dhall's effect, anomalies, and the bound on tardiness.

use crate::common::{
    UNIT, ceiling, constrained, global, in_units, partitioned, responses, run_for, simulate, tasks,
    under, units, workload,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_simulate::random::Stream;
use taktos_simulate::{Arrival, Execution, LockId, Policy, Step, Task};
use taktos_time::Duration;

fn at(task: &mut Task, first: u64) {
    let Arrival::Periodic { offset, .. } = &mut task.arrival else {
        panic!("periodic")
    };
    *offset = Duration::from_nanos(first);
}

/// O16: Spuri's worst cases: all others arrive together, and the task itself at
/// whichever instant is worst for it, or 1 ns after it: then it is last among
/// those of equal deadline, which the analysis assumes.
#[test]
fn o16_edf_response_times() {
    let set = constrained(&[(79, 120, 50), (11, 34, 100), (1, 190, 120)]);
    let mut worst = [0; 3];
    for which in 0..3 {
        let period = [120, 34, 190][which];
        for offset in (0..period).flat_map(|offset| [offset * UNIT, offset * UNIT + 1]) {
            let mut set = set.clone();
            at(&mut set[which], offset);
            let outcome = simulate(&workload(set), &global(Policy::Edf, 1, 2_500));
            for (worst, response) in worst.iter_mut().zip(responses(&outcome)) {
                *worst = (*worst).max(response.unwrap());
            }
            assert!(outcome.tasks[0].missed > 0);
            assert!(outcome.tasks[0].missed + 1 >= outcome.tasks[0].released);
        }
    }
    assert_eq!(
        worst.map(|response| response.div_ceil(UNIT)),
        [79, 101, 121]
    );
}

#[test]
fn o20_three_tasks_of_two_thirds() {
    let set = tasks(&[(2, 3), (2, 3), (2, 3)]);
    let outcome = simulate(&workload(set.clone()), &global(Policy::Edf, 2, 300));
    assert_eq!((outcome.tasks[0].missed, outcome.tasks[1].missed), (0, 0));
    // 99 jobs are done, one late each; the last one is cut off.
    assert_eq!(outcome.tasks[2].jobs, 99);
    assert_eq!(outcome.tasks[2].missed, 100);
    assert_eq!(outcome.tasks[2].tardiness, UNIT);
    assert_eq!(outcome.tasks[2].response.min(), Some(4 * UNIT));
    assert_eq!(outcome.tasks[2].response.max(), Some(4 * UNIT));
    let outcome = simulate(&workload(set), &global(Policy::Edf, 3, 300));
    assert_eq!(outcome.missed(), 0);
}

#[test]
fn o21_dhall_and_liu() {
    let set = tasks(&[(2, 10), (2, 10), (10, 11)]);
    let outcome = simulate(&workload(set.clone()), &global(Policy::Edf, 2, 110));
    assert_eq!(in_units(&outcome)[2], Some(12));
    assert_eq!(outcome.tasks[2].tardiness, UNIT);
    let outcome = simulate(&workload(set.clone()), &global(Policy::Priority, 2, 110));
    assert_eq!(in_units(&outcome)[2], Some(23));
    // Partitioned, the long one has a processor of its own.
    let mut set = set;
    for (task, cluster) in set.iter_mut().zip(["c0", "c0", "c1"]) {
        task.cluster = Some(cluster.to_owned());
    }
    let outcome = simulate(&workload(set), &partitioned(Policy::Edf, 2, units(110)));
    assert_eq!(outcome.missed(), 0);
}

/// However many processors there are, a utilisation just above one can be too much.
#[test]
fn dhalls_effect_on_any_number_of_processors() {
    for cpus in 2..=16 {
        let mut set: Vec<(u64, u64)> = vec![(2, 1_000); cpus];
        set.push((1_000, 1_001));
        for policy in [Policy::Edf, Policy::Priority, Policy::Simple] {
            let outcome = simulate(&workload(tasks(&set)), &global(policy, cpus, 2_002));
            assert!(outcome.tasks[cpus].missed > 0, "{policy} on {cpus}");
            assert!(outcome.tasks[..cpus].iter().all(|task| task.missed == 0));
        }
    }
}

fn missed(set: &[(u64, u64)], policy: Policy) -> u64 {
    simulate(&workload(tasks(set)), &global(policy, 2, 240)).missed()
}

/// On several processors there is no critical instant: less work can be too much.
#[test]
fn a_longer_period_can_cost_a_deadline() {
    type Pairs<'s> = &'s [(u64, u64)];
    let anomalies: [(Policy, Pairs, Pairs); 4] = [
        (
            Policy::Priority,
            &[(3, 4), (2, 6), (5, 8)],
            &[(3, 5), (2, 6), (5, 8)],
        ),
        (
            Policy::Priority,
            &[(2, 5), (2, 6), (7, 10)],
            &[(2, 6), (2, 6), (7, 10)],
        ),
        (
            Policy::Edf,
            &[(9, 12), (6, 15), (9, 15)],
            &[(9, 12), (6, 15), (9, 16)],
        ),
        (
            Policy::Edf,
            &[(6, 12), (5, 15), (10, 15), (9, 20)],
            &[(6, 13), (5, 15), (10, 15), (9, 20)],
        ),
    ];
    for (policy, before, after) in anomalies {
        assert_eq!(missed(before, policy), 0, "{policy} {before:?}");
        assert!(missed(after, policy) > 0, "{policy} {after:?}");
    }
}

/// Without preemption a job that is done earlier lets a less urgent one begin, which then is in the
/// way.
#[test]
fn a_shorter_execution_can_cost_a_deadline_without_preemption() {
    let lateness = |first: u64| {
        let mut set = constrained(&[(2, 100, 3), (first, 100, 20), (5, 100, 50)]);
        at(&mut set[0], 2 * UNIT);
        set.iter_mut().for_each(|task| under(task, LockId(0)));
        let mut workload = workload(set);
        workload.locks = vec![ceiling("processor", 1)];
        simulate(&workload, &global(Policy::Priority, 1, 100)).missed()
    };
    assert_eq!(lateness(2), 0);
    assert_eq!(lateness(1), 1);
}

/// Ha and Liu (1994): with preemption and independent jobs, shorter executions make no job later.
#[test]
fn shorter_executions_delay_nobody_with_preemption() {
    for set in 0..2_000u64 {
        let stream = Stream::new(1_994, set);
        let draw = |place, last| stream.below_or_at(place, last);
        let cpus = 1 + draw(0, 3) as usize;
        let count = 2 + draw(1, 10);
        let longest: Vec<(u64, u64)> = (0..count)
            .map(|task| {
                let period = 4 + draw(10 + 3 * task, 30);
                (1 + draw(11 + 3 * task, period * 3 / 4), period)
            })
            .collect();
        let shorter = longest
            .iter()
            .enumerate()
            .map(|(task, (execution, period))| {
                (1 + draw(12 + 3 * task as u64, execution - 1), *period)
            });
        let shorter: Vec<(u64, u64)> = shorter.collect();
        // Few jobs must be late: else a late job's successor begins later or earlier.
        let policy = [Policy::Edf, Policy::Priority][set as usize % 2];
        let setup = global(policy, cpus, 120);
        let long = simulate(&workload(tasks(&longest)), &setup);
        if long.missed() > 0 {
            continue;
        }
        let short = simulate(&workload(tasks(&shorter)), &setup);
        assert_eq!(
            short.missed(),
            0,
            "{policy} on {cpus}: {longest:?} {shorter:?}"
        );
        for (long, short) in long.tasks.iter().zip(&short.tasks) {
            assert!(
                short.response.max() <= long.response.max(),
                "{longest:?} {shorter:?}"
            );
        }
    }
}

/// Devi and Anderson (2005): under global EDF with implicit deadlines and a
/// total utilisation U ≤ m no job of task k is later than x + C_k.
/// Here x as a fraction; shares are in units of 1/`SCALE`, exactly.
struct Tardiness {
    numerator: u64,
    denominator: u64,
}

/// A multiple of 1 to 20: of all periods here.
const SCALE: u64 = 232_792_560;

impl Tardiness {
    fn of(set: &[(u64, u64)], cpus: u64) -> Option<Self> {
        let mut executions: Vec<u64> = set.iter().map(|(execution, _)| *execution).collect();
        let mut shares: Vec<u64> = set
            .iter()
            .map(|(execution, period)| execution * SCALE / period)
            .collect();
        let total: u64 = shares.iter().sum();
        if total > cpus * SCALE {
            return None;
        }
        executions.sort_unstable_by(|a, b| b.cmp(a));
        shares.sort_unstable_by(|a, b| b.cmp(a));
        let others = (total.div_ceil(SCALE) - 1) as usize;
        let numerator = executions[..others]
            .iter()
            .sum::<u64>()
            .saturating_sub(*executions.last()?);
        let largest: u64 = shares[..others.saturating_sub(1)].iter().sum();
        Some(Self {
            numerator: numerator * SCALE,
            denominator: cpus * SCALE - largest,
        })
    }

    /// Whether `tardiness` units are within the bound for a task with this execution.
    fn allows(&self, tardiness: u64, execution: u64) -> bool {
        tardiness * self.denominator <= self.numerator + execution * self.denominator
    }
}

#[test]
fn tardiness_stays_within_devi_and_andersons_bound() {
    let (mut tardy, mut sets) = (0, 0);
    for draw in 0..6_000u64 {
        let stream = Stream::new(2_005, draw);
        let cpus = 2 + stream.below_or_at(0, 2);
        let count = cpus + 1 + stream.below_or_at(1, 3);
        let set: Vec<(u64, u64)> = (0..count)
            .map(|task| {
                let period = 3 + stream.below_or_at(10 + 2 * task, 17);
                let share = period * cpus / count;
                (
                    1 + stream.below_or_at(11 + 2 * task, (2 * share).min(period - 1)),
                    period,
                )
            })
            .collect();
        let Some(bound) = Tardiness::of(&set, cpus) else {
            continue;
        };
        sets += 1;
        let outcome = simulate(
            &workload(tasks(&set)),
            &global(Policy::Edf, cpus as usize, 2_000),
        );
        for (task, (execution, _)) in outcome.tasks.iter().zip(&set) {
            assert_eq!(task.tardiness % UNIT, 0);
            let tardiness = task.tardiness / UNIT;
            assert!(
                bound.allows(tardiness, *execution),
                "{set:?} on {cpus}: {tardiness}"
            );
            tardy += u64::from(tardiness > 0);
        }
    }
    assert!(
        sets > 1_000 && tardy > 100,
        "{sets} sets, {tardy} tardy tasks: too easy"
    );
    // The bound for O20 is 2 for each task: (2 − 2) / (2 − 0) + 2.
    let o20 = Tardiness::of(&[(2, 3), (2, 3), (2, 3)], 2).expect("a utilisation of 2");
    assert!(o20.allows(2, 2) && !o20.allows(3, 2));
}

/// MrsP on two clusters: a spinner keeps its processor, and lends it to the owner.
#[test]
fn mrsp_spins_and_helps() {
    use taktos_simulate::{LockSpec, Protocol};
    let lock = LockId(0);
    let section = |before: u64, inside: u64| {
        vec![
            run_for(before),
            Step::Lock(lock),
            run_for(inside),
            Step::Unlock(lock),
        ]
    };
    let mut set = tasks(&[(0, 100), (0, 100), (20, 100)]);
    set[0].body = section(1, 6);
    set[1].body = section(2, 4);
    for (task, cluster) in set.iter_mut().zip(["c0", "c1", "c0"]) {
        task.cluster = Some(cluster.to_owned());
    }
    // Preempts the owner on c0 at 3, for 20: more urgent than the ceiling.
    set[2].priority = Some(0);
    at(&mut set[2], 3 * UNIT);
    let mut workload = workload(set);
    workload.locks = vec![LockSpec {
        name: "r".to_owned(),
        protocol: Protocol::MrsP,
        ceilings: Vec::new(),
    }];
    let outcome = simulate(&workload, &partitioned(Policy::Priority, 2, units(100)));
    // 1-7 the owner's section: from 3 on the spinner's processor; 7-11 the spinner's own section.
    assert_eq!(in_units(&outcome), vec![Some(7), Some(11), Some(20)]);
    assert_eq!(outcome.tasks[0].migrations, 1);
    // It spun from 2 to 3, then the owner was in its place.
    assert_eq!(outcome.cpus[1].spinning, UNIT);
    assert_eq!(outcome.cpus[0].busy, 3 * UNIT + 20 * UNIT);
    assert_eq!(outcome.cpus[1].busy, 11 * UNIT);
    // Undisturbed, the second one spins until the lock is its own, and continues at once.
    let mut alone = workload.clone();
    alone.tasks.pop();
    let outcome = simulate(&alone, &partitioned(Policy::Priority, 2, units(100)));
    assert_eq!(in_units(&outcome), vec![Some(7), Some(11)]);
    assert_eq!(outcome.cpus[1].spinning, 5 * UNIT);
    // Blocked instead of spinning, without help, the second one waits for the third.
    workload.locks[0].protocol = Protocol::None;
    let outcome = simulate(&workload, &partitioned(Policy::Priority, 2, units(100)));
    assert_eq!(in_units(&outcome), vec![Some(27), Some(31), Some(20)]);
    // OMIP: the owner continues in the waiter's cluster at its priority.
    workload.locks[0].protocol = Protocol::Inheritance;
    let outcome = simulate(&workload, &partitioned(Policy::Priority, 2, units(100)));
    assert_eq!(in_units(&outcome), vec![Some(7), Some(11), Some(20)]);
    assert_eq!(outcome.cpus[1].spinning, 0);
}

/// A bound task keeps its processor, the others go around it.
#[test]
fn affinity_is_kept() {
    let mut set = tasks(&[(5, 10), (5, 10), (5, 10)]);
    set[2].affinity = Cpu::new(1).map(CpuSet::of);
    set[2].priority = Some(0);
    let outcome = simulate(&workload(set), &global(Policy::Edf, 2, 100));
    assert_eq!(outcome.tasks[2].migrations, 0);
    assert_eq!(outcome.jobs(), 30);
}

#[test]
fn sporadic_and_jittered_tasks_keep_their_limits() {
    let mut set = tasks(&[(1, 10), (2, 10)]);
    set[0].arrival = Arrival::Sporadic {
        min_separation: units(10),
        max_separation: units(20),
        offset: Duration::ZERO,
    };
    set[1].arrival = Arrival::Periodic {
        period: units(10),
        offset: Duration::ZERO,
        jitter: units(4),
    };
    set[1].body = vec![Step::Run(Execution::Uniform {
        min: units(1),
        max: units(2),
    })];
    let outcome = simulate(&workload(set), &global(Policy::Priority, 1, 100_000));
    // A mean separation of 15: 6,667 jobs, with a standard deviation of about 16.
    assert!(
        outcome.tasks[0].released.abs_diff(6_667) < 80,
        "{}",
        outcome.tasks[0].released
    );
    assert_eq!(outcome.tasks[1].released, 10_000);
    let response = outcome.tasks[1].response;
    // Jitter counts in the response; at most 4 + 2 + 1.
    assert!(
        response.max().unwrap() <= 7 * UNIT && response.max().unwrap() > 6 * UNIT,
        "{response:?}"
    );
    assert!(outcome.tasks[1].wall.max().unwrap() <= 3 * UNIT);
    let cpu = outcome.tasks[1].cpu;
    assert!(cpu.min().unwrap() < UNIT + 10 && cpu.max().unwrap() > 2 * UNIT - 10);
    assert!(cpu.mean().unwrap().abs_diff(UNIT * 3 / 2) < 15, "{cpu:?}");
}
