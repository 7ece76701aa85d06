//! Owns: pools of memory blocks of one size. Must never know: what the blocks are used for.
#![expect(
    unsafe_code,
    reason = "a block's memory belongs to whoever has its guard"
)]

use crate::critical_section::{CriticalSection, Guarded, Operation};
use crate::object::deletion::{self, Deletable};
use crate::sched::{IntoResult, OutcomeOf, fail, hold, stay};
use crate::wait::WaitQueue;
use crate::{Error, Status, System, Timeout};
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr;

/// The memory of a block.
#[repr(C, align(8))]
struct Memory<const SIZE: usize>([u8; SIZE]);

/// `N` blocks of `SIZE` bytes each, aligned to 8.
///
/// A block that is freed while threads wait for one goes straight to the most urgent of them, first
/// come first served among equals. The pool's own data are not in its blocks: a write beyond a
/// block cannot make the pool hand out wrong ones.
#[repr(C)]
pub struct Pool<S, const SIZE: usize, const N: usize> {
    waiters: WaitQueue,
    /// How many blocks are in use; with [`CLOSED`] once the pool is deleted.
    used: Guarded<usize>,
    /// The numbers of the free blocks, from the place `used` on; each is stored as its difference
    /// (exclusive or) from its place, so that a new pool is all zeros and takes no room in the
    /// image.
    free: [Guarded<u16>; N],
    memory: Guarded<[Memory<SIZE>; N]>,
    system: PhantomData<fn() -> S>,
}

const CLOSED: usize = 1 << 31;

impl<S: System, const SIZE: usize, const N: usize> Pool<S, SIZE, N> {
    /// Creates a pool. Its blocks are all free and zero.
    ///
    /// # Panics
    /// If `SIZE` or `N` is 0, or `N` is above 65,536: for a static, when it is compiled.
    pub const fn new() -> Self {
        assert!(
            SIZE > 0 && N > 0 && N <= 1 << 16,
            "a pool needs SIZE > 0 and 1 <= N <= 65536"
        );
        Self {
            waiters: WaitQueue::new(),
            used: Guarded::new(0),
            free: [const { Guarded::new(0) }; N],
            memory: Guarded::new([const { Memory([0; SIZE]) }; N]),
            system: PhantomData,
        }
    }

    /// Takes a free block, waiting for one as long as `timeout` says. Its content is what its last
    /// user left. Allowed in interrupt handlers at the kernel's level, with [`Timeout::NONE`].
    ///
    /// Bound without waiting: fixed. Errors: `Timeout`, `WouldBlock`, `Deleted`, `Cancelled`;
    /// `Context` in an interrupt handler where no block is free (or the pool is deleted).
    #[inline(always)]
    pub fn allocate(&'static self, timeout: Timeout) -> Result<PoolBlock<S, SIZE, N>, Error> {
        let held = hold::<S>();
        let cs = held.section();
        let used = self.used.get(cs);
        if let Some(place) = self.free.get(used) {
            let number = usize::from(place.get(cs)) ^ used;
            self.used.set(cs, used + 1);
            return Ok(PoolBlock { pool: self, number });
        }
        // A time-out that the compiler knows leaves one of the two ways.
        let answer = if timeout.is_forever() {
            held.enter::<AwaitForever<S, SIZE, N>>(self, 0, timeout)
        } else {
            held.enter::<Await<S, SIZE, N>>(self, 0, timeout)
        };
        answer.into_result::<S>()?;
        Ok(PoolBlock {
            pool: self,
            number: answer.value,
        })
    }

    /// Takes back a block that was [leaked](PoolBlock::leak).
    ///
    /// Bound: fixed. Errors: `Parameter` if it is not of this pool.
    pub fn reclaim(
        &'static self,
        block: &'static mut [u8; SIZE],
    ) -> Result<PoolBlock<S, SIZE, N>, Error> {
        let offset = ptr::from_ref(block)
            .addr()
            .wrapping_sub(ptr::from_ref(&self.memory).addr());
        let number = offset / size_of::<Memory<SIZE>>();
        let starts_there = offset.is_multiple_of(size_of::<Memory<SIZE>>());
        // The only way to such a reference is `leak`: it is the one owner of its block.
        if number < N && starts_there {
            Ok(PoolBlock { pool: self, number })
        } else {
            Err(Error::Parameter)
        }
    }

    /// The number of free blocks; 0 in a deleted pool. Allowed in interrupt handlers. Bound: fixed.
    pub fn free_blocks(&'static self) -> usize {
        N.saturating_sub(self.used.get(hold::<S>().section()))
    }

    /// Deletes the pool: threads that wait for a block get `Deleted`, and so does each later call.
    /// Blocks that are in use stay so until they are dropped. Allowed in interrupt handlers.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }

