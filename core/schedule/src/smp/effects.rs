//! Owns: what the scheduler asks of the world. Must never know: how the world does it.

use super::closed::Place;
use super::{Instance, Level, Priority, Thread};
use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

/// What the world does for the scheduler. The calls only take note; none may call the scheduler back.
pub trait Effects {
    /// The heir of `cpu` has changed, or work waits there: call [`System::dispatch`](super::System::dispatch) for it as soon
    /// as that processor can (an interrupt where it is another one, a flag where it is this one).
    fn preempt(&mut self, cpu: Cpu);

    /// Call [`System::expire`](super::System::expire) for `cpu` at `at`, instead of the time asked for before; none disarms.
    /// Only instances with budgets ask for it.
    fn arm(&mut self, cpu: Cpu, at: Option<Instant>);

    /// Whether the world has rings of its own for the READY threads of `instance`. About these it is asked with the calls below,
    /// and they stand where the [`Decider`](super::closed::Decider) of the instance finds them; all others stand in the tables.
    #[inline(always)]
    fn keeps(&self, _instance: Instance) -> bool {
        false
    }

    /// `thread` is READY from now on, at `level`: in front of its equals or behind them. Where threads are kept with their turns, "in
    /// front" is behind those whose `turn`, which was put with them, is less.
    fn put(
        &mut self,
        _instance: Instance,
        _thread: Thread,
        _level: Level,
        _place: Place,
        _turn: i64,
    ) {
    }

    /// `thread`, which was put at `level`, is READY no more.
    fn take(&mut self, _instance: Instance, _thread: Thread, _level: Level) {}

    /// The most urgent of those that were put that `will_do`, with its priority, and with its turn where the policy has affinities.
    fn first(
        &self,
        _instance: Instance,
        _will_do: impl FnMut(Thread) -> bool,
    ) -> Option<(Thread, Priority, Option<i64>)> {
        None
    }

    /// How long `thread` was the heir of processors beside what the tables count.
    #[inline(always)]
    fn charged(&self, _thread: Thread) -> Duration {
        Duration::ZERO
    }

    /// `thread`, which was [put](Effects::put) or is about to be, has a server with this deadline, whose budget is used up when it
    /// was [charged](Effects::charged) for `limit`.
    fn serve(&mut self, _instance: Instance, _thread: Thread, _deadline: Level, _limit: Duration) {}

    /// `thread`, which is at home in an instance whose READY threads the world [keeps](Effects::keeps), is
    /// throttled from now on: it waits for its budget; or it is not any more.
    #[inline(always)]
    fn throttle(&mut self, _thread: Thread, _on: bool) {}

    /// Some of those that are put in `instance`, where deadlines count, are bound to processors from now on, and all are kept with
    /// their turns: `turn` says those of them that were put before, with their priorities, which are asked about in their order.
    fn binds(&mut self, _instance: Instance, _turn: impl FnMut(Thread, Priority) -> i64) {}

    /// `thread` may run on `cpus` alone from now on in `instance`, its home.
    #[inline(always)]
    fn bind(&mut self, _instance: Instance, _thread: Thread, _cpus: CpuSet) {}
}

/// A world that is told nothing: for tests that dispatch every processor anyway.
impl Effects for () {
    fn preempt(&mut self, _: Cpu) {}
    fn arm(&mut self, _: Cpu, _: Option<Instant>) {}
}

/// What a processor shall do, having given up the registers of the thread that it executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Dispatch {
    /// Load the registers of this thread: it executes.
    Run(Thread),
    /// The heir's registers are still on another processor. Dispatch this one again when that one has been dispatched, or
    /// when told to [`Effects::preempt`] it: another heir may be chosen meanwhile. Until then it executes nothing.
    Wait {
        /// The heir.
        thread: Thread,
        /// Where its registers are.
        registers_on: Cpu,
    },
}
