//! Owns: which tables a system needs. Must never know: where they come from.

use super::{
    InstanceRecord, NodeRecord, ProcessorRecord, ThreadRecord, contribution::ContributionRecord,
    lock::LockMemory, policy::cbs::ServerRecord,
};

/// The tables of a [`System`](super::System), which the caller owns: statics in a kernel, vectors
/// in a simulator.
///
/// With t threads to be created at most, p processors (the highest number + 1) and i instances:
#[derive(Debug, Default)]
pub struct Memory<'a> {
    /// t + the number of processors online: the last rows are the idle threads.
    pub threads: &'a mut [ThreadRecord],
    /// As many as `threads`, i times.
    pub nodes: &'a mut [NodeRecord],
    /// i.
    pub instances: &'a mut [InstanceRecord],
    /// p.
    pub processors: &'a mut [ProcessorRecord],
    /// With l locks: l·i + `threads`; none without locks.
    pub contributions: &'a mut [ContributionRecord],
    /// Those of the locks; [`LockMemory::default`] for a system without locks.
    pub locks: LockMemory<'a>,
    /// As many as `threads` where an instance is [`PolicyKind::Cbs`](super::PolicyKind::Cbs);
    /// otherwise none.
    pub servers: &'a mut [ServerRecord],
}
