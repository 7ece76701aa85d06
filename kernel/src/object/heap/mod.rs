//! Owns: heaps: memory of any size for threads that may wait for it.
//! Must never know: the use of the memory.
#![expect(
    unsafe_code,
    reason = "a block's memory belongs to the code that has its guard"
)]

mod free;
mod records;
mod size;
#[cfg(test)]
mod tests;

use crate::critical_section::Guarded;
use crate::object::deletion::{self, Deletable};
use crate::sched::hold;
use crate::{Error, System, Timeout};
use core::alloc::Layout;
use core::ops::{Deref, DerefMut};
use core::ptr::{self, NonNull};
use core::slice;
use records::Records;

/// The memory of a heap, aligned to the allocator's unit.
#[cfg_attr(target_pointer_width = "32", repr(C, align(16)))]
#[cfg_attr(target_pointer_width = "64", repr(C, align(32)))]
struct Memory<const BYTES: usize>([u8; BYTES]);

/// `BYTES` bytes of memory, given out in blocks of any size and alignment.
///
/// An allocator with lists of free blocks by size (two-level segregated fit): to allocate and to
/// free takes a fixed number of steps, however many blocks there are. There are eight lists for
/// each power of two, and a request is served from a list of which each block is large enough. So a
/// free block serves requests up to the least size of its list: seven eighths of it, or more.
///
/// Threads wait by priority, first come first served among equals, and in this order they get
/// memory: as long as the first waits, no less urgent thread and no later equal one gets any,
/// however small its request is. So no request is overtaken for ever.
///
/// The allocator's records are next to the blocks: code that writes beyond its block destroys them.
#[repr(C)]
pub struct Heap<S, const BYTES: usize> {
    records: Records<S>,
    memory: Guarded<Memory<BYTES>>,
}

impl<S: System, const BYTES: usize> Heap<S, BYTES> {
    /// The size of the one free block that a heap is at first.
    const WHOLE: usize = size::whole(BYTES);

    /// The largest request in bytes, aligned to two words or less, that a heap serves when all is
    /// free.
    pub const LARGEST: usize = size::largest(Self::WHOLE);

    /// Creates a heap. All its memory is free and zero.
    ///
    /// # Panics
    /// If `BYTES` is below 8 words, or above 16 MiB (2 GiB with addresses of 64 bits): for a
    /// static, when it is compiled.
    pub const fn new() -> Self {
        assert!(
            BYTES >= size::LEAST && BYTES <= size::GREATEST,
            "a heap needs 8 words to 16 MiB, or to 2 GiB on 64 bits"
        );
        Self {
            records: Records::new(),
            memory: Guarded::new(Memory([0; BYTES])),
        }
    }

    /// Takes memory of the size and alignment of `layout`, waiting for it as long as `timeout`
    /// says. Its content is what its last user left. Allowed in interrupt handlers at the kernel's
    /// level, with [`Timeout::NONE`]: a handler goes before the threads that wait.
    ///
    /// A block of n bytes takes n and two words, rounded up to a multiple of four words. An
    /// alignment above two words may take as many bytes more.
    ///
    /// Bound without waiting: fixed. A wait that ends with `Timeout` or `Cancelled` serves the
    /// threads behind the caller: fixed, and an allocation and a wake for each that is served.
    /// Errors: `NoMemory` if the heap does not serve it even when all is free
    /// ([`Heap::LARGEST`]); `Timeout`,
    /// `WouldBlock`, `Deleted`, `Cancelled`; `Context` in an interrupt handler if too little is
    /// free (or the heap is deleted).
    pub fn allocate(
        &'static self,
        layout: Layout,
        timeout: Timeout,
    ) -> Result<HeapBlock<S>, Error> {
        if !size::fits(layout, Self::WHOLE) {
            return Err(Error::NoMemory);
        }
        let held = hold::<S>();
        // SAFETY: `self` is static, and no code but the allocator and the guards of its blocks
        // reaches `memory`.
        unsafe { self.records.free.fill(held.section(), self.memory()) };
        let memory = self.records.allocate(held, layout, timeout)?;
        Ok(HeapBlock {
            heap: &self.records,
            memory,
            layout,
        })
    }

