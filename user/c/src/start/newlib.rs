//! Owns: what newlib needs of a system, where it is linked and the program has nothing of its own:
//! memory and an end; and the calls on processes, of which there is one. Must never know: what the
//! program does with it.

use crate::posix::errno::Errno;
use core::ffi::{c_int, c_void};

#[unsafe(no_mangle)]
extern "C" fn taktos_no_process() -> c_int {
    -1
}

#[unsafe(no_mangle)]
extern "C" fn taktos_one() -> c_int {
    1
}

/// Memory at a multiple of `alignment`, which `free` takes back (POSIX `posix_memalign`). Errors:
/// `EINVAL`, for what is no power of two or no multiple of a pointer; `ENOMEM`.
///
/// # Safety
/// An address can be written at `place`.
#[unsafe(no_mangle)]
unsafe extern "C" fn taktos_posix_memalign(
    place: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    unsafe extern "C" {
        fn memalign(alignment: usize, size: usize) -> *mut c_void;
    }
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return Errno::INVAL.0;
    }
    // SAFETY: newlib's function, with the arguments that it requires.
    let memory = unsafe { memalign(alignment, size) };
    if memory.is_null() {
        return Errno::NOMEM.0;
    }
    // SAFETY: the caller guarantees that `place` is writable.
    unsafe { place.write(memory) };
    0
}

/// Does nothing: the compiler's start-up files name it for constructors in the old form.
#[unsafe(no_mangle)]
extern "C" fn taktos_nothing() {}

unsafe extern "C" {
    /// Ends the program: its own function, or what is named so below.
    fn _exit(status: c_int) -> !;
}

/// Ends the program.
pub fn end(status: c_int) -> ! {
    // SAFETY: it takes any status.
    unsafe { _exit(status) }
}

names! {
    "_sbrk" = "taktos_sbrk",
    "_exit" = "taktos_exit",
    "_kill" = "taktos_no_process",
    "_link" = "taktos_no_process",
    "_execve" = "taktos_no_process",
    "_fork" = "taktos_no_process",
    "_wait" = "taktos_no_process",
    "_times" = "taktos_no_process",
    "_getpid" = "taktos_one",
    "posix_memalign" = "taktos_posix_memalign",
    "_gettimeofday" = "taktos_posix_time_of_day",
    "_init" = "taktos_nothing",
    "_fini" = "taktos_nothing",
}
