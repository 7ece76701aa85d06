//! Owns: servers of threads about which seats decide: when their budgets are checked, and the
//! effects when one is used up or refilled. Must never know: the rules by which budgets are
//! refilled; they are in `policy/cbs.rs`.
//!
//! The alarm of a processor is for the budget of the thread that has its seat:
//! [`budgets`](super::cluster) sets it. If seats are lent, it is for the user of the seat, be that
//! a thread of the instance or a guest: then the alarms are set here, when the users are reported.
//! This also holds if threads are bound: there the users are the owners of the seats.

use super::cluster::{is_throttled, set_budget, set_served, throttle};
use super::lent::LentSeat;
use super::loans::lent;
use super::watch::Act;
use super::{Decider, Home, Place, Ready, Router, Rows, Served};
use crate::smp::{Error, Level, Thread};
use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Router<'a, Id, Seat, Q, N> {
    /// Reports to the world when the first of the threads that are throttled gets its budget.
    #[inline(always)]
    pub(super) fn watch_refill<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W) {
        if W::THROTTLES {
            w.watch_refill(self.system.next_refill());
        }
    }

    /// Gives `id` a server with this budget and period, or takes it away: its job counts no longer.
    /// From then on [`Router::renew`] is to be called before it becomes ready at its home, where
    /// that is not [watched](Home::is_watched); and [`Router::settle`] after this, as it may wait
    /// for a lock. A fixed number of steps, and a logarithm of the number of those that are
    /// throttled.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]; [`Error::NotDefined`]: the policy of its home is not
    /// [`Cbs`](crate::smp::PolicyKind::Cbs); [`Error::InvalidNumber`]: the budget is zero, or
    /// longer than the period; [`Error::IncorrectState`]: it is ready.
    pub fn set_server<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        server: Option<(Duration, Duration)>,
    ) -> Result<(), Error> {
        self.serve(w, id, server, false)
    }

    /// [`Router::set_server`] for a server that throttles, in a world that [knows of
    /// such](super::World::THROTTLES): a thread that has used up its budget runs again only when
    /// the server's period is over. While `id` is throttled, it has neither a seat nor a place in
    /// the rings, though it may wait for nothing else: the world calls its decider for it as ever.
    ///
    /// # Errors
    /// Those of [`Router::set_server`].
    pub fn set_hard_server<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        budget: Duration,
        period: Duration,
    ) -> Result<(), Error> {
        self.serve(w, id, Some((budget, period)), true)
    }

    /// `id` has such a server from now on, or none.
    fn serve<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        server: Option<(Duration, Duration)>,
        hard: bool,
    ) -> Result<(), Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        self.look_up(w, id);
        let home = self.home(self.system.scheduler(row)?);
        let is_ready = w.is_ready(id) && home.is_some();
        let blocked = if is_ready {
            Err(Error::IncorrectState)
        } else {
            Ok(())
        };
        let has_server = self.system.has_server(row);
        match server {
            Some((budget, period)) => {
                self.system.check_server(row, budget, period)?;
                blocked?;
                let charged = w.charged(id);
                self.system
                    .give_server(row, budget, period, hard, charged)?;
            }
            None => {
                blocked?;
                self.system.remove_server(row)?;
            }
        }
        if server.is_some() || has_server {
            if let Some(home) = home {
                self.look_back(w, home, id);
                self.set_level(w, (home, row, id), &|| set_served(w, id, server.is_some()));
            }
            self.watch_refill(w);
        }
        Ok(())
    }

    /// Prepares `id`, which has a server and a home that `served` decides about, to become ready:
    /// its server begins again, or continues with the rest of its budget. If nothing is left, `id`
    /// is throttled; if it is already, it stays so. A fixed number of steps, and if it is throttled
    /// a logarithm of the number of those that are.
    pub fn renew<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        served: &Served<Id, Q::Deadlines, N>,
        id: Id,
        now: Instant,
    ) {
        if let Some(row) = w.row(id)
            && !is_throttled(w, id)
        {
            served.look_back(w, id);
            let charged = w.charged(id);
            let (deadline, limit) = self.system.renew(row, charged, now);
            set_budget(w, id, deadline.0, limit);
            if W::THROTTLES && charged >= limit {
                self.throttle(w, row, id);
            }
        }
    }

    /// Does [`Router::renew`] for a thread that is in no queue, and has a `home` that is watched.
    /// Returns whether the thread may become ready.
    pub(super) fn renew_watched<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        (row, id): (Thread, Id),
        now: Instant,
    ) -> bool {
        if !is_throttled(w, id) {
            self.look_back(w, home, id);
            let charged = w.charged(id);
            let (deadline, limit) = self.system.renew(row, charged, now);
            self.set_budget(w, row, id, (deadline, limit));
            if W::THROTTLES && charged >= limit {
                self.throttle(w, row, id);
            }
        }
        !is_throttled(w, id)
    }

    /// Sets the budget of `id`: it is used up at `limit`, and its deadline is `deadline`, unless
    /// it inherits an earlier one. The caller takes it out of the rings before, if it is in them.
    fn set_budget<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        row: Thread,
        id: Id,
        (deadline, limit): (Level, Duration),
    ) {
        let counts = self.with_inherited(row, Some(deadline.0));
        set_budget(w, id, counts.unwrap_or(deadline.0), limit);
    }

    /// Notes whether `id` had used up its budget when it lost its last seat of `home`, before the
    /// budget is set again. If users are watched, this is noted when they change.
    fn look_back<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, home: &Home<Id, Seat, Q, N>, id: Id) {
        if let Decider::Served(served) = home.decider()
            && !home.lends()
        {
            served.look_back(w, id);
        }
    }

    /// Makes `id`, which waits or is throttled, as urgent as it is in `w` once `set` was called:
    /// after its equals, if it represents another.
    fn set_level<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        (home, row, id): (&Home<Id, Seat, Q, N>, Thread, Id),
        set: &dyn Fn(),
    ) {
        match home.lends() && self.system.loan(row).moves(false) {
            true => home.decider().change(&lent(home, w), id, set, Place::Last),
            false => set(),
        }
    }

    /// Throttles `id`, which is in no ring and has no seat.
    fn throttle<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, row: Thread, id: Id) {
        throttle(w, id, true);
        self.system.throttle(row);
        self.watch_refill(w);
    }

    /// The throttled threads that are due at `now` get their budgets, in the order of the dates.
    fn release_throttled<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, now: Instant) {
        while let Some(row) = self.system.due_refill(now) {
            let home = self.home_of_row(row).filter(|home| home.knows_servers());
            if let (Some(home), Some(id)) = (home, w.thread(row)) {
                self.release(w, (home, row, id), now);
            }
        }
        self.watch_refill(w);
    }

    /// Gives `id`, which is throttled and has a `home` about which seats decide, its budget.
    fn release<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        (home, row, id): (&'a Home<Id, Seat, Q, N>, Thread, Id),
        now: Instant,
    ) {
        self.look_back(w, home, id);
        let charged = w.charged(id);
        let (deadline, limit) = self.system.end_throttling(row, charged, now);
        self.set_level(w, (home, row, id), &|| {
            self.set_budget(w, row, id, (deadline, limit));
        });
        if charged >= limit {
            self.system.throttle(row);
        } else {
            throttle(w, id, false);
            if w.is_ready(id) {
                self.enters_refilled(w, (home, id));
            }
        }
        self.waiter_changed(w, id);
    }

    /// Puts `id`, which is ready and in no queue, into its place, as it has its budget.
    fn enters_refilled<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        (home, id): (&'a Home<Id, Seat, Q, N>, Id),
    ) {
        match home.served() {
            Some(served) => {
                served.enter(w, id, served.urgency(w, id), Place::Last);
            }
            None => {
                let enter: (Act, &dyn Fn()) = (Act::Enter(Place::Last), &|| {});
                self.act_anyhow(w, (id, home), enter);
            }
        }
    }

    /// Handles on `cpu` the time that was requested with [`World::watch`](super::World::watch) or
    /// [`World::watch_refill`](super::World::watch_refill). A thread that has used up its budget
    /// there gets a later deadline, or is throttled; a throttled thread that is due gets its
    /// budget. Bounds: those of [`Router::act`] for each of them.
    ///
    /// # Errors
    /// [`Error::InvalidNumber`]: the processor is not online.
    pub fn expire<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        cpu: Cpu,
        now: Instant,
    ) -> Result<(), Error> {
        if W::THROTTLES {
            self.release_throttled(w, now);
        }
        match self.home_of(cpu) {
            Some(home) if home.watches_users() => self.expire_user(w, home, cpu, now),
            Some(home) if home.knows_servers() => {
                if let Decider::Served(served) = home.decider() {
                    for id in served.may_have_spent(w, cpu.index()).into_iter().flatten() {
                        self.refill(w, id, now);
                    }
                }
            }
            _ => self.refill_spent(w, cpu, now),
        }
        if !self.system.online().contains(cpu) {
            return Err(Error::InvalidNumber);
        }
        let home = self.home_of(cpu);
        if home.is_some_and(|home| home.watches_users() || home.knows_servers()) {
            self.watch_again(w, cpu);
        }
        Ok(())
    }

    /// [`Router::expire`] of a processor of `home`, which [watches users](Home::watches_users).
    fn expire_user<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        cpu: Cpu,
        now: Instant,
    ) {
        charge_user(w, home, cpu);
        let seat = home.lent_seat(cpu);
        for id in [seat.spent.take(), seat.user.get()].into_iter().flatten() {
            self.charge_now(w, id);
            self.refill(w, id, now);
        }
    }

    /// `id` is charged until now, if it has a seat, or uses one.
    fn charge_now<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) {
        for home in self.homes {
            match home.decider() {
                _ if home.watches_users() => {
                    for cpu in self.cpus_of(home) {
                        if home.lent_seat(cpu).user.get() == Some(id) {
                            charge_user(w, home, cpu);
                        }
                    }
                }
                Decider::Served(served) if w.is_at_home(id, home.instance()) => {
                    served.charge_seat_of(w, id);
                }
                _ => {}
            }
        }
    }

    /// The processors of the instance of `home`.
    pub(super) fn cpus_of(&self, home: &Home<Id, Seat, Q, N>) -> CpuSet {
        let cpus = self.system.processors(home.instance());
        cpus.unwrap_or_default()
    }

    /// Sets the alarm of `cpu` for the budget of the thread that runs there, as it is now.
    fn watch_again<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, cpu: Cpu) {
        let Some(home) = self.home_of(cpu) else {
            return;
        };
        match home.decider() {
            _ if home.watches_users() => self.watch_user(w, home.lent_seat(cpu), cpu),
            Decider::Served(served) => served.watch_heir(w, cpu.index()),
            _ => {}
        }
    }

    /// `id` has come in at `home`, or left, or others have, and seats decide there, and none are
    /// lent: where threads are bound, the users of seats are their owners. As many steps as the
    /// instance has processors.
    pub(super) fn follow_owners<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
    ) {
        if home.lends() || !home.watches_users() {
            return;
        }
        let mut changed = CpuSet::EMPTY;
        for cpu in self.cpus_of(home) {
            let (seat, owner) = (home.lent_seat(cpu), home.decider().owner(w, cpu.index()));
            if seat.user.get() != owner {
                changed = changed.with(cpu);
            }
            seat.user.set(owner);
        }
        for cpu in changed {
            self.user_has_changed(w, home.lent_seat(cpu), cpu);
        }
    }

    /// Handles a change of the user of the `seat` of `cpu`, of a home that [watches
    /// users](Home::watches_users). Both users were charged until now. The alarm is for the budget
    /// of the new one; the former one is noted if it has lost the seat with its budget used up.
    pub(super) fn user_has_changed<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: &LentSeat<Id>,
        cpu: Cpu,
    ) {
        let last = seat.last.get();
        if let Some(last) = last {
            self.note_spent(w, seat, last);
        }
        let user = seat.user.get().filter(|user| self.has_server(w, *user));
        if last.is_some() || user.is_some() {
            self.watch_user(w, seat, cpu);
        }
    }

    /// The alarm of `cpu` is for the budget of the user of its `seat`, if that has a server; or it
    /// comes at once, for one that lost the seat with its budget used up.
    fn watch_user<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, seat: &LentSeat<Id>, cpu: Cpu) {
        let user = seat.user.get().filter(|user| self.has_server(w, *user));
        seat.last.set(user);
        let left = match seat.spent.get() {
            Some(_) => Some(Duration::ZERO),
            None => user.map(|user| left_of(w, user)),
        };
        w.watch(cpu.index(), left);
    }

    /// It is noted at `seat`, which `id` lost, if that is ready and has used up its budget.
    fn note_spent<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, seat: &LentSeat<Id>, id: Id) {
        if self.is_spent(w, id) {
            seat.spent.set(Some(id));
        }
    }

    /// Whether `id` is ready, and has used up the budget of its server.
    fn is_spent<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) -> bool {
        self.has_server(w, id) && self.is_ready(w, id) && left_of(w, id) == Duration::ZERO
    }

    fn has_server<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) -> bool {
        self.serves && w.row(id).is_some_and(|row| self.system.has_server(row))
    }

    /// The processors `cpus` of `home`, which begins to lend, have their alarms for the users of
    /// seats from now on.
    pub(super) fn begin_to_watch_users<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        cpus: CpuSet,
    ) {
        if let Decider::Served(served) = home.decider() {
            let lent = lent(home, w);
            for cpu in cpus {
                let [last, spent] = served.give_budgets(w, cpu.index());
                lent.at(cpu.index()).last.set(last);
                lent.at(cpu.index()).spent.set(spent);
            }
        }
    }

    /// The processors `cpus` of `home`, which lends no longer, have their alarms for the owners of
    /// seats again. Nothing where those are the users whatever is lent.
    pub(super) fn end_to_watch_users<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        cpus: CpuSet,
    ) {
        for cpu in cpus.into_iter().filter(|_| !home.binds_servers()) {
            let seat = home.lent_seat(cpu);
            let (last, spent) = (seat.last.take(), seat.spent.take());
            match home.decider() {
                Decider::Served(served) => served.take_budgets(cpu.index(), [last, spent]),
                _ if last.is_some() || spent.is_some() => w.watch(cpu.index(), None),
                _ => {}
            }
        }
    }

    /// Ends the alarm of `home`, which lends, for `cpu`, which it has no longer. The thread that
    /// lost `cpu` with its budget used up is noted with the processor.
    pub(super) fn lose_alarm<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        cpu: Cpu,
    ) {
        let lent = lent(home, w);
        let seat = lent.at(cpu.index());
        if let Some(last) = seat.last.take() {
            self.note_spent(w, seat, last);
        }
        if let Decider::Served(served) = home.decider() {
            served.give_budgets(&lent, cpu.index());
        }
        let spent = seat.spent.take().and_then(|id| w.row(id));
        self.system.take_over_alarm(cpu, spent);
    }

    /// Checks the budget of the thread that is noted to have lost `cpu` having used it up: `cpu`
    /// has left its home since.
    pub(super) fn refill_spent<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        cpu: Cpu,
        now: Instant,
    ) {
        let spent = self.system.spent_on(cpu);
        let Some(id) = spent.and_then(|row| w.thread(row)) else {
            return;
        };
        self.system.forget_spent(cpu);
        self.charge_now(w, id);
        self.refill(w, id, now);
    }

    /// Postpones the deadline of the server of `id`, or throttles `id`, if `id`, which was charged
    /// until now, is ready and has used up its budget. Does nothing if seats do not decide about
    /// its home, or it has no server any more: it was deleted, and begins again.
    fn refill<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id, now: Instant) {
        if let Some(row) = w.row(id).filter(|row| self.system.has_server(*row))
            && let Some(home) = self.home_of_row(row).filter(|home| home.knows_servers())
            && w.is_ready(id)
            && !is_throttled(w, id)
            && let before = self.system.own_deadline(row)
            && let Some((deadline, limit)) = self.system.refill(row, w.charged(id), now)
        {
            self.look_back(w, home, id);
            let throttles = W::THROTTLES && w.charged(id) >= limit;
            match home.served() {
                Some(served) if throttles => {
                    served.remove(w, id);
                    self.set_budget(w, row, id, (deadline, limit));
                    self.throttle(w, row, id);
                }
                Some(served) => {
                    let set = || self.set_budget(w, row, id, (deadline, limit));
                    served.change(w, id, set, Place::Last);
                }
                None => {
                    self.system.note_deadline(row, before);
                    self.refill_watched(w, (home, row, id), (deadline, limit));
                }
            }
        }
    }

    /// [`Router::refill`] where the `home` of `id` is watched, and its server says something else.
    fn refill_watched<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        (home, row, id): (&'a Home<Id, Seat, Q, N>, Thread, Id),
        (deadline, limit): (Level, Duration),
    ) {
        let begins = self.begin_together();
        let throttles = W::THROTTLES && w.charged(id) >= limit;
        let job = self
            .with_inherited(row, Some(deadline.0))
            .unwrap_or(deadline.0);
        let set = || set_budget(w, id, job, limit);
        let act = match throttles {
            true => Act::Leave,
            false => Act::Job(Some(deadline.0), Place::Last),
        };
        self.act_anyhow(w, (id, home), (act, &set));
        if throttles {
            set();
            self.throttle(w, row, id);
        }
        self.system.note_deadline(row, Some(deadline));
        self.waiter_changed(w, id);
        if begins {
            self.end_together(w);
        }
    }

    /// Ends the alarm of `cpu`, about which the decider of `home`, where threads may have servers,
    /// decides no longer. The thread that lost that seat with its budget used up is noted.
    pub(super) fn give_alarm<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        cpu: Cpu,
    ) {
        let spent = match home.decider() {
            Decider::Served(served) => served.forget_budgets(w, cpu.index()),
            decider => {
                let seat = home.lent_seat(cpu);
                let owner = decider.owner(w, cpu.index());
                if let Some(last) = seat.last.take().filter(|last| owner != Some(*last)) {
                    self.note_spent(w, seat, last);
                }
                seat.user.set(None);
                seat.spent.take()
            }
        };
        if let Some(id) = spent {
            self.look_up(w, id);
        }
        let row = spent.and_then(|id| w.row(id));
        self.system.take_over_alarm(cpu, row);
    }
}

/// The user of the seat of `cpu`, of `home`, which [watches users](Home::watches_users), is charged
/// until now.
fn charge_user<W: Rows, Q: Ready<W::Id>, const N: usize>(
    w: &W,
    home: &Home<W::Id, W::Seat, Q, N>,
    cpu: Cpu,
) {
    match home.lends() {
        true => home.decider().charge(&lent(home, w), cpu.index()),
        false => home.decider().charge(w, cpu.index()),
    }
}

/// The rest of the budget of `id`, which has a server and was charged until now.
fn left_of<W: Rows>(w: &W, id: W::Id) -> Duration {
    w.limit(id).saturating_sub(w.charged(id))
}
