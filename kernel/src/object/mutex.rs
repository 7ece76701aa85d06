//! Owns: mutexes: their owners, recursion, priority inheritance and priority ceilings.
//! Must never know: condition variables.

use crate::critical_section::{CriticalSection, Guarded, Held, Operation};
use crate::sched::{
    IntoResult, OutcomeOf, concluded, fail, finish_hold, hold, refuse_to_wait, slow_path, stay,
};

use crate::thread::AnyThread;
use crate::thread::tcb::{Tcb, ThreadRef};
use crate::wait::inherit::{Place, closes_ring};
use crate::wait::{Wait, WaitQueue};
use crate::{Kernel, Priority, System};
use core::hint::cold_path;
use core::marker::PhantomData;
use core::ptr::{self, NonNull};
use taktos_abi::{Error, Status, Timeout};
use taktos_machine::{Machine, Outcome};

/// How a mutex keeps urgent threads from waiting longer than its critical sections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Not at all.
    None,
    /// The owner has the priority of its most urgent waiter, transitively
    /// (Sha, Rajkumar, Lehoczky 1990: basic priority inheritance).
    Inheritance,
    /// The owner has this priority as long as it owns the mutex (immediate ceiling).
    /// Threads that are more urgent may not lock it.
    Ceiling(Priority),
}

/// The fate of a mutex if its owner ends, or is deleted, with it locked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum OwnerEnd {
    /// It is unlocked, as if the owner had done so.
    Unlock,
    /// It stays locked: no thread gets it until it is [abandoned](Mutex::abandon).
    StayLocked,
    /// It is unlocked. The thread that locks it next gets [`Error::OwnerDied`], and owns it (POSIX:
    /// a robust mutex).
    Tell,
}

/// The part of a mutex that does not depend on the system.
#[repr(C, align(8))]
pub(crate) struct MutexCore {
    waiters: WaitQueue,
    /// None if the mutex is free and locking it is simple. [`nobody`] if no thread owns it and it
    /// has a ceiling, is deleted, or an owner has ended with it: one check is enough.
    owner: Guarded<Option<ThreadRef>>,
    next_owned: Guarded<Option<&'static MutexCore>>,
    /// How often the owner has locked it beyond the first time, in steps of [`ONCE`]; [`LENDS`] if
    /// there is a ceiling, [`DELETED`] if the mutex is deleted, [`DIED`] if an owner has ended with
    /// it, both if the state that it left was not repaired, [`LEFT`] if it stays locked though no
    /// thread owns it. So it is zero exactly if unlocking is simple.
    depth: Guarded<u32>,
    recursive: bool,
    inherits: bool,
    /// The priority that the owner is lent; IDLE where there is no ceiling.
    ceiling: Guarded<Priority>,
    owner_end: OwnerEnd,
}

const LENDS: u32 = 1;
const DELETED: u32 = 2;
const DIED: u32 = 4;
const LEFT: u32 = 8;
const ONCE: u32 = 16;
const DEEPEST: u32 = 65_535 * ONCE;

/// The owner of mutexes that no thread owns and that are not simply locked: a thread that never
/// exists.
static NOBODY: Tcb = Tcb::new();

const fn nobody() -> ThreadRef {
    ThreadRef(&NOBODY)
}

