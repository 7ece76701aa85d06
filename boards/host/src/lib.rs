//! This machine as a board: kernel threads are coroutines of a process, time is virtual, and a
//! kernel call takes none of it.
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
//! Owns: the kernel that runs in the calling thread's world, and the beginning of a world.
//! Must never know: the code that is tested by it.
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

/// Returns an object that lives as long as the process, as a `static` does on a board.
pub fn leak<T>(object: T) -> &'static T {
    Box::leak(Box::new(object))
}

/// Runs `entry` in the first thread of a fresh kernel, and returns the outcome. A board's `start`
/// does the same, but does not return. A panic is passed on. When `entry` returns, the world
/// continues without that thread; [`System::exit`] ends the world.
///
/// The thread, and other threads that are `static`s, begin once in a process: of a program's tests,
/// one runs the whole program. The other tests have threads of their own, by [`leak`].
pub fn start<const N: usize>(
    main: &'static Thread<Board, N>,
    entry: impl FnOnce() + 'static,
) -> Outcome {
    KERNEL.set(Some(leak(Kernel::new())));
    MAIN.set(Some(Box::new(entry)));
    Host::run::<Upcall<Board>>(|| taktos_kernel::run(main, run_main))
}

/// Like [`start`], with a first thread of priority 16.
pub fn run(main: impl FnOnce() + 'static) -> Outcome {
    start(leak(Thread::<Board, 64>::new("main")), main)
}

fn run_main() {
    if let Some(main) = MAIN.take() {
        Host::shielded(main);
    }
}
