//! A guest that checks whether it gets its guaranteed time, whatever its neighbours do.
//!
//! Owns: the thread that checks, and the output.
//! Must never know: a board; that there is a hypervisor; the neighbours.
//!
//! Words: `mode=jobs` (as without) or `mode=supply`, `period-us=` (1000), `for-ms=` (1000).
//! - By jobs: `work=` instructions a job (100000), `deadline-us=` after its release (the period),
//!   `phase-ns=` (0) by which the first one comes later. Each job works, and reads the clock
//!   when it is done; one that is late is done all the same, and the next one then begins at once.
//!   Prints `@jobs count= missed= min_ns= mean_ns= max_ns= first_missed=`, response times from the
//!   release to the work's end, and the number of the first job that missed its deadline (0: none).
//! - By supply: `budget-us=` (500) in each period, `gap-ns=` (2000), the shortest time between two
//!   reads of the clock that is a gap, `rounds=` (1) of `for-ms` each; between two it evaluates
//!   the last one. It never sleeps. Prints for each round `@supply periods= short= least_ns=
//!   first_ns= gaps= gap_sum_ns= gap_max_ns= lost=`: how many whole periods there were, how many of
//!   them had less than the budget, and the least that one had, by the beginning of periods that
//!   looks best; `lost` is 1 if there were more gaps than could be stored.
//!
//! Meanwhile it keeps 64 KiB that nothing may change: `@memory hash= kept= registers=`, and,
//! by supply, the vector registers: `registers` is how often a gap changed them. The program's
//! status is 0 if nothing was amiss.

use super::pattern::Pattern;
use super::supply::Gaps;
use super::vectors::Vectors;
use super::{GuestBoard, MEASURED, sleep_until};
use crate::experiment::command::{Refused, UNKNOWN, words};
use crate::experiment::{self, certain, instructions};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taktos_kernel::fault::print;
use taktos_kernel::{Duration, Kernel, System, Thread, Timeout};

/// The priority of the main thread.
pub const MAIN: u8 = super::MAIN;
const STACK: usize = 512 * size_of::<usize>();
/// From the start to the first release of phase 0.
const LEAD: Duration = Duration::from_millis(20);
const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;
/// The longest time in microseconds: two hours.
const LONGEST: u64 = 7_200_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Jobs,
    Supply,
}

const MODES: [(&str, Mode); 2] = [("jobs", Mode::Jobs), ("supply", Mode::Supply)];

/// Requested parameters; times in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Plan {
    mode: Mode,
    period: u64,
    span: u64,
    work: u64,
    deadline: Option<u64>,
    phase: u64,
    budget: u64,
    gap: u64,
    rounds: u64,
}

impl Plan {
    const DEFAULT: Self = Self {
        mode: Mode::Jobs,
        period: MILLI,
        span: 1_000 * MILLI,
        work: 100_000,
        deadline: None,
        phase: 0,
        budget: 500 * MICRO,
        gap: 2 * MICRO,
        rounds: 1,
    };

    fn read(line: &str) -> Result<Self, Refused<'_>> {
        let mut plan = Self::DEFAULT;
        for word in words(line) {
            let micros = || word.number(1, LONGEST).map(|number: u64| number * MICRO);
            match word.key {
                "mode" => plan.mode = word.choice(&MODES, "modes: jobs supply")?,
                "period-us" => plan.period = micros()?,
                "for-ms" => plan.span = word.number(1, LONGEST / MICRO)? * MILLI,
                "work" => plan.work = word.number(1, u64::MAX)?,
                "deadline-us" => plan.deadline = Some(micros()?),
                "phase-ns" => plan.phase = word.number(0, LONGEST)?,
                "budget-us" => plan.budget = micros()?,
                "rounds" => plan.rounds = word.number(1, LONGEST)?,
                "gap-ns" => plan.gap = word.number(1, LONGEST)?,
                _ => return Err(word.refused(UNKNOWN)),
            }
        }
        Ok(plan)
    }
}

/// Statistics of jobs.
struct Jobs {
    count: AtomicU64,
    missed: AtomicU64,
    first_missed: AtomicU64,
    min: AtomicU64,
    sum: AtomicU64,
    max: AtomicU64,
}

impl Jobs {
    fn add(&self, response: u64, deadline: u64) {
        let count = self.count.fetch_add(1, Relaxed) + 1;
        self.min.fetch_min(response, Relaxed);
        self.max.fetch_max(response, Relaxed);
        self.sum.fetch_add(response, Relaxed);
        if response > deadline && self.missed.fetch_add(1, Relaxed) == 0 {
            self.first_missed.store(count, Relaxed);
        }
    }
}

