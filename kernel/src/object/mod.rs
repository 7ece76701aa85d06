//! The objects by which threads work together, a file each; and what several of them share: messages that are copied
//! once, rings in memory, one way to delete an object.
//!
//! Owns: what each object is. Must never know: who runs next.

mod condition;
mod copy;
pub(crate) mod deletion;
mod event;
mod exchange;
mod interrupt;
mod mailbox;
pub(crate) mod mutex;
mod notify;
pub mod period;
mod pipe;
mod pool;
mod queue;
mod raw_pool;
mod raw_queue;
mod ring;
mod semaphore;
mod store;
mod stream;

pub use condition::Condition;
pub use event::EventFlags;
pub use interrupt::Interrupt;
pub use mailbox::{Letter, Mailbox, Partner};
pub use mutex::{Mutex, OwnerEnd, Protocol};
pub use notify::Notify;
pub use pipe::{Partial, Pipe};
pub use pool::{Pool, PoolBlock};
pub use queue::MessageQueue;
pub use raw_pool::RawPool;
pub use raw_queue::RawQueue;
pub use semaphore::Semaphore;
pub use store::{Fifo, Lifo, Stack, Store};
