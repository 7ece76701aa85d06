//! Owns: a free lock that is obtained, and given up while nobody waits for it, in its row alone.
//! Must never know: who decides about the owner's home; what the world does to raise a thread.
//!
//! Nobody's node depends on a lock without a ceiling while nobody waits for it. One with a ceiling
//! raises its owner at home, which the world can do by itself wherever it has a say in the thread's
//! priority: such a lock is *light*. The owner's own priority in the tables includes the ceiling
//! then, and nothing else follows there until somebody waits for a lock of the owner's: then it
//! counts as any other.

use super::{LockRecord, Protocol, WaitRecord};
use crate::Priority;
use crate::smp::order::Level;
use crate::smp::steps::step;
use crate::smp::{Instance, Lock, System, Thread};

/// What came of an attempt to obtain a lock that has a ceiling alone.
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

/// What [`System::ownership`] says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ownership {
    /// Who owns the lock.
    pub owner: Thread,
    /// Whether the owner has obtained it once more than it has given it up.
    pub is_last: bool,
    /// Whether nobody has waited for a lock of the owner's since it
    /// [obtained](System::obtain_raised) this one.
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
            let raised = Level(ceiling.0.into());
            if Level(own.level().into()) < raised {
                answer = Alone::Refused;
                return false;
            }
            record.light = true;
            record.raised = raised;
            answer = Alone::Raised(raised.as_priority());
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

    /// Who owns `lock`, and what of that the world must know; none where it is free, or does not
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
    /// may be helped, so all its light locks count from now on. Its home is open, and its own
    /// priority includes the ceilings, so nothing moves. As many steps as there are locks, if it
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
        let counts = self.locks.counts(lock);
        let record = self.locks.lock_mut(lock);
        if !core::mem::take(&mut record.light) {
            return;
        }
        let raised = record.raised;
        self.locks.wait_mut(owner).counting += u16::from(!counts);
        let home = self.home(owner);
        self.share(owner, home, lock, raised);
        if self.locks.sticks(lock) {
            let node = self.node_mut(home.0, owner.0);
            node.sticky = node.sticky.saturating_add(1);
        }
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
