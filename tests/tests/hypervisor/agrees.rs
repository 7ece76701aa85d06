//! The hypervisor's core on the host's machine and the simulator run the same partitions: the same
//! virtual processor on the same processor at the same nanosecond (on several processors: within
//! some), under every policy.
//!
//! Nothing costs anything in either but the way of a call from one processor to another. Times are
//! such that no two things happen at one instant but those which follow from each other (and all
//! that begins at the start).

use taktos_abi::vm::{self, Description, layout};
use taktos_schedule::{Cpu, CpuSet};
use taktos_simulate::partition::{HostObserver, Machine, run};
use taktos_simulate::random::Stream;
use taktos_simulate::{
    Cost, Costs, Execution, Partition, Policy, Pool, Step, Task, VcpuPolicy, VcpuSpec, Window,
    Workload,
};
use taktos_tests::machine_el2::{self, Act, Guest, Rig, View};
use taktos_time::{Duration, Instant};

/// From one processor's call to the other's interrupt.
const CALL: u64 = 1;
/// How far apart the same switch may be: a hardware timer that another processor has taken over
/// still goes off, and its processor then sees a call before it arrives. With one processor nothing
/// is apart.
const APART: u64 = 4 * CALL;
const MS: u64 = 1_000_000;

/// A guest with one virtual processor: every `period` it runs and sleeps in turn.
#[derive(Clone, Debug)]
struct Job {
    period: u64,
    /// Execution, sleep, execution, ...
    body: Vec<u64>,
    weight: u32,
    server: vm::Server,
    hard: u64,
}

/// Partitions on processors under a policy.
#[derive(Clone, Debug)]
struct Case {
    policy: vm::Policy,
    cpus: usize,
    jobs: Vec<Job>,
}

/// The program of a [`Job`], which switches its interrupts on first.
struct Program {
    job: Job,
    /// Which job, which part of it, which word of the beginning.
    number: u64,
    part: usize,
    word: usize,
    /// It sleeps until then.
    until: Option<u64>,
}

/// Writes of a kernel before it waits for its timer: group 1 on; its redistributor awake; all its
/// interrupts in group 1; the timer's enabled.
const WORDS: [(u64, u64); 4] = [
    (layout::DISTRIBUTOR, 2),
    (layout::REDISTRIBUTOR + 0x14, 0),
    (layout::REDISTRIBUTOR + 0x1_0080, 0xFFFF_FFFF),
    (
        layout::REDISTRIBUTOR + 0x1_0100,
        1 << layout::TIMER_INTERRUPT,
    ),
];

impl Program {
    fn of(job: &Job) -> Box<dyn Guest> {
        Box::new(Self {
            job: job.clone(),
            number: 0,
            part: 0,
            word: 0,
            until: None,
        })
    }
}

impl Guest for Program {
    fn begin(&mut self) {}

    fn next(&mut self, view: View) -> Act {
        if let Some(&(at, value)) = WORDS.get(self.word) {
            self.word += 1;
            return Act::Access(at, 4, Some(value));
        }
        if let Some(until) = self.until.filter(|&until| view.now < until) {
            return Act::WaitUntil(until);
        }
        self.until = None;
        let part = self.part;
        self.part += 1;
        match self.job.body.get(part) {
            Some(&span) if part.is_multiple_of(2) => Act::Run(span),
            Some(&span) => {
                self.until = Some(view.now + span);
                self.next(view)
            }
            None => {
                self.number += 1;
                self.part = 0;
                self.until = Some(self.number * self.job.period);
                self.next(view)
            }
        }
    }
}

impl Case {
    fn description(&self) -> Description {
        let mut made = Description::EMPTY;
        made.cpus = self.cpus as u8;
        made.pool_count = 1;
        made.pools[0] = vm::Pool {
            cpus: (1 << self.cpus) - 1,
            policy: self.policy,
        };
        made.partition_count = self.jobs.len() as u8;
        made.vcpu_count = self.jobs.len() as u8;
        for (index, job) in self.jobs.iter().enumerate() {
            let bytes = 0x20_0000;
            let partition = &mut made.partitions[index];
            *partition = vm::Partition {
                first_vcpu: index as u8,
                vcpus: 1,
                weight: job.weight,
                memory: layout::PARTITIONS + index as u64 * bytes,
                bytes,
                entry: layout::MEMORY,
                ..vm::Partition::EMPTY
            };
            partition.name[..2].copy_from_slice(&[b'p', b'0' + index as u8]);
            made.vcpus[index] = vm::VcpuRecord {
                partition: index as u8,
                hard: job.hard,
                soft: job.hard,
                server: job.server,
            };
        }
        made.check().expect("a good description");
        made
    }

