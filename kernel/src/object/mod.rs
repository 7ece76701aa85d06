//! The objects by which threads work together, a file each; and what several of them share:
//! messages that are copied once, rings in memory, one way to delete an object.
//!
//! Owns: the objects and their operations. Must never know: the thread that runs next.

mod alarm;
mod condition;
mod copy;
pub(crate) mod deletion;
mod device;
mod event;
pub(crate) mod exchange;
mod heap;
mod interrupt;
mod inverse;
mod mailbox;
pub(crate) mod mutex;
mod names;
mod notify;
pub mod period;
mod pipe;
mod poll;
mod pool;
mod queue;
mod raw_pool;
mod raw_queue;
mod remote;
mod ring;
mod semaphore;
mod store;
mod stream;
mod work;

use crate::{Kernel, System, Timeout};

/// The operations of [branches](Branch), for programs that keep branches in structures.
pub mod branches {
    pub use super::event::Awaiting;
    pub use super::exchange::Receiving;
    pub use super::notify::Notified;
    pub use super::pipe::Reading;
    pub use super::poll::Answers;
    pub use super::raw_queue::RawReceiving;
    pub use super::semaphore::Taking;
}

pub use alarm::{Alarm, AlarmClock, AlarmCounts};
pub use condition::Condition;
pub use device::{
    Device, Driver, OpenDevice, TimerDevice, Uart, UartPort, Watchdog, WatchdogPart, WatchdogPort,
};
pub use event::EventFlags;
pub use heap::{Heap, HeapBlock};
pub use interrupt::Interrupt;
pub use mailbox::{Letter, Mailbox, Partner};
pub use mutex::{Mutex, OwnerEnd, Protocol};
pub use names::{LONGEST_NAME, Names};
pub use notify::Notify;
pub use pipe::{Partial, Pipe};
pub use poll::{Branch, MOST_POLLED, Pollable};
pub use pool::{Pool, PoolBlock};
pub use queue::MessageQueue;
pub use raw_pool::RawPool;
pub use raw_queue::RawQueue;
pub use remote::{RemoteCall, RemoteFunction, RemoteServer};
pub use semaphore::Semaphore;
pub use store::{Fifo, Lifo, Stack, Store};
pub use work::{Work, WorkQueue};

/// Returns a time-out with the end of `timeout`, for a wait that may have to begin several times.
fn ends_at<S: System>(timeout: Timeout) -> Timeout {
    if timeout.is_none() || timeout.is_forever() {
        return timeout;
    }
    let deadline = timeout.deadline(Kernel::<S>::now());
    deadline.map_or(timeout, Timeout::until)
}
