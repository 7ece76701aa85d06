//! Owns: constant-bandwidth servers: budgets, and the deadlines that follow from them.

/// A row of the table of servers: the one of a thread.
#[derive(Clone, Debug, Default)]
pub struct ServerRecord;
