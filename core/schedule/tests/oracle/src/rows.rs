//! Owns: what is kept of threads, nodes, instances and processors, and what is more urgent than
//! what.
//! Must never know: what follows from a change.

use crate::server::Server;
use std::collections::VecDeque;
use taktos_schedule::smp::{Level, Lock, Outcome, PolicyKind, Priority, Reasons};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

/// Where a thread goes among its equals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// After them: it preempts none of them.
    Append,
    /// In front of them: it preempts the last of them.
    Prepend,
}

/// The position of a node in its instance: by level, then by turn. No two nodes of an instance
/// have the same key.
///
/// Those appended draw ascending turns, those prepended descending ones that are below all of the
/// former. A turn is drawn when a node is enqueued, and kept when it moves between READY and
/// SCHEDULED.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Key {
    pub level: Level,
    pub turn: i64,
}

/// The counters that turns are drawn from.
#[derive(Debug)]
pub(crate) struct Turns {
    up: i64,
    down: i64,
}

impl Turns {
    pub fn draw(&mut self, order: Order) -> i64 {
        match order {
            Order::Append => {
                self.up += 1;
                self.up
            }
            Order::Prepend => {
                self.down -= 1;
                self.down
            }
        }
    }
}

/// Whether a thread has a processor; it has at most one, whichever of its nodes got it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    Blocked,
    Ready,
    Scheduled,
}

/// A thread, whatever the instance.
#[derive(Debug)]
pub(crate) struct ThreadRow {
    /// CPU time up to the last change of an heir.
    pub cpu_time: Duration,
    /// The requested processors, reduced to those that are online.
    pub affinity: CpuSet,
    pub reasons: Reasons,
    pub presence: Presence,
    pub exists: bool,
    pub home: usize,
    /// The instance of the node that comes first: home, or where it is pinned.
    pub first: usize,
    /// The other instances that help, in the order in which they came.
    pub helpers: Vec<usize>,
    /// The processor that has it as its heir, or had it last.
    pub cpu: Option<Cpu>,
    /// The processor that holds its registers.
    pub live_on: Option<Cpu>,
    /// How often it is pinned.
    pub pins: u16,
    /// The processor to which the pin has taken effect.
    pub pinned_to: Option<Cpu>,
    /// The processor that will carry out its request for help.
    pub asks_on: Option<Cpu>,
    /// The priority of its own with which it was created, or came to its home.
    pub initial: Priority,
    pub server: Option<Server>,
    /// The lock that it waits for.
    pub lock: Option<Lock>,
    /// To what it was raised while it spins for that; [`Level::NONE`] when it is blocked.
    pub raised: Level,
    /// How its last wait ended; none while it lasts.
    pub outcome: Option<Outcome>,
}

impl ThreadRow {
    /// A row without a thread.
    pub const EMPTY: Self = Self {
        cpu_time: Duration::ZERO,
        affinity: CpuSet::ALL,
        reasons: Reasons::DORMANT,
        presence: Presence::Blocked,
        exists: false,
        home: 0,
        first: 0,
        helpers: Vec::new(),
        cpu: None,
        live_on: None,
        pins: 0,
        pinned_to: None,
        asks_on: None,
        initial: Priority::MOST_URGENT,
        server: None,
        lock: None,
        raised: Level::NONE,
        outcome: None,
    };
}

/// Where a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Blocked,
    Ready,
    /// Holds a processor.
    Scheduled,
}

/// One thread in one instance.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its position. The level is that of the last update.
    pub key: Key,
    /// The real priority, which contributes by itself (home only).
    pub real: Level,
    /// The deadline of its job or server, which contributes (home only).
    pub deadline: Level,
    /// The contributions of locks.
    pub shares: Vec<(Lock, Level)>,
    /// The processors that this node may hold.
    pub mask: CpuSet,
    pub state: State,
    /// The processor it holds while it is SCHEDULED.
    pub cpu: Option<Cpu>,
    /// +1 while the owner is unblocked (first node only), +1 for each lock that makes it stick.
    pub sticky: usize,
    /// How many reasons this node has to help.
    pub helps: usize,
    /// The idle thread that substitutes for the owner.
    pub idle: Option<usize>,
}

impl Node {
    /// Creates an unused one, with `real` as its priority.
    pub const fn new(real: Level) -> Self {
        Self {
            key: Key {
                level: Level::NONE,
                turn: i64::MAX,
            },
            real,
            deadline: Level::NONE,
            shares: Vec::new(),
            mask: CpuSet::ALL,
            state: State::Blocked,
            cpu: None,
            sticky: 0,
            helps: 0,
            idle: None,
        }
    }
}

/// An instance.
#[derive(Debug)]
pub(crate) struct InstanceRow {
    pub name: [u8; 4],
    pub kind: PolicyKind,
    pub owned: CpuSet,
    pub turns: Turns,
    /// The node that holds each processor.
    pub holders: [Option<usize>; Cpu::COUNT],
    /// The idle threads that are READY, in the order in which they are taken.
    pub idle: VecDeque<usize>,
    /// Under deadlines: whether a node was ever bound to a processor.
    pub binds: bool,
    /// Under weak affinity: the node that was compared last and was not READY since, and the one
    /// that left the SCHEDULED ones last, with none entered since. They keep their turns when they
    /// enter.
    pub arrives: Option<usize>,
    pub leaves: Option<usize>,
    /// Under strong affinity: the node that was chosen last, and the processors along which others
    /// shift for it: it takes the first one.
    pub newcomer: Option<usize>,
    pub route: Vec<Cpu>,
}

impl InstanceRow {
    /// One with these processors, none of which is held yet.
    pub const fn new(name: [u8; 4], kind: PolicyKind, owned: CpuSet) -> Self {
        Self {
            name,
            kind,
            owned,
            turns: Turns { up: 0, down: 0 },
            holders: [None; Cpu::COUNT],
            idle: VecDeque::new(),
            binds: false,
            arrives: None,
            leaves: None,
            newcomer: None,
            route: Vec::new(),
        }
    }

    /// The node that holds `cpu`.
    pub const fn holder(&self, cpu: Cpu) -> Option<usize> {
        self.holders[cpu.index()]
    }
}

/// A processor: the thread that shall run there and the one that does.
#[derive(Debug)]
pub(crate) struct ProcessorRow {
    /// Since when the heir is the heir, or was charged last.
    pub since: Instant,
    /// How long an idle thread was the heir.
    pub idle: Duration,
    /// The thread that shall run here; none if the processor is not online.
    pub heir: Option<usize>,
    /// The thread that has its registers here.
    pub executing: Option<usize>,
    /// The threads that have requested help here: this processor will carry that out.
    pub asks: VecDeque<usize>,
    pub owner: Option<usize>,
    /// Whether it was given to an instance when the system was made.
    pub assigned: bool,
    /// The requested time of the next call of `expire`.
    pub armed: Option<Instant>,
    /// The last thread that lost it with its budget used up, until that budget is checked.
    pub spent: Option<usize>,
}

impl ProcessorRow {
    /// One that is not online.
    pub const EMPTY: Self = Self {
        since: Instant::START,
        idle: Duration::ZERO,
        heir: None,
        executing: None,
        asks: VecDeque::new(),
        owner: None,
        assigned: false,
        armed: None,
        spent: None,
    };
}
