//! A naive model of threads on several processors, for the policies without arbitrary affinity:
//! each instance has one line of its ready threads, and the first of them that fit run. Nothing is
//! kept up to date; all is sorted again at each event.

use super::cpu;
use taktos_schedule::{
    Cpu, CpuSet,
    smp::{Error, PolicyKind},
};

pub const BACKGROUND: u64 = 1 << 63;

#[derive(Clone, Debug)]
pub struct ModelThread {
    pub exists: bool,
    pub dormant: bool,
    pub waits: bool,
    pub sleeps: bool,
    pub suspended: bool,
    pub home: usize,
    pub initial: u32,
    pub real: u32,
    pub deadline: Option<u64>,
    pub affinity: CpuSet,
    pub pins: u32,
    pub pinned: Option<Cpu>,
    pub time: u64,
}

pub struct Model {
    pub online: CpuSet,
    pub kinds: Vec<PolicyKind>,
    pub owned: Vec<CpuSet>,
    pub assigned: CpuSet,
    pub threads: Vec<ModelThread>,
    /// For each instance its ready threads, each with its level there.
    pub lines: Vec<Vec<(u64, usize)>>,
}

impl Model {
    pub fn new(online: CpuSet, instances: &[(PolicyKind, CpuSet)]) -> Self {
        Self {
            online,
            kinds: instances.iter().map(|&(kind, _)| kind).collect(),
            owned: instances
                .iter()
                .map(|&(_, cpus)| cpus.and(online))
                .collect(),
            assigned: instances
                .iter()
                .fold(CpuSet::EMPTY, |all, &(_, cpus)| all.or(cpus)),
            threads: Vec::new(),
            lines: vec![Vec::new(); instances.len()],
        }
    }

    pub fn deadlines_count(&self, instance: usize) -> bool {
        self.kinds[instance] == PolicyKind::Edf
    }

    pub fn level(&self, thread: usize) -> u64 {
        let t = &self.threads[thread];
        if self.deadlines_count(t.home) {
            t.deadline.unwrap_or(BACKGROUND + u64::from(t.real))
        } else {
            u64::from(t.real)
        }
    }

    pub fn is_ready(&self, thread: usize) -> bool {
        let t = &self.threads[thread];
        t.exists && !(t.dormant || t.waits || t.sleeps || t.suspended)
    }

    pub fn leave(&mut self, thread: usize) {
        for line in &mut self.lines {
            line.retain(|&(_, other)| other != thread);
        }
    }

    pub fn join(&mut self, thread: usize, behind: bool) {
        let level = self.level(thread);
        let line = &mut self.lines[self.threads[thread].home];
        let place = line
            .iter()
            .position(|&(other, _)| other > level || !behind && other == level);
        line.insert(place.unwrap_or(line.len()), (level, thread));
    }

    /// The reasons of a thread have changed: it joins its line, or leaves it.
    pub fn reasons_changed(&mut self, thread: usize, was_ready: bool) {
        match (was_ready, self.is_ready(thread)) {
            (false, true) => self.join(thread, true),
            (true, false) => self.leave(thread),
            _ => {}
        }
    }

    /// Follows a change of the parts of a priority.
    pub fn level_changed(&mut self, thread: usize, behind: bool) {
        let level = self.level(thread);
        let home = self.threads[thread].home;
        let stands = self.lines[home].iter().find(|&&(_, t)| t == thread);
        if stands.is_some_and(|&(former, _)| former != level) {
            self.leave(thread);
            self.join(thread, behind);
        }
    }

    pub fn go_behind(&mut self, thread: usize) {
        if self.is_ready(thread) {
            self.leave(thread);
            self.join(thread, true);
        }
    }

    /// The processor that a thread is bound to.
    pub fn bound(&self, thread: usize) -> Option<Cpu> {
        let t = &self.threads[thread];
        t.pinned.or(if t.affinity.covers(self.online) {
            None
        } else {
            t.affinity.lowest()
        })
    }