impl MutexCore {
    /// The threads that wait for the mutex.
    pub fn waiters(&'static self) -> &'static WaitQueue {
        &self.waiters
    }

    /// How often the owner has locked it beyond the first time.
    pub fn depth(&self, cs: CriticalSection<'_>) -> u32 {
        self.depth.get(cs) / ONCE
    }

    /// Returns the owner of the mutex, which a thread owns or waits for.
    pub fn owner(&self, cs: CriticalSection<'_>) -> Option<ThreadRef> {
        self.owner.get(cs)
    }

    /// Returns the owner of the mutex, if a thread owns it.
    fn owner_if_any(&self, cs: CriticalSection<'_>) -> Option<ThreadRef> {
        self.owner.get(cs).filter(|owner| *owner != nobody())
    }

    /// The next mutex of the same owner.
    pub fn next_owned(&self, cs: CriticalSection<'_>) -> Option<&'static MutexCore> {
        self.next_owned.get(cs)
    }

    /// The priority that the mutex lends its owner.
    pub fn lends(&self, cs: CriticalSection<'_>) -> Priority {
        match self.waiters.first(cs) {
            Some(waiter) if self.inherits => waiter.urgency.get(cs).effective(),
            _ => self.ceiling.get(cs),
        }
    }

    /// A lender of a ceiling that is no mutex and cannot be locked: a cluster mutex has
    /// one.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const LENDER: Self = Self {
        waiters: WaitQueue::new(),
        owner: Guarded::new(None),
        next_owned: Guarded::new(None),
        depth: Guarded::new(LENDS),
        recursive: false,
        inherits: false,
        ceiling: Guarded::new(Priority::IDLE),
        owner_end: OwnerEnd::Unlock,
    };

    /// `ceiling` counts for the effective priority of `thread` from now on, until this is
    /// [taken](MutexCore::take_from) from it; to settle that is the caller's business.
    #[inline(always)]
    pub fn lend_to(&'static self, cs: CriticalSection<'_>, thread: ThreadRef, ceiling: Priority) {
        self.ceiling.set(cs, ceiling);
        self.join_owned(cs, thread);
    }

    /// Another ceiling counts from now on.
    pub fn set_ceiling(&self, cs: CriticalSection<'_>, ceiling: Priority) {
        self.ceiling.set(cs, ceiling);
    }

    fn has_ceiling(&self, cs: CriticalSection<'_>) -> bool {
        self.ceiling.get(cs) != Priority::IDLE
    }

    /// Whether the mutex stays locked though its owner has ended.
    fn is_left(&self, cs: CriticalSection<'_>) -> bool {
        self.depth.get(cs) & LEFT != 0
    }

    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.depth.get(cs) & DELETED != 0
    }

    /// Whether an owner has ended with the mutex locked, and what it left was not repaired.
    fn has_died(&self, cs: CriticalSection<'_>) -> bool {
        self.depth.get(cs) & DIED != 0
    }

    /// Returns whether the mutex, which no thread owns, is deleted, or its owner has ended with it.
    fn is_unusable(&self, cs: CriticalSection<'_>) -> bool {
        self.depth.get(cs) & (DELETED | DIED | LEFT) != 0
    }

    /// Why a deleted mutex cannot be locked.
    fn why_deleted(&self, cs: CriticalSection<'_>) -> Error {
        match self.has_died(cs) {
            true => Error::NotRecoverable,
            false => Error::Deleted,
        }
    }

    /// Whether neither recursion nor a ceiling has to be looked at.
    #[inline(always)]
    fn is_simple(&self, cs: CriticalSection<'_>) -> bool {
        self.depth.get(cs) == 0
    }

    /// Whether the mutex is free and locking it is simple.
    #[inline(always)]
    fn can_lock_fast(&self, cs: CriticalSection<'_>) -> bool {
        self.owner.get(cs).is_none()
    }

    /// Whether `thread` owns the mutex, and has locked no other one since.
    #[inline(always)]
    fn is_last_of(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
        thread.owned.get(cs).map(NonNull::from) == Some(NonNull::from(self))
    }

    /// Notes that `owner` has made the protected data whole again. Errors: `NotOwner`; `State` if
    /// no owner died.
    fn make_consistent_for(&self, cs: CriticalSection<'_>, owner: ThreadRef) -> Result<(), Error> {
        if self.owner.get(cs) != Some(owner) {
            return Err(Error::NotOwner);
        }
        if !self.has_died(cs) {
            return Err(Error::State);
        }
        self.depth.set(cs, self.depth.get(cs) & !DIED);
        Ok(())
    }

