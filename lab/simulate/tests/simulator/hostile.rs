//! Servers that the analysis admits keep their deadlines next to hostile guests: busy loops, floods
//! of waits, of interrupts between processors and of timers, yields, faults with restarts, exits
//! that keep the hypervisor busy.
//!
//! Times are in units of a thousandth of the servers' period.
//!
//! # Budget of a server for a given supply
//! Under RTDS a decision and a switch are charged to the incoming virtual processor. A neighbour
//! that blocks and wakes makes a victim pay one switch each time, and has paid one itself before.
//! So neighbours that may use H in a period cost a victim at most another H. Its budget is its
//! supply, and H, and [`SLACK`]. Under SEDF a block forfeits the rest of the slice, and the same
//! budget is more than enough. However, a virtual processor that wakes in a period that has begun
//! waits for the next one. So a task has its supply within two periods of its wake-up.

use taktos_schedule::CpuSet;
use taktos_simulate::partition::{Act, Attack, Machine, MachineOutcome, run};
use taktos_simulate::{
    Arrival, Cost, Costs, Execution, Late, Partition, Policy, Pool, Step, Task, VcpuPolicy,
    VcpuSpec, Workload,
};
use taktos_time::Duration;

/// The servers' period.
const PERIOD: u64 = 1_000;
/// Supply of each victim in each period, whatever the others do.
const SUPPLY: u64 = 200;
/// Switches that no guest pays for in advance: one for each time a period begins.
const SLACK: u64 = 24;
/// The longest exit: so late timers and tickles may be.
const EXIT: u64 = 2;
/// Cost of a decision, and of a switch.
const COST: u64 = 1;

/// A machine, and how long a unit of time is on it.
#[derive(Clone, Copy)]
struct Set {
    policy: fn() -> VcpuPolicy,
    cpus: usize,
    /// In nanoseconds.
    unit: u64,
    /// How close ahead timers can be set, in units.
    floor: u64,
    /// Time that each hostile virtual processor may use in a period.
    hostile: u64,
    /// Within how many periods a server that blocks supplies the requested time.
    delay: u64,
}

const RTDS: Set = Set {
    policy: || VcpuPolicy::Rtds,
    cpus: 1,
    unit: 1_000,
    floor: 0,
    hostile: 20,
    delay: 1,
};
const SEDF: Set = Set {
    policy: || VcpuPolicy::Sedf,
    delay: 2,
    ..RTDS
};
/// The hypervisor's timers as Xen's, 50 us: then hostile guests overrun by so much.
const FLOOR: Set = Set {
    unit: 10_000,
    floor: 5,
    hostile: 15,
    ..RTDS
};

impl Set {
    fn time(&self, units: u64) -> Duration {
        Duration::from_nanos(units * self.unit)
    }

    fn constant(&self, units: u64) -> Execution {
        Execution::Fixed(self.time(units))
    }

    fn between(&self, min: u64, max: u64) -> Execution {
        Execution::Uniform {
            min: self.time(min),
            max: self.time(max),
        }
    }

    fn server(&self, budget: u64, extra: bool) -> VcpuSpec {
        VcpuSpec {
            period: Some(self.time(PERIOD)),
            budget: Some(self.time(budget)),
            extra_time: Some(extra),
            ..VcpuSpec::default()
        }
    }

    /// Returns the time that all hostile guests may use in a period, with their overruns.
    fn hostile_demand(&self) -> u64 {
        HOSTILE_VCPUS * (self.hostile + self.floor + EXIT)
    }

    /// A victim's budget.
    fn budget(&self) -> u64 {
        SUPPLY + self.hostile_demand() + SLACK
    }

    /// A guest with a task that needs [`SUPPLY`] in as many periods as its server takes.
    fn periodic(&self, name: &str) -> Partition {
        let period = self.time(self.delay * PERIOD);
        let task = Task::periodic("control", self.time(SUPPLY), period);
        partition(name, vec![self.server(self.budget(), false)], vec![task])
    }

    /// A guest that always wants its server.
    fn greedy(&self, name: &str) -> Partition {
        let vcpus = vec![self.server(self.budget(), false)];
        partition(name, vcpus, vec![self.forever()])
    }

