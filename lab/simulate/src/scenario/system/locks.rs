//! Locks: not yet (until the library has them).
use super::SystemTarget;
use super::commands::Done;
use crate::scenario::command::{Command, LockName, ThreadName};
use crate::scenario::script::WaitEnd;
use crate::scenario::status::Status;
use crate::scenario::target::Refusal;
use taktos_schedule::smp::Thread;

impl SystemTarget<'_> {
    pub(super) fn locking(&mut self, _: &Command) -> Done {
        Err(Refusal::Status(Status::Unsupported))
    }
    pub(super) fn waits_not(&self, _: ThreadName) -> Done {
        Ok(())
    }
    pub(super) fn waits(&self, _: ThreadName) -> bool {
        false
    }
    pub(super) fn owner_of(&self, _: LockName) -> Option<Thread> {
        None
    }
    pub(super) fn waiters_of(&self, _: LockName) -> Vec<Thread> {
        Vec::new()
    }
    pub(super) fn end_of_wait(&self, _: ThreadName) -> WaitEnd {
        WaitEnd::None
    }
}