    /// Notes that no thread owns the mutex any more.
    fn set_free(&self, cs: CriticalSection<'_>) {
        let is_simple = !self.has_ceiling(cs) && !self.has_died(cs);
        self.owner.set(cs, (!is_simple).then(nobody));
    }

    /// Makes the mutex, which no thread owns any more, impossible to lock: it is `gone`.
    fn retire(&self, cs: CriticalSection<'_>, gone: u32) {
        self.owner.set(cs, Some(nobody()));
        self.depth.set(cs, self.depth.get(cs) & LENDS | gone);
    }

    #[inline(always)]
    fn give_to(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        self.owner.set(cs, Some(thread));
        self.join_owned(cs, thread);
    }

    /// This is the first of the mutexes of `thread`.
    #[inline(always)]
    fn join_owned(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        self.next_owned.set(cs, thread.owned.get(cs));
        thread.owned.set(cs, Some(self));
    }

    /// Makes `thread` the owner where the mutex is free and has no ceiling; says whether it did.
    #[inline(always)]
    pub fn give_if_free(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
        let free = self.can_lock_fast(cs);
        if free {
            self.give_to(cs, thread);
        }
        free
    }

    /// Takes the mutex from the list of `owner`'s. Steps: its place in it; the mutex locked
    /// last comes first.
    pub fn take_from(&'static self, cs: CriticalSection<'_>, owner: ThreadRef) {
        let next = self.next_owned.get(cs);
        match owner.owned.get(cs) {
            Some(first) if ptr::eq(first, self) => owner.owned.set(cs, next),
            first => self.unlink(cs, first, next),
        }
    }

    fn unlink(
        &'static self,
        cs: CriticalSection<'_>,
        first: Option<&'static Self>,
        next: Option<&'static Self>,
    ) {
        let mut before = first;
        while let Some(mutex) = before {
            let behind = mutex.next_owned.get(cs);
            if behind.is_some_and(|behind| ptr::eq(behind, self)) {
                mutex.next_owned.set(cs, next);
                return;
            }
            before = behind;
        }
    }
}

/// A mutex: at most one thread owns it, and only that one may unlock it.
///
/// Waiting threads get it by priority, first come first served among equals. It is transferred: the
/// most urgent waiter owns it as soon as it is unlocked. Not for interrupt handlers.
/// A thread that ends or is deleted unlocks what it owns, unless the mutex says
/// [otherwise](OwnerEnd).
#[repr(transparent)]
pub struct Mutex<S> {
    core: MutexCore,
    system: PhantomData<fn() -> S>,
}

impl<S: System> Mutex<S> {
    /// A free mutex that one thread can lock once, with priority inheritance.
    pub const fn new() -> Self {
        Self::with_protocol(Protocol::Inheritance)
    }

    /// A free mutex under `protocol`.
    pub const fn with_protocol(protocol: Protocol) -> Self {
        let ceiling = match protocol {
            Protocol::Ceiling(ceiling) => ceiling,
            _ => Priority::IDLE,
        };
        Self {
            core: MutexCore {
                waiters: WaitQueue::new(),
                owner: Guarded::new(match protocol {
                    Protocol::Ceiling(_) => Some(nobody()),
                    _ => None,
                }),
                next_owned: Guarded::new(None),
                depth: Guarded::new(if matches!(protocol, Protocol::Ceiling(_)) {
                    LENDS
                } else {
                    0
                }),
                recursive: false,
                inherits: matches!(protocol, Protocol::Inheritance),
                ceiling: Guarded::new(ceiling),
                owner_end: OwnerEnd::Unlock,
            },
            system: PhantomData,
        }
    }

    /// Makes the mutex recursive: its owner may lock it again (65,535 times more), and must unlock
    /// it as often.
    pub const fn recursive(mut self) -> Self {
        self.core.recursive = true;
        self
    }

    /// Sets the fate of the mutex if its owner ends with it locked.
    pub const fn when_owner_ends(mut self, end: OwnerEnd) -> Self {
        self.core.owner_end = end;
        self
    }

