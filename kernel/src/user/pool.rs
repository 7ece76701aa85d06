//! Owns: pools of blocks in memory that partitions share, and the holder of each block. Must never
//! know: the content of the blocks; the regions of a partition.
#![expect(unsafe_code, reason = "the memory's address is shared by threads")]

use super::memory::Memory;
use super::{AnyPartition, Handle};
use crate::critical_section::{CriticalSection, Guarded, Operation};
use crate::sched::{IntoResult, OutcomeOf, answer, fail, hold, stay};
use crate::wait::WaitQueue;
use crate::{Error, Kernel, System, Timeout};
use core::marker::PhantomData;
use core::ptr;
use taktos_abi::Status;
use taktos_machine::Isolation;

/// The most blocks of a pool.
const MOST: usize = u32::BITS as usize;

/// Blocks of one size in a memory that partitions have as a region. Made to be a static, which
/// their handles name.
///
/// A block is held by the partition that took it, until this gives it back, or another one accepts
/// it to which it was passed on; then that one holds it. So no partition holds what it did not ask
/// for. A partition that is stopped gives back what it holds, passed on or not. A block that is
/// given back while threads wait for one goes straight to the most urgent of them, first come first
/// served among equals. The pool's own data do not lie in the blocks; their content is
/// what their last user left, and any partition that has the memory reaches it.
pub struct Pool<S> {
    waiters: WaitQueue,
    /// The blocks without a holder: one bit each.
    free: Guarded<u32>,
    holders: [Guarded<Holder>; MOST],
    /// The holder to which each block was passed, and which has not accepted it yet.
    passed: [Guarded<Holder>; MOST],
    memory: *const u8,
    count: usize,
    /// The bytes of a block.
    size: usize,
    system: PhantomData<fn() -> S>,
}

// SAFETY: what changes is reached in sections alone; the rest names a static, which the pool does
// not touch.
unsafe impl<S> Sync for Pool<S> {}

/// The holder of a block: the address of a partition, or one of these.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Holder(usize);

impl Holder {
    const NOBODY: Self = Self(0);
    /// Code with privilege.
    const PRIVILEGED: Self = Self(1);

    pub(super) fn partition<S: System<Machine: Isolation>>(
        partition: &'static AnyPartition<S>,
    ) -> Self {
        Self(ptr::from_ref(partition).addr())
    }
}

impl<S: System> Pool<S> {
    /// A pool of `count` blocks, all of them free, which divide `memory` among themselves.
    ///
    /// # Panics
    /// If there are none or more than 32, or they do not have equal sizes that are multiples of 8:
    /// for a static, when it is compiled.
    #[must_use]
    pub const fn new<B>(memory: &'static Memory<B>, count: usize) -> Self {
        assert!(count > 0 && count <= MOST, "a pool has 1 to 32 blocks");
        let size = size_of::<B>() / count;
        assert!(
            size * count == size_of::<B>() && size > 0 && size.is_multiple_of(8),
            "blocks have equal sizes, which are multiples of 8"
        );
        Self {
            waiters: WaitQueue::new(),
            free: Guarded::new(u32::MAX >> (MOST - count)),
            holders: [const { Guarded::new(Holder::NOBODY) }; MOST],
            passed: [const { Guarded::new(Holder::NOBODY) }; MOST],
            memory: memory.start(),
            count,
            size,
            system: PhantomData,
        }
    }

    /// The bytes of a block.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The number of free blocks. Allowed in interrupt handlers. Bound: fixed.
    pub fn free_blocks(&'static self) -> usize {
        self.free.get(hold::<S>().section()).count_ones() as usize
    }

    /// Takes a free block, waiting for one as long as `timeout` says: it is no partition's then. In
    /// a thread that is in no partition.
    ///
    /// Bound without waiting: fixed. Errors: `Timeout`, `WouldBlock`, `Cancelled`.
    pub fn take(&'static self, timeout: Timeout) -> Result<*mut u8, Error> {
        let answer = hold::<S>().enter::<Take<S>>(self, 0, timeout);
        answer.into_result::<S>()?;
        Ok(ptr::with_exposed_provenance_mut(answer.value))
    }

    /// Makes `block` free, for every holder. Allowed in interrupt handlers at the kernel's level.
    ///
    /// Bound: fixed, with a division (and the removal of a waiter's time-out). Errors: `Parameter`
    /// for what is not the beginning of a block; `State` where it is free.
    pub fn give(&'static self, block: *const u8) -> Result<(), Error> {
        let number = self.number_of(block.addr()).ok_or(Error::Parameter)?;
        let held = hold::<S>();
        if self.holders[number].get(held.section()) == Holder::NOBODY {
            return Err(Error::State);
        }
        held.enter::<Give<S>>(self, number, Timeout::NONE).done()
    }

    /// Gives back all blocks of `holder`. Bound: the blocks, with interrupts masked for one at a
    /// time.
    fn give_back(&'static self, holder: Holder) {
        for number in 0..self.count {
            let held = hold::<S>();
            if self.holders[number].get(held.section()) == holder {
                held.enter::<Give<S>>(self, number, Timeout::NONE);
            }
        }
    }

