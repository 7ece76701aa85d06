//! Owns: the list of all threads that exist. Must never know: what they do.

use crate::critical_section::{CriticalSection, Guarded};
use crate::thread::tcb::ThreadRef;

/// All threads that exist, the one created last first.
pub(crate) struct Registry {
    newest: Guarded<Option<ThreadRef>>,
}

fn link(thread: ThreadRef, cs: CriticalSection<'_>) -> Option<&'static Guarded<Option<ThreadRef>>> {
    thread.info.get(cs).map(|info| &info.next)
}

impl Registry {
    /// No thread exists.
    pub const fn new() -> Self {
        Self {
            newest: Guarded::new(None),
        }
    }

    /// Adds `thread`, which has just been created. Steps: one.
    pub fn add(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if let Some(next) = link(thread, cs) {
            next.set(cs, self.newest.get(cs));
            self.newest.set(cs, Some(thread));
        }
    }

    /// Takes out `thread`. Steps: the threads created since.
    pub fn remove(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let mut place = Some(&self.newest);
        while let Some(cell) = place {
            let Some(other) = cell.get(cs) else { return };
            let next = link(other, cs);
            if other == thread {
                cell.set(cs, next.and_then(|next| next.get(cs)));
                return;
            }
            place = next;
        }
    }

    /// The thread created last.
    pub fn newest(&'static self, cs: CriticalSection<'_>) -> Option<ThreadRef> {
        self.newest.get(cs)
    }

    /// Returns the thread created before `thread`; none if `thread` does not exist any more.
    pub fn older(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) -> Option<ThreadRef> {
        match thread.exists(cs) {
            true => link(thread, cs)?.get(cs),
            false => None,
        }
    }

    /// Calls `visit` with each thread.
    pub fn for_each(&'static self, cs: CriticalSection<'_>, mut visit: impl FnMut(ThreadRef)) {
        let mut next = self.newest.get(cs);
        while let Some(thread) = next {
            next = link(thread, cs).and_then(|next| next.get(cs));
            visit(thread);
        }
    }
}
