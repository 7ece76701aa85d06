//! The kernel on several processors: who runs where is the scheduling library's decision.
//!
//! Owns: what the kernel keeps beside [`Kernel`] where there is more than one processor, and how it asks the library.
//! Must never know: a policy, an architecture.
//!
//! One law ties the two together: a thread is blocked in the library, for the reason [`BLOCKED`], just while the kernel has
//! it wait, suspended, or not started. The kernel's own objects need not know more: they make threads ready and take them off,
//! as on one processor, and what follows for which processor the library tells by its effects.
//!
//! All is done with the machine's one lock held. A thread enters the kernel only while nobody has decided that another one
//! is to run in its place: [`hold`](crate::section::hold) sees to that. So the running thread is always ready, as on one processor.
#![expect(
    unsafe_code,
    reason = "the library's state is shared by all processors"
)]

mod alarm;
mod api;
mod effects;
mod jobs;
mod lock;
mod memory;
mod place;
mod start;
mod turn;

pub use lock::{ClusterMutex, ClusterProtocol};
pub use memory::SeveralMemory;
pub use start::run_several;
pub(crate) use turn::mask_several;

use crate::System;
use crate::section::{Guarded, Section};
use crate::tcb::ThreadRef;
use crate::timeout_queue::TimeoutQueue;
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::sync::atomic::AtomicBool;
use effects::Doings;
use taktos_machine::Machine;
use taktos_schedule::smp;
use taktos_schedule::{Cpu, smp::Reasons};
use taktos_time::Instant;

/// The most processors that a system can have.
const MOST: usize = Cpu::COUNT;

/// Why a thread is blocked in the library: the kernel has its own reasons. (Of the library's names the one is taken that
/// lets a thread be moved.)
const BLOCKED: Reasons = Reasons::TIME;

/// Whether `S` has several processors. Known to the compiler: what belongs to the other case is not in the program.
#[inline(always)]
pub(crate) const fn several<S: System>() -> bool {
    <S::Machine as Machine>::PROCESSORS > 1
}

/// What the kernel keeps where there are several processors. A board has one, in its [`SeveralMemory`].
pub struct Several<S> {
    system: Shared,
    /// The thread of each row of the library's table.
    threads: Guarded<&'static [Guarded<Option<ThreadRef>>]>,
    idle: [Guarded<Option<ThreadRef>>; MOST],
    pub(crate) timeouts: [TimeoutQueue; MOST],
    /// How many rows of locks the library has.
    locks: Guarded<usize>,
    /// When the library wants to look at the budget of a processor's heir.
    budgets: [Guarded<Option<Instant>>; MOST],
    /// Whether another processor has changed what a processor's alarm is for.
    rearm: [AtomicBool; MOST],
    owner: PhantomData<fn() -> S>,
}

/// The library's state.
struct Shared(UnsafeCell<Option<smp::System<'static>>>);

// SAFETY: reached by `Several::ask` alone, which demands a section: there is no concurrent access.
unsafe impl Sync for Shared {}

impl<S: System> Several<S> {
    const fn new() -> Self {
        Self {
            system: Shared(UnsafeCell::new(None)),
            threads: Guarded::new(&[]),
            idle: [const { Guarded::new(None) }; MOST],
            timeouts: [const { TimeoutQueue::new() }; MOST],
            locks: Guarded::new(0),
            budgets: [const { Guarded::new(None) }; MOST],
            rearm: [const { AtomicBool::new(false) }; MOST],
            owner: PhantomData,
        }
    }

    /// Asks the library, or tells it, something; `None` before the start. `question` must not come back here: it has no
    /// way to, for all it gets is the library and what notes its effects.
    #[inline(always)]
    fn ask<R>(
        &self,
        _: Section,
        here: usize,
        question: impl FnOnce(&mut smp::System<'static>, Instant, &mut Doings<S>) -> R,
    ) -> Option<R> {
        // SAFETY: in a section, so nobody else is here; and `question` does not nest, as said above.
        let system = unsafe { &mut *self.system.0.get() };
        let now = S::Machine::now();
        let mut doings = Doings::new(self, here);
        let system = system.as_mut()?;
        if let Some(here) = Cpu::new(here) {
            system.act_on(here);
        }
        Some(question(system, now, &mut doings))
    }

    /// Takes over what the start has made.
    fn begin(
        &self,
        s: Section,
        system: smp::System<'static>,
        threads: &'static [Guarded<Option<ThreadRef>>],
        locks: usize,
    ) {
        self.threads.set(s, threads);
        self.locks.set(s, locks);
        // SAFETY: as in `ask`.
        unsafe { *self.system.0.get() = Some(system) };
    }

    /// The thread of a row of the library's table.
    fn thread(&self, s: Section, row: smp::Thread) -> Option<ThreadRef> {
        self.threads.get(s).get(row.index())?.get(s)
    }

    fn idle_of(&self, s: Section, processor: usize) -> Option<ThreadRef> {
        self.idle.get(processor)?.get(s)
    }
}
