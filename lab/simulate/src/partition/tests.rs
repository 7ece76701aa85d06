//! Two levels of scheduling: by hand, against the native run, against the analysis.

use super::*;
use crate::random::Stream;
use crate::{
    Cost, Execution, Partition, Policy, Pool, Setup, Step, Task, TaskStatistics, VcpuPolicy,
    VcpuSpec, Window,
};
use taktos_schedule::CpuSet;

const MS: u64 = 1_000_000;

fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn task(name: &str, execution: u64, period: u64) -> Task {
    Task::periodic(name, ms(execution), ms(period))
}

fn server(budget: u64, period: u64) -> VcpuSpec {
    VcpuSpec {
        budget: Some(ms(budget)),
        period: Some(ms(period)),
        extra_time: Some(false),
        ..VcpuSpec::default()
    }
}

fn partition(name: &str, vcpus: Vec<VcpuSpec>, tasks: Vec<Task>) -> Partition {
    Partition {
        name: name.to_owned(),
        pool: None,
        vcpus,
        weight: None,
        cap: None,
        policy: Policy::Priority,
        tasks,
        locks: Vec::new(),
        servers: Vec::new(),
    }
}

fn workload(policy: VcpuPolicy, cpus: usize, partitions: Vec<Partition>) -> Workload {
    Workload {
        pools: vec![Pool {
            name: "pool".to_owned(),
            cpus: CpuSet::first(cpus),
            policy,
            xen45: false,
        }],
        partitions,
        ..Workload::default()
    }
}

const CREDIT: VcpuPolicy = VcpuPolicy::Credit {
    slice: None,
    ratelimit: None,
    balance: true,
};
const CREDIT2: VcpuPolicy = VcpuPolicy::Credit2 {
    ratelimit: None,
    queue_cpus: None,
    balance: true,
};

/// Returns a machine without costs and with exact timers, on which every invariant is checked.
fn exact(horizon: u64) -> Machine {
    Machine {
        timer_slop: Duration::ZERO,
        checked: true,
        ..Machine::free(ms(horizon))
    }
}

fn outcome(workload: &Workload, machine: &Machine) -> MachineOutcome {
    let mut guests = vec![(); workload.partitions.len()];
    let outcome = run(workload, machine, &mut guests, &mut ()).unwrap();
    balance(&outcome);
    outcome
}

/// No time is lost or counted twice, at either level.
fn balance(outcome: &MachineOutcome) {
    let total = outcome.virtual_time;
    let mut busy = 0;
    for cpu in &outcome.cpus {
        assert_eq!(cpu.busy + cpu.overhead + cpu.idle, total);
        busy += cpu.busy;
    }
    let units = outcome.partitions.iter().flat_map(|p| &p.vcpus);
    assert_eq!(units.map(|unit| unit.received).sum::<u64>(), busy);
    for partition in &outcome.partitions {
        for (unit, cpu) in partition.vcpus.iter().zip(&partition.guest.cpus) {
            assert_eq!(cpu.busy + cpu.overhead + cpu.idle + cpu.stolen, total);
            assert_eq!(unit.received + cpu.stolen, total);
        }
    }
}

fn native(tasks: &[Task], cpus: usize, horizon: u64) -> Vec<TaskStatistics> {
    let workload = Workload {
        tasks: tasks.to_vec(),
        ..Workload::default()
    };
    let setup = Setup::global(Policy::Priority, cpus, ms(horizon));
    let plan = crate::Plan::new(&workload, &setup).unwrap();
    crate::run(&plan, 0, &mut ()).unwrap().tasks
}

