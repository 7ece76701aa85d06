//! Owns: the numbers of errors, as the C library has them, and `errno`, of which each thread has
//! one. Must never know: which call fails.

use crate::cmsis::thread::OsThread;
use core::ffi::c_int;
use taktos::Error;

/// An error's number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub c_int);

/// Defines the errors, with newlib's numbers.
macro_rules! errors {
    ($($(#[$attribute:meta])* $name:ident = $number:literal;)*) => {
        impl Errno {
            $($(#[$attribute])* pub const $name: Self = Self($number);)*
        }
    };
}

errors! {
    /// Not allowed.
    PERM = 1;
    /// No such name.
    NOENT = 2;
    /// No such thread.
    SRCH = 3;
    /// A handler of a signal was called.
    INTR = 4;
    /// No such descriptor.
    BADF = 9;
    /// Not now, or no more of them.
    AGAIN = 11;
    /// No memory.
    NOMEM = 12;
    /// Not to be run.
    ACCES = 13;
    /// No address.
    FAULT = 14;
    /// In use.
    BUSY = 16;
    /// There already.
    EXIST = 17;
    /// No directory.
    NOTDIR = 20;
    /// A directory.
    ISDIR = 21;
    /// Invalid argument or state.
    INVAL = 22;
    /// No memory for a descriptor.
    MFILE = 24;
    /// No console.
    NOTTY = 25;
    /// Beyond the largest size of a file.
    FBIG = 27;
    /// No memory for what has a name.
    NOSPC = 28;
    /// No place in it.
    SPIPE = 29;
    /// A directory with entries.
    NOTEMPTY = 90;
    /// A name that is too long.
    NAMETOOLONG = 91;
    /// A message that is too long.
    MSGSIZE = 122;
    /// Threads would wait for each other.
    DEADLK = 45;
    /// The time is over.
    TIMEDOUT = 116;
    /// Not here.
    NOTSUP = 134;
    /// Beyond the largest.
    OVERFLOW = 139;
    /// The owner has ended.
    OWNERDEAD = 142;
    /// Protected state is lost.
    NOTRECOVERABLE = 141;
}

impl Errno {
    /// Makes it the calling thread's `errno`.
    pub fn set(self) {
        // SAFETY: the word is the calling thread's, or that of all that are none.
        unsafe { place().write(self.0) };
    }
}

impl From<Error> for Errno {
    fn from(error: Error) -> Self {
        match error {
            Error::Timeout => Self::TIMEDOUT,
            Error::WouldBlock => Self::BUSY,
            Error::Context | Error::NotOwner => Self::PERM,
            Error::Deadlock => Self::DEADLK,
            Error::Limit => Self::AGAIN,
            Error::NoMemory => Self::NOMEM,
            Error::InUse => Self::BUSY,
            Error::OwnerDied => Self::OWNERDEAD,
            Error::NotRecoverable => Self::NOTRECOVERABLE,
            Error::Cancelled => Self::INTR,
            Error::Deleted | Error::Parameter | Error::State | Error::Ceiling => Self::INVAL,
        }
    }
}

/// The calling thread's `errno`.
pub(super) fn current() -> Errno {
    // SAFETY: the word is the calling thread's, or that of all that are none.
    Errno(unsafe { place().read() })
}

/// Returns the place of `errno`: the thread's own, or one for handlers and for code before there
/// are threads.
pub(crate) fn place() -> *mut c_int {
    struct Common(core::cell::UnsafeCell<c_int>);
    // SAFETY: handlers do not interrupt each other at the kernel's level, and threads have their
    // own.
    unsafe impl Sync for Common {}
    static COMMON: Common = Common(core::cell::UnsafeCell::new(0));
    if crate::os::in_handler() {
        return COMMON.0.get();
    }
    OsThread::current().map_or(COMMON.0.get(), |thread| thread.errno().as_ptr())
}

/// Where newlib's `errno` is looked for.
#[cfg(target_os = "none")]
#[unsafe(no_mangle)]
extern "C" fn __errno() -> *mut c_int {
    place()
}

/// Where glibc's headers look for it.
#[cfg(all(target_os = "none", not(target_arch = "arm")))]
#[unsafe(no_mangle)]
extern "C" fn __errno_location() -> *mut c_int {
    place()
}
