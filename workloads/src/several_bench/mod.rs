//! Owns: what is measured on four processors: the operations of [`bench`](crate::bench) with both threads on one of them; those
//! that reach from one processor to another; and each kind of lock, with one to four of them contending.
//! Must never know: how it is counted.
//!
//! # Layouts
//! *Partitioned*: each processor is a scheduler instance of its own. *Gathered*: all of them are one instance, and each
//! thread has an affinity. The program begins partitioned and gathers the processors itself.
//!
//! # What the laboratory is told
//! An operation that reaches from one processor to another is an interval that begins on the one and ends on the other. Within
//! it the machine's points `call` (one processor calls another) and `interrupt` (a processor begins to handle an interrupt) divide
//! it into the sender's part and the receiver's. The interval of the same name with `-call` behind it is the sender's alone, to the return.
//! Where the other thread is stopped, or goes on in the middle of what it does, there is no end: the switch of that
//! processor is it.

mod across;
mod contention;
mod moves;

use crate::bench;
use crate::mark::point;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use taktos_kernel::{
    AnyThread, ClusterMutex, ClusterProtocol, Cpu, CpuSet, Error, Instance, InstanceConfig, Kernel,
    Mutex, PolicyKind, Priority, Protocol, Semaphore, System, Thread, Timeout,
};

/// What the program needs of a board beside the kernel.
pub trait BenchBoard: System {
    /// Is busy for `turns` turns of a loop of two instructions, without the kernel.
    fn busy(turns: u32);
}

/// How many processors the program is for.
pub const PROCESSORS: usize = 4;
/// The priority of the thread that calls [`run`].
pub const MAIN: u8 = 20;

/// The priorities of the other threads.
const URGENT: u8 = 4;
const USUAL: u8 = 8;
const BYSTANDER: u8 = 12;
/// What the ceilings are: above all who lock.
const CEILING: u8 = 6;

/// How often each operation is done.
const REPETITIONS: usize = 101;
/// Turns of the busy loop in which every processor comes to rest: longer than any operation takes, and than the longest quantum.
const SETTLE: u32 = 6_000;
/// The stack of each thread, in bytes.
const STACK: usize = 512 * size_of::<usize>();

/// The instances: one a processor. In the last one threads may have any affinity: it takes the other processors when they
/// are gathered.
pub const INSTANCES: [InstanceConfig; PROCESSORS] = [
    instance(0, PolicyKind::Priority),
    instance(1, PolicyKind::Priority),
    instance(2, PolicyKind::Priority),
    instance(3, PolicyKind::StrongAffinity),
];

const fn instance(number: usize, policy: PolicyKind) -> InstanceConfig {
    InstanceConfig {
        name: [b'c', b'p', b'u', b'0' + number as u8],
        policy,
        cpus: CpuSet::from_bits(1 << number),
    }
}

/// What the scenarios need. A board has it in a static.
pub struct Objects<S: System> {
    near: Thread<S, STACK>,
    far: Thread<S, STACK>,
    bystander: Thread<S, STACK>,
    workers: [Thread<S, STACK>; PROCESSORS],
    first: Semaphore<S>,
    second: Semaphore<S>,
    /// Without a protocol, with inheritance, with a ceiling.
    mutexes: [Mutex<S>; 3],
    /// Without a protocol, with inheritance, under OMIP, MrsP; with an immediate ceiling.
    cluster: [ClusterMutex<S>; 5],
    /// Whether all processors are one instance.
    gathered: AtomicBool,
    /// Tells threads that are busy to end.
    done: AtomicBool,
    /// How many contenders there are in this round, and how many of them have come.
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
            gathered: AtomicBool::new(false),
            done: AtomicBool::new(false),
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

/// Runs everything, in both layouts. Called by a thread of priority [`MAIN`] on processor 0, of a kernel with the [`INSTANCES`].
pub fn run<S: BenchBoard>(objects: &'static Objects<S>, operations: &'static bench::Objects<S>) {
    round::<S>(format_args!("part=same layout=partitioned"));
    bench::run(operations);
    bench::clear(operations);
    round::<S>(format_args!("part=across layout=partitioned"));
    across::run(objects);
    moves::between_instances(objects);
    contention::run(objects, contention::partitioned());
    gather(objects);
    round::<S>(format_args!("part=across layout=gathered"));
    across::wakes(objects);
    moves::within_an_instance(objects);
    contention::run(objects, contention::gathered());
    S::write("all is measured\n");
}

/// Tells the laboratory what follows.
fn round<S: System>(labels: core::fmt::Arguments<'_>) {
    taktos_kernel::fault::print::<S>(format_args!("@round {labels}\n"));
    begin_round();
}

#[inline(never)]
fn begin_round() {
    point!("round");
}

/// Gives all processors to the last instance, and moves the caller there.
fn gather<S: BenchBoard>(objects: &'static Objects<S>) {
    let all = home::<S>(PROCESSORS - 1);
    let caller = AnyThread::<S>::current();
    expect(caller.move_to(all, Priority::from_stored(MAIN)));
    for number in 0..PROCESSORS - 1 {
        let (from, processor) = (home::<S>(number), cpu(number));
        expect(Kernel::<S>::remove_processor(from, processor));
        expect(Kernel::<S>::add_processor(all, processor));
    }
    objects.gathered.store(true, Relaxed);
    put(objects, caller, 0);
}

/// The instance that the processor began in.
fn home<S: System>(number: usize) -> Instance {
    expect(Kernel::<S>::instance_named(INSTANCES[number].name))
}

fn cpu(number: usize) -> Cpu {
    match Cpu::new(number) {
        Some(cpu) => cpu,
        None => failed(),
    }
}

/// Makes `thread` one of the processor `number`, in the present layout.
fn put<S: BenchBoard>(objects: &'static Objects<S>, thread: &'static AnyThread<S>, number: usize) {
    expect(if objects.gathered.load(Relaxed) {
        thread.set_affinity(CpuSet::of(cpu(number)))
    } else {
        thread.move_to(home::<S>(number), thread.priorities().0)
    });
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

/// Runs `far` on processor 1 and `near` on processor 0 to their ends; `near` begins when `far` has come to rest.
fn pair<S: BenchBoard>(objects: &'static Objects<S>, near: Entry<S>, far: Entry<S>) {
    objects.done.store(false, Relaxed);
    begin_on(objects, &objects.far, 1, far);
    S::busy(SETTLE);
    begin_on(objects, &objects.near, 0, near);
    end_of(&objects.near);
    end_of(&objects.far);
}

/// Is busy until it is told to end.
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

/// Measures `$call`, which reaches another processor: the interval `$name` begins, and the sender's own is around the call.
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
