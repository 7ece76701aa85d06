//! A world in which every processor dispatches at once, and all invariants are checked after every
//! event.

use taktos_schedule::smp::{
    Error, Instance, InstanceConfig, Lock, Obtained, Outcome, PolicyKind, Priority, Protocol,
    Reasons, Thread,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_schedule_oracle::System;
use taktos_schedule_oracle::{Dispatch, Effects};
use taktos_time::Instant;

/// Notes which processors are to dispatch.
#[derive(Default)]
pub struct Due(CpuSet);

impl Effects for Due {
    fn preempt(&mut self, cpu: Cpu) {
        self.0 = self.0.with(cpu);
    }
    fn arm(&mut self, _: Cpu, _: Option<Instant>) {}
}

/// A cluster: its policy and how many processors it has.
pub type Cluster = (PolicyKind, usize);

/// A system and what the tests need around it.
pub struct World {
    pub system: System,
    pub now: Instant,
    pub cpus: usize,
    /// Whether processors dispatch after every call.
    pub eager: bool,
    /// Whether the invariants are checked between dispatches too.
    pub thorough: bool,
    due: Due,
}

pub const THREADS: usize = 24;
pub const LOCKS: usize = 8;

impl World {
    /// Clusters A, B, …, with consecutive processors.
    pub fn new(clusters: &[Cluster]) -> Self {
        let mut configs = Vec::new();
        let mut cpus = 0;
        for (at, (policy, count)) in clusters.iter().enumerate() {
            configs.push(InstanceConfig {
                name: [b'A' + at as u8, b' ', b' ', b' '],
                policy: *policy,
                cpus: CpuSet::first(cpus + count).minus(CpuSet::first(cpus)),
            });
            cpus += count;
        }
        let system = System::new(THREADS, LOCKS, CpuSet::first(cpus), &configs).unwrap();
        let mut world = Self {
            system,
            now: Instant::START,
            cpus,
            eager: true,
            thorough: true,
            due: Due::default(),
        };
        world.settle();
        world
    }

    /// `count` clusters of one processor each, by priority.
    pub fn partitioned(count: usize) -> Self {
        Self::new(&vec![(PolicyKind::Priority, 1); count])
    }

    /// Does `call` as the acting thread's processor would, dispatches and checks all invariants.
    #[track_caller]
    pub fn act<T>(&mut self, call: impl FnOnce(&mut System, Instant, &mut Due) -> T) -> T {
        let answer = call(&mut self.system, self.now, &mut self.due);
        self.check();
        if self.eager {
            self.settle();
        }
        answer
    }

    #[track_caller]
    pub fn check(&self) {
        if let Err(violation) = self.system.check_invariants() {
            panic!("{violation:?}");
        }
    }

    /// Dispatches the processors with a request, and no others, until none has one.
    #[track_caller]
    pub fn settle(&mut self) {
        for _ in 0..1_000 {
            let Some(cpu) = self.due.0.lowest() else {
                return self.check_settled();
            };
            self.due.0 = self.due.0.without(cpu);
            let answer = self.system.dispatch(cpu, self.now, &mut self.due).unwrap();
            if let Dispatch::Run(thread) = answer {
                assert_eq!(self.system.executing(cpu), Some(thread));
            }
            if self.thorough {
                self.check();
            }
        }
        panic!("the processors never come to rest");
    }

    #[track_caller]
    fn check_settled(&self) {
        self.check();
        for cpu in CpuSet::first(self.cpus) {
            assert_eq!(self.system.executing(cpu), self.system.heir(cpu));
        }
    }

    /// A thread that is ready.
    #[track_caller]
    pub fn thread(&mut self, cluster: usize, priority: u32) -> Thread {
        let home = Instance::new(cluster).unwrap();
        let thread = self.system.create(home, Priority(priority), None).unwrap();
        self.act(|system, now, due| system.start(thread, now, due))
            .unwrap();
        thread
    }

    #[track_caller]
    pub fn lock(&mut self, protocol: Protocol, creator: Thread, ceiling: u32) -> Lock {
        let ceiling = Some(Priority(ceiling));
        self.act(|system, now, due| system.create_lock(protocol, creator, ceiling, false, now, due))
            .unwrap()
    }

    /// A lock of MrsP with a ceiling for each cluster; `creator` is of the first.
    #[track_caller]
    pub fn mrsp(&mut self, creator: Thread, ceilings: &[u32]) -> Lock {
        let lock = self.lock(Protocol::MrsP, creator, ceilings[0]);
        for (cluster, ceiling) in ceilings.iter().enumerate() {
            self.set_ceiling(lock, cluster, *ceiling).unwrap();
        }
        lock
    }

    #[track_caller]
    pub fn set_ceiling(
        &mut self,
        lock: Lock,
        cluster: usize,
        ceiling: u32,
    ) -> Result<Priority, Error> {
        let instance = Instance::new(cluster).unwrap();
        let ceiling = Priority(ceiling);
        self.act(|system, now, due| system.set_ceiling(lock, instance, ceiling, now, due))
    }

    #[track_caller]
    pub fn obtain(&mut self, lock: Lock, thread: Thread) -> Result<Obtained, Error> {
        self.at(thread);
        self.act(|system, now, due| system.obtain(lock, thread, true, now, due))
    }

    #[track_caller]
    pub fn try_obtain(&mut self, lock: Lock, thread: Thread) -> Result<Obtained, Error> {
        self.at(thread);
        self.act(|system, now, due| system.obtain(lock, thread, false, now, due))
    }

    #[track_caller]
    pub fn surrender(&mut self, lock: Lock, thread: Thread) -> Result<Option<Thread>, Error> {
        self.at(thread);
        self.act(|system, now, due| system.surrender(lock, thread, now, due))
    }

    #[track_caller]
    pub fn time_out(&mut self, thread: Thread) -> Result<(), Error> {
        self.act(|system, now, due| system.time_out(thread, now, due))
    }

    #[track_caller]
    pub fn flush(&mut self, lock: Lock) -> Result<(), Error> {
        self.act(|system, now, due| system.flush(lock, now, due))
    }

    #[track_caller]
    pub fn suspend(&mut self, thread: Thread) {
        self.act(|system, now, due| system.suspend(thread, now, due))
            .unwrap();
    }

    #[track_caller]
    pub fn resume(&mut self, thread: Thread) {
        self.act(|system, now, due| system.resume(thread, now, due))
            .unwrap();
    }

    #[track_caller]
    pub fn sleep(&mut self, thread: Thread) {
        self.act(|system, now, due| system.block(thread, Reasons::TIME, now, due))
            .unwrap();
    }

    #[track_caller]
    pub fn wake(&mut self, thread: Thread) {
        self.act(|system, now, due| system.unblock(thread, Reasons::TIME, now, due))
            .unwrap();
    }

    #[track_caller]
    pub fn set_priority(&mut self, thread: Thread, priority: u32) {
        let priority = Priority(priority);
        self.act(|system, now, due| system.set_priority(thread, priority, now, due))
            .unwrap();
    }

    /// Returns the thread that executes on each processor; none for an idle thread.
    pub fn running(&self) -> Vec<Option<Thread>> {
        let executing = |cpu| {
            let thread = self.system.executing(cpu)?;
            (!self.system.is_idle(thread)).then_some(thread)
        };
        CpuSet::first(self.cpus)
            .into_iter()
            .map(executing)
            .collect()
    }

    /// The processor on which `thread` executes.
    pub fn cpu_of(&self, thread: Thread) -> Option<usize> {
        self.running().iter().position(|one| *one == Some(thread))
    }

    pub fn priority(&self, thread: Thread) -> u32 {
        self.system.priority(thread).unwrap().0
    }

    pub fn priority_in(&self, thread: Thread, cluster: usize) -> u32 {
        let instance = Instance::new(cluster).unwrap();
        self.system.priority_in(thread, instance).unwrap().0
    }

    pub fn outcome(&self, thread: Thread) -> Option<Outcome> {
        self.system.outcome(thread).unwrap()
    }

    pub fn owner(&self, lock: Lock) -> Option<Thread> {
        self.system.owner(lock).unwrap()
    }

    /// Calls come from the processor that executes `thread`.
    fn at(&mut self, thread: Thread) {
        if let Some(cpu) = self.cpu_of(thread).and_then(Cpu::new) {
            self.system.act_on(cpu);
        }
    }
}
