//! Programs of a guest with one processor under the hypervisor.
//!
//! Owns: the workloads of guests, and how a guest gets its words.
//! Must never know: a hypervisor; a board.
//!
//! The words are those of [`command`](crate::experiment::command), from the guest's boot arguments;
//! the lines those of [`experiment`](crate::experiment). The kernel is that for one processor:
//! fixed priorities.

pub mod channel;
pub mod fifo;
pub mod hello;
pub mod latency;
pub mod monitor;
mod pattern;
pub mod periodic;
pub mod spacecraft;
mod supply;
mod vectors;

use taktos_kernel::{AnyThread, Instant, System, Timeout};

/// Interface of a system to guests' workloads.
pub trait GuestBoard: System {
    /// Returns the words of the guest; an empty text if there are none.
    fn words() -> &'static str;

    /// Returns the time of the machine's clock, which began before the guest did.
    fn machine_time() -> Instant;
}

/// The priorities of the main thread, which reports, of the threads that are measured or have
/// deadlines, and of those that fill the time.
const MAIN: u8 = 1;
const MEASURED: u8 = 4;
const IDLE: u8 = 30;

/// Sleeps until `at`.
fn sleep_until<S: System>(at: Instant) {
    crate::experiment::certain(AnyThread::<S>::sleep(Timeout::until(at)));
}
