//! Owns: what is measured on four processors: the operations of [`bench`](mod@crate::bench) with
//! both threads on one of them; those that reach from one processor to another; each kind of lock,
//! with one to four of them contending; and pairs of threads that share nothing but the kernel, one
//! to four at once. Must never know: how it is counted.
//!
//! # Layouts
//! The program's caller says what the processors are divided into: [`LAYOUTS`] are all that there
//! are. In an instance of several processors the others of them execute threads that are more
//! urgent, while one is measured; where the operation is to reach another one, they are idle.
//!
//! # Reports to the laboratory
//! An operation that reaches from one processor to another is an interval that begins on the one
//! and ends on the other. Within it the machine's points `call` (one processor calls another) and
//! `interrupt` (a processor begins to handle an interrupt) divide it into the sender's part and the
//! receiver's. The interval of the same name with the suffix `-call` is the sender's alone, to the
//! return. If the other thread is stopped, or resumes in the middle of its work, there is no end:
//! the switch of that processor is it.

mod across;
mod again;
mod beside;
mod contention;
mod layout;
mod moves;
mod pairs;
mod same;

pub use layout::{LAYOUTS, Layout};
pub use pairs::Pairs;

use crate::bench;
use crate::mark::point;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use layout::Parts;
use taktos_kernel::{
    AnyThread, ClusterMutex, ClusterProtocol, Cpu, CpuSet, Error, Instance, Kernel, Mutex,
    Priority, Protocol, Semaphore, System, Thread, Timeout,
};

/// Interface of a board to the program, in addition to the kernel.
pub trait BenchBoard: System {
    /// Is busy for `turns` turns of a loop of two instructions, without the kernel.
    fn busy(turns: u32);
}

/// How many processors the program is for.
pub const PROCESSORS: usize = 4;
/// The priority of the thread that calls [`run`].
pub const MAIN: u8 = 20;

/// The priorities of the other threads.
const BUSY: u8 = 2;
const URGENT: u8 = 4;
const USUAL: u8 = 8;
const BYSTANDER: u8 = 12;
/// Ceilings of the locks: above all threads that lock.
const CEILING: u8 = 6;

/// How often each operation is done.
const REPETITIONS: usize = 101;
/// Turns of the busy loop in which every processor comes to rest: longer than any operation takes,
/// and than the longest quantum.
const SETTLE: u32 = 6_000;
/// The stack of each thread, in bytes.
const STACK: usize = 512 * size_of::<usize>();

