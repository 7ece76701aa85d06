//! The kernel's test-suite: one program for the host and for every board.
//!
//! Owns: the cases, what they need, how they are counted and reported. Must never know: a board,
//! the kernel's inside.
//!
//! A case brings the objects into a state, makes calls and checks their results and the state
//! after. Times are never exact, for on a board time passes by itself: cases check the order of
//! events, and bounds that hold however slow the processor is.
//!
//! A board implements [`SuiteBoard`], with an [`Objects`] in a static, and calls [`run`] in its
//! main thread, of priority [`MAIN`], on a stack of at least 4 KiB.

mod alarm;
#[cfg(target_has_atomic = "64")]
pub mod beside;
mod case;
mod condition;
mod dependents;
mod device;
mod events;
mod heap;
mod inheritance;
mod log;
mod mailbox;
mod messages;
mod mutex;
mod names;
mod notify;
mod objects;
mod period;
mod pipe;
mod poll;
mod pool;
mod remote;
mod semaphore;
mod slices;
mod stores;
mod thread_states;
mod threads;
mod time;
mod trigger;
mod work;

pub use case::Case;
pub use log::Log;
pub use objects::{Objects, STACK, THREADS};
pub use trigger::Trigger;

use crate::look_away::look_away;
use case::Tally;
use taktos_kernel::{Duration, Error, Instant, Kernel, System, Timeout};

/// Interface of a system to the suite.
pub trait SuiteBoard: System {
    /// The suite's objects: always the same.
    fn objects() -> &'static Objects<Self>;
    /// Runs `handler` in an interrupt at the kernel's level, before this returns.
    fn trigger_interrupt(handler: fn());
    /// Keeps the processor busy until `instant`.
    fn busy_until(instant: Instant) {
        while Kernel::<Self>::now() < instant {
            look_away(LOOKS_AWAY);
        }
    }
}

/// Turns between two reads of a processor that is kept busy: far less than the unit.
const LOOKS_AWAY: u32 = 1_000;

/// The priority of the main thread.
pub const MAIN: u8 = 16;
/// A priority above that of the main thread.
pub const HIGH: u8 = 8;
/// A priority below that of the main thread.
pub const LOW: u8 = 24;

/// The unit of the suite's times: longer than a slow emulator needs for a few calls.
pub const UNIT: Duration = Duration::from_millis(5);

/// The time-out of waits without end.
const FOREVER: Timeout = Timeout::FOREVER;

/// The time-out of calls that do not wait.
const NONE: Timeout = Timeout::NONE;

/// Adds the letter of a result to the log.
fn log_result<S: SuiteBoard>(result: Result<impl Sized, Error>) {
    let _ = S::objects().log.result(result);
}

/// Adds the letter of an error to the log.
fn log_error<S: SuiteBoard>(error: Error) {
    log_result::<S>(Err::<(), _>(error));
}

/// Adds a name to the log, and what the call of that name returned: a digit, or the error's letter.
fn log_number<S: SuiteBoard>(name: char, result: Result<u32, Error>) {
    S::objects().log.add(name);
    match result {
        Ok(number) => S::objects().log.digit(number),
        Err(error) => log_error::<S>(error),
    }
}

/// Waits for a permit of the suite's semaphore.
fn wait_for_permit<S: SuiteBoard>() {
    let _ = S::objects().semaphore.take(FOREVER);
}

/// Returns the instant in `count` units.
fn units<S: SuiteBoard>(count: u64) -> Instant {
    Kernel::<S>::now().saturating_add(Duration::from_nanos(UNIT.as_nanos() * count))
}

/// Runs all cases. Each that fails writes one line; the last lines give the numbers. Then
/// the program ends: with status 0 if all passed, otherwise 1.
pub fn run<S: SuiteBoard>() -> ! {
    let mut tally = Tally::<S>::new();
    threads::cases(&mut tally);
    thread_states::cases(&mut tally);
    time::cases(&mut tally);
    slices::cases(&mut tally);
    semaphore::cases(&mut tally);
    mutex::cases(&mut tally);
    inheritance::cases(&mut tally);
    messages::cases(&mut tally);
    condition::cases(&mut tally);
    events::cases(&mut tally);
    stores::cases(&mut tally);
    mailbox::cases(&mut tally);
    pipe::cases(&mut tally);
    pool::cases(&mut tally);
    heap::cases(&mut tally);
    notify::cases(&mut tally);
    period::cases(&mut tally);
    poll::cases(&mut tally);
    if !cfg!(feature = "short-suite") {
        served(&mut tally);
    }
    tally.finish()
}

/// The cases of what threads of its own serve.
fn served<S: SuiteBoard>(tally: &mut Tally<S>) {
    work::cases(tally);
    alarm::cases(tally);
    names::cases(tally);
    remote::cases(tally);
    device::cases(tally);
}
