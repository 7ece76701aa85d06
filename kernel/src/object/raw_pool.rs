//! Owns: pools of memory blocks with sizes that are known at run time, in memory that a caller
//! gives.
//! Must never know: the use of the blocks.
#![expect(unsafe_code, reason = "the links of free blocks lie in them")]

use crate::critical_section::{CriticalSection, Guarded, Operation};
use crate::object::deletion::{self, Deletable};
use crate::object::inverse::Inverse;
use crate::sched::{IntoResult, OutcomeOf, compiler_barrier, fail, hold, stay};
use crate::wait::WaitQueue;
use crate::{Error, Status, System, Timeout};
use core::hint::cold_path;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// Blocks of one size, aligned to a machine word, in memory that was given.
///
/// A block that is freed while threads wait for one goes straight to the most urgent of them, first
/// come first served among equals. The pool's data of free blocks are in them: each begins with the
/// number of the next. If there is space, a mark follows, by which a block that is freed twice is
/// noticed. Code that writes to a free block can lose the pool its free blocks; the pool never
/// hands out anything that is not one of its blocks.
#[repr(C)]
pub struct RawPool<S> {
    waiters: WaitQueue,
    /// The number of the first block that was freed; none are from [`RawPool::count`] on.
    free: Guarded<u32>,
    /// How many blocks were never handed out: the last ones.
    fresh: Guarded<u32>,
    used: Guarded<u32>,
    deleted: Guarded<bool>,
    count: u32,
    /// From block to block, in bytes.
    step: usize,
    /// The factor that takes the place of a division by it.
    inverse: Inverse,
    size: usize,
    memory: NonNull<u8>,
    system: PhantomData<fn() -> S>,
}

// SAFETY: the memory is the pool's alone, and reached in sections; blocks that are handed out are
// the caller's.
unsafe impl<S> Sync for RawPool<S> {}

/// The value of [`RawPool::free`] without a freed block.
const NONE: u32 = u32::MAX;

/// How a block begins that was freed.
#[repr(C)]
struct Freed {
    next: u32,
    mark: u32,
}

/// A mark that a program is not likely to leave there. If it does, its block is searched for among
/// the free ones. One byte, four times: an Armv7-M has that in one instruction.
const MARK: u32 = u32::from_ne_bytes([0xF4; 4]);

impl<S: System> RawPool<S> {
    /// How many words of memory `count` blocks of `size` bytes need; none where that is more than
    /// there can be, or one of them is 0.
    pub const fn words(size: usize, count: usize) -> Option<usize> {
        if size == 0 || count == 0 || count >= NONE as usize {
            return None;
        }
        size.div_ceil(size_of::<usize>()).checked_mul(count)
    }

    /// A pool of `count` blocks of `size` bytes in `memory`, all of them free.
    /// Errors: `Parameter` where there is no such pool; `NoMemory` where it does not fit.
    pub fn new(
        memory: &'static mut [MaybeUninit<usize>],
        size: usize,
        count: usize,
    ) -> Result<Self, Error> {
        let words = Self::words(size, count).ok_or(Error::Parameter)?;
        if memory.len() < words {
            return Err(Error::NoMemory);
        }
        let step = size.next_multiple_of(size_of::<usize>());
        Ok(Self {
            waiters: WaitQueue::new(),
            free: Guarded::new(NONE),
            fresh: Guarded::new(count as u32),
            used: Guarded::new(0),
            deleted: Guarded::new(false),
            count: count as u32,
            step,
            inverse: Inverse::of(step),
            size,
            memory: NonNull::from(memory).cast(),
            system: PhantomData,
        })
    }

    /// Takes a free block, waiting for one as long as `timeout` says. Its content is what its last
    /// user left. Allowed in interrupt handlers at the kernel's level, with [`Timeout::NONE`].
    ///
    /// Bound without waiting: fixed. Errors: `Timeout`, `WouldBlock`, `Deleted`, `Cancelled`;
    /// `Context` in an interrupt handler where no block is free (or the pool is deleted).
    #[inline(always)]
    pub fn allocate(&'static self, timeout: Timeout) -> Result<NonNull<u8>, Error> {
        let held = hold::<S>();
        if let Some(block) = self.take(held.section()) {
            return Ok(block);
        }
        let answer = held.enter::<Await<S>>(self, 0, timeout);
        answer.into_result::<S>()?;
        Ok(self.block(answer.value as u32))
    }

