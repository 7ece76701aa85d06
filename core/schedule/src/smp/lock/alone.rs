//! Owns: a lock that is obtained, waited for and given up in its rows alone: no instance need be
//! open.
//! Must never know: who decides about the owner's home; what the world does to raise a thread, and
//! to have one wait.
//!
//! Nobody's node depends on a lock without a ceiling while nobody waits for it. One with a ceiling
//! raises its owner at home, which the world can do by itself wherever it has a say in the thread's
//! priority: such a lock is *light*. The owner's own priority in the tables includes the ceiling
//! then. Under MrsP nothing else follows there until somebody waits for a lock of the owner's: then
//! it counts as any other.
//!
//! A lock without a protocol is *apart*, and so is a light one with an immediate ceiling: nobody
//! helps its owner or inherits from who waits for it, so the wait decides nothing but who is granted
//! the lock next. The world has the waiter wait as for anything else, wakes it, and tells what else
//! changes its priority.

use super::{LockRecord, Obtained, Outcome, Protocol, WaitRecord};
use crate::Priority;
use crate::smp::order::{Level, Order};
use crate::smp::steps::step;
use crate::smp::{Effects, Error, Instance, Lock, System, Thread};
use taktos_time::Instant;

/// The result of an attempt to obtain a lock with a ceiling in its rows alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alone {
    /// It is the thread's, whose priority the world makes this one while it owns it, unless it is
    /// more urgent.
    Raised(Priority),
    /// The thread is more urgent than the ceiling.
    Refused,
    /// The lock is not free, has no ceiling, or has none for this thread: [`System::obtain`] is to
    /// be asked.
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
    /// only until somebody waits for a lock of the owner's.
    pub is_light: bool,
    /// The ceiling to which it raises its owner, if the protocol has ceilings.
    pub raised: Option<crate::smp::Priority>,
}

impl System<'_> {
    /// Obtains `lock` for `thread`, which runs and waits for no lock, if it is free and has no
    /// ceiling; whether it did. The thread is at home in `home`, which need not be open. A fixed
    /// number of steps.
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

    /// `thread` gives up `lock`, which has no ceiling, if it owns it once and nobody waits for it;
    /// whether it did. A fixed number of steps.
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

    /// `thread` gives up `lock`, a light one, if it owns it once and nobody waits for it: what the
    /// world says of its priority does not include the ceiling any more. Whether it did. A fixed
    /// number of steps.
    #[inline(always)]
    pub fn surrender_raised(&mut self, lock: Lock, thread: Thread) -> bool {
        self.locks
            .surrender_unwanted(lock, thread, |record| core::mem::take(&mut record.light))
    }

    /// Obtains `lock`, an apart one that somebody owns, for `thread`, which runs, waits for no lock,
    /// and whose row is up to date; none where it is free, or not apart: [`System::obtain`] is to be
    /// asked. Where the answer is [`Obtained::Waiting`], the world has the thread wait until it
    /// hears of it by [`System::surrender_apart`], [`System::time_out`] or
    /// [`System::flush_first`], and calls [`System::waiter_changed`] meanwhile. One that inherits is
    /// waited for in this way where the world says that it is, or goes on being, `seated`; where
    /// the answer is [`Obtained::Spinning`], the world raises the thread to what
    /// [`System::spun_at`] says.
    ///
    /// Bound: as many steps as there are locks, in search of a deadlock, and log2(n + 1)
    /// comparisons among n waiters; as often as there are instances where somebody waits for a lock
    /// of the thread's that inherits.
    ///
    /// # Errors
    /// Those of [`System::obtain`] for a lock that is not free.
    pub fn obtain_apart(
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

    /// Makes `thread` wait for `lock`, an apart one that another owns: spinning where it is `raised`.
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

    /// The places of `thread`, which waits for `lock`, an apart one, agree with its nodes: also with
    /// those of other instances than its home if `others` may help it, or may have helped it until
    /// now.
    pub(super) fn take_places(&mut self, lock: Lock, thread: Thread, others: bool) {
        let home = self.home(thread);
        self.take_place(lock, home, thread);
        if others {
            for instance in self.locks.instances().filter(|other| *other != home) {
                self.take_place(lock, instance, thread);
            }
        }
    }

    /// The priority of `thread`, whose row is up to date, has changed: what that means where it
    /// waits for an apart lock, or for any while seats decide about its home. Bound: that of
    /// [`System::obtain_apart`] without the search; of a lock that counts that of a chain, see the
    /// module `smp::lock`.
    pub fn waiter_changed(&mut self, thread: Thread, now: Instant, effects: &mut impl Effects) {
        // Its node is in no queue of the tables where seats decide, so nothing moves there.
        if !self.waiter_changed_apart(thread) && self.is_closed(self.home(thread)) {
            self.priority_changed(thread, Order::Append, now, effects);
        }
    }

    /// [`System::waiter_changed`] of one that waits for no lock, or for an apart one; whether it
    /// does.
    pub fn waiter_changed_apart(&mut self, thread: Thread) -> bool {
        let Some(lock) = self.locks.waits_for(thread) else {
            return true;
        };
        let is_apart = self.locks.is_apart(lock);
        if is_apart {
            self.take_places(lock, thread, self.locks.is_involved(thread));
        }
        is_apart
    }

    /// `thread` gives `lock` up, as often as it was obtained, if it owns it and it is apart; the new
    /// owner, if there is one, which the world raises and wakes. None where the lock is not apart,
    /// or another's: [`System::surrender`] is to be asked. Bound: 4·log2(n + 1) comparisons among n
    /// waiters; in each instance where somebody waits for a lock of the new owner's that inherits.
    pub fn surrender_apart(&mut self, lock: Lock, thread: Thread) -> Option<Option<Thread>> {
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

    /// The owner of `lock`, and what of that the world must know; none where it is free, or does not
    /// exist. A fixed number of steps.
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

    /// The priority of its own of `thread`, whose home is open, is `priority`. The tables raise it
    /// by the ceiling of a lock, too, so nothing moves. A fixed number of steps.
    pub fn note_own(&mut self, thread: Thread, priority: crate::smp::Priority) {
        if let Ok(id) = self.known(thread) {
            let home = self.home(thread);
            self.node_mut(home.0, id).real = self.level(home, priority);
        }
    }

    /// Somebody waits for `lock`, or its owner, whom somebody waits for, is another one: the owner
    /// may be helped, so all its light locks under MrsP count from now on. Its home is open, and its
    /// own priority includes the ceilings, so nothing moves. As many steps as there are locks, if it
    /// owns several, and for each the steps of [`System::contribute`].
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
        let node = self.node_mut(home.0, owner.0);
        node.sticky = node.sticky.saturating_add(1);
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

    /// `lock` is free, if `thread` owns it once, nobody waits for it, and it `fits`; whether it is.
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
