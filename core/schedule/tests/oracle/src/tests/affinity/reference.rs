//! Weak affinity compared with a model of the reference, made from the description of its
//! operations: two chains of nodes, idle ones among them, and no turn anywhere. Random scripts end
//! with the same threads on the same processors at each step.

use super::{Dice, NOW, cpu, instance, system};
use crate::System;
use taktos_schedule::CpuSet;
use taktos_schedule::smp::{PolicyKind, Priority, Reasons, Thread};

/// The level of the idle nodes.
const IDLE: usize = 10;

/// A node: a thread's, or after these an idle one.
#[derive(Clone, Copy)]
struct Node {
    level: usize,
    mask: CpuSet,
}

/// The state of an instance in the reference.
struct Reference {
    nodes: Vec<Node>,
    /// The chain of SCHEDULED nodes, with their processors.
    scheduled: Vec<(usize, usize)>,
    /// The chains of READY ones by their levels.
    ready: Vec<Vec<usize>>,
}

impl Reference {
    /// All processors idle; the lowest is to be taken first.
    fn new(threads: usize, cpus: usize) -> Self {
        let idle = Node {
            level: IDLE,
            mask: CpuSet::first(cpus),
        };
        Self {
            nodes: vec![idle; threads + cpus],
            scheduled: (0..cpus).rev().map(|cpu| (threads + cpu, cpu)).collect(),
            ready: vec![Vec::new(); IDLE + 1],
        }
    }

    fn cpu_of(&self, id: usize) -> Option<usize> {
        let mut all = self.scheduled.iter();
        all.find(|(node, _)| *node == id).map(|(_, cpu)| *cpu)
    }

    /// Puts `id` into the chain of SCHEDULED nodes, after its equals or in front of them.
    fn schedule(&mut self, id: usize, cpu: usize, in_front: bool) {
        let level = self.nodes[id].level;
        let goes_before = |(other, _): &(usize, usize)| {
            let others = self.nodes[*other].level;
            others > level || in_front && others == level
        };
        let at = self.scheduled.iter().position(goes_before);
        let at = at.unwrap_or(self.scheduled.len());
        self.scheduled.insert(at, (id, cpu));
    }

    fn extract(&mut self, id: usize) {
        self.scheduled.retain(|(node, _)| *node != id);
        self.ready
            .iter_mut()
            .for_each(|chain| chain.retain(|node| *node != id));
    }

    fn make_ready(&mut self, id: usize, in_front: bool) {
        let chain = &mut self.ready[self.nodes[id].level];
        let at = if in_front { 0 } else { chain.len() };
        chain.insert(at, id);
    }

    /// The last SCHEDULED node on a processor that `id` may have.
    fn lowest_scheduled(&self, id: usize) -> Option<(usize, usize)> {
        let may = |(_, at): &&(usize, usize)| self.nodes[id].mask.contains(cpu(*at));
        self.scheduled.iter().rev().find(may).copied()
    }

    /// The first READY node that may have `freed`.
    fn highest_ready(&self, freed: usize) -> usize {
        let may = |id: &&usize| self.nodes[**id].mask.contains(cpu(freed));
        *self.ready.iter().flatten().find(may).unwrap()
    }

    fn replace(&mut self, id: usize, (victim, at): (usize, usize), in_front: bool) {
        self.extract(victim);
        self.make_ready(victim, true);
        self.schedule(id, at, in_front);
    }

    fn enqueue(&mut self, id: usize, in_front: bool) {
        let level = self.nodes[id].level;
        let beats = |(victim, _): &(usize, usize)| {
            let theirs = self.nodes[*victim].level;
            level < theirs || in_front && level == theirs
        };
        match self.lowest_scheduled(id).filter(beats) {
            Some(victim) => self.replace(id, victim, in_front),
            None => self.make_ready(id, in_front),
        }
    }

    fn enqueue_scheduled(&mut self, id: usize, at: usize, in_front: bool) {
        let highest = self.highest_ready(at);
        let (own, other) = (self.nodes[id].level, self.nodes[highest].level);
        if own < other || in_front && own == other {
            return self.schedule(id, at, in_front);
        }
        self.extract(highest);
        self.schedule(highest, at, false);
        self.make_ready(id, in_front);
    }

    fn check_for_migrations(&mut self) {
        loop {
            let Some(&top) = self.ready.iter().flatten().next() else {
                return;
            };
            let Some(victim) = self.lowest_scheduled(top) else {
                return;
            };
            if self.nodes[victim.0].level <= self.nodes[top].level {
                return;
            }
            self.extract(top);
            self.replace(top, victim, false);
        }
    }

