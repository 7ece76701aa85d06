//! Owns: the action for a signal: nothing, the program's end, or a call of a handler. Must never
//! know: its sender.

use super::super::errno::Errno;
use super::super::minus_one;
use super::super::thread::PosixThread;
use super::pending::Got;
use super::wait::{hold_back, is_blocked};
use super::{Info, KILL, LAST, STOP, Set, bit, only};
use crate::cmsis::interface;
use crate::object::Memory;
use crate::os::{in_handler, masked, os};
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::{mem, ptr};
use taktos::board::Board;
use taktos::{Error, System};

/// Handler, as C has it: an address, or one of two numbers.
type Handler = usize;
/// `SIG_DFL`, `SIG_IGN`, `SIG_HOLD` and `SIG_ERR`.
const DEFAULT: Handler = 0;
const IGNORE: Handler = 1;
const HOLD: Handler = 2;
const ERROR: Handler = usize::MAX;

/// The flags of an action: the handler gets the signal's information; the signal is not blocked in
/// it; the action is for one signal; waits of semaphores and message queues continue after it.
const TELLS: c_int = 2;
const NO_DEFER: c_int = 4;
const ONCE: c_int = 8;
const RESTARTS: c_int = 16;
/// Status of a program that signal n ends, less n, as shells report it.
const ENDED: c_int = 128;
/// The signals that are ignored by default: `SIGURG`, `SIGCONT`, `SIGCHLD`; and those that stop a
/// program, which cannot be stopped.
const IGNORED: [c_int; 7] = [16, STOP, 18, 19, 20, 21, 22];

/// `struct sigaction`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Action {
    handler: Handler,
    blocked: Set,
    flags: c_int,
}

impl Action {
    const DEFAULT: Self = Self {
        handler: DEFAULT,
        blocked: 0,
        flags: 0,
    };
}

/// Those of all signals, which take memory when the first one is set.
pub struct Actions([Cell<Action>; LAST as usize]);

fn of(number: c_int) -> Action {
    let actions = os().posix.signals.actions.get();
    actions.map_or(Action::DEFAULT, |actions| {
        actions.0[number as usize - 1].get()
    })
}

/// Returns the place of a signal's action. Errors: `ENOMEM`.
fn place(number: c_int) -> Result<&'static Cell<Action>, Errno> {
    let actions = &os().posix.signals.actions;
    if actions.get().is_none() {
        let new = Actions([const { Cell::new(Action::DEFAULT) }; LAST as usize]);
        actions.set(Some(Memory::hold(new).ok_or(Errno::NOMEM)?));
    }
    let actions = actions.get().ok_or(Errno::NOMEM)?;
    Ok(&actions.0[number as usize - 1])
}

/// Whether nothing is done about a signal.
pub fn is_ignored(number: c_int) -> bool {
    match of(number).handler {
        IGNORE => true,
        DEFAULT => IGNORED.contains(&number),
        _ => false,
    }
}

/// Ends the program where that is what is done about a signal.
pub fn end_if_fatal(number: c_int) {
    if of(number).handler == DEFAULT && !IGNORED.contains(&number) {
        // The functions that the program registered for its end (`atexit`) are not called.
        Board::exit(ENDED + number);
    }
}

/// Does what is to be done about a signal that the calling thread has got; says whether a handler
/// was called.
fn perform(thread: &'static PosixThread, got: Got) -> bool {
    let mut info = got.info;
    got.settle();
    end_if_fatal(info.number);
    if is_ignored(info.number) {
        return false;
    }
    let action = of(info.number);
    if action.flags & ONCE != 0
        && let Ok(place) = place(info.number)
    {
        place.set(Action::DEFAULT);
    }
    let own = if action.flags & NO_DEFER != 0 {
        0
    } else {
        bit(info.number)
    };
    let blocked = &thread.signals.blocked;
    let before = blocked.replace(blocked.get() | action.blocked | own);
    let errno = super::super::errno::current();
    // SAFETY: the program gave it for this.
    unsafe { call(action, &mut info) };
    errno.set();
    blocked.set(before);
    if action.flags & RESTARTS == 0 {
        thread.signals.interrupted.set(true);
    }
    true
}

/// Calls the handler.
///
/// # Safety
/// It is one, and of the kind that its flags say.
unsafe fn call(action: Action, info: &mut Info) {
    type Plain = unsafe extern "C" fn(c_int);
    type Told = unsafe extern "C" fn(c_int, *mut Info, *mut c_void);
    let address = ptr::with_exposed_provenance::<()>(action.handler);
    // SAFETY: the caller guarantees that `action` has a handler, of the kind that its flags say.
    unsafe {
        match action.flags & TELLS {
            0 => mem::transmute::<*const (), Plain>(address)(info.number),
            _ => mem::transmute::<*const (), Told>(address)(info.number, info, ptr::null_mut()),
        }
    }
}

