//! CREDIT: proportional share with a boost for units that wake.
//!
//! Owns: the credit of units, their classes, a run queue for each processor, and
//! the balance between processors.
//! Must never know: registers, guests, clocks; how long anything takes.
//!
//! # Rules (spec 05, section 1)
//! A millisecond on a processor costs 10 credits. Every slice (30 ms) *accounting*
//! hands out a slice's worth of credit for each processor of the pool: to the
//! *active* units, in proportion to the weight of their domains, which counts once
//! for each active unit. It is the only event that changes the class of a unit:
//! credit below zero is OVER, otherwise UNDER. A unit becomes active when a *tick*
//! (10 ms) finds it running; it ceases to be when it has more than a slice's worth.
//! A unit that wakes while UNDER is in class BOOST until a tick finds it running.
//! Within a class the queues are first in, first out.
//!
//! # Shares and their bounds
//! Let C be the credits of a slice, f a unit's part of the pot. A unit's use, in credits, is what
//! it has earned, less its credit at the end, less what it *forfeited* for having more than C
//! (half of it), plus what it was *forgiven* for owing more than C. That is an invariant of
//! book-keeping, and tests check it after every event. At an accounting its credit is between −C
//! and C, but a tick's worth, C/3, may not be charged yet.
//!
//! *Weights.* Over k accountings each active unit earns k·f, and up to two credits
//! an accounting more by rounding. So, on one processor with units that always
//! want to run, the time of each differs from its part by no more than three
//! slices and what rounding adds, as long as nothing is forfeited but what
//! rounding added, nor forgiven. Among units of equal weight there is not even
//! that rest: they stay within three slices for ever. Tests find the bound kept for up to eight
//! units with weights that differ by a factor of up to four, and for any two units. It is *not*
//! kept if a heavy unit waits while many light ones have their slice: it cannot save more than C
//! for that time. With parts of 97 % and 3 % among seven it gets less than half of the time. That
//! is how CREDIT is.
//!
//! *Caps.* At each accounting all units of a domain together earn the cap's worth
//! at most, rounded up for each. A unit is parked at the first accounting at which
//! it owes more than its part of the cap. So a domain with n units runs, from the
//! start, for at most k·(cap + n credits) + n·(C + C + C/3): what they may owe,
//! what they use until the next accounting, what was not charged at this one. If
//! they always want to run and have the processors for it, they run for no less
//! than k·cap less the same margin. They run in long bursts and long silences.
//!
//! # Bounds of the operations
//! With Q units on the longest queue, C processors, D active domains and A active
//! units:
//!
//! | operation | steps, at most |
//! |---|---|
//! | wake, context saved | Q, and 2 C when the unit migrates |
//! | sleep | fixed |
//! | schedule | 2 Q when it does not steal; with stealing 2 (C + all units that wait) more |
//! | tick | Q + 2 C |
//! | accounting | D + A, and Q for each unit that a cap lets continue |
//! | insert, affinity | Q + 2 C |
//! | remove | fixed |
//! | processor joins, leaves | all units of the table, and Q + 2 C for each that moves |
//!
//! # Choices that the spec leaves open
//! - In the reference the idle unit is on the queue, after all others, while a guest runs. So "one
//!   place further, if the unit there is not the idle one and not the last" holds exactly when some
//!   guest is there.
//! - A processor counts as idle in the tickle's first two rules only while it is not yet tickled:
//!   two wake-ups must not chase one idle processor (section 0).
//! - A unit that wakes before its registers are saved is put on its queue at once. No processor is
//!   tickled for it before they are: none could take it.
//! - Without stealing a wake-up tickles the unit's own processor only.

mod account;
mod check;
mod parameters;
mod place;
mod policy;
mod queue;
mod steal;
mod tables;
#[cfg(test)]
mod tests;
mod tickle;

pub use parameters::{CREDITS_PER_MILLISECOND, DEFAULT_WEIGHT, Kick, Parameters, SHORTEST_CHECK};
pub use tables::{DomainRecord, Processor, Rank, Unit};

use super::kit::chain::{self, Chain};
use super::kit::topology::{Neighbours, Place};
use super::kit::{Rules, Steps};
use super::{Domain, Error, Vcpu, in_range, table};
use crate::{Cpu, CpuSet};
use tables::DOMAINS;

/// The greatest cap: all of 64 processors, in percent of one.
pub const CAP_MAXIMUM: u32 = 6400;

/// The tables of a CREDIT instance, which the caller owns.
pub struct Memory<'a> {
    /// One for each virtual processor of the machine; at most 65 535 are used.
    pub units: &'a mut [Unit],
    /// One for each domain of the machine; at most 65 535 are used.
    pub domains: &'a mut [DomainRecord],
    /// One for each processor of the machine.
    pub processors: &'a mut [Processor],
}

/// A pool of processors under CREDIT. See the module's head for its invariants.
pub struct Credit<'a> {
    units: &'a mut [Unit],
    domains: &'a mut [DomainRecord],
    processors: &'a mut [Processor],
    parameters: Parameters,
    /// The processors of the pool.
    cpus: CpuSet,
    /// Those of them that are idle and have not been tickled since.
    idlers: CpuSet,
    /// The last position of the rotation among idlers.
    last_tickled: Cpu,
    active_domains: Chain<DOMAINS>,
    /// The weights of the domains of all active units.
    active_weight: i64,
    /// The sum of credits after the last accounting.
    balance: i64,
    /// How many accountings have classed units again.
    epoch: u64,
    steps: Steps,
}

