//! Owns: the pool of idle threads. They are bound to no processor.

use super::System;
use crate::smp::{ids::NONE, node::State, order::Order, thread::Presence};

impl System<'_> {
    /// The first READY idle thread, out of the pool; NONE cannot be while a processor is free.
    #[inline]
    pub(crate) fn first_idle(&mut self, instance: u8) -> u16 {
        let (record, nodes) = self.split(instance);
        let id = record.idle.first;
        if id != NONE {
            record.idle.remove(nodes, id);
            self.thread_mut(id).presence = Presence::Scheduled;
        }
        id
    }

    /// The least urgent READY idle thread stands in for the owner of the node `id`.
    pub(crate) fn borrow_idle(&mut self, instance: u8, id: u16) -> u16 {
        let (record, nodes) = self.split(instance);
        let idle = record.idle.last;
        if idle != NONE {
            record.idle.remove(nodes, idle);
            nodes[idle as usize].state = State::Blocked;
            nodes[id as usize].idle = idle;
            self.thread_mut(idle).presence = Presence::Scheduled;
        }
        idle
    }

    /// The idle thread that stands in for the owner of the node `id`, if one does, goes back into the pool, behind all.
    #[inline]
    pub(crate) fn return_idle(&mut self, instance: u8, id: u16) {
        let (record, nodes) = self.split(instance);
        let idle = core::mem::replace(&mut nodes[id as usize].idle, NONE);
        if idle != NONE {
            let node = &mut nodes[idle as usize];
            node.key.turn = record.turns.draw(Order::Append);
            node.state = State::Ready;
            record.idle.push_back(nodes, idle);
            self.thread_mut(idle).presence = Presence::Ready;
        }
    }

    /// The READY idle threads are behind one that became SCHEDULED meanwhile, in their order. As many steps as there are.
    pub(crate) fn put_idle_behind(&mut self, instance: u8) {
        let (record, nodes) = self.split(instance);
        let mut id = record.idle.first;
        while id != NONE {
            nodes[id as usize].key.turn = record.turns.draw(Order::Append);
            id = nodes[id as usize].next;
        }
    }
}