/// Objects of the workload. A board has them in a static.
pub struct Objects<S: System> {
    thread: Thread<S, STACK>,
    pattern: Pattern,
    gaps: Gaps,
    vectors: Vectors,
    changed: AtomicU64,
    jobs: Jobs,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            thread: Thread::new("monitor"),
            pattern: Pattern::new(),
            gaps: Gaps::new(),
            vectors: Vectors::new(),
            changed: AtomicU64::new(0),
            jobs: Jobs {
                count: AtomicU64::new(0),
                missed: AtomicU64::new(0),
                first_missed: AtomicU64::new(0),
                min: AtomicU64::new(u64::MAX),
                sum: AtomicU64::new(0),
                max: AtomicU64::new(0),
            },
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

fn plan<S: GuestBoard>() -> Plan {
    match Plan::read(S::words()) {
        Ok(plan) => plan,
        Err(refused) => experiment::refuse::<S>(refused),
    }
}

/// Runs the workload by the guest's words, and ends the program. In the main thread, on a stack of
/// 16 KiB.
pub fn run<S: GuestBoard>(objects: &'static Objects<S>) -> ! {
    let plan = plan::<S>();
    let filled = objects.pattern.fill();
    let good = match plan.mode {
        Mode::Jobs => objects.have_jobs(&plan),
        Mode::Supply => objects.have_supply(&plan),
    };
    let hash = objects.pattern.hash();
    let kept = hash == filled;
    let changed = objects.changed.load(Relaxed);
    print::<S>(format_args!(
        "@memory hash={hash:016x} kept={} registers={changed}\n",
        u8::from(kept)
    ));
    let at = Kernel::<S>::now().as_nanos();
    print::<S>(format_args!("@end at_ns={at}\n"));
    S::exit(i32::from(!(good && kept && changed == 0)))
}

impl<S: GuestBoard> Objects<S> {
    /// Body of the thread that has jobs.
    fn work(&'static self) {
        let plan = plan::<S>();
        let deadline = plan.deadline.unwrap_or(plan.period);
        let first = Kernel::<S>::now()
            .saturating_add(LEAD)
            .saturating_add(Duration::from_nanos(plan.phase));
        for number in 0..plan.span / plan.period {
            let release = first.saturating_add(Duration::from_nanos(number * plan.period));
            sleep_until::<S>(release);
            instructions(plan.work);
            let response = Kernel::<S>::now().since(release);
            self.jobs.add(response.as_nanos(), deadline);
        }
    }

    fn have_jobs(&'static self, plan: &Plan) -> bool {
        let priority = experiment::priority(MEASURED);
        certain(self.thread.create_as("monitor", priority));
        certain(self.thread.start_with(Self::work, self));
        certain(self.thread.join(Timeout::FOREVER));
        self.tell_jobs(plan)
    }

    fn have_supply(&self, plan: &Plan) -> bool {
        let Plan {
            period,
            budget,
            gap,
            span,
            rounds,
            ..
        } = *plan;
        print::<S>(format_args!(
            "@run workload=monitor mode=supply for_ns={span} period_ns={period} budget_ns={budget} gap_ns={gap} rounds={rounds}\n"
        ));
        self.vectors.fill();
        (0..rounds).fold(true, |good, _| {
            let (looked, lost) = self.look(plan);
            self.tell_supply(plan, looked, lost) && good
        })
    }

    /// Looks for gaps until the span is over: how long that was, and whether there were more than
    /// can be kept.
    fn look(&self, plan: &Plan) -> (u64, bool) {
        self.gaps.clear();
        let begin = Kernel::<S>::now();
        let (mut last, mut lost) = (0, false);
        while last < plan.span {
            let now = Kernel::<S>::now().since(begin).as_nanos();
            if now - last >= plan.gap {
                lost |= !self.gaps.add(last, now);
                if !self.vectors.are_kept() {
                    self.changed.fetch_add(1, Relaxed);
                }
            }
            last = now;
        }
        (last, lost)
    }

    fn tell_jobs(&self, plan: &Plan) -> bool {
        let Plan {
            period,
            work,
            phase,
            span,
            ..
        } = plan;
        let deadline = plan.deadline.unwrap_or(*period);
        print::<S>(format_args!(
            "@run workload=monitor mode=jobs for_ns={span} period_ns={period} work={work} deadline_ns={deadline} phase_ns={phase}\n"
        ));
        let get = |cell: &AtomicU64| cell.load(Relaxed);
        let jobs = &self.jobs;
        let (count, missed) = (get(&jobs.count), get(&jobs.missed));
        let mean = get(&jobs.sum) / count.max(1);
        print::<S>(format_args!(
            "@jobs count={count} missed={missed} min_ns={} mean_ns={mean} max_ns={} first_missed={}\n",
            if count == 0 { 0 } else { get(&jobs.min) },
            get(&jobs.max),
            get(&jobs.first_missed),
        ));
        missed == 0
    }

    fn tell_supply(&self, plan: &Plan, looked: u64, lost: bool) -> bool {
        let best = self.gaps.best(looked, plan.period, plan.budget);
        let (sum, max) = self.gaps.lengths();
        print::<S>(format_args!(
            "@supply periods={} short={} least_ns={} first_ns={} gaps={} gap_sum_ns={sum} gap_max_ns={max} lost={}\n",
            best.periods,
            best.short,
            best.least,
            best.first,
            self.gaps.count(),
            u8::from(lost),
        ));
        best.short == 0 && !lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_understood() {
        let plan = Plan::read("mode=supply period-us=10000 budget-us=4000 gap-ns=7 for-ms=60000");
        let expected = Plan {
            mode: Mode::Supply,
            period: 10 * MILLI,
            budget: 4 * MILLI,
            gap: 7,
            span: 60_000 * MILLI,
            ..Plan::DEFAULT
        };
        assert_eq!(plan, Ok(expected));
        assert_eq!(
            Plan::read("deadline-us=3").map(|plan| plan.deadline),
            Ok(Some(3000))
        );
        for line in ["mode=best", "period-us=0", "work=0", "loops=1", "for-ms=0"] {
            assert!(Plan::read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn the_first_late_job_is_named() {
        let objects = Jobs {
            count: AtomicU64::new(0),
            missed: AtomicU64::new(0),
            first_missed: AtomicU64::new(0),
            min: AtomicU64::new(u64::MAX),
            sum: AtomicU64::new(0),
            max: AtomicU64::new(0),
        };
        for response in [5, 10, 11, 3, 20] {
            objects.add(response, 10);
        }
        let get = |cell: &AtomicU64| cell.load(Relaxed);
        assert_eq!((get(&objects.missed), get(&objects.first_missed)), (2, 3));
        assert_eq!((get(&objects.min), get(&objects.max)), (3, 20));
    }
}
