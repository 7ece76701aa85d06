//! First delivery: the public face. Bodies follow.
#![allow(unused_variables, dead_code, clippy::todo, missing_docs)]
use super::{
    Dispatch, Effects, Error, Instance, InstanceConfig, Memory, Priority, Reasons, Thread,
    contribution::Contribution,
    order::{Level, Order},
};
use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

/// All threads, instances and processors.
#[derive(Debug)]
pub struct System<'a> {
    memory: Memory<'a>,
}

/// A broken law (for tests and the simulator).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The law.
    pub law: &'static str,
    /// Who breaks it.
    pub thread: Option<Thread>,
    /// Where.
    pub instance: Option<Instance>,
    /// On which processor.
    pub cpu: Option<Cpu>,
}

impl<'a> System<'a> {
    pub fn new(
        memory: Memory<'a>,
        online: CpuSet,
        instances: &[InstanceConfig],
    ) -> Result<Self, Error> {
        todo!()
    }
    pub fn act_on(&mut self, cpu: Cpu) {
        todo!()
    }
    pub fn create(
        &mut self,
        home: Instance,
        priority: Priority,
        affinity: Option<CpuSet>,
    ) -> Result<Thread, Error> {
        todo!()
    }
    pub fn start(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn restart(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn delete(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn block(
        &mut self,
        thread: Thread,
        reasons: Reasons,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn unblock(
        &mut self,
        thread: Thread,
        reasons: Reasons,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn suspend(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn resume(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn yield_now(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn set_priority(
        &mut self,
        thread: Thread,
        priority: Priority,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Priority, Error> {
        todo!()
    }
    pub fn release_job(
        &mut self,
        thread: Thread,
        deadline: Instant,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn cancel_job(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn set_affinity(
        &mut self,
        thread: Thread,
        cpus: CpuSet,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn affinity(&self, thread: Thread) -> Result<CpuSet, Error> {
        todo!()
    }
    pub fn pin(&mut self, thread: Thread) -> Result<(), Error> {
        todo!()
    }
    pub fn unpin(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn set_scheduler(
        &mut self,
        thread: Thread,
        instance: Instance,
        priority: Priority,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn scheduler(&self, thread: Thread) -> Result<Instance, Error> {
        todo!()
    }
    pub fn add_processor(
        &mut self,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn remove_processor(
        &mut self,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn set_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn identify(&self, name: [u8; 4]) -> Result<Instance, Error> {
        todo!()
    }
    pub fn instance_of_cpu(&self, cpu: Cpu) -> Result<Instance, Error> {
        todo!()
    }
    pub fn instance_of_set(&self, cpus: CpuSet) -> Result<Instance, Error> {
        todo!()
    }
    pub fn processors(&self, instance: Instance) -> Result<CpuSet, Error> {
        todo!()
    }
    pub fn dispatch(
        &mut self,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Dispatch, Error> {
        todo!()
    }
    pub fn expire(
        &mut self,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn heir(&self, cpu: Cpu) -> Option<Thread> {
        todo!()
    }
    pub fn executing(&self, cpu: Cpu) -> Option<Thread> {
        todo!()
    }
    pub fn is_idle(&self, thread: Thread) -> bool {
        todo!()
    }
    pub fn reasons(&self, thread: Thread) -> Result<Reasons, Error> {
        todo!()
    }
    pub fn processor_of(&self, thread: Thread) -> Option<Cpu> {
        todo!()
    }
    pub fn priority(&self, thread: Thread) -> Result<Priority, Error> {
        todo!()
    }
    pub fn priority_in(&self, thread: Thread, instance: Instance) -> Result<Priority, Error> {
        todo!()
    }
    pub fn cpu_time(&self, thread: Thread, now: Instant) -> Result<Duration, Error> {
        todo!()
    }
    pub fn for_each_ready(&self, instance: Instance, visit: impl FnMut(Thread)) {
        todo!()
    }
    pub fn for_each_scheduled(&self, instance: Instance, visit: impl FnMut(Thread, Cpu)) {
        todo!()
    }
    pub fn check_invariants(&self) -> Result<(), Violation> {
        todo!()
    }
    pub(crate) fn level(&self, instance: Instance, priority: Priority) -> Level {
        todo!()
    }
    pub(crate) fn contribute(
        &mut self,
        thread: Thread,
        instance: Instance,
        source: Contribution,
        level: Level,
    ) -> Result<(), Error> {
        todo!()
    }
    pub(crate) fn retract(&mut self, thread: Thread, instance: Instance, source: Contribution) {
        todo!()
    }
    pub(crate) fn update_priority(
        &mut self,
        thread: Thread,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        todo!()
    }
    pub(crate) fn add_helping(&mut self, thread: Thread, instance: Instance) {
        todo!()
    }
    pub(crate) fn remove_helping(
        &mut self,
        thread: Thread,
        instance: Instance,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        todo!()
    }
    pub(crate) fn make_sticky(
        &mut self,
        thread: Thread,
        instance: Instance,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        todo!()
    }
    pub(crate) fn clean_sticky(
        &mut self,
        thread: Thread,
        instance: Instance,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        todo!()
    }
    pub(crate) fn request_help(&mut self, thread: Thread, effects: &mut impl Effects) {
        todo!()
    }
}
