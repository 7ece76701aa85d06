//! Owns: the threads that call the program's functions of their own accord, where its settings name
//! some: at each tick, and while no task runs. Must never know: what those functions do.

use super::configuration::configuration;
use crate::cmsis::thread::{self, Entry, OsThread, ThreadAttributes};
use crate::object::{Attributes, Id, Object};
use crate::os::{TICK, ticks};
use core::ffi::{CStr, c_void};
use core::ptr;
use taktos::board::Board;
use taktos::{AnyThread, Instant, Priority, Timeout};

/// Below all tasks, and above the kernel's own idle thread.
const BELOW_ALL: Option<Priority> = Priority::new(57);

/// Makes the threads that the configuration requests, in addition to those with which the program
/// starts.
pub fn start() {
    if configuration().tick.is_some() {
        make(c"tick hook", call_each_tick, Some(Priority::MOST_URGENT));
    }
    if configuration().idle.is_some() {
        make(c"idle hook", call_for_ever, BELOW_ALL);
    }
    if configuration().stack_overflow.is_some() {
        taktos_kernel::fault::on_stack_overflow::<Board>(overflowed);
    }
}

/// A thread of a level that no task has.
fn make(name: &'static CStr, entry: Entry, level: Option<Priority>) {
    let attributes = ThreadAttributes {
        stack_size: configuration().hook_stack,
        priority: thread::NORMAL,
        base: Attributes {
            name: name.as_ptr(),
            ..Attributes::NONE
        },
        ..ThreadAttributes::NONE
    };
    let made = thread::make(entry, ptr::null_mut(), &attributes);
    if let (Some(thread), Some(level)) = (made, level) {
        let _ = thread.handle().set_priority(level);
    }
}

/// Calls the function of each tick when the tick begins; those that are late, one after the other.
unsafe extern "C" fn call_each_tick(_: *mut c_void) {
    let mut tick = ticks();
    loop {
        tick += 1;
        // No thread ends this wait early; after it, the next reading of the clock is right.
        let _ = AnyThread::<Board>::sleep(Timeout::until(Instant::from_nanos(tick * TICK)));
        if let Some(call) = configuration().tick {
            call();
        }
    }
}

/// Calls the function of the idle time.
unsafe extern "C" fn call_for_ever(_: *mut c_void) {
    loop {
        if let Some(call) = configuration().idle {
            call();
        }
    }
}

/// Reports to the program the thread that has overflowed its stack.
fn overflowed() {
    if let (Some(call), Some(thread)) = (configuration().stack_overflow, OsThread::current()) {
        call(Id::of(thread), thread.head().name());
    }
}
