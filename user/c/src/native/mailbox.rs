//! Mailboxes: letters of a word, for a named thread or for any thread, with space for 8.

use super::thread::{Thread, living, thread_of};
use super::{At, Code, Time, Word, kind, native, tell, timeout, with};
use taktos::board::Board;
use taktos::{Error, Mailbox, Partner};

type Object = Mailbox<Board, usize, 8>;
kind!(Object as taktos_mailbox_t, 0x99, 80);

/// Returns the partner that a letter is for, or from.
///
/// # Safety
/// As [`living`].
unsafe fn partner(thread: Thread) -> Result<Partner<Board>, Error> {
    if thread.is_null() {
        return Ok(Partner::Any);
    }
    // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
    unsafe { living(thread) }.map(Partner::Only)
}

native! {
    /// Makes a mailbox.
    fn taktos_mailbox_init(mailbox: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `mailbox` is null or memory of the header's type that
        // stays.
        unsafe { mailbox.make(Mailbox::new()) }
    }

    /// Leaves a letter for a thread, or for anyone (null); waits for space only. Allowed in
    /// handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Context in a handler that
    /// would have to wait.
    fn taktos_mailbox_post(mailbox: At<Object>, word: Word, to: Thread, time: Time) -> Code {
        // SAFETY: the caller guarantees that `mailbox` is null or memory of the header's type, and
        // `to` is valid for `Id::get`.
        unsafe { with(mailbox, |object| object.post(&word, partner(to)?, timeout(time))) }
    }

    /// Leaves a letter and waits until it has been taken. Errors: as above; Context in a handler.
    fn taktos_mailbox_send(mailbox: At<Object>, word: Word, to: Thread, time: Time) -> Code {
        // SAFETY: the caller guarantees that `mailbox` is null or memory of the header's type, and
        // `to` is valid for `Id::get`.
        unsafe { with(mailbox, |object| object.send(&word, partner(to)?, timeout(time))) }
    }

    /// Takes a letter from a thread, or from anyone (null): `word` gets it, `sender` gets its
    /// sender, or null for a handler. Errors: Timeout, WouldBlock, Cancelled; Context in a handler.
    fn taktos_mailbox_receive(mailbox: At<Object>, from: Thread, word: *mut Word, sender: *mut Thread, time: Time) -> Code {
        // SAFETY: the caller guarantees that `mailbox` and `from` are null or valid, and that
        // `word` and `sender` are null or writable.
        unsafe {
            with(mailbox, |object| {
                let letter = object.receive(partner(from)?, timeout(time))?;
                tell(word, letter.message);
                tell(sender, letter.sender.map_or(core::ptr::null_mut(), thread_of));
                Ok(())
            })
        }
    }

    /// Deletes it: its waiters get Deleted.
    fn taktos_mailbox_delete(mailbox: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `mailbox` is null or memory of the header's type.
        unsafe { mailbox.end(|object| object.delete()) }
    }
}
