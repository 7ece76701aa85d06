//! Owns: the completion of a future of the protocol on one thread: it is polled, frames go out, the
//! thread blocks until one comes back or a time-out is due, and so on. Must never know: the request
//! of the future.

use crate::Wire;
use crate::timers::Timers;
use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use ethercrab::{PduRx, PduTx};

/// The network end, and the frames that are under way.
pub(crate) struct Bus<W> {
    wire: W,
    tx: PduTx<'static>,
    rx: PduRx<'static>,
    timers: &'static Timers,
    /// Frames that came without a request.
    strays: u32,
}

impl<W: Wire> Bus<W> {
    pub fn new(wire: W, tx: PduTx<'static>, rx: PduRx<'static>, timers: &'static Timers) -> Self {
        Self {
            wire,
            tx,
            rx,
            timers,
            strays: 0,
        }
    }

    pub fn wire(&mut self) -> &mut W {
        &mut self.wire
    }

    pub const fn timers(&self) -> &'static Timers {
        self.timers
    }

    pub const fn strays(&self) -> u32 {
        self.strays
    }

    /// Runs `future` to its end. Blocks the thread while nothing can continue; as long as the
    /// future's own time-outs allow.
    ///
    /// A waker is not needed: the future is polled after each frame that comes and each time-out,
    /// and `ethercrab` waits for nothing else.
    pub fn complete<F: Future>(&mut self, future: F) -> F::Output {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            self.timers.begin(self.wire.now());
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
            self.send_all();
            self.await_progress();
        }
    }

    fn send_all(&mut self) {
        while let Some(frame) = self.tx.next_sendable_frame() {
            let wire = &mut self.wire;
            // Refused only where fewer bytes are said to be sent than there are.
            let _ = frame.send_blocking(|bytes| {
                wire.send(bytes);
                Ok(bytes.len())
            });
        }
    }

    fn await_progress(&mut self) {
        let until = self.timers.next();
        while !self.receive_all() && self.wire.now() < until {
            self.wire.wait(until);
        }
    }

    /// Takes what has come; whether there was anything.
    fn receive_all(&mut self) -> bool {
        let mut any = false;
        while let Some(frame) = self.wire.receive() {
            any = true;
            if self.rx.receive_frame(frame).is_err() {
                self.strays = self.strays.saturating_add(1);
            }
        }
        any
    }
}

impl<W> Drop for Bus<W> {
    fn drop(&mut self) {
        self.timers.release();
    }
}
