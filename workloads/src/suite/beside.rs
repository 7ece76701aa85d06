//! The suite on one processor of four, which the command line names (0 without), while the three
//! others are busy in the kernel. Each processor is an instance of its own, as the suite's cases
//! want it.
//!
//! Owns: where the suite runs, and what the others do meanwhile.
//! Must never know: the cases.

use super::{MAIN, SuiteBoard, run as run_suite};
use crate::command_line::{CommandLine, each_argument};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use taktos_kernel::{
    AnyThread, Cpu, CpuSet, Duration, InstanceConfig, Kernel, PolicyKind, Priority, Semaphore,
    System, Thread, Timeout,
};

/// How many processors there are.
const PROCESSORS: usize = 4;
const NUMBERS: [usize; PROCESSORS] = [0, 1, 2, 3];
/// Text for the processor that the suite runs on.
const WORDS: [&str; PROCESSORS] = [
    "on processor 0\n",
    "on processor 1\n",
    "on processor 2\n",
    "on processor 3\n",
];

/// Thread that is busy on one processor.
struct Noise<S: System> {
    thread: Thread<S, 4096>,
    relay: Semaphore<S>,
}

/// Objects of the program. It has them in a static.
pub struct Objects<S: System> {
    noise: [Noise<S>; PROCESSORS],
    /// Where the suite runs.
    place: AtomicUsize,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        let noise = [const {
            Noise {
                thread: Thread::new("noise").priority(MAIN),
                relay: Semaphore::new(0),
            }
        }; PROCESSORS];
        Self {
            noise,
            place: AtomicUsize::new(0),
        }
    }

    /// Returns the processor after `number` that has no suite to run.
    fn next_noisy(&self, number: usize) -> usize {
        let next = (number + 1) % PROCESSORS;
        if next == self.place.load(Relaxed) {
            self.next_noisy(next)
        } else {
            next
        }
    }

    /// Hands the token on.
    fn relay(&'static self, number: usize) {
        assert!(self.noise[self.next_noisy(number)].relay.give().is_ok());
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// An instance a processor.
///
/// # Panics
/// Never: there are such processors.
pub fn instances() -> [InstanceConfig; PROCESSORS] {
    NUMBERS.map(|number| match Cpu::new(number) {
        Some(cpu) => InstanceConfig {
            name: name(number),
            policy: PolicyKind::Priority,
            cpus: CpuSet::of(cpu),
        },
        None => panic!("there is no such processor"),
    })
}

const fn name(number: usize) -> [u8; 4] {
    [b'c', b'p', b'u', b'0' + number as u8]
}

/// Runs the suite where the command line says, and ends the program as the suite does.
///
/// # Panics
/// When what is around the suite fails.
pub fn run<S: SuiteBoard + CommandLine>(objects: &'static Objects<S>) -> ! {
    let place = place::<S>();
    objects.place.store(place, Relaxed);
    for number in NUMBERS.into_iter().filter(|number| *number != place) {
        let thread = &objects.noise[number].thread;
        assert!(thread.create().is_ok());
        move_to(thread, number);
        assert!(thread.start_with(make_noise, objects).is_ok());
    }
    move_to(AnyThread::<S>::current(), place);
    objects.relay(place);
    let here = AnyThread::<S>::processor().index();
    assert!(here == place);
    S::write(WORDS[here]);
    run_suite::<S>()
}

/// The processor that a word names.
fn place<S: CommandLine>() -> usize {
    let mut place = 0;
    each_argument::<S>(|word| {
        let named = NUMBERS
            .into_iter()
            .find(|number| word.parse() == Ok(*number));
        place = named.unwrap_or(place);
    });
    place
}

fn move_to<S: System>(thread: &'static AnyThread<S>, number: usize) {
    let moved = Kernel::<S>::instance_named(name(number))
        .and_then(|instance| thread.move_to(instance, Priority::from_stored(MAIN)));
    assert!(moved.is_ok());
}

/// Sends a token around among the noisy threads, across processors; a thread that waits for it
/// reads the time meanwhile.
fn make_noise<S: System>(objects: &'static Objects<S>) {
    let number = AnyThread::<S>::processor().index();
    let step = Duration::from_micros(900 + 130 * number as u64);
    loop {
        if objects.noise[number]
            .relay
            .take(Timeout::after(step))
            .is_ok()
        {
            assert!(AnyThread::<S>::sleep(step).is_ok());
            objects.relay(number);
        }
        AnyThread::<S>::yield_now();
    }
}
