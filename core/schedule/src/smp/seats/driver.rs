//! Owns: whole operations in a world in which seats decide at all times: the order of the rows of a
//! lock, the priorities that it gives, and the seats of its users.
//! Must never know: why a thread waits, except for locks; the caller.

use super::{Act, Decider, Home, Place, Ready, Router, Rows};
use crate::smp::{Alone, Error, Instance, Lock, Obtained, Priority, Protocol, System, Thread};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

/// The knowledge of a world that whole operations need in addition to a [`Router`]'s.
pub trait Host: Rows {
    /// The priority that `id` was given: without ceilings, and without what it inherits.
    fn base(&self, id: Self::Id) -> Priority;

    /// Sets [`Host::base`].
    fn set_base(&self, id: Self::Id, base: Priority);

    /// From now on this is [`Rows::own_number`] of `id`.
    fn set_own(&self, id: Self::Id, own: Priority);

    /// `id` is at home in `instance` from now on.
    fn set_home(&self, id: Self::Id, instance: Instance);

    /// `id` waits for a lock from now on, blocked, or does not any more; it is
    /// [ready](Rows::is_ready) only while it does not.
    fn wait_for_lock(&self, id: Self::Id, waits: bool);

    /// `id` waits from now on until no processor has its registers, or does not any more; it is
    /// [ready](Rows::is_ready) only while it does not.
    fn wait_for_registers(&self, id: Self::Id, waits: bool);
}

/// A [`Router`] that carries out whole operations, at one time.
///
/// Between two of them each processor is to be [dispatched](Driver::dispatch) if its heir is
/// unknown, or another thread than the one that has its registers there.
pub struct Driver<'d, 'a, W: Host, Q: Ready<W::Id>, const N: usize> {
    /// For what concerns seats alone.
    pub router: &'d mut Router<'a, W::Id, W::Seat, Q, N>,
    w: &'d W,
    now: Instant,
}

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Router<'a, Id, Seat, Q, N> {
    /// Carries out operations at `now`.
    pub fn drive<'d, W: Host<Id = Id, Seat = Seat>>(
        &'d mut self,
        w: &'d W,
        now: Instant,
    ) -> Driver<'d, 'a, W, Q, N> {
        Driver {
            router: self,
            w,
            now,
        }
    }
}

