//! Owns: the order of events in a case: each is a letter.

use core::str;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use portable_atomic::AtomicUsize;
use taktos_kernel::Error;

const ROOM: usize = 96;

/// Events, as letters. Small ones are the case's own; results of calls are written by
/// [`Log::result`].
pub struct Log {
    letters: [AtomicU8; ROOM],
    length: AtomicUsize,
}

/// A log's letters, taken out.
pub struct Text {
    letters: [u8; ROOM],
    length: usize,
}

impl Text {
    /// As text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.letters[..self.length]).unwrap_or("(not letters)")
    }
}

/// The letter of a result: a dot for success, a capital for an error.
pub const fn letter<T>(result: &Result<T, Error>) -> char {
    match result {
        Ok(_) => '.',
        Err(error) => match error {
            Error::Timeout => 'T',
            Error::WouldBlock => 'W',
            Error::Deleted => 'D',
            Error::Context => 'C',
            Error::Parameter => 'P',
            Error::State => 'S',
            Error::NotOwner => 'N',
            Error::Deadlock => 'R',
            Error::Ceiling => 'E',
            Error::Limit => 'L',
            Error::NoMemory => 'M',
            Error::InUse => 'U',
            Error::Cancelled => 'X',
            Error::OwnerDied => 'O',
            Error::NotRecoverable => 'Z',
        },
    }
}

/// Results of calls that are refused, by their letters.
pub mod refused {
    use taktos_kernel::Error;

    pub const D: Result<u32, Error> = Err(Error::Deleted);
    pub const P: Result<u32, Error> = Err(Error::Parameter);
    pub const S: Result<u32, Error> = Err(Error::State);
    pub const T: Result<u32, Error> = Err(Error::Timeout);
    pub const W: Result<u32, Error> = Err(Error::WouldBlock);
}

impl Log {
    /// Nothing happened.
    pub const fn new() -> Self {
        Self {
            letters: [const { AtomicU8::new(0) }; ROOM],
            length: AtomicUsize::new(0),
        }
    }

    /// Adds a letter; what does not fit is lost, and the last letter then says so.
    #[inline(never)]
    pub fn add(&self, letter: char) {
        let at = self.length.load(Relaxed);
        if at < ROOM {
            self.letters[at].store(letter as u8, Relaxed);
            self.length.store(at + 1, Relaxed);
        } else {
            self.letters[ROOM - 1].store(b'+', Relaxed);
        }
    }

    /// Adds the letter of a result, which goes through.
    pub fn result<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        self.add(letter(&result));
        result
    }

    /// Adds a number as a digit to the base 36: a question mark if it is none.
    pub fn digit(&self, number: u32) {
        self.add(char::from_digit(number, 36).unwrap_or('?'));
    }

    /// Adds a letter unless it is the last one.
    pub fn turn(&self, letter: char) {
        let at = self.length.load(Relaxed);
        if at == 0 || self.letters[at - 1].load(Relaxed) != letter as u8 {
            self.add(letter);
        }
    }

    /// Takes out all letters.
    pub fn take(&self) -> Text {
        let length = self.length.swap(0, Relaxed);
        let mut letters = [0; ROOM];
        for (to, from) in letters.iter_mut().zip(&self.letters) {
            *to = from.load(Relaxed);
        }
        Text { letters, length }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self::new()
    }
}