    fn forever(&self) -> Task {
        let second = Duration::from_secs(1_000);
        Task::periodic("busy", second, second)
    }

    /// Two greedy and one periodic victim on each two processors, one of each on one.
    fn victims(&self) -> Vec<Partition> {
        let mut victims = vec![self.periodic("control"), self.greedy("greedy")];
        if self.cpus > 1 {
            victims.push(self.greedy("greedy too"));
        }
        victims
    }

    /// A guest that wants to run as `body` says, over and over.
    fn hostile(&self, name: &str, extra: bool, body: Vec<Step>) -> Partition {
        let task = Task {
            body,
            late: Late::Skip,
            ..Task::periodic("attack", self.time(1), self.time(250))
        };
        partition(name, vec![self.server(self.hostile, extra)], vec![task])
    }

    fn hostile_guests(&self) -> Vec<Partition> {
        let bursts = |run: Execution, wait: Execution, count: usize| {
            let burst = [Step::Run(run), Step::Suspend(wait)];
            burst.into_iter().cycle().take(2 * count).collect()
        };
        let busy = vec![self.server(self.hostile, true)];
        vec![
            partition("loops", busy.clone(), vec![self.forever()]),
            self.hostile(
                "waits",
                false,
                bursts(self.between(1, 3), self.between(1, 4), 40),
            ),
            self.hostile(
                "waits long",
                true,
                bursts(self.between(1, 400), self.between(1, 3_000), 10),
            ),
            self.calls_itself(),
            self.timers(),
            partition("yields", busy.clone(), vec![self.forever()]),
            partition("faults", busy, vec![self.forever()]),
        ]
    }

    /// Two virtual processors that interrupt each other.
    fn calls_itself(&self) -> Partition {
        let task = |index: u64| Task {
            affinity: Some(CpuSet::from_bits(1 << index)),
            arrival: Arrival::Periodic {
                period: self.time(16),
                offset: self.time(8 * index),
                jitter: Duration::ZERO,
            },
            late: Late::Skip,
            ..Task::periodic(&format!("call{index}"), self.time(2), self.time(16))
        };
        let vcpus = vec![self.server(self.hostile, false); 2];
        partition("calls", vcpus, vec![task(0), task(1)])
    }

    fn timers(&self) -> Partition {
        let task = Task {
            arrival: Arrival::Sporadic {
                min_separation: self.time(2),
                max_separation: self.time(60),
                offset: self.time(7),
            },
            deadline: Some(self.time(PERIOD)),
            late: Late::Skip,
            body: vec![Step::Run(self.constant(1))],
            ..Task::periodic("timer", self.time(1), self.time(2))
        };
        partition("timers", vec![self.server(self.hostile, true)], vec![task])
    }

    fn workload(&self) -> Workload {
        let mut partitions = self.victims();
        partitions.extend(self.hostile_guests());
        Workload {
            pools: vec![Pool {
                name: "pool".to_owned(),
                cpus: CpuSet::first(self.cpus),
                policy: (self.policy)(),
                xen45: false,
            }],
            partitions,
            ..Workload::default()
        }
    }

    fn machine(&self, horizon: Duration, seed: u64) -> Machine {
        let cost = Cost::Constant(self.time(COST));
        let guests = self.victims().len() + self.hostile_guests().len();
        let exits = (0..=EXIT * self.unit).step_by(self.unit as usize / 10);
        Machine {
            timer_slop: self.time(self.floor),
            host: Costs {
                schedule: cost.clone(),
                switch: cost.clone(),
                ipi: cost,
                ..Costs::FREE
            },
            exit: Cost::Samples(exits.map(Duration::from_nanos).collect()),
            attacks: vec![
                Attack {
                    partition: guests - 2,
                    act: Act::Yield,
                    every: self.between(2, 30),
                },
                Attack {
                    partition: guests - 1,
                    act: Act::Restart {
                        away: self.time(300),
                    },
                    every: self.between(100, 4_000),
                },
            ],
            seed,
            ..Machine::free(horizon)
        }
    }
}

/// Virtual processors of [`Set::hostile_guests`].
const HOSTILE_VCPUS: u64 = 8;