    fn workload(&self) -> Workload {
        let ns = Duration::from_nanos;
        let policy = match self.policy {
            vm::Policy::Credit {
                slice,
                ratelimit,
                balance,
                ..
            } => VcpuPolicy::Credit {
                slice: Some(ns(slice)),
                ratelimit: Some(ns(ratelimit)),
                balance,
            },
            vm::Policy::Credit2 { ratelimit, balance } => VcpuPolicy::Credit2 {
                ratelimit: Some(ns(ratelimit)),
                queue_cpus: Some(if balance { 1 } else { 4 }),
                balance,
            },
            vm::Policy::Rtds => VcpuPolicy::Rtds,
            vm::Policy::Sedf => VcpuPolicy::Sedf,
            vm::Policy::Null => VcpuPolicy::Null,
            vm::Policy::Arinc653 {
                frame,
                count,
                windows,
            } => VcpuPolicy::Arinc653 {
                frame: ns(frame),
                windows: windows[..usize::from(count)]
                    .iter()
                    .map(|window| Window {
                        partition: format!("p{}", window.vcpu),
                        vcpu: 0,
                        runtime: ns(window.length),
                    })
                    .collect(),
            },
        };
        let servers = matches!(self.policy, vm::Policy::Rtds | vm::Policy::Sedf);
        let partitions = self.jobs.iter().enumerate().map(|(index, job)| {
            let step = |(part, span): (usize, &u64)| match part % 2 {
                0 => Step::Run(Execution::Fixed(ns(*span))),
                _ => Step::Suspend(Execution::Fixed(ns(*span))),
            };
            let task = Task {
                body: job.body.iter().enumerate().map(step).collect(),
                ..Task::periodic("job", ns(1), ns(job.period))
            };
            let vcpu = VcpuSpec {
                period: servers.then_some(ns(job.server.period)),
                budget: servers.then_some(ns(job.server.budget)),
                extra_time: servers.then_some(job.server.extra),
                hard_affinity: Some(CpuSet::from_bits(job.hard)),
                soft_affinity: None,
            };
            Partition {
                name: format!("p{index}"),
                pool: None,
                vcpus: vec![vcpu],
                weight: (!servers).then_some(job.weight),
                cap: None,
                policy: Policy::Priority,
                tasks: vec![task],
                locks: Vec::new(),
                servers: Vec::new(),
            }
        });
        Workload {
            pools: vec![Pool {
                name: "pool".to_owned(),
                cpus: CpuSet::first(self.cpus),
                policy,
                xen45: false,
            }],
            partitions: partitions.collect(),
            ..Workload::default()
        }
    }

    fn simulated(&self, horizon: u64) -> Vec<Switch> {
        let machine = Machine {
            timer_slop: Duration::ZERO,
            host: Costs {
                ipi: Cost::Constant(Duration::from_nanos(CALL)),
                ..Costs::FREE
            },
            ..Machine::free(Duration::from_nanos(horizon))
        };
        let workload = self.workload();
        let mut guests = vec![(); workload.partitions.len()];
        let mut seen = Seen::default();
        run(&workload, &machine, &mut guests, &mut seen).expect("a run");
        seen.0
    }

    fn run_by_hypervisor(&self, horizon: u64) -> Vec<Switch> {
        let guests = self.jobs.iter().map(Program::of).collect();
        let costs = machine_el2::Costs {
            exit: 0,
            call: CALL,
        };
        let mut rig = Rig::new(&self.description(), guests, costs);
        rig.run(horizon);
        rig.shown()
    }

    /// Runs both. Says how many switches there were.
    fn agree(&self, horizon: u64) -> usize {
        let (simulated, run) = (self.simulated(horizon), self.run_by_hypervisor(horizon));
        let apart = if self.cpus == 1 { 0 } else { APART };
        for cpu in 0..self.cpus {
            let of = |all: &[Switch]| -> Vec<Switch> {
                all.iter().copied().filter(|one| one.1 == cpu).collect()
            };
            let (simulated, run) = (of(&simulated), of(&run));
            let same = |a: &Switch, b: &Switch| a.2 == b.2 && a.0.abs_diff(b.0) <= apart;
            let differ = simulated.iter().zip(&run).position(|(a, b)| !same(a, b));
            let at = differ.unwrap_or(simulated.len().min(run.len()));
            let part = |all: &[Switch]| all[at.saturating_sub(4)..(at + 3).min(all.len())].to_vec();
            assert!(
                differ.is_none() && simulated.len() == run.len(),
                "switch {at} of processor {cpu}: simulated {:?}, by the hypervisor {:?}\n{self:?}",
                part(&simulated),
                part(&run)
            );
        }
        run.len()
    }
}

/// Switch: its time, its processor, the partition that runs from then on.
type Switch = (u64, usize, Option<usize>);

/// Switches of the simulator's processors, each with its time.
#[derive(Default)]
struct Seen(Vec<Switch>);

