//! Owns: what CREDIT remembers of units, domains and processors.
//! Must never know: what happens to them.

use super::parameters::DEFAULT_WEIGHT;
use crate::Cpu;
use crate::vcpu::kit::chain::{Chain, Link};
use crate::vcpu::kit::topology::{FIRST_CPU, Neighbours};
use crate::vcpu::kit::{State, default_is, linked, record};
use taktos_time::Instant;

/// How urgent a unit is: the class by which the queues are ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rank {
    /// Below all guests: what the idle unit has.
    Idle,
    /// Its credit was below zero at the last accounting.
    Over,
    /// Its credit was not below zero at the last accounting.
    Under,
    /// Woken while [`Rank::Under`]; until the next tick that finds it running.
    Boost,
}

/// Lists of units: the run queues.
pub(super) const QUEUE: usize = 0;
/// Lists of units: the active ones of a domain.
pub(super) const ACTIVE: usize = 1;
/// Lists of domains: those with active units.
pub(super) const DOMAINS: usize = 0;

/// The record of a unit, in a table of the caller's.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub(super) links: [Link; 2],
    pub(super) state: State,
    pub(super) domain: u16,
    /// Paused by accounting: its domain's cap is used up.
    pub(super) parked: bool,
    /// Lets the unit after it go first, once.
    pub(super) yielding: bool,
    /// To leave its processor when its registers are saved.
    pub(super) migrating: bool,
    /// Counted by accounting.
    pub(super) active: bool,
    /// On the run queue of `cpu`.
    pub(super) queued: bool,
    /// Woken while it is being switched out: to be tickled for once it is saved.
    pub(super) woken_early: bool,
    pub(super) rank: Rank,
    pub(super) cpu: Cpu,
    pub(super) credit: i64,
    /// Use beyond whole credits: nanoseconds × credits a millisecond.
    pub(super) residue: u64,
    /// Charged up to here.
    pub(super) charged: Instant,
    pub(super) started: Instant,
    /// When it was last switched out; none before it has ever run.
    pub(super) stopped: Option<Instant>,
}

impl Unit {
    /// The record of no unit.
    pub const EMPTY: Self = Self {
        links: [Link::ALONE; 2],
        state: State::OUT,
        domain: 0,
        parked: false,
        yielding: false,
        migrating: false,
        active: false,
        queued: false,
        woken_early: false,
        rank: Rank::Under,
        cpu: FIRST_CPU,
        credit: 0,
        residue: 0,
        charged: Instant::START,
        started: Instant::START,
        stopped: None,
    };

    /// Whether it could run on its processor now.
    pub(super) const fn is_runnable(&self) -> bool {
        self.state.present && self.state.awake && !self.parked && !self.migrating
    }
}

record!(Unit);
linked!(Unit, ());

/// The record of a domain, in a table of the caller's. It exists from the start,
/// with weight 256 and no cap.
#[derive(Clone, Copy, Debug)]
pub struct DomainRecord {
    pub(super) links: [Link; 1],
    pub(super) active_units: Chain<ACTIVE>,
    pub(super) active_count: i64,
    pub(super) weight: u16,
    /// Percent of one processor; 0: none.
    pub(super) cap: u16,
}

impl DomainRecord {
    /// A domain of the default weight, without cap and units.
    pub const EMPTY: Self = Self {
        links: [Link::ALONE],
        active_units: Chain::EMPTY,
        active_count: 0,
        weight: DEFAULT_WEIGHT,
        cap: 0,
    };

    /// Returns the sum of the weights of its active units.
    pub(super) const fn active_weight(&self) -> i64 {
        self.weight as i64 * self.active_count
    }
}

default_is!(DomainRecord, Processor: EMPTY);
linked!(DomainRecord, ());

/// The record of a processor, in a table of the caller's.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    pub(super) queue: Chain<QUEUE>,
    /// How many units are on the queue.
    pub(super) waiting: u16,
    pub(super) current: Option<u16>,
    /// When it last looked for work to steal.
    pub(super) balanced: Option<Instant>,
    /// The accounting after which its queue was last sorted.
    pub(super) epoch: u64,
    pub(super) near: Neighbours,
    /// On the lowest processor of a node: the processor from which work was last stolen there.
    pub(super) robbed: Cpu,
}

impl Processor {
    /// An idle processor with an empty queue.
    pub const EMPTY: Self = Self {
        queue: Chain::EMPTY,
        waiting: 0,
        current: None,
        balanced: None,
        epoch: 0,
        near: Neighbours::NONE,
        robbed: FIRST_CPU,
    };

    /// How many units could run here: those that wait and the running one.
    pub(super) const fn runnable(&self) -> usize {
        self.waiting as usize + self.current.is_some() as usize
    }
}
