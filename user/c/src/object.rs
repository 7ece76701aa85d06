//! Owns: how objects begin, by which an address is known to be one, and where their memory comes
//! from. Must never know: what kinds of objects do.

use crate::freertos::configuration::configuration;
use crate::os::{masked, os};
use core::cell::Cell;
use core::ffi::{c_char, c_void};
use core::hint::cold_path;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

/// How each object begins.
#[repr(C)]
pub struct Head {
    /// The kind of the object; 0 once it is deleted.
    kind: Cell<u32>,
    /// Whether the object is located in the heap.
    in_heap: Cell<bool>,
    name: Cell<*const c_char>,
}

/// Returns the mark of a kind of objects: a number of its own above the characters of text, four
/// times. An Armv7-M compares with such a word in one instruction.
pub const fn kind(number: u8) -> u32 {
    u32::from_ne_bytes([number; 4])
}

/// A kind of objects. Its head is at its beginning.
///
/// # Safety
/// The type is `repr(C)` and begins with its [`Head`].
pub unsafe trait Object: Sized + 'static {
    /// Mark of this kind.
    const KIND: u32;
    /// Mark of the objects of this kind that have turned into what most calls check for; see
    /// [`Head::turn`].
    const TURNED: u32 = Self::KIND;
    /// The least control block that a caller may give. An object that does not fit there comes from
    /// the heap.
    const LEAST: usize = size_of::<Self>();

    /// The object's head.
    fn head(&'static self) -> &'static Head {
        // SAFETY: the head is at the beginning.
        unsafe { &*ptr::from_ref(self).cast() }
    }
}

/// Id by which C names an object: its address, or null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Id(pub *mut c_void);

impl Id {
    /// No object.
    pub const NONE: Self = Self(ptr::null_mut());

    /// The id of `object`.
    pub fn of<O: Object>(object: &'static O) -> Self {
        Self(ptr::from_ref(object).cast_mut().cast())
    }

    /// The object, if it is one of the kind and not deleted.
    ///
    /// # Safety
    /// Where there is an address, a word can be read there, and if that is how an object begins, it
    /// is one.
    #[inline(always)]
    pub unsafe fn get<O: Object>(self) -> Option<&'static O> {
        if self.0.is_null() {
            cold_path();
            return None;
        }
        // SAFETY: the caller guarantees that a word is readable at the address and is an object's
        // only if an object begins there. An address that is no multiple of a word has no object
        // and no such word.
        unsafe {
            let kind = self.0.cast::<u32>().read_unaligned();
            if kind != O::KIND && kind != O::TURNED {
                cold_path();
                return None;
            }
            Some(&*self.0.cast::<O>())
        }
    }

    /// Returns the object as [`Id::get`] does, but only if the call `is_allowed` in its context. If
    /// calls are inlined into a caller and each checks the context first, the caller checks it once
    /// for all.
    ///
    /// # Safety
    /// As [`Id::get`].
    #[inline(always)]
    pub unsafe fn get_where<O: Object>(self, is_allowed: fn() -> bool) -> Option<&'static O> {
        let looks_first = cfg!(feature = "bitcode");
        if looks_first && !is_allowed() {
            return None;
        }
        // SAFETY: the contract of this function is that of `Id::get`.
        unsafe { self.get() }.filter(|_| looks_first || is_allowed())
    }
}

/// Common beginning of the attributes of all objects (`osSemaphoreAttr_t` and the like).
#[repr(C)]
pub struct Attributes {
    pub name: *const c_char,
    pub bits: u32,
    pub block: *mut u8,
    pub block_size: u32,
}

impl Attributes {
    /// Those of an object for which none are given.
    pub const NONE: Self = Self {
        name: ptr::null(),
        bits: 0,
        block: ptr::null_mut(),
        block_size: 0,
    };
}

/// Memory for objects and what belongs to them.
#[derive(Clone, Copy)]
pub struct Memory {
    pub start: NonNull<u8>,
    pub in_heap: bool,
}

impl Memory {
    /// `size` bytes of the heap.
    pub fn of_heap(size: usize) -> Option<Self> {
        Self::of_heap_at(size, 1)
    }

    /// `size` bytes of the heap at a multiple of `alignment`, by which they are given back. If the
    /// heap has fewer, it calls the hook of a FreeRTOS program that requests this.
    pub fn of_heap_at(size: usize, alignment: usize) -> Option<Self> {
        let start = masked(|| os().heap.allocate(size, alignment));
        if start.is_none()
            && let Some(failed) = configuration().malloc_failed
        {
            failed();
        }
        start.map(|start| Self {
            start,
            in_heap: true,
        })
    }

