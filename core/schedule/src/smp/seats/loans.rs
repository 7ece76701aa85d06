//! Owns: instances in which seats are lent: which thread represents another among the ready
//! threads of its home, which thread uses the seat of which, and the effects on the processors.
//! Must never know: how an instance gives its seats; why a lock has its owner.
//!
//! A home *lends* from when a lock that counts, as under MrsP and OMIP, concerns one of its threads
//! until that is over and each of its processors runs what it should. Meanwhile it is
//! [watched](Home::is_watched): the fast paths do not find its decider, and the slow ones act on it
//! by [`Router::act`], in a world of [owners](Lent). [`Router::settle`] follows each act. The
//! invariants after it:
//!
//! - an end that is ready uses one seat, if its home or a lender's gives it one;
//! - a lender that waits blocked is among the ready threads of its home only while its end is
//!   ready;
//! - the seat of a thread that spins is used by its end, while that has no other;
//! - the heir of a processor is the user of its seat. If another processor has the user's
//!   registers, the heir is the idle thread until that processor, which has an unknown heir, has
//!   called [`Router::dispatch_lent`].

use super::cluster::{has_job, is_served, set_job};
use super::lent::Lent;
use super::watch::Act;
use super::{Decider, Home, Place, Ready, Router, Rows, World};
use crate::smp::lock::LoanRecord;
use crate::smp::{Instance, Level, Priority, Thread};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Router<'a, Id, Seat, Q, N> {
    /// Does `act` with `id`, which has a `home` that is [watched](Home::is_watched); `set` gives it
    /// another priority. The world reports already whether `id` is ready then, except for one that
    /// leaves. As many steps as the instance has processors; if an owner loses its seat by it, or
    /// seats are lent, those of [`Router::settle`].
    #[inline(never)]
    pub fn act<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        (id, home): (Id, &'a Home<Id, Seat, Q, N>),
        act: (Act, &dyn Fn()),
        now: Instant,
    ) {
        let served = w.row(id).filter(|_| {
            matches!(act, (Act::Enter(_), _)) && home.knows_servers() && is_served(w, id)
        });
        let Some(row) = served else {
            return self.act_anyhow(w, (id, home), act);
        };
        if home.lends() {
            self.stands_for_itself(w, home, row, id);
        }
        let renewed = self.renew_watched(w, home, (row, id), now);
        if renewed {
            self.act_anyhow(w, (id, home), act);
        }
        if self.system.spins(row) {
            // It was suspended while it spun, and its deadline is another one.
            self.waiter_changed(w, id);
        } else if !renewed {
            self.settle(w);
        }
    }

    /// [`Router::act`] of a thread; its server, if it has one, is not to begin again.
    pub(super) fn act_anyhow<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        (id, home): (Id, &'a Home<Id, Seat, Q, N>),
        (act, set): (Act, &dyn Fn()),
    ) {
        if !home.lends() && self.owners_stay(w, id, act) {
            home.act(w, id, (act, set));
            // The world may not say so yet.
            self.between = (act == Act::Leave).then_some(id);
            self.between_is_ready = false;
            self.follow_owners(w, home);
            self.between = None;
            return;
        }
        if !home.lends() {
            if let Act::Enter(_) | Act::Leave = act {
                self.between = Some(id);
                self.between_is_ready = act == Act::Leave;
            }
            self.count_waits_of(w, home.instance());
            self.watch_homes(w);
            self.between = None;
        }
        if act == Act::Leave {
            // The world may not say so yet.
            (self.between, self.between_is_ready) = (Some(id), false);
        }
        let loan = w.row(id).map(|row| self.system.loan(row));
        let loan = loan.unwrap_or(LoanRecord::NONE);
        match act {
            Act::Leave | Act::Requeue(_) if loan.is_away || home.holds_back(w, id) => {}
            // It comes in with its budget.
            Act::Enter(_) if home.holds_back(w, id) => {}
            Act::Enter(_) if loan.pinned.is_some() => self.enters_abroad(w, home, id),
            _ => {
                if let (Act::Enter(_), Some(row)) = (act, w.row(id)) {
                    self.stands_for_itself(w, home, row, id);
                }
                let moves = loan.moves(self.is_ready(w, id)) && !covers(home, w, id, loan, act);
                perform(home.decider(), &lent(home, w), id, (act, set), moves);
            }
        }
        match w.row(id).is_some_and(|row| self.system.stays_listed(row)) {
            true => self.settle(w),
            false => self.settle_beside(w),
        }
        self.between = None;
    }

    /// Makes the thread `id` of `row`, which is about to come in at `home`, represent no other
    /// there, and run nowhere else: [`Router::settle`] may not have found that yet.
    pub(super) fn stands_for_itself<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        row: Thread,
        id: Id,
    ) {
        self.system.set_loan(row, |loan| loan.is_away = false);
        if self.system.loan(row).stands_for.is_some() {
            let between = (self.between, self.between_is_ready);
            (self.between, self.between_is_ready) = (Some(id), false);
            self.stand_down(w, home, row, id);
            (self.between, self.between_is_ready) = between;
        }
    }

    /// Puts `id`, which may run on other processors than before, after its equals again at `home`,
    /// which is watched: an owner may lose its seat by that.
    pub(super) fn enter_anew_watched<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        home: &'a Home<Id, Seat, Q, N>,
    ) {
        if !home.lends() && self.system.seats_owners(home.instance()) {
            self.count_waits_of(w, home.instance());
            self.watch_homes(w);
        }
        if !home.lends() {
            return self.enter_anew_alone(w, id, home);
        }
        let loan = w.row(id).map(|row| self.system.loan(row));
        let moves = loan.is_some_and(|loan| loan.moves(self.is_ready(w, id)));
        if moves {
            home.decider().remove(&lent(home, w), id);
        }
        home.part_seats(w, id);
        if moves {
            let leads = w.row(id).is_some_and(|row| self.system.leads_at_home(row));
            let place = match self.is_ready(w, id) && !leads {
                true => Place::Last,
                false => Place::First,
            };
            home.decider().ready(&lent(home, w), id, place, |_| {});
        }
    }

    /// Takes `id`, which may run on other processors than before, out and in again after its equals
    /// at `home`, where seats decide and are not lent.
    #[inline(never)]
    pub(super) fn enter_anew_alone<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        home: &'a Home<Id, Seat, Q, N>,
    ) {
        let stands = w.is_ready(id) && !home.holds_back(w, id);
        if stands {
            if let Decider::Served(served) = home.decider()
                && self.is_ready(w, id)
            {
                served.loses(w, id);
            }
            home.decider().remove(w, id);
            self.follow_owners(w, home);
        }
        home.part_seats(w, id);
        if stands {
            home.decider().ready(w, id, Place::Last, |_| {});
            self.follow_owners(w, home);
        }
    }

    /// Whether [`Router::settle`] has anything to do.
    #[inline(always)]
    pub fn has_to_settle(&self) -> bool {
        self.lending != 0 || self.system.has_seats_owners_anew()
    }

    /// Brings seats and processors in line with the waits for locks, after each change of these.
    /// One step for each thread that waits for a lock that counts or owns one; then rounds: ends
    /// times instances, each of as many steps for an end as the instances that help it have
    /// processors.
    #[inline(always)]
    pub fn settle<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W) {
        self.watch_homes(w);
        if self.lending != 0 {
            self.settle_lent(w);
        }
    }

    /// Puts off settling until [`Router::end_together`]: once is enough for several acts, if the
    /// running threads are not queried meanwhile. Returns whether it was not put off before: then
    /// the caller has to call [`Router::end_together`].
    pub fn begin_together(&mut self) -> bool {
        !core::mem::replace(&mut self.together, true)
    }

    /// Settles once what acts have put off since [`Router::begin_together`].
    pub fn end_together<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W) {
        self.together = false;
        if core::mem::take(&mut self.unsettled) {
            self.settle(w);
        }
    }

    #[inline(never)]
    fn settle_lent<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W) {
        if self.together {
            self.unsettled = true;
            return;
        }
        while self.count_lent(w) {}
        let mut last = None;
        while let Some(row) = self.system.next_concerned(last) {
            last = Some(row);
            self.inherit(w, row);
            self.end_standing(w, row);
        }
        self.seat_ends(w);
    }

    /// [`Router::settle`] after an act of a thread that neither waits for a lock that counts nor
    /// owns one, by which seats may have other owners: no thread waits for another one than before.
    #[inline(never)]
    fn settle_beside<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W) {
        let is_settled = |home: &Home<Id, Seat, Q, N>| {
            let mut seats = home.lent_seats().iter();
            self.system.lends(home.instance())
                && seats.all(|seat| seat.owner.get() == seat.told.get())
        };
        if self.together || self.system.has_seats_owners_anew() {
            self.settle(w);
        } else if !self
            .homes
            .iter()
            .filter(|home| home.lends())
            .all(is_settled)
        {
            self.seat_ends(w);
        }
    }

    /// Lets each end that is ready use a seat, if one can be had for it, and reports the users to
    /// the processors. As many rounds as there are ends, times instances; each as many steps for
    /// each end as it has instances that help it, times processors.
    #[inline(never)]
    fn seat_ends<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W) {
        let mut moved = true;
        while core::mem::take(&mut moved) {
            let mut last = None;
            while let Some(row) = self.system.next_concerned(last) {
                last = Some(row);
                let seeks = self.system.is_end(row) || self.system.loan(row).pinned.is_some();
                moved |= seeks && self.seat_end(w, row);
            }
        }
        self.tell_users(w);
        self.end_lending(w);
    }

    /// The waits for owners with seats count from now on where those are at home in an instance
    /// that lends. Whether there were such.
    fn count_lent<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W) -> bool {
        let mut counts = false;
        for home in self.homes.iter().filter(|home| home.lends()) {
            if self.system.seats_owners(home.instance()) {
                self.count_waits_of(w, home.instance());
                counts = true;
            }
        }
        self.watch_homes(w);
        counts
    }

    /// Visits the threads that are in the rings of `instance`, which lends; for one that
    /// represents an end, the end.
    pub(super) fn for_each_standing<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        instance: Instance,
        visit: &mut dyn FnMut(Thread),
    ) {
        let Some(home) = self.lending_home(instance) else {
            return;
        };
        let lent = lent(home, w);
        home.decider().for_each(&lent, |id| {
            if let Some(row) = w.row(id)
                && home.decider().seat_of(&lent, id).is_none()
            {
                let end = self.system.loan(row).stands_for;
                visit(end.filter(|_| !self.is_ready(w, id)).unwrap_or(row));
            }
        });
    }

    /// Returns the owner of the seat of `cpu`, of a home that lends; none if the seat is free. For
    /// tests and tools.
    pub fn seat_owner<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, cpu: Cpu) -> Option<Id> {
        let home = self.home_of(cpu).filter(|home| home.lends())?;
        lent(home, w).at(cpu.index()).owner.get()
    }

    /// Whether seats of `instance` are lent.
    pub(super) fn lends(&self, instance: Instance) -> bool {
        self.lending_home(instance).is_some()
    }

    /// Whether `id` is ready, and not throttled.
    pub(super) fn is_ready<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) -> bool {
        let throttled = |row| self.system.is_throttled(row);
        self.waits_for_nothing(w, id) && !(W::THROTTLES && w.row(id).is_some_and(throttled))
    }

    /// Whether `id` is ready, as the world says, or is about to say.
    pub(super) fn waits_for_nothing<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) -> bool {
        match self.between == Some(id) {
            true => self.between_is_ready,
            false => w.is_ready(id),
        }
    }

    /// The home of `instance`, if it lends.
    fn lending_home(&self, instance: Instance) -> Option<&'a Home<Id, Seat, Q, N>> {
        self.home(instance).filter(|home| home.lends())
    }

    /// The home of the thread of `row`, if it lends.
    fn lending_home_of(&self, row: Thread) -> Option<&'a Home<Id, Seat, Q, N>> {
        self.lending_home(self.system.scheduler(row).ok()?)
    }

    /// Gives the thread of `row` the priority that its waiters at home lend it, while it is ready,
    /// or represents an end.
    fn inherit<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, row: Thread) {
        let loan = self.system.loan(row);
        let home = self.lending_home_of(row);
        let Some(id) = w.thread(row) else { return };
        let moves = loan.moves(self.is_ready(w, id)) || loan.is_away;
        let inherits = home
            .filter(|_| moves)
            .and_then(|_| self.system.inherited(row));
        if inherits == loan.inherits {
            return;
        }
        self.system.set_loan(row, |loan| loan.inherits = inherits);
        let Some(own_home) = self.home_of_row(row) else {
            return;
        };
        let (own, place) = (self.own_standing(w, own_home, row, id), loan.place);
        let standing = inherits.map_or(own, |inherited| own.min(inherited));
        let set = || raise(own_home, w, id, inherits, standing);
        let changes = standing != own_home.standing(w, id);
        match home {
            Some(home) if changes && loan.moves(self.is_ready(w, id)) => {
                home.decider().change(&lent(home, w), id, set, place);
            }
            _ => set(),
        }
    }

    /// How urgent the thread `id` of `row` is in its `home`, but for what it inherits.
    fn own_standing<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        row: Thread,
        id: Id,
    ) -> Level {
        let deadline = self.system.own_deadline(row).map(|deadline| deadline.0);
        home.standing_by(deadline, w.own_number(id))
    }

    /// The home of the thread of `row`.
    pub(super) fn home_of_row(&self, row: Thread) -> Option<&'a Home<Id, Seat, Q, N>> {
        self.home(self.system.scheduler(row).ok()?)
    }

    /// Stops the thread of `row` from representing its end, or brings it back to its home, if
    /// either is due.
    fn end_standing<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, row: Thread) {
        let loan = self.system.loan(row);
        let (Some(id), Some(home)) = (w.thread(row), self.lending_home_of(row)) else {
            return;
        };
        let runs_elsewhere = loan.uses.is_some() && self.system.is_end(row);
        let stays_away = runs_elsewhere || loan.pinned.is_some();
        if loan.uses.is_some() && !stays_away {
            self.system.set_loan(row, |loan| loan.uses = None);
        }
        let stays_away = stays_away && (loan.pinned.is_some() || !self.system.sticks_at_home(row));
        if loan.is_away && !(stays_away && self.is_ready(w, id)) {
            self.system.set_loan(row, |loan| loan.is_away = false);
            let place = match self.system.end_for(row) {
                Some(_) => Place::Last,
                None => Place::First,
            };
            if self.is_ready(w, id) {
                enter(home, w, id, place);
            }
        }
        let Some(end) = loan.stands_for else { return };
        let lender = self.lender_of(w, end, home.instance());
        if lender == Some(row) || !self.stand_down(w, home, row, id) {
            return;
        }
        if let Some(next) = lender {
            self.stand(w, home, next, end);
        }
    }

    /// Stops the thread `id` of `row`, at home in `home`, from representing its end. Returns
    /// whether it left the ready threads of its home by that.
    pub(super) fn stand_down<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        row: Thread,
        id: Id,
    ) -> bool {
        let end = self.system.loan(row).stands_for;
        self.system.set_loan(row, |loan| loan.stands_for = None);
        let is_bound = end.is_some_and(|end| self.system.loan(end).pinned.is_some());
        let leaves = !self.is_ready(w, id);
        if leaves || is_bound {
            home.decider().remove(&lent(home, w), id);
        }
        if is_bound {
            self.bind_lender(w, home, (row, id), None);
        }
        match leaves {
            true => self.inherit(w, row),
            false if is_bound => enter(home, w, id, Place::First),
            false => {}
        }
        leaves
    }

    /// The lender of `end` in `instance`, if `end` is one, is ready, and may run there.
    fn lender_of<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        end: Thread,
        instance: Instance,
    ) -> Option<Thread> {
        let is_ready = w.thread(end).is_some_and(|id| self.is_ready(w, id));
        let lends = self.system.is_end(end) && is_ready && self.system.may_ask(end, instance);
        lends.then(|| self.system.lender(end, instance))?
    }

    /// Makes `lender`, which is at home in `home`, represent `end` there, in front of its equals,
    /// if it does not yet. Returns whether it did not.
    fn stand<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        lender: Thread,
        end: Thread,
    ) -> bool {
        let loan = self.system.loan(lender);
        let stands = loan.stands_for.is_some() || loan.is_away;
        let Some(id) = w.thread(lender).filter(|_| !stands) else {
            return false;
        };
        self.system
            .set_loan(lender, |loan| loan.stands_for = Some(end));
        let (pinned, is_ready) = (self.system.loan(end).pinned, self.is_ready(w, id));
        match is_ready {
            true if pinned.is_none() => home.decider().requeue(&lent(home, w), id, Place::First),
            _ => {
                if is_ready {
                    home.decider().remove(&lent(home, w), id);
                }
                if pinned.is_some() {
                    self.bind_lender(w, home, (lender, id), pinned);
                }
                enter(home, w, id, Place::First);
            }
        }
        self.inherit(w, lender);
        true
    }

    /// The end of `row` keeps the seat that it uses, or gets another one, if it is ready; others
    /// that got one for it leave theirs. Whether a thread came in or left for that.
    fn seat_end<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, row: Thread) -> bool {
        let Some(id) = w.thread(row) else {
            return false;
        };
        let is_ready = self.is_ready(w, id);
        let uses = self.system.loan(row).uses;
        let keeps = uses.filter(|cpu| is_ready && self.serves(w, row, *cpu));
        let mut moved = false;
        if keeps.is_none() {
            self.system.set_loan(row, |loan| loan.uses = None);
            moved = is_ready && self.find_seat(w, row, id);
        }
        match self.system.loan(row).uses {
            Some(cpu) => self.leave_others(w, row, id, cpu) || moved,
            None => moved,
        }
    }

    /// `end`, the thread `id`, which is ready, gets a seat, if there is one: one that serves it as
    /// it is, or one for which it comes back to its home, or a lender comes in. Whether one
    /// came in.
    fn find_seat<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, end: Thread, id: Id) -> bool {
        if self.asks_all(end, |it, home| it.takes_seat(w, end, home)) {
            return false;
        }
        let mut moved = false;
        self.asks_all(end, |it, home| {
            let comes = it.comes_in(w, end, id, home);
            moved |= comes;
            comes && it.takes_seat(w, end, home)
        });
        match self.system.loan(end).pinned {
            None => moved || self.goes_first(w, end, id),
            Some(cpu) => {
                self.takes_free_seat(w, end, id, cpu);
                moved
            }
        }
    }

    /// `end`, the thread `id`, which is ready and has no seat, and for which one spins at its home,
    /// goes in front of an equal there that has one where it may run, but not of another for which
    /// one spins. Whether it has a seat then.
    fn goes_first<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, end: Thread, id: Id) -> bool {
        let Some(home) = self
            .lending_home_of(end)
            .filter(|_| self.system.leads_at_home(end))
        else {
            return false;
        };
        let lent = lent(home, w);
        let may_run = |cpu: &Cpu| home.decider().allows(&lent, id, cpu.index());
        let equals = |cpu: Cpu| {
            let owner = lent.at(cpu.index()).owner.get();
            owner.filter(|owner| home.standing(w, *owner) == home.standing(w, id))
        };
        let cpus = home.lent_cpus().into_iter().filter(may_run);
        let mut all = cpus.filter_map(equals).peekable();
        let leads = |it: &Self, id| w.row(id).is_some_and(|row| it.system.leads_at_home(row));
        if all.peek().is_none() || all.any(|owner| leads(self, owner)) {
            return false;
        }
        home.decider().requeue(&lent, id, Place::First);
        self.takes_seat(w, end, home)
    }

    /// Tries the instances that may help `end` and lend, in their order, until one gives it a
    /// seat. Returns whether one does.
    fn asks_all(
        &mut self,
        end: Thread,
        mut ask: impl FnMut(&mut Self, &'a Home<Id, Seat, Q, N>) -> bool,
    ) -> bool {
        let mut asked = None;
        while let Some(instance) = self.system.asked_after(end, asked) {
            asked = Some(instance);
            if let Some(home) = self.lending_home(instance)
                && ask(self, home)
            {
                return true;
            }
        }
        false
    }

    /// `end`, the thread `id`, comes back to `home` if it is its own, or its lender there comes in.
    /// Whether one does.
    fn comes_in<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        end: Thread,
        id: Id,
        home: &Home<Id, Seat, Q, N>,
    ) -> bool {
        if w.is_at_home(id, home.instance()) {
            let comes_back = self.system.loan(end).is_away;
            if comes_back {
                self.system.set_loan(end, |loan| loan.is_away = false);
                enter(home, w, id, Place::First);
            }
            return comes_back;
        }
        // One that is pinned abroad seeks a seat also while it spins.
        let is_end = self.system.is_end(end);
        let lender = self.system.lender(end, home.instance()).filter(|_| is_end);
        lender.is_some_and(|lender| self.stand(w, home, lender, end))
    }

    /// Whether the owner of the seat of `cpu` is `end`, or waits for it.
    fn serves<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, end: Thread, cpu: Cpu) -> bool {
        let Some(home) = self.home_of(cpu).filter(|home| home.lends()) else {
            return false;
        };
        let lent = lent(home, w);
        let pinned = self.system.loan(end).pinned;
        if pinned.is_some_and(|pinned| pinned != cpu) {
            return false;
        }
        if pinned.is_some() && lent.at(cpu.index()).owner.get().is_none() {
            return lent.at(cpu.index()).guest.get() == w.thread(end);
        }
        // At home where it may run, elsewhere where the lender may.
        let allowed = w.thread(end).is_some_and(|id| {
            !w.is_at_home(id, home.instance()) || home.decider().allows(&lent, id, cpu.index())
        });
        let owner = lent.at(cpu.index()).owner.get();
        let owner = owner.and_then(|owner| w.row(owner)).filter(|_| allowed);
        owner.is_some_and(|owner| {
            // One that spins is pinned all the same.
            let waits = || match pinned {
                None => self.system.end_for(owner) == Some(end),
                Some(_) => self.system.chain_from(owner).any(|owner| owner == end),
            };
            owner == end || waits()
        })
    }

    /// `end` uses a seat of `home` from now on, if one serves it. Whether one does.
    fn takes_seat<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        end: Thread,
        home: &Home<Id, Seat, Q, N>,
    ) -> bool {
        let mut cpus = home.lent_cpus().into_iter();
        let cpu = cpus.find(|cpu| self.serves(w, end, *cpu));
        if cpu.is_some() {
            self.system.set_loan(end, |loan| loan.uses = cpu);
        }
        cpu.is_some()
    }

    /// Makes `end`, the thread `id`, use the seat of `cpu`: any other thread that got a seat for it
    /// leaves that. Returns whether one did. A thread that sticks to its home keeps its seat there;
    /// if it uses that of another thread at home, it changes to its own.
    fn leave_others<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        end: Thread,
        id: Id,
        cpu: Cpu,
    ) -> bool {
        let mut moved = false;
        self.asks_all(end, |it, home| {
            let lent = lent(home, w);
            for other in home.lent_cpus().without(cpu) {
                let owner = lent.at(other.index()).owner.get();
                if let Some(owner) = owner
                    && let Some(row) = w.row(owner)
                    && it.system.loan(row).stands_for == Some(end)
                {
                    moved |= it.stand_down(w, home, row, owner);
                }
            }
            false
        });
        self.leave_home(w, end, id, cpu) || moved
    }

    /// [`Router::leave_others`] for its own place at home.
    fn leave_home<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        end: Thread,
        id: Id,
        cpu: Cpu,
    ) -> bool {
        let Some(home) = self.lending_home_of(end) else {
            return false;
        };
        let lent = lent(home, w);
        if lent.at(cpu.index()).owner.get() == Some(id) || self.system.loan(end).is_away {
            return false;
        }
        if !self.system.sticks_at_home(end) {
            self.system.set_loan(end, |loan| loan.is_away = true);
            home.decider().remove(&lent, id);
            return true;
        }
        let cpus = home.lent_cpus();
        let owns = |cpu: &Cpu| lent.at(cpu.index()).owner.get() == Some(id);
        let own = cpus.into_iter().find(owns).filter(|_| cpus.contains(cpu));
        if own.is_some() {
            self.system.set_loan(end, |loan| loan.uses = own);
        }
        own.is_some()
    }

    /// The processors of all homes that lend.
    pub(super) fn lending_cpus(&self) -> CpuSet {
        let lending = self.homes.iter().filter(|home| home.lends());
        lending.fold(CpuSet::EMPTY, |all, home| all.or(home.lent_cpus()))
    }

    // --- Processors.

    /// Returns the thread that is to run on `cpu`, of a home that lends; none for the idle thread.
    fn user_of<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        cpu: Cpu,
    ) -> Option<Id> {
        let lent = lent(home, w);
        let uses = |end| self.system.loan(end).uses == Some(cpu);
        let Some(owner) = lent.at(cpu.index()).owner.get() else {
            let guest = lent.at(cpu.index()).guest.get();
            return guest.filter(|guest| w.row(*guest).is_some_and(uses));
        };
        let row = w.row(owner)?;
        let is_elsewhere = self.system.loan(row).pinned.is_some();
        let (mut waits, mut user) = (false, None);
        for end in self.system.chain_from(row) {
            waits = true;
            user = Some(end).filter(|end| uses(*end)).or(user);
        }
        if let Some(user) = user {
            return w.thread(user);
        }
        let stays = match waits {
            true => self.is_ready(w, owner) && !is_elsewhere,
            false => !self.system.is_end(row) && !is_elsewhere || uses(row),
        };
        stays.then_some(owner)
    }

    /// The thread that is to run on `cpu`, of a home that lends, or waits there for its registers;
    /// none for the idle thread.
    pub fn told_user<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, cpu: Cpu) -> Option<Id> {
        let home = self.home_of(cpu).filter(|home| home.lends())?;
        lent(home, w).at(cpu.index()).user.get()
    }

    /// Charges the threads that run on the processors of `home` until now. As many steps as there
    /// are processors.
    pub fn charge_all<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, home: &Home<Id, Seat, Q, N>) {
        let (decider, lent) = (home.decider(), lent(home, w));
        for cpu in self.cpus_of(home) {
            match home.lends() {
                true => decider.charge(&lent, cpu.index()),
                false => decider.charge(w, cpu.index()),
            }
        }
    }

    /// Reports to each processor of homes that lend the thread that is to run there.
    fn tell_users<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W) {
        let (mut users, mut anew) = ([None; N], CpuSet::EMPTY);
        for home in self.homes.iter().filter(|home| home.lends()) {
            let lent = lent(home, w);
            for cpu in lent.cpus {
                let user = self.user_of(w, home, cpu);
                if lent.at(cpu.index()).user.get() != user {
                    anew = anew.with(cpu);
                    home.decider().charge(&lent, cpu.index());
                    if !self.serves {
                        lent.at(cpu.index()).user.set(user);
                    }
                }
                users[cpu.index() % N] = user;
            }
        }
        if self.serves {
            self.set_users(w, &users);
        }
        let user_on = |cpu: Cpu| users[cpu.index() % N];
        for home in self.homes.iter().filter(|home| home.lends()) {
            for cpu in home.lent_cpus() {
                lent(home, w).at(cpu.index()).tell(user_on(cpu));
                let before = heir_if_known(w, cpu);
                tell(w, cpu, self.heir_now(w, cpu, user_on));
                if anew.contains(cpu) || before != heir_if_known(w, cpu) {
                    w.appointed(cpu.index());
                }
            }
        }
        for cpu in self.left {
            tell(w, cpu, self.heir_now(w, cpu, user_on));
        }
    }

    /// Sets the user of each processor of homes that lend, if threads may have servers. All users
    /// were charged until now.
    #[inline(never)]
    fn set_users<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, users: &[Option<Id>; N]) {
        for home in self.homes.iter().filter(|home| home.lends()) {
            let lent = lent(home, w);
            for cpu in lent.cpus {
                let user = users[cpu.index() % N];
                if lent.at(cpu.index()).user.replace(user) != user {
                    self.user_has_changed(w, lent.at(cpu.index()), cpu);
                }
            }
        }
    }

    /// Returns the heir of `cpu`, of a home that lends; none while another processor is to run the
    /// thread that has its registers there.
    fn heir_now<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        cpu: Cpu,
        user_on: impl Fn(Cpu) -> Option<Id>,
    ) -> Option<Id> {
        let (user, current) = (user_on(cpu), w.current(w.seat(cpu.index())));
        if user.unwrap_or(w.idle(cpu.index())) == current {
            return Some(current);
        }
        match self.waiting_cpu(w, cpu, self.lending_cpus(), user_on) {
            Some(_) => None,
            None => Some(self.heir_on(w, cpu, user)),
        }
    }

    /// Returns another one of `all` processors that lend, if its user has its registers on `cpu`.
    fn waiting_cpu<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        cpu: Cpu,
        all: CpuSet,
        user_on: impl Fn(Cpu) -> Option<Id>,
    ) -> Option<Cpu> {
        let current = w.current(w.seat(cpu.index()));
        let mut others = all.without(cpu).into_iter();
        others.find(|other| user_on(*other) == Some(current))
    }

    /// The thread that can run on `cpu` now: its `user`, unless another processor has the registers
    /// of that.
    fn heir_on<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, cpu: Cpu, user: Option<Id>) -> Id {
        let idle = w.idle(cpu.index());
        let has = |other: Cpu, id| w.current(w.seat(other.index())) == id;
        let mut others = self.system.online().without(cpu).into_iter();
        let user = user.filter(|user| !others.any(|other| has(other, *user)));
        user.unwrap_or(idle)
    }

    /// Returns the thread that runs next on `cpu`, which has an unknown heir and a home that lends.
    /// `cpu` is about to release the registers that it has, unless they are that thread's. As many
    /// steps as there are processors.
    pub fn dispatch_lent<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, cpu: Cpu) -> Id {
        let current = w.current(w.seat(cpu.index()));
        let user_on = |cpu| self.told_user(w, cpu);
        let waits_for = |cpu| self.waiting_cpu(w, cpu, self.lending_cpus(), user_on);
        if let Some(other) = waits_for(cpu) {
            // If it has registers that another one waits for, it dispatches itself before it lets
            // them go.
            tell(w, other, waits_for(other).is_none().then_some(current));
        }
        let heir = self.heir_on(w, cpu, user_on(cpu));
        w.set_heir(w.seat(cpu.index()), heir);
        heir
    }

    // --- Processors that come and go.

    /// Gives `home`, which lends, the processor `cpu`, too, of `cpus`; see [`Home::widen`] for
    /// `runs`. The first thread in its rings gets the seat.
    pub(super) fn gain_lent<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        (cpu, cpus): (Cpu, CpuSet),
        runs: Option<Id>,
    ) {
        home.lend(cpus);
        let lent = lent(home, w);
        lent.at(cpu.index()).owner.set(None);
        lent.at(cpu.index()).tell(None);
        self.begin_to_watch_users(w, home, CpuSet::of(cpu));
        home.widen(&lent, cpus, runs).gain(&lent, cpu.index());
    }

    /// Removes `cpu` from `home`, which lends. The owner of its seat comes in again, after its
    /// equals, and the user of it is to find another one. The thread that still has its registers
    /// there continues: the processor calls [`Router::dispatch_lent`] before it releases them.
    pub(super) fn lose_lent<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        (from, cpu): (u8, Cpu),
        now: Instant,
    ) {
        let left_over = self.left_over_lent(w, home, cpu);
        self.system.take_away(from, cpu, now);
        self.left = self.left.with(cpu);
        home.watch(false);
        let lent_seats = lent(home, w);
        if let Some(id) = left_over {
            home.decider().remove(&lent_seats, id);
        }
        let owner = home.decider().lose(&lent_seats, cpu.index());
        lent_seats.at(cpu.index()).tell(None);
        home.watch(true);
        home.lend(home.lent_cpus().without(cpu));
        self.lose_alarm(w, home, cpu);
        for id in [owner, left_over].into_iter().flatten() {
            enter(home, w, id, Place::Last);
        }
    }

    /// Returns the thread of `home`, which lends, that has its registers on `cpu` and waits for a
    /// seat in the rings, if no wait for a lock that counts concerns it: it comes in again as it
    /// does where no seats are lent.
    fn left_over_lent<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        cpu: Cpu,
    ) -> Option<Id> {
        let lent = lent(home, w);
        let id = self.left_over(w, home, cpu, lent.at(cpu.index()).owner.get())?;
        let row = w.row(id)?;
        let stands = self.is_ready(w, id) && home.decider().seat_of(&lent, id).is_none();
        (stands && !self.system.stays_listed(row)).then_some(id)
    }

    // --- Beginning and end.

    /// `home`, which is watched, lends from now on.
    pub(super) fn begin_lending<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
    ) {
        let decider = home.decider();
        match decider {
            Decider::Masked(masked) => masked.arrive(w),
            Decider::Affine(affine) => affine.arrive(w),
            _ => {}
        }
        let lent = lent(home, w);
        for seat in lent.seats {
            seat.owner.set(None);
            seat.tell(None);
        }
        let cpus = self.system.processors(home.instance()).unwrap_or_default();
        for cpu in cpus {
            let owner = decider.owner(w, cpu.index());
            lent.at(cpu.index()).owner.set(owner);
            lent.at(cpu.index()).tell(owner);
        }
        home.lend(cpus);
        self.begin_to_watch_users(w, home, cpus);
        self.lending |= 1 << home.instance().index();
    }

    /// The homes of which no thread is concerned any more lend no longer, once each of their
    /// processors runs what it should, and no other has registers of their threads.
    fn end_lending<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W) {
        let ended =
            |home: &&Home<Id, Seat, Q, N>| home.lends() && !self.system.lends(home.instance());
        for home in self.homes.iter().filter(ended) {
            let (instance, cpus) = (home.instance(), home.lent_cpus());
            let runs = |cpu: Cpu| {
                let seat = w.seat(cpu.index());
                let owner = lent(home, w).at(cpu.index()).owner.get();
                !w.is_due(seat) && w.current(seat) == owner.unwrap_or(w.idle(cpu.index()))
            };
            let is_abroad = |cpu: Cpu| w.is_at_home(w.current(w.seat(cpu.index())), instance);
            let others = self.system.online().minus(cpus);
            let spent = |cpu: Cpu| home.lent_seat(cpu).spent.get().is_some();
            let is_settled = cpus.into_iter().all(runs)
                && (home.knows_servers() || !cpus.into_iter().any(spent));
            if is_settled && !others.into_iter().any(is_abroad) {
                home.end_lending();
                self.end_to_watch_users(w, home, cpus);
                home.watch(self.system.seats_owners(instance));
                self.lending &= !(1 << instance.index());
            }
        }
    }
}

