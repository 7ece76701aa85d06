//! Owns: the reasons for which a run of partitions is refused or cannot continue.
//! Must never know: the file or line that the workload came from.

use taktos_schedule::vcpu;

use crate::SimError;

/// Reason for which a run of partitions is refused or cannot continue: the cause and the hint in
/// one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartitionError {
    /// No partition.
    #[error("the workload has no partition: give at least one, or run its tasks on clusters")]
    NoPartition,
    /// Partitions without a pool.
    #[error("the workload has partitions but no pool: give at least one pool of processors")]
    NoPool,
    /// A pool without processors.
    #[error("pool `{0}` has no processor: give it one, or leave it out")]
    EmptyPool(String),
    /// One processor in two pools.
    #[error("processor {cpu} is in pool `{first}` and in pool `{second}`: take it out of one")]
    SharedProcessor {
        /// The processor.
        cpu: usize,
        /// One pool.
        first: String,
        /// The other.
        second: String,
    },
    /// Two pools or two partitions have one name.
    #[error("two {kind}s are called `{name}`: rename one")]
    SameName {
        /// `pool` or `partition`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A partition names a pool that there is not.
    #[error("partition `{partition}` is in pool `{pool}`, which there is not: name one of {known}")]
    UnknownPool {
        /// The partition.
        partition: String,
        /// The name that it gives.
        pool: String,
        /// The names that there are.
        known: String,
    },
    /// A window for a virtual processor that there is not in that pool.
    #[error(
        "pool `{pool}` has a window for virtual processor {vcpu} of partition `{partition}`, which is not in it: name one that is"
    )]
    UnknownWindow {
        /// The pool.
        pool: String,
        /// The partition that the window names.
        partition: String,
        /// The virtual processor that it names.
        vcpu: u16,
    },
    /// A partition with no virtual processors, or more than 64.
    #[error("partition `{partition}` has {count} virtual processors: give it 1 to 64")]
    Vcpus {
        /// The partition.
        partition: String,
        /// How many it has.
        count: usize,
    },
    /// More virtual processors than there is room for.
    #[error("{0} virtual processors: at most 65000 fit in one simulation")]
    TooManyVcpus(usize),
    /// A virtual processor may use no processor of its pool.
    #[error(
        "virtual processor {vcpu} of partition `{partition}` may use no processor of its pool: widen its affinity"
    )]
    Stranded {
        /// The partition.
        partition: String,
        /// Which of its virtual processors.
        vcpu: usize,
    },
    /// A horizon of nothing, or beyond 2⁶⁰ ns.
    #[error("the run is to last {0} ns: give it 1 to 2^60 ns (about 36 years)")]
    Horizon(u64),
    /// Something is wrong inside a partition.
    #[error("partition `{partition}`: {error}")]
    Guest {
        /// The partition.
        partition: String,
        /// Error inside the partition.
        error: SimError,
    },
    /// The pool's scheduler refuses a parameter of a virtual processor or of its partition.
    #[error("partition `{partition}`: refused by the scheduler of its pool: {error}")]
    Vcpu {
        /// The partition.
        partition: String,
        /// Why.
        error: vcpu::Error,
    },
    /// The scheduler refuses a parameter of the pool.
    #[error("pool `{pool}`: {error}")]
    Pool {
        /// The pool.
        pool: String,
        /// Why.
        error: vcpu::Error,
    },
    /// An invariant of a scheduler did not hold: a bug in it.
    #[error(
        "at {at} ns a law of the scheduler of pool `{pool}` is broken: {violation}: a bug, please report it with the workload"
    )]
    Broken {
        /// When.
        at: u64,
        /// The pool.
        pool: String,
        /// The invariant.
        violation: vcpu::Violation,
    },
}
