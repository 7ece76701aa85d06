//! The kernel's own services for C: what `taktos.h` declares, a file for each kind of object.
//!
//! An object lies in memory of the program's, of a type of the header's that has room for it, and is made by its `init`. Each call looks
//! whether that has been done. Errors are the kernel's, by their numbers, as negative ones; threads are those of CMSIS-RTOS2, so a thread of
//! this interface is an `osThreadId_t`, and the calls of both can stand in one program.
//!
//! `cargo xtask header` writes the header from these files: what is said of a function here is what it says there.
//!
//! Owns: how an object is known to be one, and what C gets of results. Must never know: what kinds of objects do.

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

/// What a call says: 0, or the number of an error, negative.
pub type Code = i32;

/// The call did what it was asked to.
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

/// What the callers of this interface are told.
pub struct Codes;

impl Told for Codes {
    fn word(error: Error) -> Code {
        failed(error)
    }
}

/// The same for a call that gives a number: that, or a code. What is too large is told as the largest.
#[inline(always)]
pub fn number<E: Into<Error>>(result: Result<usize, E>) -> isize {
    match result {
        Ok(number) => isize::try_from(number).unwrap_or(isize::MAX),
        Err(error) => failed(error.into()) as isize,
    }
}

/// Whether the call is made in a thread, for what only a thread may do. Errors: `Context` in a handler.
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
    /// What tells it.
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

    /// The object. Errors: `Parameter` where none was made.
    ///
    /// # Safety
    /// Memory of the header's type lies there, which nobody changes but by these calls.
    #[inline(always)]
    pub unsafe fn get(self) -> Result<&'static T, Error> {
        // SAFETY: the caller's promise; what has the mark was made.
        unsafe {
            if self.0.is_null() || (*self.0).mark.get() != T::MARK {
                cold_path();
                return Err(Error::Parameter);
            }
            Ok((*self.0).object.assume_init_ref())
        }
    }

    /// Makes an object there. Errors: `Parameter` for no address; `State` where one is.
    ///
    /// # Safety
    /// Memory of the header's type lies there, and stays.
    pub unsafe fn make(self, object: T) -> Code {
        const { Self::FITS };
        if self.0.is_null() {
            return failed(Error::Parameter);
        }
        // SAFETY: the caller's promise.
        unsafe {
            if (*self.0).mark.get() == T::MARK {
                return failed(Error::State);
            }
            (&raw mut (*self.0).object).cast::<T>().write(object);
            (*self.0).mark.set(T::MARK);
        }
        OK
    }

    /// What `end` says; the memory holds no object from then on, if that went well.
    ///
    /// # Safety
    /// As [`At::get`].
    pub unsafe fn end(self, end: impl FnOnce(&'static T) -> Result<(), Error>) -> Code {
        let place = self.0;
        // SAFETY: the caller's promise.
        code(unsafe { self.get() }.and_then(end).map(|()| {
            // SAFETY: there is an object; nobody waits at it any more.
            unsafe { (*place).mark.set(0) }
        }))
    }
}

/// What `act` says of the object at `at`.
///
/// # Safety
/// As [`At::get`].
#[inline(always)]
pub unsafe fn with<T: Kind>(at: At<T>, act: impl FnOnce(&'static T) -> Result<(), Error>) -> Code {
    // SAFETY: the caller's promise.
    code(unsafe { at.get() }.and_then(act))
}

/// Where the program wants an answer of a call: nowhere, if null.
///
/// # Safety
/// It is null or leads to room for one.
#[inline(always)]
pub unsafe fn tell<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller's promise.
        unsafe { ptr::write(place, value) }
    }
}

/// The bytes at an address. Errors: `Parameter` where there is none and `length` is not 0.
///
/// # Safety
/// So many bytes lie there, while the call lasts.
pub unsafe fn bytes<'a>(start: *const c_void, length: usize) -> Result<&'a [u8], Error> {
    match (start.is_null(), length) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Error::Parameter),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { core::slice::from_raw_parts(start.cast(), length) }),
    }
}

/// The same of bytes that are written.
///
/// # Safety
/// As [`bytes`], and nobody else uses them.
pub unsafe fn room<'a>(start: *mut c_void, length: usize) -> Result<&'a mut [u8], Error> {
    match (start.is_null(), length) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(Error::Parameter),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { core::slice::from_raw_parts_mut(start.cast(), length) }),
    }
}

/// Memory of the program's for as many words as an object needs. Errors: `Parameter` where there is none, it lies at no word, or is too small.
///
/// # Safety
/// So many bytes lie there, and stay the object's.
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
    // SAFETY: the caller's promise.
    Ok(unsafe { core::slice::from_raw_parts_mut(start.cast(), needed) })
}

/// Defines functions of the header's. C calls each, and the bodies rest on its promises: addresses are null or lead to what the header
/// says, and stay so while the call lasts; those of objects, as long as there is one.
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

/// Says what a kind of objects is called in the header, how it is known, and how many words its type has there.
macro_rules! kind {
    ($type:ident as $name:ident, $number:literal, $words:literal) => {
        impl crate::native::Kind for $type {
            const MARK: u32 = crate::object::kind($number);
            const WORDS: usize = $words;
        }
    };
}
pub(crate) use kind;
