//! Owns: the reasons for which a request to a policy is refused, in one line with the hint; and the
//! invariants that a policy's state can be found to break.
//! Must never know: the caller.

use super::{Domain, Vcpu};
use crate::Cpu;
use core::fmt;

/// Why a request was refused. Nothing has changed then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// A parameter is outside its range.
    OutOfRange {
        /// Its name.
        parameter: &'static str,
        /// The requested value.
        value: u64,
        /// The least allowed value.
        minimum: u64,
        /// The greatest allowed value.
        maximum: u64,
        /// The unit of all three: "ns", "%", "".
        unit: &'static str,
    },
    /// The caller's table has no record for this virtual processor.
    NoRecord(Vcpu),
    /// The caller's table has no record for this domain.
    NoDomain(Domain),
    /// The caller's table has no record for this processor.
    NoCpuRecord(Cpu),
    /// The virtual processor is already in the pool.
    Present(Vcpu),
    /// The virtual processor is not in the pool.
    Absent(Vcpu),
    /// The virtual processor is runnable, running or being switched out.
    Busy(Vcpu),
    /// The processor is already in a pool.
    CpuPresent(Cpu),
    /// The processor is not in the pool.
    CpuAbsent(Cpu),
    /// The last processor of a pool in which there are virtual processors cannot leave.
    LastCpu(Cpu),
    /// A virtual processor cannot come into a pool without a processor.
    NoCpu,
    /// The virtual processor may run on none of the processors that would remain.
    Stranded(Vcpu),
    /// A processor is on its way between two pools; the request has to wait.
    Moving(Cpu),
    /// The domain has units in another pool.
    Split(Domain),
    /// There is no such pool.
    NoPool(usize),
    /// The request belongs to another scheduler than this pool's.
    WrongScheduler,
    /// A schedulability test says no. Utilisations are in parts per million, rounded up.
    NotAdmitted {
        /// The test that refused.
        test: &'static str,
        /// The amount that the set would need.
        needed: u64,
        /// The amount that there is for it.
        available: u64,
    },
    /// The requested test cannot judge units with affinities that overlap without being the same.
    NoTest,
    /// A table has more entries than there is room for.
    TableFull {
        /// The name of the table.
        table: &'static str,
        /// How many entries it takes.
        capacity: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OutOfRange {
                parameter,
                value,
                minimum,
                maximum,
                unit,
            } => out_of_range(f, parameter, value, minimum, maximum, unit),
            Self::NoRecord(vcpu) => write!(
                f,
                "there is no record for VCPU {}: give the policy a longer table of units",
                vcpu.index()
            ),
            Self::NoDomain(domain) => write!(
                f,
                "there is no record for domain {}: give the policy a longer table of domains",
                domain.index()
            ),
            Self::NoCpuRecord(cpu) => write!(
                f,
                "there is no record for processor {}: give the policy a longer table of processors",
                cpu.index()
            ),
            Self::Present(vcpu) => write!(
                f,
                "VCPU {} is already in the pool: remove it first",
                vcpu.index()
            ),
            Self::Absent(vcpu) => write!(
                f,
                "VCPU {} is not in the pool: insert it first",
                vcpu.index()
            ),
            Self::Busy(vcpu) => write!(
                f,
                "VCPU {} is still in use: put it to sleep and let it be switched out first",
                vcpu.index()
            ),
            Self::CpuPresent(cpu) => write!(
                f,
                "processor {} is already in a pool: take it out first",
                cpu.index()
            ),
            Self::CpuAbsent(cpu) => write!(
                f,
                "processor {} is not in the pool: name one that is",
                cpu.index()
            ),
            Self::LastCpu(cpu) => write!(
                f,
                "processor {} is the last of a pool with VCPUs: move the VCPUs or add a processor first",
                cpu.index()
            ),
            Self::NoCpu => write!(f, "the pool has no processor: add one first"),
            Self::Stranded(vcpu) => write!(
                f,
                "VCPU {} may run on none of the processors that would remain: widen its affinity first",
                vcpu.index()
            ),
            Self::Moving(cpu) => write!(
                f,
                "processor {} is still on its way between pools: ask again when it has arrived",
                cpu.index()
            ),
            Self::Split(domain) => write!(
                f,
                "domain {} has VCPUs in another pool: move the domain as a whole",
                domain.index()
            ),
            Self::NoPool(pool) => {
                write!(f, "there is no pool {pool}: name one that was made")
            }
            Self::WrongScheduler => write!(
                f,
                "the pool has another scheduler: use the parameters of that scheduler"
            ),
            Self::NotAdmitted {
                test,
                needed,
                available,
            } => not_admitted(f, test, needed, available),
            Self::NoTest => write!(
                f,
                "affinities overlap without being the same: ask for the interference test or make them the same or apart"
            ),
            Self::TableFull { table, capacity } => {
                write!(f, "{table} takes at most {capacity} entries: give fewer")
            }
        }
    }
}

fn out_of_range(
    f: &mut fmt::Formatter<'_>,
    parameter: &str,
    value: u64,
    minimum: u64,
    maximum: u64,
    unit: &str,
) -> fmt::Result {
    let space = if unit.is_empty() { "" } else { " " };
    write!(f, "{parameter} is {value}{space}{unit}: ")?;
    match maximum {
        u64::MAX => write!(f, "give at least {minimum}{space}{unit}"),
        _ if minimum == maximum => write!(f, "give {minimum}{space}{unit}"),
        _ => write!(f, "give {minimum} to {maximum}{space}{unit}"),
    }
}

fn not_admitted(
    f: &mut fmt::Formatter<'_>,
    test: &str,
    needed: u64,
    available: u64,
) -> fmt::Result {
    write!(f, "not admitted by {test}: it would need ")?;
    millionths(f, needed)?;
    write!(f, " processors of ")?;
    millionths(f, available)?;
    write!(f, ": give shorter budgets, longer periods or force it")
}

fn millionths(f: &mut fmt::Formatter<'_>, value: u64) -> fmt::Result {
    write!(f, "{}.{:06}", value / 1_000_000, value % 1_000_000)
}

impl core::error::Error for Error {}

/// Refuses a `value` outside `minimum..=maximum`, naming `parameter` and `unit`.
pub(crate) const fn in_range(
    parameter: &'static str,
    value: u64,
    minimum: u64,
    maximum: u64,
    unit: &'static str,
) -> Result<(), Error> {
    if value < minimum || value > maximum {
        return Err(Error::OutOfRange {
            parameter,
            value,
            minimum,
            maximum,
            unit,
        });
    }
    Ok(())
}

/// An invariant that a policy's state breaks: for tests and the simulator, which check it after
/// every event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The invariant, as a text.
    pub law: &'static str,
    /// The virtual processor at which it does not hold.
    pub vcpu: Option<Vcpu>,
    /// The processor at which it does not hold.
    pub cpu: Option<Cpu>,
}

impl Violation {
    /// Returns the violation of `law` by `vcpu` and `cpu`, unless `holds`.
    pub(crate) fn unless(
        holds: bool,
        law: &'static str,
        vcpu: Option<Vcpu>,
        cpu: Option<Cpu>,
    ) -> Result<(), Self> {
        if holds {
            Ok(())
        } else {
            Err(Self { law, vcpu, cpu })
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "broken law: {}", self.law)?;
        if let Some(vcpu) = self.vcpu {
            write!(f, " (VCPU {})", vcpu.index())?;
        }
        if let Some(cpu) = self.cpu {
            write!(f, " (processor {})", cpu.index())?;
        }
        Ok(())
    }
}

impl core::error::Error for Violation {}