/// Threads.
impl<'a, W: Host, Q: Ready<W::Id>, const N: usize> Driver<'_, 'a, W, Q, N> {
    /// `id`, which is ready from now on, comes in at its home, among its equals as `place` says.
    /// Bounds: those of the home's decider, of [`Router::renew`], and of [`Router::act`] where that
    /// is watched.
    pub fn ready(&mut self, id: W::Id, place: Place) {
        let Some(home) = self.home_of(id) else { return };
        let (w, now) = (self.w, self.now);
        match home.direct() {
            Some(decider) => {
                let renew = |served: &_| self.router.renew(w, served, id, now);
                decider.ready(w, id, place, renew);
            }
            None => self.act(id, home, Act::Enter(place), &|| {}),
        }
    }

    /// `id`, which was ready, is so no more: it leaves its home's seats and rings. Bounds: those of
    /// [`Driver::ready`].
    pub fn block(&mut self, id: W::Id) {
        if let Some(home) = self.home_of(id) {
            self.leave(id, home);
        }
    }

    fn leave(&mut self, id: W::Id, home: &'a Home<W::Id, W::Seat, Q, N>) {
        match home.direct() {
            Some(decider) => decider.remove(self.w, id),
            None => self.act(id, home, Act::Leave, &|| {}),
        }
    }

    /// Puts `id`, which is ready, after its equals, or in front of them. Bounds: those of
    /// [`Driver::ready`].
    pub fn requeue(&mut self, id: W::Id, place: Place) {
        let Some(home) = self.home_of(id) else { return };
        match home.direct() {
            Some(decider) => decider.requeue(self.w, id, place),
            None => self.act(id, home, Act::Requeue(place), &|| {}),
        }
    }

    /// `id` has this priority from now on, among its equals as `place` says; nothing where it had
    /// it, or a ceiling is more urgent both times. Bounds: those of [`Driver::ready`], and of
    /// [`Router::waiter_changed`].
    pub fn set_priority(&mut self, id: W::Id, base: Priority, place: Place) {
        self.w.set_base(id, base);
        self.deserve(id, place);
    }

    /// See [`Router::set_job`].
    ///
    /// # Errors
    /// Those of [`Router::set_job`].
    pub fn set_job(&mut self, id: W::Id, deadline: Option<Instant>) -> Result<(), Error> {
        self.router.set_job(self.w, id, deadline, self.now)
    }

    /// See [`Router::expire`].
    ///
    /// # Errors
    /// Those of [`Router::expire`].
    pub fn expire(&mut self, cpu: Cpu) -> Result<(), Error> {
        self.router.expire(self.w, cpu, self.now)
    }

    /// Moves `id` to `instance`, to have `priority` there, after its equals. While a processor has
    /// its registers, it [waits](Host::wait_for_registers) until [`Driver::let_go`]. Bounds: those
    /// of [`Driver::block`] and [`Driver::ready`].
    ///
    /// # Errors
    /// Those of [`Router::change_home`]; [`Error::ResourceInUse`] also where a ceiling is lent to
    /// it, which only its home knows.
    pub fn move_to(
        &mut self,
        id: W::Id,
        instance: Instance,
        priority: Priority,
    ) -> Result<(), Error> {
        if self.raised(id).is_some() {
            return Err(Error::ResourceInUse);
        }
        let (from, is_at_home) = (self.home_of(id), self.w.is_at_home(id, instance));
        let moved = self.router.change_home(self.w, id, instance, priority)?;
        if is_at_home {
            self.set_priority(id, priority, Place::Last);
            return Ok(());
        }
        if let Some(from) = from.filter(|_| self.w.is_ready(id)) {
            self.leave(id, from);
        }
        self.w.set_home(id, instance);
        self.w.set_base(id, priority);
        self.w.set_own(id, priority);
        moved.home.receive_moved(self.w, id, &moved);
        self.leave_registers(id);
        if self.w.is_ready(id) {
            self.ready(id, Place::Last);
        }
        Ok(())
    }

    /// Takes `cpu` away from `instance`. Threads that lose it are ready elsewhere at once, or after
    /// [`Driver::let_go`]. Bounds: those of [`Router::remove_processor`] and [`Driver::ready`].
    ///
    /// # Errors
    /// Those of [`Router::remove_processor`].
    pub fn remove_processor(&mut self, instance: Instance, cpu: Cpu) -> Result<(), Error> {
        let (w, now) = (self.w, self.now);
        let who = self.router.remove_processor(w, instance, cpu, now)?;
        for id in who.into_iter().flatten() {
            self.leave_registers(id);
            if self.w.is_ready(id) {
                self.come_back(id, |decider| decider.come_back(w, id));
            }
        }
        Ok(())
    }

    /// No processor has the registers of `id` any more: if it waited for that, it comes in again.
    /// To be called after a dispatch by which a processor lets go of them. Bounds: those of
    /// [`Driver::ready`].
    pub fn let_go(&mut self, id: W::Id) {
        let (w, was_ready) = (self.w, self.w.is_ready(id));
        w.wait_for_registers(id, false);
        if !was_ready && w.is_ready(id) {
            // A server's budget is as it was: the thread waited for nothing of its own.
            self.come_back(id, |decider| decider.ready(w, id, Place::Last, |_| {}));
        }
    }

    /// Returns the thread that is to run on `cpu` from now on; it is the heir there. This is the
    /// idle thread if there is no other, or while another processor has the registers of that
    /// other. Bounds: those of the decider's dispatch, or of [`Router::dispatch_lent`].
    pub fn dispatch(&mut self, cpu: Cpu) -> W::Id {
        let (w, seat) = (self.w, self.w.seat(cpu.index()));
        if w.knows_heir(seat) {
            return w.heir(seat);
        }
        let chosen = match self.router.home_of(cpu) {
            Some(home) if !home.lends() => home.decider().dispatch(w, cpu.index()),
            // One that has left an instance may have registers that another one waits for.
            _ => Some(self.router.dispatch_lent(w, cpu)),
        };
        let chosen = chosen.unwrap_or(w.idle(cpu.index()));
        w.set_heir(seat, chosen);
        chosen
    }

    /// Makes `id` wait until its registers are nowhere, if a processor has them.
    fn leave_registers(&mut self, id: W::Id) {
        let w = self.w;
        let mut all = CpuSet::first(W::PROCESSORS).into_iter();
        let is_held = all.any(|cpu| w.current(w.seat(cpu.index())) == id);
        w.wait_for_registers(id, is_held);
    }

    /// `id`, which lost its processor, comes in again: by `enter`, where its home is not watched.
    fn come_back(&mut self, id: W::Id, enter: impl FnOnce(Decider<'a, W::Id, W::Seat, Q, N>)) {
        let Some(home) = self.home_of(id) else { return };
        match home.direct() {
            Some(decider) => enter(decider),
            None => self.router.come_back(self.w, (id, home)),
        }
    }

    fn home_of(&self, id: W::Id) -> Option<&'a Home<W::Id, W::Seat, Q, N>> {
        self.router.home_of_row(self.w.row(id)?)
    }

    fn act(&mut self, id: W::Id, home: &'a Home<W::Id, W::Seat, Q, N>, act: Act, set: &dyn Fn()) {
        let (w, now) = (self.w, self.now);
        self.router.act(w, (id, home), (act, set), now);
    }
}

