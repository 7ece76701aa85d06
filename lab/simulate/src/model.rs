//! Owns: the parts of a workload: tasks, the steps of their jobs, locks, servers, partitions.
//! Must never know: which task runs when, and which file the workload came from.
//!
//! Everything is in integer nanoseconds. Tasks, locks and servers are named
//! by their place in their list.

use taktos_schedule::CpuSet;
use taktos_time::{Duration, Instant};

use crate::Policy;

/// Workload: tasks on the processors themselves, and partitions next to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    /// Name of the workload.
    pub name: String,
    /// The tasks; where nothing else decides, the earlier one goes first.
    pub tasks: Vec<Task>,
    /// The locks that the tasks share.
    pub locks: Vec<LockSpec>,
    /// The servers that the tasks call.
    pub servers: Vec<ServerSpec>,
    /// Pools of processors under a VCPU policy.
    pub pools: Vec<Pool>,
    /// Guests, each with tasks of its own.
    pub partitions: Vec<Partition>,
}

/// A stream of jobs, all of which do the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Name of the task; no two tasks of a workload (or of a partition) share a name.
    pub name: String,
    /// When its jobs arrive.
    pub arrival: Arrival,
    /// A job's deadline, counted from its arrival. None: the period (the
    /// minimum separation); a task that comes once has none then.
    pub deadline: Option<Duration>,
    /// Its priority, 0 the most urgent. None: by relative deadline, the
    /// shortest first, ties by the order in the list.
    pub priority: Option<u32>,
    /// The processors that it may use. None: all of its cluster.
    pub affinity: Option<CpuSet>,
    /// Its cluster's name. None: the first cluster that has a processor of its affinity.
    pub cluster: Option<String>,
    /// Its execution budget. The policy `cbs` enforces it with a server, and the server's deadlines
    /// replace those of the jobs. The other policies ignore the budget. None: no limit.
    pub budget: Option<Budget>,
    /// Treatment of a job that is not done by its deadline.
    pub late: Late,
    /// Steps of each job, in this order.
    pub body: Vec<Step>,
}

impl Task {
    /// A task that arrives every `period` and runs for `execution` each time;
    /// its deadline is the next arrival.
    pub fn periodic(name: &str, execution: Duration, period: Duration) -> Self {
        Self {
            name: name.to_owned(),
            arrival: Arrival::Periodic {
                period,
                offset: Duration::ZERO,
                jitter: Duration::ZERO,
            },
            deadline: None,
            priority: None,
            affinity: None,
            cluster: None,
            budget: None,
            late: Late::Queue,
            body: vec![Step::Run(Execution::Fixed(execution))],
        }
    }

    /// The deadline relative to the arrival, given or implied.
    pub fn relative_deadline(&self) -> Option<Duration> {
        self.deadline.or(match self.arrival {
            Arrival::Periodic { period, .. } => Some(period),
            Arrival::Sporadic { min_separation, .. } => Some(min_separation),
            Arrival::Once { .. } => None,
        })
    }
}

/// When the jobs of a task arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// At `offset`, and every `period` from then on.
    Periodic {
        /// From one arrival to the next, at least 1 ns.
        period: Duration,
        /// The first arrival.
        offset: Duration,
        /// A job becomes ready up to this much after its arrival, evenly
        /// distributed; never before its predecessor became ready. Deadline
        /// and response time count from the arrival.
        jitter: Duration,
    },
    /// At `offset`, and then with separations evenly distributed in a range.
    Sporadic {
        /// The shortest separation, at least 1 ns.
        min_separation: Duration,
        /// The longest separation.
        max_separation: Duration,
        /// The first arrival.
        offset: Duration,
    },
    /// One single job.
    Once {
        /// Its arrival.
        at: Instant,
    },
}

/// Treatment of a job that is not done by its deadline. The job counts as missed in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Late {
    /// It runs to its end; later jobs wait for it in order of arrival, and
    /// keep their own deadlines.
    #[default]
    Queue,
    /// It ends at its deadline, where it is; its locks are given back.
    Abort,
    /// It runs to its end; jobs that arrive meanwhile are dropped, and count as missed.
    Skip,
    /// It runs to its end, and the next job arrives then: separations count from that instant, also
    /// those of [`Step::Until`] within a job.
    Shift,
}

/// An execution budget: at most `runtime` in every `period`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Execution time, at least 1 ns.
    pub runtime: Duration,
    /// The replenishment period, at least `runtime`.
    pub period: Duration,
    /// Whether the task waits for the next period when the runtime is used up. If not, it continues
    /// with a deadline one period later.
    pub hard: bool,
}

/// One thing that a job does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Uses a processor.
    Run(Execution),
    /// Obtains the lock, and waits for it as its protocol says.
    Lock(LockId),
    /// Surrenders the lock.
    Unlock(LockId),
    /// Sleeps, without a processor; a timer wakes it.
    Suspend(Execution),
    /// Sleeps until this much after the job's arrival, without a processor. If it is later already,
    /// the job continues at once.
    Until(Duration),
    /// Calls a server and waits for its answer. The server works on the
    /// caller's time and at the most urgent priority of those that call it,
    /// one caller at a time.
    Call {
        /// The server.
        server: ServerId,
        /// How long the server works for this call.
        service: Execution,
    },
}

