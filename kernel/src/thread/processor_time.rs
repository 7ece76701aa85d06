//! Owns: the processor time that each thread has had if there is one processor, in a kernel with
//! the feature `processor-time`. Must never know: the use of the figures.
//!
//! Time is charged by decisions: from the one by which a thread becomes the heir to the next by
//! which another one does. So a handler's time is that of the thread that it interrupts.

use super::AnyThread;
use super::info::Info;
use super::tcb::{Running, ThreadRef};
use crate::critical_section::{CriticalSection, Guarded};
use crate::sched::{hold, is_smp};
use crate::{Kernel, System};
use taktos_machine::Machine;
use taktos_time::{Duration, Instant};

/// The processor time that a thread has had.
pub(crate) struct Metered {
    had: Guarded<Duration>,
    /// Since when it is the heir; meaningful while it is.
    since: Guarded<Instant>,
    /// The clock; none if the thread's time is not charged by it.
    clock: Guarded<Option<fn() -> Instant>>,
}

impl Metered {
    /// That of a thread that was not created yet.
    pub const fn new() -> Self {
        Self {
            had: Guarded::new(Duration::ZERO),
            since: Guarded::new(Instant::START),
            clock: Guarded::new(None),
        }
    }

    /// The thread begins to exist.
    pub fn begin<S: System>(&self, cs: CriticalSection<'_>) {
        self.had.set(cs, Duration::ZERO);
        let is_charged = !is_smp::<S>();
        self.clock.set(cs, is_charged.then_some(S::Machine::now));
    }

    /// Returns the time that it has had at `now`, at which it still is the heir.
    fn had_at(&self, cs: CriticalSection<'_>, now: Instant) -> Duration {
        self.had
            .get(cs)
            .saturating_add(now.since(self.since.get(cs)))
    }
}

fn metered(thread: ThreadRef, cs: CriticalSection<'_>) -> Option<&'static Metered> {
    thread.info.get(cs).map(|info: &Info| &info.metered)
}

impl Running {
    /// Charges the present heir: `next` is about to become the heir in its place.
    #[inline(always)]
    pub(super) fn charge(self, cs: CriticalSection<'_>, next: ThreadRef) {
        if !self.0.heir.get().is_null() && self.heir(cs) != next {
            charge(cs, self.heir(cs), next);
        }
    }
}

#[inline(never)]
fn charge(cs: CriticalSection<'_>, last: ThreadRef, next: ThreadRef) {
    let [last, next] = [last, next].map(|thread| metered(thread, cs));
    let clock = |metered: &'static Metered| metered.clock.get(cs);
    // An idle thread has none of its own.
    let Some(now) = next.and_then(clock).or(last.and_then(clock)) else {
        return;
    };
    let now = now();
    if let Some(last) = last {
        last.had.set(cs, last.had_at(cs, now));
    }
    if let Some(next) = next {
        next.since.set(cs, now);
    }
}

impl<S: System> AnyThread<S> {
    /// The processor time that the thread has had since it was created, with that of the handlers
    /// that interrupted it. Allowed in interrupt handlers. Bound: fixed.
    pub fn processor_time(&'static self) -> Duration {
        let thread = self.reference();
        let held = hold::<S>();
        let cs = held.section();
        match metered(thread, cs) {
            _ if is_smp::<S>() => Kernel::<S>::time_of(cs, thread),
            None => Duration::ZERO,
            Some(metered) if Kernel::<S>::running().heir(cs) == thread => {
                metered.had_at(cs, S::Machine::now())
            }
            Some(metered) => metered.had.get(cs),
        }
    }
}
