//! How late periodic threads are: one on each processor, released by the clock, with and without
//! others that keep the processors and the kernel busy.
//!
//! Owns: the threads, the samples.
//! Must never know: a board.
//!
//! Words: `loops=` samples a processor (1000), `interval-us=` (1000), `load=0|1`, `processors=`
//! (4), `distance-us=`: how much later each processor's releases are than those of the one before
//! (0: all at once, which is the worst for the one lock). A sample is the time from the instant of
//! a release to the thread's next instruction after its sleep, by the board's clock. With load,
//! each processor has a thread besides that computes for 1000 instructions, gives and takes a
//! semaphore, and so on: all of them go through the kernel all the time.

use crate::command_line::{Line, NO_LINE};
use crate::experiment::command::{Refused, UNKNOWN, words};
use crate::experiment::samples::{self, Samples};
use crate::experiment::{self, ExperimentBoard, PROCESSORS, Scheme, certain};
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use taktos_kernel::fault::print;
use taktos_kernel::{
    AnyThread, Duration, InstanceConfig, Instant, Kernel, Semaphore, System, Thread, Timeout,
};

const STACK: usize = 512 * size_of::<usize>();
/// The priorities of the main thread, the measured ones and the load.
const MAIN: u8 = 1;
const MEASURED: u8 = 4;
const LOAD: u8 = 20;
/// From the creation of the threads to the first release.
const LEAD: Duration = Duration::from_millis(20);
/// Work of a loading thread between two visits to the kernel.
const COMPUTING: Duration = Duration::from_nanos(1_000);

/// Requested parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    loops: usize,
    interval: Duration,
    distance: Duration,
    load: bool,
    scheme: Scheme,
}

impl Plan {
    /// Reads the parameters of `line`.
    ///
    /// # Errors
    /// The word that cannot be carried out.
    pub fn read(line: &str) -> Result<Self, Refused<'_>> {
        let mut plan = Self {
            loops: 1_000,
            interval: Duration::from_micros(1_000),
            distance: Duration::ZERO,
            load: false,
            scheme: Scheme::SEPARATE,
        };
        for word in words(line) {
            match word.key {
                "loops" => plan.loops = word.number(1, samples::MOST)?,
                "interval-us" => plan.interval = Duration::from_micros(word.number(1, 10_000_000)?),
                "distance-us" => plan.distance = Duration::from_micros(word.number(0, 10_000_000)?),
                "load" => plan.load = word.number(0, 1)? == 1,
                "processors" => plan.scheme.processors = word.number(1, PROCESSORS)?,
                _ => return Err(word.refused(UNKNOWN)),
            }
        }
        Ok(plan)
    }
}

/// Part of one processor.
struct Part<S: System> {
    measured: Thread<S, STACK>,
    load: Thread<S, STACK>,
    own: Semaphore<S>,
    samples: Samples,
    first: AtomicU64,
    interval: AtomicU64,
    loops: AtomicUsize,
    over: AtomicBool,
}

/// Objects of the workload. A board has them in a static.
pub struct Objects<S: System> {
    parts: [Part<S>; PROCESSORS],
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            parts: [const {
                Part {
                    measured: Thread::new("measured"),
                    load: Thread::new("load"),
                    own: Semaphore::new(0),
                    samples: Samples::new(),
                    first: AtomicU64::new(0),
                    interval: AtomicU64::new(0),
                    loops: AtomicUsize::new(0),
                    over: AtomicBool::new(false),
                }
            }; PROCESSORS],
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

fn read<S: ExperimentBoard>(buffer: &mut Line) -> Plan {
    match Plan::read(S::command_line(buffer)) {
        Ok(plan) => plan,
        Err(refused) => experiment::refuse::<S>(refused),
    }
}

/// The instances with which the kernel is to be started, and how many of them: by the command line.
/// Ends the program if a word is refused. Called before the kernel runs.
pub fn configuration<S: ExperimentBoard>() -> ([InstanceConfig; PROCESSORS], usize) {
    let mut buffer = NO_LINE;
    let scheme = read::<S>(&mut buffer).scheme;
    (scheme.configuration(), scheme.instances())
}

/// Runs the workload as the command line says, and ends the program. In the main thread, which
/// becomes more urgent than all others, on a stack of 16 KiB.
pub fn run<S: ExperimentBoard>(objects: &'static Objects<S>) -> ! {
    let mut buffer = NO_LINE;
    let plan = read::<S>(&mut buffer);
    certain(AnyThread::<S>::current().set_priority(experiment::priority(MAIN)));
    let parts = &objects.parts[..plan.scheme.used()];
    let begin = Kernel::<S>::now().saturating_add(LEAD);
    for (processor, part) in parts.iter().enumerate() {
        let later = plan.distance.as_nanos() * processor as u64;
        let first = begin.saturating_add(Duration::from_nanos(later));
        part.start(processor, &plan, first);
    }
    for part in parts {
        certain(part.measured.join(Timeout::FOREVER));
        part.over.store(true, Relaxed);
    }
    for part in parts.iter().filter(|_| plan.load) {
        certain(part.load.join(Timeout::FOREVER));
    }
    let (loops, interval) = (plan.loops, plan.interval.as_nanos());
    let distance = plan.distance.as_nanos();
    let (load, processors) = (u8::from(plan.load), plan.scheme.used());
    print::<S>(format_args!(
        "@run workload=latency loops={loops} interval_ns={interval} distance_ns={distance} load={load} processors={processors}\n"
    ));
    for (processor, part) in parts.iter().enumerate() {
        part.samples.tell::<S>(format_args!(
            "name=latency where=same from={processor} to={processor}"
        ));
    }
    experiment::end::<S>()
}

impl<S: ExperimentBoard> Part<S> {
    fn start(&'static self, processor: usize, plan: &Plan, first: Instant) {
        self.first.store(first.as_nanos(), Relaxed);
        self.interval.store(plan.interval.as_nanos(), Relaxed);
        self.loops.store(plan.loops, Relaxed);
        let threads: [(&'static AnyThread<S>, u8); 2] =
            [(&self.measured, MEASURED), (&self.load, LOAD)];
        certain(self.measured.create());
        certain(self.load.create());
        for (thread, level) in threads {
            certain(S::place(thread, processor, experiment::priority(level)));
        }
        certain(self.measured.start_with(Self::measure, self));
        if plan.load {
            certain(self.load.start_with(Self::keep_busy, self));
        }
    }

    /// Body of the measured thread.
    fn measure(&'static self) {
        let interval = Duration::from_nanos(self.interval.load(Relaxed));
        let mut release = Instant::from_nanos(self.first.load(Relaxed));
        for _ in 0..self.loops.load(Relaxed) {
            certain(AnyThread::<S>::sleep(Timeout::until(release)));
            let awake = Kernel::<S>::now();
            self.samples.add(release, awake);
            release = release.saturating_add(interval);
        }
    }

    /// Body of the loading thread.
    fn keep_busy(&'static self) {
        while !self.over.load(Relaxed) {
            S::work(COMPUTING);
            certain(self.own.give());
            certain(self.own.take(Timeout::FOREVER));
        }
    }
}
