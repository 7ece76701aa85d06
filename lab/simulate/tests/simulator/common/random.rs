//! Random workloads that use all that a workload can have.

use super::{UNIT, units};
use taktos_schedule::{Cpu, CpuSet};
use taktos_simulate::random::Stream;
use taktos_simulate::{
    Arrival, Cluster, Cost, Costs, Execution, Late, LockId, LockSpec, Policy, Protocol, ServerId,
    ServerSpec, Setup, Step, Task, Workload,
};
use taktos_time::Duration;

/// Draws of one random set.
pub struct Dice {
    stream: Stream,
    thrown: u64,
}

impl Dice {
    /// Those of set number `set`.
    pub fn new(seed: u64, set: u64) -> Self {
        Self {
            stream: Stream::new(seed, set),
            thrown: 0,
        }
    }

    /// A number from `from` to `to`.
    pub fn throw(&mut self, from: u64, to: u64) -> u64 {
        self.thrown += 1;
        from + self.stream.below_or_at(self.thrown, to - from)
    }

    /// Once in `of` times.
    pub fn once_in(&mut self, of: u64) -> bool {
        self.throw(1, of) == 1
    }
}

fn ns(count: u64) -> Duration {
    Duration::from_nanos(count)
}

/// One to three clusters of any policies, one to three processors each.
pub fn setup(dice: &mut Dice, horizon: u64) -> Setup {
    let mut next = 0;
    let clusters = (0..dice.throw(1, 3)).map(|index| {
        let count = dice.throw(1, 3) as usize;
        let cpus: CpuSet = (next..next + count).filter_map(Cpu::new).collect();
        next += count;
        Cluster {
            name: format!("c{index}"),
            cpus,
            policy: Policy::ALL[dice.throw(0, 5) as usize],
        }
    });
    let clusters = clusters.collect();
    let slice = dice.once_in(3).then(|| ns(dice.throw(UNIT / 4, 2 * UNIT)));
    Setup {
        clusters,
        horizon: ns(horizon),
        costs: Costs::FREE,
        slice,
        seed: dice.throw(0, u64::MAX - 1),
    }
}

/// Costs of all kinds.
pub fn costs(dice: &mut Dice) -> Costs {
    let mut cost = || match dice.throw(0, 3) {
        0 => Cost::Zero,
        1 => Cost::Constant(ns(dice.throw(1, 60))),
        2 => Cost::Linear(vec![
            (0, ns(dice.throw(1, 20))),
            (20, ns(dice.throw(20, 90))),
        ]),
        _ => Cost::Samples((0..5).map(|_| ns(dice.throw(0, 80))).collect()),
    };
    Costs {
        release: cost(),
        schedule: cost(),
        switch: cost(),
        ipi: cost(),
        migration: cost(),
    }
}

/// Tasks with all kinds of arrivals and bodies, for the clusters of `setup`.
/// Locks are taken in the order of their numbers, so no task waits for ever.
pub fn workload(dice: &mut Dice, setup: &Setup, protocols: &[Protocol]) -> Workload {
    let locks: Vec<LockSpec> = (0..if protocols.is_empty() { 0 } else { 3 })
        .map(|index| LockSpec {
            name: format!("l{index}"),
            protocol: protocols[dice.throw(0, protocols.len() as u64 - 1) as usize],
            ceilings: setup
                .clusters
                .iter()
                .map(|cluster| (cluster.name.clone(), index))
                .collect(),
        })
        .collect();
    let cpus = setup.cpus().count() as u64;
    let count = dice.throw(1, 3 * cpus + 2);
    let load = dice.throw(20, 110);
    let tasks = (0..count).map(|index| {
        let home = dice.throw(0, setup.clusters.len() as u64 - 1) as usize;
        let period = dice.throw(4, 30) * UNIT;
        let work = (period * load * cpus / 100 / count).max(8);
        let mut task = Task::periodic(&format!("t{index}"), ns(work), ns(period));
        task.arrival = arrival(dice, period);
        task.cluster = Some(setup.clusters[home].name.clone());
        // Below all ceilings.
        task.priority = Some(dice.throw(5, 12) as u32);
        task.affinity = affinity(dice, setup, home);
        task.body = body(dice, work, &locks);
        task
    });
    let tasks = tasks.collect();
    let servers = if protocols.is_empty() {
        Vec::new()
    } else {
        vec![ServerSpec {
            name: "s".to_owned(),
        }]
    };
    Workload {
        name: "random".to_owned(),
        tasks,
        locks,
        servers,
        ..Workload::default()
    }
}

fn arrival(dice: &mut Dice, period: u64) -> Arrival {
    let offset = ns(dice.throw(0, 3) * UNIT);
    match dice.throw(0, 3) {
        0 => Arrival::Sporadic {
            min_separation: ns(period),
            max_separation: ns(period + dice.throw(0, period)),
            offset,
        },
        1 => Arrival::Periodic {
            period: ns(period),
            offset,
            jitter: ns(dice.throw(0, period)),
        },
        _ => Arrival::Periodic {
            period: ns(period),
            offset,
            jitter: ns(0),
        },
    }
}

/// Any set where the policy knows it, one processor of a system's only cluster under deadlines.
fn affinity(dice: &mut Dice, setup: &Setup, home: usize) -> Option<CpuSet> {
    let cluster = &setup.clusters[home];
    let places: Vec<Cpu> = cluster.cpus.into_iter().collect();
    let one = CpuSet::of(places[dice.throw(0, places.len() as u64 - 1) as usize]);
    let any = CpuSet::from_bits(dice.throw(0, u64::MAX - 1)).and(cluster.cpus);
    match cluster.policy {
        Policy::StrongAffinity if dice.once_in(2) => Some(one.or(any)),
        Policy::Edf if dice.once_in(3) => Some(one),
        _ => None,
    }
}

fn body(dice: &mut Dice, work: u64, locks: &[LockSpec]) -> Vec<Step> {
    let parts = dice.throw(1, 4);
    let part = work / parts;
    let mut body = Vec::new();
    let mut first_lock = 0;
    for _ in 0..parts {
        let time = match dice.throw(0, 2) {
            0 => Execution::Fixed(ns(part)),
            1 => Execution::Uniform {
                min: ns(part / 2),
                max: ns(part),
            },
            _ => Execution::Samples(vec![ns(part), ns(part / 3), ns(0)]),
        };
        match dice.throw(0, 4) {
            0 if first_lock < locks.len() => {
                let lock = dice.throw(first_lock as u64, locks.len() as u64 - 1) as usize;
                first_lock = lock + 1;
                let lock = LockId(lock as u16);
                body.extend([Step::Lock(lock), Step::Run(time), Step::Unlock(lock)]);
            }
            1 if !locks.is_empty() => body.push(Step::Call {
                server: ServerId(0),
                service: time,
            }),
            2 => body.extend([Step::Run(time), Step::Suspend(Execution::Fixed(units(1)))]),
            _ => body.push(Step::Run(time)),
        }
    }
    body
}

/// Some of the tasks give late jobs up, or drop those that come meanwhile, or have them come later.
pub fn some_are_late(dice: &mut Dice, workload: &mut Workload) {
    for task in &mut workload.tasks {
        task.late = [Late::Queue, Late::Abort, Late::Skip, Late::Shift][dice.throw(0, 3) as usize];
    }
}
