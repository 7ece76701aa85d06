//! Owns: messages of many bytes: copied once, from the sender's memory to the receiver's.
#![expect(unsafe_code, reason = "copies between the memories of two threads")]

use super::slow::{Receive, Send};
use super::{hold_with_second_word, refuse_in_handlers};
use crate::System;
use crate::sched::IntoResult;
use crate::thread::AnyThread;
use core::ptr;
use taktos_abi::{Error, Timeout};

/// The longest message. It is copied with kernel-level interrupts masked: this bounds their delay
/// to the copying of this number of bytes.
pub const LONGEST_MESSAGE: usize = 1024;

impl<S: System> AnyThread<S> {
    /// Sends `message`, of at most [`LONGEST_MESSAGE`] bytes, to this thread, waiting until it has
    /// received it. The receiver must use [`AnyThread::receive_bytes_from`] or
    /// [`AnyThread::receive_bytes`].
    ///
    /// Bound where the receiver waits: fixed, and the copying. Errors: as [`AnyThread::send`], and
    /// `Parameter` for a longer message or a receiver that waits for words.
    pub fn send_bytes(&'static self, message: &[u8], timeout: Timeout) -> Result<(), Error> {
        if message.len() > LONGEST_MESSAGE {
            return Err(Error::Parameter);
        }
        refuse_in_handlers::<S>()?;
        let address = message.as_ptr().expose_provenance();
        hold_with_second_word::<S>(message.len())
            .enter::<Send<S, true>>(self, address, timeout)
            .into_result::<S>()
    }

    /// Receives a message of bytes from this thread into `room`. Bytes that do not fit are cut off;
    /// the answer is how many bytes there were copied.
    ///
    /// Bounds and errors: as [`AnyThread::receive_from`], and the copying; `Parameter` if the
    /// sender sends words.
    pub fn receive_bytes_from(
        &'static self,
        room: &mut [u8],
        timeout: Timeout,
    ) -> Result<usize, Error> {
        refuse_in_handlers::<S>()?;
        let address = room.as_mut_ptr().expose_provenance();
        let answer = hold_with_second_word::<S>(room.len())
            .enter::<Receive<S, true>>(self, address, timeout);
        answer.into_result::<S>()?;
        Ok(answer.value)
    }

    /// Receives a message of bytes from any thread. Returns the sender and the number of copied
    /// bytes. Bounds and errors: as [`AnyThread::receive_bytes_from`], but for `Deleted` and
    /// `Deadlock`.
    pub fn receive_bytes(
        room: &mut [u8],
        timeout: Timeout,
    ) -> Result<(&'static AnyThread<S>, usize), Error> {
        let length = Self::current().receive_bytes_from(room, timeout)?;
        Ok((Self::received(length).sender, length))
    }
}

/// Whether the memories `[address, length]` have a byte in common.
pub(super) fn overlap([one, length]: [usize; 2], [other, room]: [usize; 2]) -> bool {
    other.wrapping_sub(one) < length || one.wrapping_sub(other) < room
}

/// Copies from the memory `[address, length]` to the memory `[address, room]`; says how many bytes.
pub(super) fn copy([from, length]: [usize; 2], [to, room]: [usize; 2]) -> usize {
    let count = length.min(room);
    let from = ptr::with_exposed_provenance::<u8>(from);
    let to = ptr::with_exposed_provenance_mut::<u8>(to);
    // SAFETY: one is the slice that a thread passed to `send_bytes`, the other the slice that
    // another thread passed to receive: both threads are inside these calls until the copying
    // is over, the slices are borrowed by them, exclusively for the receiver's, and no longer
    // than the lengths given.
    unsafe { ptr::copy_nonoverlapping(from, to, count) };
    count
}
