//! Owns: event flags: 32 of them in a group, and threads that wait for any or all of some.
//! Must never know: what the events are.

use crate::critical_section::{CriticalSection, Guarded, Operation};
use crate::object::deletion::{self, Deletable};
use crate::object::poll::{Alternative, Answers, Branch, Done};
use crate::sched::{IntoResult, OutcomeOf, answer, compiler_barrier, fail, hold, slow_path, stay};
use crate::thread::tcb::ThreadRef;
use crate::wait::Place;
use crate::wait::transfer::{Lent, Transaction, transact};
use crate::wait::{self, WaitQueue};
use crate::{Error, Interrupt, Kernel, Status, System, Timeout};
use core::hint::cold_path;
use core::marker::PhantomData;
use taktos_machine::Machine;

/// A group of 32 event flags.
///
/// Threads wait until any, or all, of the flags they name are set. When flags are set, all threads
/// with a condition that then holds are woken, in the order of their priorities, first come first
/// served among equals. Each condition is evaluated with the same flags; only afterwards the flags
/// are cleared that any of the woken threads *takes*. So one event can wake several threads, and
/// the outcome does not depend on their order.
#[repr(C)]
pub struct EventFlags<S> {
    waiters: WaitQueue,
    flags: Guarded<u32>,
    deleted: Guarded<bool>,
    system: PhantomData<fn() -> S>,
}

/// The bit of a waiting thread's condition that demands all of the flags it names. The condition is
/// kept in the value that the thread is to be resumed with; the flags are its argument.
const ALL: usize = 1;
/// The bit of a condition that takes the flags that the thread waits for.
const TAKE: usize = 2;

/// The condition holds when the flags that are named and set are, as a number, at least this. All:
/// each smaller set of the flags named is a smaller number. Any: only the empty set is.
#[inline(always)]
fn needed(named: u32, condition: usize) -> u32 {
    if condition & ALL != 0 { named } else { 1 }
}

/// The flags that a thread with this condition clears.
#[inline(always)]
fn taken(named: u32, condition: usize) -> u32 {
    if condition & TAKE != 0 { named } else { 0 }
}

impl<S: System> EventFlags<S> {
    /// A group in which `flags` are set.
    pub const fn new(flags: u32) -> Self {
        Self {
            waiters: WaitQueue::new(),
            flags: Guarded::new(flags),
            deleted: Guarded::new(false),
            system: PhantomData,
        }
    }

