//! Owns: signals that were sent and that no thread has taken yet, in the order in which they were
//! sent.
//! Must never know: their senders and receivers.

use super::super::timer;
use super::{Info, Set, bit};
use crate::object::Memory;
use crate::os::masked;
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr;

/// A signal that was sent.
pub struct Node {
    info: Cell<Info>,
    next: Cell<Option<&'static Node>>,
    /// Timer that owns it and sends it again and again; null for one that is in the heap alone.
    timer: *mut c_void,
    /// Whether it is in a list.
    is_pending: Cell<bool>,
}

/// A signal that was got.
pub struct Got {
    /// Information on the signal for the program.
    pub info: Info,
    own: Option<&'static Node>,
    timer: *mut c_void,
}

impl Got {
    /// Gives the signal's memory back, or continues its timer.
    pub fn settle(self) {
        match self.own {
            Some(node) => node.release(),
            None => timer::go_on(self.timer),
        }
    }
}

impl Node {
    /// One that a timer sends.
    pub fn of_timer(info: Info, timer: *mut c_void) -> Self {
        Self {
            info: Cell::new(info),
            next: Cell::new(None),
            timer,
            is_pending: Cell::new(false),
        }
    }

    /// One in the heap; none where there is no memory.
    pub fn allocate(info: Info) -> Option<&'static Self> {
        Memory::hold(Self::of_timer(info, ptr::null_mut()))
    }

    /// Gives its memory back, if it is its own.
    pub fn release(&'static self) {
        if self.timer.is_null() {
            // SAFETY: `allocate` has it from the heap, and it is in no list.
            unsafe { Memory::let_go(self) };
        }
    }

    /// Returns whether no thread has got it yet.
    pub fn is_pending(&self) -> bool {
        self.is_pending.get()
    }

    /// Nothing is done about it: as if it was got.
    pub fn ignore(&'static self) {
        let timer = self.timer;
        match timer.is_null() {
            true => self.release(),
            false => timer::go_on(timer),
        }
    }

    /// Information on the signal for the program.
    pub fn info(&self) -> Info {
        self.info.get()
    }
}

/// A list of them.
pub struct Pending(Cell<Option<&'static Node>>);

impl Pending {
    /// An empty one.
    pub(crate) const fn new() -> Self {
        Self(Cell::new(None))
    }

    /// Adds one, after the others. Steps: those that are there.
    pub fn add(&self, node: &'static Node) {
        masked(|| {
            let mut place = &self.0;
            while let Some(other) = place.get() {
                place = &other.next;
            }
            node.is_pending.set(true);
            node.next.set(None);
            place.set(Some(node));
        });
    }

    /// The signals that are there.
    pub fn set(&self) -> Set {
        let mut set = 0;
        masked(|| {
            let mut next = self.0.get();
            while let Some(node) = next {
                set |= bit(node.info.get().number);
                next = node.next.get();
            }
        });
        set
    }

    /// Takes the first of those with the lowest number out of `wanted`.
    pub fn take(&self, wanted: Set) -> Option<Got> {
        masked(|| {
            let mut best: Option<&'static Node> = None;
            let mut next = self.0.get();
            while let Some(node) = next {
                let number = node.info.get().number;
                let is_better = best.is_none_or(|best| number < best.info.get().number);
                if bit(number) & wanted != 0 && is_better {
                    best = Some(node);
                }
                next = node.next.get();
            }
            let best = best?;
            self.unlink(best);
            Some(Got {
                info: best.info.get(),
                own: best.timer.is_null().then_some(best),
                timer: best.timer,
            })
        })
    }

    /// Takes `node` out, if it is there.
    pub fn remove(&self, node: &'static Node) {
        masked(|| self.unlink(node));
    }

    /// Masked.
    fn unlink(&self, node: &'static Node) {
        let mut place = &self.0;
        while let Some(other) = place.get() {
            if ptr::eq(other, node) {
                place.set(node.next.take());
                node.is_pending.set(false);
                return;
            }
            place = &other.next;
        }
    }
}