    /// The number of the block that begins there.
    fn number_of(&self, address: usize) -> Option<usize> {
        let offset = address.wrapping_sub(self.memory.addr());
        let number = offset / self.size;
        (number < self.count && offset.is_multiple_of(self.size)).then_some(number)
    }

    fn address_of(&self, number: usize) -> usize {
        self.memory.expose_provenance() + number * self.size
    }

    /// Returns the number of the block at `address`, which `holder` is to hold.
    /// Errors: `Parameter` for what is not the beginning of a block; `NotOwner` if another one
    /// holds it, or if it has no holder.
    fn held_at(
        &self,
        cs: CriticalSection<'_>,
        address: usize,
        holder: Holder,
    ) -> Result<usize, Error> {
        let number = self.number_of(address).ok_or(Error::Parameter)?;
        match self.holders[number].get(cs) == holder {
            true => Ok(number),
            false => Err(Error::NotOwner),
        }
    }
}

/// The whole of an operation, as calls of partitions do it.
impl<S: System> Pool<S> {
    /// [`Pool::take`], but for `holder`.
    pub(super) fn take_entered(
        &'static self,
        cs: CriticalSection<'_>,
        holder: Holder,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let free = self.free.get(cs);
        if free == 0 {
            let current = Kernel::<S>::running().current(cs);
            current.argument.set(cs, holder.0);
            return S::kernel().block_in(cs, &self.waiters, timeout);
        }
        let number = free.trailing_zeros() as usize;
        self.free.set(cs, free & (free - 1));
        self.holders[number].set(cs, holder);
        answer::<S>(Status::OK, self.address_of(number))
    }

    /// Gives back the block at `address`, which `holder` is to hold.
    pub(super) fn give_entered(
        &'static self,
        cs: CriticalSection<'_>,
        holder: Holder,
        address: usize,
    ) -> OutcomeOf<S> {
        match self.held_at(cs, address, holder) {
            Ok(number) => self.give_number(cs, number),
            Err(error) => fail::<S>(error),
        }
    }

    /// Passes the block at `address`, which `holder` is to hold, to the `next` one, which holds it
    /// as soon as it accepts it.
    pub(super) fn pass_entered(
        &'static self,
        cs: CriticalSection<'_>,
        holder: Holder,
        address: usize,
        next: Holder,
    ) -> OutcomeOf<S> {
        match self.held_at(cs, address, holder) {
            Ok(number) => {
                self.passed[number].set(cs, next);
                stay::<S>(Status::OK)
            }
            Err(error) => fail::<S>(error),
        }
    }

    /// Makes `next` the holder of the block at `address`, which was passed to it.
    pub(super) fn accept_entered(
        &'static self,
        cs: CriticalSection<'_>,
        next: Holder,
        address: usize,
    ) -> OutcomeOf<S> {
        let Some(number) = self.number_of(address) else {
            return fail::<S>(Error::Parameter);
        };
        if self.passed[number].get(cs) != next {
            return fail::<S>(Error::NotOwner);
        }
        self.hand_over(cs, number, next);
        stay::<S>(Status::OK)
    }

    /// Makes `holder` the holder of the block from now on, which is passed to no other one.
    fn hand_over(&self, cs: CriticalSection<'_>, number: usize, holder: Holder) {
        self.holders[number].set(cs, holder);
        self.passed[number].set(cs, Holder::NOBODY);
    }

    /// Makes a block, which has a holder, free, or the most urgent waiter's.
    fn give_number(&'static self, cs: CriticalSection<'_>, number: usize) -> OutcomeOf<S> {
        let Some(waiter) = self.waiters.first(cs) else {
            self.free.set(cs, self.free.get(cs) | 1 << number);
            self.hand_over(cs, number, Holder::NOBODY);
            return stay::<S>(Status::OK);
        };
        self.waiters.pop(cs, waiter);
        self.hand_over(cs, number, Holder(waiter.argument.get(cs)));
        waiter.set_value(cs, self.address_of(number));
        S::kernel().conclude_by_waking(cs, waiter)
    }
}

struct Take<S>(PhantomData<S>);

impl<S: System> Operation<S> for Take<S> {
    type Object = Pool<S>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        pool: &'static Pool<S>,
        _: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        pool.take_entered(cs, Holder::PRIVILEGED, timeout)
    }
}

/// Gives the block of the number back.
struct Give<S>(PhantomData<S>);

impl<S: System> Operation<S> for Give<S> {
    type Object = Pool<S>;
    const USES_TIMEOUT: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        pool: &'static Pool<S>,
        number: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        pool.give_number(cs, number)
    }
}

impl<S: System<Machine: Isolation>> AnyPartition<S> {
    /// Gives back all blocks that the partition, of which no thread exists, holds: of the pools
    /// that its handles name.
    pub(super) fn give_blocks_back(&'static self) {
        let holder = Holder::partition(self);
        for pool in self.table().iter().filter_map(Handle::as_pool) {
            pool.give_back(holder);
        }
    }

    /// Whether one of its handles names `pool`. Steps: its handles.
    pub(super) fn has_pool(&'static self, pool: &'static Pool<S>) -> bool {
        let mut pools = self.table().iter().filter_map(Handle::as_pool);
        pools.any(|other| ptr::eq(other, pool))
    }
}