    fn block(&mut self, id: usize) {
        let at = self.cpu_of(id);
        self.extract(id);
        if let Some(at) = at {
            let next = self.highest_ready(at);
            self.extract(next);
            self.schedule(next, at, false);
        }
    }

    fn unblock(&mut self, id: usize, in_front: bool) {
        self.enqueue(id, in_front);
        self.check_for_migrations();
    }

    fn go(&mut self, id: usize, in_front: bool) {
        let at = self.cpu_of(id);
        self.extract(id);
        match at {
            Some(at) => self.enqueue_scheduled(id, at, in_front),
            None => self.enqueue(id, in_front),
        }
    }

    fn set_level(&mut self, id: usize, level: usize, is_ready: bool, in_front: bool) {
        if self.nodes[id].level == level {
            return;
        }
        let at = self.cpu_of(id);
        self.extract(id);
        self.nodes[id].level = level;
        match at {
            Some(at) => self.enqueue_scheduled(id, at, in_front),
            None if is_ready => self.enqueue(id, in_front),
            None => {}
        }
        self.check_for_migrations();
    }

    fn set_mask(&mut self, id: usize, mask: CpuSet, is_ready: bool) {
        if self.nodes[id].mask == mask {
            return;
        }
        if is_ready {
            self.block(id);
        }
        self.nodes[id].mask = mask;
        if is_ready {
            self.unblock(id, false);
        }
    }
}

/// One random operation on both.
fn act(
    dice: &mut Dice,
    system: &mut System,
    model: &mut Reference,
    threads: &[Thread],
    levels: usize,
    ready: &mut [bool],
) {
    let id = dice.roll(threads.len());
    let (thread, fx) = (threads[id], &mut ());
    let in_front = dice.roll(5) == 0;
    let cpus = model.scheduled.len();
    match dice.roll(8) {
        0..=3 if ready[id] => {
            system.block(thread, Reasons::WAIT, NOW, fx).unwrap();
            model.block(id);
            ready[id] = false;
        }
        0..=3 => {
            match in_front {
                true => system.unblock_in_front(thread, Reasons::WAIT, NOW, fx),
                false => system.unblock(thread, Reasons::WAIT, NOW, fx),
            }
            .unwrap();
            model.unblock(id, in_front);
            ready[id] = true;
        }
        4 if ready[id] => {
            match in_front {
                true => system.go_in_front(thread, NOW, fx),
                false => system.yield_now(thread, NOW, fx),
            }
            .unwrap();
            model.go(id, in_front);
        }
        5 | 6 => {
            let level = dice.roll(levels);
            let priority = Priority(level as u32);
            match in_front {
                true => system.set_priority_in_front(thread, priority, NOW, fx),
                false => system.set_priority(thread, priority, NOW, fx),
            }
            .unwrap();
            model.set_level(id, level, ready[id], in_front);
        }
        _ => {
            let mask = dice.mask(cpus);
            system.set_affinity(thread, mask, NOW, fx).unwrap();
            model.set_mask(id, mask, ready[id]);
        }
    }
}

/// Does random operations on both.
fn script(dice: &mut Dice, cpus: usize, threads: usize, levels: usize) {
    let mut system = system(
        threads,
        cpus,
        PolicyKind::PriorityAffinity,
        &[CpuSet::first(cpus)],
    );
    let mut model = Reference::new(threads, cpus);
    let rows: Vec<_> = (0..threads)
        .map(|id| {
            let (level, mask) = (dice.roll(levels), dice.mask(cpus));
            model.nodes[id] = Node { level, mask };
            let priority = Priority(level as u32);
            let row = system.create(instance(0), priority, Some(mask)).unwrap();
            system.block(row, Reasons::WAIT, NOW, &mut ()).unwrap();
            system.start(row, NOW, &mut ()).unwrap();
            row
        })
        .collect();
    let mut ready = vec![false; threads];
    for step in 0..100 {
        act(dice, &mut system, &mut model, &rows, levels, &mut ready);
        system.check_invariants().unwrap();
        for (id, row) in rows.iter().enumerate() {
            let found = system.processor_of(*row).map(|cpu| cpu.index());
            let expected = model.cpu_of(id);
            assert_eq!(found, expected, "the processor of thread {id}, step {step}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "random and long")]
fn random_scripts_end_as_in_the_reference() {
    let mut dice = Dice(taktos_random::seed());
    // Distinct priorities mostly; equals; idle processors; all equal.
    for (threads, levels) in [(8, 10), (8, 3), (3, 3), (6, 1), (12, 4)] {
        for number in 0..400 {
            println!("{threads} threads, {levels} levels, script {number}");
            let cpus = 1 + dice.roll(5);
            script(&mut dice, cpus, threads, levels);
        }
    }
}