impl<Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Home<Id, Seat, Q, N> {
    /// Does `act` with `id`, which is at home here, where [owners stay](Router::owners_stay) and no
    /// seats are lent; `set` gives it another priority. Bound: that of the decider.
    #[inline(never)]
    pub fn act<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, (act, set): (Act, &dyn Fn())) {
        let (stands, moves) = (!self.holds_back(w, id), w.is_ready(id));
        if stands || matches!(act, Act::Change(..) | Act::Job(..)) {
            perform(self.decider(), w, id, (act, set), moves && stands);
        }
    }
}

/// `home` as its decider sees it while it lends.
pub(super) fn lent<'w, W: World, Q: Ready<W::Id>, const N: usize>(
    home: &'w Home<W::Id, W::Seat, Q, N>,
    w: &'w W,
) -> Lent<'w, W, N> {
    Lent {
        w,
        seats: home.lent_seats(),
        cpus: home.lent_cpus(),
        settles: home.decider().shifts(),
        lender: None,
    }
}

/// `id`, a ring of its own, comes in at `home`, which lends.
pub(super) fn enter<W: Rows, Q: Ready<W::Id>, const N: usize>(
    home: &Home<W::Id, W::Seat, Q, N>,
    w: &W,
    id: W::Id,
    place: Place,
) {
    let lender = (!w.is_ready(id) || home.holds_back(w, id)).then_some(id);
    let lent = Lent {
        lender,
        ..lent(home, w)
    };
    home.decider().ready(&lent, id, place, |_| {});
}

