//! Owns: the latest events of a world, for the report when an invariant is violated.
//! Must never know: the invariants.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt::{self, Write as _};

/// How many events are kept.
const KEPT: usize = 40;

/// Something that a processor did.
#[derive(Clone, Copy)]
pub enum Event {
    /// It requested the lock, which another processor held.
    Waits,
    /// It got the lock.
    Locks,
    /// It gave the lock back.
    Unlocks,
    /// It went on with the coroutine of this number.
    Switches(usize),
    /// An interrupt came.
    Interrupt(&'static str),
    /// It called the processor of this number.
    Calls(usize),
    /// The call to it arrived.
    Arrives,
    /// It began to wait for an interrupt.
    Idles,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waits => f.write_str("waits for the lock"),
            Self::Locks => f.write_str("has the lock"),
            Self::Unlocks => f.write_str("gives the lock back"),
            Self::Switches(fibre) => write!(f, "goes on with the coroutine {fibre}"),
            Self::Interrupt(kind) => write!(f, "is interrupted: {kind}"),
            Self::Calls(other) => write!(f, "calls processor {other}"),
            Self::Arrives => f.write_str("has a call arrive"),
            Self::Idles => f.write_str("idles"),
        }
    }
}

/// The last events of a world.
pub struct History(RefCell<VecDeque<(u64, usize, Event)>>);

impl History {
    /// Nothing has happened.
    pub const fn new() -> Self {
        Self(RefCell::new(VecDeque::new()))
    }

    /// Forgets all.
    pub fn reset(&self) {
        self.0.borrow_mut().clear();
    }

    /// Notes what `processor` did at `now`.
    pub fn note(&self, now: u64, processor: usize, event: Event) {
        let mut events = self.0.borrow_mut();
        if events.len() == KEPT {
            events.pop_front();
        }
        events.push_back((now, processor, event));
    }

    /// One line for each event, the latest last.
    pub fn tell(&self) -> String {
        let mut text = String::new();
        for (now, processor, event) in self.0.borrow().iter() {
            let _ = writeln!(text, "  {now:>12} ns  processor {processor} {event}");
        }
        text
    }
}
