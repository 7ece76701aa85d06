//! Owns: the queries of the locks to the rest of the system about threads and nodes.
//! Must never know: what a lock is.

use crate::smp::order::Level;
use crate::smp::{Instance, System, Thread};

impl System<'_> {
    /// The home of `thread`.
    pub(super) fn home(&self, thread: Thread) -> Instance {
        Instance(self.thread(thread.0).home)
    }

    /// Whether `instance` schedules `thread`: it is its home, or helps it.
    pub(super) fn takes_part(&self, thread: Thread, instance: Instance) -> bool {
        self.home(thread) == instance || self.node(instance.0, thread.0).helps > 0
    }

    /// The most urgent of all that contributes to the priority of `thread` in `instance`.
    pub(super) fn effective(&self, thread: Thread, instance: Instance) -> Level {
        self.wanted(instance.0, thread.0)
    }

    /// Which of `parties` are involved in locks.
    pub(super) fn involved<const N: usize>(&self, parties: [Option<Thread>; N]) -> [bool; N] {
        parties.map(|party| party.is_some_and(|thread| self.locks.is_involved(thread)))
    }

    /// Counts `parties`, of which some were involved `before`, among those of their homes that are.
    pub(super) fn count_involved<const N: usize>(
        &mut self,
        parties: [Option<Thread>; N],
        before: [bool; N],
    ) {
        for (party, before) in parties.into_iter().zip(before) {
            let Some(thread) = party else { continue };
            let home = self.home(thread);
            let is = self.locks.is_involved(thread);
            let involved = &mut self.instances[home.index()].involved;
            *involved = *involved + u32::from(is) - u32::from(before);
            if is != before {
                self.locks.seats_owners_anew |= 1 << home.index();
            }
            if is {
                self.locks.list(thread);
            }
        }
    }

    /// How many threads of `instance` can run at a time; 1 for one that has no processor now.
    pub(super) fn room(&self, instance: Instance) -> usize {
        let processors = self.instances[instance.index()].owned.count();
        processors.max(1)
    }
}