#[test]
fn with_processors_of_its_own_a_guest_runs_as_natively() {
    let tasks = vec![
        task("a", 2, 10),
        task("b", 5, 14),
        task("c", 9, 20),
        task("d", 3, 35),
    ];
    let expected = native(&tasks, 2, 2_000);
    let slice = VcpuPolicy::Sedf;
    let whole = |spec: VcpuSpec| vec![spec; 2];
    let cases = [
        (VcpuPolicy::Null, whole(VcpuSpec::default())),
        (VcpuPolicy::Rtds, whole(server(10, 10))),
        (CREDIT2, whole(VcpuSpec::default())),
        (CREDIT, whole(VcpuSpec::default())),
    ];
    for (policy, vcpus) in cases {
        let workload = workload(policy, 2, vec![partition("own", vcpus, tasks.clone())]);
        let outcome = outcome(&workload, &exact(2_000));
        assert_eq!(outcome.partitions[0].guest.tasks, expected);
    }
    // SEDF: only a virtual processor that never blocks has its slice for sure.
    let busy = vec![task("a", 2, 10), task("b", 12, 12)];
    let workload = workload(slice, 1, vec![partition("own", vec![server(10, 10)], busy)]);
    let outcome = outcome(&workload, &exact(1_010));
    assert!(outcome.partitions[0].vcpus[0].received >= 990 * MS);
}

#[test]
fn a_server_cuts_a_job_in_two() {
    // 4 of 10 ms for a job of 6: 0..4 and 10..12. The other guest has the rest of its
    // own 5 of 10 at 4..9 and 12..17.
    let first = partition("first", vec![server(4, 10)], vec![task("t", 6, 20)]);
    let second = partition("second", vec![server(5, 20)], vec![task("t", 30, 100)]);
    let workload = workload(VcpuPolicy::Rtds, 1, vec![first, second]);
    let outcome = outcome(&workload, &exact(100));
    let t = &outcome.partitions[0].guest.tasks[0];
    assert_eq!((t.jobs, t.missed), (5, 0));
    assert_eq!(
        (t.response.min(), t.response.max()),
        (Some(12 * MS), Some(12 * MS))
    );
    let unit = &outcome.partitions[0].vcpus[0];
    assert_eq!(unit.received, 30 * MS);
    // It wakes with each job and is done 12 ms later: the first period is wanted whole.
    assert_eq!((unit.wakes, unit.wanted), (5, 60 * MS));
    let periods = unit.periods.unwrap();
    assert_eq!((periods.received.count(), periods.short), (5, 0));
    let second = &outcome.partitions[1].vcpus[0];
    assert_eq!(second.received, 25 * MS);
    assert_eq!(second.periods.unwrap().received.min(), Some(5 * MS));
}

#[test]
fn a_job_runs_in_its_partitions_windows() {
    let window = |partition: &str, runtime| Window {
        partition: partition.to_owned(),
        vcpu: 0,
        runtime: ms(runtime),
    };
    let policy = VcpuPolicy::Arinc653 {
        frame: ms(10),
        windows: vec![window("a", 3), window("b", 5), window("a", 1)],
    };
    let vcpus = || vec![VcpuSpec::default()];
    let a = partition("a", vcpus(), vec![task("t", 5, 20)]);
    let b = partition("b", vcpus(), vec![task("t", 7, 20)]);
    let outcome = outcome(&workload(policy, 1, vec![a, b]), &exact(200));
    // a: 0..3, 8..9, 10..11; b: 3..8, 13..15.
    let response = |index: usize| outcome.partitions[index].guest.tasks[0].response;
    assert_eq!(
        (response(0).min(), response(0).max()),
        (Some(11 * MS), Some(11 * MS))
    );
    assert_eq!(
        (response(1).min(), response(1).max()),
        (Some(15 * MS), Some(15 * MS))
    );
}

#[test]
fn weights_share_a_processor() {
    for policy in [CREDIT, CREDIT2] {
        let busy = |name: &str, weight| Partition {
            weight: Some(weight),
            ..partition(name, vec![VcpuSpec::default()], vec![task("t", 100, 100)])
        };
        let guests = vec![busy("a", 256), busy("b", 512)];
        let outcome = outcome(&workload(policy, 1, guests), &exact(30_000));
        let [a, b] = [0, 1].map(|index| outcome.partitions[index].vcpus[0].received / MS);
        assert_eq!(a + b, 30_000);
        assert!(a.abs_diff(10_000) < 200, "{a} and {b} ms");
    }
}

