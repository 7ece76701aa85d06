//! CREDIT2: proportional share by credit on shared run queues.
//!
//! Owns: the credit of units, run queues for groups of processors, their loads
//! and the balance between them, the budgets of capped domains.
//! Must never know: registers, guests, clocks; how long anything takes.
//!
//! # Rules (spec 05, section 2)
//! Credit is counted in nanoseconds. A running unit loses credit at a rate of the greatest weight
//! on the run queue over its own. The unit with most credit runs next, first in first out among
//! equals. When neither the chosen unit nor the head of the queue has credit left, all units
//! assigned to the queue, also those that sleep, gain 10 ms, up to 10.5 ms: a *reset*. There is no
//! tick; loads are balanced between run queues at resets only. A unit that is switched out is not
//! put back on the queue before its registers are saved.
//!
//! # Shares and their bounds
//! *Weights.* Let units want to run all the time on one processor, and W be the greatest weight on
//! the queue. At a reset none of them has credit left, so all gain the same, and none is cut off
//! at the ceiling. Hence the credits that any two have spent differ by no more than what theirs
//! can differ by. Each is between −10 and 10 ms, at the beginning and now, so the difference is at
//! most 40 ms. A unit of weight w spends W/w a nanosecond: times executed, each divided by its
//! weight, differ by at most 40 ms/W; and a unit's time differs from its part by at most 40
//! ms·w/W. Units that come and go do not change that. The bound ends if a slice costs more credit
//! than there is between the floor and zero: with the defaults, if 1 ms·W/w is more than 10 ms.
//! Then debts are forgiven at the floor, and light units get more than their part.
//!
//! *Caps.* The time that a domain runs is paid from its budget, in advance, to which each period
//! adds the cap's worth. A period's worth at most is left from before.
//! Overruns are debts, paid first; each of the n units can have one, of what it
//! runs at least: max(500 µs, rate limit). So in t the domain runs for at most
//! (⌊t/10 ms⌋ + 1)·cap and n of those, from the instant at which the cap is set.
//! If its units always want to run and have the processors for it, it runs for no
//! less than (⌊t/10 ms⌋ − 1)·cap less n of those.
//!
//! # Bounds of the operations
//! With Q units on the longest queue, M members of a run queue, R run queues, C
//! processors, P units that wait for one domain's budget:
//!
//! | operation | steps, at most |
//! |---|---|
//! | wake | Q + 2 C |
//! | sleep, yield | fixed |
//! | context saved | (P + 1)·(Q + 2 C); when the unit migrates M + 2 R more |
//! | schedule | Q + 2 C; a reset adds M, its balance R + (M + 1)² + 2 M² + 2 (Q + M + 2 C) |
//! | refill | P·(Q + 2 C) |
//! | insert, affinity | M + 2 R + Q + 2 C |
//! | remove | M |
//! | processor joins, leaves | all units of the table, and M + 2 R + Q + 2 C for each that moves |
//!
//! # Choices that the spec leaves open
//! - An idle processor resists no migration: it has no unit to spare it for. (Taken to the letter,
//!   half a millisecond above the floor it would leave a unit that ran elsewhere waiting, and stay
//!   idle.)
//! - Compensation for a migration does not lift credit above the ceiling.
//! - When a processor that was tickled for a unit takes another, or keeps its own, an idle
//!   processor is tickled for the unit, if there is one: the reservation kept others from it
//!   meanwhile.

mod balance;
mod budget;
mod burn;
mod check;
mod choose;
mod groups;
mod load;
mod parameters;
mod place;
mod policy;
mod queue;
mod tables;
#[cfg(test)]
mod tests;
mod tickle;

pub use parameters::{
    CAP_PERIOD, CREDIT_CEILING, CREDIT_FLOOR, CREDIT_IDLE, CREDIT_INITIAL, Capacity,
    DEFAULT_WEIGHT, Grouping, MIGRATION_COMPENSATION, MIGRATION_RESISTANCE, Parameters,
    RATELIMIT_TOLERANCE, SLICE_MINIMUM, Scope,
};
pub use tables::{DomainRecord, Processor, RunQueue, Unit};

