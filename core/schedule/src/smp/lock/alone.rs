//! Owns: a lock that is obtained, waited for and given up in its rows alone.
//! Must never know: the decider of the owner's home; how the world raises a thread, and how it
//! blocks one.
//!
//! No node depends on a lock without a ceiling while no thread waits for it. A lock with a ceiling
//! raises its owner at home. The world can do this by itself wherever it has a say in the thread's
//! priority: such a lock is *light*. The owner's own priority in its row includes the ceiling then.
//! Under MrsP nothing else follows there until a thread waits for a lock of the owner: then the
//! light lock counts as any other.
//!
//! A lock without a protocol is *apart*, and so is a light one with an immediate ceiling: no thread
//! helps its owner, and the owner inherits from no waiter. So the wait only decides which thread is
//! granted the lock next. The world blocks the waiter as for any other wait, wakes it, and reports
//! what else changes its priority.

use super::{LockRecord, Obtained, Outcome, Protocol, WaitRecord};
use crate::Priority;
use crate::smp::order::{Level, Order};
use crate::smp::steps::step;
use crate::smp::{Error, Instance, Lock, System, Thread};

/// The result of an attempt to obtain a lock with a ceiling in its rows alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alone {
    /// The thread owns the lock. While it does, the world gives it this priority, unless the thread
    /// is more urgent.
    Raised(Priority),
    /// The thread is more urgent than the ceiling.
    Refused,
    /// The lock is not free, has no ceiling, or has none for this thread: [`System::obtain`] is to
    /// be called.
    Ask,
}

/// The answer of [`System::ownership`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ownership {
    /// The owner of the lock.
    pub owner: Thread,
    /// Whether the owner has obtained it once more than it has given it up.
    pub is_last: bool,
    /// Whether the world raises the owner by the ceiling, see [`System::obtain_raised`]. Under MrsP
    /// only until a thread waits for a lock of the owner's.
    pub is_light: bool,
    /// The ceiling to which it raises its owner, if the protocol has ceilings.
    pub raised: Option<crate::smp::Priority>,
}