fn partition(name: &str, vcpus: Vec<VcpuSpec>, tasks: Vec<Task>) -> Partition {
    Partition {
        name: name.to_owned(),
        pool: None,
        vcpus,
        weight: None,
        cap: None,
        policy: Policy::PriorityAffinity,
        tasks,
        locks: Vec::new(),
        servers: Vec::new(),
    }
}

fn outcome(workload: &Workload, machine: &Machine) -> MachineOutcome {
    let mut guests = vec![(); workload.partitions.len()];
    run(workload, machine, &mut guests, &mut ()).expect("a run")
}

/// Runs the set and says which victims did not get what they were promised; checks that
/// the analysis admits it, and that the hostile guests were hostile.
fn suffer(set: Set, machine: &Machine) -> (Vec<String>, MachineOutcome) {
    let workload = set.workload();
    let outcome = outcome(&workload, machine);
    assert_eq!(
        outcome.pools[0].admitted,
        Some(Ok(())),
        "the set is admitted"
    );
    let victims = set.victims().len();
    let mut hurt = Vec::new();
    for victim in &outcome.partitions[..victims] {
        let periods = victim.vcpus[0].periods.expect("a server");
        let least = periods.received.min().unwrap_or(0);
        let task = &victim.guest.tasks[0];
        let whole = machine.horizon.as_nanos() / (PERIOD * set.unit);
        let promised = set.time(SUPPLY).as_nanos();
        let greedy = victim.name.starts_with("greedy");
        if greedy && (least < promised || periods.received.count() + 2 < whole) {
            hurt.push(format!("{}: {least} ns in a period", victim.name));
        }
        if !greedy && (task.missed > 0 || task.jobs + 1 < whole / set.delay) {
            hurt.push(format!("{}: {} missed", victim.name, task.missed));
        }
    }
    // Each hostile guest had its turn in nearly every period, or woke over and over.
    let periods = machine.horizon.as_nanos() / (PERIOD * set.unit);
    for hostile in &outcome.partitions[victims..] {
        let switches = hostile.vcpus[0].switches;
        assert!(switches * 5 >= periods, "{}: {switches}", hostile.name);
    }
    (hurt, outcome)
}

fn unhurt(set: Set, horizon: Duration, seed: u64) -> MachineOutcome {
    let (hurt, outcome) = suffer(set, &set.machine(horizon, seed));
    assert!(hurt.is_empty(), "{hurt:?}");
    outcome
}

/// The budget of a server is exactly what it gets when nothing costs anything.
#[test]
fn a_budget_is_had_whole_when_nothing_costs_anything() {
    for set in [RTDS, SEDF] {
        let machine = Machine {
            host: Costs::FREE,
            exit: Cost::Zero,
            ..set.machine(Duration::from_secs(2), 3)
        };
        let (hurt, outcome) = suffer(set, &machine);
        assert!(hurt.is_empty(), "{hurt:?}");
        let greedy = outcome.partitions[1].vcpus[0].periods.expect("a server");
        assert_eq!(greedy.short, 0, "{greedy:?}");
        let budget = set.time(set.budget()).as_nanos();
        assert_eq!(greedy.received.min(), Some(budget));
    }
}

#[test]
fn no_deadline_is_missed_beside_hostile_guests() {
    let several = |set: Set| Set { cpus: 2, ..set };
    let floor = Set {
        policy: SEDF.policy,
        delay: SEDF.delay,
        ..FLOOR
    };
    let sets = [RTDS, SEDF, several(RTDS), several(SEDF), FLOOR, floor];
    for (seed, set) in sets.into_iter().enumerate() {
        let periods = 3_000;
        unhurt(set, set.time(periods * PERIOD), seed as u64);
    }
}

/// The invariants of the schedulers hold next to hostile guests.
#[test]
fn the_schedulers_laws_hold_beside_hostile_guests() {
    for set in [RTDS, SEDF, Set { cpus: 2, ..RTDS }] {
        let machine = Machine {
            checked: true,
            ..set.machine(set.time(30 * PERIOD), 9)
        };
        suffer(set, &machine);
    }
}