impl HostObserver for Seen {
    fn run(&mut self, at: Instant, cpu: Cpu, vcpu: Option<(usize, usize)>, _: Duration) {
        let vcpu = vcpu.map(|(partition, _)| partition);
        self.0.push((at.as_nanos(), cpu.index(), vcpu));
    }
}

/// Random numbers at places of their own.
struct Draws(Stream, u64);

impl Draws {
    fn between(&mut self, low: u64, high: u64) -> u64 {
        self.1 += 1;
        low + self.0.below_or_at(self.1, high - low)
    }
}

fn job(draws: &mut Draws, cpus: usize) -> Job {
    let period = draws.between(2 * MS, 40 * MS);
    let body = match draws.between(0, 5) {
        // It never has enough.
        0 => vec![2 * period],
        1 => vec![
            draws.between(1_000, period / 8),
            draws.between(1_000, period / 2),
            draws.between(1_000, period / 8),
        ],
        _ => vec![draws.between(10_000, period / 3)],
    };
    let server = draws.between(MS, 20 * MS);
    let hard = match draws.between(0, 3) {
        0 => 1 << draws.between(0, cpus as u64 - 1),
        _ => (1 << cpus) - 1,
    };
    Job {
        period,
        body,
        weight: draws.between(64, 1024) as u32,
        server: vm::Server {
            period: server,
            budget: draws.between(server / 10, server / 2),
            extra: draws.between(0, 1) == 1,
            weight: 0,
        },
        hard,
    }
}

fn case(policy: vm::Policy, cpus: usize, seed: u64) -> Case {
    let mut draws = Draws(Stream::new(seed, 5), 0);
    let count = draws.between(1, 7);
    let jobs = (0..count).map(|_| job(&mut draws, cpus)).collect();
    Case { policy, cpus, jobs }
}

const CREDIT: vm::Policy = vm::Policy::Credit {
    slice: 30 * MS,
    ratelimit: MS,
    migration_delay: 0,
    balance: true,
};
const CREDIT2: vm::Policy = vm::Policy::Credit2 {
    ratelimit: MS,
    balance: true,
};

/// Many random partitions: how many cases, and for how long each.
fn all_agree(policy: vm::Policy, cpus: usize) {
    let mut switches = 0;
    for seed in 0..60 {
        switches += case(policy, cpus, seed).agree(500 * MS);
    }
    assert!(switches > 1_000, "{switches} switches");
}

#[test]
fn rtds_agrees_on_one_processor() {
    all_agree(vm::Policy::Rtds, 1);
}

#[test]
fn rtds_agrees_on_several_processors() {
    all_agree(vm::Policy::Rtds, 2);
    all_agree(vm::Policy::Rtds, 4);
}

#[test]
fn sedf_agrees_on_one_processor() {
    all_agree(vm::Policy::Sedf, 1);
}

#[test]
fn sedf_agrees_on_several_processors() {
    all_agree(vm::Policy::Sedf, 3);
}

#[test]
fn credit_agrees_on_one_processor() {
    all_agree(CREDIT, 1);
}

#[test]
fn credit_agrees_on_several_processors() {
    all_agree(CREDIT, 2);
    let alone = vm::Policy::Credit {
        slice: 5 * MS,
        ratelimit: MS / 2,
        migration_delay: 0,
        balance: false,
    };
    all_agree(alone, 4);
}

#[test]
fn credit2_agrees_on_one_processor() {
    all_agree(CREDIT2, 1);
}

#[test]
fn credit2_agrees_on_several_processors() {
    all_agree(CREDIT2, 2);
    let shared = vm::Policy::Credit2 {
        ratelimit: MS,
        balance: false,
    };
    all_agree(shared, 3);
}

#[test]
fn null_agrees() {
    all_agree(vm::Policy::Null, 1);
    all_agree(vm::Policy::Null, 4);
}

#[test]
fn arinc653_agrees() {
    let mut switches = 0;
    for seed in 0..60 {
        let mut case = case(vm::Policy::Null, 1, seed);
        let mut draws = Draws(Stream::new(seed, 6), 0);
        let mut windows = [vm::Window::EMPTY; 16];
        let count = draws.between(1, 6) as usize;
        for window in &mut windows[..count] {
            *window = vm::Window {
                vcpu: draws.between(0, case.jobs.len() as u64 - 1) as u8,
                length: draws.between(100_000, 5 * MS),
            };
        }
        let sum: u64 = windows.iter().map(|window| window.length).sum();
        case.policy = vm::Policy::Arinc653 {
            frame: sum + draws.between(0, 3 * MS),
            count: count as u8,
            windows,
        };
        switches += case.agree(500 * MS);
    }
    assert!(switches > 1_000, "{switches} switches");
}
