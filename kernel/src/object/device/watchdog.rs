//! A watchdog: the hardware is fed while each of several parts of a program feeds in time.
//!
//! Owns: the deadlines of the parts, and when the hardware is fed. Must never know: which watchdog
//! the hardware is.

use crate::critical_section::Guarded;
use crate::object::Semaphore;
use crate::sched::hold;
use crate::{Error, Kernel, System, Timeout};
use core::marker::PhantomData;
use taktos_machine::Machine;
use taktos_time::{Duration, Instant};

/// The hardware of a [`Watchdog`]. The calls come from the thread that serves it.
pub trait WatchdogPort: Sync {
    /// Starts the hardware, or starts it again with another span: it resets the chip if it is not
    /// fed for `span`, or for a span of up to twice that. Errors: `Parameter` for a span that the
    /// hardware does not have.
    fn start(&self, span: Duration) -> Result<(), Error>;
    /// Feeds the hardware: its span begins again. Bound: fixed.
    fn feed(&self);
}

/// A watchdog of the hardware for up to `N` parts of a program, such as threads. Each registers
/// with a span and feeds within it. One thread serves the watchdog, at best the most urgent one: it
/// feeds the hardware as long as no deadline is missed. Made to be a static.
pub struct Watchdog<S: System, P: WatchdogPort, const N: usize> {
    port: P,
    places: [Guarded<Option<Part>>; N],
    /// A part has been registered: its deadline may be the first.
    changed: Semaphore<S>,
}

/// A part that is registered.
#[derive(Clone, Copy)]
struct Part {
    name: &'static str,
    span: Duration,
    /// The instant before which it is to be fed.
    deadline: Instant,
}

impl<S: System, P: WatchdogPort, const N: usize> Watchdog<S, P, N> {
    /// The watchdog of `port`, with no part.
    pub const fn new(port: P) -> Self {
        Self {
            port,
            places: [const { Guarded::new(None) }; N],
            changed: Semaphore::binary(0),
        }
    }

    /// Returns the hardware's port.
    pub const fn port(&self) -> &P {
        &self.port
    }

    /// Registers a part, which is to be fed within `span` from now and from each feeding. Allowed
    /// in interrupt handlers.
    ///
    /// Bound: one step for each of the `N` places, and a wake. Errors: `Parameter` for a span of no
    /// length; `Limit` if there are `N` parts.
    pub fn register(
        &'static self,
        name: &'static str,
        span: Duration,
    ) -> Result<WatchdogPart<S>, Error> {
        if span == Duration::ZERO {
            return Err(Error::Parameter);
        }
        let held = hold::<S>();
        let cs = held.section();
        let free = self.places.iter().find(|place| place.get(cs).is_none());
        let place = free.ok_or(Error::Limit)?;
        let deadline = Kernel::<S>::now().saturating_add(span);
        place.set(
            cs,
            Some(Part {
                name,
                span,
                deadline,
            }),
        );
        drop(held);
        // If this fails, the server is notified already.
        let _ = self.changed.give();
        Ok(WatchdogPart {
            place,
            system: PhantomData,
        })
    }

    /// Serves the watchdog in the calling thread: starts the hardware with `span`, and feeds it at
    /// least each half of that until a part misses its deadline. Then the hardware is fed no more,
    /// the console says which part it was, and the answer is the part's name: what the thread does
    /// until the reset is the program's.
    ///
    /// Errors: those of [`WatchdogPort::start`]; `Cancelled`, after which the hardware is not fed
    /// either; `Context` in an interrupt handler.
    pub fn serve(&'static self, span: Duration) -> Result<&'static str, Error> {
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        self.port.start(span)?;
        let half = Duration::from_nanos(span.as_nanos() / 2);
        loop {
            let now = Kernel::<S>::now();
            let end = now.saturating_add(half);
            let next = match self.first_deadline(now) {
                Ok(first) => first.map_or(end, |first| first.min(end)),
                Err(name) => {
                    report::<S>(name);
                    return Ok(name);
                }
            };
            self.port.feed();
            match self.changed.take(Timeout::until(next)) {
                Ok(()) | Err(Error::Timeout) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the deadline that is the first after `now`, if there is a part; the name of the part
    /// that missed its deadline before all others, if one did. Bound: one step for each place.
    fn first_deadline(&'static self, now: Instant) -> Result<Option<Instant>, &'static str> {
        let held = hold::<S>();
        let parts = self
            .places
            .iter()
            .filter_map(|place| place.get(held.section()));
        match parts.min_by_key(|part| part.deadline) {
            Some(part) if part.deadline <= now => Err(part.name),
            first => Ok(first.map(|part| part.deadline)),
        }
    }
}

fn report<S: System>(name: &str) {
    for text in ["watchdog: '", name, "' was not fed in time\n"] {
        S::write(text);
    }
}

/// A part that a [`Watchdog`] watches, until this is dropped.
///
/// A thread that is stopped or deleted drops nothing, so the part of a thread that ended like this
/// misses its deadline.
pub struct WatchdogPart<S: System> {
    place: &'static Guarded<Option<Part>>,
    system: PhantomData<S>,
}

impl<S: System> WatchdogPart<S> {
    /// Feeds: the span begins again. Allowed in interrupt handlers.
    ///
    /// Bound: fixed, and a reading of the clock. Errors: `Timeout` at the deadline and after it;
    /// such a part has missed its deadline for good, whenever the server sees it.
    pub fn feed(&self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let now = Kernel::<S>::now();
        let part = self.place.get(cs).filter(|part| part.deadline > now);
        let part = part.ok_or(Error::Timeout)?;
        let deadline = now.saturating_add(part.span);
        self.place.set(cs, Some(Part { deadline, ..part }));
        Ok(())
    }
}

impl<S: System> Drop for WatchdogPart<S> {
    /// Ends the watch over the part.
    fn drop(&mut self) {
        self.place.set(hold::<S>().section(), None);
    }
}
