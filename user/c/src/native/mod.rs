//! The kernel's own services for C: the declarations of `taktos.h`, a file for each kind of object.
//!
//! An object is located in memory of the program, of a type of the header that has space for it,
//! and is made by its `init`. Each call checks whether that has been done. Errors are the kernel's,
//! as negative numbers. Threads are those of CMSIS-RTOS2: a thread of this interface is an
//! `osThreadId_t`, and one program can contain the calls of both.
//!
//! `cargo xtask header` writes the header from these files: the doc comment of a function here is
//! its comment there.
//!
//! Owns: how an object is known to be one, and what C gets of results. Must never know: what kinds
//! of objects do.

pub mod alarm;
pub mod condition;
pub mod events;
pub mod fifo;
pub mod mailbox;
pub mod message;
pub mod mutex;
pub mod notification;
pub mod period;
pub mod pipe;
pub mod poll;
pub mod pool;
pub mod queue;
pub mod semaphore;
pub mod thread;
pub mod time;
pub mod work;

use crate::os::in_handler;
use core::cell::Cell;
use core::ffi::c_void;
use core::hint::cold_path;
use core::mem::MaybeUninit;
use core::ptr;
use taktos::{Error, Timeout};
use taktos_kernel::Told;

/// Return value of a call: 0, or the number of an error, negative.
pub type Code = i32;

/// The call succeeded.
pub const OK: Code = 0;

/// The code of an error.
pub const fn failed(error: Error) -> Code {
    -(error as i32)
}

/// The code of what a kernel call came to.
#[inline(always)]
pub fn code(result: Result<(), Error>) -> Code {
    match result {
        Ok(()) => OK,
        Err(error) => failed(error),
    }
}

/// Numbers by which errors are reported to callers of this interface.
pub struct Codes;

impl Told for Codes {
    fn word(error: Error) -> Code {
        failed(error)
    }
}

/// Returns the result of a call that gives a number: the number, or a code. A number that is too
/// large is reported as the largest.
#[inline(always)]
pub fn number<E: Into<Error>>(result: Result<usize, E>) -> isize {
    match result {
        Ok(number) => isize::try_from(number).unwrap_or(isize::MAX),
        Err(error) => failed(error.into()) as isize,
    }
}

/// Whether the call is made in a thread, for what only a thread may do. Errors: `Context` in a
/// handler.
#[inline(always)]
pub fn in_thread() -> Result<(), Error> {
    match in_handler() {
        true => Err(Error::Context),
        false => Ok(()),
    }
}

/// A word that belongs to the program.
pub type Word = usize;

/// How C says how long to wait: the kernel's own word.
pub type Time = u64;

/// The time-out that it means.
#[inline(always)]
pub const fn timeout(time: Time) -> Timeout {
    Timeout::from_bits(time)
}

/// A kind of objects that lie in memory of the program's.
pub trait Kind: Sized + 'static {
    /// Word that marks an object of this kind.
    const MARK: u32;
    /// How many words the header's type has.
    const WORDS: usize;
}

/// An object, and how it is known.
#[repr(C)]
pub struct Place<T> {
    mark: Cell<u32>,
    object: MaybeUninit<T>,
}

/// The address of an object, as C has it: null, or memory of the header's type.
#[repr(transparent)]
pub struct At<T>(*mut Place<T>);

impl<T> Clone for At<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for At<T> {}

impl<T: Kind> At<T> {
    const FITS: () = assert!(
        size_of::<Place<T>>() <= T::WORDS * size_of::<usize>() && align_of::<Place<T>>() <= 8,
        "the header's type is too small"
    );

