//! The response times of the mechanisms by which threads work together: the experiments of
//! "Performance Evaluation of Real-time Mechanisms for Real-time Embedded Linux" (Koh and Choi,
//! 2012), on one processor and across two.
//!
//! Owns: the experiments, the samples. Must never know: a board.
//!
//! Words: `experiment=all|periodic|semaphore|fifo|mailbox|queue`, `where=all|same|across`, `loops=`
//! (1000), `interval-us=` (1000). In each experiment, one thread, on processor 0, is released once
//! an interval; its partner is on the same processor, or on processor 1, and waits. Only one
//! experiment runs at a time, and nothing else does.
//! - periodic: from the instant of a release of a [`Period`] to the owner's next instruction.
//! - semaphore: from the call of give in the one thread to the return of take in the other, which
//!   is more urgent.
//! - fifo: four bytes through a [`Pipe`] to the partner, and back through another: the round trip.
//! - mailbox: the same by a [`Mailbox`]; queue: the same by a [`MessageQueue`].

use crate::command_line::NO_LINE;
use crate::experiment::command::{Refused, UNKNOWN, words};
use crate::experiment::samples::{self, Samples};
use crate::experiment::{self, ExperimentBoard, PROCESSORS, Scheme, certain};
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use taktos_kernel::fault::print;
use taktos_kernel::{
    AnyThread, Duration, InstanceConfig, Instant, Kernel, Mailbox, MessageQueue, Partner, Period,
    Pipe, Semaphore, System, Thread, Timeout,
};

const STACK: usize = 512 * size_of::<usize>();
/// The priorities of the main thread, of the partner and of the thread that is released.
const MAIN: u8 = 1;
const PARTNER: u8 = 4;
const RELEASED: u8 = 8;
/// From the creation of the threads to the first release.
const LEAD: Duration = Duration::from_millis(5);

type Entry<S> = fn(&'static Objects<S>);

/// An experiment: its name, what the released thread does and what its partner does, if there is
/// one.
struct Experiment<S: System> {
    name: &'static str,
    released: Entry<S>,
    partner: Option<Entry<S>>,
}

const NAMES: [&str; 5] = ["periodic", "semaphore", "fifo", "mailbox", "queue"];

/// Requested parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// One of [`NAMES`]; none: all of them.
    experiment: Option<&'static str>,
    /// Whether the partner is on another processor; none: once so, once so.
    across: Option<bool>,
    loops: usize,
    interval: Duration,
}

impl Plan {
    /// Reads the parameters of `line`.
    ///
    /// # Errors
    /// The word that cannot be carried out.
    pub fn read(line: &str) -> Result<Self, Refused<'_>> {
        let mut plan = Self {
            experiment: None,
            across: None,
            loops: 1_000,
            interval: Duration::from_micros(1_000),
        };
        for word in words(line) {
            match word.key {
                "loops" => plan.loops = word.number(1, samples::MOST)?,
                "interval-us" => plan.interval = Duration::from_micros(word.number(1, 10_000_000)?),
                "where" => {
                    let places = [("all", None), ("same", Some(false)), ("across", Some(true))];
                    plan.across = word.choice(&places, "places: all same across")?;
                }
                "experiment" if word.value == "all" => plan.experiment = None,
                "experiment" => {
                    let names = NAMES.map(|name| (name, Some(name)));
                    let why = "experiments: all periodic semaphore fifo mailbox queue";
                    plan.experiment = word.choice(&names, why)?;
                }
                _ => return Err(word.refused(UNKNOWN)),
            }
        }
        Ok(plan)
    }
}

