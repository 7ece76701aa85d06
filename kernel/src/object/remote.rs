//! Remote calls: a function of a server thread is called by number, with bytes in and bytes out.
//!
//! Owns: which side has the bytes of a call, and how the server finds the call of a message.
//! Must never know: the purpose of the functions, how calls and replies switch threads.
//!
//! The kernel's call and reply carry the switch, the priority that the caller lends, the time-out
//! and the end of either side. The bytes are in the [`RemoteCall`], a static, which belongs to the
//! caller or to the server in turn. So the caller copies them in and out with interrupts let in,
//! whatever their number, and the server works on them in place. If the caller's time is over, the
//! server has the bytes until it is done with them.
#![expect(
    unsafe_code,
    reason = "bytes that belong to one of two threads in turn"
)]

use crate::critical_section::{CriticalSection, Guarded};
use crate::sched::hold;
use crate::thread::AnyThread;
use crate::thread::tcb::ThreadRef;
use crate::{Error, Kernel, Message, System, Timeout};
use core::cell::UnsafeCell;
use core::ptr;
use taktos_machine::Machine;

/// A function of a server: the bytes of the call, of which the first `length` are what the caller
/// passed. The answer is how many of the bytes the caller gets, from the first on, or with which
/// error its call fails.
pub type RemoteFunction = fn(bytes: &mut [u8], length: usize) -> Result<usize, Error>;

/// A link to a call.
type Link<S> = Guarded<Option<&'static Slot<S>>>;

/// The functions of one server thread: whichever calls [`RemoteServer::serve`]. Made to be a
/// static.
pub struct RemoteServer<S: System> {
    functions: &'static [RemoteFunction],
    thread: Guarded<Option<ThreadRef>>,
    calls: Link<S>,
}

/// The side that has a call's bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    /// Neither side's.
    Nobody,
    /// The client's: it fills them, or gets its answer.
    Client,
    /// Neither side's, until the server comes to the call.
    Queued,
    /// The server's.
    Server,
    /// The server's; its client is gone.
    Abandoned,
    /// Neither side's, until the client has its answer.
    Answered,
}

/// The part of a call that the server reads, for all sizes.
struct Slot<S: System> {
    holder: Guarded<Holder>,
    client: Guarded<Option<ThreadRef>>,
    function: Guarded<usize>,
    length: Guarded<usize>,
    answer: Guarded<Result<usize, Error>>,
    /// The bytes of the call that this is in; none until it is linked.
    bytes: Guarded<Option<*mut [u8]>>,
    next: Link<S>,
    linked: Guarded<bool>,
}

// SAFETY: all is reached in a section; the pointer names bytes of a static.
unsafe impl<S: System> Sync for Slot<S> {}

/// A caller of the functions of a [`RemoteServer`], with at most `N` bytes in and `N` out; one call
/// at a time. Made to be a static: one for each client, or one that clients take in turn.
pub struct RemoteCall<S: System, const N: usize> {
    server: &'static RemoteServer<S>,
    slot: Slot<S>,
    bytes: UnsafeCell<[u8; N]>,
}

// SAFETY: the bytes are reached only by the side that the slot's holder names, which changes in
// sections.
unsafe impl<S: System, const N: usize> Sync for RemoteCall<S, N> {}

impl<S: System> RemoteServer<S> {
    /// Creates a server of `functions`. Their numbers are their places, from 0.
    pub const fn new(functions: &'static [RemoteFunction]) -> Self {
        Self {
            functions,
            thread: Guarded::new(None),
            calls: Guarded::new(None),
        }
    }

    /// Serves calls in the calling thread, one after the other, the most urgent client first: each
    /// with the priority of its client, if that is the more urgent one. Comes back with the
    /// error that ended the wait for calls. A thread is the server of one `RemoteServer`, and
    /// receives no other messages.
    ///
    /// Errors: `State` where another thread serves; `Cancelled`; `Context` in an interrupt handler.
    pub fn serve(&'static self) -> Error {
        if S::Machine::in_interrupt() {
            return Error::Context;
        }
        if !self.begin() {
            return Error::State;
        }
        let error = self.serve_until_error();
        let held = hold::<S>();
        self.thread.set(held.section(), None);
        error
    }