    /// Returns the part of the mutex that does not depend on the system.
    pub(crate) fn core(&'static self) -> &'static MutexCore {
        &self.core
    }

    /// Locks the mutex, waiting for it as long as `timeout` says.
    ///
    /// Bound without waiting: fixed, and the priority change of a ceiling. Errors: `Timeout`,
    /// `WouldBlock`, `Deleted`; `Deadlock` if the wait would close a ring of waiting threads, or if
    /// the caller owns the mutex and it is not recursive; `Limit` at the deepest recursion;
    /// `Ceiling` if the caller is more urgent than the ceiling; `Context` in an interrupt handler.
    /// With [`OwnerEnd::Tell`]: `OwnerDied`, with which the caller *owns* the mutex, until an owner
    /// calls [`Mutex::make_consistent`]; `NotRecoverable` if an owner unlocked it without that
    /// call.
    #[inline(always)]
    pub fn lock(&'static self, timeout: Timeout) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.core.can_lock_fast(cs) && !S::Machine::in_interrupt() {
            self.core.give_to(cs, held.running().current(cs));
            return Ok(());
        }
        cold_path();
        held.enter::<Lock<S>>(self, 0, timeout).into_result::<S>()
    }

    /// Unlocks the mutex; the most urgent waiter owns it then.
    ///
    /// Bound: the caller's owned mutexes that were locked after this one, and with waiters or a
    /// ceiling those of priority inheritance. Errors: `NotOwner`, `Deleted`. In an interrupt
    /// handler, which cannot own a mutex: `Context` or `NotOwner`, but that a handler unlocks
    /// what the interrupted thread owns is not always noticed.
    #[inline(always)]
    pub fn unlock(&'static self) -> Result<(), Error> {
        // An owner that is no longer the heir gives the mutex back all the same: no thread gets it,
        // so no turn depends on it. An owner that was deleted meanwhile owns nothing.
        let held = Held::<S>::mask();
        let cs = held.section();
        let current = held.running().current(cs);
        let core = &self.core;
        // Fast path: the usual order is to unlock the mutex that was locked last.
        if core.is_last_of(cs, current) && core.waiters.is_empty(cs) && core.is_simple(cs) {
            current.owned.set(cs, core.next_owned.get(cs));
            core.owner.set(cs, None);
            return Ok(());
        }
        cold_path();
        finish_hold(held)
            .enter::<Unlock<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Returns the owner of the mutex. Bound: fixed.
    pub fn owner(&'static self) -> Option<&'static AnyThread<S>> {
        let held = hold::<S>();
        self.core.owner_if_any(held.section()).map(AnyThread::of)
    }

    /// Says that what the mutex protects is whole again, after [`Error::OwnerDied`]. Bound: fixed.
    /// Errors: `NotOwner`; `State` where no owner died.
    pub fn make_consistent(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        self.core
            .make_consistent_for(cs, held.running().current(cs))
    }

    /// Deletes the mutex even if it is locked: its owner owns it no more, its waiters get
    /// `Deleted`.
    ///
    /// Bound: one wake a waiter, and those of [`Mutex::unlock`]. Errors: `Deleted` if it is
    /// already.
    pub fn abandon(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<Abandon<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Deletes the mutex; it can be used no more until [`Mutex::renew`].
    ///
    /// Errors: `InUse` while a thread owns it, `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let core = &self.core;
        if core.is_deleted(cs) {
            return Err(core.why_deleted(cs));
        }
        if core.owner_if_any(cs).is_some() || core.is_left(cs) {
            return Err(Error::InUse);
        }
        core.retire(cs, DELETED);
        Ok(())
    }

    /// Makes a deleted mutex free and usable again. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let core = &self.core;
        if !core.is_deleted(cs) {
            return Err(Error::State);
        }
        core.depth.set(cs, core.depth.get(cs) & LENDS);
        core.set_free(cs);
        Ok(())
    }
}

impl<S: System> Default for Mutex<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// The whole of an operation, as calls of partitions do it.
impl<S: System> Mutex<S> {
    /// [`Mutex::lock`].
    #[inline(always)]
    pub(crate) fn lock_entered(
        &'static self,
        cs: CriticalSection<'_>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if self
            .core
            .give_if_free(cs, Kernel::<S>::running().current(cs))
        {
            return stay::<S>(Status::OK);
        }
        Lock::<S>::run(cs, self, 0, timeout)
    }

