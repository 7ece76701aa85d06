//! This machine as a board: kernel threads are coroutines of a process, time is virtual, and a kernel call takes none of it.
//!
//! ```
//! use taktos_host::{Board, run};
//! use taktos_kernel::{AnyThread, Span, System};
//!
//! let outcome = run(|| {
//!     let _ = AnyThread::<Board>::sleep(2.millis());
//!     Board::write("two milliseconds");
//!     Board::exit(0);
//! });
//! assert_eq!((outcome.status(), outcome.time.as_nanos()), (Some(0), 2_000_000));
//! assert_eq!(outcome.console, "two milliseconds");
//! ```
//!
//! Owns: which kernel runs in the calling thread's world, and how a world begins.
//! Must never know: what is tested by it.
#![cfg(not(target_os = "none"))]

#[cfg(feature = "workloads")]
mod suite;

use std::cell::Cell;
use taktos_arch_host::Host;
pub use taktos_arch_host::{End, INTERRUPTS, Outcome};
use taktos_kernel::{Kernel, System, Thread, Upcall};
use taktos_machine::{Machine, Processor};

/// The host. Each [`run`] has a kernel of its own.
pub struct Board;

thread_local! {
    static KERNEL: Cell<Option<&'static Kernel<Board>>> = const { Cell::new(None) };
    static MAIN: Cell<Option<Box<dyn FnOnce()>>> = const { Cell::new(None) };
}

impl System for Board {
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

/// An object that lives as long as the process: what a `static` is on a board.
pub fn leak<T>(object: T) -> &'static T {
    Box::leak(Box::new(object))
}

/// Runs a fresh kernel whose first thread runs `entry`: what a board's `start` does, but that it comes back, and says what came of
/// it. A panic is passed on. When `entry` returns the world goes on without it; [`System::exit`] ends it.
///
/// The thread, and others that are `static`s, begin once in a process: of a program's tests one runs the whole program. Others have
/// threads of their own, by [`leak`].
pub fn start<const N: usize>(
    main: &'static Thread<Board, N>,
    entry: impl FnOnce() + 'static,
) -> Outcome {
    KERNEL.set(Some(leak(Kernel::new())));
    MAIN.set(Some(Box::new(entry)));
    Host::run::<Upcall<Board>>(|| taktos_kernel::run(main, run_main))
}

/// The same with a first thread of priority 16.
pub fn run(main: impl FnOnce() + 'static) -> Outcome {
    start(leak(Thread::<Board, 64>::new("main")), main)
}

fn run_main() {
    if let Some(main) = MAIN.take() {
        Host::shielded(main);
    }
}
