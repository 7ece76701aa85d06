//! An independent model of strong affinity: a list of threads, sorted by priority and turn at every
//! question, and a greedy choice from scratch by augmenting paths. It knows no queue and no
//! assignment.

use taktos_schedule::smp::Thread;
use taktos_schedule::{Cpu, CpuSet};

/// The model's facts about a thread.
#[derive(Clone, Debug)]
pub struct Member {
    pub thread: Thread,
    pub home: usize,
    pub own: u32,
    /// The priority that another thread lends it.
    pub lent: Option<u32>,
    pub affinity: CpuSet,
    pub pins: u32,
    pub pinned_to: Option<Cpu>,
    pub started: bool,
    pub suspended: bool,
    pub waits: bool,
    pub turn: i64,
}

impl Member {
    pub fn ready(&self) -> bool {
        self.started && !self.suspended && !self.waits
    }

    pub fn effective(&self) -> u32 {
        self.lent.map_or(self.own, |lent| lent.min(self.own))
    }

    pub fn mask(&self) -> CpuSet {
        self.pinned_to.map_or(self.affinity, CpuSet::of)
    }
}

/// The threads and the processors of each instance.
pub struct Model {
    pub members: Vec<Member>,
    pub owned: Vec<CpuSet>,
    last_turn: i64,
    first_turn: i64,
}

impl Model {
    pub fn new(owned: Vec<CpuSet>) -> Self {
        Self {
            members: Vec::new(),
            owned,
            last_turn: 0,
            first_turn: 0,
        }
    }

    /// Puts it after all of its priority.
    pub fn append(&mut self, at: usize) {
        self.last_turn += 1;
        self.members[at].turn = self.last_turn;
    }

    /// In front of all of its priority.
    pub fn prepend(&mut self, at: usize) {
        self.first_turn -= 1;
        self.members[at].turn = self.first_turn;
    }

    /// Returns the threads that run in an instance: each in order, if it can run next to all that
    /// were taken before.
    pub fn scheduled(&self, instance: usize) -> Vec<Thread> {
        let mut order: Vec<&Member> = self
            .members
            .iter()
            .filter(|member| member.home == instance && member.ready())
            .collect();
        order.sort_by_key(|member| (member.effective(), member.turn));
        let mut seats: [Option<CpuSet>; Cpu::COUNT] = [None; Cpu::COUNT];
        let mut taken = Vec::new();
        for member in order {
            let mut open = self.owned[instance];
            if augment(member.mask(), &mut seats, &mut open) {
                taken.push(member.thread);
            }
        }
        taken.sort_unstable();
        taken
    }

    /// Whether some thread of `instance` could run nowhere without `cpu`.
    pub fn needs(&self, instance: usize, cpu: Cpu) -> bool {
        let rest = self.owned[instance].without(cpu);
        self.members.iter().any(|member| {
            member.pinned_to == Some(cpu)
                || member.home == instance && member.affinity.and(rest).is_empty()
        })
    }
}

/// Finds one more seat, by moving others if that is needed. A seat holds the mask of its thread.
fn augment(mask: CpuSet, seats: &mut [Option<CpuSet>], open: &mut CpuSet) -> bool {
    for cpu in mask {
        if !open.contains(cpu) {
            continue;
        }
        *open = open.without(cpu);
        let sitting = seats[cpu.index()];
        if sitting.is_none_or(|other| augment(other, seats, open)) {
            seats[cpu.index()] = Some(mask);
            return true;
        }
    }
    false
}
