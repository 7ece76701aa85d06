//! Owns: how a program is notified of an event: `struct sigevent`. Must never know: the event.

use super::super::attributes::Attributes;
use super::super::errno::Errno;
use super::super::thread::{Start, start};
use super::pending::Node;
use super::send::{Target, send};
use super::{Info, only};
use crate::os::os;
use core::ffi::{c_int, c_void};
use core::mem;

/// `SIGEV_NONE`, `SIGEV_SIGNAL` and `SIGEV_THREAD`.
const NONE: c_int = 1;
const SIGNAL: c_int = 2;
const THREAD: c_int = 3;

type Function = unsafe extern "C" fn(*mut c_void);

/// `struct sigevent`.
#[repr(C)]
pub struct Event {
    notify: c_int,
    number: c_int,
    value: *mut c_void,
    function: Option<Function>,
    attributes: *const Attributes,
}

/// Kind of the notice.
pub enum Notice {
    /// Not at all.
    None,
    /// By a signal.
    Signal(Node),
    /// By a thread that calls a function.
    Thread(Function, *mut c_void, Attributes),
}

impl Notice {
    /// The signal, with a value and a code that says where it comes from, of a timer if there is
    /// one. Errors: `EINVAL` where it is none.
    pub fn signal(
        number: c_int,
        code: c_int,
        value: *mut c_void,
        timer: *mut c_void,
    ) -> Result<Self, Errno> {
        only(number).ok_or(Errno::INVAL)?;
        let info = Info::new(number, code, value);
        Ok(Self::Signal(Node::of_timer(info, timer)))
    }

    /// Returns the notice that a program requests. Errors: `EINVAL`.
    ///
    /// # Safety
    /// The event's attributes are null or lead to attributes.
    pub unsafe fn of(event: &Event, code: c_int, timer: *mut c_void) -> Result<Self, Errno> {
        match (event.notify, event.function) {
            (NONE, _) => Ok(Self::None),
            (SIGNAL, _) => Self::signal(event.number, code, event.value, timer),
            (THREAD, Some(function)) => {
                // SAFETY: the caller guarantees that `event.attributes` is null or valid.
                let attributes = match unsafe { event.attributes.as_ref() } {
                    None => Attributes::NEW,
                    Some(attributes) if attributes.is_alive() => *attributes,
                    Some(_) => return Err(Errno::INVAL),
                };
                Ok(Self::Thread(
                    function,
                    event.value,
                    attributes.of_notifier(),
                ))
            }
            _ => Err(Errno::INVAL),
        }
    }

    /// Gives the notice. A signal that was not got since the last time is not sent again. Without
    /// memory for a thread, no notice is given.
    pub fn give(&'static self) {
        match self {
            Self::None => {}
            Self::Signal(node) if node.is_pending() => {}
            Self::Signal(node) => send(node, Target::Program),
            Self::Thread(function, value, attributes) => {
                // SAFETY: it is called as a thread's function is. No code takes the result that it
                // does not return, since no thread joins the thread.
                let function = unsafe { mem::transmute::<Function, Start>(*function) };
                let _ = start(function, *value, attributes);
            }
        }
    }

    /// Gives a notice that is freed when it was given. A signal for which there is no memory is not
    /// sent.
    pub fn give_once(&'static self) {
        match self {
            Self::Signal(node) => {
                if let Some(node) = Node::allocate(node.info()) {
                    send(node, Target::Program);
                }
            }
            _ => self.give(),
        }
    }

    /// Withdraws its signal, so that no thread gets it any more.
    pub fn withdraw(&'static self) {
        if let Self::Signal(node) = self {
            os().posix.signals.pending.remove(node);
        }
    }
}