    /// Returns the object. Errors: `Parameter` if none was made.
    ///
    /// # Safety
    /// The address is null, or memory of the header's type is located there, which only these calls
    /// change.
    #[inline(always)]
    pub unsafe fn get(self) -> Result<&'static T, Error> {
        // SAFETY: the caller guarantees memory of the header's type at the address. Memory with the
        // mark has an object.
        unsafe {
            if self.0.is_null() || (*self.0).mark.get() != T::MARK {
                cold_path();
                return Err(Error::Parameter);
            }
            Ok((*self.0).object.assume_init_ref())
        }
    }

    /// Makes an object there. Errors: `Parameter` for no address; `State` if one is there.
    ///
    /// # Safety
    /// The address is null, or memory of the header's type is located there, and stays.
    pub unsafe fn make(self, object: T) -> Code {
        const { Self::FITS };
        if self.0.is_null() {
            return failed(Error::Parameter);
        }
        // SAFETY: the caller guarantees memory of the header's type, which stays, at the address.
        unsafe {
            if (*self.0).mark.get() == T::MARK {
                return failed(Error::State);
            }
            (&raw mut (*self.0).object).cast::<T>().write(object);
            (*self.0).mark.set(T::MARK);
        }
        OK
    }

    /// Returns the result of `end`; on success the memory holds no object from then on.
    ///
    /// # Safety
    /// As [`At::get`].
    pub unsafe fn end(self, end: impl FnOnce(&'static T) -> Result<(), Error>) -> Code {
        let place = self.0;
        // SAFETY: the contract of this function is that of `At::get`.
        code(unsafe { self.get() }.and_then(end).map(|()| {
            // SAFETY: there is an object; no thread waits at it any more.
            unsafe { (*place).mark.set(0) }
        }))
    }
}

/// Returns the result of `act` on the object at `at`.
///
/// # Safety
/// As [`At::get`].
#[inline(always)]
pub unsafe fn with<T: Kind>(at: At<T>, act: impl FnOnce(&'static T) -> Result<(), Error>) -> Code {
    // SAFETY: the caller guarantees that `at` is null or memory of the header's type.
    code(unsafe { at.get() }.and_then(act))
}

/// Where the program wants an answer of a call: nowhere, if null.
///
/// # Safety
/// It is null or leads to room for one.
#[inline(always)]
pub unsafe fn tell<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller guarantees that `place`, which is not null here, has space for a `T`.
        unsafe { ptr::write(place, value) }
    }
}

/// Returns the bytes at an address. Errors: `Parameter` if there is none and `length` is not 0.
///
/// # Safety
/// There are `length` bytes at `start`, while the call lasts.
pub unsafe fn bytes<'a>(start: *const c_void, length: usize) -> Result<&'a [u8], Error> {
    match (start.is_null(), length) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Error::Parameter),
        // SAFETY: the caller guarantees that `length` bytes at `start` stay readable while the call
        // lasts.
        (false, _) => Ok(unsafe { core::slice::from_raw_parts(start.cast(), length) }),
    }
}

/// Returns the bytes at an address for writing. Errors: as [`bytes`].
///
/// # Safety
/// As [`bytes`], and no other code uses them.
pub unsafe fn room<'a>(start: *mut c_void, length: usize) -> Result<&'a mut [u8], Error> {
    match (start.is_null(), length) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(Error::Parameter),
        // SAFETY: the caller guarantees that `length` bytes at `start` are writable and that no
        // other code uses them.
        (false, _) => Ok(unsafe { core::slice::from_raw_parts_mut(start.cast(), length) }),
    }
}

/// Returns memory of the program for as many words as an object needs. Errors: `Parameter` if there
/// is none, if it is not aligned to a word, or if it is too small.
///
/// # Safety
/// There are `size` bytes at `start`, and they stay the object's.
pub unsafe fn words(
    start: *mut Word,
    size: usize,
    needed: Option<usize>,
) -> Result<&'static mut [MaybeUninit<usize>], Error> {
    let needed = needed.ok_or(Error::Parameter)?;
    let is_there = !start.is_null() && start.is_aligned() && needed <= size / size_of::<usize>();
    if !is_there {
        return Err(Error::Parameter);
    }
    // SAFETY: the caller guarantees that `size` bytes at `start`, which are enough, belong to the
    // object from now on.
    Ok(unsafe { core::slice::from_raw_parts_mut(start.cast(), needed) })
}

/// Defines functions of the header. C calls each, and the bodies rely on its guarantees: addresses
/// are null or lead to what the header says, and stay valid while the call lasts. Those of objects
/// stay valid as long as there is an object.
macro_rules! native {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => {
        $(
            $(#[$attribute])*
            ///
            /// # Safety
            /// Addresses are null or lead to what the header says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? $body
        )*
    };
}
pub(crate) use native;

/// Says what a kind of objects is called in the header, how it is known, and how many words its
/// type has there.
macro_rules! kind {
    ($type:ident as $name:ident, $number:literal, $words:literal) => {
        impl crate::native::Kind for $type {
            const MARK: u32 = crate::object::kind($number);
            const WORDS: usize = $words;
        }
    };
}
pub(crate) use kind;
