//! Owns: a world in virtual time for the tests of servers: it makes the calls at the requested
//! times, lets threads work for as long as their jobs take, and keeps a log of which thread ran
//! when.

mod exact;
mod random;
mod statuses;

use crate::Effects;
use crate::System;
use taktos_schedule::smp::{Instance, InstanceConfig, PolicyKind, Priority, Reasons, Thread};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

fn ns(span: u64) -> Duration {
    Duration::from_nanos(span)
}

/// The requests of the scheduler.
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

/// Work of a thread, which blocks when it is done.
#[derive(Clone, Copy, Debug)]
struct Job {
    thread: Thread,
    /// The CPU time of the thread at which it is done.
    until: Duration,
}

struct World {
    system: System,
    timers: Timers,
    cpus: CpuSet,
    now: Instant,
    /// At most one for each thread.
    jobs: Vec<Job>,
    /// The threads that have finished a job, and when.
    done: Vec<(Thread, Instant)>,
}

impl World {
    fn new(threads: usize, cpus: usize, policy: PolicyKind) -> Self {
        let cpus = CpuSet::first(cpus);
        let name = *b"EDF ";
        let configs = [InstanceConfig { name, policy, cpus }];
        Self {
            system: System::new(threads, 0, cpus, &configs).unwrap(),
            timers: Timers::default(),
            cpus,
            now: Instant::START,
            jobs: Vec::new(),
            done: Vec::new(),
        }
    }

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

    /// Continues to `end`, where everything that is due has happened.
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

    /// Checks the system's invariants; and that no thread owes anything, as the timers are exact.
    fn check(&self) {
        if let Err(violation) = self.system.check_invariants() {
            panic!("{violation}");
        }
        for id in 0..self.system.idle_from {
            if let Some(server) = &self.system.threads[id].server {
                let used = self.system.cpu_time(crate::thread(id), self.now).unwrap();
                assert!(used <= server.limit, "thread {id} owes");
            }
        }
    }

    /// Returns the time that `thread` has used, in nanoseconds.
    fn used(&self, thread: Thread) -> u64 {
        self.system.cpu_time(thread, self.now).unwrap().as_nanos()
    }

    /// Returns the rest of its budget, and its deadline.
    fn state(&self, thread: Thread) -> (u64, u64) {
        let (left, deadline) = self.system.server(thread, self.now).unwrap();
        (left.as_nanos(), deadline.as_nanos())
    }
}
