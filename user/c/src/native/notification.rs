//! Notifications: one word of a thread, without an object.

use super::thread::{Thread, living};
use super::{Code, Time, code, native, tell, timeout};
use taktos::board::Board;
use taktos::{AnyThread, Error, Notify};

/// Actions of a notification.
const SET_BITS: u32 = 0;
const INCREMENT: u32 = 1;
const OVERWRITE: u32 = 2;
const SET_WITHOUT_OVERWRITE: u32 = 3;

native! {
    /// Notifies a thread by TAKTOS_NOTIFY_... : sets bits of its word, adds one, makes it another,
    /// or does that unless there is a notification that it has not taken. Allowed in handlers.
    /// Errors: State for a thread that does not run; Limit; Parameter.
    fn taktos_notify(thread: Thread, action: u32, word: u32) -> Code {
        let action = match action {
            SET_BITS => Ok(Notify::SetBits(word)),
            INCREMENT => Ok(Notify::Increment),
            OVERWRITE => Ok(Notify::Overwrite(word)),
            SET_WITHOUT_OVERWRITE => Ok(Notify::SetWithoutOverwrite(word)),
            _ => Err(Error::Parameter),
        };
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        code(unsafe { living(thread) }.and_then(|thread| thread.notify(action?)))
    }

    /// Waits for a notification of the calling thread; `word`, if it is not null, gets its word, of
    /// which the bits `clear` are cleared then. Errors: Timeout, WouldBlock, Cancelled; Context in
    /// a handler.
    fn taktos_notify_wait(clear: u32, word: *mut u32, time: Time) -> Code {
        let result = AnyThread::<Board>::notify_wait(clear, timeout(time));
        // SAFETY: the caller guarantees that `word` is null or writable.
        code(result.map(|found| unsafe { tell(word, found) }))
    }

    /// Waits until the calling thread's word is not 0, and takes one from it; `word`, if it is not
    /// null, gets what it was. Errors: as above.
    fn taktos_notify_take(word: *mut u32, time: Time) -> Code {
        let result = AnyThread::<Board>::notify_take(timeout(time));
        // SAFETY: the caller guarantees that `word` is null or writable.
        code(result.map(|found| unsafe { tell(word, found) }))
    }
}