    /// Sets `flags`, in addition to those that are set, and wakes all threads with a condition that
    /// then holds. Never waits; allowed in interrupt handlers at the kernel's level.
    ///
    /// Bound: fixed where at most one thread waits; otherwise one step for each waiter and one wake
    /// for each that is woken. Errors: `Deleted`.
    #[inline(always)]
    pub fn set(&'static self, flags: u32) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.waiters.is_empty(cs) {
            cold_path();
            self.flags.set(cs, self.flags.get(cs) | flags);
            return if self.deleted.get(cs) {
                Err(Error::Deleted)
            } else {
                Ok(())
            };
        }
        held.enter::<Set<S>>(self, flags as usize, Timeout::NONE)
            .done()
    }

    /// [`EventFlags::set`], and says which flags are set then: those that woken threads took are
    /// not.
    ///
    /// Bound: one step a waiter, one wake for each that is woken. Errors: `Deleted`.
    pub fn set_and_get(&'static self, flags: u32) -> Result<u32, Error> {
        if S::Machine::in_interrupt() {
            // There the answer of a call that switches is lost; and no thread comes in between.
            return self.set(flags).map(|()| self.get());
        }
        let answer = hold::<S>().enter::<SetAndGet<S>>(self, flags as usize, Timeout::NONE);
        answer.into_result::<S>()?;
        Ok(answer.value as u32)
    }

    /// [`EventFlags::set_and_get`] from an interrupt handler, at less cost. Bound and errors are
    /// the same.
    pub fn set_and_get_in(
        &'static self,
        interrupt: &Interrupt<S>,
        flags: u32,
    ) -> Result<u32, Error> {
        let Some(cs) = interrupt.section() else {
            return self.set_and_get(flags);
        };
        let present = self.flags.get(cs) | flags;
        let only = self.waiters.only(cs);
        let Some(thread) = only.filter(|thread| is_satisfied(cs, *thread, present)) else {
            return slow_path(self.set_unusual_in(interrupt, flags));
        };
        let left = present & !taken_by(cs, thread);
        thread.set_value(cs, present as usize);
        self.flags.set(cs, left);
        self.waiters.clear(cs);
        S::kernel().wake_in_interrupt(cs, thread);
        Ok(left)
    }

    /// [`EventFlags::set_and_get_in`] where not just one thread waits and gets what it waits for.
    /// Away from the function above, which saves fewer registers so.
    #[cold]
    #[inline(never)]
    fn set_unusual_in(&'static self, _: &Interrupt<S>, flags: u32) -> Result<u32, Error> {
        self.set_and_get(flags)
    }

    /// Clears `flags`, and says which were set before. Allowed in interrupt handlers. Bound: fixed.
    /// Errors: `Deleted`.
    #[inline(always)]
    pub fn clear(&'static self, flags: u32) -> Result<u32, Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.deleted.get(cs) {
            return Err(Error::Deleted);
        }
        let before = self.flags.get(cs);
        self.flags.set(cs, before & !flags);
        Ok(before)
    }

    /// The flags that are set; none in a deleted group. Allowed in interrupt handlers. Bound:
    /// fixed.
    pub fn get(&'static self) -> u32 {
        let held = hold::<S>();
        let cs = held.section();
        if self.deleted.get(cs) {
            0
        } else {
            self.flags.get(cs)
        }
    }

    /// Waits, as long as `timeout` says, until any of `flags` is set. Leaves the flags as they are.
    /// The answer is all flags that were set when the condition held. Allowed in interrupt handlers
    /// at the kernel's level, with [`Timeout::NONE`].
    ///
    /// Bound without waiting: fixed. Errors: `Timeout`, `WouldBlock`, `Deleted`, `Cancelled`;
    /// `Parameter` where no flag is named; `Context` where an interrupt handler would have to
    /// wait.
    #[inline(always)]
    pub fn wait_any(&'static self, flags: u32, timeout: Timeout) -> Result<u32, Error> {
        self.wait::<0>(flags, timeout)
    }

    /// Waits until all of `flags` are set; otherwise as [`EventFlags::wait_any`].
    #[inline(always)]
    pub fn wait_all(&'static self, flags: u32, timeout: Timeout) -> Result<u32, Error> {
        self.wait::<ALL>(flags, timeout)
    }

    /// Waits until any of `flags` is set, and clears all of `flags` at that moment, whether set or
    /// not. The answer is all flags that were set before they were cleared. Otherwise as
    /// [`EventFlags::wait_any`].
    #[inline(always)]
    pub fn take_any(&'static self, flags: u32, timeout: Timeout) -> Result<u32, Error> {
        self.wait::<TAKE>(flags, timeout)
    }

    /// Waits until all of `flags` are set, and clears them at that moment; otherwise as
    /// [`EventFlags::take_any`].
    #[inline(always)]
    pub fn take_all(&'static self, flags: u32, timeout: Timeout) -> Result<u32, Error> {
        self.wait::<{ ALL | TAKE }>(flags, timeout)
    }

    /// Sets `flags`, and then waits until all of `awaited` are set and takes these, in one step. Of
    /// threads that meet, each with a flag of its own, all continue when the last one has set its
    /// flag, in whatever order they run then. Flags are evaluated, and taken, as those of
    /// [`EventFlags::set`]. Returns all flags that were set when the condition held, before any
    /// were cleared.
    ///
    /// Bound without waiting: one step a waiter, one wake for each that is woken. Errors:
    /// `Timeout`, `WouldBlock`, `Cancelled`, after which `flags` stay set; `Deleted`;
    /// `Parameter` where no flag is awaited, and `Context` in an interrupt handler, which then sets
    /// nothing.
    pub fn set_and_take_all(
        &'static self,
        flags: u32,
        awaited: u32,
        timeout: Timeout,
    ) -> Result<u32, Error> {
        if awaited == 0 {
            return Err(Error::Parameter);
        }
        let answer = transact::<S, Meet<S>>(hold(), self, &[flags, awaited], timeout);
        answer.into_result::<S>()?;
        Ok(answer.value as u32)
    }

    #[inline(always)]
    fn wait<const CONDITION: usize>(
        &'static self,
        named: u32,
        timeout: Timeout,
    ) -> Result<u32, Error> {
        if named == 0 {
            return Err(Error::Parameter);
        }
        let held = hold::<S>();
        let cs = held.section();
        let present = self.flags.get(cs);
        if present & named >= needed(named, CONDITION) && !self.deleted.get(cs) {
            self.flags.set(cs, present & !taken(named, CONDITION));
            return Ok(present);
        }
        // A time-out that the compiler knows leaves one of the two ways.
        let answer = if timeout.is_forever() {
            held.enter::<Wait<S, CONDITION, true>>(self, named as usize, timeout)
        } else {
            held.enter::<Wait<S, CONDITION, false>>(self, named as usize, timeout)
        };
        answer.into_result::<S>()?;
        Ok(answer.value as u32)
    }

    /// Deletes the group: its waiters get `Deleted`, and so does each later call. Allowed in
    /// interrupt handlers.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }

    /// Makes a deleted group usable again, with `flags` set. Bound: fixed.
    /// Errors: `State` if it is not deleted.
    pub fn renew(&'static self, flags: u32) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if !self.deleted.get(cs) {
            return Err(Error::State);
        }
        self.flags.set(cs, flags);
        self.deleted.set(cs, false);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn set_unusual(&'static self, cs: CriticalSection<'_>, present: u32) -> OutcomeOf<S> {
        self.wake_all(cs, present);
        Kernel::<S>::conclude_unanswered(cs)
    }

    /// Wakes all waiters with a condition that holds for the flags `present`. Returns the flags
    /// that no waiter took.
    #[inline]
    fn wake_all(&'static self, cs: CriticalSection<'_>, present: u32) -> u32 {
        let mut left = present;
        self.waiters.extract(
            cs,
            |thread| is_satisfied(cs, thread, present),
            |thread| {
                left &= !taken_by(cs, thread);
                thread.set_value(cs, present as usize);
                S::kernel().wake(cs, thread);
            },
        );
        self.flags.set(cs, left);
        left
    }
}

