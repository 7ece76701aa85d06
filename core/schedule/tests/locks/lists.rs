//! What a storm knows of locks by the answers alone.

use taktos_schedule::smp::{Lock, Protocol, Thread};

/// Who owns what how often, who waits for what: kept by the answers alone.
#[derive(Default)]
pub struct Lists {
    pub locks: Vec<Lock>,
    /// Of each lock, by its row.
    pub protocols: Vec<Option<Protocol>>,
    pub owners: Vec<(Lock, Thread, u32)>,
    pub waits: Vec<(Thread, Lock)>,
}

impl Lists {
    pub fn owner(&self, lock: Lock) -> Option<Thread> {
        self.owners
            .iter()
            .find(|one| one.0 == lock)
            .map(|one| one.1)
    }

    pub fn waits_for(&self, thread: Thread) -> Option<Lock> {
        self.waits
            .iter()
            .find(|one| one.0 == thread)
            .map(|one| one.1)
    }

    pub fn protocol(&self, lock: Lock) -> Option<Protocol> {
        self.protocols[lock.index()]
    }

    pub fn inherits(&self, lock: Lock) -> bool {
        use Protocol::{Inheritance, MrsP, Omip};
        matches!(self.protocol(lock), Some(Inheritance | Omip | MrsP))
    }

    pub fn stop_waiting(&mut self, thread: Thread) {
        self.waits.retain(|one| one.0 != thread);
    }
}
