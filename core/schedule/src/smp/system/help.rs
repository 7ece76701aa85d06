//! Owns: helping nodes: which instances may help a thread, and when they are asked (spec 01, 2.2, 2.4 and 4.4).
//! Must never know: what a lock is; the locks say who helps whom.

use super::System;
use crate::{
    Cpu,
    smp::{
        Effects, Thread,
        ids::{Instance, NONE},
        node::{NodeRecord, State},
        order::Order,
        thread::{Presence, ThreadRecord},
    },
};
use taktos_time::Instant;

impl System<'_> {
    /// Calls `act` for every instance in which `id` may have a node in use, but the first: home where it is pinned elsewhere,
    /// then those that help, in the order in which they came.
    pub(crate) fn for_each_other(&mut self, id: u16, mut act: impl FnMut(&mut Self, u8)) {
        let ThreadRecord {
            first,
            home,
            mut helper,
            ..
        } = *self.thread(id);
        if home != first {
            act(self, home);
        }
        while helper != NodeRecord::NO_HELPER {
            // Read before the act, which may end the help.
            let next = self.node(helper, id).next_helper;
            if helper != first && helper != home {
                act(self, helper);
            }
            helper = next;
        }
    }

    /// One reason more why `instance` helps `thread`. As many steps as instances help it.
    ///
    /// Contribute its priority there before, and update its priority after.
    pub(crate) fn add_helping(&mut self, thread: Thread, instance: Instance) {
        let (id, instance) = (thread.0, instance.0);
        let node = self.node_mut(instance, id);
        node.helps = node.helps.saturating_add(1);
        if node.helps > 1 || self.thread(id).home == instance {
            return;
        }
        self.node_mut(instance, id).next_helper = NodeRecord::NO_HELPER;
        let mut last = self.thread(id).helper;
        if last == NodeRecord::NO_HELPER {
            self.thread_mut(id).helper = instance;
            return;
        }
        loop {
            let next = self.node(last, id).next_helper;
            if next == NodeRecord::NO_HELPER {
                break;
            }
            last = next;
        }
        self.node_mut(last, id).next_helper = instance;
    }

    /// One reason less why `instance` helps `thread`. With the last one the help ends at once: a thread that ran there asks
    /// at home. Retract its contributions before, and update its priority after.
    pub(crate) fn remove_helping(
        &mut self,
        thread: Thread,
        instance: Instance,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let (id, instance) = (thread.0, instance.0);
        let node = self.node_mut(instance, id);
        node.helps = node.helps.saturating_sub(1);
        if node.helps > 0 || self.thread(id).home == instance {
            return;
        }
        self.unlink_helper(id, instance);
        // Where it is pinned, it stays until it is unpinned.
        if self.thread(id).first == instance {
            return;
        }
        let ran = self.state(instance, id) == State::Scheduled;
        if ran {
            self.thread_mut(id).presence = Presence::Ready;
        }
        self.withdraw(instance, id, now, effects);
        // The update of its priority that is due after asks the same instances, at the same levels, and nothing comes
        // between: without this nobody would run elsewhere. It stays because without it the kernel is dearer: `ask_all`, called
        // from one place only, then goes into the dispatch.
        if ran {
            self.ask_all(id, now, effects);
        }
    }

    fn unlink_helper(&mut self, id: u16, instance: u8) {
        let next = self.node(instance, id).next_helper;
        self.node_mut(instance, id).next_helper = NodeRecord::NO_HELPER;
        let mut at = self.thread(id).helper;
        if at == instance {
            self.thread_mut(id).helper = next;
            return;
        }
        while at != NodeRecord::NO_HELPER {
            let follows = self.node(at, id).next_helper;
            if follows == instance {
                self.node_mut(at, id).next_helper = next;
                return;
            }
            at = follows;
        }
    }

    /// The node of `thread` in `instance` keeps its place from now on even when its owner cannot use it. Insert + m steps.
    pub(crate) fn make_sticky(
        &mut self,
        thread: Thread,
        instance: Instance,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let (id, instance) = (thread.0, instance.0);
        let node = self.node_mut(instance, id);
        node.sticky = node.sticky.saturating_add(1);
        let blocked = node.state == State::Blocked;
        if blocked && !self.instances[instance as usize].closed {
            self.refresh(instance, id);
            self.enqueue(instance, id, Order::Append, now, effects);
        }
    }

    /// Takes one [`System::make_sticky`] back. Where an idle thread stands in and is not to any longer, the owner takes its
    /// place if it waits for one, and else the most urgent READY node does.
    pub(crate) fn clean_sticky(
        &mut self,
        thread: Thread,
        instance: Instance,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let (id, instance) = (thread.0, instance.0);
        let node = self.node_mut(instance, id);
        node.sticky = node.sticky.saturating_sub(1);
        if node.state != State::Scheduled || node.idle == NONE {
            return;
        }
        if self.can_use(instance, id) {
            self.take_over(instance, id, now, effects);
        } else if !self.keeps_its_place(instance, id) {
            self.vacate(instance, id, now, effects);
        }
    }

    /// The acting processor will ask all instances that may help `thread`. A fixed number of steps.
    pub(crate) fn request_help(&mut self, thread: Thread, effects: &mut impl Effects) {
        if self.thread(thread.0).presence == Presence::Ready {
            self.request(thread.0, effects);
        }
    }

    /// Who has no helper waits in the one instance that could be asked: the acting processor looks whether somebody spins for
    /// it, nothing more. So only threads of instances that are open ask.
    pub(crate) fn request(&mut self, id: u16, effects: &mut impl Effects) {
        let cpu = self.acting;
        let record = self.thread(id);
        if record.asks_on != ThreadRecord::NOWHERE || record.pinned_to != ThreadRecord::NOWHERE {
            return;
        }
        if record.helper == NodeRecord::NO_HELPER {
            if self.locks.anyone_spins() {
                effects.preempt(cpu);
            }
            return;
        }
        let home = record.home;
        // It may be helped no more before it is answered.
        self.instances[home as usize].involved += 1;
        let list = &mut self.processors[cpu.index()];
        let last = core::mem::replace(&mut list.asks_last, id);
        if last == NONE {
            list.asks_first = id;
        } else {
            self.thread_mut(last).ask_next = id;
        }
        let record = self.thread_mut(id);
        record.asks_on = cpu.index() as u8;
        record.ask_previous = last;
        record.ask_next = NONE;
        effects.preempt(cpu);
    }

    /// Takes back what `id` has requested, if it has.
    #[inline(always)]
    pub(crate) fn cancel_request(&mut self, id: u16) {
        if self.thread(id).asks_on != ThreadRecord::NOWHERE {
            self.unlink_request(id);
        }
    }

    fn unlink_request(&mut self, id: u16) {
        let record = self.thread_mut(id);
        let cpu = Cpu::masked(record.asks_on);
        record.asks_on = ThreadRecord::NOWHERE;
        let (next, previous) = (record.ask_next, record.ask_previous);
        let home = record.home;
        self.instances[home as usize].involved -= 1;
        if previous == NONE {
            self.processors[cpu.index()].asks_first = next;
        } else {
            self.thread_mut(previous).ask_next = next;
        }
        if next == NONE {
            self.processors[cpu.index()].asks_last = previous;
        } else {
            self.thread_mut(next).ask_previous = previous;
        }
    }

    /// Carries out what is requested on `cpu`. Each success takes a BLOCKED node to a processor, so there are at most as many
    /// rounds as requests and helping nodes.
    pub(crate) fn answer_requests(&mut self, cpu: Cpu, now: Instant, effects: &mut impl Effects) {
        loop {
            let id = self.processors[cpu.index()].asks_first;
            if id == NONE {
                return;
            }
            self.unlink_request(id);
            self.ask_all(id, now, effects);
        }
    }

    /// Asks the instances of `id` in order until one gives a processor.
    pub(crate) fn ask_all(&mut self, id: u16, now: Instant, effects: &mut impl Effects) {
        if self.lies_behind(id) {
            return;
        }
        let first = self.thread(id).first;
        if self.ask(first, id, now, effects) {
            return;
        }
        let mut served = false;
        self.for_each_other(id, |system, instance| {
            served = served || system.ask(instance, id, now, effects);
        });
    }

    /// Asks one instance to give the thread `id` a processor; whether nobody else need be asked. Insert + m steps.
    pub(crate) fn ask(
        &mut self,
        instance: u8,
        id: u16,
        now: Instant,
        effects: &mut impl Effects,
    ) -> bool {
        let record = self.thread(id);
        if record.pinned_to != ThreadRecord::NOWHERE {
            return true;
        }
        if record.presence != Presence::Ready {
            return false;
        }
        let node = self.node(instance, id);
        match node.state {
            State::Ready => false,
            State::Scheduled => {
                self.take_over(instance, id, now, effects);
                true
            }
            State::Blocked => {
                self.refresh(instance, id);
                !self.enqueue(instance, id, Order::Prepend, now, effects)
            }
        }
    }

    /// A thread that was just switched in leaves the ready queue of its first instance, if it keeps
    /// no place there. Its other nodes stick for locks alone: one at home, while the thread is
    /// pinned elsewhere, stays where it is; one that helps is passed over.
    pub(crate) fn reconsider(&mut self, id: u16, effects: &mut impl Effects) {
        let record = self.thread(id);
        let (first, presence) = (record.first, record.presence);
        let node = self.node(first, id);
        if presence == Presence::Scheduled && node.state == State::Ready && node.sticky == 1 {
            self.remove_ready(first, id, effects);
        }
    }
}
