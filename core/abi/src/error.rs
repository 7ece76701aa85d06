//! Owns: the errors of every kernel call, and their numbers.

use core::fmt;

/// The reason for which a kernel call failed. The numbers are part of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Error {
    /// The time given had passed before the call could be completed.
    Timeout = 1,
    /// The call was made without waiting, and would have had to wait.
    WouldBlock = 2,
    /// The object, or the partner, was deleted (or never created) or ended while the caller waited.
    Deleted = 3,
    /// The call may not be made here: it can block, and this is an interrupt handler
    /// (or the kernel does not run yet).
    Context = 4,
    /// An argument is out of its documented range.
    Parameter = 5,
    /// The object is not in a state in which the call makes sense
    /// (a thread that is not dormant is started, an object is created twice).
    State = 6,
    /// The caller does not own the mutex that it releases.
    NotOwner = 7,
    /// The call would close a ring of threads that wait for each other.
    Deadlock = 8,
    /// The caller is more urgent than the ceiling of the mutex.
    Ceiling = 9,
    /// A counter or a queue is at its limit.
    Limit = 10,
    /// No block, slot or stack of the requested size is free.
    NoMemory = 11,
    /// The object is still in use (a mutex that is owned cannot be deleted).
    InUse = 12,
    /// The wait was ended by another thread's request.
    Cancelled = 13,
    /// The caller owns the mutex now; the former owner ended with it locked. The data that it
    /// protects may be half done.
    OwnerDied = 14,
    /// The mutex was unlocked before what its dead owner left was made consistent: no thread can
    /// lock it any more.
    NotRecoverable = 15,
}

/// The outcome of a kernel call as one machine word: 0, or the number of an [`Error`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Status(usize);

impl Status {
    /// The call succeeded.
    pub const OK: Self = Self(0);

    /// The status of a call that failed with `error`.
    pub const fn failed(error: Error) -> Self {
        Self(error as usize)
    }

    /// The status that a machine carried as the word `word`.
    pub const fn from_word(word: usize) -> Self {
        Self(word)
    }

    /// The status as a word, to be carried by a machine.
    pub const fn word(self) -> usize {
        self.0
    }

    /// The status as a result. A number that names no error reads as [`Error::State`].
    #[inline(always)]
    pub fn result(self) -> Result<(), Error> {
        if self.0 == 0 {
            Ok(())
        } else {
            Err(self.error())
        }
    }

    #[cold]
    fn error(self) -> Error {
        const BY_NUMBER: [Error; 15] = [
            Error::Timeout,
            Error::WouldBlock,
            Error::Deleted,
            Error::Context,
            Error::Parameter,
            Error::State,
            Error::NotOwner,
            Error::Deadlock,
            Error::Ceiling,
            Error::Limit,
            Error::NoMemory,
            Error::InUse,
            Error::Cancelled,
            Error::OwnerDied,
            Error::NotRecoverable,
        ];
        BY_NUMBER.get(self.0 - 1).copied().unwrap_or(Error::State)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Timeout => "the time given has passed",
            Self::WouldBlock => "not available now, and the call was not to wait",
            Self::Deleted => "the object or the partner is gone",
            Self::Context => "not allowed here: the call can block",
            Self::Parameter => "an argument is out of range",
            Self::State => "not in a state that allows the call",
            Self::NotOwner => "the caller does not own the mutex",
            Self::Deadlock => "the threads would wait for each other",
            Self::Ceiling => "the caller is more urgent than the ceiling",
            Self::Limit => "a counter or queue is at its limit",
            Self::NoMemory => "nothing of that size is free",
            Self::InUse => "the object is still in use",
            Self::Cancelled => "another thread ended the wait",
            Self::OwnerDied => "the mutex is the caller's; its owner ended with it locked",
            Self::NotRecoverable => "what a dead owner left was not repaired",
        })
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back_as_its_error() {
        for number in 1..=15 {
            let error = Status::from_word(number).result().unwrap_err();
            assert_eq!(error as usize, number);
        }
        assert_eq!(Status::OK.result(), Ok(()));
        assert_eq!(Status::from_word(99).result(), Err(Error::State));
    }
}