/// Does what is to be done about the signals that the calling thread lets through; says whether a
/// handler was called.
pub fn deliver(thread: &'static PosixThread) -> bool {
    let mut called = false;
    loop {
        let wanted = !thread.signals.blocked.get();
        let own = thread.signals.pending.take(wanted);
        let Some(got) = own.or_else(|| os().posix.signals.pending.take(wanted)) else {
            return called;
        };
        called |= perform(thread, got);
    }
}

/// Makes a wait, and makes it again if only handlers ended it after which it continues
/// (`SA_RESTART`).
pub fn restarting<T>(mut wait: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    loop {
        let thread = PosixThread::current();
        if let Some(thread) = thread {
            thread.signals.interrupted.set(false);
        }
        let result = wait();
        let goes_on = thread.is_some_and(|thread| !thread.signals.interrupted.get());
        if !matches!(result, Err(Error::Cancelled)) || !goes_on {
            return result;
        }
    }
}

/// Begins a call that does not wait: runs handlers for signals that came while its thread computed.
pub fn at_call() {
    let postponed = &os().posix.signals.postponed;
    if postponed.get()
        && let Some(thread) = PosixThread::current()
        && is_due(thread)
    {
        postponed.set(false);
        deliver(thread);
    }
}

/// Whether there are signals for a thread that it lets through.
pub fn is_due(thread: &PosixThread) -> bool {
    let pending = thread.signals.pending.set() | os().posix.signals.pending.set();
    pending & !thread.signals.blocked.get() != 0
}

fn set(number: c_int, new: Action) -> Result<(), Errno> {
    if in_handler() {
        return Err(Errno::PERM);
    }
    let place = place(number)?;
    masked(|| place.set(new));
    Ok(())
}

/// Whether a signal's action can be set.
fn can_be_set(number: c_int) -> bool {
    only(number).is_some() && !matches!(number, KILL | STOP)
}

interface! {
    /// Says what is to be done about a signal, and what was before. `EINVAL` for what is none, and
    /// for those that cannot be caught; `EPERM` in a handler of an interrupt.
    fn sigaction(number: c_int, new: *const Action, old: *mut Action) -> c_int {
        // SAFETY: the caller guarantees that `new` is null or valid.
        let new = unsafe { new.as_ref() }.copied();
        if only(number).is_none() || (new.is_some() && !can_be_set(number)) {
            return minus_one(Err(Errno::INVAL));
        }
        let before = of(number);
        let done = new.map_or(Ok(()), |new| set(number, new));
        if done.is_ok() && !old.is_null() {
            // SAFETY: the caller guarantees that `old` is writable.
            unsafe { old.write(before) };
        }
        minus_one(done)
    }

    /// Ignores a signal.
    fn sigignore(number: c_int) -> c_int {
        minus_one(match can_be_set(number) {
            true => set(number, Action { handler: IGNORE, ..Action::DEFAULT }),
            false => Err(Errno::INVAL),
        })
    }

    /// Says what is done about a signal and lets it through, or with `SIG_HOLD` does not let it
    /// through any more. Gives the handler before, or `SIG_HOLD` where it was not let through;
    /// `SIG_ERR` for what is none or cannot be caught.
    fn sigset(number: c_int, handler: Handler) -> Handler {
        let change = || {
            if !can_be_set(number) {
                return Err(Errno::INVAL);
            }
            let before = if is_blocked(number)? { HOLD } else { of(number).handler };
            match handler {
                HOLD => hold_back(number, true)?,
                _ => {
                    set(number, Action { handler, ..Action::DEFAULT })?;
                    hold_back(number, false)?;
                }
            }
            Ok(before)
        };
        change().unwrap_or_else(|error| {
            error.set();
            ERROR
        })
    }

    /// Sets a handler and no more. Returns the one before, or `SIG_ERR`.
    fn signal(number: c_int, handler: Handler) -> Handler {
        if !can_be_set(number) {
            Errno::INVAL.set();
            return ERROR;
        }
        let before = of(number).handler;
        match set(number, Action { handler, ..Action::DEFAULT }) {
            Ok(()) => before,
            Err(error) => {
                error.set();
                ERROR
            }
        }
    }
}
