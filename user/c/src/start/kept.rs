//! Owns: the state that newlib's functions keep from one call to the next, for each thread. Must
//! never know: their meaning.

use crate::cmsis::thread::OsThread;
use crate::object::Memory;
use crate::os::in_handler;
use core::cell::{Cell, UnsafeCell};
use core::ffi::{c_char, c_int};
use core::ptr;

/// The state of newlib's functions for one thread.
pub struct Kept {
    /// Place at which `strtok` continues.
    pub token: Cell<*mut c_char>,
    /// Number from which `rand` continues.
    pub random: Cell<u64>,
    /// The result of `localtime` and `gmtime`: a `struct tm`.
    pub time: UnsafeCell<[c_int; 9]>,
    /// The result of `asctime` and `ctime`.
    pub text: UnsafeCell<[c_char; 26]>,
}

// SAFETY: it is one thread's, or that of all handlers, of which none interrupts another one at the
// kernel's level.
unsafe impl Sync for Kept {}

impl Kept {
    /// The state of a thread that has called none of them.
    const fn new() -> Self {
        Self {
            token: Cell::new(ptr::null_mut()),
            random: Cell::new(1),
            time: UnsafeCell::new([0; 9]),
            text: UnsafeCell::new([0; 26]),
        }
    }

    /// Returns the calling thread's, from the heap at the first call. Without a thread, or without
    /// memory, returns the one that all those share.
    pub fn current() -> &'static Self {
        static COMMON: Kept = Kept::new();
        if in_handler() {
            return &COMMON;
        }
        let Some(thread) = OsThread::current() else {
            return &COMMON;
        };
        let own = thread.kept().get().or_else(|| Memory::hold(Self::new()));
        thread.kept().set(own);
        own.unwrap_or(&COMMON)
    }
}
