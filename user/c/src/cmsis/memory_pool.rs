//! Owns: the standard's memory pools. Must never know: how the kernel's work.

use super::status::{ISR, OK, PARAMETER, RESOURCE, Status, status};
use super::{get_name, interface};
use crate::object::{self, Attributes, Head, Id, Memory, Object};
use crate::os::{Caller, caller, in_handler, surely_in_thread, timeout};
use core::ptr;
use taktos::board::Board;
use taktos::{RawPool, Timeout};
use taktos_machine::slow_path;

/// Attributes of objects that have data in addition to their control block: `osMemoryPoolAttr_t`,
/// `osMessageQueueAttr_t`.
#[repr(C)]
pub struct DataAttributes {
    /// Attributes that all objects have.
    pub base: Attributes,
    /// Memory for the data, or null.
    pub data: *mut u8,
    /// Its size in bytes.
    pub data_size: u32,
}

impl DataAttributes {
    /// Those of an object for which none are given.
    pub const NONE: Self = Self {
        base: Attributes::NONE,
        data: ptr::null_mut(),
        data_size: 0,
    };

    /// Memory for `words` words, in the memory that was given if they fit there. The standard's
    /// minimum is `count` messages or blocks of `size` bytes. The kernel may need more, for the
    /// links of messages: the words come from the heap then.
    pub fn memory(&self, words: usize, size: usize, count: usize) -> Option<Memory> {
        let least = size.checked_mul(count)?;
        Memory::new(
            self.data,
            self.data_size as usize,
            words.checked_mul(size_of::<usize>())?,
            align_of::<usize>(),
            least,
        )
    }
}

/// A memory pool.
#[repr(C)]
pub struct OsMemoryPool {
    head: Head,
    memory: Memory,
    pool: RawPool<Board>,
}

// SAFETY: it begins with its head.
unsafe impl Object for OsMemoryPool {
    const KIND: u32 = object::kind(0xE4);
}

get_name!(osMemoryPoolGetName, OsMemoryPool);

fn new_pool(count: usize, size: usize, attributes: &DataAttributes) -> Option<Id> {
    let words = RawPool::<Board>::words(size, count)?;
    let memory = attributes.memory(words, size, count)?;
    let Some(block) = object::block_for::<OsMemoryPool>(&attributes.base) else {
        // SAFETY: no other code has its address.
        unsafe { memory.free() };
        return None;
    };
    // SAFETY: memory for this number of words, which belongs to the pool alone.
    let pool = RawPool::new(unsafe { memory.words(words) }, size, count).ok()?;
    let head = object::head::<OsMemoryPool>(&attributes.base, block);
    // SAFETY: memory for one.
    Some(unsafe { object::put(block, OsMemoryPool { head, memory, pool }) })
}

/// Returns the number that `look` reads from a pool; 0 if the id is not a pool's.
///
/// # Safety
/// As for [`Id::get`].
unsafe fn of_pool(id: Id, look: impl FnOnce(&'static RawPool<Board>) -> usize) -> u32 {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    match unsafe { id.get::<OsMemoryPool>() } {
        Some(object) if caller() != Caller::Above => look(&object.pool) as u32,
        _ => 0,
    }
}

interface! {
    /// Makes a pool of `count` blocks of `size` bytes. Null in a handler, without memory, or where
    /// one of them is 0.
    fn osMemoryPoolNew(count: u32, size: u32, attributes: *const DataAttributes) -> Id {
        if in_handler() {
            return Id::NONE;
        }
        // SAFETY: the caller guarantees that `attributes` is null or valid.
        let attributes = unsafe { attributes.as_ref() }.unwrap_or(&DataAttributes::NONE);
        new_pool(count as usize, size as usize, attributes).unwrap_or(Id::NONE)
    }

    /// Takes a block, waiting for one; null where none was to be had. In a handler without a
    /// time-out only.
    fn osMemoryPoolAlloc(id: Id, ticks: u32) -> *mut u8 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let object = unsafe { id.get_where::<OsMemoryPool>(surely_in_thread) };
        match object.and_then(|object| object.pool.allocate_at_once()) {
            Some(block) => block.as_ptr(),
            // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
            None => slow_path(unsafe { allocate(id, ticks) }),
        }
    }

    /// Gives a block back. `osErrorParameter` for what is no block of the pool, `osErrorResource`
    /// where none is in use. Allowed in handlers.
    fn osMemoryPoolFree(id: Id, block: *mut u8) -> Status {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get_where::<OsMemoryPool>(surely_in_thread) } {
            Some(object) if object.pool.free_at_once(block) => OK,
            // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
            _ => slow_path(unsafe { free(id, block) }),
        }
    }

    /// How many blocks a pool has. Allowed in handlers.
    fn osMemoryPoolGetCapacity(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { of_pool(id, |pool| pool.count()) }
    }

    /// How many bytes a block has. Allowed in handlers.
    fn osMemoryPoolGetBlockSize(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { of_pool(id, |pool| pool.size()) }
    }

    /// How many blocks are in use. Allowed in handlers.
    fn osMemoryPoolGetCount(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { of_pool(id, |pool| pool.used()) }
    }

    /// How many blocks are free. Allowed in handlers.
    fn osMemoryPoolGetSpace(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { of_pool(id, |pool| pool.count() - pool.used()) }
    }

    /// Deletes a pool, whether its blocks are in use or not; threads that wait for a block get
    /// null.
    fn osMemoryPoolDelete(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(object) = (unsafe { id.get::<OsMemoryPool>() }) else {
            return PARAMETER;
        };
        let end = |object: &'static OsMemoryPool| {
            let _ = object.pool.delete();
            // SAFETY: the pool hands out no more of it.
            unsafe { object.memory.free() };
        };
        // SAFETY: waiters come back with an error and look no more.
        match unsafe { object::delete(object, end) } {
            true => OK,
            false => RESOURCE,
        }
    }
}

/// [`osMemoryPoolAlloc`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn allocate(id: Id, ticks: u32) -> *mut u8 {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let Some(object) = (unsafe { id.get::<OsMemoryPool>() }) else {
        return ptr::null_mut();
    };
    let block = match caller() {
        Caller::Thread => object.pool.allocate(timeout(ticks)),
        Caller::Handler if ticks == 0 => object.pool.allocate(Timeout::NONE),
        _ => return ptr::null_mut(),
    };
    block.map_or(ptr::null_mut(), ptr::NonNull::as_ptr)
}

/// [`osMemoryPoolFree`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn free(id: Id, block: *mut u8) -> Status {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let Some(object) = (unsafe { id.get::<OsMemoryPool>() }) else {
        return PARAMETER;
    };
    if caller() == Caller::Above {
        return ISR;
    }
    status(object.pool.free(block))
}
