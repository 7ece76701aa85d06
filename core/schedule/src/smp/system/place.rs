//! Owns: who holds which processor, and what its heir is. Must never know: why.

use super::System;
use crate::{
    Cpu,
    smp::{
        Effects,
        ids::NONE,
        node::State,
        thread::{Presence, ThreadRecord},
    },
};
use taktos_time::Instant;

impl System<'_> {
    /// `id` shall run on `cpu`. The outgoing heir is charged for the time since it became the heir.
    #[inline]
    pub(crate) fn set_heir(&mut self, cpu: Cpu, id: u16, now: Instant, effects: &mut impl Effects) {
        let former = Cpu::masked(core::mem::replace(
            &mut self.thread_mut(id).cpu,
            cpu.index() as u8,
        ));
        if self.processors[cpu.index()].heir == id {
            return;
        }
        if !self.servers.is_empty() {
            return self.set_heir_with_budget(cpu, id, former, now, effects);
        }
        self.charge(cpu, now);
        self.processors[cpu.index()].heir = id;
        effects.preempt(cpu);
    }

    /// The same where threads may have servers: `former` is the processor that `id` had last.
    fn set_heir_with_budget(
        &mut self,
        cpu: Cpu,
        id: u16,
        former: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        if self.processors[former.index()].heir == id {
            // It moves: what is left of its budget is looked at before its former processor has another heir.
            self.charge(former, now);
        }
        self.note_spent(cpu, now, effects);
        self.charge(cpu, now);
        let outgoing = self.processors[cpu.index()].heir;
        self.processors[cpu.index()].heir = id;
        if self.serves(outgoing) && self.node(self.thread(outgoing).home, outgoing).kept {
            // It was put there before it was charged.
            self.tell_budget(outgoing, effects);
        }
        effects.preempt(cpu);
        self.arm(cpu, now, effects);
    }

    /// The heir of `cpu` is charged for the time since it became the heir, or was charged last.
    #[inline(always)]
    pub(super) fn charge(&mut self, cpu: Cpu, now: Instant) {
        let processor = &mut self.processors[cpu.index()];
        let span = now.since(processor.since);
        processor.since = now;
        let heir = processor.heir;
        if heir != NONE {
            if self.is_idle_row(heir) {
                let idle = &mut self.processors[cpu.index()].idle;
                *idle = idle.saturating_add(span);
            }
            let charged = self.thread_mut(heir);
            charged.cpu_time = charged.cpu_time.saturating_add(span);
        }
    }

    /// The thread that runs where the node `id` holds a processor: its owner, or the idle thread that stands in.
    #[inline(always)]
    pub(crate) fn user(&self, instance: u8, id: u16) -> u16 {
        let idle = self.node(instance, id).idle;
        if idle == NONE { id } else { idle }
    }

    /// The SCHEDULED node `id` gives up its place in the set; its state and its user stay. The processor that is free now.
    #[inline]
    pub(crate) fn take_out(&mut self, instance: u8, id: u16) -> Cpu {
        let (record, nodes) = self.split(instance);
        let cpu = nodes[id as usize].processor();
        record.places.scheduled.remove(nodes, id);
        record.places.holders[cpu.index()] = NONE;
        record.queues.left(nodes, &mut record.turns, id);
        cpu
    }

    /// The node `id`, which is in no queue, holds `cpu`, which nobody else holds. At most m steps.
    #[inline]
    pub(crate) fn put_in(&mut self, instance: u8, id: u16, cpu: Cpu) {
        let (record, nodes) = self.split(instance);
        let node = &mut nodes[id as usize];
        node.state = State::Scheduled;
        node.cpu = cpu.index() as u8;
        record.places.holders[cpu.index()] = id;
        record.places.scheduled.insert_sorted(nodes, id);
        record
            .queues
            .entered(nodes, &mut record.places, &mut record.turns, id);
    }

    /// Gives the node `id`, which has its user, a processor, after `freed` became free: this one, or another whose holder
    /// moves. At most m moves.
    #[inline]
    pub(crate) fn seat(
        &mut self,
        instance: u8,
        id: u16,
        mut freed: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let user = self.user(instance, id);
        // One that steps aside, as to be pinned, comes in again where its registers are.
        let comes_in = if user != id && self.steps_aside(id) {
            id
        } else {
            user
        };
        let live_on = self.live_in(instance, comes_in);
        loop {
            let elsewhere = live_on.filter(|&cpu| cpu != freed);
            let (record, nodes) = self.split(instance);
            let Some(cpu) = record
                .queues
                .shift(nodes, &record.places, id, freed, elsewhere)
            else {
                break;
            };
            let moved = record.places.holder(cpu);
            if moved == NONE {
                break;
            }
            record.places.holders[cpu.index()] = NONE;
            record.places.holders[freed.index()] = moved;
            nodes[moved as usize].cpu = freed.index() as u8;
            let moved_user = self.user(instance, moved);
            self.set_heir(freed, moved_user, now, effects);
            freed = cpu;
        }
        self.put_in(instance, id, freed);
        self.set_heir(freed, user, now, effects);
    }

    /// Whether the thread `id` is blocked for no reason but to come in again at once.
    pub(super) fn steps_aside(&self, id: u16) -> bool {
        let record = self.thread(id);
        record.presence == Presence::Blocked && record.reasons.is_empty()
    }

    /// The processor of `instance` that has the registers of `id`.
    #[inline(always)]
    fn live_in(&self, instance: u8, id: u16) -> Option<Cpu> {
        let live_on = self.thread(id).live_on;
        if live_on == ThreadRecord::NOWHERE {
            return None;
        }
        let cpu = Cpu::masked(live_on);
        (self.processors[cpu.index()].owner == instance).then_some(cpu)
    }

    /// The owner of the node `id` runs by it: in place of the idle thread where one stood in.
    pub(crate) fn take_over(
        &mut self,
        instance: u8,
        id: u16,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let cpu = self.node(instance, id).processor();
        self.return_idle(instance, id);
        self.cancel_request(id);
        self.thread_mut(id).presence = Presence::Scheduled;
        self.set_heir(cpu, id, now, effects);
    }
}
