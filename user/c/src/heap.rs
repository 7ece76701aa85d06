//! Owns: the memory from which objects come that the program gives no memory for. Two-level
//! segregated fit: each operation takes a fixed number of steps. Must never know: what the memory
//! is for.

use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// Free memory by 16 and more sizes, each split into 8: blocks up to 16 MiB, lost by rounding at
/// most an eighth.
type Blocks = rlsf::Tlsf<'static, u32, u8, 20, 8>;

/// Memory by sizes. Every call is made with the kernel kept out.
pub struct Heap {
    blocks: RefCell<Blocks>,
    /// How many bytes are free, in blocks of whatever size, and how many there have been at least.
    free: Cell<usize>,
    least_free: Cell<usize>,
}

/// The alignment of blocks, but for those of objects that want more.
const ALIGNMENT: usize = 32;

impl Heap {
    /// A heap without memory.
    pub const fn new() -> Self {
        Self {
            blocks: RefCell::new(Blocks::new()),
            free: Cell::new(0),
            least_free: Cell::new(0),
        }
    }

    /// Adds memory. A little of it is lost at both ends.
    pub fn add(&self, memory: &'static mut [MaybeUninit<u8>]) {
        self.free.set(self.free.get() + memory.len());
        self.least_free.set(self.free.get());
        self.blocks.borrow_mut().insert_free_block(memory);
    }

    /// A block of `size` bytes at a multiple of `alignment`, and of 32; none where none is free
    /// that is large enough.
    pub fn allocate(&self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let layout = Layout::from_size_align(size, alignment.max(ALIGNMENT)).ok()?;
        let block = self.blocks.borrow_mut().allocate(layout)?;
        // SAFETY: it was allocated here.
        let taken = unsafe { Blocks::allocation_usable_size(block) };
        self.free.set(self.free.get().saturating_sub(taken));
        self.least_free
            .set(self.least_free.get().min(self.free.get()));
        Some(block)
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// The block is one of this heap's, allocated with this alignment, and no code uses it any
    /// more.
    pub unsafe fn free(&self, block: NonNull<u8>, alignment: usize) {
        // SAFETY: the caller guarantees that `block` is of this heap and alignment, and that no
        // code uses it any more.
        unsafe {
            self.free
                .set(self.free.get() + Blocks::allocation_usable_size(block));
            self.blocks
                .borrow_mut()
                .deallocate(block, alignment.max(ALIGNMENT));
        }
    }

    /// How many bytes are free: in how large blocks is not said. A little of it is what the heap
    /// notes of its blocks.
    pub fn free_bytes(&self) -> usize {
        self.free.get()
    }

    /// How many have been free at least.
    pub fn least_free_bytes(&self) -> usize {
        self.least_free.get()
    }
}