    /// Makes a guard of a block that was [leaked](HeapBlock::leak).
    ///
    /// Bound: fixed. Errors: `Parameter` if the memory is not in this heap.
    ///
    /// # Safety
    /// A block of this heap that was allocated with `layout` begins at `memory`. It was leaked, no
    /// guard was made of it since, and no reference to it is used any more.
    pub unsafe fn reclaim(
        &'static self,
        memory: NonNull<u8>,
        layout: Layout,
    ) -> Result<HeapBlock<S>, Error> {
        let first = ptr::from_ref(&self.memory).addr();
        if memory.addr().get().wrapping_sub(first) >= BYTES {
            return Err(Error::Parameter);
        }
        Ok(HeapBlock {
            heap: &self.records,
            memory,
            layout,
        })
    }

    /// The number of free bytes, in how large pieces is not said; 0 in a deleted heap. A block in
    /// use counts with what it takes at most ([`Heap::allocate`]). Allowed in interrupt handlers.
    /// Bound: fixed.
    pub fn available(&'static self) -> usize {
        let held = hold::<S>();
        let cs = held.section();
        if self.records.is_deleted(cs) {
            return 0;
        }
        Self::WHOLE.saturating_sub(self.records.free.used(cs))
    }

    /// Deletes the heap: threads that wait for memory get `Deleted`, and so does each later call.
    /// Blocks that are in use stay so until they are dropped. Allowed in interrupt handlers.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Records<S>>(&self.records)
    }

    /// Makes a deleted heap usable again; blocks that are still in use stay so.
    /// Bound: fixed. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        self.records.renew(hold::<S>().section())
    }

    /// The memory, as the allocator gets it.
    fn memory(&'static self) -> NonNull<[u8]> {
        // The cell's address is that of its content.
        let first = NonNull::from(&self.memory).cast();
        NonNull::slice_from_raw_parts(first, BYTES)
    }
}

impl<S: System, const BYTES: usize> Default for Heap<S, BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

/// Memory of a [`Heap`], and the right to use it.
///
/// Dropping it makes the memory free, and gives it to threads that wait for some, in order, until
/// the first of them cannot be served. That never waits and is allowed in interrupt handlers at the
/// kernel's level. Bound: fixed, and an allocation, a wake and the removal of a time-out for each
/// thread that is served. A thread that is deleted by another one drops nothing: its blocks stay in
/// use.
pub struct HeapBlock<S: System> {
    heap: &'static Records<S>,
    memory: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block is the one owner of its bytes, as a box is; the records are reached in sections
// alone.
unsafe impl<S: System> Send for HeapBlock<S> {}
// SAFETY: a shared block gives shared references to bytes.
unsafe impl<S: System> Sync for HeapBlock<S> {}

impl<S: System> HeapBlock<S> {
    /// Returns the memory without its guard, for owners that keep it in a form of their own. It is
    /// in use until [`Heap::reclaim`] makes a guard of it again.
    pub fn leak(self) -> &'static mut [u8] {
        let (memory, size) = (self.memory, self.layout.size());
        core::mem::forget(self);
        // SAFETY: as in `deref_mut`; the guard that had it is forgotten, and heaps are static.
        unsafe { slice::from_raw_parts_mut(memory.as_ptr(), size) }
    }
}

impl<S: System> Deref for HeapBlock<S> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: the heap gave `layout.size()` bytes to this guard, which is borrowed; they are
        // initialized: zero, or what the allocator or the last user wrote.
        unsafe { slice::from_raw_parts(self.memory.as_ptr(), self.layout.size()) }
    }
}

impl<S: System> DerefMut for HeapBlock<S> {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and the guard is borrowed mutably.
        unsafe { slice::from_raw_parts_mut(self.memory.as_ptr(), self.layout.size()) }
    }
}

impl<S: System> Drop for HeapBlock<S> {
    fn drop(&mut self) {
        // SAFETY: a guard has memory that its heap gave for `layout` (`Heap::allocate`; `reclaim`
        // requires it), and is the only one; nothing is borrowed from it any more.
        unsafe { self.heap.free(self.memory, self.layout) };
    }
}
