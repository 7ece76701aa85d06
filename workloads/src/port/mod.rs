//! The test of a port: switches between all kinds of frames, floating-point state, time slices,
//! alarms, interrupts. Ends with status 0, or with 1 and the name of what failed. [`smp`] is the
//! one for several processors.
//!
//! Owns: what is checked, in which order; two threads that work side by side.
//! Must never know: a board; an architecture's registers, which [`full`] has.

pub mod full;
mod interrupts;
#[cfg(target_pointer_width = "64")]
pub mod smp;
mod time;

pub use interrupts::interrupt;

use crate::spare::SpareInterrupt;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use full::{
    GiveWay, float_is_clear, spin_with_float, spin_with_registers, yield_with_float,
    yield_with_registers,
};
use taktos_kernel::{AnyThread, Kernel, Semaphore, Span, System, Thread, Timeout};

type Stack<S> = Thread<S, { 512 * size_of::<usize>() }>;

/// The threads, and what wakes them.
pub struct Objects<S: System> {
    left: Stack<S>,
    right: Stack<S>,
    plain: Stack<S>,
    urgent: Stack<S>,
    woken: Semaphore<S>,
    begin: Semaphore<S>,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            left: Thread::new("left").priority(10),
            right: Thread::new("right").priority(10),
            plain: Thread::new("plain").priority(10),
            urgent: Thread::new("urgent").priority(1),
            woken: Semaphore::new(0),
            begin: Semaphore::new(0),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Tests, and ends the program. Called by a thread of priority 5.
pub fn run<S: SpareInterrupt>(objects: &'static Objects<S>) -> ! {
    let [yields, spins] = const { [&Work::yields::<S>(), &Work::SPINS] };
    let [float_yields, floats] = const { [&Work::float_yields::<S>(), &Work::FLOATS] };
    objects.pair("voluntary to voluntary", [yields, yields], 0);
    slices::<S>(true);
    objects.pair("involuntary to involuntary", [spins, spins], 10);
    objects.pair("involuntary to voluntary and back", [spins, yields], 10);
    objects.pair("floating point, interrupted", [floats, floats], 10);
    objects.pair("floating point beside none", [floats, spins], 10);
    objects.pair("floating point, yielding", [float_yields, floats], 10);
    slices::<S>(false);
    let both = [float_yields, float_yields];
    objects.pair("floating point, yielding both", both, 0);
    objects.float_begins_cleared_after_an_end();
    time::slices_end_in_time(objects);
    time::sleep_is_exact::<S>();
    interrupts::wake_threads(objects);
    interrupts::frames_do_not_pile_up(objects);
    S::write("all passed\n");
    S::exit(0)
}

fn slices<S: System>(on: bool) {
    let set = Kernel::<S>::set_time_slice(on.then(|| 20.micros()));
    check::<S>("slices", set.is_ok());
}

fn check<S: System>(what: &str, holds: bool) {
    if !holds {
        S::write("failed: ");
        S::write(what);
        S::write("\n");
        S::exit(1);
    }
}

/// Work of a thread: the function, and in how many steps each time.
struct Work {
    name: &'static str,
    act: extern "C" fn(u32, u32) -> u32,
    steps: u32,
}

impl Work {
    const SPINS: [Job; 2] = jobs("spins", spin_with_registers, 100);
    const FLOATS: [Job; 2] = jobs("floats", spin_with_float, 100);

    const fn yields<S: System>() -> [Job; 2] {
        jobs("yields", yield_with_registers::<Yield<S>>, 2)
    }

    const fn float_yields<S: System>() -> [Job; 2] {
        jobs("yields with float", yield_with_float::<Yield<S>>, 2)
    }
}

/// Work with the numbers that one thread has in its registers.
struct Job {
    work: Work,
    me: u32,
}

/// Returns the same work for two threads.
const fn jobs(name: &'static str, act: extern "C" fn(u32, u32) -> u32, steps: u32) -> [Job; 2] {
    let (left, right) = (Work { name, act, steps }, Work { name, act, steps });
    [Job { work: left, me: 1 }, Job { work: right, me: 2 }]
}

/// Thread that ran last, and how often that changed.
static LAST: AtomicU32 = AtomicU32::new(0);
static CHANGES: AtomicU32 = AtomicU32::new(0);

fn labour<S: System>(job: &'static Job) {
    let seed = 0x1000_0000 * job.me + 0x0123_4567;
    for _ in 0..100 {
        if LAST.swap(job.me, Relaxed) != job.me {
            CHANGES.fetch_add(1, Relaxed);
        }
        check::<S>(job.work.name, (job.work.act)(seed, job.work.steps) == 0);
    }
}

/// Function that is called with full registers: the other thread runs.
struct Yield<S>(PhantomData<S>);

impl<S: System> GiveWay for Yield<S> {
    extern "C" fn give_way() {
        AnyThread::<S>::yield_now();
    }
}

impl<S: SpareInterrupt> Objects<S> {
    /// Runs two threads side by side; they must take turns at least so often.
    fn pair(&'static self, name: &'static str, jobs: [&'static [Job; 2]; 2], turns: u32) {
        let [[left, _], [_, right]] = jobs;
        CHANGES.store(0, Relaxed);
        let started = self.left.start_with(labour::<S>, left).is_ok()
            && self.right.start_with(labour::<S>, right).is_ok();
        check::<S>(name, started);
        check::<S>(name, self.left.join(Timeout::FOREVER).is_ok());
        check::<S>(name, self.right.join(Timeout::FOREVER).is_ok());
        check::<S>(name, CHANGES.load(Relaxed) >= turns);
        S::write(name);
        S::write("\n");
    }

    /// A thread that ends with floating-point state leaves nothing, not even for its next start.
    fn float_begins_cleared_after_an_end(&'static self) {
        let [_, floats] = const { &Work::FLOATS };
        for _ in 0..3 {
            check::<S>("cleared", self.left.start(begins_cleared::<S>).is_ok());
            check::<S>("cleared", self.left.join(Timeout::FOREVER).is_ok());
            let started = self.right.start_with(labour::<S>, floats);
            check::<S>("cleared", started.is_ok());
            check::<S>("cleared", self.right.join(Timeout::FOREVER).is_ok());
        }
        S::write("floating point begins cleared\n");
    }
}

fn begins_cleared<S: System>() {
    check::<S>("floating-point registers begin as zero", float_is_clear());
    check::<S>("floats", spin_with_float(0x7777_7777, 3) == 0);
}
