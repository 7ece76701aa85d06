//! Owns: functions that wait to be called in the timers' task. Must never know: what they do.

use super::{Base, prepare, truth};
use crate::cmsis::interface;
use crate::object::Memory;
use crate::os::{masked, may_call, os};
use core::cell::Cell;
use core::ffi::c_void;

/// Function that is called.
type Function = unsafe extern "C" fn(*mut c_void, u32);

/// A call that waits, in the heap.
struct Call {
    function: Function,
    first: *mut c_void,
    second: u32,
    next: Cell<Option<&'static Call>>,
}

/// All of them: the first and the last.
pub(crate) struct Pended {
    first: Cell<Option<&'static Call>>,
    last: Cell<Option<&'static Call>>,
}

impl Pended {
    /// None.
    pub const fn new() -> Self {
        Self {
            first: Cell::new(None),
            last: Cell::new(None),
        }
    }

    /// Puts a call after the others; returns whether there was memory for it.
    fn push(&self, function: Function, first: *mut c_void, second: u32) -> bool {
        let new = Memory::hold(Call {
            function,
            first,
            second,
            next: Cell::new(None),
        });
        let Some(new) = new else { return false };
        masked(|| match self.last.replace(Some(new)) {
            Some(last) => last.next.set(Some(new)),
            None => self.first.set(Some(new)),
        });
        true
    }

    fn pop(&self) -> Option<&'static Call> {
        masked(|| {
            let call = self.first.get()?;
            self.first.set(call.next.get());
            if call.next.get().is_none() {
                self.last.set(None);
            }
            Some(call)
        })
    }

    /// Calls all, in the order in which they came.
    pub fn call_all(&self) {
        while let Some(call) = self.pop() {
            let Call {
                function,
                first,
                second,
                ..
            } = *call;
            // SAFETY: `push` has it from the heap, and it is in no list any more; the function is
            // the program's, with what it gave.
            unsafe {
                Memory::let_go(call);
                function(first, second);
            }
        }
    }
}

interface! {
    /// Makes the timers' task call a function with two words, after the calls that are pended
    /// already. 0 without memory, without a function, and above the kernel's level. Allowed in
    /// handlers.
    fn taktos_freertos_pend(function: Option<Function>, first: *mut c_void, second: u32) -> Base {
        let Some(function) = function.filter(|_| may_call()) else {
            return truth(false);
        };
        prepare();
        let is_pended = os().pended.push(function, first, second);
        os().clock.wake();
        truth(is_pended)
    }
}
