//! Owns: the host with several processors as a system ([`SeveralHost`]): which kernel runs in the
//! calling thread's world.

use crate::leak;
use std::cell::{Cell, OnceCell};
use taktos_arch_host::{HostSeveral, Order, Outcome};
use taktos_kernel::{
    CpuSet, Duration, InstanceConfig, Instant, Kernel, PolicyKind, Smp, SmpMemory, System, Upcall,
    run_smp,
};
use taktos_workloads::several::{self, SeveralBoard};
use taktos_workloads::several_bench::BenchBoard;
use taktos_workloads::storm::{StormBoard, StormObjects};
use taktos_workloads::suite::{Objects, SuiteBoard};

/// How many rows the kernels' tables of threads have: the processors' idle threads take some of
/// them.
pub const ROWS: usize = 128;
/// How many scheduler instances there can be.
pub const INSTANCES: usize = 4;
/// How many cluster mutexes there can be.
pub const LOCKS: usize = 16;

/// The policies under which stress tests run.
pub const POLICIES: [PolicyKind; 6] = [
    PolicyKind::Simple,
    PolicyKind::Priority,
    PolicyKind::Edf,
    PolicyKind::PriorityAffinity,
    PolicyKind::StrongAffinity,
    PolicyKind::Cbs,
];
/// The processors of each instance, where there are four.
pub const LAYOUTS: [&[u64]; 4] = [&[15], &[3, 12], &[1, 2, 4, 8], &[1, 14]];
/// Names of the instances of [`instances`].
pub const NAMES: [[u8; 4]; 4] = [*b"ONE ", *b"TWO ", *b"THRE", *b"FOUR"];

/// Instances of that policy with these processors each.
pub fn instances(policy: PolicyKind, layout: &[u64]) -> &'static [InstanceConfig] {
    let instance = |(name, bits): ([u8; 4], &u64)| InstanceConfig {
        name,
        policy,
        cpus: CpuSet::from_bits(*bits),
    };
    leak(
        NAMES
            .into_iter()
            .zip(layout)
            .map(instance)
            .collect::<Vec<_>>(),
    )
}

/// The host with the number of processors of [`run_on`]. Each run has a kernel of its own.
pub struct SeveralHost;

/// A thread of [`SeveralHost`]; its own stack is not used.
pub type SeveralThread = taktos_kernel::Thread<SeveralHost, 64>;

thread_local! {
    static KERNEL: Cell<Option<&'static Kernel<SeveralHost>>> = const { Cell::new(None) };
    static SEVERAL: Cell<Option<&'static Smp<SeveralHost>>> = const { Cell::new(None) };
    static OBJECTS: OnceCell<&'static Objects<SeveralHost>> = const { OnceCell::new() };
    static SMP_OBJECTS: Cell<Option<&'static several::Objects<SeveralHost>>> =
        const { Cell::new(None) };
    static STORM: Cell<Option<&'static StormObjects<SeveralHost>>> = const { Cell::new(None) };
    static MAIN: Cell<Option<Box<dyn FnOnce()>>> = const { Cell::new(None) };
}

impl System for SeveralHost {
    type Machine = HostSeveral;

    fn kernel() -> &'static Kernel<Self> {
        KERNEL.get().expect("the kernel is used outside a world")
    }

    fn smp() -> &'static Smp<Self> {
        SEVERAL.get().expect("the kernel is used outside a world")
    }

    fn write(text: &str) {
        HostSeveral::write(text);
    }

    fn exit(status: i32) -> ! {
        HostSeveral::exit(status)
    }
}

impl SuiteBoard for SeveralHost {
    fn objects() -> &'static Objects<Self> {
        OBJECTS.with(|objects| *objects.get_or_init(|| leak(Objects::new())))
    }

    fn trigger_interrupt(handler: fn()) {
        HostSeveral::interrupt(handler);
    }

    fn busy_until(instant: Instant) {
        HostSeveral::busy_until(instant);
    }
}

impl SeveralBoard for SeveralHost {
    fn objects() -> &'static several::Objects<Self> {
        SMP_OBJECTS.get().expect("a suite runs outside a world")
    }

    fn trigger_interrupt(handler: fn()) {
        HostSeveral::interrupt(handler);
    }

    fn pause() {
        HostSeveral::spend(Duration::from_micros(10));
    }
}

impl StormBoard for SeveralHost {
    fn storm() -> &'static StormObjects<Self> {
        STORM.get().expect("a storm rages outside a world")
    }

    fn busy(span: Duration) {
        HostSeveral::spend(span);
    }
}

impl BenchBoard for SeveralHost {
    /// Each turn takes two nanoseconds of the caller's time.
    fn busy(turns: u32) {
        HostSeveral::spend(taktos_kernel::Duration::from_nanos(2 * u64::from(turns)));
    }
}

/// Runs a fresh kernel on `P` processors, in this order, with these instances. Its first thread, of
/// priority 16, runs `main` in the instance of processor 0; a panic in it is passed on. When `main`
/// returns the world continues without it; [`System::exit`] ends it.
pub fn run_on<const P: usize>(
    order: Order,
    instances: &'static [InstanceConfig],
    main: impl FnOnce() + 'static,
) -> Outcome {
    run_with::<ROWS, INSTANCES, P, LOCKS>(order, instances, main)
}

/// Runs a kernel as [`run_on`] does, with memory for `R` threads, `I` instances and `L` locks.
pub fn run_with<const R: usize, const I: usize, const P: usize, const L: usize>(
    order: Order,
    instances: &'static [InstanceConfig],
    main: impl FnOnce() + 'static,
) -> Outcome {
    let memory: &SmpMemory<SeveralHost, R, I, P, L> = leak(SmpMemory::new());
    KERNEL.set(Some(leak(Kernel::new())));
    SEVERAL.set(Some(memory.smp()));
    STORM.set(Some(leak(StormObjects::new())));
    SMP_OBJECTS.set(Some(leak(several::Objects::new())));
    MAIN.set(Some(Box::new(main)));
    let thread = leak(SeveralThread::new("main"));
    HostSeveral::run::<Upcall<SeveralHost>>(P, order, move || {
        run_smp(thread, memory, instances, run_main)
    })
}

fn run_main() {
    if let Some(main) = MAIN.take() {
        HostSeveral::shielded(main);
    }
}

struct Body(Box<dyn Fn() + Sync>);

/// Makes `thread`, which was created or does not exist, run `body`; a panic in it ends the world
/// and is passed on.
///
/// # Panics
/// If the thread has been started, or the kernel has no space for another one.
pub fn start_on(thread: &'static SeveralThread, body: impl Fn() + Sync + 'static) {
    let body = leak(Body(Box::new(body)));
    let started = thread.start_with(|body: &'static Body| HostSeveral::shielded(&body.0), body);
    assert_eq!(started, Ok(()), "a new thread starts");
}

/// Starts a new thread that runs `body`, in the instance of the caller, as [`start_on`] does.
///
/// # Panics
/// If `priority` is above 31, or the kernel has no room for another thread.
pub fn spawn_on(
    name: &'static str,
    priority: u8,
    body: impl Fn() + Sync + 'static,
) -> &'static SeveralThread {
    let thread = leak(SeveralThread::new(name).priority(priority));
    start_on(thread, body);
    thread
}