    /// [`Mutex::unlock`].
    #[inline(always)]
    pub(crate) fn unlock_entered(&'static self, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        Unlock::<S>::run(cs, self, 0, Timeout::NONE)
    }

    /// [`Mutex::make_consistent`].
    pub(crate) fn make_consistent_entered(&'static self, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        concluded::<S>(
            self.core
                .make_consistent_for(cs, Kernel::<S>::running().current(cs)),
        )
    }
}

struct Lock<S>(PhantomData<S>);

impl<S: System> Operation<S> for Lock<S> {
    type Object = Mutex<S>;
    const BLOCKS: bool = true;

    /// The fast path comes first and calls nothing: a ready owner inherits from its only waiter.
    fn run(
        cs: CriticalSection<'_>,
        mutex: &'static Mutex<S>,
        _: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let core = &mutex.core;
        let current = Kernel::<S>::running().current(cs);
        if let Some(owner) = core.owner.get(cs)
            && owner.wait.get(cs) == Wait::NOTHING
            && owner != current
            && core.inherits
            && core.waiters.is_empty(cs)
            && timeout.is_forever()
        {
            let (lent, own) = (current.urgency.get(cs), owner.urgency.get(cs));
            if lent.of_ready().beats(own.of_ready()) && !lent.is_special() && !own.is_special() {
                return S::kernel().conclude_inherit(cs, current, owner, core);
            }
        }
        slow_path(lock_unusual::<S>(cs, core, current, timeout))
    }
}

#[cold]
#[inline(never)]
fn lock_unusual<S: System>(
    cs: CriticalSection<'_>,
    core: &'static MutexCore,
    current: ThreadRef,
    timeout: Timeout,
) -> OutcomeOf<S> {
    let Some(owner) = core.owner.get(cs) else {
        return lock_unowned::<S>(cs, core, current);
    };
    if owner == current {
        return lock_again::<S>(cs, core);
    }
    if owner == nobody() {
        return match core.is_unusable(cs) {
            true => lock_unusable::<S>(cs, core, current, timeout),
            false => lock_unowned::<S>(cs, core, current),
        };
    }
    if core.has_ceiling(cs) && current.urgency.get(cs).base().beats(core.ceiling.get(cs)) {
        return fail::<S>(Error::Ceiling);
    }
    if timeout.is_none() {
        return refuse_to_wait::<S>();
    }
    if closes_ring(cs, current, owner) {
        return fail::<S>(Error::Deadlock);
    }
    wait_for::<S>(cs, core, current, owner, timeout)
}

fn lock_again<S: System>(cs: CriticalSection<'_>, core: &'static MutexCore) -> OutcomeOf<S> {
    if !core.recursive {
        return fail::<S>(Error::Deadlock);
    }
    let depth = core.depth.get(cs);
    if depth >= DEEPEST {
        return fail::<S>(Error::Limit);
    }
    core.depth.set(cs, depth + ONCE);
    stay::<S>(Status::OK)
}

#[inline(always)]
fn lock_unowned<S: System>(
    cs: CriticalSection<'_>,
    core: &'static MutexCore,
    current: ThreadRef,
) -> OutcomeOf<S> {
    let ceiling = core.ceiling.get(cs);
    if current.urgency.get(cs).base().beats(ceiling) {
        return fail::<S>(Error::Ceiling);
    }
    core.give_to(cs, current);
    S::kernel().gain_ceiling(cs, current, ceiling);
    Kernel::<S>::conclude_raised(cs)
}

