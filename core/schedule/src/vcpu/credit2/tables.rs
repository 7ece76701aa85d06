//! Owns: what CREDIT2 remembers of units, domains, processors and run queues.
//! Must never know: what happens to them.

use super::parameters::{CREDIT_INITIAL, DEFAULT_WEIGHT};
use crate::vcpu::kit::chain::{Chain, Link};
use crate::vcpu::kit::topology::{FIRST_CPU, Neighbours};
use crate::vcpu::kit::{State, default_is, linked, record};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

/// Lists of units: the run queues, and those that wait for budget.
pub(super) const QUEUE: usize = 0;
/// Lists of units: all that are assigned to a run queue, whatever they do.
pub(super) const MEMBERS: usize = 1;

/// The record of a unit, in a table of the caller's.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub(super) links: [Link; 2],
    pub(super) state: State,
    pub(super) domain: u16,
    /// The run queue that it is assigned to; none only outside the pool.
    pub(super) group: Option<u8>,
    /// On its domain's list of those that wait for budget.
    pub(super) parked: bool,
    /// Lets others go first, once.
    pub(super) yielding: bool,
    /// To leave its processor when its registers are saved.
    pub(super) migrating: bool,
    /// Where it then goes, if that is settled.
    pub(super) target: Option<u8>,
    /// On the run queue.
    pub(super) queued: bool,
    /// Part of its run queue's load.
    pub(super) counted: bool,
    /// The processor that was tickled for it.
    pub(super) promise: Option<Cpu>,
    /// Where it runs or last ran.
    pub(super) cpu: Cpu,
    /// In nanoseconds.
    pub(super) credit: i64,
    /// Use beyond whole nanoseconds of credit, in parts of its weight.
    pub(super) residue: u64,
    /// Charged up to here.
    pub(super) charged: Instant,
    pub(super) started: Instant,
    /// Its part of its domain's budget, in nanoseconds; below zero: overrun.
    pub(super) budget: i64,
    pub(super) average: i64,
    pub(super) averaged: u64,
}

impl Unit {
    /// The record of no unit.
    pub const EMPTY: Self = Self {
        links: [Link::ALONE; 2],
        state: State::OUT,
        domain: 0,
        group: None,
        parked: false,
        yielding: false,
        migrating: false,
        target: None,
        queued: false,
        counted: false,
        promise: None,
        cpu: FIRST_CPU,
        credit: CREDIT_INITIAL,
        residue: 0,
        charged: Instant::START,
        started: Instant::START,
        budget: 0,
        average: 0,
        averaged: 0,
    };

    /// Whether it could run on its queue's processors now.
    pub(super) const fn is_runnable(&self) -> bool {
        self.state.awake && !self.parked && !self.migrating
    }
}

record!(Unit);
linked!(Unit, ());
default_is!(DomainRecord, Processor, RunQueue: EMPTY);

/// The record of a domain, in a table of the caller's. It exists from the start,
/// with weight 256 and no cap.
#[derive(Clone, Copy, Debug)]
pub struct DomainRecord {
    pub(super) weight: u16,
    /// Percent of one processor; 0: none.
    pub(super) cap: u32,
    /// How many of its units are in the pool.
    pub(super) units: u32,
    /// The rest of the period's budget, in nanoseconds; below zero: overrun.
    pub(super) pool: i64,
    pub(super) refill: Instant,
    /// The units that wait for budget.
    pub(super) parked: Chain<QUEUE>,
}

impl DomainRecord {
    /// A domain of the default weight, without cap and units.
    pub const EMPTY: Self = Self {
        weight: DEFAULT_WEIGHT,
        cap: 0,
        units: 0,
        pool: 0,
        refill: Instant::START,
        parked: Chain::EMPTY,
    };
}

/// The record of a processor, in a table of the caller's.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    pub(super) current: Option<u16>,
    /// The run queue that it serves; none outside the pool.
    pub(super) group: Option<u8>,
    /// The unit for which it was last tickled.
    pub(super) promised: Option<u16>,
    pub(super) near: Neighbours,
}

impl Processor {
    /// An idle processor outside the pool.
    pub const EMPTY: Self = Self {
        current: None,
        group: None,
        promised: None,
        near: Neighbours::NONE,
    };
}

/// The record of a run queue, in a table of the caller's.
#[derive(Clone, Copy, Debug)]
pub struct RunQueue {
    /// Those that wait, by credit, the most first; first in first out among equals.
    pub(super) queue: Chain<QUEUE>,
    pub(super) members: Chain<MEMBERS>,
    pub(super) cpus: CpuSet,
    pub(super) idle: CpuSet,
    /// Tickled, and not yet scheduled since.
    pub(super) tickled: CpuSet,
    /// The weight of its heaviest member.
    pub(super) heaviest: u16,
    /// How many members are runnable.
    pub(super) load: i64,
    pub(super) average: i64,
    /// The average as it will be when those that have come have their effect.
    pub(super) balance: i64,
    pub(super) averaged: u64,
}

impl RunQueue {
    /// A queue without processors and units.
    pub const EMPTY: Self = Self {
        queue: Chain::EMPTY,
        members: Chain::EMPTY,
        cpus: CpuSet::EMPTY,
        idle: CpuSet::EMPTY,
        tickled: CpuSet::EMPTY,
        heaviest: 1,
        load: 0,
        average: 0,
        balance: 0,
        averaged: 0,
    };

    /// Returns the idle processors that have not been tickled.
    pub(super) const fn free(&self) -> CpuSet {
        self.idle.minus(self.tickled)
    }
}
