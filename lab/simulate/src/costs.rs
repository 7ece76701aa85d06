//! Owns: the costs of a kernel's operations, and how such a figure is given.
//! Must never know: which operation happens when.

use taktos_time::Duration;

/// Cost of one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// Nothing.
    #[default]
    Zero,
    /// Always the same.
    Constant(Duration),
    /// A piecewise-linear function of the number of tasks: points (tasks,
    /// cost), by rising number, at least one. Before the first and after the
    /// last point it is level; in between it is rounded up to whole nanoseconds.
    Linear(Vec<(u32, Duration)>),
    /// Recorded costs; each act draws one, all equally likely; at least one.
    Samples(Vec<Duration>),
}

/// Costs of a kernel's operations. All are processor time except the IPI, which is a delay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// A job's release: timer interrupt and wake-up, on the processor where
    /// the task ran last (before its first job: the lowest one of its cluster).
    pub release: Cost,
    /// A decision: each time a processor receives a request to look for its heir.
    pub schedule: Cost,
    /// A switch from one thread to another, the idle thread among them.
    pub switch: Cost,
    /// From one processor's request to another's attention: a delay, which uses no processor.
    pub ipi: Cost,
    /// Extra cost of a switch to a thread that ran last on another processor: caches.
    pub migration: Cost,
}

impl Costs {
    /// Nothing costs anything.
    pub const FREE: Self = Self {
        release: Cost::Zero,
        schedule: Cost::Zero,
        switch: Cost::Zero,
        ipi: Cost::Zero,
        migration: Cost::Zero,
    };
}