use super::kit::chain;
use super::kit::topology::{Neighbours, Place};
use super::kit::{Rules, Steps};
use super::{Domain, Error, Vcpu, in_range, table};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

/// The tables of a CREDIT2 instance, which the caller owns.
pub struct Memory<'a> {
    /// One for each virtual processor of the machine; at most 65 535 are used.
    pub units: &'a mut [Unit],
    /// One for each domain of the machine; at most 65 535 are used.
    pub domains: &'a mut [DomainRecord],
    /// One for each processor of the machine.
    pub processors: &'a mut [Processor],
    /// As many as there will be run queues; never more than processors.
    pub queues: &'a mut [RunQueue],
}

/// A pool of processors under CREDIT2. See the module's head for its invariants.
pub struct Credit2<'a> {
    units: &'a mut [Unit],
    domains: &'a mut [DomainRecord],
    processors: &'a mut [Processor],
    queues: &'a mut [RunQueue],
    parameters: Parameters,
    grouping: Grouping,
    /// The processors of the pool.
    cpus: CpuSet,
    steps: Steps,
}

impl<'a> Credit2<'a> {
    /// Creates an instance without processors and units. `topology` says where processor i of the
    /// machine is located; processors that it or the table of processors does not reach cannot
    /// join. The tables are overwritten.
    ///
    /// Reads each processor once for each processor, and each record once.
    pub fn new(
        memory: Memory<'a>,
        topology: &[Place],
        grouping: Grouping,
        parameters: Parameters,
    ) -> Self {
        let reach = memory.processors.len().min(topology.len()).min(Cpu::COUNT);
        let processors = table(memory.processors, reach);
        for (index, processor) in processors.iter_mut().enumerate() {
            processor.near = Neighbours::of(&topology[..reach], index);
        }
        Self {
            units: table(memory.units, chain::CAPACITY),
            domains: table(memory.domains, usize::MAX),
            processors,
            queues: table(memory.queues, Cpu::COUNT),
            parameters,
            grouping,
            cpus: CpuSet::EMPTY,
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

    /// Sets the parameters. The profile stays as it was; the precision of the load
    /// averages has to, and so has the rate limit, 0, in release 4.5.
    pub fn set_parameters(&mut self, parameters: Parameters) -> Result<(), Error> {
        let bits = self.parameters.precision_bits.into();
        let asked = parameters.precision_bits.into();
        in_range("load precision", asked, bits, bits, "bits")?;
        let profile = self.parameters.profile;
        let same = Parameters {
            profile,
            ..parameters
        };
        self.parameters = same.with_ratelimit(parameters.ratelimit)?;
        Ok(())
    }

    /// Sets the weight of `domain` from `now` on: 1 to 65 535. Checks each unit of the table
    /// twice, and each member of each run queue.
    pub fn set_weight(&mut self, domain: Domain, weight: u32, now: Instant) -> Result<(), Error> {
        in_range("weight", weight.into(), 1, u16::MAX.into(), "")?;
        if domain.index() >= self.domains.len() {
            return Err(Error::NoDomain(domain));
        }
        // All that run have to pay for the past at the old rates.
        for index in 0..self.units.len() {
            if self.units[index].group.is_some() && self.is_running(index) {
                self.burn(index, now);
            }
        }
        let id = domain.index();
        self.domains[id].weight = weight as u16;
        for unit in self.units.iter_mut() {
            if unit.domain as usize == id {
                unit.residue = 0;
            }
        }
        for group in 0..self.queues.len() {
            self.weigh(group);
        }
        Ok(())
    }

    /// The weight of `domain`.
    pub fn weight(&self, domain: Domain) -> Option<u32> {
        let record = self.domains.get(domain.index())?;
        Some(record.weight.into())
    }

    /// The cap of `domain`; 0 is none.
    pub fn cap(&self, domain: Domain) -> Option<u32> {
        self.domains.get(domain.index()).map(|record| record.cap)
    }

    /// The credit of `vcpu` in nanoseconds, as it was last charged.
    pub fn credit(&self, vcpu: Vcpu) -> Option<i64> {
        self.unit(vcpu).map(|unit| unit.credit)
    }

    /// The credit that `vcpu` will have when it is charged for what it has run up
    /// to `now`, as long as no reset comes between.
    pub fn credit_at(&self, vcpu: Vcpu, now: Instant) -> Option<i64> {
        let unit = self.unit(vcpu)?;
        let used = match self.is_running(vcpu.index()) {
            true => self.cost_of(vcpu.index(), now).0,
            false => 0,
        };
        Some((unit.credit - used).max(CREDIT_FLOOR))
    }

    /// The processor that was tickled for `vcpu`, which waits.
    pub fn promised_to(&self, vcpu: Vcpu) -> Option<Cpu> {
        let cpu = self.unit(vcpu)?.promise?;
        let tickled = self.queues.iter().any(|queue| queue.tickled.contains(cpu));
        tickled.then_some(cpu)
    }

    /// Whether `vcpu` has to leave its processor and goes elsewhere when it is saved.
    pub fn is_leaving(&self, vcpu: Vcpu) -> bool {
        self.unit(vcpu).is_some_and(|unit| unit.migrating)
    }

    /// Returns the part of its domain's budget that `vcpu` has, in nanoseconds, as it was last
    /// charged; below zero if it has overrun.
    pub fn budget(&self, vcpu: Vcpu) -> Option<i64> {
        self.unit(vcpu).map(|unit| unit.budget)
    }

    /// Whether `vcpu` waits for its domain's budget.
    pub fn is_parked(&self, vcpu: Vcpu) -> bool {
        self.unit(vcpu).is_some_and(|unit| unit.parked)
    }

    /// The processor on which `vcpu` runs, or last did, or is to run next.
    pub fn processor_of(&self, vcpu: Vcpu) -> Option<Cpu> {
        self.unit(vcpu).map(|unit| unit.cpu)
    }

    /// The processors that share a run queue with `cpu`, itself included; none
    /// outside the pool.
    pub fn group(&self, cpu: Cpu) -> CpuSet {
        self.queue_of(cpu).map_or(CpuSet::EMPTY, |queue| queue.cpus)
    }

    /// The units on the run queue of `cpu`, the first to run first.
    pub fn queue(&self, cpu: Cpu) -> impl Iterator<Item = Vcpu> + '_ {
        let waiting = (self.queue_of(cpu)).map(|queue| queue.queue.iter(self.units));
        (waiting.into_iter().flatten()).map(|index| Vcpu::new(index as u16))
    }

    /// The load average of the run queue of `cpu`, in units of 2⁻ᵖʳᵉᶜⁱˢⁱᵒⁿ, as it
    /// was last brought up to date; zero outside the pool.
    pub fn load_average(&self, cpu: Cpu) -> i64 {
        self.queue_of(cpu).map_or(0, |queue| queue.average)
    }

    fn queue_of(&self, cpu: Cpu) -> Option<&RunQueue> {
        let group = self.processors.get(cpu.index())?.group?;
        self.queues.get(usize::from(group))
    }

    /// Returns the idle processors that have not been tickled since they became idle.
    pub fn idlers(&self) -> CpuSet {
        let free = self.queues.iter().map(RunQueue::free);
        free.fold(CpuSet::EMPTY, CpuSet::or)
    }

    /// Whether unit `index` is what its processor last chose.
    fn is_running(&self, index: usize) -> bool {
        let cpu = self.units[index].cpu;
        self.processors[cpu.index()].current == Some(index as u16)
    }
}