/// The whole of an operation, as calls of partitions do it.
impl<S: System> EventFlags<S> {
    /// [`EventFlags::set`].
    pub(crate) fn set_entered(&'static self, cs: CriticalSection<'_>, flags: u32) -> OutcomeOf<S> {
        if self.deleted.get(cs) {
            return fail::<S>(Error::Deleted);
        }
        if self.waiters.is_empty(cs) {
            self.flags.set(cs, self.flags.get(cs) | flags);
            return stay::<S>(Status::OK);
        }
        Set::<S>::run(cs, self, flags as usize, Timeout::NONE)
    }

    /// [`EventFlags::clear`].
    pub(crate) fn clear_entered(
        &'static self,
        cs: CriticalSection<'_>,
        flags: u32,
    ) -> OutcomeOf<S> {
        if self.deleted.get(cs) {
            return fail::<S>(Error::Deleted);
        }
        let before = self.flags.get(cs);
        self.flags.set(cs, before & !flags);
        answer::<S>(Status::OK, before as usize)
    }

    /// Any wait; `condition` is a sum of [`ALL`] and [`TAKE`].
    pub(crate) fn wait_entered(
        &'static self,
        cs: CriticalSection<'_>,
        [named, condition]: [usize; 2],
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if named as u32 == 0 || condition & !(ALL | TAKE) != 0 {
            return fail::<S>(Error::Parameter);
        }
        let flags = named as u32;
        let present = self.flags.get(cs);
        if present & flags >= needed(flags, condition) && !self.deleted.get(cs) {
            self.flags.set(cs, present & !taken(flags, condition));
            return answer::<S>(Status::OK, present as usize);
        }
        wait_until::<S>(cs, self, named, condition, timeout)
    }
}

/// Whether the condition of `thread`, a waiter, holds for the flags `present`.
#[inline(always)]
fn is_satisfied(cs: CriticalSection<'_>, thread: ThreadRef, present: u32) -> bool {
    let needed = needed(thread.argument.get(cs) as u32, thread.value(cs));
    compiler_barrier();
    thread.argument.get(cs) as u32 & present >= needed
}

/// The flags that `thread`, a waiter, takes when its condition holds.
#[inline(always)]
fn taken_by(cs: CriticalSection<'_>, thread: ThreadRef) -> u32 {
    taken(thread.argument.get(cs) as u32, thread.value(cs))
}

/// Flags of a group, as one of several things that a thread waits for.
pub struct Awaiting<S: 'static> {
    group: &'static EventFlags<S>,
    named: u32,
    condition: usize,
}

/// The waits, as one of several things that a thread waits for: see [`Kernel::poll`].
impl<S: System> EventFlags<S> {
    /// Returns [`EventFlags::wait_any`] as one of those.
    pub fn awaiting_any(&'static self, flags: u32) -> Branch<S, Awaiting<S>> {
        self.awaiting(flags, 0)
    }

    /// Returns [`EventFlags::wait_all`] as one of those.
    pub fn awaiting_all(&'static self, flags: u32) -> Branch<S, Awaiting<S>> {
        self.awaiting(flags, ALL)
    }

    /// Returns [`EventFlags::take_any`] as one of those.
    pub fn taking_any(&'static self, flags: u32) -> Branch<S, Awaiting<S>> {
        self.awaiting(flags, TAKE)
    }

    /// Returns [`EventFlags::take_all`] as one of those.
    pub fn taking_all(&'static self, flags: u32) -> Branch<S, Awaiting<S>> {
        self.awaiting(flags, ALL | TAKE)
    }

    fn awaiting(&'static self, named: u32, condition: usize) -> Branch<S, Awaiting<S>> {
        Branch::new(Awaiting {
            group: self,
            named,
            condition,
        })
    }
}

