//! Owns: the smallest demonstration: two threads and a semaphore say hello, two others share the
//! processor.

pub mod smp;

use core::sync::atomic::Ordering::Relaxed;
use portable_atomic::AtomicBool;
use taktos_kernel::{AnyThread, Kernel, Semaphore, Span, System, Thread, Timeout};

/// The bytes of a thread's stack.
const STACK: usize = 256 * size_of::<usize>();

/// Objects of the program. It has them in a static.
pub struct Objects<S: System> {
    other: Thread<S, STACK>,
    left: Thread<S, STACK>,
    right: Thread<S, STACK>,
    left_ran_last: AtomicBool,
    done: Semaphore<S>,
    go: Semaphore<S>,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            other: Thread::new("other").priority(5),
            left: Thread::new("left").priority(12),
            right: Thread::new("right").priority(12),
            left_ran_last: AtomicBool::new(false),
            done: Semaphore::new(0),
            go: Semaphore::new(0),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Says hello, and ends the program. Called by a thread of priority 10.
pub fn run<S: System>(objects: &'static Objects<S>) -> ! {
    let _ = objects.other.start_with(other, objects);
    S::write("main\n");
    let _ = objects.go.give();
    S::write("main again\n");
    let _ = objects.done.take(Timeout::FOREVER);
    let late = objects.done.take(Timeout::after(3.millis()));
    S::write(if late.is_err() { "timed out\n" } else { "??\n" });
    let _ = Kernel::<S>::set_time_slice(Some(1.millis()));
    let _ = objects
        .left
        .start_with(|objects| share(objects, true, "left\n"), objects);
    let _ = objects
        .right
        .start_with(|objects| share(objects, false, "right\n"), objects);
    let _ = AnyThread::<S>::sleep(5.millis());
    S::exit(0)
}

/// Keeps the processor busy; says so whenever the other one ran in between.
fn share<S: System>(objects: &'static Objects<S>, left: bool, text: &str) {
    loop {
        if objects.left_ran_last.swap(left, Relaxed) != left {
            S::write(text);
        }
    }
}

fn other<S: System>(objects: &'static Objects<S>) {
    S::write("other waits\n");
    let _ = objects.go.take(Timeout::FOREVER);
    S::write("other runs\n");
    let _ = AnyThread::<S>::sleep(2.millis());
    S::write("other slept\n");
    let _ = objects.done.give();
}
