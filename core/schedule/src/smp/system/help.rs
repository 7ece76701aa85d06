//! Owns: helping nodes: which instances may help a thread, and when they are tried (spec 01, 2.2,
//! 2.4 and 4.4). Must never know: a lock; the locks determine which thread helps which.

use super::System;
use crate::smp::{Thread, ids::Instance, node::NodeRecord};

impl System<'_> {
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

    /// One reason less why `instance` helps `thread`. With the last one the help ends.
    /// Retract its contributions before, and update its priority after.
    pub(crate) fn remove_helping(&mut self, thread: Thread, instance: Instance) {
        let (id, instance) = (thread.0, instance.0);
        let node = self.node_mut(instance, id);
        node.helps = node.helps.saturating_sub(1);
        if node.helps > 0 || self.thread(id).home == instance {
            return;
        }
        self.unlink_helper(id, instance);
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
}