impl<S> Answers for Awaiting<S> {
    type Answer = u32;

    fn answer(&self, done: Done) -> u32 {
        done.value() as u32
    }
}

impl<S: System> Alternative<S> for Awaiting<S> {
    fn place(this: Lent<'_, Self>) -> Place {
        Place {
            argument: this.named as usize,
            value: this.condition,
            ..Place::in_queue(&this.group.waiters)
        }
    }

    /// Flags that name none are refused, which needs no wait.
    fn is_due(&self, cs: CriticalSection<'_>) -> bool {
        let present = self.group.flags.get(cs) & self.named;
        self.named == 0
            || self.group.is_deleted(cs)
            || present >= needed(self.named, self.condition)
    }

    fn conclude(this: Lent<'_, Self>, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        let condition = [this.named as usize, this.condition];
        this.group.wait_entered(cs, condition, Timeout::NONE)
    }
}

impl<S: System> Deletable for EventFlags<S> {
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.deleted.get(cs)
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.deleted.set(cs, true);
        S::kernel().flush(cs, &self.waiters, Error::Deleted);
    }
}

struct Set<S>(PhantomData<S>);

impl<S: System> Operation<S> for Set<S> {
    type Object = EventFlags<S>;
    const USES_TIMEOUT: bool = false;
    const BLOCKS: bool = false;

    /// The fast path comes first and calls nothing: there is one waiter, and its condition holds.
    fn run(
        cs: CriticalSection<'_>,
        group: &'static EventFlags<S>,
        flags: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let present = group.flags.get(cs) | flags as u32;
        let only = group.waiters.only(cs);
        let satisfied = only.filter(|thread| is_satisfied(cs, *thread, present));
        let Some(thread) = satisfied.filter(|thread| !thread.urgency.get(cs).is_special()) else {
            cold_path();
            return slow_path(group.set_unusual(cs, present));
        };
        compiler_barrier();
        let taken = taken_by(cs, thread);
        thread.set_value(cs, present as usize);
        compiler_barrier();
        group.flags.set(cs, present & !taken);
        thread.wait.set(cs, wait::Wait::NOTHING);
        group.waiters.clear(cs);
        compiler_barrier();
        S::kernel().conclude_by_readying(cs, thread)
    }
}

struct SetAndGet<S>(PhantomData<S>);

impl<S: System> Operation<S> for SetAndGet<S> {
    type Object = EventFlags<S>;
    const USES_TIMEOUT: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        group: &'static EventFlags<S>,
        flags: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        if group.deleted.get(cs) {
            return fail::<S>(Error::Deleted);
        }
        let left = group.wake_all(cs, group.flags.get(cs) | flags as u32);
        Kernel::<S>::conclude(cs, Status::OK, left as usize)
    }
}

struct Meet<S>(PhantomData<S>);

impl<S: System> Transaction<S> for Meet<S> {
    type Object = EventFlags<S>;
    type Record = [u32; 2];
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        group: &'static EventFlags<S>,
        record: Lent<'_, [u32; 2]>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if group.deleted.get(cs) {
            return fail::<S>(Error::Deleted);
        }
        let [flags, awaited] = *record;
        let present = group.flags.get(cs) | flags;
        let left = group.wake_all(cs, present);
        if present & awaited == awaited {
            group.flags.set(cs, left & !awaited);
            return Kernel::<S>::conclude(cs, Status::OK, present as usize);
        }
        if timeout.is_none() {
            // Others may have been woken, and be more urgent.
            return Kernel::<S>::conclude(cs, Status::failed(Error::WouldBlock), 0);
        }
        wait_until::<S>(cs, group, awaited as usize, ALL | TAKE, timeout)
    }
}

struct Wait<S, const CONDITION: usize, const FOREVER: bool>(PhantomData<S>);

impl<S: System, const CONDITION: usize, const FOREVER: bool> Operation<S>
    for Wait<S, CONDITION, FOREVER>
{
    type Object = EventFlags<S>;
    const USES_TIMEOUT: bool = !FOREVER;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        group: &'static EventFlags<S>,
        named: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let timeout = if FOREVER { Timeout::FOREVER } else { timeout };
        wait_until::<S>(cs, group, named, CONDITION, timeout)
    }
}

/// Makes the caller wait in `group` until the `condition` holds for the flags `named`.
#[inline(always)]
fn wait_until<S: System>(
    cs: CriticalSection<'_>,
    group: &'static EventFlags<S>,
    named: usize,
    condition: usize,
    timeout: Timeout,
) -> OutcomeOf<S> {
    if group.deleted.get(cs) {
        return fail::<S>(Error::Deleted);
    }
    let current = Kernel::<S>::running().current(cs);
    current.argument.set(cs, named);
    current.set_value(cs, condition);
    S::kernel().block_in(cs, &group.waiters, timeout)
}