/// Locks the mutex, which no thread owns, and which is deleted or left by an owner that ended.
#[cold]
#[inline(never)]
fn lock_unusable<S: System>(
    cs: CriticalSection<'_>,
    core: &'static MutexCore,
    current: ThreadRef,
    timeout: Timeout,
) -> OutcomeOf<S> {
    if core.is_deleted(cs) {
        return fail::<S>(core.why_deleted(cs));
    }
    if core.has_ceiling(cs) && current.urgency.get(cs).base().beats(core.ceiling.get(cs)) {
        return fail::<S>(Error::Ceiling);
    }
    if core.is_left(cs) {
        return match timeout.is_none() {
            true => refuse_to_wait::<S>(),
            false => wait_for::<S>(cs, core, current, nobody(), timeout),
        };
    }
    core.give_to(cs, current);
    S::kernel().recompute_priority(cs, current, Place::First);
    Kernel::<S>::conclude(cs, Status::failed(Error::OwnerDied), 0)
}

#[inline(always)]
fn wait_for<S: System>(
    cs: CriticalSection<'_>,
    core: &'static MutexCore,
    current: ThreadRef,
    owner: ThreadRef,
    timeout: Timeout,
) -> OutcomeOf<S> {
    let kernel = S::kernel();
    let outcome = kernel.block(cs, current, Wait::mutex(core), timeout);
    core.waiters.insert(cs, current);
    if core.inherits {
        let lent = current.urgency.get(cs).effective();
        if lent.beats(owner.urgency.get(cs).effective()) {
            kernel.recompute_priority(cs, owner, Place::Last);
            let heir = kernel.heir(cs);
            return OutcomeOf::<S>::switch(current.context(), heir.context());
        }
    }
    outcome
}

struct Unlock<S>(PhantomData<S>);

impl<S: System> Operation<S> for Unlock<S> {
    type Object = Mutex<S>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = true;

    /// The fast path comes first and calls nothing: the owner goes back to its own priority and the
    /// most urgent waiter resumes.
    fn run(
        cs: CriticalSection<'_>,
        mutex: &'static Mutex<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let core = &mutex.core;
        let current = Kernel::<S>::running().current(cs);
        if core.owner.get(cs) == Some(current)
            && core.is_simple(cs)
            && let Some(next) = core.waiters.first(cs)
            && !next.urgency.get(cs).is_special()
            && core.is_last_of(cs, current)
            && core.next_owned.get(cs).is_none()
            && current.waiters.is_empty(cs)
        {
            return S::kernel().hand_over(cs, core, current, next);
        }
        slow_path(unlock_unusual::<S>(cs, core, current))
    }
}

impl<S: System> Kernel<S> {
    /// Transfers the only mutex of the running thread to a waiter. No thread waits for the running
    /// thread itself.
    #[inline(always)]
    fn hand_over(
        &'static self,
        cs: CriticalSection<'_>,
        core: &'static MutexCore,
        current: ThreadRef,
        next: ThreadRef,
    ) -> OutcomeOf<S> {
        core.waiters.pop(cs, next);
        current.owned.set(cs, None);
        core.give_to(cs, next);
        next.wait.set(cs, Wait::NOTHING);
        self.conclude_disinherit(cs, current, next)
    }
}

#[cold]
#[inline(never)]
fn unlock_unusual<S: System>(
    cs: CriticalSection<'_>,
    core: &'static MutexCore,
    current: ThreadRef,
) -> OutcomeOf<S> {
    if core.owner.get(cs) != Some(current) {
        return fail::<S>(if core.is_deleted(cs) {
            core.why_deleted(cs)
        } else {
            Error::NotOwner
        });
    }
    let depth = core.depth.get(cs);
    if depth >= ONCE {
        core.depth.set(cs, depth - ONCE);
        return stay::<S>(Status::OK);
    }
    if core.has_died(cs) {
        S::kernel().close_mutex(cs, core, DELETED | DIED);
    } else {
        S::kernel().release(cs, core, current);
    }
    Kernel::<S>::conclude_unanswered_in_thread(cs)
}

struct Abandon<S>(PhantomData<S>);