    fn serve_until_error(&'static self) -> Error {
        let mut received = AnyThread::<S>::receive(Timeout::FOREVER);
        loop {
            let (client, wants_reply) = match received {
                Ok(message) => (message.sender, message.wants_reply),
                Err(error) => return error,
            };
            if wants_reply && self.work_for(client.reference()) {
                let answered = client.reply_and_receive(Message::default(), Timeout::FOREVER);
                received = match answered {
                    // The client's time was over while the server worked.
                    Err(Error::State) => AnyThread::receive(Timeout::FOREVER),
                    other => other,
                };
            } else {
                // A message that is no remote call: its sender would wait for ever.
                let _ = client.reply(Message([Error::Parameter as usize; 2]));
                received = AnyThread::receive(Timeout::FOREVER);
            }
        }
    }

    /// Makes the calling thread the server, unless another one is. Calls that an ended server has
    /// left are neither side's then.
    fn begin(&'static self) -> bool {
        let held = hold::<S>();
        let cs = held.section();
        let current = Kernel::<S>::running().current(cs);
        let serves = |thread: &ThreadRef| *thread != current && thread.was_started(cs);
        if self.thread.get(cs).filter(serves).is_some() {
            return false;
        }
        self.thread.set(cs, Some(current));
        self.each_call(cs, |slot| match slot.holder.get(cs) {
            Holder::Abandoned => slot.holder.set(cs, Holder::Nobody),
            Holder::Server => slot.holder.set(cs, Holder::Answered),
            _ => {}
        });
        true
    }

    /// Does what `client`, which waits for the reply, has called; says whether it has called
    /// anything.
    fn work_for(&'static self, client: ThreadRef) -> bool {
        let Some((slot, mut bytes)) = self.take(client) else {
            return false;
        };
        let (number, length) = {
            let held = hold::<S>();
            let cs = held.section();
            (slot.function.get(cs), slot.length.get(cs))
        };
        // SAFETY: the holder is the server from `take` to `give_back`, so no other code reaches the
        // bytes, which are those of a static.
        let bytes = unsafe { bytes.as_mut() };
        let answer = match self.functions.get(number) {
            Some(function) => function(bytes, length).map(|length| length.min(bytes.len())),
            None => Err(Error::Parameter),
        };
        slot.give_back(answer);
        true
    }

    /// Returns the call of `client` that waits for the server, which has its bytes then. A call
    /// that was answered before does not count, even if its client has called again meanwhile.
    fn take(&'static self, client: ThreadRef) -> Option<(&'static Slot<S>, ptr::NonNull<[u8]>)> {
        let held = hold::<S>();
        let cs = held.section();
        let mut found = None;
        self.each_call(cs, |slot| {
            if slot.client.get(cs) == Some(client) && slot.holder.get(cs) == Holder::Queued {
                found = Some(slot);
            }
        });
        let slot = found?;
        let bytes = ptr::NonNull::new(slot.bytes.get(cs)?)?;
        slot.holder.set(cs, Holder::Server);
        Some((slot, bytes))
    }

    /// Visits each call that was ever made. Steps: these.
    fn each_call(&self, cs: CriticalSection<'_>, mut visit: impl FnMut(&'static Slot<S>)) {
        let mut next = self.calls.get(cs);
        while let Some(slot) = next {
            next = slot.next.get(cs);
            visit(slot);
        }
    }
}

impl<S: System> Slot<S> {
    /// The server is done: the client gets `answer`, if it still waits.
    fn give_back(&self, answer: Result<usize, Error>) {
        let held = hold::<S>();
        let cs = held.section();
        self.answer.set(cs, answer);
        self.holder.set(
            cs,
            match self.holder.get(cs) {
                Holder::Server => Holder::Answered,
                _ => Holder::Nobody,
            },
        );
    }

    /// Returns whether `current` may begin a call: neither side has the bytes, or the client that
    /// had them is gone, or was stopped in its call and is `current` itself.
    fn is_free(&self, cs: CriticalSection<'_>, current: ThreadRef) -> bool {
        match self.holder.get(cs) {
            Holder::Nobody => true,
            Holder::Server | Holder::Abandoned => false,
            Holder::Client | Holder::Queued | Holder::Answered => self
                .client
                .get(cs)
                .is_none_or(|client| client == current || !client.was_started(cs)),
        }
    }
}

