//! Owns: the requests of the oracle to the world, and its answers to a processor.
//! Must never know: how the world does it.

use taktos_schedule::Cpu;
use taktos_schedule::smp::Thread;
use taktos_time::Instant;

/// The acts of the world for the oracle. The calls only take note; none may call the oracle back.
pub trait Effects {
    /// Another thread is to run on `cpu`, or work waits there:
    /// [`System::dispatch`](crate::System::dispatch) is to be called for it.
    fn preempt(&mut self, cpu: Cpu);

    /// Requests a call of [`System::expire`](crate::System::expire) for `cpu` at `at`, instead of
    /// the time requested before; none disarms.
    fn arm(&mut self, cpu: Cpu, at: Option<Instant>);
}

/// A world that ignores all effects: for tests that dispatch every processor anyway.
impl Effects for () {
    fn preempt(&mut self, _: Cpu) {}
    fn arm(&mut self, _: Cpu, _: Option<Instant>) {}
}

/// The next act of a processor, having given up the registers of the thread that it executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Dispatch {
    /// Load the registers of this thread: it executes.
    Run(Thread),
    /// The registers of the thread that is to run are still on another processor. This one is to
    /// be dispatched again when that one has been, or when it is [notified](Effects::preempt):
    /// until then it executes nothing.
    Wait {
        /// The thread that is to run.
        thread: Thread,
        /// Where its registers are.
        registers_on: Cpu,
    },
}