    /// A value in the heap; none where there is no memory for it.
    pub fn hold<T>(value: T) -> Option<&'static T> {
        let place = Self::of_heap(size_of::<T>())?.start.cast::<T>();
        // SAFETY: memory of the heap for one, aligned for anything, which no code uses yet.
        unsafe {
            place.write(value);
            Some(place.as_ref())
        }
    }

    /// Gives back the memory of a value that alone has a block of the heap, as [`Memory::hold`]
    /// gives it.
    ///
    /// # Safety
    /// The value has such memory, and no code uses it any more.
    pub unsafe fn let_go<T: ?Sized>(value: &'static T) {
        let memory = Self {
            start: NonNull::from(value).cast(),
            in_heap: true,
        };
        // SAFETY: the caller guarantees that the value alone has memory of the heap, and that no
        // code uses it any more.
        unsafe { memory.free() };
    }

    /// The `given` memory, if `size` bytes at a multiple of `alignment` fit there; else none, or
    /// that of the heap where as many as `least` were given, or none at all.
    pub fn new(
        given: *mut u8,
        given_size: usize,
        size: usize,
        alignment: usize,
        least: usize,
    ) -> Option<Self> {
        let Some(start) = NonNull::new(given) else {
            return (given_size == 0)
                .then(|| Self::of_heap_at(size, alignment))
                .flatten();
        };
        if !given.addr().is_multiple_of(align_of::<u32>()) || given_size < least {
            return None;
        }
        let skipped = given.addr().next_multiple_of(alignment) - given.addr();
        if skipped + size > given_size {
            return Self::of_heap_at(size, alignment);
        }
        Some(Self {
            // SAFETY: within the memory that was given.
            start: unsafe { start.add(skipped) },
            in_heap: false,
        })
    }

    /// Returns the memory as words.
    ///
    /// # Safety
    /// There are `count` words, at a multiple of a word, and no other code uses them.
    pub unsafe fn words(self, count: usize) -> &'static mut [MaybeUninit<usize>] {
        // SAFETY: the caller guarantees that `count` aligned words are there and that no other code
        // uses them.
        unsafe { NonNull::slice_from_raw_parts(self.start.cast(), count).as_mut() }
    }

    /// Gives the memory back to its source.
    ///
    /// # Safety
    /// No code uses it any more, and it was not requested at an alignment.
    pub unsafe fn free(self) {
        // SAFETY: the caller guarantees that no code uses the memory any more. It was not allocated
        // at an alignment.
        unsafe { self.free_at(1) }
    }

    /// Gives back memory that was requested at an alignment.
    ///
    /// # Safety
    /// No code uses it any more, and it was this alignment.
    pub unsafe fn free_at(self, alignment: usize) {
        if self.in_heap {
            // SAFETY: the block was allocated by `of_heap_at`.
            masked(|| unsafe { os().heap.free(self.start, alignment) });
        }
    }
}

/// Memory for an object.
pub fn block_for<O: Object>(attributes: &Attributes) -> Option<Memory> {
    Memory::new(
        attributes.block,
        attributes.block_size as usize,
        size_of::<O>(),
        align_of::<O>(),
        O::LEAST,
    )
}

/// The head of a new object.
pub fn head<O: Object>(attributes: &Attributes, memory: Memory) -> Head {
    Head {
        kind: Cell::new(O::KIND),
        in_heap: Cell::new(memory.in_heap),
        name: Cell::new(attributes.name),
    }
}

/// Puts a new object into memory for it.
///
/// # Safety
/// The memory is that of [`block_for`] this kind, and no other code uses it.
pub unsafe fn put<O: Object>(memory: Memory, object: O) -> Id {
    let place = memory.start.cast::<O>();
    // SAFETY: the caller guarantees that the memory is from `block_for` this kind, and that no
    // other code uses it.
    unsafe { place.write(object) };
    Id(place.as_ptr().cast())
}

impl Head {
    /// The name that the object was given; null where there was none.
    pub fn name(&self) -> *const c_char {
        self.name.get()
    }

    /// The object is known as one that has turned from now on.
    pub fn turn<O: Object>(&self) {
        self.kind.set(O::TURNED);
    }

    /// Whether it has, or is deleted.
    pub fn has_turned<O: Object>(&self) -> bool {
        self.kind.get() != O::KIND
    }

    /// Revokes the object's id. Returns whether the id was valid: of two threads that delete an
    /// object one gets `true`.
    pub fn revoke(&self) -> bool {
        masked(|| self.kind.replace(0) != 0)
    }
}

/// Gives the memory of `object` back; its id was revoked.
///
/// # Safety
/// No code uses the object any more.
pub unsafe fn release<O: Object>(object: &'static O) {
    let memory = Memory {
        start: NonNull::from(object).cast(),
        in_heap: object.head().in_heap.get(),
    };
    // SAFETY: the caller guarantees that no code uses the object any more. Its memory was allocated
    // as `block_for` does.
    unsafe { memory.free_at(align_of::<O>()) }
}

/// Deletes `object`: no call finds it by its id, `end` sends its waiters away, and its memory is
/// given back.
///
/// # Safety
/// A waiter that was sent away does not read the object again.
pub unsafe fn delete<O: Object>(object: &'static O, end: impl FnOnce(&'static O)) -> bool {
    let first = object.head().revoke();
    if first {
        end(object);
        // SAFETY: the object's id is revoked, and the caller guarantees that no waiter reads the
        // object again.
        unsafe { release(object) }
    }
    first
}
