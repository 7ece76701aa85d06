//! Owns: instances in which seats decide and threads own locks that others wait for, seated ones:
//! whether such an owner keeps its seat, and the loan of seats before it loses its seat.
//! Must never know: the waiting threads, and their order.

use super::{Decider, Home, Ready, Router, Rows};
use crate::smp::seats::Place;
use crate::smp::{Error, Instance, Level, Lock, Obtained, Priority, Thread};

/// A change of a thread that the seats of its home are about to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// It becomes ready, among its equals as this says.
    Enter(Place),
    /// It is ready no more.
    Leave,
    /// Its priority becomes this, whether it is ready or not, among its equals as this says.
    Change(Priority, Place),
    /// It has a job with this deadline, in nanoseconds, or none, whether it is ready or not; among
    /// its equals as this says.
    Job(Option<u64>, Place),
    /// It goes after its equals, or in front of them.
    Requeue(Place),
}

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Router<'a, Id, Seat, Q, N> {
    /// Returns whether the decider of the home of `id`, which is
    /// [watched](super::Home::is_watched), continues to decide when `id` does `act`: no owner can
    /// lose its seat by it. Otherwise its home is to lend first: see [`Router::act`]. As many
    /// steps as the instance has processors.
    #[inline(never)]
    pub fn owners_stay<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, act: Act) -> bool {
        w.row(id).is_some_and(|row| match act {
            Act::Leave => !self.system.spins_seated(row),
            _ => self.owners_stay_by(w, id, row, act),
        })
    }

    fn owners_stay_by<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        id: Id,
        row: Thread,
        act: Act,
    ) -> bool {
        let Some(home) = self.home_of_row(row) else {
            return false;
        };
        let look = &Look::new(w, home);
        if !matches!(act, Act::Leave | Act::Requeue(_)) && !self.stay_when_tried_again(look) {
            return false;
        }
        let (owns, own) = (self.system.owns_seated(row), home.standing(w, id));
        let has_seat = || self.seat(look, id);
        // Others may shift for a thread that leaves its seat there.
        let shifts = look.decider.shifts();
        let new = match act {
            Act::Change(priority, _) => home.standing_with(own, priority),
            Act::Job(deadline, _) => home.standing_by(deadline, w.number(id)),
            _ => own,
        };
        match act {
            Act::Leave => true,
            Act::Enter(_) if owns => self.gets_seat(look, own),
            Act::Enter(place) => self.displaces_no_owner(look, own, place),
            Act::Change(..) | Act::Job(..) if !w.is_ready(id) => true,
            Act::Change(..) | Act::Job(..) if has_seat() => {
                let rises = new <= own;
                rises || !owns && (!shifts || self.displaces_no_owner(look, new, Place::First))
            }
            Act::Change(..) | Act::Job(..) => self.displaces_no_owner(look, new, Place::First),
            Act::Requeue(Place::First) if has_seat() => true,
            Act::Requeue(Place::Last) if !has_seat() => true,
            Act::Requeue(Place::Last) if owns => false,
            Act::Requeue(place) => {
                (place == Place::Last && !shifts)
                    || self.displaces_no_owner(look, own, Place::First)
            }
        }
    }

    /// Returns whether no owner loses its seat if the threads in the rings are tried again after an
    /// act.
    fn stay_when_tried_again<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        look: &Look<'_, 'a, W, Q, N>,
    ) -> bool {
        let tries_again = look.home.tries_again();
        let first = || look.decider.first(look.w, |_| true);
        let first = tries_again.then(first).flatten();
        first.is_none_or(|first| {
            let level = look.home.standing(look.w, first);
            self.displaces_no_owner(look, level, Place::Last)
        })
    }

    /// Whether `id` has a seat of its home.
    fn seat<W: Rows<Id = Id, Seat = Seat>>(&self, look: &Look<'_, 'a, W, Q, N>, id: Id) -> bool {
        self.seats(look).any(|owner| owner == Some(id))
    }

    /// The owner of each seat of the instance; none for a free one.
    fn seats<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        look: &Look<'_, 'a, W, Q, N>,
    ) -> impl Iterator<Item = Option<Id>> {
        let cpus = self.system.processors(look.home.instance());
        let (w, decider) = (look.w, look.decider);
        let cpus = cpus.unwrap_or_default();
        cpus.into_iter()
            .map(move |cpu| decider.owner(w, cpu.index()))
    }

    /// Returns whether no owner with a seat is displaced by one that comes in at `level`.
    fn displaces_no_owner<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        look: &Look<'_, 'a, W, Q, N>,
        level: Level,
        place: Place,
    ) -> bool {
        self.seats(look).flatten().all(|seated| {
            let other = look.home.standing(look.w, seated);
            let goes_first = level < other || level == other && place == Place::First;
            !goes_first || !self.owns_some(look.w, seated)
        })
    }

    /// Returns whether an owner that comes in at `level` gets a seat, and no other owner is
    /// displaced.
    fn gets_seat<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        look: &Look<'_, 'a, W, Q, N>,
        level: Level,
    ) -> bool {
        if look.decider.shifts() {
            return false;
        }
        if self.seats(look).any(|owner| owner.is_none()) {
            return true;
        }
        let all = || self.seats(look).flatten();
        all().any(|seated| level < look.home.standing(look.w, seated))
            && self.displaces_no_owner(look, level, Place::Last)
    }

    fn owns_some<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) -> bool {
        w.row(id).is_some_and(|row| self.system.owns_seated(row))
    }

    /// Obtains `lock`, which another thread owns, for `id`, which runs, if no thread is helped for
    /// that: no protocol, a ceiling that the world raises to, or, while the owner has a seat
    /// whenever it is ready, a lock that inherits. None if the lock is free, or not so: the caller
    /// continues with [`System::obtain`](crate::smp::System::obtain). A thread that waits is
    /// returned by [`Router::surrender_apart`], [`System::time_out`](crate::smp::System::time_out)
    /// or [`System::flush_first`](crate::smp::System::flush_first), and the world calls
    /// [`Router::waiter_changed`] meanwhile. A thread that spins is raised to
    /// [`System::spun_at`](crate::smp::System::spun_at). As many steps as there are locks, in
    /// search of a deadlock, and log2(n + 1) comparisons among n waiters, in each instance in which
    /// others wait for a lock of the thread's that inherits.
    ///
    /// # Errors
    /// Those of [`System::obtain`](crate::smp::System::obtain) for a lock that is not free.
    pub fn obtain_apart<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        lock: Lock,
        id: Id,
        waits: bool,
    ) -> Option<Result<Obtained, Error>> {
        self.look_up(w, id);
        let row = w.row(id)?;
        if waits && self.system.owns_seated(row) && self.system.owner(lock) != Ok(Some(row)) {
            // The caller's own locks count before it waits: it is in the queues of those
            // instances, too, in which others wait for them. `Router::reach_lock` sees to that,
            // then this is called again.
            return None;
        }
        let seated =
            waits && self.system.may_wait_seated(lock, row) && self.owner_has_seat(w, lock);
        let obtained = self.system.obtain_apart(lock, row, waits, seated);
        self.watch_homes(w);
        obtained
    }

    /// Whether the owner of `lock` has a seat at its home, unless it is not ready.
    fn owner_has_seat<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, lock: Lock) -> bool {
        let owner = self.system.owner(lock).ok().flatten();
        owner.is_some_and(|owner| {
            let (Some(id), Some(home)) = (w.thread(owner), self.home_of_row(owner)) else {
                return false;
            };
            !home.lends() && (!w.is_ready(id) || self.seat(&Look::new(w, home), id))
        })
    }

    /// Gives `lock` up for the thread of `row`, once for each time that it was obtained, if
    /// [`Router::obtain_apart`] serves it. Returns the new owner, if there is one, which the world
    /// raises and wakes; and whether that one, which is waited for, may not have a seat. If so,
    /// [`Router::count_waits`] is to be called before it is ready. None if the lock is another's,
    /// or is to be given up by [`System::surrender`](crate::smp::System::surrender). Among n
    /// waiters 4·log2(n + 1) comparisons, in each instance in which others wait for a lock of the
    /// new owner's that inherits.
    pub fn surrender_apart<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        lock: Lock,
        row: Thread,
    ) -> Option<(Option<Thread>, bool)> {
        let next = self.system.surrender_apart(lock, row)?;
        let seated = next.filter(|_| self.system.is_seated(lock));
        let counts = seated.is_some_and(|next| {
            self.home_of_row(next).is_none_or(|home| {
                let spun = w.thread(next).filter(|id| w.is_ready(*id));
                home.lends()
                    || self.system.is_waited_for_in(lock, home.instance())
                    || spun.is_some_and(|id| !self.seat(&Look::new(w, home), id))
            })
        });
        self.watch_homes(w);
        Some((next, counts))
    }

    /// Homes are watched just while owners with a seat are at home there, or they lend. As many
    /// steps as there are instances of which it is new, and their processors where they begin to
    /// lend.
    #[inline(always)]
    pub fn watch_homes<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W) {
        let mut anew = self.system.seats_owners_anew();
        while anew != 0 {
            let index = anew.trailing_zeros() as usize;
            anew &= anew - 1;
            self.watch_home(w, index);
        }
    }

    #[inline(never)]
    fn watch_home<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, index: usize) {
        let Some(home) = self.homes.get(index).filter(|home| !home.lends()) else {
            return;
        };
        let lends = self.system.lends(home.instance());
        home.watch(lends || self.system.seats_owners(home.instance()));
        if lends {
            self.begin_lending(w, home);
        }
    }

    /// The seated locks of the owners of `instance` count from now on.
    #[inline(never)]
    pub(super) fn count_waits_of<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        instance: Instance,
    ) {
        while let Some(owner) = self.system.seated_owner_of(instance) {
            self.count_waits_for(w, owner);
        }
    }

    /// The seated locks of `owner`, and of the others at its home, count from now on: the homes of
    /// all that it concerns lend.
    pub fn count_waits<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, owner: Thread) {
        self.count_waits_for(w, owner);
        if let Ok(home) = self.system.scheduler(owner) {
            self.count_waits_of(w, home);
        }
    }

    /// The seated locks of `owner` count from now on.
    fn count_waits_for<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, owner: Thread) {
        self.concern(w, owner);
        let mut from = 0;
        while let Some(waiter) = self.system.seated_waiter(owner, from) {
            from = waiter.index() + 1;
            self.concern(w, waiter);
        }
        if self.system.owns_seated(owner) {
            self.system.count_waits(owner);
            self.watch_homes(w);
        }
    }

    /// Brings the row of the thread of `row` up to date; a lock that counts is about to concern it.
    fn concern<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, row: Thread) {
        if let Some(id) = w.thread(row) {
            self.look_up(w, id);
        }
    }

    /// The locks for which the owners along the chain from `lock` wait count from now on. As many
    /// steps as the chain has owners.
    pub(super) fn count_chain<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, lock: Lock) {
        let mut next = Some(lock);
        while let Some(lock) = next {
            let owner = self.system.owner(lock).ok().flatten();
            if let Some(owner) = owner.filter(|_| self.system.is_seated(lock)) {
                self.count_waits(w, owner);
            }
            next = owner.and_then(|owner| self.system.waits_for(owner).ok()?);
        }
    }
}

/// An instance about which seats decide.
struct Look<'l, 'a, W: Rows, Q: Ready<W::Id>, const N: usize> {
    w: &'l W,
    home: &'a Home<W::Id, W::Seat, Q, N>,
    decider: Decider<'a, W::Id, W::Seat, Q, N>,
}

impl<'l, 'a, W: Rows, Q: Ready<W::Id>, const N: usize> Look<'l, 'a, W, Q, N> {
    fn new(w: &'l W, home: &'a Home<W::Id, W::Seat, Q, N>) -> Self {
        let decider = home.decider();
        Self { w, home, decider }
    }
}
