//! Owns: operations that concern the rows and the seats both. Must never know: why a thread waits.

use super::cluster::{LATEST, has_job, set_job};
use super::decider::{Kind, place_of_job};
use super::{Act, Decider, Home, Moved, Place, Ready, SEATS, World};
use crate::smp::{Error, Instance, Lock, PolicyKind, Priority, System, Thread, system::Executing};
use crate::{Cpu, CpuSet, ReadyQueue};
use taktos_time::Instant;

/// The facts of its world that a [`Router`] must know in addition to those for a [`Decider`].
pub trait Rows: World {
    /// The thread's row in the System's table; none for an idle thread, and for one that does not
    /// exist.
    fn row(&self, id: Self::Id) -> Option<Thread>;

    /// The thread of a row.
    fn thread(&self, row: Thread) -> Option<Self::Id>;

    /// Whether `id` is ready: it waits for nothing.
    fn is_ready(&self, id: Self::Id) -> bool;

    /// Whether the thread is at home in `instance`.
    fn is_at_home(&self, id: Self::Id, instance: Instance) -> bool;

    /// [`World::number`] of `id`, but for what it [inherits](World::inherit).
    fn own_number(&self, id: Self::Id) -> Priority {
        self.number(id)
    }
}

/// The thread that has its registers on `cpu`.
pub(super) fn executing<W: Rows>(w: &W, cpu: Cpu) -> Executing {
    let current = w.current(w.seat(cpu.index()));
    if current == w.idle(cpu.index()) {
        return Executing::Idle;
    }
    w.row(current).map_or(Executing::Nobody, Executing::Thread)
}

