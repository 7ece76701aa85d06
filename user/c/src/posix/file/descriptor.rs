//! Owns: descriptors: which number leads to what, and the calls on them. Must never know: what
//! they lead to, but for the console.
//!
//! The first three lead to the console, and stay open. The table of the others is made when the
//! first of them is opened, and the calls on them are reached by it: a program that opens nothing
//! has none of the code of files.

use super::super::code;
use super::super::errno::Errno;
use super::super::system::DESCRIPTORS;
use super::status::Status;
use super::{Offset, in_turn, number};
use crate::cmsis::interface;
use crate::object::Memory;
use crate::start::taktos_write;
use core::cell::Cell;
use core::ffi::{c_int, c_uint};

/// How many of them are the console's.
const OF_CONSOLE: usize = 3;
/// Flags of a descriptor: `O_WRONLY`, `O_RDWR`, the bits that they are in, `O_APPEND`.
pub const WRITES: c_int = 1;
pub const BOTH: c_int = 2;
pub const ACCESS: c_int = 3;
pub const APPENDS: c_int = 0x8;

/// Something that is open. All calls are made in the caller's turn.
pub trait Stream {
    /// Reads up to `count` bytes to `to`, where they can be written.
    ///
    /// # Safety
    /// As said.
    unsafe fn read(&self, to: *mut u8, count: usize) -> Result<usize, Errno>;
    /// Writes up to `count` bytes of those at `from`.
    ///
    /// # Safety
    /// They can be read.
    unsafe fn write(&self, from: *const u8, count: usize) -> Result<usize, Errno>;
    /// Moves the place of the next byte by `by` from the beginning, from there or from the end.
    fn seek(&self, by: Offset, from: c_int) -> Result<Offset, Errno>;
    /// Sets the size.
    fn resize(&self, size: Offset) -> Result<(), Errno>;
    /// Takes the memory for the `count` bytes at `at`.
    fn reserve(&self, at: Offset, count: Offset) -> Result<(), Errno>;
    /// Sets the mode.
    fn set_mode(&self, mode: u32) -> Result<(), Errno>;
    /// Returns the size, the mode and so on.
    fn status(&self) -> Status;
    /// The flags.
    fn flags(&self) -> &Cell<c_int>;
    /// Ends its use.
    fn close(&'static self);
}

/// The streams by their descriptors.
type Table = [Cell<Option<&'static dyn Stream>>; DESCRIPTORS - OF_CONSOLE];

struct Descriptors(Cell<Option<&'static Table>>);

// SAFETY: it is used by one thread at a time, in its turn.
unsafe impl Sync for Descriptors {}

static DESCRIPTORS_OF_PROGRAM: Descriptors = Descriptors(Cell::new(None));

/// Puts a stream at the lowest free descriptor. Errors: `EMFILE`, also without memory for the
/// table.
pub fn add(stream: impl FnOnce() -> Result<&'static dyn Stream, Errno>) -> Result<c_int, Errno> {
    let all = &DESCRIPTORS_OF_PROGRAM.0;
    if all.get().is_none() {
        all.set(Memory::hold([const { Cell::new(None) }; _]));
    }
    let table: &Table = all.get().ok_or(Errno::MFILE)?;
    let free = table.iter().position(|place| place.get().is_none());
    let free = free.ok_or(Errno::MFILE)?;
    table[free].set(Some(stream()?));
    Ok((free + OF_CONSOLE) as c_int)
}

fn place(descriptor: c_int) -> Result<&'static Cell<Option<&'static dyn Stream>>, Errno> {
    let number = usize::try_from(descriptor).map_err(|_| Errno::BADF)?;
    let number = number.checked_sub(OF_CONSOLE).ok_or(Errno::BADF)?;
    let table = DESCRIPTORS_OF_PROGRAM.0.get().ok_or(Errno::BADF)?;
    table.get(number).ok_or(Errno::BADF)
}

/// Runs a call on an open stream, in the caller's turn. Errors: `EBADF`, `EPERM`, and the call's.
fn on<T>(
    descriptor: c_int,
    call: impl FnOnce(&'static dyn Stream) -> Result<T, Errno>,
) -> Result<T, Errno> {
    in_turn(|| call(stream(descriptor)?))
}

/// The stream of a descriptor. Errors: `EBADF`.
#[inline(never)]
fn stream(descriptor: c_int) -> Result<&'static dyn Stream, Errno> {
    place(descriptor)?.get().ok_or(Errno::BADF)
}

/// Whether it is the console's.
pub fn is_console(descriptor: c_int) -> bool {
    (0..OF_CONSOLE as c_int).contains(&descriptor)
}

/// Whether it is open.
pub fn is_open(descriptor: c_int) -> bool {
    is_console(descriptor) || on(descriptor, |_| Ok(())).is_ok()
}

/// Whether the flags let a program do something: write, or read. Errors: `EBADF`.
pub fn require_access(flags: c_int, access: c_int) -> Result<(), Errno> {
    match [access, BOTH].contains(&(flags & ACCESS)) {
        true => Ok(()),
        false => Err(Errno::BADF),
    }
}

/// A count of bytes, as C's calls return it; a larger request than can be returned is shortened.
fn limited(count: usize) -> usize {
    count.min(c_int::MAX as usize)
}

/// `F_GETFD`, `F_SETFD`, `F_GETFL` and `F_SETFL`.
const GET_MARKS: c_int = 1;
const SET_MARKS: c_int = 2;
const GET_FLAGS: c_int = 3;
const SET_FLAGS: c_int = 4;

interface! {
    /// `write`. Bytes for the console that are no text are left out; it may be called in handlers
    /// for it.
    fn taktos_write_file(descriptor: c_int, from: *const u8, count: usize) -> isize {
        if is_console(descriptor) {
            // SAFETY: the caller guarantees that `count` bytes at `from` are readable.
            unsafe { taktos_write(from, limited(count)) };
            return limited(count) as isize;
        }
        // SAFETY: as above.
        number(on(descriptor, |stream| unsafe { stream.write(from, limited(count)) }).map(|count| count as isize))
    }

    /// `read`. The console has no input: its end is read.
    fn taktos_read_file(descriptor: c_int, to: *mut u8, count: usize) -> isize {
        if is_console(descriptor) {
            return 0;
        }
        // SAFETY: the caller guarantees that `count` bytes at `to` are writable.
        number(on(descriptor, |stream| unsafe { stream.read(to, limited(count)) }).map(|count| count as isize))
    }

    /// `close`. The console stays open.
    fn taktos_close_file(descriptor: c_int) -> c_int {
        if is_console(descriptor) {
            return 0;
        }
        number(on(descriptor, |stream| {
            place(descriptor)?.set(None);
            stream.close();
            Ok(0)
        }))
    }

    /// `lseek`. `ESPIPE` for the console.
    fn taktos_seek_file(descriptor: c_int, by: Offset, from: c_int) -> Offset {
        if is_console(descriptor) {
            return number(Err(Errno::SPIPE));
        }
        number(on(descriptor, |stream| stream.seek(by, from)))
    }

    /// `ftruncate`. `EINVAL` for the console.
    fn taktos_resize_file(descriptor: c_int, size: Offset) -> c_int {
        if is_console(descriptor) {
            return number(Err(Errno::INVAL));
        }
        number(on(descriptor, |stream| stream.resize(size)).map(|()| 0))
    }

    /// `posix_fallocate`, which returns the error's number: `EBADF`, `EINVAL`, `EFBIG`, `ENOSPC`;
    /// `ESPIPE` for the console.
    fn taktos_reserve_file(descriptor: c_int, at: Offset, count: Offset) -> c_int {
        code(match is_console(descriptor) {
            true => Err(Errno::SPIPE),
            false => on(descriptor, |stream| stream.reserve(at, count)),
        })
    }

    /// `fchmod`. The console's is not kept.
    fn taktos_set_mode_of_file(descriptor: c_int, mode: c_uint) -> c_int {
        if is_console(descriptor) {
            return 0;
        }
        number(on(descriptor, |stream| stream.set_mode(mode)).map(|()| 0))
    }

    /// `fstat`.
    fn taktos_status_of_file(descriptor: c_int, status: *mut Status) -> c_int {
        let found = match is_console(descriptor) {
            true => Ok(Status::of_console()),
            false => on(descriptor, |stream| Ok(stream.status())),
        };
        number(found.map(|found| {
            // SAFETY: the caller guarantees that `status` is writable.
            unsafe { status.write(found) };
            0
        }))
    }

    /// `fsync`: there is nothing that memory would be behind of.
    fn taktos_sync_file(descriptor: c_int) -> c_int {
        match is_open(descriptor) {
            true => 0,
            false => number(Err(Errno::BADF)),
        }
    }

    /// `sync`: as `fsync`, of all files.
    fn taktos_sync() {}

    /// `isatty`: 1 for the console. `ENOTTY` for files, `EBADF`.
    fn taktos_is_console(descriptor: c_int) -> c_int {
        if is_console(descriptor) {
            return 1;
        }
        match is_open(descriptor) {
            true => Errno::NOTTY,
            false => Errno::BADF,
        }.set();
        0
    }

    /// `fcntl`, of which there are `F_GETFL`, `F_SETFL` (`O_APPEND` and `O_NONBLOCK`, which has no
    /// effect), `F_GETFD` and `F_SETFD`, which has none either. `EINVAL` for others.
    fn taktos_control_file(descriptor: c_int, command: c_int, value: c_int) -> c_int {
        if is_console(descriptor) {
            return match command {
                GET_FLAGS => BOTH,
                GET_MARKS | SET_MARKS | SET_FLAGS => 0,
                _ => number(Err(Errno::INVAL)),
            };
        }
        number(on(descriptor, |stream| match command {
            GET_MARKS | SET_MARKS => Ok(0),
            GET_FLAGS => Ok(stream.flags().get()),
            SET_FLAGS => {
                stream.flags().update(|flags| flags & ACCESS | value & !ACCESS);
                Ok(0)
            }
            _ => Err(Errno::INVAL),
        }))
    }
}

#[cfg(target_os = "none")]
names! {
    "write" = "taktos_write_file",
    "_write" = "taktos_write_file",
    "read" = "taktos_read_file",
    "_read" = "taktos_read_file",
    "close" = "taktos_close_file",
    "_close" = "taktos_close_file",
    "lseek" = "taktos_seek_file",
    "_lseek" = "taktos_seek_file",
    "ftruncate" = "taktos_resize_file",
    "posix_fallocate" = "taktos_reserve_file",
    "fchmod" = "taktos_set_mode_of_file",
    "fstat" = "taktos_status_of_file",
    "_fstat" = "taktos_status_of_file",
    "fsync" = "taktos_sync_file",
    "fdatasync" = "taktos_sync_file",
    "sync" = "taktos_sync",
    "isatty" = "taktos_is_console",
    "_isatty" = "taktos_is_console",
    "fcntl" = "taktos_control_file",
    "_fcntl" = "taktos_control_file",
}
