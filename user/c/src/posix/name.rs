//! Owns: names of objects that several parts of a program open: which name leads to which object,
//! and when an object goes. Must never know: kinds of objects.

use super::errno::Errno;
use crate::object::Memory;
use crate::os::masked;
use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int};
use core::ptr;
use core::slice;

/// `O_CREAT`, as newlib has it.
pub const CREATE: c_int = 0x200;
/// `O_EXCL`.
pub const EXCLUSIVE: c_int = 0x800;
/// `O_NONBLOCK`.
pub const NEVER_WAITS: c_int = 0x4000;
/// The longest name with the slash in front: `_POSIX_PATH_MAX` but for the character that ends it.
const LONGEST: usize = 255;

/// An object with a name, in the heap.
pub struct Named<T: 'static> {
    next: Cell<Option<&'static Named<T>>>,
    /// The name, which is located in the heap, too.
    name: &'static [u8],
    /// How often it is open.
    opened: Cell<usize>,
    /// Whether it is found by its name.
    is_linked: Cell<bool>,
    object: T,
}

/// Those of one kind.
pub struct Names<T: 'static>(Cell<Option<&'static Named<T>>>);

/// The name at an address. Errors: `EINVAL` where there is none, `ENAMETOOLONG`.
///
/// # Safety
/// The address is null or leads to a C string.
unsafe fn name_at<'a>(name: *const c_char) -> Result<&'a [u8], Errno> {
    if name.is_null() {
        return Err(Errno::INVAL);
    }
    // SAFETY: the caller guarantees that `name`, which is not null here, is a C string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    if name.len() > LONGEST {
        return Err(Errno::NAMETOOLONG);
    }
    // A name is returned without the slash in front, if it has one.
    match name.strip_prefix(b"/").unwrap_or(name) {
        [] => Err(Errno::INVAL),
        name => Ok(name),
    }
}

impl<T> Names<T> {
    /// None.
    pub(crate) const fn new() -> Self {
        Self(Cell::new(None))
    }

    fn find(&self, is_it: impl Fn(&Named<T>) -> bool) -> Option<&'static Named<T>> {
        let mut next = self.0.get();
        while let Some(named) = next {
            if is_it(named) {
                return Some(named);
            }
            next = named.next.get();
        }
        None
    }

    /// Opens what has a name, or makes it, as the flags say. Called while no other thread runs.
    /// Errors: `ENOENT`, `EEXIST`, `EINVAL`, `ENAMETOOLONG`, `ENOSPC`, and those of `make`.
    ///
    /// # Safety
    /// The name is null or a C string.
    pub unsafe fn open(
        &self,
        name: *const c_char,
        flags: c_int,
        make: impl FnOnce() -> Result<T, Errno>,
    ) -> Result<&'static T, Errno> {
        // SAFETY: the caller guarantees that `name` is null or a C string.
        let name = unsafe { name_at(name) }?;
        let found = self.find(|named| named.is_linked.get() && named.name == name);
        let named = match found {
            Some(_) if flags & CREATE != 0 && flags & EXCLUSIVE != 0 => return Err(Errno::EXIST),
            Some(named) => named,
            None if flags & CREATE == 0 => return Err(Errno::NOENT),
            None => self.add(name, make)?,
        };
        named.opened.update(|count| count + 1);
        Ok(&named.object)
    }

    fn add(
        &self,
        name: &[u8],
        make: impl FnOnce() -> Result<T, Errno>,
    ) -> Result<&'static Named<T>, Errno> {
        let memory = Memory::of_heap(name.len()).ok_or(Errno::NOSPC)?;
        // SAFETY: memory of the heap for this number of bytes, which no code uses yet.
        let kept = unsafe {
            let bytes = memory.start.as_ptr();
            bytes.copy_from_nonoverlapping(name.as_ptr(), name.len());
            slice::from_raw_parts(bytes, name.len())
        };
        let made = make().and_then(|object| {
            Memory::hold(Named {
                next: Cell::new(None),
                name: kept,
                opened: Cell::new(0),
                is_linked: Cell::new(true),
                object,
            })
            .ok_or(Errno::NOSPC)
        });
        match made {
            Ok(named) => {
                masked(|| named.next.set(self.0.replace(Some(named))));
                Ok(named)
            }
            Err(error) => {
                // SAFETY: no other code has its address.
                unsafe { memory.free() };
                Err(error)
            }
        }
    }

    /// Closes an object once; `end` ends an object without a name at its last close. Called while
    /// no other thread runs. Errors: `EINVAL` if it is none or not open.
    pub fn close(&self, object: *const T, end: impl FnOnce(&'static T)) -> Result<(), Errno> {
        let named = self.find(|named| ptr::eq(&raw const named.object, object));
        let named = named
            .filter(|named| named.opened.get() > 0)
            .ok_or(Errno::INVAL)?;
        named.opened.update(|count| count - 1);
        self.remove_if_unused(named, end);
        Ok(())
    }

    /// Removes a name, so that no call finds an object by it any more. Called while no other thread
    /// runs. Errors: `ENOENT`, `ENAMETOOLONG`.
    ///
    /// # Safety
    /// The name is null or a C string.
    pub unsafe fn unlink(
        &self,
        name: *const c_char,
        end: impl FnOnce(&'static T),
    ) -> Result<(), Errno> {
        // SAFETY: the caller guarantees that `name` is null or a C string.
        let name = match unsafe { name_at(name) } {
            Err(Errno::INVAL) => Err(Errno::NOENT),
            other => other,
        }?;
        let found = self.find(|named| named.is_linked.get() && named.name == name);
        let named = found.ok_or(Errno::NOENT)?;
        named.is_linked.set(false);
        self.remove_if_unused(named, end);
        Ok(())
    }

    fn remove_if_unused(&self, named: &'static Named<T>, end: impl FnOnce(&'static T)) {
        if named.is_linked.get() || named.opened.get() > 0 {
            return;
        }
        masked(|| {
            let mut place = &self.0;
            while let Some(other) = place.get() {
                if ptr::eq(other, named) {
                    return place.set(named.next.take());
                }
                place = &other.next;
            }
        });
        end(&named.object);
        // SAFETY: both were allocated alone; no call finds them, and no thread has them open.
        unsafe {
            Memory::let_go(named.name);
            Memory::let_go(named);
        }
    }
}