/// A [`System`] with the [`Decider`]s of its instances.
///
/// The System handles everything that spans instances, by [`Router::ask`]; the decider of an
/// instance handles the rest. Before the System is queried for the urgency of a thread,
/// [`Router::look_up`] is to be called with it.
pub struct Router<'a, Id: Copy + Eq, Seat, Q: Ready<Id> = ReadyQueue<Id>, const N: usize = SEATS> {
    pub(super) system: System<'a>,
    pub(super) homes: &'a [Home<Id, Seat, Q, N>],
    /// The instances, a bit each, that [lend](Home::lends).
    pub(super) lending: u64,
    /// The thread that is about to become ready, or to cease to be.
    pub(super) between: Option<Id>,
    /// Whether it is ready, as far as is to be seen now.
    pub(super) between_is_ready: bool,
    /// Whether seats are settled at the end of what is done [together](Router::begin_together).
    pub(super) together: bool,
    /// Whether they are to be then.
    pub(super) unsettled: bool,
    /// Whether threads may have servers anywhere.
    pub(super) serves: bool,
    /// The processors that left instances that lent, and came to no other yet, while they may have
    /// registers that another one waits for.
    pub(super) left: CpuSet,
}

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Router<'a, Id, Seat, Q, N> {
    /// Each instance has one of `homes`, in order. [`Router::begin`] is to be called next.
    pub fn new(system: System<'a>, homes: &'a [Home<Id, Seat, Q, N>]) -> Self {
        for (index, home) in homes.iter().enumerate() {
            if let Some(instance) = Instance::new(index) {
                let cpus = system.processors(instance).unwrap_or(CpuSet::EMPTY);
                let kind = match system.policy(instance) {
                    Some(PolicyKind::StrongAffinity) => Kind::Masked,
                    Some(PolicyKind::PriorityAffinity) => Kind::Weak,
                    Some(PolicyKind::Edf) => Kind::Edf,
                    Some(PolicyKind::Cbs) => Kind::Served,
                    _ if cpus.count() > 1 || !Q::SOLO => Kind::Cluster,
                    _ => Kind::Solo,
                };
                home.begin(instance, kind);
            }
        }
        Self {
            system,
            homes,
            lending: 0,
            left: CpuSet::EMPTY,
            between: None,
            between_is_ready: false,
            together: false,
            unsettled: false,
            serves: homes.iter().any(Home::knows_servers),
        }
    }

    /// The seats decide from now on: the world knows its processors, which all idle.
    pub fn begin<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, now: Instant) {
        for home in self.homes {
            let instance = home.instance();
            let Ok(cpus) = self.system.processors(instance) else {
                continue;
            };
            let decider = home.decider_for(cpus);
            decider.start(0);
            self.system.begin(instance, now);
            // The lowest one becomes free last, and is taken first.
            let mut rest = cpus;
            while let Some(cpu) = rest.highest() {
                rest = rest.without(cpu);
                decider.seat(w, cpu.index(), None);
            }
            home.watch(false);
        }
    }

    /// The System; how urgent a thread is it knows only after [`Router::look_up`].
    #[inline(always)]
    pub fn system(&self) -> &System<'a> {
        &self.system
    }

    /// The System, for what concerns no thread that is ready.
    #[inline(always)]
    pub fn system_mut(&mut self) -> &mut System<'a> {
        &mut self.system
    }

    /// Returns the home of the instance that has `cpu`: its possible deciders.
    pub fn home_of(&self, cpu: Cpu) -> Option<&'a Home<Id, Seat, Q, N>> {
        self.home(self.system.instance_of_cpu(cpu).ok()?)
    }

    /// Returns the home of `instance`: its possible deciders.
    #[inline(always)]
    pub fn home(&self, instance: Instance) -> Option<&'a Home<Id, Seat, Q, N>> {
        self.homes.get(instance.index())
    }

    /// Calls `question` with the rows, to query or to change them. If a wait for a lock may have
    /// ended by that, [`Router::watch_homes`] is to be called after it.
    #[inline(always)]
    pub fn ask<W: Rows<Id = Id, Seat = Seat>, R>(
        &mut self,
        w: &W,
        question: impl FnOnce(&mut System<'a>) -> R,
    ) -> R {
        let answer = question(&mut self.system);
        self.watch_refill(w);
        answer
    }

    /// `id` may run on `cpus` alone from now on, at its home.
    fn bind<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id, cpus: CpuSet) {
        let home = w.row(id).and_then(|row| self.home_of_row(row));
        if home.is_some_and(|home| home.bind(w, id, cpus)) {
            self.enter_anew(w, id);
        }
        self.watch_refill(w);
    }

    /// Applies that `id` was bound to other processors: if seats decide about its home, it goes
    /// after its equals.
    #[cold]
    fn enter_anew<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id) {
        let home = w.row(id).and_then(|row| self.system.scheduler(row).ok());
        let Some(home) = home.and_then(|home| self.home(home)) else {
            return;
        };
        if home.is_watched() {
            return self.enter_anew_watched(w, id, home);
        }
        match home.direct() {
            Some(Decider::Masked(masked)) if w.is_ready(id) => {
                masked.remove(w, id);
                masked.ready(w, id, Place::Last);
            }
            Some(Decider::Affine(affine)) if w.is_ready(id) => {
                affine.remove(w, id);
                affine.ready(w, id, Place::Last);
            }
            Some(Decider::Edf(_) | Decider::Served(_)) => self.enter_anew_alone(w, id, home),
            _ => {}
        }
    }

    /// Makes `id`, which executes on `cpu`, stay there. Bounds: those of [`Router::act`] for a
    /// thread that leaves, and comes in again.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::NotDefined`]: the instance of that processor cannot pin, see
    /// [`PolicyKind::can_pin`](crate::smp::PolicyKind::can_pin), or the thread is not at home there
    /// and no thread helps it; [`Error::TooMany`]: more than 65,535 pins.
    pub fn pin<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        cpu: Cpu,
    ) -> Result<(), Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        if let Some(host) = self.pins_abroad(w, id, cpu) {
            self.pin_abroad(w, (row, id), host, cpu)?;
            self.settle(w);
            return Ok(());
        }
        let home = self.home(self.system.scheduler(row)?);
        if !home.is_some_and(|home| home.decider().decides(cpu.index())) {
            return Err(Error::NotDefined);
        }
        self.look_up(w, id);
        self.begin_to_pin(row, id);
        let pinned = self.system.pin_on(row, cpu);
        if pinned == Ok(true) {
            self.bind(w, id, CpuSet::of(cpu));
        }
        self.between = None;
        if pinned.is_ok() {
            self.settle(w);
        }
        pinned.map(drop)
    }

    /// The thread `id` of `row` leaves its seat as one that blocks does, and comes in again: a
    /// budget that it has used up is checked when it has a seat. If owners are watched, the thread
    /// is treated as it is.
    fn begin_to_pin(&mut self, row: Thread, id: Id) {
        let home = self.system.scheduler(row);
        if home.is_ok_and(|home| !self.watches_owners(home)) {
            (self.between, self.between_is_ready) = (Some(id), false);
        }
    }

    /// Lets `id` run on `cpus` alone, as far as they are online; while it is pinned, that is kept
    /// for later. It goes after its equals. Bounds: those of [`Router::act`] for one that leaves,
    /// and comes in again.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::InvalidNumber`]: the policy does not accept these processors.
    pub fn set_affinity<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        cpus: CpuSet,
    ) -> Result<(), Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        if self.lending != 0 && self.system.check_affinity(row, cpus).is_ok() {
            self.stand_down_bound(w, row);
        }
        self.look_up(w, id);
        if let Some(mask) = self.system.set_affinity(row, cpus)? {
            self.bind(w, id, mask);
        }
        self.settle(w);
        Ok(())
    }

    /// `id`, which is in no ring, or about to be taken out, is moved to `instance`, to have
    /// `priority` there. The next steps are the caller's business: to set the priority and the
    /// home, [`Home::receive_moved`], and [`Decider::ready`] once no processor of another instance
    /// has the thread's registers. A fixed number of steps.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]: no such thread, or instance;
    /// [`Error::InvalidPriority`]: less urgent than the instance knows; [`Error::ResourceInUse`]:
    /// it waits for a lock, or more than its own priority counts, or it is helped, or pinned;
    /// [`Error::Unsatisfied`]: the instance has no processor, or its policy does not accept the
    /// thread's affinity.
    pub fn change_home<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        instance: Instance,
        priority: Priority,
    ) -> Result<Moved<'a, Id, Seat, Q, N>, Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        let home = self.home(instance).ok_or(Error::InvalidId)?;
        self.look_up(w, id);
        let (cpus, place) = self.system.settle_waiting(row, instance, priority)?;
        let place = place.ok_or(Error::Unsatisfied)?;
        Ok(Moved { home, cpus, place })
    }

    /// Gives `cpu`, which no instance has, to `instance`: the first of those that wait gets it, in
    /// as many steps as its decider needs for one that becomes free, and those of
    /// [`Router::settle`] where seats are lent.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]: no such instance. [`Error::NotConfigured`]: no instance
    /// was given the processor at the start. [`Error::IncorrectState`]: it is not online.
    /// [`Error::ResourceInUse`]: an instance has it.
    pub fn add_processor<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
    ) -> Result<(), Error> {
        let target = self.system.check_arrival(instance, cpu)?;
        self.refill_spent(w, cpu, now);
        let had = self.system.processors(instance)?;
        let cpus = had.with(cpu);
        let runs_nobody = w.current(w.seat(cpu.index())) == w.idle(cpu.index());
        let has_left = self.left.contains(cpu) && !runs_nobody;
        self.left = self.left.without(cpu);
        let home = self.home(instance).ok_or(Error::InvalidId)?;
        if has_left && !home.lends() {
            // Another processor may wait for the registers that it has still.
            home.watch(true);
            self.begin_lending(w, home);
        }
        self.system.give(target, cpu, now);
        let runs = had.lowest().map(|cpu| w.current(w.seat(cpu.index())));
        let runs = runs.filter(|id| w.is_at_home(*id, instance));
        let is_watched = home.is_watched() || home.lends();
        home.watch(false);
        match home.lends() {
            true => self.gain_lent(w, home, (cpu, cpus), runs),
            false => home.widen(w, cpus, runs).gain(w, cpu.index()),
        }
        home.watch(is_watched);
        self.follow_owners(w, home);
        self.settle(w);
        Ok(())
    }

    /// Takes `cpu` away from `instance`; it idles then. Returns the thread that was to run there,
    /// and then another one that still has its registers there; both are in no ring. Once their
    /// registers are nowhere they may come in again, which is the caller's business. Those that are
    /// ready [come back](Decider::come_back) then. If the instance lends, none are returned: the
    /// thread that lost the seat comes in again at once. As many steps as there are threads, and
    /// those of [`Router::settle`] if seats are lent.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]: no such instance. [`Error::InvalidNumber`]: it does not
    /// have the processor. [`Error::ResourceInUse`]: a thread could run nowhere without it.
    pub fn remove_processor<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
    ) -> Result<[Option<Id>; 2], Error> {
        let from = self.system.check_departure(instance, cpu)?;
        let home = self.home(instance);
        if home.is_some_and(|home| home.is_watched() && !home.lends()) {
            // An owner may lose its seat by it.
            self.count_waits_of(w, instance);
            self.watch_homes(w);
        }
        if let Some(home) = home.filter(|home| home.lends()) {
            self.lose_lent(w, home, (from, cpu), now);
            self.settle(w);
            return Ok([None; 2]);
        }
        let home = home.ok_or(Error::InvalidId)?;
        let decider = home.decider();
        let left_over = self.left_over(w, home, cpu, decider.owner(w, cpu.index()));
        self.system.take_away(from, cpu, now);
        let owner = decider.lose(w, cpu.index());
        let stands = |row| !(W::THROTTLES && self.system.is_throttled(row));
        if let Some(id) = left_over.filter(|id| w.is_ready(*id) && w.row(*id).is_some_and(stands)) {
            decider.remove(w, id);
        }
        if home.knows_servers() {
            self.give_alarm(w, home, cpu);
        }
        self.follow_owners(w, home);
        Ok([owner, left_over])
    }

    /// Makes `id`, which lost its processor by [`Router::remove_processor`], or was moved, come in
    /// again at `home`, which is [watched](Home::is_watched): see [`Decider::come_back`]. Bounds:
    /// those of [`Router::act`].
    pub fn come_back<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        (id, home): (Id, &'a Home<Id, Seat, Q, N>),
    ) {
        let act: (Act, &dyn Fn()) = (Act::Enter(Place::Last), &|| {});
        self.act_anyhow(w, (id, home), act);
    }

    /// Whether `instance` lends, or threads with seats there own locks that others wait for.
    pub fn watches_owners(&self, instance: Instance) -> bool {
        let lends = self.home(instance).is_some_and(Home::lends);
        lends || self.system.seats_owners(instance)
    }

    /// Returns the thread of `home` that has its registers on `cpu`, though the seat there is of
    /// another `owner`, or of none.
    pub(super) fn left_over<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        cpu: Cpu,
        owner: Option<Id>,
    ) -> Option<Id> {
        let current = w.current(w.seat(cpu.index()));
        let is_left = w.row(current).is_some()
            && w.is_at_home(current, home.instance())
            && owner != Some(current);
        is_left.then_some(current)
    }

    /// Takes one pin of `id` back. Otherwise as [`Router::pin`].
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it is not pinned.
    pub fn unpin<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id) -> Result<(), Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        let is_abroad = self.system.loan(row).pinned.is_some();
        if is_abroad {
            self.unpin_abroad(w, row, id);
        }
        self.look_up(w, id);
        self.begin_to_pin(row, id);
        let unpinned = self.system.unpin(row);
        if let Ok(Some(cpus)) = unpinned {
            self.bind(w, id, cpus);
        }
        self.between = None;
        if unpinned.is_ok() {
            self.settle(w);
        }
        unpinned.map(drop)
    }

    /// A job of `id` with this deadline is released, or its deadline counts no longer. Nothing
    /// where its home knows no deadlines, or a server gives it its own. Deadlines later than 36
    /// years after the start count as that. Bounds: those of [`Router::act`].
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn set_job<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        deadline: Option<Instant>,
        now: Instant,
    ) -> Result<(), Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        let deadline = deadline.map(|at| at.min(Instant::from_nanos(LATEST)));
        let home = self.home(self.system.scheduler(row)?);
        let Some(home) = home.filter(|home| home.knows_deadlines()) else {
            return Ok(());
        };
        if self.system.has_server(row) {
            return Ok(());
        }
        let place = place_of_job(deadline.is_some());
        if home.is_watched() {
            self.set_job_watched(w, (id, home), (deadline, place), now);
            return Ok(());
        }
        let set = || set_job(w, id, deadline.map(Instant::as_nanos));
        self.system.note_job(row, deadline);
        match w.is_ready(id) {
            true => home.decider().change(w, id, set, place),
            false => {
                set();
                self.system.waiter_changed(row);
            }
        }
        Ok(())
    }

    /// [`Router::set_job`] where the `home` of `id` is watched.
    fn set_job_watched<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        (id, home): (Id, &'a Home<Id, Seat, Q, N>),
        (deadline, place): (Option<Instant>, Place),
        now: Instant,
    ) {
        let Some(row) = w.row(id) else { return };
        let begins = self.begin_together();
        let job = deadline.map(Instant::as_nanos);
        let counts = self.with_inherited(row, job);
        let set = || set_job(w, id, counts);
        self.act(w, (id, home), (Act::Job(job, place), &set), now);
        self.system.note_job(row, deadline);
        self.waiter_changed(w, id);
        if begins {
            self.end_together(w);
        }
    }

    /// The deadline that counts for the thread of `row`, which has a job of its own with `own`, or
    /// none: it may inherit an earlier one.
    pub(super) fn with_inherited(&self, row: Thread, own: Option<u64>) -> Option<u64> {
        let inherited = self.system.loan(row).inherits;
        let inherited = inherited.filter(|level| has_job(*level));
        own.into_iter().chain(inherited.map(|level| level.0)).min()
    }

    /// The row of `id` says how urgent it is of its own, as the world does. A fixed number of
    /// steps.
    pub fn look_up<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id) {
        if let Some(row) = w.row(id) {
            // No thread inherits by seats where none are lent.
            let number = match self.lending {
                0 => w.number(id),
                _ => w.own_number(id),
            };
            self.system.bring_up_to_date(row, number);
        }
    }

    /// Prepares for a request for the lock by `id`, which `waits` if it is busy: the seated locks
    /// that it may concern count from now on. As many steps as its instance, and its owner's, have
    /// processors.
    pub fn reach_lock<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        lock: Lock,
        id: Id,
        waits: bool,
    ) {
        let owner = self.system.owner(lock).ok().flatten();
        let (Some(owner), Some(row)) = (owner, w.row(id)) else {
            return;
        };
        if owner == row || !waits {
            return;
        }
        self.count_owners_at_homes(w, [row, owner]);
        self.look_up(w, id);
        if let Some(owner) = w.thread(owner) {
            self.look_up(w, owner);
        }
        self.count_chain(w, lock);
    }

    /// The waits for owners with seats at the homes of `parties` count from now on.
    fn count_owners_at_homes<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        parties: [Thread; 2],
    ) {
        for home in parties
            .map(|row| self.system.scheduler(row))
            .into_iter()
            .flatten()
        {
            if self.system.seats_owners(home) {
                self.count_waits_of(w, home);
            }
        }
    }

    /// [`Router::waiter_changed`] if nothing follows for any other thread. Returns whether that is
    /// all.
    pub fn waiter_changed_apart<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id) -> bool {
        self.look_up(w, id);
        let row = w.row(id);
        self.lending == 0 && row.is_none_or(|row| self.system.waiter_changed_apart(row))
    }

    /// Applies a change of the priority of `id`, which waits, perhaps for a lock: `id` takes its
    /// new place among the waiters, and lends the lock's owner what it has. Bound: that of a chain
    /// of owners, see [`Protocol`](crate::smp::Protocol), and of [`Router::settle`].
    pub fn waiter_changed<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id) {
        self.look_up(w, id);
        if let Some(row) = w.row(id) {
            self.system.waiter_changed(row);
            self.settle(w);
        }
    }
}
