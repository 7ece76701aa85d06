//! FIFOs: 16 words that handlers push and threads wait for.

use super::{At, Code, Time, Word, kind, native, number, tell, timeout, with};
use taktos::board::Board;
use taktos::{Error, Fifo};

type Object = Fifo<Board, usize, 16>;
kind!(Object as taktos_fifo_t, 0x92, 32);

native! {
    /// Makes a FIFO.
    fn taktos_fifo_init(fifo: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `fifo` is null or memory of the header's type that
        // stays.
        unsafe { fifo.make(Fifo::new()) }
    }

    /// Puts a word in. Allowed in handlers. Errors: Limit where 16 are there.
    fn taktos_fifo_push(fifo: At<Object>, word: Word) -> Code {
        // SAFETY: the caller guarantees that `fifo` is null or memory of the header's type.
        unsafe { with(fifo, |object| object.push(word)) }
    }

    /// Takes the word that was put in first, which `word` gets. Allowed in handlers without
    /// waiting. Errors: Timeout, WouldBlock, Cancelled; Context in a handler that would have to
    /// wait.
    fn taktos_fifo_pop(fifo: At<Object>, word: *mut Word, time: Time) -> Code {
        // SAFETY: the caller guarantees that `fifo` is null or memory of the header's type, and
        // `word` is null or writable.
        unsafe { with(fifo, |object| object.pop(timeout(time)).map(|found| tell(word, found))) }
    }

    /// How many words there are, or an error. Allowed in handlers.
    fn taktos_fifo_length(fifo: At<Object>) -> isize {
        // SAFETY: the caller guarantees that `fifo` is null or memory of the header's type.
        number::<Error>(unsafe { fifo.get() }.map(|object| object.len()))
    }

    /// Deletes it: its waiters get Deleted.
    fn taktos_fifo_delete(fifo: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `fifo` is null or memory of the header's type.
        unsafe { fifo.end(|object| object.delete()) }
    }
}
