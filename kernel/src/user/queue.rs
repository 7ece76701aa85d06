//! Owns: queues of messages that threads of partitions can name: each message is copied from one
//! partition's memory, or to it. Must never know: the owners of memory; how a queue keeps its
//! messages, and which threads wait for them.
#![expect(
    unsafe_code,
    reason = "messages in memory of partitions, of a type that the object alone knows"
)]

use crate::critical_section::CriticalSection;
use crate::object::exchange::{Landing, Supply};
use crate::sched::OutcomeOf;
use crate::wait::transfer::Lent;
use crate::{Error, MessageQueue, System, Timeout};
use core::ptr;
use taktos_abi::Plain;
use taktos_abi::call::LONGEST_BYTES;
use taktos_machine::{Isolation, Machine};

/// A [`MessageQueue`] that threads of partitions can name. Threads and handlers with privilege use
/// it as the other one.
///
/// A message has at most [`LONGEST_BYTES`]: it is copied in one piece, while interrupts that may
/// call the kernel wait. A thread of a partition that waits to send leaves its message where it is,
/// in memory of its partition's; what others of that partition make of it meanwhile is sent.
#[repr(C)]
pub struct Queue<S: System, T, const N: usize> {
    port: Port<S>,
    queue: MessageQueue<S, T, N>,
}

/// Sends a message that is stored at the address, or receives one there.
type Transfer<S> = unsafe fn(CriticalSection<'_>, PortRef<S>, usize, Timeout) -> OutcomeOf<S>;

/// A queue as a call sees it, for messages of any type.
struct Port<S: System> {
    send: Transfer<S>,
    receive: Transfer<S>,
    size: usize,
    align: usize,
}

/// The address of a queue's port, and so of the queue.
pub(super) struct PortRef<S: System>(*const Port<S>);

impl<S: System> Clone for PortRef<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: System> Copy for PortRef<S> {}

impl<S: System<Machine: Isolation>, T: Plain, const N: usize> Queue<S, T, N> {
    /// An empty queue.
    ///
    /// # Panics
    /// If `N` is 0 or above 32,767, or a message has no bytes or more than [`LONGEST_BYTES`]: for a
    /// static, when it is compiled.
    #[must_use]
    pub const fn new() -> Self {
        assert!(
            size_of::<T>() > 0 && size_of::<T>() <= LONGEST_BYTES,
            "a message has 1 to 64 bytes"
        );
        Self {
            port: Port {
                send: Self::send_from,
                receive: Self::receive_to,
                size: size_of::<T>(),
                align: align_of::<T>(),
            },
            queue: MessageQueue::new(),
        }
    }

    /// [`MessageQueue::send`].
    pub fn send(&'static self, message: &T, timeout: Timeout) -> Result<(), Error> {
        if <S::Machine as Machine>::in_interrupt() {
            // The receiver's memory may be what the interrupted partition only reads.
            return S::Machine::with_writes(|| self.queue.send(message, timeout));
        }
        self.queue.send(message, timeout)
    }

    /// [`MessageQueue::receive`].
    pub fn receive(&'static self, timeout: Timeout) -> Result<T, Error> {
        self.queue.receive(timeout)
    }

    /// [`MessageQueue::len`].
    pub fn len(&'static self) -> usize {
        self.queue.len()
    }

    /// [`MessageQueue::is_empty`].
    pub fn is_empty(&'static self) -> bool {
        self.queue.is_empty()
    }

    /// [`MessageQueue::delete`].
    pub fn delete(&'static self) -> Result<(), Error> {
        self.queue.delete()
    }

    /// [`MessageQueue::renew`].
    pub fn renew(&'static self) -> Result<(), Error> {
        self.queue.renew()
    }

    /// # Safety
    /// As [`PortRef::send`]; the port is that of such a queue.
    unsafe fn send_from(
        cs: CriticalSection<'_>,
        port: PortRef<S>,
        address: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        // SAFETY: the caller's contract: the port is the first field of a queue, which is a static.
        let queue: &'static MessageQueue<S, T, N> = unsafe { &(*port.0.cast::<Self>()).queue };
        let place = ptr::with_exposed_provenance::<T>(address);
        if queue.has_receivers(cs) {
            // SAFETY: the caller's contract: it can be read, is aligned, and any bytes are a
            // message. It may be where the receiver wants it, so it is read first.
            let message = unsafe { place.read() };
            return S::Machine::with_writes(|| queue.deliver_entered(cs, &message));
        }
        // SAFETY: the same; it stays so as long as the thread exists: a partition's regions never
        // change, and its memory is made new when none of its threads does.
        let message = unsafe { Lent::assume(&*place) };
        queue.put_entered(cs, message, timeout)
    }

    /// # Safety
    /// As [`PortRef::receive`]; the port is that of such a queue.
    unsafe fn receive_to(
        cs: CriticalSection<'_>,
        port: PortRef<S>,
        address: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        // SAFETY: as in `send_from`.
        let queue: &'static MessageQueue<S, T, N> = unsafe { &(*port.0.cast::<Self>()).queue };
        let place = ptr::with_exposed_provenance::<Landing<T>>(address);
        // SAFETY: the caller's contract: it can be written, is aligned, and its content is no less
        // than uninitialised; it stays so as in `send_from`.
        let landing = unsafe { Lent::assume(&*place) };
        queue.receive_entered(cs, landing, timeout)
    }
}

impl<S: System<Machine: Isolation>, T: Plain, const N: usize> Default for Queue<S, T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System> PortRef<S> {
    /// The queue at `place`, which a handle of a queue names.
    pub(super) const fn at(place: *const ()) -> Self {
        Self(place.cast())
    }

    /// Whether a message can lie in the memory `[address, length]`.
    ///
    /// # Safety
    /// A queue is located there.
    pub(super) unsafe fn fits(self, [address, length]: [usize; 2]) -> bool {
        // SAFETY: the caller's contract.
        let port = unsafe { &*self.0 };
        length == port.size && address.is_multiple_of(port.align)
    }

    /// Sends the message at `address`, waiting for room as long as `timeout` says.
    ///
    /// # Safety
    /// A queue is located there. A message [fits](Self::fits) at the address, and the partition of
    /// the thread that runs may read it.
    pub(super) unsafe fn send(
        self,
        cs: CriticalSection<'_>,
        address: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        // SAFETY: the caller's contract; the function is that of the queue's type.
        unsafe { ((*self.0).send)(cs, self, address, timeout) }
    }

    /// Receives a message at `address`, waiting for one as long as `timeout` says.
    ///
    /// # Safety
    /// As for [`PortRef::send`], but it may write there.
    pub(super) unsafe fn receive(
        self,
        cs: CriticalSection<'_>,
        address: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        // SAFETY: the caller's contract; the function is that of the queue's type.
        unsafe { ((*self.0).receive)(cs, self, address, timeout) }
    }
}
