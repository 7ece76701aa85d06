//! Owns: what locks and servers do to jobs.
//! Must never know: how a protocol decides who waits, and who is next.
//!
//! Until the library's locks are here a workload with locks is refused.

use taktos_schedule::Cpu;
use taktos_schedule::smp::Error;

use super::Engine;
use crate::{Observer, SimError};

impl<O: Observer> Engine<'_, O> {
    /// Makes the plan's locks.
    pub(super) fn make_locks(&mut self) -> Result<(), SimError> {
        match self.plan.locks.first() {
            None => Ok(()),
            Some(lock) => Err(SimError::SetUp {
                what: format!("lock `{}`", lock.name),
                error: Error::NotDefined,
            }),
        }
    }

    pub(super) fn obtain(&mut self, task: usize, _: u16, _: Cpu) -> Result<bool, SimError> {
        Err(self.refused(task, "obtaining a lock", Error::NotDefined))
    }

    pub(super) fn surrender(&mut self, task: usize, _: u16) -> Result<(), SimError> {
        Err(self.refused(task, "surrendering a lock", Error::NotDefined))
    }

    pub(super) fn stop_waiting(&mut self, task: usize) -> Result<(), SimError> {
        Err(self.refused(task, "waiting for a lock", Error::NotDefined))
    }
}
