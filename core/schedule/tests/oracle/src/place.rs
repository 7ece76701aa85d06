//! Owns: the holder and the heir of each processor. Must never know: the reasons.

use crate::System;
use crate::rows::{Presence, State};
use taktos_schedule::Cpu;

impl System {
    /// `id` shall run on `cpu`. The outgoing heir is charged for the time since it became the heir.
    pub(crate) fn set_heir(&mut self, cpu: Cpu, id: usize) {
        let former = self.threads[id].cpu.replace(cpu);
        if self.processor(cpu).heir == Some(id) {
            return;
        }
        if let Some(former) = former.filter(|former| self.processor(*former).heir == Some(id)) {
            // It moves: the rest of its budget is checked before its former processor has another
            // heir.
            self.charge(former);
        }
        self.note_spent(cpu);
        self.charge(cpu);
        self.processor_mut(cpu).heir = Some(id);
        self.preempt(cpu);
        self.arm(cpu);
    }

    /// The heir of `cpu` is charged for the time since it became the heir, or was charged last.
    fn charge(&mut self, cpu: Cpu) {
        let (now, idle_from) = (self.now, self.idle_from);
        let processor = self.processor_mut(cpu);
        let span = now.since(processor.since);
        processor.since = now;
        if let Some(heir) = processor.heir {
            if heir >= idle_from {
                processor.idle = processor.idle.saturating_add(span);
            }
            let charged = &mut self.threads[heir].cpu_time;
            *charged = charged.saturating_add(span);
        }
    }

    /// Returns the thread that runs where the node `id` holds a processor: its owner, or the idle
    /// thread that substitutes for it.
    pub(crate) fn user(&self, instance: usize, id: usize) -> usize {
        self.node(instance, id).idle.unwrap_or(id)
    }

    /// The processor that the SCHEDULED node `id` holds.
    pub(crate) fn held_by(&self, instance: usize, id: usize) -> Cpu {
        let cpu = self.node(instance, id).cpu;
        cpu.expect("a SCHEDULED node holds a processor")
    }

    /// The SCHEDULED node `id` gives up its place in the set; its state and its user stay. The
    /// processor that is free now.
    pub(crate) fn take_out(&mut self, instance: usize, id: usize) -> Cpu {
        let cpu = self.held_by(instance, id);
        self.instances[instance].holders[cpu.index()] = None;
        self.left(instance, id);
        cpu
    }

    /// Lets the node `id`, which is in no queue, hold `cpu`, which no other node holds.
    pub(crate) fn put_in(&mut self, instance: usize, id: usize, cpu: Cpu) {
        let node = self.node_mut(instance, id);
        node.state = State::Scheduled;
        node.cpu = Some(cpu);
        self.instances[instance].holders[cpu.index()] = Some(id);
        self.entered(instance, id);
    }

    /// Gives the node `id`, which has its user, a processor, after `freed` became free: this one,
    /// or that of a holder that moves.
    pub(crate) fn seat_on(&mut self, instance: usize, id: usize, mut freed: Cpu) {
        let user = self.user(instance, id);
        // One that steps aside, as to be pinned, comes in again where its registers are.
        let comes_in = match user != id && self.steps_aside(id) {
            true => id,
            false => user,
        };
        let live_on = self.threads[comes_in].live_on;
        let live_on = live_on.filter(|cpu| self.processor(*cpu).owner == Some(instance));
        loop {
            let elsewhere = live_on.filter(|cpu| *cpu != freed);
            let Some(cpu) = self.shift(instance, id, freed, elsewhere) else {
                break;
            };
            let holders = &mut self.instances[instance].holders;
            let Some(moved) = holders[cpu.index()].take() else {
                break;
            };
            holders[freed.index()] = Some(moved);
            self.node_mut(instance, moved).cpu = Some(freed);
            let moved_user = self.user(instance, moved);
            self.set_heir(freed, moved_user);
            freed = cpu;
        }
        self.put_in(instance, id, freed);
        self.set_heir(freed, user);
    }

    /// Whether the thread `id` is blocked for no reason but to come in again at once.
    pub(crate) fn steps_aside(&self, id: usize) -> bool {
        self.is_blocked(id) && self.threads[id].reasons.is_empty()
    }

    /// The owner of the node `id` runs by it: in place of the idle thread where one stood in.
    pub(crate) fn take_over(&mut self, instance: usize, id: usize) {
        let cpu = self.held_by(instance, id);
        self.return_idle(instance, id);
        self.cancel_request(id);
        self.threads[id].presence = Presence::Scheduled;
        self.set_heir(cpu, id);
    }
}
