//! Owns: the words by which tests name what is on the host, and how they start a thread there.

use taktos_arch_host::Host;
pub use taktos_host::{Board as HostSystem, leak, run};

/// A thread of the host; its own stack is not used.
pub type Thread = taktos_kernel::Thread<HostSystem, 64>;
/// A thread of the host, whatever its stack.
pub type AnyThread = taktos_kernel::AnyThread<HostSystem>;
/// A semaphore on the host.
pub type Semaphore = taktos_kernel::Semaphore<HostSystem>;
/// A mutex on the host.
pub type Mutex = taktos_kernel::Mutex<HostSystem>;

struct Body(Box<dyn Fn() + Sync>);

/// Starts a new thread that runs `body`; a panic in it ends the world and is passed on.
///
/// # Panics
/// If `priority` is above 31.
pub fn spawn(
    name: &'static str,
    priority: u8,
    body: impl Fn() + Sync + 'static,
) -> &'static Thread {
    let thread = leak(Thread::new(name).priority(priority));
    let body = leak(Body(Box::new(body)));
    let started = thread.start_with(|body: &'static Body| Host::shielded(&body.0), body);
    assert_eq!(started, Ok(()), "a new thread starts");
    thread
}
