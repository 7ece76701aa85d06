//! Owns: where the READY nodes of an instance stand: in the policy's queues, or in the world's rings.
//! Must never know: what the world's rings are made of.
//!
//! In the world's rings stand those about whom nothing is special: at home, ready, without a lock. So a thread that is
//! blocked and keeps its place all the same, as one that sticks does, can meanwhile stand in a queue of the world's.

use super::System;
use crate::{
    Cpu,
    smp::{
        Effects, Instance, InstanceRecord, Priority, Reasons, Thread,
        closed::{Place, WAITS},
        node::{NodeRecord, State},
        order::{Level, Order, Turns},
        thread::Presence,
    },
};

impl System<'_> {
    /// The node `id`, in no queue, is READY; its key has just been drawn.
    #[inline]
    pub(crate) fn put_ready(
        &mut self,
        instance: u8,
        id: u16,
        order: Order,
        effects: &mut impl Effects,
    ) {
        let place = match order {
            Order::Append => Place::Last,
            Order::Prepend => Place::First,
        };
        let kept = self.keep(instance, id, place, effects);
        let (record, nodes) = self.split(instance);
        nodes[id as usize].state = State::Ready;
        if !kept {
            record.queues.insert(nodes, id, order);
        }
    }

    /// The node `id`, displaced from its processor, is READY: with its key, first of its equals.
    #[inline]
    pub(super) fn restore_ready(&mut self, instance: u8, id: u16, effects: &mut impl Effects) {
        let kept = self.keep(instance, id, Place::First, effects);
        let (record, nodes) = self.split(instance);
        nodes[id as usize].state = State::Ready;
        if !kept {
            record.queues.restore(nodes, id);
        }
    }

    /// The READY node `id` is in no queue; its state is the caller's business.
    #[inline]
    pub(crate) fn take_ready(&mut self, instance: u8, id: u16, effects: &mut impl Effects) {
        let node = self.node_mut(instance, id);
        if core::mem::take(&mut node.kept) {
            let level = node.key.level;
            return effects.take(Instance(instance), Thread(id), level);
        }
        let (record, nodes) = self.split(instance);
        record.queues.remove(nodes, id);
    }

    /// The READY node that shall have `cpu`, which nobody holds.
    #[inline]
    pub(super) fn highest(
        &mut self,
        instance: u8,
        cpu: Cpu,
        effects: &mut impl Effects,
    ) -> Option<u16> {
        let (record, nodes) = self.split(instance);
        let queued = record.queues.highest(nodes, &record.places, cpu);
        if !effects.keeps(Instance(instance)) {
            return queued;
        }
        let profits = |record: &mut InstanceRecord, nodes: &[NodeRecord], id| {
            record.queues.profits(nodes, &record.places, cpu, id)
        };
        let Some(kept) = self.first_kept(instance, effects, profits) else {
            return queued;
        };
        let key = self.node(instance, kept).key;
        if queued.is_some_and(|queued| self.node(instance, queued).key.before(key)) {
            return queued;
        }
        let (record, nodes) = self.split(instance);
        record.queues.choose(nodes, &record.places, cpu, kept);
        Some(kept)
    }

    /// The first of the READY nodes in the rings of the world's that `will_do`, whose row is true from now on.
    #[inline(always)]
    pub(super) fn first_kept(
        &mut self,
        instance: u8,
        effects: &impl Effects,
        mut will_do: impl FnMut(&mut InstanceRecord, &[NodeRecord], u16) -> bool,
    ) -> Option<u16> {
        let (record, nodes) = self.split(instance);
        let (kept, priority, turn) = effects.first(Instance(instance), |thread| {
            will_do(record, nodes, thread.0)
        })?;
        self.catch_up(kept.0, priority, true);
        self.set_turn(instance, kept.0, turn);
        Some(kept.0)
    }

    #[inline]
    fn keep(&mut self, instance: u8, id: u16, place: Place, effects: &mut impl Effects) -> bool {
        if !effects.keeps(Instance(instance)) || !self.is_plain(instance, id) {
            return false;
        }
        if self.node(instance, id).bound != 0 {
            effects.binds(Instance(instance), |thread, priority| {
                self.bring_in_order(thread, priority, None)
            });
        }
        self.tell_budget(id, effects);
        let node = self.node_mut(instance, id);
        node.kept = true;
        let (level, turn) = (node.key.level, Turns::signed(node.key.turn));
        effects.put(Instance(instance), Thread(id), level, place, turn);
        true
    }

    /// Whether the node `id` is at home, and nothing about its thread spans instances: such a one is READY only while its thread
    /// is ready.
    fn is_plain(&self, instance: u8, id: u16) -> bool {
        let record = self.thread(id);
        record.home == instance
            && record.helper == NodeRecord::NO_HELPER
            && !self.pin_spans(id)
            && !self.locks.is_involved(Thread(id))
    }

    /// The level of a priority of the world's in `instance`.
    pub(super) fn level_of(&self, instance: u8, priority: Priority) -> Level {
        self.level(Instance(instance), priority)
    }

    /// Whether what the tables say of the thread `id` may have become untrue, because its home was closed meanwhile.
    #[inline(always)]
    pub(crate) fn lies_behind(&self, id: u16) -> bool {
        let record = self.thread(id);
        let home = &self.instances[record.home as usize];
        home.closed || record.openings != home.openings
    }

    /// Makes what the tables say of the thread `id` true: it is `ready` at `priority` and stands in a ring of the world's, or it
    /// waits.
    pub(super) fn catch_up(&mut self, id: u16, priority: Priority, ready: bool) {
        if !self.lies_behind(id) {
            return;
        }
        let home = self.thread(id).home;
        let openings = self.instances[home as usize].openings;
        let real = self.level_of(home, priority);
        let record = self.thread_mut(id);
        record.openings = openings;
        record.presence = Presence::Blocked;
        record.reasons = WAITS;
        let node = self.node_mut(home, id);
        node.state = State::Blocked;
        node.sticky = 0;
        node.kept = false;
        node.real = real;
        self.refresh(home, id);
        if ready {
            self.stand_kept(home, id);
        }
    }

    /// The kept node `id` has the `turn` that the world has kept for it; or none, and is the first of its equals.
    pub(super) fn set_turn(&mut self, instance: u8, id: u16, turn: Option<i64>) {
        let (record, nodes) = self.split(instance);
        let key = &mut nodes[id as usize].key;
        match turn {
            Some(turn) => key.turn = Turns::of_signed(turn),
            None if key.turn == Turns::UNDRAWN => key.turn = record.turns.draw_early(),
            None => {}
        }
    }

    /// The thread `id`, of which the tables say that it waits, stands in a ring of the world's.
    fn stand_kept(&mut self, home: u8, id: u16) {
        let record = self.thread_mut(id);
        record.presence = Presence::Ready;
        record.reasons = Reasons::NONE;
        let node = self.node_mut(home, id);
        node.state = State::Ready;
        node.kept = true;
        node.sticky = 1;
        node.key.turn = Turns::UNDRAWN;
    }
}