/// The test can fail: without what the neighbours' switches cost in its budget, or with
/// budgets that the analysis refuses, a victim suffers.
#[test]
fn with_less_than_the_analysis_asks_a_victim_is_hurt() {
    let mut workload = RTDS.workload();
    for victim in &mut workload.partitions[..2] {
        victim.vcpus[0].budget = Some(RTDS.time(SUPPLY));
    }
    let machine = RTDS.machine(Duration::from_secs(2), 1);
    let result = outcome(&workload, &machine);
    assert!(result.partitions[0].guest.tasks[0].missed > 0);
    let least = result.partitions[1].vcpus[0].periods.expect("a server");
    assert!(least.received.min() < Some(RTDS.time(SUPPLY).as_nanos()));
    let mut workload = RTDS.workload();
    for hostile in &mut workload.partitions[2..] {
        hostile.vcpus[0].budget = Some(RTDS.time(200));
    }
    let result = outcome(&workload, &machine);
    assert!(matches!(result.pools[0].admitted, Some(Err(_))));
}

#[test]
fn the_same_storm_comes_twice() {
    let once = || unhurt(RTDS, Duration::from_millis(300), 5);
    assert_eq!(once(), once());
    assert_ne!(once(), unhurt(RTDS, Duration::from_millis(300), 6));
}

/// Two minutes of virtual time with periods of 10 ms, under both.
#[test]
fn minutes_beside_hostile_guests() {
    for set in [RTDS, SEDF] {
        let set = Set {
            unit: 10_000,
            ..set
        };
        unhurt(set, Duration::from_secs(120), 11);
    }
}

/// A day of virtual time with periods of 100 ms: minutes of a real one.
fn a_day(set: Set) {
    let set = Set {
        unit: 100_000,
        ..set
    };
    let begin = std::time::Instant::now();
    let outcome = unhurt(set, Duration::from_secs(86_400), 12);
    let periodic = &outcome.partitions[0].guest.tasks[0];
    let greedy = outcome.partitions[1].vcpus[0].periods.expect("a server");
    println!(
        "{}: {} jobs, {} missed; {} periods, at least {:?} ns in each; {} events in {:?}",
        outcome.pools[0].scheduler,
        periodic.jobs,
        periodic.missed,
        greedy.received.count(),
        greedy.received.min(),
        outcome.events,
        begin.elapsed()
    );
}

#[test]
#[ignore = "minutes: `taktos test --long` runs it"]
fn a_day_under_rtds() {
    a_day(RTDS);
}

#[test]
#[ignore = "minutes: `taktos test --long` runs it"]
fn a_day_under_sedf() {
    a_day(SEDF);
}

#[test]
fn attacks_do_what_they_say() {
    let set = RTDS;
    let guest = partition("a", vec![set.server(PERIOD, false)], vec![set.forever()]);
    let workload = Workload {
        partitions: vec![guest],
        ..set.workload()
    };
    let attack = |act| Machine {
        attacks: vec![Attack {
            partition: 0,
            act,
            every: set.constant(400),
        }],
        ..Machine::free(set.time(10 * PERIOD))
    };
    // A virtual processor with a budget that ends during an exit overruns by the rest of the exit.
    let late = Machine {
        exit: Cost::Constant(set.time(EXIT)),
        ..attack(Act::Yield)
    };
    let mut short = workload.clone();
    short.partitions[0].vcpus[0].budget = Some(set.time(300));
    let result = outcome(&short, &late);
    let periods = result.partitions[0].vcpus[0].periods.expect("a server");
    let had = set.time(300 + EXIT).as_nanos();
    assert_eq!(periods.received.max(), Some(had));
    let away = set.time(100);
    let result = outcome(&workload, &attack(Act::Restart { away }));
    // 25 times less the last, which comes at the horizon: 24 times 100 of 10,000 away.
    let unit = result.partitions[0].vcpus[0];
    assert_eq!((unit.wakes, unit.received), (25, 7_600 * 1_000));
    let result = outcome(&workload, &attack(Act::Yield));
    assert_eq!(result.partitions[0].vcpus[0].received, 10_000 * 1_000);
    assert!(result.cpus[0].decisions >= 24);
}
