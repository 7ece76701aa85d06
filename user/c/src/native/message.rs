//! Direct messages: thread to thread in fixed time, two words.

use super::thread::{Thread, living, thread_of};
use super::{Code, Time, Word, code, failed, native, tell, timeout};
use taktos::board::Board;
use taktos::{AnyThread, Error, Message, Received};

/// `taktos_received_t`.
#[repr(C)]
pub struct Letter {
    sender: Thread,
    words: [Word; 2],
    wants_reply: bool,
}

fn letter(received: &Received<Board>) -> Letter {
    Letter {
        sender: thread_of(received.sender),
        words: received.message.0,
        wants_reply: received.wants_reply,
    }
}

native! {
    /// Sends two words to a thread and waits until it has received them. Errors: Timeout,
    /// WouldBlock, Deleted, Deadlock, Parameter; Context in a handler.
    fn taktos_send(thread: Thread, first: Word, second: Word, time: Time) -> Code {
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        code(unsafe { living(thread) }.and_then(|thread| thread.send(Message([first, second]), timeout(time))))
    }

    /// Receives two words from any thread, the most urgent sender first. Errors: Timeout,
    /// WouldBlock, Cancelled; Context in a handler.
    fn taktos_receive(received: *mut Letter, time: Time) -> Code {
        if received.is_null() {
            return failed(Error::Parameter);
        }
        let result = AnyThread::<Board>::receive(timeout(time));
        // SAFETY: the caller guarantees that `received` is null or writable.
        code(result.map(|found| unsafe { tell(received, letter(&found)) }))
    }

    /// Sends two words to a thread and waits for its reply, which `reply` gets, if it is not null.
    /// Until then the thread has at least the caller's priority. Errors: as taktos_send.
    fn taktos_call(thread: Thread, first: Word, second: Word, reply: *mut [Word; 2], time: Time) -> Code {
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        let answer = unsafe { living(thread) }.and_then(|thread| thread.call(Message([first, second]), timeout(time)));
        // SAFETY: the caller guarantees that `reply` is null or writable.
        code(answer.map(|answer| unsafe { tell(reply, answer.0) }))
    }

    /// Replies to the call of a thread. Never waits. Errors: State if it does not wait for the
    /// caller's reply; Context in a handler.
    fn taktos_reply(thread: Thread, first: Word, second: Word) -> Code {
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        code(unsafe { living(thread) }.and_then(|thread| thread.reply(Message([first, second]))))
    }

    /// Replies to the call of a thread, then receives: the two steps of a server's loop. Errors:
    /// those of both.
    fn taktos_reply_and_receive(thread: Thread, first: Word, second: Word, received: *mut Letter, time: Time) -> Code {
        if received.is_null() {
            return failed(Error::Parameter);
        }
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        let result = unsafe { living(thread) }
            .and_then(|thread| thread.reply_and_receive(Message([first, second]), timeout(time)));
        // SAFETY: the caller guarantees that `received` is null or writable.
        code(result.map(|found| unsafe { tell(received, letter(&found)) }))
    }
}