    /// Takes a free block, if there is one. Then that is what [`RawPool::allocate`] does, in code
    /// that switches no threads: the function around it saves fewer registers. Never waits;
    /// allowed in interrupt handlers at the kernel's level. Bound: fixed.
    #[inline(always)]
    pub fn allocate_at_once(&'static self) -> Option<NonNull<u8>> {
        self.take(hold::<S>().section())
    }

    #[inline(always)]
    fn take(&self, cs: CriticalSection<'_>) -> Option<NonNull<u8>> {
        let number = self.free.get(cs);
        if number < self.count {
            self.used.set(cs, self.used.get(cs) + 1);
            compiler_barrier();
            return Some(self.take_freed(cs, number));
        }
        cold_path();
        let fresh = self.fresh.get(cs);
        if fresh > 0 {
            self.fresh.set(cs, fresh - 1);
            self.used.set(cs, self.used.get(cs) + 1);
            compiler_barrier();
            return Some(self.block(self.count - fresh));
        }
        None
    }

    /// Makes `block` free. Never waits; allowed in interrupt handlers at the kernel's level.
    ///
    /// Bound: fixed (and the removal of the time-out of a thread that waits for a block, if it has
    /// one). Errors: `Parameter` for what is not the beginning of a block of this pool; `State`
    /// where the block is free already (of 8 bytes or more: else, where no block is in use);
    /// `Deleted`.
    #[inline(always)]
    pub fn free(&'static self, block: *const u8) -> Result<(), Error> {
        let number = self.number_of(block).ok_or(Error::Parameter)?;
        let held = hold::<S>();
        let cs = held.section();
        let used = self.used.get(cs);
        let freed = self.freed(block);
        if used == 0 || self.is_freed(cs, number as u32, freed) {
            return Err(if self.deleted.get(cs) {
                Error::Deleted
            } else {
                Error::State
            });
        }
        if !self.waiters.is_empty(cs) {
            return held.enter::<Free<S>>(self, number, Timeout::NONE).done();
        }
        self.put_freed(cs, number as u32, freed);
        self.used.set(cs, used - 1);
        Ok(())
    }

    /// Makes `block` free, if it is one of the pool's in use, does not look like a free one and no
    /// thread waits for one; whether it did. It is to [`RawPool::free`] what
    /// [`RawPool::allocate_at_once`] is to [`RawPool::allocate`]. Never waits; allowed in interrupt
    /// handlers at the kernel's level. Bound: fixed.
    #[inline(always)]
    pub fn free_at_once(&'static self, block: *const u8) -> bool {
        let Some(number) = self.number_of(block) else {
            return false;
        };
        let held = hold::<S>();
        let cs = held.section();
        let used = self.used.get(cs);
        let freed = self.freed(block);
        if used == 0 || !self.waiters.is_empty(cs) || self.is_marked(freed) {
            return false;
        }
        self.put_freed(cs, number as u32, freed);
        compiler_barrier();
        self.used.set(cs, used - 1);
        true
    }

    /// The number of the block that begins there.
    #[inline(always)]
    fn number_of(&self, block: *const u8) -> Option<usize> {
        let offset = block.addr().wrapping_sub(self.memory.addr().get());
        let number = self.inverse.quotient(offset);
        compiler_barrier();
        // The blocks lie in the address space: what is not the beginning of one gives a number
        // above all that could.
        (number < self.count as usize).then_some(number)
    }

    /// Returns the place of the link at the beginning of a block of the pool's, once it is free.
    #[inline(always)]
    fn freed(&self, block: *const u8) -> *mut Freed {
        self.memory.as_ptr().with_addr(block.addr()).cast()
    }

    /// Whether there is room for a mark in a free block.
    #[inline(always)]
    const fn has_marks(&self) -> bool {
        self.step >= size_of::<Freed>()
    }

