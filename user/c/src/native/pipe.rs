//! Pipes: streams of bytes, with room for 256.

use super::{At, Code, Time, bytes, kind, native, number, room, timeout};
use core::ffi::c_void;
use taktos::Pipe;
use taktos::board::Board;

type Object = Pipe<Board, 256>;
kind!(Object as taktos_pipe_t, 0x9A, 80);

native! {
    /// Makes a pipe.
    fn taktos_pipe_init(pipe: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `pipe` is null or memory of the header's type that
        // stays.
        unsafe { pipe.make(Pipe::new()) }
    }

    /// Writes as many bytes as there is space for, and waits as long as these are fewer than
    /// `at_least`. Returns how many, or an error, with which some may have been written. Allowed in
    /// handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Parameter if at_least >
    /// length; Context in a handler that would have to wait.
    fn taktos_pipe_write(pipe: At<Object>, data: *const c_void, length: usize, at_least: usize, time: Time) -> isize {
        // SAFETY: the caller guarantees that `pipe` is null or memory of the header's type, and
        // that `length` bytes at `data` are readable.
        match unsafe { pipe.get().and_then(|object| Ok((object, bytes(data, length)?))) } {
            Ok((object, data)) => number(object.write(data, at_least, timeout(time))),
            Err(error) => number(Err(error)),
        }
    }

    /// Reads as many bytes as there are, and waits as long as these are fewer than `at_least`. The
    /// answer is how many, or an error. Otherwise as above.
    fn taktos_pipe_read(pipe: At<Object>, data: *mut c_void, length: usize, at_least: usize, time: Time) -> isize {
        // SAFETY: the caller guarantees that `pipe` is null or memory of the header's type, and
        // that `length` bytes at `data` are writable.
        match unsafe { pipe.get().and_then(|object| Ok((object, room(data, length)?))) } {
            Ok((object, data)) => number(object.read(data, at_least, timeout(time))),
            Err(error) => number(Err(error)),
        }
    }

    /// Deletes it: its waiters get Deleted.
    fn taktos_pipe_delete(pipe: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `pipe` is null or memory of the header's type.
        unsafe { pipe.end(|object| object.delete()) }
    }
}