#[test]
fn costs_are_the_hypervisors() {
    // Switches take 100 µs with the decision, tickles of others 50 µs. Alone on its
    // processor, the guest is switched to and from for each job.
    let constant = |us| Cost::Constant(Duration::from_micros(us));
    let machine = Machine {
        host: Costs {
            schedule: constant(20),
            switch: constant(80),
            ipi: constant(50),
            ..Costs::FREE
        },
        ..exact(100)
    };
    let guests = vec![partition(
        "a",
        vec![VcpuSpec::default()],
        vec![task("t", 3, 10)],
    )];
    let outcome = outcome(&workload(VcpuPolicy::Null, 1, guests), &machine);
    let t = &outcome.partitions[0].guest.tasks[0];
    assert_eq!(t.response.max(), Some(3 * MS + 100_000));
    assert_eq!(t.jobs, 10);
    assert_eq!(outcome.cpus[0].overhead, 20 * 100_000);
    assert_eq!(outcome.cpus[0].switches, 20);
    let unit = &outcome.partitions[0].vcpus[0];
    assert_eq!(
        (unit.latency.min(), unit.latency.max()),
        (Some(100_000), Some(100_000))
    );
}

#[test]
fn the_timer_floor_lets_budgets_run_over() {
    // 20 µs in 1 ms cannot be held with a floor of 50 µs.
    let tiny = VcpuSpec {
        budget: Some(Duration::from_micros(20)),
        ..server(1, 1)
    };
    let guests = vec![partition("a", vec![tiny], vec![task("t", 10, 10)])];
    let workload = workload(VcpuPolicy::Rtds, 1, guests);
    let received = |machine: &Machine| {
        let outcome = outcome(&workload, machine);
        outcome.partitions[0].vcpus[0].received
    };
    assert_eq!(received(&exact(100)), 100 * 20_000);
    assert_eq!(received(&Machine::free(ms(100))), 100 * 50_000);
}

#[test]
fn the_timer_floor_delays_refills_too() {
    // 10 us in 30 us: the budget's end and the refill both come at 50 us, the refill
    // first; so the budget never ends.
    let tiny = VcpuSpec {
        budget: Some(Duration::from_micros(10)),
        period: Some(Duration::from_micros(30)),
        ..server(1, 1)
    };
    let guests = vec![partition("a", vec![tiny], vec![task("t", 10, 10)])];
    let workload = workload(VcpuPolicy::Rtds, 1, guests);
    let received = |machine: &Machine| {
        let outcome = outcome(&workload, machine);
        outcome.partitions[0].vcpus[0].received
    };
    assert_eq!(received(&exact(3)), 3 * MS / 3);
    assert_eq!(received(&Machine::free(ms(3))), 3 * MS);
}

#[test]
fn a_guest_sleeps_when_its_kernel_is_done() {
    // Two decisions a job, of 20 us each: one to run it, one to idle.
    let machine = Machine {
        guest: Costs {
            schedule: Cost::Constant(Duration::from_micros(20)),
            ..Costs::FREE
        },
        ..exact(100)
    };
    let guests = vec![partition(
        "a",
        vec![VcpuSpec::default()],
        vec![task("t", 3, 10)],
    )];
    let outcome = outcome(&workload(VcpuPolicy::Null, 1, guests), &machine);
    let unit = &outcome.partitions[0].vcpus[0];
    assert_eq!(unit.received, 10 * (3 * MS + 40_000));
    assert_eq!(unit.wanted, unit.received);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let guest = |name: &str| {
        let mut tasks = vec![task("a", 1, 7), task("b", 2, 11)];
        tasks[0].body = vec![Step::Run(Execution::Uniform {
            min: ms(1),
            max: ms(3),
        })];
        partition(name, vec![VcpuSpec::default(); 2], tasks)
    };
    let guests: Vec<Partition> = ["a", "b", "c"].into_iter().map(guest).collect();
    let workload = workload(CREDIT2, 2, guests);
    let machine = Machine::free(ms(5_000));
    let first = outcome(&workload, &machine);
    assert_eq!(first, outcome(&workload, &machine));
    let other = Machine { seed: 1, ..machine };
    assert_ne!(first, outcome(&workload, &other));
    // Guests draw each for itself.
    assert_ne!(
        first.partitions[0].guest.tasks,
        first.partitions[1].guest.tasks
    );
}

