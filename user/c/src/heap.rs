//! Owns: the memory from which objects come that the program gives no memory for. Two-level segregated fit: each operation takes a fixed
//! number of steps. Must never know: what the memory is for.

use core::alloc::Layout;
use core::cell::RefCell;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// Free memory by 16 and more sizes, each split into 8: blocks up to 16 MiB, lost by rounding at most an eighth.
type Blocks = rlsf::Tlsf<'static, u32, u8, 20, 8>;

/// Memory by sizes. Every call is made with the kernel kept out.
pub struct Heap(RefCell<Blocks>);

/// What blocks begin at: that of the largest that an object needs.
const ALIGNMENT: usize = 32;

impl Heap {
    /// A heap without memory.
    pub const fn new() -> Self {
        Self(RefCell::new(Blocks::new()))
    }

    /// Adds memory. A little of it is lost at both ends.
    pub fn add(&self, memory: &'static mut [MaybeUninit<u8>]) {
        self.0.borrow_mut().insert_free_block(memory);
    }

    /// A block of `size` bytes; none where none is free that is large enough.
    pub fn allocate(&self, size: usize) -> Option<NonNull<u8>> {
        let layout = Layout::from_size_align(size, ALIGNMENT).ok()?;
        self.0.borrow_mut().allocate(layout)
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// The block is one of this heap's, and nobody uses it any more.
    pub unsafe fn free(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise; all blocks have one alignment.
        unsafe { self.0.borrow_mut().deallocate(block, ALIGNMENT) }
    }
}
