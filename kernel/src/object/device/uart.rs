//! A serial line as a device: bytes come and go by interrupts, through a pipe each way.
//!
//! Owns: the bytes on their way, and when the line's interrupts are wanted. Must never know: which
//! UART it is.

use super::{Driver, renew};
use crate::critical_section::Guarded;
use crate::object::{Pipe, ends_at};
use crate::sched::hold;
use crate::{Error, System, Timeout};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A UART as the driver sees it. The calls come from threads and from the handler, also while
/// another is under way: each is a few accesses to registers that do not disturb each other.
pub trait UartPort: Sync {
    /// Makes the line ready, with the interrupt for received bytes, and without the one for room.
    fn start(&self);
    /// No interrupt comes any more.
    fn stop(&self);
    /// The byte that was received first, if there is one.
    fn receive(&self) -> Option<u8>;
    /// Whether there is room for a byte to be sent.
    fn has_room(&self) -> bool;
    /// Sends a byte; there is room.
    fn send(&self, byte: u8);
    /// Whether an interrupt is to come while there is room. It comes for room that is there
    /// already, too.
    fn want_room(&self, wanted: bool);
    /// Does what `request` means for this UART: its speed, say. Errors: `Parameter` for what it
    /// does not know.
    fn control(&self, request: u32, argument: usize) -> Result<usize, Error> {
        let _ = (request, argument);
        Err(Error::Parameter)
    }
}

/// The driver of a serial line, with `IN` bytes that were not read yet, and `OUT` that are still to
/// be sent. Bytes that come when there is no space for them are lost, and counted. Its interrupt's
/// handler calls [`Uart::handle`].
pub struct Uart<S: System, P: UartPort, const IN: usize, const OUT: usize> {
    port: P,
    incoming: Pipe<S, IN>,
    outgoing: Pipe<S, OUT>,
    /// Whether bytes are being moved to the line.
    sending: Guarded<bool>,
    /// Written where the line is opened, and by its handler.
    lost: AtomicU32,
}

impl<S: System, P: UartPort, const IN: usize, const OUT: usize> Uart<S, P, IN, OUT> {
    /// The request for how many received bytes were lost since the device was opened.
    pub const LOST: u32 = 0x1_0000;
    /// The request for how many received bytes wait to be read.
    pub const WAITING: u32 = 0x1_0001;
    /// The request for how many bytes are still to be sent.
    pub const UNSENT: u32 = 0x1_0002;

    /// The driver of `port`.
    pub const fn new(port: P) -> Self {
        Self {
            port,
            incoming: Pipe::new(),
            outgoing: Pipe::new(),
            sending: Guarded::new(false),
            lost: AtomicU32::new(0),
        }
    }

    /// Serves the line's interrupt; for its handler, at the kernel's level. Bound: the bytes that
    /// the line holds each way, with what [`Pipe::write`] and [`Pipe::read`] say for each.
    pub fn handle(&'static self) {
        while let Some(byte) = self.port.receive() {
            if self.incoming.write(&[byte], 1, Timeout::NONE).is_err() {
                self.lost
                    .store(self.lost.load(Relaxed).wrapping_add(1), Relaxed);
            }
        }
        self.send_more();
    }

    /// Moves bytes to the line as long as it has space, and has an interrupt come if some are left.
    /// A caller that finds another one at this leaves it to that one, which checks again
    /// afterwards: a handler that has interrupted a thread here must not be called again meanwhile.
    /// The caller that the others found sets last whether the line's interrupt is wanted.
    fn send_more(&'static self) {
        loop {
            if self.set_sending(true) {
                self.port.want_room(false);
                if self.sending.get(hold::<S>().section()) {
                    return;
                }
                continue;
            }
            let mut byte = [0];
            while self.port.has_room() && self.outgoing.read(&mut byte, 1, Timeout::NONE).is_ok() {
                self.port.send(byte[0]);
            }
            self.port.want_room(false);
            self.set_sending(false);
            if self.outgoing.is_empty() {
                return;
            }
            if !self.port.has_room() {
                self.port.want_room(true);
                return;
            }
        }
    }

    /// Sets whether bytes are being moved, and returns whether they were.
    fn set_sending(&self, value: bool) -> bool {
        let held = hold::<S>();
        let before = self.sending.get(held.section());
        self.sending.set(held.section(), value);
        before
    }
}

impl<S: System, P: UartPort, const IN: usize, const OUT: usize> Driver<S> for Uart<S, P, IN, OUT> {
    fn open(&'static self) -> Result<(), Error> {
        self.lost.store(0, Relaxed);
        self.port.start();
        Ok(())
    }

    /// Drops the received bytes that were not read, and the bytes that were not sent yet.
    fn close(&'static self) {
        self.port.stop();
        renew(self.incoming.delete(), || self.incoming.renew());
        renew(self.outgoing.delete(), || self.outgoing.renew());
    }

    /// At least one byte, as soon as there is one, and as many as there are then.
    fn read(&'static self, bytes: &mut [u8], timeout: Timeout) -> Result<usize, Error> {
        if bytes.is_empty() {
            return Ok(0);
        }
        Ok(self.incoming.read(bytes, 1, timeout)?)
    }

    /// All of `bytes`: they are on their way then, not sent yet.
    fn write(&'static self, bytes: &[u8], timeout: Timeout) -> Result<usize, Error> {
        let timeout = ends_at::<S>(timeout);
        let mut written = 0;
        while written < bytes.len() {
            let rest = &bytes[written..];
            // Without a wait first: space for the other bytes comes only after the line is notified
            // of those that are there.
            let moved = match self.outgoing.write(rest, 0, Timeout::NONE) {
                Ok(0) => self.outgoing.write(rest, 1, timeout),
                other => other,
            };
            match moved {
                Ok(moved) => written += moved,
                Err(partial) if written == 0 => return Err(partial.error),
                Err(_) => return Ok(written),
            }
            self.send_more();
        }
        Ok(written)
    }

    fn control(&'static self, request: u32, argument: usize) -> Result<usize, Error> {
        match request {
            Self::LOST => Ok(self.lost.load(Relaxed) as usize),
            Self::WAITING => Ok(self.incoming.len()),
            Self::UNSENT => Ok(self.outgoing.len()),
            _ => self.port.control(request, argument),
        }
    }
}
