//! Owns: the host as a system: which kernel runs in the calling thread's world.

use std::cell::{Cell, OnceCell};
use taktos_arch_host::{Host, Outcome};
use taktos_kernel::{Instant, Kernel, System, Upcall};
use taktos_machine::{Machine, Processor};
use taktos_workloads::suite::{Objects, SuiteBoard};

/// The host. Each [`run`] has a kernel of its own.
pub struct HostSystem;

/// A thread of the host; its own stack is not used.
pub type Thread = taktos_kernel::Thread<HostSystem, 64>;
/// A thread of the host, whatever its stack.
pub type AnyThread = taktos_kernel::AnyThread<HostSystem>;
/// A semaphore on the host.
pub type Semaphore = taktos_kernel::Semaphore<HostSystem>;
/// A mutex on the host.
pub type Mutex = taktos_kernel::Mutex<HostSystem>;

thread_local! {
    static KERNEL: Cell<Option<&'static Kernel<HostSystem>>> = const { Cell::new(None) };
    static OBJECTS: OnceCell<&'static Objects<HostSystem>> = const { OnceCell::new() };
    static MAIN: Cell<Option<Box<dyn FnOnce()>>> = const { Cell::new(None) };
}

impl System for HostSystem {
    type Machine = Host;

    fn kernel() -> &'static Kernel<Self> {
        KERNEL.get().expect("the kernel is used outside a world")
    }

    fn processor_of(_: &'static Kernel<Self>) -> &'static Processor {
        Host::processor()
    }

    fn write(text: &str) {
        Host::write(text);
    }

    fn exit(status: i32) -> ! {
        Host::exit(status)
    }
}

impl SuiteBoard for HostSystem {
    fn objects() -> &'static Objects<Self> {
        OBJECTS.with(|objects| *objects.get_or_init(|| leak(Objects::new())))
    }

    fn trigger_interrupt(handler: fn()) {
        Host::interrupt(handler);
    }

    fn busy_until(instant: Instant) {
        Host::busy_until(instant);
    }
}

/// An object that lives as long as the process: what a `static` is on a board.
pub fn leak<T>(object: T) -> &'static T {
    Box::leak(Box::new(object))
}

/// Runs a fresh kernel whose first thread, of priority 16, runs `main`; a panic in it is passed on.
/// When `main` returns the world goes on without it; [`System::exit`] ends it.
pub fn run(main: impl FnOnce() + 'static) -> Outcome {
    KERNEL.set(Some(leak(Kernel::new())));
    MAIN.set(Some(Box::new(main)));
    let thread = leak(Thread::new("main"));
    Host::run::<Upcall<HostSystem>>(|| taktos_kernel::run(thread, run_main))
}

fn run_main() {
    if let Some(main) = MAIN.take() {
        Host::shielded(main);
    }
}

struct Body(Box<dyn Fn() + Sync>);

/// Starts a new thread that runs `body`; a panic in it ends the world and is passed on.
///
/// # Panics
/// If `priority` is above 31.
pub fn spawn(
    name: &'static str,
    priority: u8,
    body: impl Fn() + Sync + 'static,
) -> &'static Thread {
    let thread = leak(Thread::new(name).priority(priority));
    let body = leak(Body(Box::new(body)));
    let started = thread.start_with(|body: &'static Body| Host::shielded(&body.0), body);
    assert_eq!(started, Ok(()), "a new thread starts");
    thread
}