/// A length of time, the same for all jobs or drawn for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Execution {
    /// Always the same.
    Fixed(Duration),
    /// Evenly distributed, both ends included.
    Uniform {
        /// The shortest.
        min: Duration,
        /// The longest, at least `min`.
        max: Duration,
    },
    /// Each job draws one of these, all equally likely; at least one.
    Samples(Vec<Duration>),
}

impl Execution {
    /// The longest that can come.
    pub fn longest(&self) -> Duration {
        match self {
            Self::Fixed(time) => *time,
            Self::Uniform { max, .. } => *max,
            Self::Samples(samples) => samples.iter().copied().max().unwrap_or(Duration::ZERO),
        }
    }
}

/// The place of a lock in [`Workload::locks`] (or [`Partition::locks`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockId(pub u16);

/// The place of a server in [`Workload::servers`] (or [`Partition::servers`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerId(pub u16);

/// A lock that tasks share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockSpec {
    /// Name of the lock.
    pub name: String,
    /// How it keeps waiting times bounded.
    pub protocol: Protocol,
    /// Ceilings by name of cluster, for the protocols that have them. A
    /// cluster without one: the most urgent priority at which a task of it can ask for the
    /// lock, what it has from the locks that it holds then included.
    pub ceilings: Vec<(String, u32)>,
}

/// How a lock keeps waiting times bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Not at all: waiters are served by priority.
    None,
    /// The owner inherits the most urgent waiter's priority, in each cluster
    /// that has waiters; clusters are served in turn.
    #[default]
    Inheritance,
    /// As [`Protocol::Inheritance`], with the queues of OMIP: at most 2m − 1 requests block one.
    Omip,
    /// The owner runs at the lock's ceiling at once; users are of one cluster.
    Ceiling,
    /// Waiters spin at their cluster's ceiling, and the owner may run in their place.
    MrsP,
}

/// A passive server: it has no thread of its own time, its callers lend theirs.
///
/// It is modelled as a lock with inheritance that is held for the service:
/// callers wait in order of priority, and the one that is served runs at the
/// most urgent waiter's priority. So the caller's budget pays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    /// Name of the server.
    pub name: String,
}

/// A guest: tasks of its own on virtual processors, under a policy of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Name of the partition.
    pub name: String,
    /// The name of its pool. None: the first pool.
    pub pool: Option<String>,
    /// Its virtual processors, at least one.
    pub vcpus: Vec<VcpuSpec>,
    /// Its share of a pool by weight. None: the policy's default.
    pub weight: Option<u32>,
    /// The most it may use, in per cent of one processor. None: no cap.
    pub cap: Option<u32>,
    /// The guest's own policy: one instance over all its virtual processors.
    pub policy: Policy,
    /// The guest's tasks. Their affinity is in virtual processors; they have no cluster.
    pub tasks: Vec<Task>,
    /// The guest's locks.
    pub locks: Vec<LockSpec>,
    /// The guest's servers.
    pub servers: Vec<ServerSpec>,
}

/// A virtual processor. A value that its pool's policy has no use for stays without effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VcpuSpec {
    /// RTDS and SEDF: the period. None: the policy's default.
    pub period: Option<Duration>,
    /// RTDS: the budget; SEDF: the slice. None: the policy's default.
    pub budget: Option<Duration>,
    /// RTDS and SEDF: whether it may use spare time. None: the policy's default.
    pub extra_time: Option<bool>,
    /// The processors that it may use. None: all of the pool.
    pub hard_affinity: Option<CpuSet>,
    /// The processors that it prefers. None: all that it may use.
    pub soft_affinity: Option<CpuSet>,
}

/// Processors under one VCPU policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Name of the pool.
    pub name: String,
    /// Its processors; no two pools (and no pool and cluster) share one.
    pub cpus: CpuSet,
    /// Its policy.
    pub policy: VcpuPolicy,
    /// Whether it behaves like Xen 4.5 instead of current Xen.
    pub xen45: bool,
}

/// A VCPU policy and what a user sets of it; None is the policy's default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VcpuPolicy {
    /// Proportional share with boost.
    Credit {
        /// The time slice.
        slice: Option<Duration>,
        /// How long a VCPU runs at least.
        ratelimit: Option<Duration>,
        /// Whether idle processors steal work.
        balance: bool,
    },
    /// Proportional share by credit order.
    Credit2 {
        /// How long a VCPU runs at least.
        ratelimit: Option<Duration>,
        /// Processors of one run queue, at most.
        queue_cpus: Option<u8>,
        /// Whether queues exchange work.
        balance: bool,
    },
    /// Global EDF over deferrable servers.
    Rtds,
    /// Partitioned EDF with period, slice and extra time.
    Sedf,
    /// One VCPU a processor, at most.
    Null,
    /// A table of windows.
    Arinc653 {
        /// The major frame, at least the sum of the windows.
        frame: Duration,
        /// The windows, one after the other from the frame's start.
        windows: Vec<Window>,
    },
}

/// A window of an ARINC 653 table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The partition's name.
    pub partition: String,
    /// Which of its virtual processors.
    pub vcpu: u16,
    /// How long.
    pub runtime: Duration,
}