    /// Makes a deleted pool usable again; blocks that are still in use stay so.
    /// Bound: fixed. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if !self.is_deleted(cs) {
            return Err(Error::State);
        }
        self.used.set(cs, self.used.get(cs) & !CLOSED);
        Ok(())
    }

    /// Makes the block `number`, which was in use, free.
    #[inline(always)]
    fn free(&'static self, number: usize) {
        let held = hold::<S>();
        let cs = held.section();
        if !self.waiters.is_empty(cs) {
            held.enter::<Free<S, SIZE, N>>(self, number, Timeout::NONE);
            return;
        }
        let used = self.used.get(cs).wrapping_sub(1);
        // A block is in use, so this is 0 to N − 1, in addition to the mark of a deleted pool.
        let place = used & !CLOSED;
        if let Some(entry) = self.free.get(place) {
            entry.set(cs, (number ^ place) as u16);
            self.used.set(cs, used);
        }
    }
}

impl<S: System, const SIZE: usize, const N: usize> Default for Pool<S, SIZE, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System, const SIZE: usize, const N: usize> Deletable for Pool<S, SIZE, N> {
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.used.get(cs) & CLOSED != 0
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.used.set(cs, self.used.get(cs) | CLOSED);
        S::kernel().flush(cs, &self.waiters, Error::Deleted);
    }
}

/// A block of a [`Pool`], and the right to use it. Dropping it makes the block free: that never
/// waits, is allowed in interrupt handlers, and its bound is fixed (and the removal of the time-out
/// of a thread that waits for a block, if it has one). A thread that is deleted by another one
/// drops nothing: its blocks stay in use.
pub struct PoolBlock<S: System, const SIZE: usize, const N: usize> {
    pool: &'static Pool<S, SIZE, N>,
    number: usize,
}

impl<S: System, const SIZE: usize, const N: usize> PoolBlock<S, SIZE, N> {
    #[inline(always)]
    fn memory(&self) -> *mut [u8; SIZE] {
        // The cell's address is that of its content; `number` is below N.
        let first = ptr::from_ref(&self.pool.memory)
            .cast::<Memory<SIZE>>()
            .cast_mut();
        first.wrapping_add(self.number).cast()
    }

    /// Returns the block without its guard, for owners that keep it in a form of their own. It is
    /// in use until [`Pool::reclaim`] gives the guard back.
    pub fn leak(self) -> &'static mut [u8; SIZE] {
        let memory = self.memory();
        core::mem::forget(self);
        // SAFETY: the block is in use, and only by the code that gets this reference; pools are
        // static.
        unsafe { &mut *memory }
    }
}

impl<S: System, const SIZE: usize, const N: usize> Deref for PoolBlock<S, SIZE, N> {
    type Target = [u8; SIZE];
    #[inline(always)]
    fn deref(&self) -> &[u8; SIZE] {
        // SAFETY: the pool gives each number out once; the guard that has it is borrowed.
        unsafe { &*self.memory() }
    }
}

impl<S: System, const SIZE: usize, const N: usize> DerefMut for PoolBlock<S, SIZE, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8; SIZE] {
        // SAFETY: as in `deref`, and the guard is borrowed mutably.
        unsafe { &mut *self.memory() }
    }
}

impl<S: System, const SIZE: usize, const N: usize> Drop for PoolBlock<S, SIZE, N> {
    #[inline(always)]
    fn drop(&mut self) {
        self.pool.free(self.number);
    }
}

struct Await<S, const SIZE: usize, const N: usize>(PhantomData<S>);

impl<S: System, const SIZE: usize, const N: usize> Operation<S> for Await<S, SIZE, N> {
    type Object = Pool<S, SIZE, N>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        pool: &'static Self::Object,
        _: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if pool.is_deleted(cs) {
            return fail::<S>(Error::Deleted);
        }
        S::kernel().block_in(cs, &pool.waiters, timeout)
    }
}

struct AwaitForever<S, const SIZE: usize, const N: usize>(PhantomData<S>);

impl<S: System, const SIZE: usize, const N: usize> Operation<S> for AwaitForever<S, SIZE, N> {
    type Object = Pool<S, SIZE, N>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        pool: &'static Self::Object,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        if pool.is_deleted(cs) {
            return fail::<S>(Error::Deleted);
        }
        S::kernel().block_in_forever(cs, &pool.waiters)
    }
}

/// Gives a block that becomes free to the most urgent waiter.
struct Free<S, const SIZE: usize, const N: usize>(PhantomData<S>);

impl<S: System, const SIZE: usize, const N: usize> Operation<S> for Free<S, SIZE, N> {
    type Object = Pool<S, SIZE, N>;
    const USES_TIMEOUT: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        pool: &'static Self::Object,
        number: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        match pool.waiters.first(cs) {
            Some(waiter) => {
                pool.waiters.pop(cs, waiter);
                waiter.set_value(cs, number);
                S::kernel().conclude_by_waking(cs, waiter)
            }
            None => stay::<S>(Status::OK),
        }
    }
}