    /// Takes the first block out of the list of those that were freed.
    #[inline(always)]
    fn take_freed(&self, cs: CriticalSection<'_>, number: u32) -> NonNull<u8> {
        let block = self.block(number);
        let freed = block.cast::<Freed>().as_ptr();
        let has_marks = self.has_marks();
        // SAFETY: the block is free: its first bytes, as many as it has, are the pool's, and
        // aligned to a word.
        unsafe {
            self.free.set(cs, (&raw const (*freed).next).read());
            if has_marks {
                (&raw mut (*freed).mark).write(0);
            }
        }
        block
    }

    /// Puts a block into that list.
    #[inline(always)]
    fn put_freed(&self, cs: CriticalSection<'_>, number: u32, freed: *mut Freed) {
        let has_marks = self.has_marks();
        // SAFETY: the block is the pool's from here on; otherwise as for `take_freed`.
        unsafe {
            (&raw mut (*freed).next).write(self.free.get(cs));
            compiler_barrier();
            if has_marks {
                (&raw mut (*freed).mark).write(MARK);
            }
        }
        self.free.set(cs, number);
    }

    /// Whether the block was freed already.
    #[inline(always)]
    fn is_freed(&self, cs: CriticalSection<'_>, number: u32, freed: *mut Freed) -> bool {
        self.is_marked(freed) && self.is_listed(cs, number)
    }

    /// Whether the block looks like one that was.
    #[inline(always)]
    fn is_marked(&self, freed: *mut Freed) -> bool {
        // SAFETY: where there is room for a mark, the block begins with it, or with the program's
        // bytes.
        self.has_marks() && unsafe { (&raw const (*freed).mark).read() } == MARK
    }

    /// Whether the block is in the list of those that were freed. Steps: those before it.
    #[cold]
    #[inline(never)]
    fn is_listed(&self, cs: CriticalSection<'_>, number: u32) -> bool {
        let mut next = self.free.get(cs);
        // A list that was written over may lead anywhere, but not for ever.
        for _ in 0..self.count {
            if next == number {
                return true;
            }
            if next >= self.count {
                break;
            }
            // SAFETY: a block of the pool; what it begins with is a number that is looked at before
            // it is used.
            next = unsafe { self.block(next).cast::<u32>().read() };
        }
        false
    }

    /// The address of the block `number`, which is below the count.
    #[inline(always)]
    fn block(&self, number: u32) -> NonNull<u8> {
        // SAFETY: within the memory that was given, which has room for `count` steps.
        unsafe { self.memory.add(number as usize * self.step) }
    }

    /// How many blocks there are.
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// How many bytes a block has.
    pub const fn size(&self) -> usize {
        self.size
    }

    /// How many blocks are in use; 0 in a deleted pool. Allowed in interrupt handlers. Bound:
    /// fixed.
    pub fn used(&'static self) -> usize {
        self.used.get(hold::<S>().section()) as usize
    }

    /// Deletes the pool: threads that wait for a block get `Deleted`, and so does each later call.
    /// The blocks are no longer the pool's. Allowed in interrupt handlers.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }
}

impl<S: System> Deletable for RawPool<S> {
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.deleted.get(cs)
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.deleted.set(cs, true);
        self.free.set(cs, NONE);
        self.fresh.set(cs, 0);
        self.used.set(cs, 0);
        S::kernel().flush(cs, &self.waiters, Error::Deleted);
    }
}

struct Await<S>(PhantomData<S>);

impl<S: System> Operation<S> for Await<S> {
    type Object = RawPool<S>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        pool: &'static RawPool<S>,
        _: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if pool.deleted.get(cs) {
            return fail::<S>(Error::Deleted);
        }
        S::kernel().block_in(cs, &pool.waiters, timeout)
    }
}

/// Gives the block with the number of the argument to the most urgent waiter.
struct Free<S>(PhantomData<S>);

impl<S: System> Operation<S> for Free<S> {
    type Object = RawPool<S>;
    const USES_TIMEOUT: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        pool: &'static RawPool<S>,
        number: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let Some(waiter) = pool.waiters.first(cs) else {
            return stay::<S>(Status::OK);
        };
        pool.waiters.pop(cs, waiter);
        waiter.set_value(cs, number);
        S::kernel().conclude_by_waking(cs, waiter)
    }
}