/// Objects of the experiments. A board has them in a static.
pub struct Objects<S: System> {
    released: Thread<S, STACK>,
    partner: Thread<S, STACK>,
    period: Period<S>,
    semaphore: Semaphore<S>,
    pipes: [Pipe<S, 16>; 2],
    mailboxes: [Mailbox<S, u32, 1>; 2],
    queues: [MessageQueue<S, u32, 4>; 2],
    samples: Samples,
    loops: AtomicUsize,
    /// In nanoseconds.
    first: AtomicU64,
    interval: AtomicU64,
    given: AtomicU64,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            released: Thread::new("released"),
            partner: Thread::new("partner"),
            period: Period::new("released"),
            semaphore: Semaphore::new(0),
            pipes: [const { Pipe::new() }; 2],
            mailboxes: [const { Mailbox::new() }; 2],
            queues: [const { MessageQueue::new() }; 2],
            samples: Samples::new(),
            loops: AtomicUsize::new(0),
            first: AtomicU64::new(0),
            interval: AtomicU64::new(0),
            given: AtomicU64::new(0),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// The instances with which the kernel is to be started, and how many of them.
pub fn configuration() -> ([InstanceConfig; PROCESSORS], usize) {
    (
        Scheme::SEPARATE.configuration(),
        Scheme::SEPARATE.instances(),
    )
}

/// Runs the experiments that the command line requests, and ends the program. In the main thread,
/// which becomes more urgent than all others, on a stack of 16 KiB.
pub fn run<S: ExperimentBoard>(objects: &'static Objects<S>) -> ! {
    let mut buffer = NO_LINE;
    let plan = match Plan::read(S::command_line(&mut buffer)) {
        Ok(plan) => plan,
        Err(refused) => experiment::refuse::<S>(refused),
    };
    certain(AnyThread::<S>::current().set_priority(experiment::priority(MAIN)));
    let places = match plan.across {
        None => "all",
        Some(false) => "same",
        Some(true) => "across",
    };
    print::<S>(format_args!(
        "@run workload=mechanisms experiment={} where={places} loops={} interval_ns={}\n",
        plan.experiment.unwrap_or("all"),
        plan.loops,
        plan.interval.as_nanos()
    ));
    for experiment in Objects::<S>::EXPERIMENTS {
        if plan.experiment.is_some_and(|name| name != experiment.name) {
            continue;
        }
        for across in [false, true] {
            let alone = experiment.partner.is_none();
            if plan.across.is_none_or(|asked| asked == across) && !(alone && across) {
                objects.carry_out(&plan, experiment, across);
            }
        }
    }
    experiment::end::<S>()
}

impl<S: ExperimentBoard> Objects<S> {
    const EXPERIMENTS: &'static [Experiment<S>] = &[
        Experiment {
            name: NAMES[0],
            released: Self::be_periodic,
            partner: None,
        },
        Experiment {
            name: NAMES[1],
            released: Self::give,
            partner: Some(Self::take),
        },
        Experiment {
            name: NAMES[2],
            released: Self::write,
            partner: Some(Self::write_back),
        },
        Experiment {
            name: NAMES[3],
            released: Self::mail,
            partner: Some(Self::mail_back),
        },
        Experiment {
            name: NAMES[4],
            released: Self::send,
            partner: Some(Self::send_back),
        },
    ];

    fn carry_out(&'static self, plan: &Plan, experiment: &Experiment<S>, across: bool) {
        let to = usize::from(across);
        self.samples.clear();
        self.loops.store(plan.loops, Relaxed);
        self.interval.store(plan.interval.as_nanos(), Relaxed);
        let first = Kernel::<S>::now().saturating_add(LEAD);
        self.first.store(first.as_nanos(), Relaxed);
        if let Some(partner) = experiment.partner {
            certain(self.partner.create());
            let priority = experiment::priority(PARTNER);
            certain(S::place(&self.partner, to, priority));
            certain(self.partner.start_with(partner, self));
        }
        certain(self.released.create());
        let priority = experiment::priority(RELEASED);
        certain(S::place(&self.released, 0, priority));
        certain(self.released.start_with(experiment.released, self));
        certain(self.released.join(Timeout::FOREVER));
        certain(self.released.delete());
        if experiment.partner.is_some() {
            certain(self.partner.join(Timeout::FOREVER));
            certain(self.partner.delete());
        }
        let place = if across { "across" } else { "same" };
        self.samples.tell::<S>(format_args!(
            "name={} where={place} from=0 to={to}",
            experiment.name
        ));
    }

