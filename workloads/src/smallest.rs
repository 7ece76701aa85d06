//! Owns: the smallest program: two threads and one semaphore. Its size is what is measured.

use taktos_kernel::{AnyThread, Semaphore, System, Thread, Timeout};

/// The bytes of a thread's stack.
const STACK: usize = 128 * size_of::<usize>();

/// Objects of the program. A board has them in a static.
pub struct Objects<S: System> {
    giver: Thread<S, STACK>,
    semaphore: Semaphore<S>,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            giver: Thread::new("giver").priority(8),
            semaphore: Semaphore::new(0),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Takes what the other thread gives, three times, and ends the program: with success if all came.
/// Called by a thread more urgent than 8.
pub fn run<S: System>(objects: &'static Objects<S>) -> ! {
    let mut failed = objects.giver.start_endless(give::<S>, objects).is_err();
    for _ in 0..3 {
        failed |= objects.semaphore.take(Timeout::FOREVER).is_err();
    }
    S::exit(i32::from(failed))
}

fn give<S: System>(objects: &'static Objects<S>) -> ! {
    loop {
        // The other thread sees the outcome.
        let _ = objects.semaphore.give();
        AnyThread::<S>::yield_now();
    }
}