impl<S: System, const N: usize> RemoteCall<S, N> {
    /// Creates a caller of the functions of `server`.
    pub const fn new(server: &'static RemoteServer<S>) -> Self {
        Self {
            server,
            slot: Slot {
                holder: Guarded::new(Holder::Nobody),
                client: Guarded::new(None),
                function: Guarded::new(0),
                length: Guarded::new(0),
                answer: Guarded::new(Ok(0)),
                bytes: Guarded::new(None),
                next: Guarded::new(None),
                linked: Guarded::new(false),
            },
            bytes: UnsafeCell::new([0; N]),
        }
    }

    /// Calls the server's function `number` with the bytes `input`, and waits for its answer,
    /// as long as `timeout` says. Returns how many bytes the answer has, of which `output` gets as
    /// many as it has space for. Until then the server has at least the caller's priority.
    ///
    /// Bound if the server waits: that of [`AnyThread::call`], two copies with interrupts let in,
    /// the function, and one step for each `RemoteCall` of the server. Errors: those of the
    /// function; `Timeout`, `WouldBlock`, `Cancelled`; `Deleted` if no thread serves, or it ends
    /// meanwhile; `Parameter` if there is no such function, or `input` has more than `N` bytes;
    /// `InUse` if another thread is in a call, or the server still works on a call that has timed
    /// out; `Deadlock` if the server waits for the caller; `Context` in an interrupt handler.
    pub fn call(
        &'static self,
        number: usize,
        input: &[u8],
        output: &mut [u8],
        timeout: Timeout,
    ) -> Result<usize, Error> {
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        if input.len() > N {
            return Err(Error::Parameter);
        }
        let server = self.claim(number, input.len())?;
        // SAFETY: the holder is this client, from `claim` to `submit`, so no other code reaches the
        // bytes.
        let bytes = unsafe { &mut *self.bytes.get() };
        bytes[..input.len()].copy_from_slice(input);
        self.submit();
        let called = AnyThread::<S>::of(server).call(Message::word(number), timeout);
        let length = self.take_answer(called)?;
        // SAFETY: the holder is this client again, from `take_answer` to `release`.
        let bytes = unsafe { &*self.bytes.get() };
        let copied = length.min(output.len());
        output[..copied].copy_from_slice(&bytes[..copied]);
        self.release();
        Ok(length)
    }

    /// The bytes are the caller's. Names the server.
    fn claim(&'static self, number: usize, length: usize) -> Result<ThreadRef, Error> {
        let held = hold::<S>();
        let cs = held.section();
        let current = Kernel::<S>::running().current(cs);
        let server = self.server.thread.get(cs).ok_or(Error::Deleted)?;
        let slot = &self.slot;
        if !slot.is_free(cs, current) {
            return Err(Error::InUse);
        }
        if !slot.linked.get(cs) {
            let bytes: *mut [u8] = self.bytes.get();
            slot.bytes.set(cs, Some(bytes));
            slot.next.set(cs, self.server.calls.get(cs));
            self.server.calls.set(cs, Some(slot));
            slot.linked.set(cs, true);
        }
        slot.holder.set(cs, Holder::Client);
        slot.client.set(cs, Some(current));
        slot.function.set(cs, number);
        slot.length.set(cs, length);
        Ok(server)
    }

    /// The bytes are for the server.
    fn submit(&'static self) {
        self.slot.holder.set(hold::<S>().section(), Holder::Queued);
    }

    /// Returns the result of the call. The bytes are then the caller's if there is an answer; else
    /// neither side has them, or the server has, if it works on them.
    fn take_answer(&'static self, called: Result<Message, Error>) -> Result<usize, Error> {
        let held = hold::<S>();
        let cs = held.section();
        let slot = &self.slot;
        let result = called.and_then(|_| match slot.holder.get(cs) {
            Holder::Answered => slot.answer.get(cs),
            // The thread that was to serve has answered another way.
            _ => Err(Error::Parameter),
        });
        slot.holder.set(
            cs,
            match slot.holder.get(cs) {
                Holder::Server => Holder::Abandoned,
                _ if result.is_ok() => Holder::Client,
                _ => Holder::Nobody,
            },
        );
        result
    }

    fn release(&'static self) {
        self.slot.holder.set(hold::<S>().section(), Holder::Nobody);
    }
}
