//! Owns: the set of SCHEDULED nodes of an instance: arrivals, departures, exchanges (spec 01, 2.1 and 2.2).
//! Must never know: why a node arrives or leaves.

use super::System;
use crate::{
    Cpu,
    smp::{
        Effects, Instance,
        ids::NONE,
        node::{NodeRecord, State},
        order::Order,
        thread::{Presence, ThreadRecord},
    },
};
use taktos_time::Instant;

/// What comes of a node that is to become SCHEDULED.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Promotion {
    /// Its owner runs.
    Owner,
    /// An idle thread keeps its place.
    Idle,
    /// Its owner cannot use it.
    Drop,
}

impl System<'_> {
    #[inline]
    fn promotion(&self, instance: u8, id: u16) -> Promotion {
        if self.can_use(instance, id) {
            Promotion::Owner
        } else if self.node(instance, id).sticky > self.counts_here(instance, id)
            && self.sticks_as_it_is(id)
        {
            Promotion::Idle
        } else {
            Promotion::Drop
        }
    }

    /// Whether the thread `id` is ready, and not pinned to a processor of another instance.
    #[inline]
    pub(crate) fn can_use(&self, instance: u8, id: u16) -> bool {
        let record = self.thread(id);
        record.presence == Presence::Ready
            && (record.first == instance || record.pinned_to == ThreadRecord::NOWHERE)
    }

    /// How much of the stickiness of the node `id`, which its owner cannot use, comes from the owner's being unblocked.
    fn counts_here(&self, instance: u8, id: u16) -> u16 {
        let record = self.thread(id);
        u16::from(record.first == instance && record.presence != Presence::Blocked)
    }

    /// Whether the stickiness of the thread `id` counts: of those that are blocked only one keeps
    /// its place that steps aside to come in again at once, as to be pinned.
    fn sticks_as_it_is(&self, id: u16) -> bool {
        self.thread(id).presence != Presence::Blocked || self.steps_aside(id)
    }

    #[inline]
    fn attach(&mut self, instance: u8, id: u16, promotion: Promotion) {
        if promotion == Promotion::Owner {
            self.cancel_request(id);
            self.thread_mut(id).presence = Presence::Scheduled;
        } else {
            self.borrow_idle(instance, id);
        }
    }

    /// The user of the node `id`, which lost its processor, has none. Whether the owner was the user.
    #[inline]
    fn detach(&mut self, instance: u8, id: u16) -> bool {
        if self.node(instance, id).idle == NONE {
            self.thread_mut(id).presence = Presence::Ready;
            true
        } else {
            self.return_idle(instance, id);
            false
        }
    }

    /// The node `id` is behind or in front of its equals from now on.
    #[inline(always)]
    pub(crate) fn draw_turn(&mut self, instance: u8, id: u16, order: Order) {
        let (record, nodes) = self.split(instance);
        nodes[id as usize].key.turn = record.turns.draw(order);
    }

    /// The node that would lose its processor to `id`, which is in no queue and has its key.
    #[inline(always)]
    pub(crate) fn victim(&mut self, instance: u8, id: u16) -> Option<u16> {
        let (record, nodes) = self.split(instance);
        let key = nodes[id as usize].key;
        let lowest = record.queues.lowest(nodes, &record.places, id);
        lowest.filter(|&lowest| key.before(nodes[lowest as usize].key))
    }

    /// The node `id`, in no queue and with its level, comes in: it takes the processor of a less urgent one, or becomes READY.
    /// Whether it did the latter. Insert + m steps.
    pub(crate) fn enqueue(
        &mut self,
        instance: u8,
        id: u16,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) -> bool {
        debug_assert!(
            !self.is_closed(Instance(instance)),
            "the tables decide about a thread of a closed instance"
        );
        let order = self.order_among_equals(instance, id, order);
        self.draw_turn(instance, id, order);
        match self.victim(instance, id) {
            Some(victim) => {
                let promotion = self.promotion(instance, id);
                if promotion == Promotion::Drop {
                    self.node_mut(instance, id).state = State::Blocked;
                } else {
                    let cpu = self.displace(instance, victim, effects);
                    self.attach(instance, id, promotion);
                    self.seat(instance, id, cpu, now, effects);
                }
                false
            }
            None => {
                self.put_ready(instance, id, order, effects);
                true
            }
        }
    }

    /// Lets the policy try READY nodes again. Only the weak form of affinity does, see
    /// [`WeakAffinity`](super::super::policy); not in an instance that is closed, whose seats do so
    /// themselves.
    #[inline(always)]
    pub(crate) fn settle(&mut self, instance: u8, now: Instant, effects: &mut impl Effects) {
        let record = &mut self.instances[instance as usize];
        if record.queues.tries_again().is_some() && !record.closed {
            self.try_again(instance, now, effects);
        }
    }

    #[cold]
    #[inline(never)]
    fn try_again(&mut self, instance: u8, now: Instant, effects: &mut impl Effects) {
        loop {
            let Some((id, victim)) = self.again(instance, effects) else {
                return;
            };
            self.take_ready(instance, id, effects);
            let promotion = self.promotion(instance, id);
            if promotion == Promotion::Drop {
                self.node_mut(instance, id).state = State::Blocked;
                continue;
            }
            let cpu = self.displace(instance, victim, effects);
            self.attach(instance, id, promotion);
            self.seat(instance, id, cpu, now, effects);
        }
    }

    /// The first of the READY nodes, if the policy tries it again, and the SCHEDULED one that gives way to it.
    fn again(&mut self, instance: u8, effects: &impl Effects) -> Option<(u16, u16)> {
        let kept = self.first_kept(instance, effects, |_, _, _| true);
        let (record, nodes) = self.split(instance);
        let policy = record.queues.tries_again()?;
        policy.again(nodes, &record.places, kept)
    }

    /// The SCHEDULED node `victim` becomes READY, first of its equals. The processor that is free now.
    #[inline]
    fn displace(&mut self, instance: u8, victim: u16, effects: &mut impl Effects) -> Cpu {
        let cpu = self.take_out(instance, victim);
        if self.is_idle_row(victim) {
            let (record, nodes) = self.split(instance);
            nodes[victim as usize].state = State::Ready;
            record.idle.push_front(nodes, victim);
        } else {
            self.restore_ready(instance, victim, effects);
        }
        if self.detach(instance, victim) && self.thread(victim).helper != NodeRecord::NO_HELPER {
            self.request(victim, effects);
        }
        cpu
    }

    /// The most urgent READY node gets `cpu`, which is free. One step of the policy's for it, and one for each stale node on
    /// the way, which is taken out.
    pub(crate) fn fill(
        &mut self,
        instance: u8,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        loop {
            let Some(id) = self.highest(instance, cpu, effects) else {
                let idle = self.first_idle(instance);
                if idle != NONE {
                    self.seat(instance, idle, cpu, now, effects);
                }
                return;
            };
            self.take_ready(instance, id, effects);
            if self.promote(instance, id, cpu, now, effects) {
                return;
            }
        }
    }

    /// The node `id`, just taken out of READY, gets `cpu`, which is free; false where its owner cannot use it.
    #[inline]
    fn promote(
        &mut self,
        instance: u8,
        id: u16,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> bool {
        let promotion = self.promotion(instance, id);
        if promotion == Promotion::Drop {
            self.node_mut(instance, id).state = State::Blocked;
            return false;
        }
        self.attach(instance, id, promotion);
        self.seat(instance, id, cpu, now, effects);
        true
    }

    /// The SCHEDULED node `id` takes its place anew, at its level: it keeps its processor unless a READY one is before it
    /// now. Insert + m steps, and one removal for each stale node on the way.
    pub(crate) fn place_anew(
        &mut self,
        instance: u8,
        id: u16,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let order = self.order_among_equals(instance, id, order);
        let cpu = self.take_out(instance, id);
        let (record, nodes) = self.split(instance);
        nodes[id as usize].key.turn = record.turns.draw(order);
        loop {
            let candidate = self.highest(instance, cpu, effects);
            // No idle thread is before it: without a candidate it stays.
            let key = self.node(instance, id).key;
            let before = |c: &u16| self.node(instance, *c).key.before(key);
            let Some(candidate) = candidate.filter(before) else {
                return self.put_back(instance, id, cpu, now, effects);
            };
            self.take_ready(instance, candidate, effects);
            let promotion = self.promotion(instance, candidate);
            if promotion == Promotion::Drop {
                self.node_mut(instance, candidate).state = State::Blocked;
                continue;
            }
            let ran = self.detach(instance, id);
            // First of all: if it is an idle thread, the candidate may need it.
            self.become_ready(instance, id, order, effects);
            self.attach(instance, candidate, promotion);
            self.seat(instance, candidate, cpu, now, effects);
            if ran && self.thread(id).helper != NodeRecord::NO_HELPER {
                self.request(id, effects);
            }
            return;
        }
    }

    /// The node `id`, just taken out, keeps `cpu`; where an idle thread stood in for an owner that is READY, the owner runs.
    fn put_back(
        &mut self,
        instance: u8,
        id: u16,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        self.put_in(instance, id, cpu);
        if self.node(instance, id).idle != NONE && self.can_use(instance, id) {
            self.take_over(instance, id, now, effects);
        }
    }

    /// The node `id`, in no queue, becomes READY at its key.
    fn become_ready(&mut self, instance: u8, id: u16, order: Order, effects: &mut impl Effects) {
        if self.is_idle_row(id) {
            let (record, nodes) = self.split(instance);
            nodes[id as usize].state = State::Ready;
            record.idle.push_back(nodes, id);
        } else {
            self.put_ready(instance, id, order, effects);
        }
    }

    /// The SCHEDULED node `id` gives its processor to the most urgent READY one and is BLOCKED. The presence of its owner is
    /// the caller's business. The steps of a removal, and those of [`System::fill`].
    pub(crate) fn vacate(
        &mut self,
        instance: u8,
        id: u16,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let cpu = self.take_out(instance, id);
        self.node_mut(instance, id).state = State::Blocked;
        self.return_idle(instance, id);
        self.fill(instance, cpu, now, effects);
    }

    /// The node `id` is BLOCKED, whatever it was. The presence of its owner is the caller's business.
    pub(crate) fn withdraw(
        &mut self,
        instance: u8,
        id: u16,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        match self.state(instance, id) {
            State::Scheduled => self.vacate(instance, id, now, effects),
            State::Ready => self.remove_ready(instance, id, effects),
            State::Blocked => {}
        }
    }

    /// The READY node `id` is BLOCKED.
    #[inline]
    pub(crate) fn remove_ready(&mut self, instance: u8, id: u16, effects: &mut impl Effects) {
        self.take_ready(instance, id, effects);
        self.node_mut(instance, id).state = State::Blocked;
    }

    /// Whether an idle thread may stand in for the owner of the node `id`, or go on doing so.
    #[cold]
    #[inline(never)]
    pub(crate) fn keeps_its_place(&self, instance: u8, id: u16) -> bool {
        self.promotion(instance, id) == Promotion::Idle
    }
}
