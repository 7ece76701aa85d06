//! A world that dispatches, for the tests of the oracle.
#![allow(dead_code, reason = "each test uses some of it")]

#[path = "../../../common/words.rs"]
mod words;

use taktos_schedule::{
    Cpu, CpuSet,
    smp::{Error, Instance, InstanceConfig, PolicyKind, Priority, Reasons, Thread, Violation},
};
use taktos_schedule_oracle::{Dispatch, System};
use taktos_time::Instant;
pub use words::*;

pub fn one(policy: PolicyKind, cpus: usize) -> InstanceConfig {
    InstanceConfig {
        name: *b"MAIN",
        policy,
        cpus: CpuSet::first(cpus),
    }
}

/// A system and its world: after each call, flagged processors are dispatched until none is
/// flagged.
pub struct World {
    pub system: System,
    pub flags: Flags,
    pub now: Instant,
    /// The checks after every call.
    pub laws: fn(&System) -> Result<(), Violation>,
}

/// The first instance.
pub const MAIN: Instance = match Instance::new(0) {
    Some(instance) => instance,
    None => unreachable!(),
};

impl World {
    /// Creates a system with room for `threads` threads in addition to the idle ones.
    pub fn new(threads: usize, online: CpuSet, instances: &[InstanceConfig]) -> Self {
        Self {
            system: System::new(threads, LOCKS, online, instances).unwrap(),
            flags: Flags::default(),
            now: Instant::START,
            laws: |system| system.check_invariants(),
        }
    }

    /// One call, not yet carried out.
    pub fn call<T>(
        &mut self,
        call: impl FnOnce(&mut System, Instant, &mut Flags) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let result = call(&mut self.system, self.now, &mut self.flags);
        self.check();
        result
    }

    /// One call, carried out.
    pub fn act<T>(
        &mut self,
        call: impl FnOnce(&mut System, Instant, &mut Flags) -> Result<T, Error>,
    ) -> T {
        let value = self.call(call).unwrap();
        self.settle();
        value
    }

    pub fn check(&self) {
        if let Err(violation) = (self.laws)(&self.system) {
            panic!("{violation}");
        }
    }

    /// Dispatches the flagged processors, lowest first, until every processor executes its heir.
    pub fn settle(&mut self) {
        for round in 0.. {
            assert!(round < 10_000, "the processors never settle");
            let Some(cpu) = self.flags.0.lowest() else {
                break;
            };
            let _ = self.dispatch(cpu);
        }
        for cpu in (0..Cpu::COUNT).filter_map(Cpu::new) {
            assert_eq!(self.system.heir(cpu), self.system.executing(cpu));
        }
    }

    pub fn dispatch(&mut self, cpu: Cpu) -> Dispatch {
        self.flags.0 = self.flags.0.without(cpu);
        let dispatch = self
            .system
            .dispatch(cpu, self.now, &mut self.flags)
            .unwrap();
        self.check();
        dispatch
    }

    /// A started thread.
    pub fn thread(&mut self, home: Instance, priority: u32, affinity: Option<CpuSet>) -> Thread {
        let thread = self
            .system
            .create(home, Priority(priority), affinity)
            .unwrap();
        self.act(|system, now, fx| system.start(thread, now, fx));
        thread
    }

    pub fn block(&mut self, thread: Thread) {
        self.act(|system, now, fx| system.block(thread, Reasons::WAIT, now, fx));
    }

    pub fn unblock(&mut self, thread: Thread) {
        self.act(|system, now, fx| system.unblock(thread, Reasons::WAIT, now, fx));
    }

    /// The threads that execute on the first processors; idle threads as none.
    pub fn running(&self, cpus: usize) -> Vec<Option<Thread>> {
        (0..cpus)
            .map(|index| {
                self.system
                    .executing(cpu(index))
                    .filter(|&thread| !self.system.is_idle(thread))
            })
            .collect()
    }

    pub fn ready(&self, instance: Instance) -> Vec<Thread> {
        let mut threads = Vec::new();
        self.system
            .for_each_ready(instance, |thread| threads.push(thread));
        threads
    }
}
