//! How late a periodic thread is that the clock releases: cyclictest's question to a guest with one
//! processor.
//!
//! Owns: the thread, the samples.
//! Must never know: a board; that there is a hypervisor.
//!
//! Words: `loops=` samples (1000), `interval-ns=` or `interval-us=` from release to release (1 ms),
//! `phase-ns=` (0), by which the first release comes later, `load=0|1` (0). A sample is the time
//! from the instant of a release to the thread's next instruction after its sleep, by the
//! board's clock, in whole ticks of the counter (16 ns at 62.5 MHz). With load a less urgent thread
//! computes all the time. An interval that is no multiple of a neighbour's period lets the releases
//! wander through all phases of that.

use super::{GuestBoard, IDLE, MEASURED, sleep_until};
use crate::experiment::command::{Refused, UNKNOWN, words};
use crate::experiment::samples::{self, Samples};
use crate::experiment::{self, certain, instructions};
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use taktos_kernel::fault::print;
use taktos_kernel::{Duration, Instant, Kernel, System, Thread, Timeout};

/// The priority of the main thread.
pub const MAIN: u8 = super::MAIN;
const STACK: usize = 512 * size_of::<usize>();
/// From the start to the first release of phase 0.
const LEAD: Duration = Duration::from_millis(20);
/// Work of the load between two checks whether it is over, in instructions.
const COMPUTING: u64 = 1_000;
const MICRO: u64 = 1_000;
/// The longest interval and phase: ten seconds.
const LONGEST: u64 = 10_000_000_000;

/// Requested parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Plan {
    loops: usize,
    interval: Duration,
    phase: Duration,
    load: bool,
}

impl Plan {
    fn read(line: &str) -> Result<Self, Refused<'_>> {
        let mut plan = Self {
            loops: 1_000,
            interval: Duration::from_micros(1_000),
            phase: Duration::ZERO,
            load: false,
        };
        for word in words(line) {
            match word.key {
                "loops" => plan.loops = word.number(1, samples::MOST)?,
                "interval-us" => {
                    plan.interval = Duration::from_micros(word.number(1, LONGEST / MICRO)?);
                }
                "interval-ns" => plan.interval = Duration::from_nanos(word.number(MICRO, LONGEST)?),
                "phase-ns" => plan.phase = Duration::from_nanos(word.number(0, LONGEST)?),
                "load" => plan.load = word.number(0, 1)? == 1,
                _ => return Err(word.refused(UNKNOWN)),
            }
        }
        Ok(plan)
    }
}

/// Objects of the workload. A board has them in a static.
pub struct Objects<S: System> {
    measured: Thread<S, STACK>,
    load: Thread<S, STACK>,
    samples: Samples,
    first: AtomicU64,
    interval: AtomicU64,
    loops: AtomicUsize,
    over: AtomicBool,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            measured: Thread::new("measured"),
            load: Thread::new("load"),
            samples: Samples::new(),
            first: AtomicU64::new(0),
            interval: AtomicU64::new(0),
            loops: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs the workload by the guest's words, and ends the program. In the main thread, on a stack of
/// 16 KiB.
pub fn run<S: GuestBoard>(objects: &'static Objects<S>) -> ! {
    let plan = match Plan::read(S::words()) {
        Ok(plan) => plan,
        Err(refused) => experiment::refuse::<S>(refused),
    };
    let first = Kernel::<S>::now()
        .saturating_add(LEAD)
        .saturating_add(plan.phase);
    objects.start(&plan, first);
    certain(objects.measured.join(Timeout::FOREVER));
    objects.over.store(true, Relaxed);
    if plan.load {
        certain(objects.load.join(Timeout::FOREVER));
    }
    let (loops, load) = (plan.loops, u8::from(plan.load));
    let (interval, phase) = (plan.interval.as_nanos(), plan.phase.as_nanos());
    print::<S>(format_args!(
        "@run workload=latency loops={loops} interval_ns={interval} phase_ns={phase} load={load} processors=1\n"
    ));
    let samples = &objects.samples;
    samples.tell::<S>(format_args!("name=latency where=same from=0 to=0"));
    experiment::end::<S>()
}

impl<S: GuestBoard> Objects<S> {
    fn start(&'static self, plan: &Plan, first: Instant) {
        self.first.store(first.as_nanos(), Relaxed);
        self.interval.store(plan.interval.as_nanos(), Relaxed);
        self.loops.store(plan.loops, Relaxed);
        certain(
            self.measured
                .create_as("measured", experiment::priority(MEASURED)),
        );
        certain(self.measured.start_with(Self::measure, self));
        if plan.load {
            certain(self.load.create_as("load", experiment::priority(IDLE)));
            certain(self.load.start_with(Self::keep_busy, self));
        }
    }

    /// Body of the measured thread.
    fn measure(&'static self) {
        let interval = Duration::from_nanos(self.interval.load(Relaxed));
        let mut release = Instant::from_nanos(self.first.load(Relaxed));
        for _ in 0..self.loops.load(Relaxed) {
            sleep_until::<S>(release);
            let awake = Kernel::<S>::now();
            self.samples.add(release, awake);
            release = release.saturating_add(interval);
        }
    }

    /// Body of the loading thread.
    fn keep_busy(&'static self) {
        while !self.over.load(Relaxed) {
            instructions(COMPUTING);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_understood() {
        let plan = Plan::read("loops=7 interval-us=3 phase-ns=16 load=1").expect("all are known");
        assert_eq!((plan.loops, plan.load), (7, true));
        assert_eq!(plan.interval, Duration::from_nanos(3_000));
        assert_eq!(plan.phase, Duration::from_nanos(16));
        let plan = Plan::read("interval-ns=1000016").expect("it is known");
        assert_eq!(plan.interval, Duration::from_nanos(1_000_016));
        for line in [
            "loops=0",
            "loops=100001",
            "interval-ns=5",
            "load=2",
            "speed=1",
        ] {
            assert!(Plan::read(line).is_err(), "{line}");
        }
    }
}
