//! Owns: how signals are sent, and which thread gets them. Must never know: what is done about
//! them.

use super::super::cancel::end_wait;
use super::super::errno::Errno;
use super::super::thread::{PosixThread, living};
use super::super::{code, minus_one};
use super::action::{deliver, end_if_fatal, is_due, is_ignored};
use super::pending::Node;
use super::{BY_QUEUE, BY_USER, FIRST_QUEUED, Info, Set, bit, only};
use crate::cmsis::interface;
use crate::cmsis::thread::{OsThread, for_each_living};
use crate::object::Id;
use crate::os::{in_handler, masked, os};
use core::ffi::{c_int, c_void};
use core::ptr;

/// The only process.
pub(in super::super) const PROCESS: c_int = 1;

/// Target of a signal.
#[derive(Clone, Copy)]
pub enum Target {
    /// A thread.
    Thread(&'static OsThread),
    /// Whichever thread waits for it or lets it through.
    Program,
}

/// Whether a thread waits for the signal, and whether it lets it through.
fn attitude(thread: &'static OsThread, signal: Set) -> (bool, bool) {
    PosixThread::of(thread).map_or((false, false), |posix| {
        let signals = &posix.signals;
        (
            signals.awaited.get() & signal != 0,
            signals.blocked.get() & signal == 0,
        )
    })
}

/// Whether a thread is in a wait that signals end.
fn is_waiting(thread: &'static OsThread) -> bool {
    PosixThread::of(thread)
        .is_some_and(|posix| posix.is_at_point.get() || posix.takes_signals.get())
}

/// The thread that gets a signal to the program: one that waits for it, else the caller, else one
/// that waits, else another one.
fn receiver(signal: Set) -> Option<&'static OsThread> {
    let (mut waits, mut can_at_once, mut lets_through) = (None, None, None);
    masked(|| {
        for_each_living(|thread| match attitude(thread, signal) {
            (true, _) => waits = Some(thread),
            (false, true) if is_waiting(thread) => can_at_once = Some(thread),
            (false, true) => lets_through = Some(thread),
            _ => {}
        });
    });
    let caller = OsThread::current().filter(|caller| attitude(caller, signal).1);
    waits.or(caller).or(can_at_once).or(lets_through)
}

/// Sends a signal: it is pending, and the thread that is to take it is woken. Steps: the pending
/// signals, and the threads.
pub fn send(node: &'static Node, target: Target) {
    let number = node.info().number;
    let signal = bit(number);
    let thread = match target {
        Target::Thread(thread) => Some(thread),
        Target::Program => receiver(signal),
    };
    let (waits, lets_through) = thread.map_or((false, false), |thread| attitude(thread, signal));
    if lets_through && !waits {
        end_if_fatal(number);
        if is_ignored(number) {
            return node.ignore();
        }
    }
    let signals = &os().posix.signals;
    match (target, thread.and_then(PosixThread::of)) {
        (Target::Thread(_), Some(posix)) => posix.signals.pending.add(node),
        _ => signals.pending.add(node),
    }
    if let Some(thread) = thread
        && (waits || lets_through)
    {
        wake(thread);
    }
}

/// Makes a thread check its signals.
fn wake(thread: &'static OsThread) {
    let Some(posix) = PosixThread::of(thread) else {
        return;
    };
    if OsThread::current().is_some_and(|caller| ptr::eq(caller, thread)) {
        deliver(posix);
        return;
    }
    if !is_waiting(thread) {
        os().posix.signals.postponed.set(true);
    }
    let pending = || posix.signals.pending.set() | os().posix.signals.pending.set();
    end_wait(thread.handle(), || {
        is_waiting(thread) && (is_due(posix) || pending() & posix.signals.awaited.get() != 0)
    });
}

/// Whether a signal that is not queued is pending already.
fn is_pending(target: Target, signal: Set) -> bool {
    let pending = match target {
        Target::Thread(thread) => {
            PosixThread::of(thread).map_or(0, |posix| posix.signals.pending.set())
        }
        Target::Program => os().posix.signals.pending.set(),
    };
    pending & signal != 0
}

/// Sends a signal of the program's. Errors: `EINVAL` for what is none, `EAGAIN` without memory.
fn send_new(target: Target, number: c_int, code: c_int, value: *mut c_void) -> Result<(), Errno> {
    if number == 0 {
        return Ok(());
    }
    let signal = only(number).ok_or(Errno::INVAL)?;
    if number < FIRST_QUEUED && is_pending(target, signal) {
        return Ok(());
    }
    let info = Info::new(number, code, value);
    send(Node::allocate(info).ok_or(Errno::AGAIN)?, target);
    Ok(())
}

/// Sends a signal to the program. Errors: `ESRCH` where it is another process that is meant;
/// `EPERM` in a handler of an interrupt.
pub(in super::super) fn send_to_program(
    number: c_int,
    code: c_int,
    value: *mut c_void,
) -> Result<(), Errno> {
    match in_handler() {
        true => Err(Errno::PERM),
        false => send_new(Target::Program, number, code, value),
    }
}

fn is_program(process: c_int) -> Result<(), Errno> {
    match process {
        0 | PROCESS => Ok(()),
        _ => Err(Errno::SRCH),
    }
}

/// Sends a signal to a thread. Errors: `ESRCH`, `EINVAL`, `EAGAIN`; `EPERM` in a handler of an
/// interrupt.
///
/// # Safety
/// As for [`Id::get`].
unsafe fn send_to_thread(id: Id, number: c_int) -> Result<(), Errno> {
    if in_handler() {
        return Err(Errno::PERM);
    }
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let thread = unsafe { living(id) }?;
    if number != 0 && only(number).is_none() {
        return Err(Errno::INVAL);
    }
    PosixThread::of_or_new(thread).ok_or(Errno::AGAIN)?;
    send_new(Target::Thread(thread), number, BY_USER, ptr::null_mut())
}

interface! {
    /// Sends a signal to a thread; 0 only checks whether it is there. `ESRCH`, `EINVAL`; `EPERM` in
    /// a handler of an interrupt.
    fn pthread_kill(id: Id, number: c_int) -> c_int {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        code(unsafe { send_to_thread(id, number) })
    }

    /// Sends a signal to the program, which is the process 1.
    fn kill(process: c_int, number: c_int) -> c_int {
        minus_one(is_program(process).and_then(|()| send_to_program(number, BY_USER, ptr::null_mut())))
    }

    /// Sends a signal to the process with a value: signals from `SIGRTMIN` on are queued.
    fn sigqueue(process: c_int, number: c_int, value: *mut c_void) -> c_int {
        minus_one(is_program(process).and_then(|()| send_to_program(number, BY_QUEUE, value)))
    }

    /// Sends a signal to the caller.
    fn raise(number: c_int) -> c_int {
        match OsThread::current() {
            // SAFETY: a thread's id.
            Some(thread) => minus_one(unsafe { send_to_thread(Id::of(thread), number) }),
            None => minus_one(send_to_program(number, BY_USER, ptr::null_mut())),
        }
    }

    /// The number of the only process.
    fn getpid() -> c_int {
        PROCESS
    }
}
