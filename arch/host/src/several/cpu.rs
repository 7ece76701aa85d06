//! Owns: the state of one simulated processor.
//! Must never know: the other processors; what threads do.

use crate::agenda::{Agenda, NEVER};
use crate::several::world::PATIENCE;
use std::cell::Cell;
use std::ptr;
use taktos_machine::Processor;

/// Activity of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// It has not been started.
    Off,
    /// It can continue.
    Acts,
    /// It waits for the lock.
    Waits,
    /// It is busy until then; where it listens, interrupts come in before.
    Busy {
        /// In nanoseconds.
        until: u64,
        /// Whether interrupts are let in.
        listens: bool,
    },
    /// It waits for an interrupt.
    Idles,
    /// It waits until no other processor can do anything at this instant.
    Settles,
}

/// A simulated processor.
pub struct Cpu {
    /// Running thread and heir.
    pub cells: &'static Processor,
    /// Whether interrupts are masked.
    pub masked: Cell<bool>,
    /// Whether a handler runs.
    pub in_interrupt: Cell<bool>,
    /// Whether an interrupt ends, and the heir has not been looked at yet.
    pub looks: Cell<bool>,
    /// Activity of the processor.
    pub doing: Cell<Doing>,
    /// The coroutine that it runs. Not always that of the current thread's context: that may be
    /// prepared again.
    pub fibre: Cell<usize>,
    /// Whether that coroutine ends with the next switch.
    pub doomed: Cell<bool>,
    /// Events that are due on it.
    pub agenda: Agenda,
    /// Whether a call is on its way here.
    pub coming: Cell<bool>,
    /// Whether a call has come and is still to be handled.
    pub called: Cell<bool>,
    /// Values that the thread that was switched to is resumed with: status and word.
    pub answer: Cell<(usize, usize)>,
    /// Whether calls to it stay on their way.
    pub held: Cell<bool>,
    /// At how many points of one instant it loses time.
    pub patience: Cell<u32>,
    /// Since when no time has passed for it, and at how many points others could have acted.
    pub stands: Cell<(u64, u32)>,
}

impl Cpu {
    /// A processor that is off.
    pub fn new() -> Self {
        Self {
            cells: Box::leak(Box::new(Processor::EMPTY)),
            masked: Cell::new(false),
            in_interrupt: Cell::new(false),
            looks: Cell::new(false),
            doing: Cell::new(Doing::Off),
            fibre: Cell::new(0),
            doomed: Cell::new(false),
            agenda: Agenda::new(),
            coming: Cell::new(false),
            called: Cell::new(false),
            answer: Cell::new((0, 0)),
            held: Cell::new(false),
            patience: Cell::new(PATIENCE),
            stands: Cell::new((0, 0)),
        }
    }

    /// Off again, as before the first run.
    pub fn reset(&self) {
        self.cells.current.set(ptr::null());
        self.cells.heir.set(ptr::null());
        self.masked.set(false);
        self.in_interrupt.set(false);
        self.looks.set(false);
        self.doing.set(Doing::Off);
        self.fibre.set(0);
        self.doomed.set(false);
        self.agenda.reset();
        self.coming.set(false);
        self.called.set(false);
        self.answer.set((0, 0));
        self.held.set(false);
        self.patience.set(PATIENCE);
        self.stands.set((0, 0));
    }

    /// Whether it can do something at `now`.
    pub fn can_act(&self, now: u64) -> bool {
        match self.doing.get() {
            Doing::Off | Doing::Waits | Doing::Settles => false,
            Doing::Acts => true,
            Doing::Busy { until, listens } => {
                until <= now || listens && (self.called.get() || self.agenda.next() <= now)
            }
            Doing::Idles => self.called.get() || self.agenda.next_event() <= now,
        }
    }

    /// Returns when it can do something, if no other processor does anything before.
    pub fn next(&self) -> u64 {
        match self.doing.get() {
            Doing::Off | Doing::Acts | Doing::Waits | Doing::Settles => NEVER,
            Doing::Busy { until, listens } => {
                let event = if listens { self.agenda.next() } else { NEVER };
                until.min(event)
            }
            Doing::Idles => self.agenda.next_event(),
        }
    }

    /// Whether a call is on its way here that may arrive now.
    pub fn can_be_reached(&self) -> bool {
        self.coming.get() && !self.held.get()
    }

    /// Whether it is going to look at its heir, whatever happens.
    pub fn will_look(&self) -> bool {
        self.coming.get() || self.called.get() || self.in_interrupt.get() || self.looks.get()
    }
}
