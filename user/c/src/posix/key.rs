//! Owns: values that each thread has for a key, and what becomes of them at its end. Must never
//! know: what they are.

use super::code;
use super::errno::Errno;
use super::thread::PosixThread;
use crate::cmsis::interface;
use crate::object::Memory;
use crate::os::{in_handler, masked, os};
use core::cell::Cell;
use core::ffi::{c_int, c_uint, c_void};
use core::ptr;

/// `PTHREAD_KEYS_MAX`, the least that the standard allows.
pub(super) const KEYS: usize = 128;
/// `PTHREAD_DESTRUCTOR_ITERATIONS`.
pub(super) const ROUNDS: usize = 4;

type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

/// A key. Its number goes up when it is made and when it is deleted: odd while it is there.
struct Key {
    number: Cell<u32>,
    destructor: Cell<Destructor>,
}

/// All keys, which take memory when the first one is made.
pub struct Keys([Key; KEYS]);

/// Value that a thread has for a key of this number.
#[derive(Clone, Copy)]
struct Value {
    number: u32,
    word: *mut c_void,
}

/// A thread's values, which take memory when the first one is set.
pub struct Values([Cell<Value>; KEYS]);

fn keys() -> Option<&'static Keys> {
    if os().posix.keys.get().is_none() {
        #[expect(clippy::declare_interior_mutable_const, reason = "an initial value")]
        const FREE: Key = Key {
            number: Cell::new(0),
            destructor: Cell::new(None),
        };
        let made = Memory::hold(Keys([FREE; KEYS]))?;
        os().posix.keys.set(Some(made));
    }
    os().posix.keys.get()
}

/// The key of this place, if it is there.
fn living(place: c_uint) -> Option<&'static Key> {
    let key = os().posix.keys.get()?.0.get(place as usize)?;
    (key.number.get() & 1 == 1).then_some(key)
}

fn values(thread: &'static PosixThread) -> Option<&'static Values> {
    if thread.values.get().is_none() {
        const NONE: Value = Value {
            number: 0,
            word: ptr::null_mut(),
        };
        thread.values.set(Some(Memory::hold(Values(
            [const { Cell::new(NONE) }; KEYS],
        ))?));
    }
    thread.values.get()
}

/// Calls the destructors of the calling thread's values: again while destructors set new ones, but
/// not for ever.
pub(super) fn destroy_values(thread: &'static PosixThread) {
    let (Some(values), Some(keys)) = (thread.values.get(), os().posix.keys.get()) else {
        return;
    };
    for _ in 0..ROUNDS {
        let mut is_done = true;
        for (key, value) in keys.0.iter().zip(&values.0) {
            let Value { number, word } = value.get();
            let Some(destructor) = key.destructor.get() else {
                continue;
            };
            if word.is_null() || number != key.number.get() {
                continue;
            }
            value.set(Value {
                number,
                word: ptr::null_mut(),
            });
            is_done = false;
            // SAFETY: the program gave both.
            unsafe { destructor(word) };
        }
        if is_done {
            break;
        }
    }
}

/// Gives the memory of a thread's values back.
///
/// # Safety
/// The thread is gone.
pub(super) unsafe fn free_values(values: &'static Values) {
    // SAFETY: the caller guarantees that the thread is gone. The values were put in the heap alone.
    unsafe { Memory::let_go(values) };
}

interface! {
    /// Makes a key, for which each thread has null. `EAGAIN` where there are all; `EPERM` in a
    /// handler.
    fn pthread_key_create(place: *mut c_uint, destructor: Destructor) -> c_int {
        if in_handler() {
            return Errno::PERM.0;
        }
        let Some(keys) = keys() else {
            return Errno::NOMEM.0;
        };
        let made = masked(|| {
            let number = keys.0.iter().position(|key| key.number.get() & 1 == 0)?;
            keys.0[number].number.update(|number| number + 1);
            keys.0[number].destructor.set(destructor);
            Some(number)
        });
        code(made.ok_or(Errno::AGAIN).and_then(|number| {
            // SAFETY: the caller guarantees that `place` is null or writable.
            *unsafe { place.as_mut() }.ok_or(Errno::INVAL)? = number as c_uint;
            Ok(())
        }))
    }

    /// Deletes a key; no destructor is called. `EINVAL` where there is no such key.
    fn pthread_key_delete(place: c_uint) -> c_int {
        let deleted = masked(|| {
            let key = living(place)?;
            key.destructor.set(None);
            key.number.update(|number| number.wrapping_add(1));
            Some(())
        });
        code(deleted.ok_or(Errno::INVAL))
    }

    /// Sets what the calling thread has for a key. `EINVAL` where there is no such key, `ENOMEM`.
    fn pthread_setspecific(place: c_uint, word: *const c_void) -> c_int {
        let (Some(key), Some(thread)) = (living(place), PosixThread::current()) else {
            return Errno::INVAL.0;
        };
        let Some(values) = values(thread) else {
            return Errno::NOMEM.0;
        };
        values.0[place as usize].set(Value {
            number: key.number.get(),
            word: word.cast_mut(),
        });
        0
    }

    /// Returns the calling thread's value for a key; null if there is no such key.
    fn pthread_getspecific(place: c_uint) -> *mut c_void {
        let found = || {
            let key = living(place)?;
            let value = PosixThread::current()?.values.get()?.0[place as usize].get();
            (value.number == key.number.get()).then_some(value.word)
        };
        found().unwrap_or(ptr::null_mut())
    }
}
