//! Files, in memory: a tree of directories and files in the heap of the kernel's objects, and the
//! descriptors by which a program uses them (IEEE Std 1003.1-2017; of what the profile PSE52 of
//! 1003.13 has: directories, and the calls on descriptors).
//!
//! Each function does what the standard's page on it says; what is said here is what the standard
//! leaves open. C's names are weak: a program that has its own `write` keeps it. newlib's functions
//! (`fopen` and so on) come here by theirs (`_open`).
//!
//! A thread that uses the tree excludes others that do so, by a lock that inherits priorities, and
//! nothing is masked. A call on a path takes steps for each entry of the directories on the path;
//! one on a file's contents takes steps for each 512 bytes that it reads, writes or frees.

mod contents;
mod descriptor;
mod directory;
mod node;
mod open;
mod path;
mod paths;
mod select;
mod status;

use super::errno::Errno;
use crate::os::in_handler;
use crate::turn::Turn;

/// A place in a file, and a size: `off_t`.
type Offset = core::ffi::c_long;

/// Turn of the thread that uses the tree or a descriptor.
static TURN: Turn = Turn::new();

/// Runs `body` while no other thread uses files. Errors: `EPERM` in a handler of an interrupt, and
/// those of `body`.
fn in_turn<T>(body: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
    begin()?;
    let result = body();
    end();
    result
}

/// Takes the turn. Errors: `EPERM` in a handler of an interrupt. Not part of each call: the code of
/// the kernel's mutex is large.
#[inline(never)]
fn begin() -> Result<(), Errno> {
    if in_handler() {
        return Err(Errno::PERM);
    }
    TURN.take();
    Ok(())
}

#[inline(never)]
fn end() {
    TURN.end();
}

/// Returns the result of a call that returns a number of this type: −1 with `errno` for an error.
fn number<T: From<i8>>(result: Result<T, Errno>) -> T {
    result.unwrap_or_else(|error| {
        failed(error);
        T::from(-1)
    })
}

#[cold]
#[inline(never)]
fn failed(error: Errno) {
    error.set();
}