/// Does `act` with `id`, which is among the ready threads, or has a seat, if it `moves`.
fn perform<W: World, Q: Ready<W::Id>, const N: usize>(
    decider: Decider<'_, W::Id, W::Seat, Q, N>,
    w: &W,
    id: W::Id,
    (act, set): (Act, &dyn Fn()),
    moves: bool,
) {
    match act {
        Act::Enter(place) => decider.ready(w, id, place, |_| {}),
        Act::Leave => decider.remove(w, id),
        Act::Change(_, place) | Act::Job(_, place) if moves => decider.change(w, id, set, place),
        Act::Change(..) | Act::Job(..) => {
            set();
            decider.waiting_has_changed(w);
        }
        Act::Requeue(place) => decider.requeue(w, id, place),
    }
}

/// Whether `id`, at home in `home`, is as urgent after `act` as before, and keeps its place among
/// its equals: its own priority becomes another one, and what it inherits is the more urgent both
/// times.
fn covers<W: World, Q: Ready<W::Id>, const N: usize>(
    home: &Home<W::Id, W::Seat, Q, N>,
    w: &W,
    id: W::Id,
    loan: LoanRecord,
    act: Act,
) -> bool {
    let (Act::Change(priority, _), Some(inherits)) = (act, loan.inherits) else {
        return false;
    };
    let standing = home.standing(w, id);
    standing == inherits && inherits <= home.standing_with(standing, priority)
}

