//! Owns: processors that a world above takes away and gives back: virtual ones.
//! Must never know: why they are taken away, nor how that world decides.
//!
//! A guest is an [`Engine`] with virtual processors. It begins with all of them running. The world
//! above holds and releases them, and brings the guest's time forward to its own. The guest's
//! timers go off in the world's time. So a job is released also while its processor is held, and
//! then this processor has work to run. Time that is taken away counts as
//! [`crate::CpuStatistics::stolen`]. The guest's library does not see it, so budgets and slices
//! inside a guest run on.

use taktos_schedule::Cpu;

use super::Engine;
use super::event::{Class, key};
use super::processor::Use;
use super::tournament::NEVER;
use crate::{Observer, SimError};

impl<O: Observer> Engine<'_, O> {
    /// Handles all events up to `at`, those at `at` included.
    ///
    /// # Errors
    /// If the library refuses an operation of a job.
    pub fn advance_through(&mut self, at: u64) -> Result<(), SimError> {
        self.advance_before(key(at + 1, Class::StepEnd))?;
        self.board.processors.reach(at);
        Ok(())
    }

    /// The virtual processor `cpu` does not run from now on (the instant of the last
    /// [`Engine::advance_through`]), until [`Engine::let_go`]. No effect where it is held.
    pub fn hold(&mut self, cpu: Cpu) {
        if self.board.processors.row(cpu).held {
            return;
        }
        self.settle(cpu);
        let now = self.now();
        let row = self.board.processors.row_mut(cpu);
        row.held = true;
        // Work that the kernel has not done yet is done afterwards.
        row.owed = row.since - now;
        row.statistics.overhead -= row.owed;
        row.since = now;
        row.doing = Use::Stolen;
        row.ends = NEVER;
        self.board.processors.put_off(cpu);
        self.board.processors.refresh();
    }

    /// The virtual processor `cpu` runs again from now on. No effect where it is not held.
    pub fn let_go(&mut self, cpu: Cpu) {
        if !self.board.processors.row(cpu).held {
            return;
        }
        self.settle(cpu);
        let row = self.board.processors.row_mut(cpu);
        row.held = false;
        let owed = core::mem::take(&mut row.owed);
        row.charge(owed);
        self.proceed(cpu);
        self.park(cpu);
        self.board.processors.refresh();
    }

    /// Until when the guest's kernel works on the virtual processor `cpu`, which is not
    /// held; none when it does not. [`Engine::wants_to_run`] may change then without an event.
    pub fn kernel_until(&self, cpu: Cpu) -> Option<u64> {
        let row = self.board.processors.row(cpu);
        (!row.held && row.since > self.now()).then_some(row.since)
    }

    /// Whether the virtual processor `cpu` has something to do: a thread that is
    /// not idle, or a decision to take.
    pub fn wants_to_run(&self, cpu: Cpu) -> bool {
        let row = self.board.processors.row(cpu);
        row.request.get() != NEVER
            || row.waits_for.is_some()
            || row.owed > 0
            || row.since > self.now()
            || usize::from(row.task) < self.progress.len()
    }
}
