//! Owns: the locking protocols. Must never know: how a policy orders its queues.

/// A row of the table of locks.
#[derive(Clone, Debug, Default)]
pub struct LockRecord;
