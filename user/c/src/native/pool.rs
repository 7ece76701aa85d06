//! Pools: memory blocks of one size.

use super::{At, Code, OK, Time, Word, failed, kind, native, number, tell, timeout, with, words};
use core::ffi::c_void;
use taktos::board::Board;
use taktos::{Error, RawPool};
use taktos_machine::slow_path;

type Object = RawPool<Board>;
kind!(Object as taktos_pool_t, 0x96, 24);

native! {
    /// The bytes of memory that a pool of `count` blocks of `size` bytes needs; 0 where there is no
    /// such pool.
    fn taktos_pool_memory(size: usize, count: usize) -> usize {
        RawPool::<Board>::words(size, count).map_or(0, |words| words * size_of::<usize>())
    }

    /// Makes a pool of `count` blocks of `size` bytes, in memory of `bytes` bytes at a multiple of
    /// a word, which is the pool's from then on. Errors: Parameter for memory that is too small,
    /// and a size or count of 0.
    fn taktos_pool_init(pool: At<Object>, size: usize, count: usize, memory: *mut Word, bytes: usize) -> Code {
        // SAFETY: the caller guarantees that `bytes` bytes at `memory` belong to the pool from now
        // on.
        let made = unsafe { words(memory, bytes, RawPool::<Board>::words(size, count)) }
            .and_then(|memory| RawPool::new(memory, size, count));
        match made {
            // SAFETY: the caller guarantees that `pool` is null or memory of the header's type that
            // stays.
            Ok(object) => unsafe { pool.make(object) },
            Err(error) => failed(error),
        }
    }

    /// Takes a free block; `block` gets its address. Allowed in handlers without waiting. Errors:
    /// Timeout, WouldBlock, Cancelled; Context in a handler that would have to wait.
    fn taktos_pool_allocate(pool: At<Object>, block: *mut *mut c_void, time: Time) -> Code {
        // SAFETY: the caller guarantees that `pool` is null or memory of the header's type.
        if let Ok(object) = unsafe { pool.get() } && !block.is_null() && let Some(found) = object.allocate_at_once() {
            // SAFETY: the caller guarantees that `block` is writable.
            unsafe { block.write(found.as_ptr().cast()) };
            return OK;
        }
        // SAFETY: the caller guarantees that `pool` is null or memory of the header's type, and
        // that `block` is null or writable.
        slow_path(unsafe { allocate(pool, block, time) })
    }

    /// Gives a block back: to the most urgent waiter, or to the pool. Allowed in handlers. Errors:
    /// Parameter for what is no block of the pool's; State for one that is free, where that can be
    /// seen.
    fn taktos_pool_free(pool: At<Object>, block: *const c_void) -> Code {
        // SAFETY: the caller guarantees that `pool` is null or memory of the header's type.
        match unsafe { pool.get() } {
            Ok(object) if object.free_at_once(block.cast()) => OK,
            // SAFETY: the caller guarantees that `pool` is null or memory of the header's type.
            _ => slow_path(unsafe { free(pool, block) }),
        }
    }

    /// How many blocks are in use, or an error. Allowed in handlers.
    fn taktos_pool_used(pool: At<Object>) -> isize {
        // SAFETY: the caller guarantees that `pool` is null or memory of the header's type.
        number::<Error>(unsafe { pool.get() }.map(|object| object.used()))
    }

    /// Deletes it: its waiters get Deleted. The memory is the program's again.
    fn taktos_pool_delete(pool: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `pool` is null or memory of the header's type.
        unsafe { pool.end(|object| object.delete()) }
    }
}

/// [`taktos_pool_allocate`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn allocate(pool: At<Object>, block: *mut *mut c_void, time: Time) -> Code {
    if block.is_null() {
        return failed(Error::Parameter);
    }
    // SAFETY: the caller guarantees that `pool` is null or memory of the header's type, and `block`
    // is null or writable.
    unsafe {
        with(pool, |object| {
            object
                .allocate(timeout(time))
                .map(|found| tell(block, found.as_ptr().cast()))
        })
    }
}

/// [`taktos_pool_free`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn free(pool: At<Object>, block: *const c_void) -> Code {
    // SAFETY: the caller guarantees that `pool` is null or memory of the header's type.
    unsafe { with(pool, |object| object.free(block.cast())) }
}
