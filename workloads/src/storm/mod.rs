//! A stress test of the kernel on several processors: threads that do anything to everything, in an
//! order that a seed decides, while another one suspends, deletes, starts and moves them and takes
//! processors away.
//!
//! Owns: the stress test, its invariants, its verdict. Must never know: a board; the kernel's
//! inside; how many processors there are, beyond what the kernel says.
//!
//! Invariants that are checked all the time: a mutex has one owner, whatever its kind; a message
//! arrives as it was sent; a call says no error that it does not have; the scheduler's state keeps
//! its invariants ([`Kernel::check`]). And in the end: everything stops, nothing is owned, nothing
//! is lost, the processors are all back.

mod control;
mod objects;
mod words;
mod work;

pub use objects::{StormObjects, WORKERS};
pub use words::{Refused, Wanted, policy};

use crate::chance::Chance;
use crate::command_line::{CommandLine, each_argument};
use crate::look_away::look_away;
use core::sync::atomic::Ordering::Relaxed;
use taktos_kernel::fault::print;
use taktos_kernel::{AnyThread, Duration, Kernel, Priority, System};

/// Interface of a system to the stress test.
pub trait StormBoard: CommandLine {
    /// Returns the objects of the stress test: always the same.
    fn storm() -> &'static StormObjects<Self>;
    /// Keeps the processor busy for about this time.
    fn busy(span: Duration) {
        let end = Kernel::<Self>::now().saturating_add(span);
        while Kernel::<Self>::now() < end {
            look_away(LOOKS_AWAY);
        }
    }
}

/// Turns between two reads: less than the shortest span.
const LOOKS_AWAY: u32 = 50;

/// Returns the stress test that the command line requests, as [`Wanted::take`] has it. Another word
/// ends the program with the status 2. Words are separated by `+`, too.
pub fn told<S: CommandLine>() -> Wanted {
    let mut wanted = Wanted::NEW;
    each_argument::<S>(|words| {
        for word in words.split('+') {
            if wanted.take(word).is_err() {
                S::write("refused: ");
                S::write(word);
                S::write(": see taktos_workloads::storm::Wanted\n");
                S::exit(2);
            }
        }
    });
    wanted
}

/// Parameters of a stress test.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Seed of all random numbers.
    pub seed: u64,
    /// After how many operations it ends.
    pub operations: u64,
    /// An operation that spans instances may be chosen one time of this number: a lock of several,
    /// a pin, a move, a processor that goes. At 1 instances lend their seats nearly always; at 60
    /// they rarely do.
    pub calm: u64,
}

/// The bytes of the stack that the controlling thread needs.
pub const STACK: usize = 1024 * size_of::<usize>();
/// The priority of the controlling thread: above all workers.
const CONTROL: Priority = Priority::from_stored(2);

/// Runs the stress test in the calling thread, which gets a priority above all. Returns whether all
/// invariants held. Violations are printed, and then the numbers in one line: `@storm passed` or
/// `@storm failed`, `seed=`, `calm=`, `operations=`, and how often each operation was done.
pub fn run<S: StormBoard>(plan: Plan) -> bool {
    let storm = S::storm();
    if let Err(error) = AnyThread::<S>::current().set_priority(CONTROL) {
        storm.fail::<S>(format_args!("no priority above all: {error:?}"));
    }
    let mut chance = Chance::new(plan.seed);
    storm.begin(plan);
    control::make_locks::<S>();
    for index in 0..WORKERS {
        control::revive::<S>(index);
    }
    let mut watch = Watch::new();
    while storm.operations() < plan.operations && !storm.failed() {
        control::act::<S>(&mut chance);
        watch.look::<S>();
    }
    control::end::<S>();
    let passed = !storm.failed();
    let n = &storm.numbers;
    print::<S>(format_args!(
        "@storm {} seed={} calm={} operations={} refused={} timeouts={} deletions={} suspensions={} moves={} removals={} checks={}\n",
        if passed { "passed" } else { "failed" },
        plan.seed,
        plan.calm,
        storm.operations(),
        n.refused.load(Relaxed),
        n.timeouts.load(Relaxed),
        n.deletions.load(Relaxed),
        n.suspensions.load(Relaxed),
        n.moves.load(Relaxed),
        n.removals.load(Relaxed),
        n.checks.load(Relaxed),
    ));
    passed
}

/// Sees that the workers come along, and checks the scheduler.
struct Watch {
    seen: u64,
    idle_rounds: u32,
    round: u32,
}

/// Rounds of the controlling thread without one operation that are the end: it sleeps in each, and
/// every wait of the workers is shorter.
const PATIENCE: u32 = 2000;
/// The scheduler's state is checked in one round of this number: it takes long.
const CHECKED: u32 = 8;

impl Watch {
    fn new() -> Self {
        Self {
            seen: 0,
            idle_rounds: 0,
            round: 0,
        }
    }

    fn look<S: StormBoard>(&mut self) {
        let storm = S::storm();
        self.round += 1;
        if self.round.is_multiple_of(CHECKED) {
            storm.numbers.checks.fetch_add(1, Relaxed);
            if let Err(violation) = Kernel::<S>::check() {
                storm.fail::<S>(format_args!("the scheduler's state: {violation:?}"));
            }
        }
        let operations = storm.operations();
        self.idle_rounds = if operations == self.seen {
            self.idle_rounds + 1
        } else {
            0
        };
        self.seen = operations;
        if self.idle_rounds > PATIENCE {
            storm.fail::<S>(format_args!(
                "nothing happens any more after {operations} operations"
            ));
            for (index, worker) in storm.workers.iter().enumerate() {
                print::<S>(format_args!(
                    "  worker {index}: {:?}, in operation {}\n",
                    worker.thread.state(),
                    worker.at.load(Relaxed)
                ));
            }
        }
    }
}

/// Sleeps a little. Only a cancellation could end it early, and then the test continues earlier.
fn nap<S: System>(chance: &mut Chance) {
    let span = Duration::from_micros(1 + chance.below(40));
    let _ = AnyThread::<S>::sleep(span);
}
