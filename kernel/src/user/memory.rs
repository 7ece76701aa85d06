//! Owns: the memory of a partition, and its content. Must never know: threads, objects.
#![expect(
    unsafe_code,
    reason = "memory that threads of a partition use and nobody else does"
)]

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr;

/// The data that all threads of a partition share. A partition begins with them as new whenever it
/// is started.
pub trait Data: Sync + Sized + 'static {
    /// The data at the start.
    const NEW: Self;
}

impl Data for () {
    const NEW: Self = ();
}

/// The memory of a partition: the stacks of its threads, that of the first one lowest, so that this
/// one leaves the partition when it overflows; after them the data. Made by
/// [`partition_memory!`](crate::partition_memory).
#[repr(transparent)]
pub struct Memory<B>(UnsafeCell<MaybeUninit<B>>);

// SAFETY: the kernel touches it while no thread of the partition runs; the threads share data that
// is `Sync`, and have a stack each.
unsafe impl<B> Sync for Memory<B> {}

impl<B> Memory<B> {
    /// Unused memory of the size and the alignment of `B`.
    #[must_use]
    pub const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    pub(super) const fn start(&self) -> *const u8 {
        self.0.get().cast()
    }
}

impl<B> Default for Memory<B> {
    fn default() -> Self {
        Self::new()
    }
}

/// Defines a static memory for a partition, of a size that is a number, a power of two:
/// `partition_memory!(static PUMP: 4096)`.
#[macro_export]
macro_rules! partition_memory {
    ($(#[$attribute:meta])* $visible:vis static $name:ident: $size:literal) => {
        /// A block of this size, at an address that is a multiple of it.
        #[allow(non_camel_case_types, reason = "named as the static that it is the type of")]
        #[repr(C, align($size))]
        $visible struct $name {
            _bytes: [u8; $size],
        }

        $(#[$attribute])*
        $visible static $name: $crate::user::Memory<$name> = $crate::user::Memory::new();
    };
}

/// Clears the `size` bytes at `base` and puts new data at `place` there.
///
/// # Safety
/// The memory is a partition's, of which no thread exists, and the place is in it, aligned, with
/// space for the data after it.
pub(super) unsafe fn renew<T: Data>(base: *mut u8, size: usize, place: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe {
        ptr::write_bytes(base, 0, size);
        place.cast::<T>().write(T::NEW);
    }
}