/// The longest that a server takes to supply `need` (periodic resource model, Shin and
/// Lee 2003): two waits for a late budget, then one in every period.
fn supply_inverse(need: u64, budget: u64, period: u64) -> u64 {
    let wait = period - budget;
    let rest = need % budget;
    let tail = if rest > 0 { wait + rest } else { 0 };
    wait + period * (need / budget) + tail
}

/// The response time of a task under fixed priorities on a server; none beyond its period.
fn response_bound(tasks: &[(u64, u64)], index: usize, budget: u64, period: u64) -> Option<u64> {
    let mut response = tasks[index].0;
    loop {
        let higher = tasks[..index].iter();
        let need = tasks[index].0
            + higher
                .map(|(execution, period)| response.div_ceil(*period) * execution)
                .sum::<u64>();
        let next = supply_inverse(need, budget, period);
        if next > tasks[index].1 {
            return None;
        }
        if next <= response {
            return Some(response);
        }
        response = next;
    }
}

#[test]
fn the_resource_models_figures() {
    // Spec 07, oracle O22: period 5, budget 3.
    let inverse = [1, 2, 3, 4, 5, 6, 7].map(|need| supply_inverse(need, 3, 5));
    assert_eq!(inverse, [5, 6, 7, 10, 11, 12, 15]);
}

/// A random number at a place of its own.
struct Draws(Stream, u64);

impl Draws {
    fn between(&mut self, low: u64, high: u64) -> u64 {
        self.1 += 1;
        low + self.0.below_or_at(self.1, high - low)
    }
}

/// A guest with random tasks, most urgent first, in a server with one virtual processor.
fn random_guest(draws: &mut Draws, name: &str) -> (Partition, (u64, u64), Vec<(u64, u64)>) {
    let period = draws.between(4, 20);
    let budget = draws.between(1, period / 2);
    let mut tasks = Vec::new();
    let mut periods: Vec<u64> = (0..draws.between(1, 4))
        .map(|_| draws.between(3 * period, 12 * period))
        .collect();
    periods.sort_unstable();
    for task_period in periods {
        let most = (task_period * budget / period / 3).max(1);
        tasks.push((draws.between(1, most), task_period));
    }
    let specs = tasks
        .iter()
        .enumerate()
        .map(|(index, &(execution, period))| {
            let mut task = task(&format!("t{index}"), execution, period);
            task.priority = Some(index as u32 + 1);
            task.arrival = crate::Arrival::Periodic {
                period: ms(period),
                offset: ms(draws.between(0, 3 * period)),
                jitter: Duration::ZERO,
            };
            task
        });
    let specs = specs.collect();
    let partition = partition(name, vec![server(budget, period)], specs);
    (partition, (budget, period), tasks)
}