impl<'a> Credit<'a> {
    /// Creates an instance without processors and units. `topology` says where processor i of the
    /// machine is located; processors that it or the table of processors does not reach cannot
    /// join. The tables are overwritten.
    ///
    /// Reads each processor once for each processor, and each record once.
    pub fn new(memory: Memory<'a>, topology: &[Place], parameters: Parameters) -> Self {
        let reach = memory.processors.len().min(topology.len()).min(Cpu::COUNT);
        let processors = table(memory.processors, reach);
        for (index, processor) in processors.iter_mut().enumerate() {
            processor.near = Neighbours::of(&topology[..reach], index);
        }
        Self {
            units: table(memory.units, chain::CAPACITY),
            domains: table(memory.domains, chain::CAPACITY),
            processors,
            parameters,
            cpus: CpuSet::EMPTY,
            idlers: CpuSet::EMPTY,
            last_tickled: LAST_CPU,
            active_domains: Chain::EMPTY,
            active_weight: 0,
            balance: 0,
            epoch: 0,
            steps: Steps::NONE,
        }
    }

    /// The parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The parameters that hold.
    #[inline(always)]
    const fn modes(&self) -> Parameters {
        self.parameters.held()
    }

    /// Sets the parameters. Timers that run keep their instants; the new periods
    /// begin when they go off.
    pub const fn set_parameters(&mut self, parameters: Parameters) {
        self.parameters = parameters;
    }

    /// Sets the weight of `domain`: 1 to 65 535. A fixed number of steps.
    pub fn set_weight(&mut self, domain: Domain, weight: u32) -> Result<(), Error> {
        in_range("weight", weight.into(), 1, u16::MAX.into(), "")?;
        let record = self.domain_mut(domain)?;
        let before = record.active_weight();
        record.weight = weight as u16;
        let change = record.active_weight() - before;
        self.active_weight += change;
        Ok(())
    }

    /// Sets the cap of `domain` in percent of one processor: 0 (none) to [`CAP_MAXIMUM`]. It takes
    /// effect when credit is next handed out. A fixed number of steps.
    pub fn set_cap(&mut self, domain: Domain, cap: u32) -> Result<(), Error> {
        in_range("cap", cap.into(), 0, CAP_MAXIMUM.into(), "%")?;
        self.domain_mut(domain)?.cap = cap as u16;
        Ok(())
    }

    fn domain_mut(&mut self, domain: Domain) -> Result<&mut DomainRecord, Error> {
        self.domains
            .get_mut(domain.index())
            .ok_or(Error::NoDomain(domain))
    }

    /// The weight of `domain`.
    pub fn weight(&self, domain: Domain) -> Option<u32> {
        let record = self.domains.get(domain.index())?;
        Some(record.weight.into())
    }

    /// The cap of `domain`; 0 is none.
    pub fn cap(&self, domain: Domain) -> Option<u32> {
        let record = self.domains.get(domain.index())?;
        Some(record.cap.into())
    }

    /// The credit of `vcpu` as it was last charged.
    pub fn credit(&self, vcpu: Vcpu) -> Option<i64> {
        self.unit(vcpu).map(|unit| unit.credit)
    }

    /// The class of `vcpu`.
    pub fn rank(&self, vcpu: Vcpu) -> Option<Rank> {
        self.unit(vcpu).map(|unit| unit.rank)
    }

    /// Whether accounting counts `vcpu`.
    pub fn is_active(&self, vcpu: Vcpu) -> bool {
        self.unit(vcpu).is_some_and(|unit| unit.active)
    }

    /// Whether `vcpu` is paused because its domain's cap is used up.
    pub fn is_parked(&self, vcpu: Vcpu) -> bool {
        self.unit(vcpu).is_some_and(|unit| unit.parked)
    }

    /// Whether `vcpu` has to leave its processor and goes elsewhere when it is saved.
    pub fn is_leaving(&self, vcpu: Vcpu) -> bool {
        self.unit(vcpu).is_some_and(|unit| unit.migrating)
    }

    /// The processor on which `vcpu` runs or waits, or last did.
    pub fn processor_of(&self, vcpu: Vcpu) -> Option<Cpu> {
        self.unit(vcpu).map(|unit| unit.cpu)
    }

    /// The units on the queue of `cpu`, the first to run first.
    pub fn queue(&self, cpu: Cpu) -> impl Iterator<Item = Vcpu> + '_ {
        let processor = self.processors.get(cpu.index());
        let waiting = processor.map(|processor| processor.queue.iter(self.units));
        (waiting.into_iter().flatten()).map(|index| Vcpu::new(index as u16))
    }

    /// The idle processors that have not been tickled since they became idle.
    pub const fn idlers(&self) -> CpuSet {
        self.idlers
    }

    /// Whether unit `index` is what its processor last chose.
    fn is_running(&self, index: usize) -> bool {
        let cpu = self.units[index].cpu;
        self.processors[cpu.index()].current == Some(index as u16)
    }
}

/// The processor after which the rotation begins.
const LAST_CPU: Cpu = match Cpu::new(Cpu::COUNT - 1) {
    Some(cpu) => cpu,
    None => unreachable!(),
};