impl System<'_> {
    /// Obtains `lock` for `thread`, which runs and waits for no lock, if it is free and has no
    /// ceiling; whether it did. The thread is at home in `home`. A fixed number of steps.
    #[inline(always)]
    pub fn obtain_plain(&mut self, lock: Lock, thread: Thread, home: Instance) -> bool {
        self.locks.obtain_free(lock, thread, |record| {
            let fits = has_no_ceiling(record.protocol);
            if fits {
                record.slot = Some(home);
            }
            fits
        })
    }

    /// Gives up `lock`, which has no ceiling, for `thread`, if it owns the lock once and no thread
    /// waits for it. Returns whether it did. A fixed number of steps.
    #[inline(always)]
    pub fn surrender_plain(&mut self, lock: Lock, thread: Thread) -> bool {
        let fits = |record: &mut LockRecord| has_no_ceiling(record.protocol);
        self.locks.surrender_unwanted(lock, thread, fits)
    }

    /// Obtains `lock`, which has a ceiling, for `thread`, if it is free: it is light. The thread
    /// runs, waits for no lock, has the priority `own` now, and is at home in `home`, where no
    /// deadlines count. A fixed number of steps.
    ///
    /// From then on what the world says of the thread's priority includes the ceiling, until
    /// [`System::surrender_raised`]; until then it moves the thread to no other instance.
    #[inline(always)]
    pub fn obtain_raised(
        &mut self,
        lock: Lock,
        thread: Thread,
        home: Instance,
        own: Priority,
    ) -> Alone {
        let own = Level(own.level().into());
        self.obtain_raised_to(lock, thread, (home, own), |ceiling| Level(ceiling.0.into()))
    }

    /// [`System::obtain_raised`] for `thread`, which is at home in `home`, whatever counts there,
    /// and as urgent there as `own` says: a deadline is before each ceiling.
    pub fn obtain_raised_from(
        &mut self,
        lock: Lock,
        thread: Thread,
        home: Instance,
        own: Level,
    ) -> Alone {
        let known = self.instances.get(home.index());
        let Some(kind) = known.map(|record| record.kind) else {
            return Alone::Ask;
        };
        self.obtain_raised_to(lock, thread, (home, own), |ceiling| kind.level(ceiling))
    }

    /// Both of these, with the level of a ceiling.
    #[inline(always)]
    fn obtain_raised_to(
        &mut self,
        lock: Lock,
        thread: Thread,
        (home, own): (Instance, Level),
        level: impl FnOnce(crate::smp::Priority) -> Level,
    ) -> Alone {
        let mut answer = Alone::Ask;
        let ceiling = self.locks.ceiling_if_any(lock, home);
        self.locks.obtain_free(lock, thread, |record| {
            let is_defined = match record.protocol {
                Some(Protocol::MrsP) => true,
                Some(Protocol::Ceiling) => record.home == home,
                _ => false,
            };
            let Some(ceiling) = ceiling.filter(|_| is_defined) else {
                return false;
            };
            let raised = level(ceiling);
            if own < raised {
                answer = Alone::Refused;
                return false;
            }
            record.light = true;
            record.raised = raised;
            answer = Alone::Raised(Level(ceiling.0.into()).as_priority());
            true
        });
        answer
    }

    /// Gives up `lock`, a light one, for `thread`, if it owns the lock once and no thread waits for
    /// it. The priority that the world reports for the thread does not include the ceiling any
    /// more. Returns whether it did. A fixed number of steps.
    #[inline(always)]
    pub fn surrender_raised(&mut self, lock: Lock, thread: Thread) -> bool {
        self.locks
            .surrender_unwanted(lock, thread, |record| core::mem::take(&mut record.light))
    }

    /// Obtains `lock`, an apart one with an owner, for `thread`, which runs, waits for no lock, and
    /// has a row that is up to date. None if the lock is free, or not apart: the caller continues
    /// with [`System::obtain`]. If the result is [`Obtained::Waiting`], the world blocks the thread
    /// until [`System::surrender_apart`], [`System::time_out`] or [`System::flush_first`] returns
    /// it, and calls [`System::waiter_changed`] meanwhile. A lock that inherits is waited for in
    /// this way if the world says that it is, or remains, `seated`. If the result is
    /// [`Obtained::Spinning`], the world raises the thread to [`System::spun_at`].
    ///
    /// Bound: as many steps as there are locks, in search of a deadlock. In addition, log2(n + 1)
    /// comparisons among n waiters, once for each instance in which a thread waits for a lock of
    /// `thread` that inherits.
    ///
    /// # Errors
    /// Those of [`System::obtain`] for a lock that is not free.
    pub(crate) fn obtain_apart(
        &mut self,
        lock: Lock,
        thread: Thread,
        wait: bool,
        seated: bool,
    ) -> Option<Result<Obtained, Error>> {
        let record = self.locks.locks.get(lock.index())?;
        let (owner, home) = (record.owner?, record.home);
        let ends = record.seated && wait && owner != thread;
        if !seated && (ends || !self.locks.is_apart(lock)) {
            return None;
        }
        let has_ceiling = self.locks.has_ceiling(lock);
        if has_ceiling && self.locks.sticks(lock) {
            return Some(self.spin_apart(lock, thread, owner, wait));
        }
        Some(if has_ceiling && home != self.home(thread) {
            Err(Error::NotDefined)
        } else if owner == thread {
            self.locks.lock_mut(lock).nesting += 1;
            Ok(Obtained::Owned)
        } else if wait {
            self.queue_up_apart(lock, thread, Level::NONE)
        } else {
            Err(Error::Unsatisfied)
        })
    }

    /// [`System::obtain_apart`] under MrsP.
    #[inline(never)]
    fn spin_apart(
        &mut self,
        lock: Lock,
        thread: Thread,
        owner: Thread,
        wait: bool,
    ) -> Result<Obtained, Error> {
        if owner == thread {
            return Err(Error::IncorrectState);
        }
        if !wait {
            return Err(Error::Unsatisfied);
        }
        let raised = self.ceiling_for(lock, thread)?;
        self.queue_up_apart(lock, thread, raised)
    }

    /// Makes `thread` wait for `lock`, an apart one that another owns: spinning where it is
    /// `raised`.
    pub(super) fn queue_up_apart(
        &mut self,
        lock: Lock,
        thread: Thread,
        raised: Level,
    ) -> Result<Obtained, Error> {
        if self.chain_leads_to(lock, thread) {
            return Err(Error::IncorrectState);
        }
        if !self.locks.is_apart(lock) {
            self.begin_seated(lock);
        }
        let home = self.home(thread);
        if self.is_seated(lock) && !self.is_waited_for_in(lock, home) {
            self.note_beginning(lock, home);
        }
        self.locks.begin_wait(lock, thread, raised);
        self.begin_spin_seated(thread, raised);
        self.line_up(lock, thread);
        self.take_places(lock, thread, self.locks.is_involved(thread));
        Ok(match raised {
            Level::NONE => Obtained::Waiting,
            _ => Obtained::Spinning,
        })
    }

    /// The places of `thread`, which waits for `lock`, an apart one, agree with its nodes: also
    /// with those of other instances than its home if `others` may help it, or may have helped
    /// it until now.
    pub(super) fn take_places(&mut self, lock: Lock, thread: Thread, others: bool) {
        let home = self.home(thread);
        self.take_place(lock, home, thread);
        if others {
            for instance in self.locks.instances().filter(|other| *other != home) {
                self.take_place(lock, instance, thread);
            }
        }
    }

    /// Applies a change of the priority of `thread`, which has a row that is up to date, to the
    /// lock that it waits for, if any. Bound: that of [`System::obtain_apart`] without the search;
    /// for a lock that counts, that of a chain, see the module `smp::lock`.
    pub(crate) fn waiter_changed(&mut self, thread: Thread) {
        if !self.waiter_changed_apart(thread) {
            self.priority_changed(thread, Order::Append);
        }
    }

    /// [`System::waiter_changed`] of one that waits for no lock, or for an apart one; whether it
    /// does.
    pub(crate) fn waiter_changed_apart(&mut self, thread: Thread) -> bool {
        let Some(lock) = self.locks.waits_for(thread) else {
            return true;
        };
        let is_apart = self.locks.is_apart(lock);
        if is_apart {
            self.take_places(lock, thread, self.locks.is_involved(thread));
        }
        is_apart
    }

    /// Gives `lock` up for `thread`, once for each time that it was obtained, if `thread` owns it
    /// and it is apart. Returns the new owner, if there is one, which the world raises and wakes.
    /// None if the lock is not apart, or another's: the caller then calls [`System::surrender`].
    /// Bound: 4·log2(n + 1) comparisons among n waiters; in each instance in which a thread waits
    /// for a lock of the new owner's that inherits.
    pub(crate) fn surrender_apart(&mut self, lock: Lock, thread: Thread) -> Option<Option<Thread>> {
        let record = self.locks.locks.get(lock.index())?;
        let (owner, nesting) = (record.owner?, record.nesting);
        if owner != thread || !self.locks.is_apart(lock) {
            return None;
        }
        if nesting > 1 {
            self.locks.lock_mut(lock).nesting -= 1;
            return Some(None);
        }
        Some(self.pass_apart(lock))
    }

    /// The owner of `lock`, an apart one, has it no more; the next owner, which does not wait any
    /// more.
    pub(super) fn pass_apart(&mut self, lock: Lock) -> Option<Thread> {
        let next = self.choose(lock);
        let raised = next.map_or(Level::NONE, |next| self.ceiling_of_waiter(lock, next));
        let seated = self.is_seated(lock);
        if seated {
            self.count_seated(lock, -1);
        }
        self.locks.set_owner(lock, next, raised);
        match next {
            Some(next) => {
                if raised != Level::NONE {
                    self.end_spin_seated(next);
                }
                self.locks.end_wait(next, Outcome::Granted);
            }
            None => self.locks.lock_mut(lock).light = false,
        }
        if seated {
            self.pass_seat(lock);
        }
        next
    }

    /// The locks that there are.
    pub(crate) fn locks(&self) -> impl Iterator<Item = Lock> + '_ {
        self.locks.all().filter(|lock| self.owner(*lock).is_ok())
    }

    /// Returns the owner of `lock`, and what of that the world must know; none if it is free, or
    /// does not exist. A fixed number of steps.
    pub fn ownership(&self, lock: Lock) -> Option<Ownership> {
        let record = self.locks.locks.get(lock.index())?;
        let owner = record.owner?;
        let raised = (record.raised != Level::NONE)
            .then(|| self.unmapped(self.home(owner).0, record.raised));
        Some(Ownership {
            owner,
            is_last: record.nesting == 1,
            is_light: record.light,
            raised,
        })
    }

    /// Counts all light locks under MrsP of the owner of `lock` from now on. A thread waits for
    /// `lock`, or its owner, which is waited for, is another one: so the owner may be helped. Its
    /// own priority includes the ceilings, so nothing moves. As many steps as there are locks, if
    /// it owns several, and for each the steps of [`System::contribute`].
    pub(super) fn weigh(&mut self, lock: Lock) {
        let Some(owner) = self.locks.owner(lock) else {
            return;
        };
        if self.locks.wait(owner).owned == 1 {
            return self.weigh_one(lock, owner);
        }
        for at in 0..self.locks.locks.len() {
            step();
            if let Some(lock) = Lock::new(at).filter(|lock| self.locks.owner(*lock) == Some(owner))
            {
                self.weigh_one(lock, owner);
            }
        }
    }

    /// `lock` counts from now on for its `owner`, which is counted among those that are involved.
    fn weigh_one(&mut self, lock: Lock, owner: Thread) {
        let (counts, sticks) = (self.locks.counts(lock), self.locks.sticks(lock));
        let record = self.locks.lock_mut(lock);
        if !sticks || !core::mem::take(&mut record.light) {
            return;
        }
        let raised = record.raised;
        self.locks.wait_mut(owner).counting += u16::from(!counts);
        let home = self.home(owner);
        self.share(owner, home, lock, raised);
    }
}