impl<S: System> Operation<S> for Abandon<S> {
    type Object = Mutex<S>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        mutex: &'static Mutex<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        if mutex.core.is_deleted(cs) {
            return fail::<S>(mutex.core.why_deleted(cs));
        }
        S::kernel().close_mutex(cs, &mutex.core, DELETED);
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}

impl<S: System> Kernel<S> {
    /// Makes `thread`, which is blocked and in no queue, the owner of the mutex, and wakes it. If
    /// another thread owns the mutex, `thread` waits for that one, however long it takes.
    pub(crate) fn claim(
        &'static self,
        cs: CriticalSection<'_>,
        core: &'static MutexCore,
        thread: ThreadRef,
    ) {
        if core.is_deleted(cs) {
            return self.wake_with(cs, thread, core.why_deleted(cs));
        }
        let nobody = core.is_left(cs).then(nobody);
        let Some(owner) = core.owner_if_any(cs).or(nobody) else {
            core.give_to(cs, thread);
            self.wake_as_owner(cs, core, thread);
            return self.recompute_priority(cs, thread, Place::Last);
        };
        if closes_ring(cs, thread, owner) {
            return self.wake_with(cs, thread, Error::Deadlock);
        }
        self.stop_timeout(cs, thread);
        thread.wait.set(cs, Wait::mutex(core));
        core.waiters.insert(cs, thread);
        if core.inherits {
            self.recompute_priority(cs, owner, Place::Last);
        }
    }

    /// Takes the mutex from `owner` and gives it to the most urgent waiter.
    pub(crate) fn release(
        &'static self,
        cs: CriticalSection<'_>,
        core: &'static MutexCore,
        owner: ThreadRef,
    ) {
        core.take_from(cs, owner);
        core.depth.set(cs, core.depth.get(cs) & (LENDS | DIED));
        match core.waiters.first(cs) {
            None => core.set_free(cs),
            Some(next) => {
                core.waiters.pop(cs, next);
                core.give_to(cs, next);
                self.wake_as_owner(cs, core, next);
                if core.has_ceiling(cs) || !core.waiters.is_empty(cs) {
                    self.recompute_priority(cs, next, Place::Last);
                }
            }
        }
        self.lose_ceiling(cs, owner, || Self::goes_on_here(cs, owner));
    }

    /// Wakes `thread`, which has got the mutex.
    #[inline(always)]
    fn wake_as_owner(
        &'static self,
        cs: CriticalSection<'_>,
        core: &'static MutexCore,
        thread: ThreadRef,
    ) {
        match core.has_died(cs) {
            true => self.wake_with(cs, thread, Error::OwnerDied),
            false => self.wake(cs, thread),
        }
    }

    /// Takes the mutex from its owner, if it has one, marks it `gone`, and wakes its waiters with
    /// the error for that.
    #[cold]
    #[inline(never)]
    fn close_mutex(&'static self, cs: CriticalSection<'_>, core: &'static MutexCore, gone: u32) {
        let owner = core.owner_if_any(cs);
        if let Some(owner) = owner {
            core.take_from(cs, owner);
        }
        core.retire(cs, gone);
        self.flush(cs, &core.waiters, core.why_deleted(cs));
        if let Some(owner) = owner {
            self.recompute_priority(cs, owner, Place::First);
        }
    }

    /// Does with all that `thread`, which ends, owns what is to be done then.
    pub(crate) fn release_all(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        while let Some(core) = thread.owned.get(cs) {
            match core.owner_end {
                OwnerEnd::Unlock => self.release(cs, core, thread),
                OwnerEnd::Tell => {
                    core.depth.set(cs, core.depth.get(cs) | DIED);
                    self.release(cs, core, thread);
                }
                OwnerEnd::StayLocked => {
                    core.take_from(cs, thread);
                    core.owner.set(cs, Some(nobody()));
                    core.depth.set(cs, core.depth.get(cs) & LENDS | LEFT);
                }
            }
        }
    }
}
