//! Owns: helping nodes: the instances that may help a thread, and when they are tried (spec 01,
//! 2.2, 2.4 and 4.4).
//! Must never know: the nature of a lock; the locks say which thread helps which.

use crate::System;
use crate::rows::{Order, Presence, State};
use taktos_schedule::Cpu;

impl System {
    /// Whether `instance` schedules the thread `id`: it is its home, or helps it.
    pub(crate) fn takes_part(&self, id: usize, instance: usize) -> bool {
        self.threads[id].home == instance || self.node(instance, id).helps > 0
    }

    /// The instances in which `id` may have a node in use, but the first: home where it is pinned
    /// elsewhere, then those that help, in the order in which they came.
    pub(crate) fn others(&self, id: usize) -> Vec<usize> {
        let record = &self.threads[id];
        let home = (record.home != record.first).then_some(record.home);
        let helpers = record.helpers.iter().copied();
        let helpers = helpers.filter(|at| *at != record.first && *at != record.home);
        home.into_iter().chain(helpers).collect()
    }

    /// One reason more why `instance` helps the thread `id`.
    ///
    /// Contribute its priority there before, and update its priority after.
    pub(crate) fn add_helping(&mut self, id: usize, instance: usize) {
        let node = self.node_mut(instance, id);
        node.helps += 1;
        if node.helps == 1 && self.threads[id].home != instance {
            self.threads[id].helpers.push(instance);
        }
    }

    /// Removes one reason why `instance` helps the thread `id`. With the last one the help ends at
    /// once: if it ran there, other instances are tried. Retract its contributions before, and
    /// update its priority after.
    pub(crate) fn remove_helping(&mut self, id: usize, instance: usize) {
        let node = self.node_mut(instance, id);
        node.helps -= 1;
        if node.helps > 0 || self.threads[id].home == instance {
            return;
        }
        self.threads[id].helpers.retain(|other| *other != instance);
        // In the instance where it is pinned, it stays until it is unpinned.
        if self.threads[id].first == instance {
            return;
        }
        let ran = self.node(instance, id).state == State::Scheduled;
        if ran {
            self.threads[id].presence = Presence::Ready;
        }
        self.withdraw(instance, id);
        if ran {
            self.ask_all(id);
        }
    }

    /// The node of the thread `id` in `instance` keeps its place from now on even when its owner
    /// cannot use it.
    pub(crate) fn make_sticky(&mut self, id: usize, instance: usize) {
        let node = self.node_mut(instance, id);
        node.sticky += 1;
        if node.state == State::Blocked {
            self.refresh(instance, id);
            self.enqueue(instance, id, Order::Append);
        }
    }

    /// Takes one [`System::make_sticky`] back. If an idle thread substitutes and is not to any
    /// longer, the owner takes its place if it waits for one. Otherwise the most urgent READY node
    /// does.
    pub(crate) fn clean_sticky(&mut self, id: usize, instance: usize) {
        let node = self.node_mut(instance, id);
        node.sticky -= 1;
        if node.state != State::Scheduled || node.idle.is_none() {
            return;
        }
        if self.can_use(instance, id) {
            self.take_over(instance, id);
        } else if !self.keeps_its_place(instance, id) {
            self.withdraw(instance, id);
        }
    }

    /// Makes the acting processor try all instances that may help the thread `id`, if it is ready
    /// and has no processor.
    pub(crate) fn request_help(&mut self, id: usize) {
        if self.threads[id].presence == Presence::Ready {
            self.request(id);
        }
    }

    /// If no instance helps, the acting processor only checks whether a thread spins for this one.
    pub(crate) fn request(&mut self, id: usize) {
        let cpu = self.acting;
        let record = &mut self.threads[id];
        if record.asks_on.is_some() || record.pinned_to.is_some() {
            return;
        }
        let asks = !record.helpers.is_empty();
        if asks {
            record.asks_on = Some(cpu);
            self.processor_mut(cpu).asks.push_back(id);
        }
        if asks || self.spinners > 0 {
            self.preempt(cpu);
        }
    }

    /// Takes back what `id` has requested, if it has.
    pub(crate) fn cancel_request(&mut self, id: usize) {
        if let Some(cpu) = self.threads[id].asks_on.take() {
            self.processor_mut(cpu).asks.retain(|other| *other != id);
        }
    }

    /// Carries out what is requested on `cpu`.
    pub(crate) fn answer_requests(&mut self, cpu: Cpu) {
        while let Some(id) = self.processor_mut(cpu).asks.pop_front() {
            self.threads[id].asks_on = None;
            self.ask_all(id);
        }
    }

    /// Tries the instances of `id` in order until one gives a processor.
    fn ask_all(&mut self, id: usize) {
        let first = self.threads[id].first;
        let mut all = std::iter::once(first).chain(self.others(id));
        all.any(|instance| self.ask(instance, id));
    }

    /// Tries to get the thread `id` a processor from one instance. Returns whether no other
    /// instance need be tried.
    pub(crate) fn ask(&mut self, instance: usize, id: usize) -> bool {
        let record = &self.threads[id];
        if record.pinned_to.is_some() {
            return true;
        }
        if record.presence != Presence::Ready {
            return false;
        }
        match self.node(instance, id).state {
            State::Ready => false,
            State::Scheduled => {
                self.take_over(instance, id);
                true
            }
            State::Blocked => {
                self.refresh(instance, id);
                !self.enqueue(instance, id, Order::Prepend)
            }
        }
    }

    /// A thread that was just switched in leaves the ready queue of its first instance, if it keeps
    /// no place there. Its other nodes stick for locks alone: one at home, while the thread is
    /// pinned elsewhere, stays where it is; one that helps is passed over.
    pub(crate) fn reconsider(&mut self, id: usize) {
        let record = &self.threads[id];
        let (first, presence) = (record.first, record.presence);
        let node = self.node(first, id);
        if presence == Presence::Scheduled && node.state == State::Ready && node.sticky == 1 {
            self.withdraw(first, id);
        }
    }
}
