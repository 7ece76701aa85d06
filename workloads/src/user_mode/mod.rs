//! Programs with threads of partitions: the cost of each operation there.
//!
//! Owns: the scenarios that are measured in user mode, as threads without privilege run them, and
//! the thread that starts them. Must never know: a board; how it is counted.
//!
//! There are two partitions: one of the threads "left" and "right", another one of "other". Handles
//! are the same in both. The argument with which a thread is started says in which scenario it
//! plays its part.

#[cfg(target_os = "none")]
pub mod attack;
pub mod bench;
#[cfg(feature = "budgets")]
pub mod budgets;
pub mod storm;

use taktos_user::{Semaphore, Thread};

/// The bytes of a partition's memory.
pub const MEMORY: usize = 4096;
/// The bytes of each stack.
pub const STACK: usize = 1024;

/// The handle of the semaphore that scenarios are about.
pub const PERMITS: Semaphore = Semaphore::at(0);
/// The handle of the semaphore by which a thread reports that its part is done.
pub const DONE: Semaphore = Semaphore::at(1);
/// The handle of the first partition's first thread.
pub const LEFT: Thread = Thread::at(2);
/// The handle of its second one.
pub const RIGHT: Thread = Thread::at(3);
/// The handle of the second partition's thread.
pub const OTHER: Thread = Thread::at(4);

/// Rights that handles give.
pub mod rights {
    use taktos_kernel::user::Rights;

    /// All of a semaphore.
    pub const SEMAPHORE: Rights = Rights::GIVE.and(Rights::TAKE);
    /// All that a thread of another partition may do with one.
    pub const PARTNER: Rights = Rights::SEND
        .and(Rights::RECEIVE)
        .and(Rights::CALL)
        .and(Rights::GIVE)
        .and(Rights::TAKE);
    /// All of a thread of the same one.
    pub const OWN: Rights = PARTNER.and(Rights::CONTROL);
}

/// Says that the part is done, and ends.
pub fn finish() -> ! {
    let _ = DONE.give();
    taktos_user::exit()
}

/// Stops here if the result is an error: the program does not end then, which is seen.
#[inline(always)]
pub fn expect<T, E>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(_) => loop {
            core::hint::spin_loop();
        },
    }
}
