//! What the tests of threads on several processors share: tables in vectors, and a world that dispatches.
#![allow(dead_code, reason = "each test uses some of it")]

use std::{vec, vec::Vec};
use taktos_schedule::{
    Cpu, CpuSet,
    smp::{
        ContributionRecord, Dispatch, Effects, EndsRecord, Error, Instance, InstanceConfig,
        InstanceRecord, LineRecord, LockMemory, LockRecord, Memory, NodeRecord, PlaceRecord,
        PolicyKind, Priority, ProcessorRecord, Reasons, ServerRecord, SideRecord, System, Thread,
        ThreadRecord, Violation, WaitRecord,
    },
};
use taktos_time::Instant;

/// How many locks there can be.
pub const LOCKS: usize = 6;

/// The tables of a system.
#[derive(Default)]
pub struct Tables {
    pub threads: Vec<ThreadRecord>,
    pub nodes: Vec<NodeRecord>,
    pub instances: Vec<InstanceRecord>,
    pub processors: Vec<ProcessorRecord>,
    contributions: Vec<ContributionRecord>,
    locks: Vec<LockRecord>,
    ends: Vec<EndsRecord>,
    lines: Vec<LineRecord>,
    sides: Vec<SideRecord>,
    places: Vec<PlaceRecord>,
    waits: Vec<WaitRecord>,
    servers: Vec<ServerRecord>,
}

impl Tables {
    /// For so many threads beside the idle ones.
    pub fn new(threads: usize, online: CpuSet, instances: usize) -> Self {
        let rows = threads + online.count();
        Self {
            threads: vec![ThreadRecord::default(); rows],
            nodes: vec![NodeRecord::default(); rows * instances],
            instances: vec![InstanceRecord::default(); instances],
            processors: vec![ProcessorRecord::default(); Cpu::COUNT],
            contributions: vec![ContributionRecord::default(); LOCKS * instances + rows],
            locks: vec![LockRecord::default(); LOCKS],
            ends: vec![EndsRecord::default(); LOCKS],
            lines: vec![LineRecord::default(); LOCKS * instances],
            sides: vec![SideRecord::default(); LOCKS * instances],
            places: vec![PlaceRecord::default(); rows * instances],
            waits: vec![WaitRecord::default(); rows],
            servers: vec![ServerRecord::default(); rows],
        }
    }

    pub fn memory(&mut self) -> Memory<'_> {
        Memory {
            threads: &mut self.threads,
            nodes: &mut self.nodes,
            instances: &mut self.instances,
            processors: &mut self.processors,
            contributions: &mut self.contributions,
            locks: LockMemory {
                locks: &mut self.locks,
                ends: &mut self.ends,
                lines: &mut self.lines,
                sides: &mut self.sides,
                places: &mut self.places,
                waits: &mut self.waits,
            },
            servers: &mut self.servers,
        }
    }
}

/// Remembers which processors want to be dispatched, and when timers shall fire.
pub struct Flags(pub CpuSet, pub [Option<Instant>; Cpu::COUNT]);

impl Default for Flags {
    fn default() -> Self {
        Self(CpuSet::EMPTY, [None; Cpu::COUNT])
    }
}

impl Effects for Flags {
    fn preempt(&mut self, cpu: Cpu) {
        self.0 = self.0.with(cpu);
    }
    fn arm(&mut self, cpu: Cpu, at: Option<Instant>) {
        self.1[cpu.index()] = at;
    }
}

pub fn cpu(index: usize) -> Cpu {
    Cpu::new(index).unwrap()
}

pub fn set<const N: usize>(indices: [usize; N]) -> CpuSet {
    indices.into_iter().map(cpu).collect()
}

pub fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

pub fn one(policy: PolicyKind, cpus: usize) -> InstanceConfig {
    InstanceConfig {
        name: *b"MAIN",
        policy,
        cpus: CpuSet::first(cpus),
    }
}

/// A system and its world: after each call, whoever is flagged is dispatched until nobody is.
pub struct World<'a> {
    pub system: System<'a>,
    pub flags: Flags,
    pub now: Instant,
    /// What is checked after every call.
    pub laws: fn(&System<'_>) -> Result<(), Violation>,
}

/// The first instance.
pub const MAIN: Instance = match Instance::new(0) {
    Some(instance) => instance,
    None => unreachable!(),
};

impl<'a> World<'a> {
    pub fn new(tables: &'a mut Tables, online: CpuSet, instances: &[InstanceConfig]) -> Self {
        Self {
            system: System::new(tables.memory(), online, instances).unwrap(),
            flags: Flags::default(),
            now: Instant::START,
            laws: |system| system.check_invariants(),
        }
    }

    /// One call, not yet carried out.
    pub fn call<T>(
        &mut self,
        call: impl FnOnce(&mut System<'a>, Instant, &mut Flags) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let result = call(&mut self.system, self.now, &mut self.flags);
        self.check();
        result
    }

    /// One call, carried out.
    pub fn act<T>(
        &mut self,
        call: impl FnOnce(&mut System<'a>, Instant, &mut Flags) -> Result<T, Error>,
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

    /// Dispatches whoever is flagged, lowest first, until every processor executes its heir.
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

    /// Who executes on the first processors; idle threads as none.
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
