//! Owns: the set of SCHEDULED nodes of an instance: arrivals, departures, exchanges (spec 01, 2.1
//! and 2.2).
//! Must never know: why a node arrives or leaves.

use crate::System;
use crate::rows::{Order, Presence, State};
use taktos_schedule::Cpu;

/// The fate of a node that is to become SCHEDULED.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Promotion {
    /// Its owner runs.
    Owner,
    /// An idle thread keeps its place.
    Idle,
    /// Its owner cannot use it.
    Drop,
}

impl System {
    fn promotion(&self, instance: usize, id: usize) -> Promotion {
        if self.can_use(instance, id) {
            Promotion::Owner
        } else if self.node(instance, id).sticky > self.counts_here(instance, id)
            && (!self.is_blocked(id) || self.steps_aside(id))
        {
            // Of those that are blocked only one keeps its place that steps aside to come in again
            // at once.
            Promotion::Idle
        } else {
            Promotion::Drop
        }
    }

    /// Whether the thread `id` is ready, and not pinned to a processor of another instance.
    pub(crate) fn can_use(&self, instance: usize, id: usize) -> bool {
        let record = &self.threads[id];
        record.presence == Presence::Ready
            && (record.first == instance || record.pinned_to.is_none())
    }

    /// How much of the stickiness of the node `id`, which its owner cannot use, comes from the
    /// owner's being unblocked.
    fn counts_here(&self, instance: usize, id: usize) -> usize {
        usize::from(self.threads[id].first == instance && !self.is_blocked(id))
    }

    /// Returns whether an idle thread may substitute for the owner of the node `id`, or continue
    /// to.
    pub(crate) fn keeps_its_place(&self, instance: usize, id: usize) -> bool {
        self.promotion(instance, id) == Promotion::Idle
    }

    /// Puts the node `id` after or in front of its equals.
    pub(crate) fn draw_turn(&mut self, instance: usize, id: usize, order: Order) {
        let turn = self.instances[instance].turns.draw(order);
        self.node_mut(instance, id).key.turn = turn;
    }

    /// The node `id`, in no queue and with its level, comes in: it takes the processor of a less
    /// urgent one, or becomes READY. Whether it did the latter.
    pub(crate) fn enqueue(&mut self, instance: usize, id: usize, order: Order) -> bool {
        let order = self.order_among_equals(instance, id, order);
        self.draw_turn(instance, id, order);
        let Some(victim) = self.victim(instance, id) else {
            self.node_mut(instance, id).state = State::Ready;
            return true;
        };
        self.replace(instance, id, victim);
        false
    }

    /// The node `id` gets the processor of `victim`, unless its owner cannot use it.
    fn replace(&mut self, instance: usize, id: usize, victim: usize) {
        self.node_mut(instance, id).state = State::Blocked;
        let promotion = self.promotion(instance, id);
        if promotion != Promotion::Drop {
            let cpu = self.displace(instance, victim);
            self.attach(instance, id, promotion);
            self.seat_on(instance, id, cpu);
        }
    }

    /// Lets the policy try READY nodes again. Only weak affinity does.
    pub(crate) fn settle(&mut self, instance: usize) {
        while let Some((id, victim)) = self.again(instance) {
            self.replace(instance, id, victim);
        }
    }

    /// The SCHEDULED node `victim` becomes READY, first of its equals. The processor that is free
    /// now.
    fn displace(&mut self, instance: usize, victim: usize) -> Cpu {
        let cpu = self.take_out(instance, victim);
        self.node_mut(instance, victim).state = State::Ready;
        if self.is_idle_row(victim) {
            self.instances[instance].idle.push_front(victim);
        }
        if self.detach(instance, victim) && !self.threads[victim].helpers.is_empty() {
            self.request(victim);
        }
        cpu
    }

    fn attach(&mut self, instance: usize, id: usize, promotion: Promotion) {
        if promotion == Promotion::Owner {
            self.cancel_request(id);
            self.threads[id].presence = Presence::Scheduled;
        } else {
            self.borrow_idle(instance, id);
        }
    }

    /// The user of the node `id`, which lost its processor, has none. Whether the owner was the
    /// user.
    fn detach(&mut self, instance: usize, id: usize) -> bool {
        let ran = self.node(instance, id).idle.is_none();
        match ran {
            true => self.threads[id].presence = Presence::Ready,
            false => self.return_idle(instance, id),
        }
        ran
    }

    /// The most urgent READY node gets `cpu`, which is free.
    pub(crate) fn fill(&mut self, instance: usize, cpu: Cpu) {
        while let Some(id) = self.highest(instance, cpu) {
            self.node_mut(instance, id).state = State::Blocked;
            let promotion = self.promotion(instance, id);
            if promotion != Promotion::Drop {
                self.attach(instance, id, promotion);
                return self.seat_on(instance, id, cpu);
            }
        }
        if let Some(idle) = self.first_idle(instance) {
            self.seat_on(instance, idle, cpu);
        }
    }

    /// Gives the SCHEDULED node `id` its place again, at its level: it keeps its processor unless
    /// a READY one is before it now.
    pub(crate) fn reposition(&mut self, instance: usize, id: usize, order: Order) {
        let order = self.order_among_equals(instance, id, order);
        let cpu = self.take_out(instance, id);
        self.draw_turn(instance, id, order);
        // It is SCHEDULED and holds nothing, so it is no candidate. No idle thread is before it.
        while let Some(candidate) = self.highest(instance, cpu) {
            if self.key(instance, candidate) > self.key(instance, id) {
                break;
            }
            self.node_mut(instance, candidate).state = State::Blocked;
            let promotion = self.promotion(instance, candidate);
            if promotion != Promotion::Drop {
                let ran = self.detach(instance, id);
                // First of all: if it is an idle thread, the candidate may need it.
                self.become_ready(instance, id);
                self.attach(instance, candidate, promotion);
                self.seat_on(instance, candidate, cpu);
                if ran && !self.threads[id].helpers.is_empty() {
                    self.request(id);
                }
                return;
            }
        }
        self.put_in(instance, id, cpu);
        // If an idle thread substituted for an owner that is READY, the owner runs.
        if self.node(instance, id).idle.is_some() && self.can_use(instance, id) {
            self.take_over(instance, id);
        }
    }

    /// The node `id`, in no queue, becomes READY at its key.
    fn become_ready(&mut self, instance: usize, id: usize) {
        self.node_mut(instance, id).state = State::Ready;
        if self.is_idle_row(id) {
            self.instances[instance].idle.push_back(id);
        }
    }

    /// The node `id` is BLOCKED, whatever it was: the most urgent READY one gets its processor. The
    /// presence of its owner is the caller's business.
    pub(crate) fn withdraw(&mut self, instance: usize, id: usize) {
        let state = std::mem::replace(&mut self.node_mut(instance, id).state, State::Blocked);
        if state == State::Scheduled {
            let cpu = self.take_out(instance, id);
            self.return_idle(instance, id);
            self.fill(instance, cpu);
        }
    }
}