    fn interval(&self) -> Duration {
        Duration::from_nanos(self.interval.load(Relaxed))
    }

    /// Calls `work` at each release, with its instant.
    fn at_each_release(&self, mut work: impl FnMut(Instant)) {
        let mut release = Instant::from_nanos(self.first.load(Relaxed));
        for _ in 0..self.loops.load(Relaxed) {
            certain(AnyThread::<S>::sleep(Timeout::until(release)));
            work(release);
            release = release.saturating_add(self.interval());
        }
    }

    fn be_periodic(&'static self) {
        let mut release = Instant::from_nanos(self.first.load(Relaxed));
        certain(self.period.create());
        certain(self.period.begin_at(release, self.interval()));
        self.samples.add(release, Kernel::<S>::now());
        for _ in 1..self.loops.load(Relaxed) {
            let next = self.period.next(self.interval());
            let awake = Kernel::<S>::now();
            release = release.saturating_add(self.interval());
            self.samples.add(release, awake);
            // A late release is a sample like any other.
            if next.is_err() && next != Err(taktos_kernel::Error::Timeout) {
                certain(next);
            }
        }
        certain(self.period.delete());
    }

    fn give(&'static self) {
        self.at_each_release(|_| {
            self.given.store(Kernel::<S>::now().as_nanos(), Relaxed);
            certain(self.semaphore.give());
        });
    }

    fn take(&'static self) {
        for _ in 0..self.loops.load(Relaxed) {
            certain(self.semaphore.take(Timeout::FOREVER));
            let taken = Kernel::<S>::now();
            let given = Instant::from_nanos(self.given.load(Relaxed));
            self.samples.add(given, taken);
        }
    }

    /// Takes the time of a round trip at each release.
    fn round_trips(&self, mut trip: impl FnMut(u32)) {
        let mut number = 0;
        self.at_each_release(|_| {
            let from = Kernel::<S>::now();
            trip(number);
            self.samples.add(from, Kernel::<S>::now());
            number += 1;
        });
    }

    fn write(&'static self) {
        self.round_trips(|number| {
            let mut bytes = number.to_le_bytes();
            certain(self.pipes[0].write(&bytes, 4, Timeout::FOREVER));
            certain(self.pipes[1].read(&mut bytes, 4, Timeout::FOREVER));
            assert_eq!(bytes, number.to_le_bytes(), "another number came back");
        });
    }

    fn write_back(&'static self) {
        for _ in 0..self.loops.load(Relaxed) {
            let mut bytes = [0; 4];
            certain(self.pipes[0].read(&mut bytes, 4, Timeout::FOREVER));
            certain(self.pipes[1].write(&bytes, 4, Timeout::FOREVER));
        }
    }

    fn mail(&'static self) {
        self.round_trips(|number| {
            certain(self.mailboxes[0].send(&number, Partner::Any, Timeout::FOREVER));
            let back = certain(self.mailboxes[1].receive(Partner::Any, Timeout::FOREVER));
            assert_eq!(back.message, number, "another number came back");
        });
    }

    fn mail_back(&'static self) {
        for _ in 0..self.loops.load(Relaxed) {
            let letter = certain(self.mailboxes[0].receive(Partner::Any, Timeout::FOREVER));
            certain(self.mailboxes[1].send(&letter.message, Partner::Any, Timeout::FOREVER));
        }
    }

    fn send(&'static self) {
        self.round_trips(|number| {
            certain(self.queues[0].send(&number, Timeout::FOREVER));
            let back = certain(self.queues[1].receive(Timeout::FOREVER));
            assert_eq!(back, number, "another number came back");
        });
    }

    fn send_back(&'static self) {
        for _ in 0..self.loops.load(Relaxed) {
            let number = certain(self.queues[0].receive(Timeout::FOREVER));
            certain(self.queues[1].send(&number, Timeout::FOREVER));
        }
    }
}
