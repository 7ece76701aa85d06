//! Owns: what is known of the jobs that a period has concluded.
//! Must never know: when the next one is due.

use core::fmt;
use taktos_time::Duration;

/// Least, most and sum of a span over all concluded jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    /// The shortest; [`Duration::MAX`] while there is none.
    pub min: Duration,
    /// The longest; zero while there is none.
    pub max: Duration,
    /// All together, saturating.
    pub total: Duration,
}

impl Spread {
    const EMPTY: Self = Self {
        min: Duration::MAX,
        max: Duration::ZERO,
        total: Duration::ZERO,
    };

    fn add(&mut self, span: Duration) {
        self.min = self.min.min(span);
        self.max = self.max.max(span);
        self.total = self.total.saturating_add(span);
    }

    /// The mean of `count` spans, rounded down; zero of none.
    pub const fn average(&self, count: u32) -> Duration {
        match self.total.as_nanos().checked_div(count as u64) {
            Some(mean) => Duration::from_nanos(mean),
            None => Duration::ZERO,
        }
    }
}

/// The counts of a period since it was made, or since the last reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// Concluded jobs, missed ones included; stays at 2³² − 1.
    pub count: u32,
    /// Jobs that were concluded after their deadline; stays at 2³² − 1.
    pub missed: u32,
    /// Jobs that took more processor time than their budget; stays at 2³² − 1.
    pub overruns: u32,
    /// Processor time of a job.
    pub cpu: Spread,
    /// Time from the start of a job to its end: the wait for the next release is none of it.
    pub wall: Spread,
}

impl Statistics {
    /// Nothing counted yet.
    pub const EMPTY: Self = Self {
        count: 0,
        missed: 0,
        overruns: 0,
        cpu: Spread::EMPTY,
        wall: Spread::EMPTY,
    };

    /// One more job.
    pub(super) fn conclude(&mut self, missed: bool, overrun: bool, cpu: Duration, wall: Duration) {
        self.count = self.count.saturating_add(1);
        self.missed = self.missed.saturating_add(missed.into());
        self.overruns = self.overruns.saturating_add(overrun.into());
        self.cpu.add(cpu);
        self.wall.add(wall);
    }

    /// The report's line for the period `id` of the thread `owner`.
    pub const fn line<'a>(&'a self, id: u32, owner: &'a str) -> Line<'a> {
        Line {
            id,
            owner,
            statistics: self,
            counts_cpu: true,
        }
    }
}

/// One line of the report: identity, owner, count, missed, then least/most/mean of the
/// processor time and of the wall time in seconds; nothing but the counts where none is
/// concluded.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    id: u32,
    owner: &'a str,
    statistics: &'a Statistics,
    counts_cpu: bool,
}

impl Line<'_> {
    /// Returns the line with dashes for the processor time, for worlds that do not count it.
    #[must_use]
    pub const fn without_cpu(mut self) -> Self {
        self.counts_cpu = false;
        self
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statistics {
            count,
            missed,
            cpu,
            wall,
            ..
        } = self.statistics;
        write!(
            f,
            "{:>5}  {:<8} {count:>6} {missed:>6}",
            self.id, self.owner
        )?;
        if *count == 0 {
            return Ok(());
        }
        if !self.counts_cpu {
            f.write_str("  -/-/-")?;
        }
        let counted = if self.counts_cpu {
            &[cpu, wall][..]
        } else {
            &[wall]
        };
        for spread in counted {
            write!(
                f,
                "  {}/{}/{}",
                Seconds(spread.min),
                Seconds(spread.max),
                Seconds(spread.average(*count)),
            )?;
        }
        Ok(())
    }
}

/// Seconds with six decimals, cut, not rounded.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_micros();
        write!(f, "{}.{:06}", micros / 1_000_000, micros % 1_000_000)
    }
}
