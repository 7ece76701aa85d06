//! Owns: the smallest program: two threads and one semaphore. Its size is what is measured.

use taktos_kernel::{Semaphore, System, Thread, Timeout};

/// What the program needs. A board has it in a static.
pub struct Objects<S: System> {
    giver: Thread<S, 512>,
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

/// Takes what the other thread gives, and ends the program: with success if it came.
pub fn run<S: System>(objects: &'static Objects<S>) -> ! {
    let started = objects.giver.start_with(give::<S>, objects);
    let taken = objects.semaphore.take(Timeout::FOREVER);
    S::exit(i32::from(started.is_err() || taken.is_err()))
}

fn give<S: System>(objects: &'static Objects<S>) {
    // The other thread sees the outcome.
    let _ = objects.semaphore.give();
}