/// `id`, which is at home in `home`, inherits this from now on, or nothing, which makes it as
/// urgent as `standing` says.
fn raise<W: Rows, Q: Ready<W::Id>, const N: usize>(
    home: &Home<W::Id, W::Seat, Q, N>,
    w: &W,
    id: W::Id,
    inherits: Option<Level>,
    standing: Level,
) {
    let priority = |level: Level| Priority((level.0 & !Level::BACKGROUND) as u32);
    if !home.knows_deadlines() {
        return w.inherit(id, inherits.map(priority));
    }
    w.inherit(id, inherits.filter(|level| !has_job(*level)).map(priority));
    set_job(w, id, has_job(standing).then_some(standing.0));
}

/// Returns the heir of `cpu`; none if it is unknown.
fn heir_if_known<W: Rows>(w: &W, cpu: Cpu) -> Option<W::Id> {
    let seat = w.seat(cpu.index());
    w.knows_heir(seat).then(|| w.heir(seat))
}

/// Sets the heir of `cpu`, or makes it unknown if there is none; the processor is called, unless it
/// was before.
fn tell<W: Rows>(w: &W, cpu: Cpu, heir: Option<W::Id>) {
    let seat = w.seat(cpu.index());
    let was_due = w.is_due(seat);
    match heir {
        Some(heir) => w.set_heir(seat, heir),
        None => w.forget_heir(seat),
    }
    if !was_due && w.is_due(seat) {
        w.call(seat, cpu.index());
    }
}
