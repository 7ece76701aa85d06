//! What the scheduler alone costs for each job: 20 tasks on 4 processors, each job released with a deadline, run, ended.
//! Prints nanoseconds a job; nothing depends on it.

use std::time::Instant as Clock;
use taktos_schedule::{
    Cpu, CpuSet,
    smp::{
        Effects, Instance, InstanceConfig, InstanceRecord, LockMemory, Memory, NodeRecord,
        PolicyKind, Priority, ProcessorRecord, Reasons, System, Thread, ThreadRecord,
    },
};
use taktos_time::Instant;

const TASKS: usize = 20;
const CPUS: usize = 4;
const JOBS: u64 = 5_000_000;

struct Flags(CpuSet);

impl Effects for Flags {
    #[inline(always)]
    fn preempt(&mut self, cpu: Cpu) {
        self.0 = self.0.with(cpu);
    }
    #[inline(always)]
    fn arm(&mut self, _: Cpu, _: Option<Instant>) {}
}

fn settle(system: &mut System<'_>, now: Instant, flags: &mut Flags) {
    while let Some(cpu) = flags.0.lowest() {
        flags.0 = flags.0.without(cpu);
        let _ = system.dispatch(cpu, now, flags);
    }
}

fn measure(policy: PolicyKind) -> f64 {
    let mut threads = [const { ThreadRecord::EMPTY }; TASKS + CPUS];
    let mut nodes = [const { NodeRecord::EMPTY }; TASKS + CPUS];
    let mut instances = [const { InstanceRecord::EMPTY }; 1];
    let mut processors = [const { ProcessorRecord::EMPTY }; CPUS];
    let memory = Memory {
        threads: &mut threads,
        nodes: &mut nodes,
        instances: &mut instances,
        processors: &mut processors,
        contributions: &mut [],
        locks: LockMemory::default(),
        servers: &mut [],
    };
    let config = [InstanceConfig {
        name: *b"MAIN",
        policy,
        cpus: CpuSet::first(CPUS),
    }];
    let mut system = System::new(memory, CpuSet::first(CPUS), &config).expect("a valid system");
    let home = Instance::new(0).expect("an instance");
    let mut flags = Flags(CpuSet::EMPTY);
    let threads: Vec<Thread> = (0..TASKS)
        .map(|task| {
            let thread = system
                .create(home, Priority(task as u32), None)
                .expect("room for a thread");
            system
                .block(thread, Reasons::PERIOD, Instant::START, &mut flags)
                .expect("a thread");
            system
                .start(thread, Instant::START, &mut flags)
                .expect("a dormant thread");
            thread
        })
        .collect();
    let mut active = [false; TASKS];
    let mut state = 1_u64;
    let mut jobs = 0;
    let begin = Clock::now();
    let mut time = 0;
    while jobs < JOBS {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let pick = (state >> 40) as usize;
        let now = Instant::from_nanos(time);
        time += 10;
        if pick & 1 == 0 {
            let task = (pick >> 1) % TASKS;
            if !active[task] {
                active[task] = true;
                let deadline = Instant::from_nanos(time + (state >> 50));
                let _ = system.release_job(threads[task], deadline, now, &mut flags);
                let _ = system.unblock(threads[task], Reasons::PERIOD, now, &mut flags);
                settle(&mut system, now, &mut flags);
            }
        } else if let Some(cpu) = Cpu::new((pick >> 1) % CPUS)
            && let Some(thread) = system.executing(cpu)
            && !system.is_idle(thread)
        {
            active[thread.index()] = false;
            jobs += 1;
            let _ = system.block(thread, Reasons::PERIOD, now, &mut flags);
            let _ = system.cancel_job(thread, now, &mut flags);
            settle(&mut system, now, &mut flags);
        }
    }
    begin.elapsed().as_nanos() as f64 / JOBS as f64
}

fn main() {
    for policy in [PolicyKind::Edf, PolicyKind::Priority, PolicyKind::Simple] {
        println!("{policy:?}: {:.1} ns a job", measure(policy));
    }
    println!(
        "rows: thread {}, node {}, instance {} bytes",
        size_of::<ThreadRecord>(),
        size_of::<NodeRecord>(),
        size_of::<InstanceRecord>()
    );
}
