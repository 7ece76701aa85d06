//! Owns: the heap as a program sees it. Must never know: what the memory is for.

use crate::cmsis::interface;
use crate::object::Memory;
use crate::os::{masked, os};
use core::ffi::c_void;
use core::ptr::{self, NonNull};

interface! {
    /// `size` bytes of the heap, at a multiple of 32; null where none are free. In a fixed number
    /// of steps. Not allowed in handlers above the kernel's level.
    fn pvPortMalloc(size: usize) -> *mut c_void {
        super::prepare();
        Memory::of_heap(size.max(1)).map_or(ptr::null_mut(), |memory| memory.start.as_ptr().cast())
    }

    /// How many bytes of the heap are free, in blocks of whatever size.
    fn xPortGetFreeHeapSize() -> usize {
        super::prepare();
        masked(|| os().heap.free_bytes())
    }

    /// How many have been free at least.
    fn xPortGetMinimumEverFreeHeapSize() -> usize {
        super::prepare();
        masked(|| os().heap.least_free_bytes())
    }

    /// Gives back what `pvPortMalloc` gave; null is nothing.
    fn vPortFree(block: *mut c_void) {
        if let Some(start) = NonNull::new(block.cast()) {
            // SAFETY: the caller guarantees that `block` is a block of the heap that no code uses
            // any more.
            unsafe { Memory { start, in_heap: true }.free() };
        }
    }
}
