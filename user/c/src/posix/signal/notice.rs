//! Owns: how a program is told that something has come to pass: `struct sigevent`. Must never know: what it is.

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

/// How it is told.
pub enum Notice {
    /// Not at all.
    None,
    /// By a signal.
    Signal(Node),
    /// By a thread that calls a function.
    Thread(Function, *mut c_void, Attributes),
}

impl Notice {
    /// The signal, with a value and a code that says where it comes from, of a timer if there is one. Errors: `EINVAL` where it is none.
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

    /// What a program asks for. Errors: `EINVAL`.
    ///
    /// # Safety
    /// The event's attributes are null or lead to attributes.
    pub unsafe fn of(event: &Event, code: c_int, timer: *mut c_void) -> Result<Self, Errno> {
        match (event.notify, event.function) {
            (NONE, _) => Ok(Self::None),
            (SIGNAL, _) => Self::signal(event.number, code, event.value, timer),
            (THREAD, Some(function)) => {
                // SAFETY: the caller's promise.
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

    /// Tells it. A signal that was not got since the last time is not sent again. A thread for which there is no memory tells nothing.
    pub fn give(&'static self) {
        match self {
            Self::None => {}
            Self::Signal(node) if node.is_pending() => {}
            Self::Signal(node) => send(node, Target::Program),
            Self::Thread(function, value, attributes) => {
                // SAFETY: it is called as a thread's function is, and what it does not give back nobody takes: nobody joins the thread.
                let function = unsafe { mem::transmute::<Function, Start>(*function) };
                let _ = start(function, *value, attributes);
            }
        }
    }

    /// The same for a notice that goes when it was given. A signal for which there is no memory tells nothing.
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

    /// Nobody gets its signal any more.
    pub fn withdraw(&'static self) {
        if let Self::Signal(node) = self {
            os().posix.signals.pending.remove(node);
        }
    }
}