const fn has_no_ceiling(protocol: Option<Protocol>) -> bool {
    matches!(
        protocol,
        Some(Protocol::None | Protocol::Inheritance | Protocol::Omip)
    )
}

impl super::Table<'_> {
    /// The ceiling that `lock` has for `home`, if it has ceilings at all.
    #[inline(always)]
    fn ceiling_if_any(&self, lock: Lock, home: Instance) -> Option<crate::smp::Priority> {
        let side = self
            .sides
            .get(lock.index() * self.instances + home.index())?;
        Some(side.ceiling)
    }

    /// The rows of `lock` and `thread`, where the tables have such.
    #[inline(always)]
    fn rows_of(
        &mut self,
        lock: Lock,
        thread: Thread,
    ) -> Option<(&mut LockRecord, &mut WaitRecord)> {
        let (locks, waits) = (&mut self.locks, &mut self.waits);
        locks
            .get_mut(lock.index())
            .zip(waits.get_mut(thread.index()))
    }

    /// `thread` owns `lock` once, if that is free and `fits`; whether it does.
    #[inline(always)]
    fn obtain_free(
        &mut self,
        lock: Lock,
        thread: Thread,
        fits: impl FnOnce(&mut LockRecord) -> bool,
    ) -> bool {
        let Some((record, wait)) = self.rows_of(lock, thread) else {
            return false;
        };
        if record.owner.is_some() || !fits(record) {
            return false;
        }
        record.owner = Some(thread);
        record.nesting = 1;
        wait.owned += 1;
        true
    }

    /// Frees `lock`, if `thread` owns it once, no thread waits for it, and it `fits`. Returns
    /// whether it did.
    #[inline(always)]
    fn surrender_unwanted(
        &mut self,
        lock: Lock,
        thread: Thread,
        fits: impl FnOnce(&mut LockRecord) -> bool,
    ) -> bool {
        let Some((record, wait)) = self.rows_of(lock, thread) else {
            return false;
        };
        let is_alone = record.owner == Some(thread) && record.nesting == 1 && record.waiters == 0;
        if !is_alone || !fits(record) {
            return false;
        }
        record.owner = None;
        wait.owned -= 1;
        true
    }
}
