//! Owns: servers of threads about which seats decide: when their budgets are looked at, and what
//! follows when one is used up or refilled. Must never know: the rules by which budgets are
//! refilled; they are in `policy/cbs.rs`.
//!
//! The alarm of a processor is for the budget of the thread that has its seat:
//! [`budgets`](super::cluster) sets it. Where seats are lent it is for whoever uses the seat, be
//! that a thread of the instance or a guest: then the alarms are set here, as the users are told.
//! And so they are where threads are bound: there the users are the owners of the seats.

use super::cluster::{is_throttled, set_budget, set_served, throttle};
use super::lent::LentSeat;
use super::loans::lent;
use super::watch::Act;
use super::{Decider, Home, Place, Ready, Router, Rows, Served};
use crate::smp::{Effects, Error, Level, Thread};
use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Router<'a, Id, Seat, Q, N> {
    /// The world hears when the first of the threads that are throttled gets its budget.
    #[inline(always)]
    pub(super) fn watch_refill<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W) {
        if W::THROTTLES {
            w.watch_refill(self.system.next_refill());
        }
    }

    /// Gives `id` a server with this budget and period, or takes it away: its job counts no longer.
    /// Its home stays closed; from then on [`Router::renew`] is to be called before it becomes
    /// ready there, where its seats decide and are not [watched](Home::is_watched); and
    /// [`Router::settle`] after this, as it may wait for a lock. Bounds: those of
    /// [`System::set_server`](crate::smp::System::set_server) and
    /// [`System::remove_server`](crate::smp::System::remove_server).
    ///
    /// # Errors
    /// Those of these two.
    pub fn set_server<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        server: Option<(Duration, Duration)>,
    ) -> Result<(), Error> {
        self.serve(w, id, server, false)
    }

    /// [`Router::set_server`] for a server that throttles, in a world that [knows of
    /// such](super::World::THROTTLES); see
    /// [`System::set_hard_server`](crate::smp::System::set_hard_server). While `id` is throttled,
    /// it has neither a seat nor a place in the rings, though it may wait for nothing else: the
    /// world calls its decider for it as ever.
    ///
    /// # Errors
    /// Those of [`System::set_hard_server`](crate::smp::System::set_hard_server).
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
        // In the tables all threads of a closed instance wait.
        let is_decided = home.is_some_and(|home| home.decider().is_closed());
        let is_ready = w.is_ready(id) && is_decided;
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

    /// `id`, which has a server and whose home `served` decides about, is about to become ready: it
    /// begins anew, or goes on with what is left of its budget; if that is nothing, it is
    /// throttled, and so it stays if it is already. A fixed number of steps, and where it is
    /// throttled a logarithm of the number of those that are.
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

    /// [`Router::renew`] of one that stands nowhere and whose `home` is watched. Whether it may
    /// become ready.
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

    /// The budget of `id` is used up at `limit`, and its deadline is `deadline`, unless it inherits
    /// an earlier one. The caller takes it out of the rings before, where it stands in them.
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

    /// Whether `id` had used up its budget when it lost its last seat of `home` is noted, before
    /// that is set anew. Where users are watched, it is noted as they change.
    fn look_back<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, home: &Home<Id, Seat, Q, N>, id: Id) {
        if let Decider::Served(served) = home.decider()
            && served.is_closed()
            && !home.lends()
        {
            served.look_back(w, id);
        }
    }

    /// `id`, which waits or is throttled, is as urgent as it is in `w` once `set` was called:
    /// behind its equals, if it stands for another.
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

    /// `id`, which stands in no ring and has no seat, is throttled.
    fn throttle<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, row: Thread, id: Id) {
        throttle(w, id, true);
        self.system.throttle(row);
        self.watch_refill(w);
    }

    /// The throttled threads that are due at `now` get their budgets, in the order of the dates.
    fn release_throttled<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        now: Instant,
        effects: &mut E,
    ) {
        while let Some(row) = self.system.due_refill(now) {
            let home = self.home_of_row(row);
            match (home.filter(|home| home.serves()), w.thread(row)) {
                (Some(home), Some(id)) => self.release(w, (home, row, id), now, effects),
                (_, id) => {
                    if let Some(id) = id {
                        self.look_up(w, id);
                    }
                    self.ask(w, now, effects, |system, effects| {
                        system.release(row, now, effects);
                    });
                }
            }
        }
        self.watch_refill(w);
    }

    /// `id`, which is throttled and about whose `home` seats decide, gets its budget.
    fn release<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        (home, row, id): (&'a Home<Id, Seat, Q, N>, Thread, Id),
        now: Instant,
        effects: &mut E,
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
                self.enters_refilled(w, (home, id), now, effects);
            }
        }
        self.waiter_changed(w, id, now, effects);
    }

    /// `id`, which is ready and stands nowhere, has its budget.
    fn enters_refilled<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        (home, id): (&'a Home<Id, Seat, Q, N>, Id),
        now: Instant,
        effects: &mut E,
    ) {
        match home.served() {
            Some(served) => {
                served.enter(w, id, served.urgency(w, id), Place::Last);
            }
            None => {
                let enter: (Act, &dyn Fn()) = (Act::Enter(Place::Last), &|| {});
                if !self.act_anyhow(w, (id, home), enter, now, effects) {
                    self.look_up_as(w, id, false);
                    if let Some(row) = w.row(id) {
                        self.ask(w, now, effects, |system, effects| {
                            system.enter_refilled(row, now, effects);
                        });
                    }
                }
            }
        }
    }

    /// The tables decide about `id` since its budget was refilled by seats: they are told of that,
    /// and whether it is throttled.
    fn tell_refill<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        id: Id,
        now: Instant,
        effects: &mut E,
    ) {
        self.look_up(w, id);
        if let Some(row) = w.row(id) {
            self.ask(w, now, effects, |system, effects| {
                system.take_over_refill(row, now, effects);
            });
        }
    }

    /// The time that was asked for with [`Effects::arm`] or [`World::watch`](super::World::watch)
    /// has come on `cpu`; see [`System::expire`](crate::smp::System::expire).
    ///
    /// # Errors
    /// Those of [`System::expire`](crate::smp::System::expire).
    pub fn expire<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        cpu: Cpu,
        now: Instant,
        effects: &mut E,
    ) -> Result<(), Error> {
        if W::THROTTLES {
            self.release_throttled(w, now, effects);
        }
        match self.home_of(cpu) {
            Some(home) if home.watches_users() => self.expire_user(w, home, cpu, now, effects),
            Some(home) if home.serves() => {
                if let Decider::Served(served) = home.decider() {
                    for id in served.may_have_spent(w, cpu.index()).into_iter().flatten() {
                        self.refill(w, id, now, effects);
                    }
                }
            }
            _ => self.refill_spent(w, cpu, now, effects),
        }
        let home = self.home_of(cpu);
        if home.is_some_and(|home| home.watches_users() || home.serves()) {
            self.watch_again(w, cpu);
            return Ok(());
        }
        // It may have been opened for that.
        self.ask(w, now, effects, |system, effects| {
            system.expire(cpu, now, effects)
        })
    }

    /// [`Router::expire`] of a processor of `home`, which [watches users](Home::watches_users).
    fn expire_user<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        cpu: Cpu,
        now: Instant,
        effects: &mut E,
    ) {
        charge_user(w, home, cpu);
        let seat = home.lent_seat(cpu);
        for id in [seat.spent.take(), seat.user.get()].into_iter().flatten() {
            self.charge_now(w, id);
            self.refill(w, id, now, effects);
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
                Decider::Served(served)
                    if served.is_closed() && w.is_at_home(id, home.instance()) =>
                {
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

    /// The alarm of `cpu` is for the budget of who runs there, as it is now.
    fn watch_again<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, cpu: Cpu) {
        let Some(home) = self.home_of(cpu) else {
            return;
        };
        match home.decider() {
            _ if home.watches_users() => self.watch_user(w, home.lent_seat(cpu), cpu),
            Decider::Served(served) if served.is_closed() => served.watch_heir(w, cpu.index()),
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

    /// The user of the `seat` of `cpu`, whose home [watches users](Home::watches_users), is another
    /// one than before, and both were charged until now: the alarm is for the budget of this one,
    /// and it is noted if that one has lost the seat with its budget used up.
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

    /// `home`, which lends, has `cpu` no longer: who lost that having used up its budget is noted
    /// in the tables.
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

    /// If a thread lost `cpu`, which no instance has, having used up its budget, that is looked at.
    pub(super) fn look_at_spent<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        cpu: Cpu,
        now: Instant,
        effects: &mut E,
    ) {
        self.refill_spent(w, cpu, now, effects);
        self.ask(w, now, effects, |system, effects| {
            system.look_at_spent(cpu, now, effects);
        });
    }

    /// The budget is looked at of the thread that the tables note to have lost `cpu` having used it
    /// up, where seats decide about its home: `cpu` has left that since. Elsewhere the tables are
    /// about to look at it.
    fn refill_spent<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        cpu: Cpu,
        now: Instant,
        effects: &mut E,
    ) {
        let spent = self.system.spent_on(cpu);
        let known = spent.and_then(|row| Some((w.thread(row)?, self.system.scheduler(row).ok()?)));
        let Some((id, home)) = known else {
            return;
        };
        match self.seats_of(home) {
            None => self.look_up(w, id),
            Some(_) => {
                self.system.forget_spent(cpu);
                self.charge_now(w, id);
                self.refill(w, id, now, effects);
            }
        }
    }

    /// If `id`, which was charged until now, is ready and has used up its budget, its server's
    /// deadline is postponed, or it is throttled. Nothing where seats do not decide about its home,
    /// or it has no server any more: it was deleted, and begins anew.
    fn refill<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        id: Id,
        now: Instant,
        effects: &mut E,
    ) {
        if let Some(row) = w.row(id).filter(|row| self.system.has_server(*row))
            && let Some(home) = self.home_of_row(row).filter(|home| home.serves())
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
                    // Where the home is opened, the tables are to see the change.
                    self.system.note_deadline(row, before);
                    self.refill_watched(w, (home, row, id), (deadline, limit), now, effects);
                }
            }
        }
    }

    /// [`Router::refill`] where the `home` of `id` is watched, and its server says something else.
    fn refill_watched<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        (home, row, id): (&'a Home<Id, Seat, Q, N>, Thread, Id),
        (deadline, limit): (Level, Duration),
        now: Instant,
        effects: &mut E,
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
        let done = self.act_anyhow(w, (id, home), (act, &set), now, effects);
        if throttles {
            set();
            self.throttle(w, row, id);
        }
        match done {
            true => {
                self.system.note_deadline(row, Some(deadline));
                self.waiter_changed(w, id, now, effects);
            }
            false => self.tell_refill(w, id, now, effects),
        }
        if begins {
            self.end_together(w, now, effects);
        }
    }

    /// The decider of `home`, whose threads may have servers, decides no longer about `cpu`: the
    /// tables are told who lost that seat having used up its budget.
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

    /// The world hears of the budgets of those heirs of `cpus` that have a server.
    #[inline(never)]
    pub(super) fn tell_budgets<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        cpus: CpuSet,
        now: Instant,
    ) {
        for cpu in cpus {
            if let Some(row) = self.system.heir(cpu)
                && self.system.has_server(row)
                && let Some(id) = w.thread(row)
            {
                let (deadline, limit) = self.system.budget_of_heir(row, cpu, now);
                set_budget(w, id, deadline.0, limit);
            }
        }
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
