//! Owns: a world in virtual time for the tests of servers: it calls when it was asked to, lets threads work for as long as
//! their jobs take, and keeps a log of who ran when.

extern crate std;

mod exact;
mod random;
mod statuses;

use crate::{
    Cpu, CpuSet,
    smp::{
        Effects, Instance, InstanceConfig, InstanceRecord, Memory, NodeRecord, PolicyKind,
        Priority, ProcessorRecord, Reasons, ServerRecord, System, Thread, ThreadRecord,
    },
};
use std::vec::Vec;
use taktos_time::{Duration, Instant};

fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

fn ns(span: u64) -> Duration {
    Duration::from_nanos(span)
}

/// What the scheduler has asked for.
#[derive(Default)]
struct Timers {
    armed: [Option<Instant>; 8],
}

impl Effects for Timers {
    fn preempt(&mut self, _: Cpu) {}

    fn arm(&mut self, cpu: Cpu, at: Option<Instant>) {
        self.armed[cpu.index()] = at;
    }
}

struct Tables {
    threads: Vec<ThreadRecord>,
    nodes: Vec<NodeRecord>,
    instances: Vec<InstanceRecord>,
    processors: Vec<ProcessorRecord>,
    servers: Vec<ServerRecord>,
}

impl Tables {
    fn new(threads: usize, cpus: usize) -> Self {
        let rows = threads + cpus;
        Self {
            threads: std::vec![ThreadRecord::EMPTY; rows],
            nodes: std::vec![NodeRecord::EMPTY; rows],
            instances: std::vec![InstanceRecord::EMPTY; 1],
            processors: std::vec![ProcessorRecord::EMPTY; cpus],
            servers: std::vec![ServerRecord::EMPTY; rows],
        }
    }

    fn world(&mut self, policy: PolicyKind) -> World<'_> {
        let cpus = CpuSet::first(self.processors.len());
        let name = *b"EDF ";
        let memory = Memory {
            threads: &mut self.threads,
            nodes: &mut self.nodes,
            instances: &mut self.instances,
            processors: &mut self.processors,
            servers: &mut self.servers,
            ..Memory::default()
        };
        World {
            system: System::new(memory, cpus, &[InstanceConfig { name, policy, cpus }]).unwrap(),
            timers: Timers::default(),
            cpus,
            now: Instant::START,
            jobs: Vec::new(),
            done: Vec::new(),
        }
    }
}

/// Work of a thread, which blocks when it is done.
#[derive(Clone, Copy, Debug)]
struct Job {
    thread: Thread,
    /// The CPU time of the thread at which it is done.
    until: Duration,
}

struct World<'a> {
    system: System<'a>,
    timers: Timers,
    cpus: CpuSet,
    now: Instant,
    /// At most one for each thread.
    jobs: Vec<Job>,
    /// Who has finished a job, and when.
    done: Vec<(Thread, Instant)>,
}

impl World<'_> {
    fn thread(&mut self, affinity: Option<CpuSet>) -> Thread {
        let home = Instance::new(0).unwrap();
        let thread = self.system.create(home, Priority(1), affinity).unwrap();
        self.system
            .start(thread, self.now, &mut self.timers)
            .unwrap();
        self.system
            .block(thread, Reasons::WAIT, self.now, &mut self.timers)
            .unwrap();
        thread
    }

    fn server(&mut self, budget: u64, period: u64, hard: bool) -> Thread {
        let thread = self.thread(None);
        let (budget, period) = (ns(budget), ns(period));
        if hard {
            self.system.set_hard_server(thread, budget, period).unwrap();
        } else {
            self.system.set_server(thread, budget, period).unwrap();
        }
        thread
    }

    /// Work for `thread`, now: more of the job that it has, or a new one.
    fn work(&mut self, thread: Thread, length: u64) {
        if let Some(job) = self.jobs.iter_mut().find(|job| job.thread == thread) {
            job.until = job.until.saturating_add(ns(length));
            return;
        }
        let used = self.system.cpu_time(thread, self.now).unwrap();
        let until = used.saturating_add(ns(length));
        self.jobs.push(Job { thread, until });
        self.system
            .unblock(thread, Reasons::WAIT, self.now, &mut self.timers)
            .unwrap();
    }

    /// When each job that has a processor will be done.
    fn completions(&self) -> impl Iterator<Item = (Thread, Instant)> {
        self.jobs.iter().filter_map(|job| {
            self.system.processor_of(job.thread)?;
            let used = self.system.cpu_time(job.thread, self.now).ok()?;
            let left = job.until.saturating_sub(used);
            Some((job.thread, self.now.saturating_add(left)))
        })
    }

    /// The next time at which something happens by itself.
    fn next(&self) -> Option<Instant> {
        let timers = self.timers.armed.iter().flatten().copied();
        timers.chain(self.completions().map(|(_, at)| at)).min()
    }

    /// One thing that happens now: ends of jobs, then timers. Whether there was one.
    fn happen(&mut self) -> bool {
        let now = self.now;
        let done = self.completions().find(|&(_, at)| at == now);
        if let Some((thread, at)) = done {
            self.jobs.retain(|job| job.thread != thread);
            self.done.push((thread, at));
            self.system
                .block(thread, Reasons::WAIT, now, &mut self.timers)
                .unwrap();
            return true;
        }
        let armed = self.timers.armed;
        let due = self
            .cpus
            .into_iter()
            .find(|cpu| armed[cpu.index()] == Some(now));
        if let Some(cpu) = due {
            self.timers.armed[cpu.index()] = None;
            self.system.expire(cpu, now, &mut self.timers).unwrap();
        }
        due.is_some()
    }

    /// Goes on to `end`, where everything that is due has happened.
    fn run_until(&mut self, end: Instant) {
        loop {
            while self.happen() {
                self.check();
            }
            match self.next() {
                Some(next) if next <= end => {
                    assert!(next > self.now, "time stands still");
                    self.now = next;
                }
                _ => break,
            }
        }
        self.now = end;
    }

    /// The system's laws; and that nobody owes anything, as the timers are exact.
    fn check(&self) {
        if let Err(violation) = self.system.check_invariants() {
            panic!("{violation}");
        }
        for id in 0..self.system.idle_from {
            if self.system.serves(id) {
                let used = self.system.cpu_time(Thread(id), self.now).unwrap();
                assert!(
                    used <= self.system.servers[id as usize].limit,
                    "thread {id} owes"
                );
            }
        }
    }

    /// What `thread` has used, in nanoseconds.
    fn used(&self, thread: Thread) -> u64 {
        self.system.cpu_time(thread, self.now).unwrap().as_nanos()
    }

    /// What is left of its budget, and its deadline.
    fn state(&self, thread: Thread) -> (u64, u64) {
        let (left, deadline) = self.system.server(thread, self.now).unwrap();
        (left.as_nanos(), deadline.as_nanos())
    }
}