/// Locks.
impl<'a, W: Host, Q: Ready<W::Id>, const N: usize> Driver<'_, 'a, W, Q, N> {
    /// A new lock, made by `creator`, which owns it if it is `locked`: see [`System::create_lock`],
    /// and [`Driver::obtain`] for the bounds.
    ///
    /// # Errors
    /// Those of [`System::create_lock`].
    pub fn create_lock(
        &mut self,
        protocol: Protocol,
        creator: W::Id,
        ceiling: Option<Priority>,
        locked: bool,
    ) -> Result<Lock, Error> {
        let row = self.row(creator)?;
        let lock = self.ask(|system| system.create_lock(protocol, row, ceiling, false))?;
        if locked && let Err(error) = self.obtain(lock, creator, false) {
            self.router.system_mut().delete_lock(lock)?;
            return Err(error);
        }
        Ok(lock)
    }

    /// `id`, which runs, obtains `lock`; where that is busy it waits, if `waits`: blocked, or
    /// spinning under MrsP. Bounds: those of [`System::obtain`], of [`Router::settle`], and of
    /// [`Driver::block`].
    ///
    /// # Errors
    /// Those of [`System::obtain`].
    pub fn obtain(&mut self, lock: Lock, id: W::Id, waits: bool) -> Result<Obtained, Error> {
        let row = self.row(id)?;
        let (w, system) = (self.w, self.router.system());
        let runs = w.is_ready(id) && !system.is_throttled(row);
        if !runs || system.waits_for(row)?.is_some() {
            return Err(Error::IncorrectState);
        }
        let obtained = match self.obtain_free(lock, row, id) {
            Some(obtained) => obtained?,
            None => match self.router.obtain_apart(w, lock, id, waits) {
                Some(obtained) => obtained?,
                None => {
                    let router = &mut *self.router;
                    router.reach_lock(w, lock, id, waits);
                    self.obtain_counted(lock, row, id, waits)?
                }
            },
        };
        match obtained {
            Obtained::Owned => {}
            Obtained::Spinning => self.deserve(id, Place::Last),
            Obtained::Waiting => {
                w.wait_for_lock(id, true);
                self.block(id);
            }
        }
        self.settle();
        Ok(obtained)
    }

    /// [`Driver::obtain`] where the homes of all concerned lend by now.
    fn obtain_counted(
        &mut self,
        lock: Lock,
        row: Thread,
        id: W::Id,
        waits: bool,
    ) -> Result<Obtained, Error> {
        if let Some(obtained) = self.router.obtain_apart(self.w, lock, id, waits) {
            return obtained;
        }
        let obtained = self.ask(|system| system.obtain(lock, row, waits))?;
        if obtained == Obtained::Owned {
            self.deserve(id, Place::Last);
        }
        Ok(obtained)
    }

    /// Does [`Driver::obtain`] for a lock that is free; none if it is not, or its rows do not say
    /// enough.
    fn obtain_free(
        &mut self,
        lock: Lock,
        row: Thread,
        id: W::Id,
    ) -> Option<Result<Obtained, Error>> {
        let home = self.router.home_of_row(row)?;
        let system = self.router.system_mut();
        if system.obtain_plain(lock, row, home.instance()) {
            return Some(Ok(Obtained::Owned));
        }
        let own = home.standing(self.w, id);
        match system.obtain_raised_from(lock, row, home.instance(), own) {
            Alone::Raised(_) => {
                self.deserve(id, Place::Last);
                Some(Ok(Obtained::Owned))
            }
            Alone::Refused => Some(Err(Error::InvalidPriority)),
            Alone::Ask => None,
        }
    }

    /// `id` gives `lock` up once; the next owner, if it has one then: one that was blocked is ready
    /// by that. Bounds: those of [`System::surrender`], of [`Router::settle`] and
    /// [`Driver::ready`].
    ///
    /// # Errors
    /// Those of [`System::surrender`].
    pub fn surrender(&mut self, lock: Lock, id: W::Id) -> Result<Option<W::Id>, Error> {
        let row = self.row(id)?;
        let system = self.router.system_mut();
        if system.owner(lock)? != Some(row) {
            return Err(Error::NotOwner);
        }
        if system.surrender_plain(lock, row) || system.surrender_raised(lock, row) {
            self.deserve(id, Place::First);
            return Ok(None);
        }
        let begins = self.router.begin_together();
        let next = match self.router.surrender_apart(self.w, lock, row) {
            Some((next, counts)) => {
                self.deserve(id, Place::First);
                if let Some(next) = next.filter(|_| counts) {
                    self.count_waits(next);
                }
                Ok(next)
            }
            None => self.surrender_counted(lock, row, id),
        };
        let next = next.map(|next| next.and_then(|next| self.w.thread(next)));
        if let Ok(Some(next)) = next {
            self.is_granted(next);
        }
        if begins {
            self.router.end_together(self.w);
        }
        next
    }

    /// [`Driver::surrender`] of one that counts.
    fn surrender_counted(
        &mut self,
        lock: Lock,
        row: Thread,
        id: W::Id,
    ) -> Result<Option<Thread>, Error> {
        let ownership = self.router.system().ownership(lock);
        let ends = ownership.is_some_and(|it| it.owner == row && it.is_last);
        if ends {
            let own = self.deserved_without(id, Some(lock));
            self.change(id, own, Place::First);
        }
        let next = self.ask(|system| system.surrender(lock, row));
        self.settle();
        next
    }

    /// The lock for which `id` waited is its own: one that was blocked is ready.
    fn is_granted(&mut self, id: W::Id) {
        // Before it is ready: others may be tried again by that.
        self.deserve(id, Place::Last);
        if !self.w.is_ready(id) {
            self.wakes(id);
        }
        self.settle();
    }

    /// Ends the wait of `id` for a lock without it, since its time is over. A blocked waiter
    /// becomes ready, a spinning one continues. Bounds: those of [`System::time_out`], of
    /// [`Router::settle`] and [`Driver::ready`].
    ///
    /// # Errors
    /// Those of [`System::time_out`].
    pub fn time_out(&mut self, id: W::Id) -> Result<(), Error> {
        let row = self.row(id)?;
        let spins = self.router.system().spun_at(row).is_some();
        let begins = self.router.begin_together();
        let ended = self.ask(|system| system.time_out(row));
        if ended.is_ok() {
            self.settle();
            match spins {
                true => self.deserve(id, Place::First),
                false => self.wakes(id),
            }
        }
        if begins {
            self.router.end_together(self.w);
        }
        ended
    }

    /// Ends the waits of all threads that wait for `lock`, in the order in which they would be
    /// granted it. Bounds: those of [`Driver::time_out`] for each.
    ///
    /// # Errors
    /// Those of [`System::flush_first`].
    pub fn flush(&mut self, lock: Lock) -> Result<(), Error> {
        loop {
            let first = self.ask(|system| system.flush_first(lock))?;
            let Some(first) = first else { return Ok(()) };
            self.settle();
            if let Some(id) = self.w.thread(first) {
                self.wakes(id);
            }
        }
    }

    /// Gives `lock` another ceiling for `instance`; the old one. Its owner follows. Bounds: those
    /// of [`Driver::set_priority`].
    ///
    /// # Errors
    /// Those of [`System::set_ceiling`].
    pub fn set_ceiling(
        &mut self,
        lock: Lock,
        instance: Instance,
        ceiling: Priority,
    ) -> Result<Priority, Error> {
        let old = self.ask(|system| system.set_ceiling(lock, instance, ceiling))?;
        let owner = self.router.system().owner(lock)?;
        if let Some(owner) = owner.and_then(|owner| self.w.thread(owner)) {
            self.deserve(owner, Place::Last);
        }
        self.settle();
        Ok(old)
    }

    /// `id`, which was blocked for a lock, waits for it no longer.
    fn wakes(&mut self, id: W::Id) {
        self.w.wait_for_lock(id, false);
        if self.w.is_ready(id) {
            self.ready(id, Place::Last);
        }
    }

    /// The seated locks of `owner` count from now on.
    fn count_waits(&mut self, owner: Thread) {
        self.router.count_waits(self.w, owner);
        self.settle();
    }

    /// The priority that `id` deserves, without what it inherits, and without the ceiling of
    /// `lock`.
    fn deserved_without(&self, id: W::Id, lock: Option<Lock>) -> Priority {
        let raised = self.raised_without(id, lock);
        raised.into_iter().fold(self.w.base(id), Priority::min)
    }

    /// To what `id` is raised, by a lock that it owns or spins for.
    fn raised(&self, id: W::Id) -> Option<Priority> {
        self.raised_without(id, None)
    }

    fn raised_without(&self, id: W::Id, lock: Option<Lock>) -> Option<Priority> {
        let (row, system) = (self.w.row(id)?, self.router.system());
        let owns = system.owns_any(row);
        let others = system
            .locks()
            .filter(|other| owns && Some(*other) != lock)
            .filter_map(|other| system.ownership(other))
            .filter(|ownership| ownership.owner == row)
            .filter_map(|ownership| ownership.raised);
        others.chain(system.spun_at(row)).min()
    }

    /// `id` has the priority that it deserves, among its equals as `place` says if that is another
    /// one.
    fn deserve(&mut self, id: W::Id, place: Place) {
        self.change(id, self.deserved_without(id, None), place);
    }

    fn change(&mut self, id: W::Id, own: Priority, place: Place) {
        let w = self.w;
        let Some(home) = self.home_of(id).filter(|_| w.own_number(id) != own) else {
            return;
        };
        let set = || w.set_own(id, own);
        match home.direct() {
            Some(decider) if w.is_ready(id) => decider.change(w, id, set, place),
            Some(decider) => {
                set();
                decider.waiting_has_changed(w);
            }
            None => self.act(id, home, Act::Change(own, place), &set),
        }
        self.router.waiter_changed(w, id);
    }

    /// Calls `question` with the rows of locks.
    fn ask<R>(&mut self, question: impl FnOnce(&mut System<'a>) -> R) -> R {
        let answer = self.router.ask(self.w, question);
        self.router.watch_homes(self.w);
        answer
    }

    fn settle(&mut self) {
        self.router.settle(self.w);
    }

    fn row(&self, id: W::Id) -> Result<Thread, Error> {
        self.w.row(id).ok_or(Error::InvalidId)
    }
}