    /// Returns the threads that run: in the order of the line, each that fits next to those before.
    pub fn running(&self, instance: usize) -> Vec<usize> {
        let mut taken = CpuSet::EMPTY;
        let mut running = Vec::new();
        for &(_, thread) in &self.lines[instance] {
            if running.len() == self.owned[instance].count() {
                break;
            }
            match self.bound(thread) {
                Some(cpu) if taken.contains(cpu) => continue,
                Some(cpu) => taken = taken.with(cpu),
                None => {}
            }
            running.push(thread);
        }
        running
    }

    pub fn waiting(&self, instance: usize) -> Vec<usize> {
        let running = self.running(instance);
        self.lines[instance]
            .iter()
            .map(|&(_, thread)| thread)
            .filter(|thread| !running.contains(thread))
            .collect()
    }

    /// Whether an instance accepts an affinity.
    pub fn accepts(&self, instance: usize, mask: CpuSet) -> bool {
        let mask = mask.and(self.online);
        mask == self.online
            || self.kinds[instance] == PolicyKind::Edf
                && mask.count() == 1
                && self.owned[instance].covers(mask)
    }

    pub fn most(&self, instance: usize) -> u32 {
        match self.kinds[instance] {
            PolicyKind::Priority => 255,
            _ => i32::MAX as u32,
        }
    }

    pub fn create(
        &self,
        home: usize,
        priority: u32,
        affinity: Option<CpuSet>,
    ) -> Result<ModelThread, Error> {
        let affinity = affinity.unwrap_or(self.online).and(self.online);
        if home >= self.kinds.len() {
            Err(Error::InvalidId)
        } else if priority > self.most(home) {
            Err(Error::InvalidPriority)
        } else if self.owned[home].is_empty() {
            Err(Error::Unsatisfied)
        } else if !self.accepts(home, affinity) {
            Err(Error::InvalidNumber)
        } else {
            Ok(ModelThread {
                exists: true,
                dormant: true,
                waits: false,
                sleeps: false,
                suspended: false,
                home,
                initial: priority,
                real: priority,
                deadline: None,
                affinity,
                pins: 0,
                pinned: None,
                time: 0,
            })
        }
    }

    pub fn may_move(&self, thread: usize, target: usize, priority: u32) -> Result<(), Error> {
        let t = &self.threads[thread];
        if target >= self.kinds.len() {
            return Err(Error::InvalidId);
        }
        if priority > self.most(target) {
            return Err(Error::InvalidPriority);
        }
        if !t.exists {
            return Err(Error::InvalidId);
        }
        let deadline = t.deadline.is_some() && self.deadlines_count(t.home);
        if t.waits || deadline || t.pins > 0 {
            return Err(Error::ResourceInUse);
        }
        if self.owned[target].is_empty() || !self.accepts(target, t.affinity) {
            return Err(Error::Unsatisfied);
        }
        Ok(())
    }

    pub fn may_add(&self, instance: usize, index: usize) -> Result<(), Error> {
        let cpu = cpu(index);
        if instance >= self.kinds.len() {
            Err(Error::InvalidId)
        } else if !self.assigned.contains(cpu) {
            Err(Error::NotConfigured)
        } else if !self.online.contains(cpu) {
            Err(Error::IncorrectState)
        } else if self.owned.iter().any(|owned| owned.contains(cpu)) {
            Err(Error::ResourceInUse)
        } else {
            Ok(())
        }
    }

    pub fn may_remove(&self, instance: usize, index: usize) -> Result<(), Error> {
        let cpu = cpu(index);
        let owned = self.owned.get(instance).ok_or(Error::InvalidId)?;
        if !owned.contains(cpu) {
            return Err(Error::InvalidNumber);
        }
        let rest = owned.without(cpu);
        let needed = self.threads.iter().any(|t| {
            t.exists
                && (t.home == instance && t.affinity.and(rest).is_empty() || t.pinned == Some(cpu))
        });
        if needed {
            Err(Error::ResourceInUse)
        } else {
            Ok(())
        }
    }
}
