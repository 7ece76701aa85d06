//! The processor time of threads.
//!
//! Owns: the picture of all threads' times at one instant, and the report.
//! Must never know: the code that counts the time.
//!
//! Nothing is ever reset: a report is the difference of two pictures, so no measurement disturbs
//! another one, and periods have their own.

use crate::sched::{hold, is_smp};
use crate::thread::AnyThread;
use crate::{Kernel, System, fault};
use core::fmt;
use taktos_machine::Machine;
use taktos_time::{Duration, Instant};

/// The most processors that a picture shows.
const PROCESSORS: usize = taktos_schedule::Cpu::COUNT;

/// The processor times of up to `THREADS` threads, and the idle times of all processors, at one
/// instant.
pub struct Usage<S: System, const THREADS: usize> {
    at: Instant,
    threads: [Option<(&'static AnyThread<S>, Duration)>; THREADS],
    idle: [Option<Duration>; PROCESSORS],
    complete: bool,
}

/// One line of the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// A thread, by its name.
    Thread(&'static str),
    /// A processor that had nothing to do.
    Idle(usize),
    /// Threads that were deleted, or did not fit into the picture.
    Others,
}

impl<S: System, const THREADS: usize> Usage<S, THREADS> {
    /// Takes the picture: all threads that exist, the latest created first, all in one section.
    ///
    /// It does not compile for a system with one processor, where the kernel does not count. Bound:
    /// the threads that exist, and the processors.
    pub fn take() -> Self {
        const {
            assert!(
                is_smp::<S>(),
                "processor time is counted where several processors are scheduled"
            );
        }
        let held = hold::<S>();
        let cs = held.section();
        let mut usage = Self {
            at: S::Machine::now(),
            threads: [None; THREADS],
            idle: [None; PROCESSORS],
            complete: true,
        };
        let mut rows = usage.threads.iter_mut();
        S::kernel().threads.for_each(cs, |thread| {
            // Idle threads have no row: they count for their processors.
            if thread.row(cs).is_none() {
                return;
            }
            match rows.next() {
                Some(row) => {
                    *row = Some((AnyThread::of(thread), Kernel::<S>::lifetime(cs, thread)))
                }
                None => usage.complete = false,
            }
        });
        for (number, idle) in usage.idle.iter_mut().enumerate() {
            *idle = Kernel::<S>::idle_time(cs, number);
        }
        usage
    }

    /// Whether all threads fitted in.
    pub const fn is_complete(&self) -> bool {
        self.complete
    }

    /// When the picture was taken.
    pub const fn at(&self) -> Instant {
        self.at
    }

    /// The processor time that `thread` had had; zero for one that did not exist.
    pub fn of(&self, thread: &'static AnyThread<S>) -> Duration {
        self.threads
            .iter()
            .flatten()
            .find(|(other, _)| core::ptr::eq(*other, thread))
            .map_or(Duration::ZERO, |(_, time)| *time)
    }

    /// How long the processor `number` had been idle; none where no instance had it.
    pub fn idle(&self, number: usize) -> Option<Duration> {
        self.idle.get(number).copied().flatten()
    }

    /// Calls `visit` with each share of the processors' time since the picture `earlier`, and the
    /// share's time: first the threads, then idleness, then the rest. If no processor came or
    /// went in between, all times together are the span times the processors.
    pub fn since(&self, earlier: &Self, mut visit: impl FnMut(Share, Duration)) {
        let span = self.at.since(earlier.at);
        let mut rest = Duration::ZERO;
        for _ in self.idle.iter().flatten() {
            rest = rest.saturating_add(span);
        }
        let mut tell = |share, time: Duration| {
            rest = rest.saturating_sub(time);
            visit(share, time);
        };
        for (thread, time) in self.threads.iter().flatten() {
            tell(
                Share::Thread(thread.name()),
                time.saturating_sub(earlier.of(thread)),
            );
        }
        for (number, idle) in self.idle.iter().enumerate() {
            if let Some(idle) = idle {
                let before = earlier.idle(number).unwrap_or(Duration::ZERO);
                tell(Share::Idle(number), idle.saturating_sub(before));
            }
        }
        if rest > Duration::ZERO {
            visit(Share::Others, rest);
        }
    }

    /// Writes the report of the time since the picture `earlier`: a line for each share, with its
    /// name, seconds with microseconds, and percent of the span with three decimals; on m
    /// processors they sum to m · 100 %, but for what is cut off. In a thread; bounded by the
    /// console.
    pub fn report_since(&self, earlier: &Self) {
        let span = self.at.since(earlier.at);
        S::write("name                    seconds      percent\n");
        self.since(earlier, |share, time| {
            fault::print::<S>(format_args!("{}\n", Line { share, time, span }));
        });
    }
}

/// A line of the report.
struct Line {
    share: Share,
    time: Duration,
    span: Duration,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(name) => write!(f, "{name:<16}"),
            Self::Idle(number) => write!(f, "idle {number:<11}"),
            Self::Others => write!(f, "{:<16}", "others"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { share, time, span } = self;
        let micros = time.as_micros();
        let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
        let millis = thousandths_of_percent(*time, *span);
        let (percent, millis) = (millis / 1_000, millis % 1_000);
        write!(
            f,
            "{share} {seconds:>7}.{micros:06} {percent:>8}.{millis:03}"
        )
    }
}

/// The share of `time` in `span`, cut; none of no time.
fn thousandths_of_percent(time: Duration, span: Duration) -> u64 {
    let (time, span) = (u128::from(time.as_nanos()), u128::from(span.as_nanos()));
    let share = (time * 100_000).checked_div(span).unwrap_or(0);
    u64::try_from(share).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn a_line_has_the_name_the_time_and_the_share() {
        let line = |share, time, span| {
            Line {
                share,
                time: Duration::from_nanos(time),
                span: Duration::from_nanos(span),
            }
            .to_string()
        };
        assert_eq!(
            line(Share::Thread("T1"), 1_500_000_999, 2_000_000_000),
            "T1                     1.500000       75.000"
        );
        assert_eq!(
            line(Share::Idle(3), 1, 3),
            "idle 3                 0.000000       33.333"
        );
        assert_eq!(
            line(Share::Others, 5, 0),
            "others                 0.000000        0.000"
        );
    }

    #[test]
    fn long_spans_are_not_cut() {
        let year = Duration::from_secs(31_536_000);
        assert_eq!(thousandths_of_percent(year, year), 100_000);
    }
}
