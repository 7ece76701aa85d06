//! Owns: objects in variables of the C program's. Must never know: what kinds there are.

use super::errno::Errno;
use crate::os::masked;
use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;

/// A kind of objects.
pub trait Kind: Sized + 'static {
    /// Mark of a variable that has an object: four letters.
    const ALIVE: u32;
    /// Object of a variable that the static initializer has made: all zeroes. None if there is no
    /// such initializer.
    const STATIC: Option<Self>;
}

/// A variable for an object.
#[repr(C)]
pub struct Place<T> {
    state: Cell<u32>,
    object: UnsafeCell<MaybeUninit<T>>,
}

/// State of a variable after its object was destroyed.
const DESTROYED: u32 = 1;

impl<T: Kind> Place<T> {
    /// A variable with an object.
    pub fn new(object: T) -> Self {
        Self {
            state: Cell::new(T::ALIVE),
            object: UnsafeCell::new(MaybeUninit::new(object)),
        }
    }

    /// The object of the variable at `place`. Errors: `EINVAL` where there is none.
    ///
    /// # Safety
    /// The address is null or leads to a variable of the type, which stays while it has an object.
    pub unsafe fn object(place: *const Self) -> Result<&'static T, Errno> {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        let Some(variable) = (unsafe { place.as_ref() }) else {
            return Err(Errno::INVAL);
        };
        if variable.state.get() == 0
            && let Some(new) = T::STATIC
        {
            masked(|| {
                // Of two threads that use it first, one makes it.
                if variable.state.get() == 0 {
                    variable.put(new);
                }
            });
        }
        match variable.state.get() == T::ALIVE {
            // SAFETY: the state says that it is there.
            true => Ok(unsafe { (*variable.object.get()).assume_init_ref() }),
            false => Err(Errno::INVAL),
        }
    }

    /// Makes `object` the variable's. Errors: `EINVAL` for null.
    ///
    /// # Safety
    /// As for [`Place::object`]; no other code uses the variable meanwhile.
    pub unsafe fn make(place: *const Self, object: T) -> Result<(), Errno> {
        // SAFETY: the caller guarantees that `place` is null or a variable that no other code uses
        // meanwhile.
        let variable = unsafe { place.as_ref() }.ok_or(Errno::INVAL)?;
        variable.put(object);
        Ok(())
    }

    fn put(&self, object: T) {
        // SAFETY: no code uses the former contents: the caller guarantees it, or it is masked and
        // there were none.
        unsafe { (*self.object.get()).write(object) };
        self.state.set(T::ALIVE);
    }

    /// The variable has no object any more.
    ///
    /// # Safety
    /// As for [`Place::make`].
    pub unsafe fn destroy(place: *const Self) {
        // SAFETY: the caller guarantees that `place` is null or a variable that no other code uses
        // meanwhile.
        if let Some(variable) = unsafe { place.as_ref() } {
            variable.state.set(DESTROYED);
        }
    }
}

/// Returns whether a variable that C declares as `words` words of eight bytes has space for it.
pub const fn fits<T>(words: usize) -> bool {
    size_of::<Place<T>>() <= 8 * words && align_of::<Place<T>>() <= 8
}
