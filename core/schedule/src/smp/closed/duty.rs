//! Owns: whether the seats of an instance decide, and by which ways they are found.
//! Must never know: how they decide.

use core::cell::Cell;

/// Whether the seats of an instance decide: one of these, or none where they do not.
pub(super) struct Duty {
    /// They decide, and the usual ways find them.
    found: Cell<bool>,
    /// They decide, and only the slow ways find them.
    watched: Cell<bool>,
}

impl Duty {
    /// They do not decide.
    pub(super) const fn new() -> Self {
        Self {
            found: Cell::new(false),
            watched: Cell::new(false),
        }
    }

    /// They decide.
    #[inline(always)]
    pub(super) fn is_on(&self) -> bool {
        self.found.get() || self.watched.get()
    }

    /// They decide, and the usual ways find them.
    #[inline(always)]
    pub(super) fn is_unwatched(&self) -> bool {
        self.found.get()
    }

    /// They decide, and are watched.
    pub(super) fn is_watched(&self) -> bool {
        self.watched.get()
    }

    /// They begin to decide, or end.
    pub(super) fn set(&self, on: bool) {
        self.found.set(on);
        self.watched.set(false);
    }

    /// They are watched from now on, or no longer. Nothing where they do not decide.
    pub(super) fn watch(&self, on: bool) {
        if self.is_on() {
            self.found.set(!on);
            self.watched.set(on);
        }
    }
}