/// Objects of the scenarios. A board has them in a static.
pub struct Objects<S: System> {
    near: Thread<S, STACK>,
    far: Thread<S, STACK>,
    bystander: Thread<S, STACK>,
    workers: [Thread<S, STACK>; PROCESSORS],
    /// They keep the other processors of an instance busy.
    hogs: [Thread<S, STACK>; PROCESSORS],
    first: Semaphore<S>,
    second: Semaphore<S>,
    /// Without a protocol, with inheritance, with a ceiling.
    mutexes: [Mutex<S>; 3],
    /// Without a protocol, with inheritance, under OMIP, MrsP; with an immediate ceiling.
    cluster: [ClusterMutex<S>; 5],
    /// Whether a thread is put on a processor by its affinity.
    by_affinity: AtomicBool,
    /// Makes busy threads end.
    done: AtomicBool,
    /// Makes the threads that keep processors busy, or use the other instance, end.
    released: AtomicBool,
    /// How many contenders, or threads that keep processors busy, there are in this round, and how
    /// many of them have come.
    expected: AtomicUsize,
    arrived: AtomicUsize,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        let ceiling = Priority::from_stored(CEILING);
        Self {
            near: Thread::new("near").priority(USUAL),
            far: Thread::new("far").priority(URGENT),
            bystander: Thread::new("bystander").priority(BYSTANDER),
            workers: [const { Thread::new("worker").priority(USUAL) }; PROCESSORS],
            hogs: [const { Thread::new("hog").priority(BUSY) }; PROCESSORS],
            first: Semaphore::new(0),
            second: Semaphore::new(0),
            mutexes: [
                Mutex::with_protocol(Protocol::None),
                Mutex::with_protocol(Protocol::Inheritance),
                Mutex::with_protocol(Protocol::Ceiling(ceiling)),
            ],
            cluster: [
                ClusterMutex::new(ClusterProtocol::None),
                ClusterMutex::new(ClusterProtocol::Inheritance),
                ClusterMutex::new(ClusterProtocol::Omip),
                ClusterMutex::new(ClusterProtocol::MrsP(ceiling)),
                ClusterMutex::new(ClusterProtocol::Ceiling(ceiling)),
            ],
            by_affinity: AtomicBool::new(false),
            done: AtomicBool::new(false),
            released: AtomicBool::new(false),
            expected: AtomicUsize::new(0),
            arrived: AtomicUsize::new(0),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

type Entry<S> = fn(&'static Objects<S>);

/// Runs what is measured in `layout`. Called by a thread of priority [`MAIN`] on processor 0, of a
/// kernel with the layout's instances.
pub fn run<S: BenchBoard>(
    layout: &'static Layout,
    (objects, pairs): (&'static Objects<S>, &'static Pairs<S>),
    operations: &'static bench::Objects<S>,
) {
    objects
        .by_affinity
        .store(layout.told.is_affinity(), Relaxed);
    let same = |state| same::run(layout, objects, operations, state);
    same("");
    match layout.parts {
        Parts::Instances => {
            across_instances(objects, layout);
            again::lend(objects, layout);
            same(again::AGAIN);
            pairs::run(objects, pairs);
        }
        Parts::Again => {
            across_cluster(objects, layout);
            again::lend(objects, layout);
            same(again::AGAIN);
        }
        Parts::Cluster => across_cluster(objects, layout),
        Parts::Same => {}
        Parts::Affinities => with_affinities(objects, layout),
        Parts::Beside => {
            beside::begin(objects, layout);
            same("-beside");
            beside::end(objects, layout);
        }
    }
    S::write("all is measured\n");
}

/// Measures operations from one instance to another.
fn across_instances<S: BenchBoard>(objects: &'static Objects<S>, layout: &Layout) {
    across_round::<S>(layout);
    across::wakes(objects);
    across::call_alone(objects);
    across::others(objects);
    moves::between_instances(objects);
    contention::run(objects, contention::partitioned());
}

/// Measures operations from one processor of an instance to another.
fn across_cluster<S: BenchBoard>(objects: &'static Objects<S>, layout: &Layout) {
    across_round::<S>(layout);
    across::wakes(objects);
    across::others(objects);
}

/// Measures operations with affinities, and the lock that only threads of one instance can share.
fn with_affinities<S: BenchBoard>(objects: &'static Objects<S>, layout: &Layout) {
    across_round::<S>(layout);
    across::wakes(objects);
    moves::within_an_instance(objects);
    contention::run(objects, contention::within_an_instance());
}

fn across_round<S: System>(layout: &Layout) {
    round::<S>(format_args!("part=across layout={}", layout.name));
}

/// Announces the following round to the laboratory.
fn round<S: System>(labels: core::fmt::Arguments<'_>) {
    taktos_kernel::fault::print::<S>(format_args!("@round {labels}\n"));
    begin_round();
}

#[inline(never)]
fn begin_round() {
    point!("round");
}

/// The instance that has the processor.
fn home<S: System>(number: usize) -> Instance {
    expect(Kernel::<S>::instance_with(cpu(number)))
}

fn cpu(number: usize) -> Cpu {
    match Cpu::new(number) {
        Some(cpu) => cpu,
        None => failed(),
    }
}

/// Makes `thread` one of the processor `number`, or where nothing else is said, of its instance.
fn put<S: BenchBoard>(objects: &'static Objects<S>, thread: &'static AnyThread<S>, number: usize) {
    if objects.by_affinity.load(Relaxed) {
        expect(thread.set_affinity(CpuSet::of(cpu(number))));
    } else if expect(thread.instance()) != home::<S>(number) {
        expect(thread.move_to(home::<S>(number), thread.priorities().0));
    }
}

/// Starts `thread`, which does not exist, on the processor `number`.
fn begin_on<S: BenchBoard>(
    objects: &'static Objects<S>,
    thread: &'static Thread<S, STACK>,
    number: usize,
    entry: Entry<S>,
) {
    expect(thread.create());
    put(objects, thread, number);
    expect(thread.start_with(entry, objects));
}

/// Waits for the end of `thread`, and deletes it.
fn end_of<S: System>(thread: &'static AnyThread<S>) {
    expect(thread.join(Timeout::FOREVER));
    expect(thread.delete());
}

/// Runs `far` on processor 1 and `near` on processor 0 to their ends; `near` begins when `far` has
/// come to rest.
fn pair<S: BenchBoard>(objects: &'static Objects<S>, near: Entry<S>, far: Entry<S>) {
    objects.done.store(false, Relaxed);
    begin_on(objects, &objects.far, 1, far);
    S::busy(SETTLE);
    begin_on(objects, &objects.near, 0, near);
    end_of(&objects.near);
    end_of(&objects.far);
}

/// Runs `entry` on processor 0 to its end.
fn alone<S: BenchBoard>(objects: &'static Objects<S>, entry: Entry<S>) {
    begin_on(objects, &objects.near, 0, entry);
    end_of(&objects.near);
}

/// Is busy until it is to end.
fn keep_busy<S: BenchBoard>(objects: &'static Objects<S>) {
    while !objects.done.load(Relaxed) {
        S::busy(64);
    }
}

#[inline(always)]
#[track_caller]
fn expect<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(_) => failed(),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn failed() -> ! {
    panic!("a benchmark's call failed")
}

/// Measures `$call`, which reaches another processor: the interval `$name` begins, and the sender's
/// own is around the call.
macro_rules! reach {
    ($name:literal, $call:expr) => {{
        $crate::mark::label!(concat!("taktos.mark.", $name, ".begin"));
        $crate::mark::label!(concat!("taktos.mark.", $name, "-call.begin"));
        let result = $call;
        $crate::mark::label!(concat!("taktos.mark.", $name, "-call.end"));
        result
    }};
}

use reach;
