//! Owns: facts about the system as a whole: its limits, its process and its user. Must never know:
//! threads.
//!
//! There is one process and one user. Of `sysconf` there is the part that concerns threads.

use super::attributes::LEAST_STACK;
use super::errno::Errno;
use super::key::{KEYS, ROUNDS};
use super::message_queue::PRIORITIES;
use super::processor_time::ARE_THERE;
use super::semaphore::MOST;
use super::signal::QUEUED;
use super::thread;
use super::timer::MOST_OVERRUNS;
use crate::cmsis::interface;
use crate::os::TICK;
use core::ffi::{c_int, c_long};

/// How many descriptors of files can be open: `OPEN_MAX`.
pub(super) const DESCRIPTORS: usize = 64;
/// Version of the standard, in the standard's own form.
const VERSION: c_long = 200_809;
/// Value for things without a limit, and for things that do not exist: −1 without an error.
const NONE: c_long = -1;

/// The names of `sysconf` and their values: newlib's numbers, which the other headers have, too.
const VALUES: [(c_int, c_long); 52] = [
    // Ticks a second.
    (2, (1_000_000_000 / TICK) as c_long),
    // Files that are open.
    (4, DESCRIPTORS as c_long),
    // The version.
    (7, VERSION),
    // A page: what stacks are best a multiple of.
    (8, LEAST_STACK as c_long),
    // Processors, there and at work.
    (9, 1),
    (10, 1),
    // Message queues that are open; their priorities.
    (13, NONE),
    (14, PRIORITIES as c_long),
    // Signals that are queued: kinds of them.
    (15, QUEUED as c_long),
    // Semaphores, and their permits.
    (16, NONE),
    (17, MOST as c_long),
    // Signals that wait to be got, and timers.
    (18, NONE),
    (19, NONE),
    // Input and output in parallel with the program, files in memory, memory that is locked,
    // protected or shared: none.
    (21, NONE),
    (22, NONE),
    (23, NONE),
    (24, NONE),
    (25, NONE),
    (26, NONE),
    // Message queues, input and output by priority, signals that are queued, semaphores.
    (27, VERSION),
    (28, NONE),
    (29, VERSION),
    (30, VERSION),
    (31, NONE),
    (32, NONE),
    // Timers, and how often one is late.
    (33, VERSION),
    (37, MOST_OVERRUNS as c_long),
    // Keys, stacks, threads.
    (38, KEYS as c_long),
    (39, LEAST_STACK as c_long),
    (40, NONE),
    // Threads; their stacks, priorities and protocols.
    (42, VERSION),
    (43, VERSION),
    (44, VERSION),
    (45, VERSION),
    (46, VERSION),
    (47, VERSION),
    // Shared by processes; calls that threads can make at one time.
    (48, NONE),
    (49, NONE),
    (53, ROUNDS as c_long),
    (56, VERSION),
    (61, VERSION),
    // Clocks of a process's processor time; sporadic servers, of a process and of threads; clocks
    // of threads'.
    (63, NONE),
    (69, VERSION),
    (71, VERSION),
    (76, VERSION),
    (77, NONE),
    (80, if ARE_THERE { VERSION } else { NONE }),
    (81, NONE),
    (82, VERSION),
    // Policies and priorities, and those of robust mutexes.
    (101, VERSION),
    (122, VERSION),
    (123, VERSION),
];

interface! {
    /// Returns the value of a limit or an option. `EINVAL` if its name is not known.
    fn sysconf(name: c_int) -> c_long {
        match VALUES.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => *value,
            None => {
                Errno::INVAL.set();
                NONE
            }
        }
    }

    /// The user: the first one.
    fn getuid() -> c_int {
        0
    }

    /// Returns the effective user: the first one, too.
    fn geteuid() -> c_int {
        0
    }

    /// The group: the first one.
    fn getgid() -> c_int {
        0
    }

    /// Returns the effective group: the first one, too.
    fn getegid() -> c_int {
        0
    }
}

/// The thread that a number of a process means in the calls on scheduling: 0 and the one process
/// are the caller. Errors: `ESRCH`.
pub(super) fn thread_of(process: c_int) -> Result<crate::object::Id, Errno> {
    match process {
        0 | PROCESS => {
            // SAFETY: no address is handed over.
            Ok(unsafe { thread::pthread_self() })
        }
        _ => Err(Errno::SRCH),
    }
}

/// The number of the one process.
const PROCESS: c_int = 1;
