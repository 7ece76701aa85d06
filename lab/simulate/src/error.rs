//! Owns: the reasons for which a simulation is refused or cannot continue.
//! Must never know: the file or line that the workload came from.

use taktos_schedule::smp;

/// Reason for which a simulation is refused or cannot continue: the cause and the hint in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// Neither a cluster nor a processor.
    #[error("no cluster has a processor: give at least one cluster with at least one processor")]
    NoProcessor,
    /// A cluster without processors.
    #[error("cluster `{0}` has no processor: give it one, or leave it out")]
    EmptyCluster(String),
    /// One processor in two clusters.
    #[error(
        "processor {cpu} is in cluster `{first}` and in cluster `{second}`: take it out of one"
    )]
    SharedProcessor {
        /// The processor.
        cpu: usize,
        /// One cluster.
        first: String,
        /// The other.
        second: String,
    },
    /// Two things of one kind have one name.
    #[error("two {kind}s are called `{name}`: rename one")]
    SameName {
        /// `task`, `lock`, `server` or `cluster`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// More than there is room for.
    #[error("{count} {what}: at most {limit} fit in one simulation")]
    TooMany {
        /// Name of the items of which there are too many.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A horizon of nothing, or beyond 2⁶⁰ ns.
    #[error("the run is to last {0} ns: give it 1 to 2^60 ns (about 36 years)")]
    Horizon(u64),
    /// A task names a cluster that there is not.
    #[error("task `{task}` is in cluster `{cluster}`, which there is not: name one of {known}")]
    UnknownCluster {
        /// The task.
        task: String,
        /// The name that it gives.
        cluster: String,
        /// The names that there are.
        known: String,
    },
    /// A task may use none of its cluster's processors.
    #[error("task `{task}` may use no processor of its cluster: widen its affinity")]
    NowhereToRun {
        /// The task.
        task: String,
    },
    /// A value out of its range.
    #[error("task `{task}`: {what}: {hint}")]
    Value {
        /// The task.
        task: String,
        /// Cause of the error.
        what: &'static str,
        /// Right value, as a hint.
        hint: &'static str,
    },
    /// A cost out of its range.
    #[error("cost `{cost}`: {what}: {hint}")]
    Cost {
        /// Which cost.
        cost: &'static str,
        /// Cause of the error.
        what: &'static str,
        /// Right value, as a hint.
        hint: &'static str,
    },
    /// A step names a lock or a server that there is not, or leaves locks in disorder.
    #[error("task `{task}`, step {step}: {what}")]
    Step {
        /// The task.
        task: String,
        /// Which step, counted from 1.
        step: usize,
        /// Cause of the error, and its hint.
        what: &'static str,
    },
    /// A lock with a ceiling for a cluster that there is not.
    #[error(
        "lock `{lock}` has a ceiling for cluster `{cluster}`, which there is not: name one of {known}"
    )]
    CeilingCluster {
        /// The lock.
        lock: String,
        /// The name that it gives.
        cluster: String,
        /// The names that there are.
        known: String,
    },
    /// A ceiling is one of the priorities that a rule replaces.
    #[error(
        "lock `{lock}` has a ceiling in the file's priorities, which {order} replaces: leave its ceilings out, or take fp"
    )]
    GivenCeilings {
        /// The lock.
        lock: String,
        /// The rule's name.
        order: &'static str,
    },
    /// Partitions need a hypervisor, which this entry does not bring.
    #[error("the workload has partitions: run it with the hypervisor's policies")]
    Partitions,
    /// The library refused the set-up.
    #[error("{what}: refused: {error}")]
    SetUp {
        /// Operation that was tried.
        what: String,
        /// Why it was refused.
        error: smp::Error,
    },
    /// The library refused what a job does.
    #[error("task `{task}`, job {job}, at {at} ns: {what}: refused: {error}")]
    Refused {
        /// The task.
        task: String,
        /// Which of its jobs, counted from 0.
        job: u64,
        /// When.
        at: u64,
        /// Operation that was tried.
        what: String,
        /// Why it was refused.
        error: smp::Error,
    },
    /// The machine has no threads to give.
    #[error("no worker threads: {0}: ask for fewer")]
    Workers(String),
    /// An invariant of the library did not hold: a bug in it.
    #[error(
        "at {at} ns a law of the scheduler is broken: {law}: a bug, please report it with the workload"
    )]
    Broken {
        /// When.
        at: u64,
        /// The invariant.
        law: String,
    },
}
