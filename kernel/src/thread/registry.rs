//! Owns: the list of all threads that exist. Must never know: what they do.

use crate::critical_section::{Guarded, Section};
use crate::thread::tcb::ThreadRef;

/// All threads that exist, the one created last first.
pub(crate) struct Registry {
    newest: Guarded<Option<ThreadRef>>,
}

fn link(thread: ThreadRef, s: Section) -> Option<&'static Guarded<Option<ThreadRef>>> {
    thread.info.get(s).map(|info| &info.next)
}

impl Registry {
    /// No thread exists.
    pub const fn new() -> Self {
        Self {
            newest: Guarded::new(None),
        }
    }

    /// Adds `thread`, which has just been created. Steps: one.
    pub fn add(&self, s: Section, thread: ThreadRef) {
        if let Some(next) = link(thread, s) {
            next.set(s, self.newest.get(s));
            self.newest.set(s, Some(thread));
        }
    }

    /// Takes out `thread`. Steps: the threads created since.
    pub fn remove(&'static self, s: Section, thread: ThreadRef) {
        let mut place = Some(&self.newest);
        while let Some(cell) = place {
            let Some(other) = cell.get(s) else { return };
            let next = link(other, s);
            if other == thread {
                cell.set(s, next.and_then(|next| next.get(s)));
                return;
            }
            place = next;
        }
    }

    /// Calls `visit` with each thread.
    pub fn for_each(&'static self, s: Section, mut visit: impl FnMut(ThreadRef)) {
        let mut next = self.newest.get(s);
        while let Some(thread) = next {
            next = link(thread, s).and_then(|next| next.get(s));
            visit(thread);
        }
    }
}
