//! Owns: the report of all periods. Must never know: how a period works.

use super::{Period, Statistics, list};
use crate::sched::{hold, is_smp};
use crate::{Kernel, System, fault};
use core::fmt;

/// The report of one period; displayed, its line.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// The period's number: from 1, in the order of creation.
    pub number: u32,
    /// The period's name.
    pub name: &'static str,
    /// The owner's name.
    pub owner: &'static str,
    /// The statistics of its jobs.
    pub statistics: Statistics,
    /// Whether processor time is counted.
    pub counts_cpu: bool,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.statistics.line(self.number, self.owner);
        let line = if self.counts_cpu {
            line
        } else {
            line.without_cpu()
        };
        write!(f, "{line}  {}", self.name)
    }
}

/// The report's first line.
const HEAD: &str = "   id  owner     count missed  cpu min/max/mean s  wall min/max/mean s  name\n";

impl<S: System> Kernel<S> {
    /// Returns the reports of the periods of all threads that exist, one after the other, in the
    /// order of their creation. A period that is created or deleted meanwhile is there or not.
    /// Bound of each step: the threads and the periods that exist.
    pub fn periods() -> impl Iterator<Item = Report> {
        let mut number = 0;
        core::iter::from_fn(move || {
            let held = hold::<S>();
            let cs = held.section();
            let period = list::after::<S>(cs, number)?;
            number = period.number.get(cs);
            let grid = period.grid.get(cs)?;
            Some(Report {
                number,
                name: period.name,
                owner: grid.owner().name(cs),
                statistics: *grid.statistics(),
                counts_cpu: is_smp::<S>(),
            })
        })
    }

    /// Writes the report: a line for each period, with its number, its owner's name, the jobs
    /// concluded and missed, the shortest, longest and mean processor and wall time of a job in
    /// seconds, where there was one, and the period's name. In a thread; bounded by the console.
    pub fn report_periods() {
        S::write(HEAD);
        for report in Self::periods() {
            fault::print::<S>(format_args!("{report}\n"));
        }
    }
}

impl<S: System> Period<S> {
    /// The period's name.
    pub const fn name(&self) -> &'static str {
        self.core.name
    }
}
