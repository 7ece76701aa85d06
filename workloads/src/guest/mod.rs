//! What a guest with one processor runs under the hypervisor.
//!
//! Owns: the workloads of guests, and how a guest is told what to do.
//! Must never know: a hypervisor; a board.
//!
//! The words are those of [`command`](crate::experiment::command), from the guest's boot arguments; the lines those of
//! [`experiment`](crate::experiment). The kernel is that for one processor: fixed priorities.

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

/// What a system gives guests' workloads.
pub trait GuestBoard: System {
    /// What the guest was told; an empty text where nothing was.
    fn words() -> &'static str;

    /// What the machine's clock shows, which began before the guest did.
    fn machine_time() -> Instant;
}

/// The priorities of the main thread, which tells, of what is measured or has deadlines, and of what fills the time.
const MAIN: u8 = 1;
const MEASURED: u8 = 4;
const IDLE: u8 = 30;

/// Sleeps until `at`.
fn sleep_until<S: System>(at: Instant) {
    crate::experiment::certain(AnyThread::<S>::sleep(Timeout::until(at)));
}
