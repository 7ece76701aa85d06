//! Owns: `select`. Must never know: what a descriptor leads to.

use super::super::clock::{TimeValue, sleep_for};
use super::super::errno::Errno;
use super::super::system::DESCRIPTORS;
use super::descriptor::is_open;
use super::number;
use crate::cmsis::interface;
use crate::os::in_handler;
use core::ffi::c_int;

/// A set of descriptors (`fd_set`), a bit for each.
type Set = u64;

const _: () = assert!(DESCRIPTORS == Set::BITS as usize);

/// Returns those of a set that are below `count`. Errors: `EBADF` if one of them is not open.
///
/// # Safety
/// The address is null or leads to a set.
unsafe fn requested(set: *const Set, count: u32) -> Result<Set, Errno> {
    if set.is_null() {
        return Ok(0);
    }
    let below = Set::MAX.checked_shl(count).map_or(Set::MAX, |above| !above);
    // SAFETY: the caller guarantees that `set` is valid; in C it is of words, which need not be at
    // a multiple of all of it.
    let set = unsafe { set.read_unaligned() } & below;
    let is_wrong = |bit: &u32| set & 1 << bit != 0 && !is_open(*bit as c_int);
    match (0..count).find(is_wrong) {
        Some(_) => Err(Errno::BADF),
        None => Ok(set),
    }
}

/// # Safety
/// The addresses are null or lead to what `select` wants.
unsafe fn select(count: c_int, sets: [*mut Set; 3], time: *mut TimeValue) -> Result<c_int, Errno> {
    let count = u32::try_from(count)
        .ok()
        .filter(|count| *count <= Set::BITS);
    let count = count.ok_or(Errno::INVAL)?;
    let mut ready = [0; 3];
    for (ready, set) in ready.iter_mut().zip(sets) {
        // SAFETY: the caller guarantees that `set` is null or valid.
        *ready = unsafe { requested(set, count) }?;
    }
    // No error waits to be seen.
    ready[2] = 0;
    if ready == [0; 3] {
        // SAFETY: the caller guarantees that `time` is null or valid.
        let time = unsafe { time.as_ref() };
        sleep_for(time.map_or(Ok(i64::MAX), TimeValue::whole)?, |_| ())?;
    }
    for (ready, set) in ready.iter().zip(sets).filter(|(_, set)| !set.is_null()) {
        // SAFETY: the caller guarantees that `set` is writable.
        unsafe { set.write_unaligned(*ready) };
    }
    Ok(ready.iter().map(|ready| ready.count_ones() as c_int).sum())
}

interface! {
    /// `select`. Files and the console never make a program wait: all of them that it asks for can
    /// be read and written at once. If it asks for none, the call waits for the time, or without
    /// one for a signal; it is a point of cancellation then. `EBADF`, `EINTR`, `EINVAL`; `EPERM` in
    /// a handler of an interrupt.
    fn taktos_select(count: c_int, reads: *mut Set, writes: *mut Set, errors: *mut Set, time: *mut TimeValue) -> c_int {
        number(match in_handler() {
            true => Err(Errno::PERM),
            // SAFETY: the contract of this function is that of the other.
            false => unsafe { select(count, [reads, writes, errors], time) },
        })
    }
}

#[cfg(target_os = "none")]
names! {
    "select" = "taktos_select",
}
