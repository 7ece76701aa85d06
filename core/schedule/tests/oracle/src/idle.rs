//! Owns: the pool of idle threads. They are bound to no processor.

use crate::System;
use crate::rows::{Order, Presence, State};

impl System {
    /// The first READY idle thread, out of the pool.
    pub(crate) fn first_idle(&mut self, instance: usize) -> Option<usize> {
        let id = self.instances[instance].idle.pop_front()?;
        self.threads[id].presence = Presence::Scheduled;
        Some(id)
    }

    /// Lets the least urgent READY idle thread substitute for the owner of the node `id`.
    pub(crate) fn borrow_idle(&mut self, instance: usize, id: usize) -> Option<usize> {
        let idle = self.instances[instance].idle.pop_front()?;
        self.node_mut(instance, idle).state = State::Blocked;
        self.node_mut(instance, id).idle = Some(idle);
        self.threads[idle].presence = Presence::Scheduled;
        Some(idle)
    }

    /// Puts the idle thread that substitutes for the owner of the node `id`, if one does, back
    /// into the pool, after all.
    pub(crate) fn return_idle(&mut self, instance: usize, id: usize) {
        if let Some(idle) = self.node_mut(instance, id).idle.take() {
            self.draw_turn(instance, idle, Order::Append);
            self.node_mut(instance, idle).state = State::Ready;
            self.instances[instance].idle.push_back(idle);
            self.threads[idle].presence = Presence::Ready;
        }
    }

    /// Puts the READY idle threads after one that became SCHEDULED meanwhile, in their order.
    pub(crate) fn put_idle_behind(&mut self, instance: usize) {
        for at in 0..self.instances[instance].idle.len() {
            let id = self.instances[instance].idle[at];
            self.draw_turn(instance, id, Order::Append);
        }
    }
}
