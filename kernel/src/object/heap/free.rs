//! Owns: the free memory of a heap, in lists by size.
//! Must never know: the threads that wait for memory, the use of the memory.
#![expect(
    unsafe_code,
    reason = "the links of free blocks lie in them, and the allocator asks for a mutable reference"
)]

use super::size::{LEVELS, LISTS, room};
use crate::critical_section::{CriticalSection, Guarded};
use core::alloc::Layout;
use core::cell::UnsafeCell;
use core::ptr::NonNull;

type Lists = rlsf::Tlsf<'static, u32, u8, LEVELS, LISTS>;

/// Free memory. A new one is all zeros: in a static it takes no space in the image.
#[repr(C)]
pub(super) struct FreeMemory {
    lists: Guarded<UnsafeCell<Lists>>,
    /// Room of the blocks in use.
    used: Guarded<usize>,
    is_filled: Guarded<bool>,
}

impl FreeMemory {
    /// No memory.
    pub const fn new() -> Self {
        Self {
            lists: Guarded::new(UnsafeCell::new(Lists::new())),
            used: Guarded::new(0),
            is_filled: Guarded::new(false),
        }
    }

    /// Adds `memory` if none was added before.
    ///
    /// # Safety
    /// `memory` is static, and is reached only through this and through the blocks that this gives.
    pub unsafe fn fill(&self, cs: CriticalSection<'_>, memory: NonNull<[u8]>) {
        if self.is_filled.get(cs) {
            return;
        }
        // SAFETY: no other code has a reference to the lists: references to them are made in this
        // file only, in sections, and each ends with the call of the allocator, which calls
        // nothing here. The memory is the allocator's from here on, by the caller's contract.
        unsafe { (*self.lists.borrow(cs).get()).insert_free_block_ptr(memory) };
        self.is_filled.set(cs, true);
    }

    /// Takes out memory for `layout`, if a list has a block that is large enough.
    pub fn take(&self, cs: CriticalSection<'_>, layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: the only reference to the lists, as in `fill`.
        let memory = unsafe { (*self.lists.borrow(cs).get()).allocate(layout) }?;
        self.used.set(cs, self.used.get(cs) + room(layout));
        Some(memory)
    }

    /// Puts memory back.
    ///
    /// # Safety
    /// [`FreeMemory::take`] of this gave `memory` for `layout`; it was not put back since, and no
    /// code uses it any more.
    pub unsafe fn put(&self, cs: CriticalSection<'_>, memory: NonNull<u8>, layout: Layout) {
        // SAFETY: the only reference to the lists, as in `fill`; the memory was allocated from
        // them with this alignment, by the caller's contract.
        unsafe { (*self.lists.borrow(cs).get()).deallocate(memory, layout.align()) };
        self.used.set(cs, self.used.get(cs) - room(layout));
    }

    /// Returns the room of the blocks in use, each with its header.
    pub fn used(&self, cs: CriticalSection<'_>) -> usize {
        self.used.get(cs)
    }
}