/// Every guarantee of the two-level analysis holds in the simulation: servers that are admitted
/// have their budgets, and tasks that fit the least supply of their server respond within its
/// bound.
#[test]
fn no_response_is_longer_than_the_analysis_of_both_levels_says() {
    let (mut sets, mut bounds, mut tight) = (0, 0, 0);
    for seed in 0..600 {
        let mut draws = Draws(Stream::new(seed, 77), 0);
        let cpus = draws.between(1, 2) as usize;
        let count = cpus as u64 + draws.between(0, 2);
        let guests: Vec<_> = (0..count)
            .map(|index| random_guest(&mut draws, &format!("g{index}")))
            .collect();
        let partitions = guests.iter().map(|(partition, ..)| partition.clone());
        let workload = workload(VcpuPolicy::Rtds, cpus, partitions.collect());
        let machine = Machine {
            checked: seed % 20 == 0,
            ..exact(3_000)
        };
        let outcome = outcome(&workload, &machine);
        if outcome.pools[0].admitted != Some(Ok(())) {
            continue;
        }
        sets += 1;
        for ((_, (budget, period), tasks), had) in guests.iter().zip(&outcome.partitions) {
            let periods = had.vcpus[0].periods.unwrap();
            assert_eq!(periods.short, 0, "seed {seed}: {periods:?}");
            for index in 0..tasks.len() {
                let higher = (0..=index).map(|i| response_bound(tasks, i, *budget, *period));
                let Some(bound) = higher.collect::<Option<Vec<_>>>().and_then(|mut b| b.pop())
                else {
                    continue;
                };
                let longest = had.guest.tasks[index].response.max().unwrap_or(0);
                assert!(
                    longest <= bound * MS,
                    "seed {seed}, {} task {index}: {longest} ns, at most {bound} ms",
                    had.name
                );
                bounds += 1;
                tight += u64::from(longest * 10 >= bound * MS * 8);
            }
        }
    }
    println!("{sets} sets, {bounds} bounds, {tight} nearly reached");
    assert!(sets >= 100 && bounds >= 300 && tight > 0);
}

#[test]
fn windows_count_from_when_the_pools_begin() {
    let policy = VcpuPolicy::Arinc653 {
        frame: ms(10),
        windows: vec![Window {
            partition: "busy".to_owned(),
            vcpu: 0,
            runtime: ms(4),
        }],
    };
    let busy = partition("busy", vec![VcpuSpec::default()], vec![task("all", 50, 50)]);
    let workload = workload(policy, 1, vec![busy]);
    let received = |begin| {
        let machine = Machine {
            begin: Instant::START.saturating_add(ms(begin)),
            ..exact(25)
        };
        outcome(&workload, &machine).partitions[0].vcpus[0].received
    };
    // From 0, 10 and 20; from 3, 13 and 23, the last cut short.
    assert_eq!((received(0), received(3)), (12 * MS, 10 * MS));
}

#[test]
fn what_is_wrong_is_said_with_its_mend() {
    let guest = |name: &str| partition(name, vec![server(4, 10)], vec![task("t", 1, 10)]);
    let refused = |workload: &Workload| {
        let mut guests = vec![(); workload.partitions.len()];
        let refused = run(workload, &exact(10), &mut guests, &mut ());
        refused.unwrap_err().to_string()
    };
    let good = workload(VcpuPolicy::Rtds, 1, vec![guest("a")]);
    let mut bad = good.clone();
    bad.partitions[0].pool = Some("poll".to_owned());
    assert_eq!(
        refused(&bad),
        "partition `a` is in pool `poll`, which there is not: name one of pool"
    );
    let mut bad = good.clone();
    bad.partitions[0].vcpus[0].budget = Some(ms(11));
    assert_eq!(
        refused(&bad),
        "partition `a`: refused by the scheduler of its pool: the budget is 11000000 ns: give 10000 to 10000000 ns"
    );
    let mut bad = good.clone();
    bad.partitions[0].vcpus[0].hard_affinity = Some(CpuSet::from_bits(2));
    assert_eq!(
        refused(&bad),
        "virtual processor 0 of partition `a` may use no processor of its pool: widen its affinity"
    );
    let mut bad = good.clone();
    bad.partitions.push(guest("a"));
    assert_eq!(refused(&bad), "two partitions are called `a`: rename one");
    let mut bad = good.clone();
    bad.partitions.clear();
    assert!(refused(&bad).starts_with("the workload has no partition"));
    let mut bad = good;
    bad.partitions[0].tasks[0].body = vec![Step::Unlock(crate::LockId(0))];
    assert!(refused(&bad).starts_with("partition `a`: task `t`"));
}
