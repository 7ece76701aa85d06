//! Owns: which instances are closed; opening and closing them. Must never know: why a thread waits.

use super::cluster::{LATEST, set_budget, set_job, set_served};
use super::decider::Kind;
use super::{ByRule, Decider, Home, Moved, Place, Ready, SEATS, Served, World};
use crate::smp::{
    Effects, Error, Instance, Level, Lock, Obtained, PolicyKind, Priority, System, Thread,
    system::Executing, system::Held,
};
use crate::{Cpu, CpuSet, Links, ReadyQueue};
use taktos_time::{Duration, Instant};

/// What a [`Router`] must know of its world beside what a [`Decider`] must.
pub trait Rows: World {
    /// The thread's row in the System's table; none for an idle thread, and for one that does not exist.
    fn row(&self, id: Self::Id) -> Option<Thread>;

    /// The thread of a row.
    fn thread(&self, row: Thread) -> Option<Self::Id>;

    /// Whether `id` is ready: it waits for nothing.
    fn is_ready(&self, id: Self::Id) -> bool;

    /// Whether the thread is at home in `instance`.
    fn is_at_home(&self, id: Self::Id, instance: Instance) -> bool;
}

/// Whose registers are on `cpu`.
fn executing<W: Rows>(w: &W, cpu: Cpu) -> Executing {
    let current = w.current(w.seat(cpu.index()));
    if current == w.idle(cpu.index()) {
        return Executing::Idle;
    }
    w.row(current).map_or(Executing::Nobody, Executing::Thread)
}

/// A [`System`] with the [`Decider`]s of its instances.
///
/// Everything that spans instances is asked of the System, by [`Router::ask`]; what concerns one closed instance alone, its
/// decider does. Before the System is asked about a thread, [`Router::reach`] or [`Router::look_up`] is to be called with it.
pub struct Router<'a, Id: Copy + Eq, Seat, Q: Ready<Id> = ReadyQueue<Id>, const N: usize = SEATS> {
    system: System<'a>,
    homes: &'a [Home<Id, Seat, Q, N>],
    /// The processors of closed instances.
    closed: CpuSet,
}

/// The [`Effects`] of a System whose READY threads stand in the rings of its deciders.
pub struct Kept<
    'e,
    W: Rows,
    E,
    Q: Ready<W::Id> = ReadyQueue<<W as Links>::Id>,
    const N: usize = SEATS,
> {
    world: &'e W,
    homes: &'e [Home<W::Id, W::Seat, Q, N>],
    /// The processors of closed instances.
    closed: CpuSet,
    /// Those of them that are to be dispatched all the same: they are to ask for help.
    asking: CpuSet,
    /// Who was bound to other processors.
    bound: Option<W::Id>,
    others: &'e mut E,
}

impl<W: Rows, E: Effects, Q: Ready<W::Id>, const N: usize> Kept<'_, W, E, Q, N> {
    /// Acts on the rings of `instance` and the thread of `row`.
    fn with(
        &self,
        instance: Instance,
        row: Thread,
        act: impl FnOnce(Decider<'_, W::Id, W::Seat, Q, N>, W::Id),
    ) {
        if let (Some(home), Some(id)) = (self.homes.get(instance.index()), self.world.thread(row)) {
            act(home.decider(), id);
        }
    }
}

impl<W: Rows, E: Effects, Q: Ready<W::Id>, const N: usize> Effects for Kept<'_, W, E, Q, N> {
    fn preempt(&mut self, cpu: Cpu) {
        if self.closed.contains(cpu) {
            self.asking = self.asking.with(cpu);
        } else {
            self.others.preempt(cpu);
        }
    }

    fn arm(&mut self, cpu: Cpu, at: Option<Instant>) {
        self.others.arm(cpu, at);
    }

    #[inline(always)]
    fn keeps(&self, instance: Instance) -> bool {
        let home = self.homes.get(instance.index());
        home.is_some_and(|home| !home.stays_open())
    }

    fn put(&mut self, instance: Instance, row: Thread, level: Level, place: Place, turn: i64) {
        self.with(instance, row, |decider, id| {
            decider.put(self.world, id, level, place, turn);
        });
    }

    fn take(&mut self, instance: Instance, row: Thread, level: Level) {
        self.with(instance, row, |decider, id| {
            decider.take(self.world, id, level);
        });
    }

    fn first(
        &self,
        instance: Instance,
        mut will_do: impl FnMut(Thread) -> bool,
    ) -> Option<(Thread, Priority, Option<i64>)> {
        let decider = self.homes.get(instance.index())?.decider();
        let will_do = |id| self.world.row(id).is_some_and(&mut will_do);
        let id = decider.first(self.world, will_do)?;
        let turn = decider.turn(self.world, id);
        Some((self.world.row(id)?, self.world.number(id), turn))
    }

    fn charged(&self, row: Thread) -> Duration {
        let id = self.world.thread(row);
        id.map_or(Duration::ZERO, |id| self.world.charged(id))
    }

    fn serve(&mut self, instance: Instance, row: Thread, deadline: Level, limit: Duration) {
        self.with(instance, row, |_, id| {
            set_budget(self.world, id, deadline.0, limit);
        });
    }

    fn binds(&mut self, instance: Instance, mut turn: impl FnMut(Thread, Priority) -> i64) {
        let w = self.world;
        if let Some(home) = self.homes.get(instance.index()) {
            home.part(w, |id| turn(w.row(id)?, w.number(id)).into());
        }
    }

    fn bind(&mut self, instance: Instance, row: Thread, cpus: CpuSet) {
        let home = self.homes.get(instance.index());
        if let (Some(home), Some(id)) = (home, self.world.thread(row)) {
            self.bound = home.bind(self.world, id, cpus).then_some(id);
        }
    }
}

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Router<'a, Id, Seat, Q, N> {
    /// With all instances open. Each has one of `homes`, in order; instances without one stay open.
    pub fn new(system: System<'a>, homes: &'a [Home<Id, Seat, Q, N>]) -> Self {
        for (index, home) in homes.iter().enumerate() {
            if let Some(instance) = Instance::new(index) {
                let cpus = system.processors(instance).unwrap_or(CpuSet::EMPTY);
                let kind = match system.policy(instance) {
                    Some(PolicyKind::StrongAffinity) => Kind::Masked,
                    Some(PolicyKind::PriorityAffinity) => Kind::Weak,
                    Some(PolicyKind::Edf) => Kind::Edf,
                    Some(PolicyKind::Cbs) => Kind::Served,
                    _ if cpus.count() > 1 || !Q::OTHERS => Kind::Cluster,
                    _ => Kind::Solo,
                };
                home.begin(instance, kind);
            }
        }
        Self {
            system,
            homes,
            closed: CpuSet::EMPTY,
        }
    }

    /// The System decides about `instance` at all times.
    pub fn keep_open(&self, instance: Instance) {
        if let Some(home) = self.home(instance)
            && !Q::OTHERS
        {
            home.begin(instance, Kind::Masked);
        }
    }

    /// The System; what it says of threads of closed instances is not true.
    #[inline(always)]
    pub fn system(&self) -> &System<'a> {
        &self.system
    }

    /// The System, for what concerns no thread that is ready.
    #[inline(always)]
    pub fn system_mut(&mut self) -> &mut System<'a> {
        &mut self.system
    }

    /// What may decide about the instance that has `cpu`.
    pub fn home_of(&self, cpu: Cpu) -> Option<&'a Home<Id, Seat, Q, N>> {
        self.home(self.system.instance_of_cpu(cpu).ok()?)
    }

    /// What may decide about `instance`.
    #[inline(always)]
    pub fn home(&self, instance: Instance) -> Option<&'a Home<Id, Seat, Q, N>> {
        self.homes.get(instance.index())
    }

    /// Asks the System something, or tells it.
    #[inline(always)]
    pub fn ask<W: Rows<Id = Id, Seat = Seat>, E: Effects, R>(
        &mut self,
        w: &W,
        now: Instant,
        effects: &mut E,
        question: impl FnOnce(&mut System<'a>, &mut Kept<'_, W, E, Q, N>) -> R,
    ) -> R {
        let mut kept = Kept {
            world: w,
            homes: self.homes,
            closed: self.closed,
            asking: CpuSet::EMPTY,
            bound: None,
            others: effects,
        };
        let answer = question(&mut self.system, &mut kept);
        let (asking, bound) = (kept.asking, kept.bound);
        if let Some(id) = bound {
            self.enter_anew(w, id);
        }
        for cpu in asking {
            if let Ok(instance) = self.system.instance_of_cpu(cpu) {
                self.open(w, instance, now);
            }
            effects.preempt(cpu);
        }
        answer
    }

    /// `id` was bound to other processors: where its home is closed, it goes behind its equals.
    #[cold]
    fn enter_anew<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) {
        let home = w.row(id).map(|row| self.system.scheduler(row));
        if let Some(Ok(home)) = home
            && let Some(decider) = self.home(home).and_then(Home::closed)
            && w.is_ready(id)
        {
            match decider {
                Decider::Masked(masked) => {
                    masked.remove(w, id);
                    masked.ready(w, id, Place::Last);
                }
                Decider::Affine(affine) => {
                    affine.remove(w, id);
                    affine.ready(w, id, Place::Last);
                }
                _ => {}
            }
        }
    }

    /// `id`, which executes on `cpu`, shall stay there. Its home stays closed where pins concern nobody else. Bounds: those of
    /// [`System::block`] and [`System::unblock`] together.
    ///
    /// # Errors
    /// Those of [`System::pin`].
    pub fn pin<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        id: Id,
        cpu: Cpu,
        now: Instant,
        effects: &mut E,
    ) -> Result<(), Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        let closed = self
            .affine_home(row)
            .is_some_and(|home| home.decides(cpu.index()));
        if closed {
            self.look_up(w, id);
        } else {
            self.reach(w, id, now);
        }
        self.ask(w, now, effects, |system, effects| match closed {
            true => system.pin_on(row, cpu, now, effects),
            false => system.pin(row),
        })
    }

    /// `id` may run on `cpus` alone. Its home stays closed where affinities concern nobody else. Bounds: those of
    /// [`System::set_affinity`].
    ///
    /// # Errors
    /// Those of [`System::set_affinity`].
    pub fn set_affinity<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        id: Id,
        cpus: CpuSet,
        now: Instant,
        effects: &mut E,
    ) -> Result<(), Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        let home = self.home(self.system.scheduler(row)?);
        if home.is_some_and(Home::opens_to_bind) {
            self.reach(w, id, now);
        } else {
            self.look_up(w, id);
        }
        self.ask(w, now, effects, |system, effects| {
            system.set_affinity(row, cpus, now, effects)
        })
    }

    /// `id`, which is in no ring, or about to be taken out, is moved to `instance`, to have `priority`
    /// there, if neither its home nor that has to be opened for it; none if it was not moved. What follows is the caller's business: to set the priority and
    /// the home, [`Home::receive_moved`], and [`Decider::ready`] once no processor of another
    /// instance has the thread's registers. A fixed number of steps.
    ///
    /// # Errors
    /// Those of [`System::set_scheduler`].
    pub fn change_home<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        instance: Instance,
        priority: Priority,
    ) -> Result<Option<Moved<'a, Id, Seat, Q, N>>, Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        let is_closed = |home: &&Home<Id, Seat, Q, N>| home.closed().is_some();
        let from = self.home(self.system.scheduler(row)?);
        let to = self.home(instance).filter(is_closed);
        let (Some(_), Some(to)) = (from.filter(is_closed), to) else {
            return Ok(None);
        };
        // A bound thread may span an instance in which deadlines count.
        if to.opens_to_bind() && !self.system.affinity(row)?.covers(self.system.online()) {
            return Ok(None);
        }
        self.look_up_as(w, id, false);
        let (cpus, place) = self.system.settle_waiting(row, instance, priority)?;
        Ok(place.map(|place| Moved {
            home: to,
            cpus,
            place,
        }))
    }

    /// Gives `cpu`, which no instance has, to `instance`. Where that is closed it stays so, if its
    /// [`Decider`] can decide about `cpu` and the processor does what the tables decided: then the first
    /// of those that wait gets it in as many steps as its decider needs for one that becomes free. Bounds
    /// otherwise: those of [`System::add_processor`].
    ///
    /// # Errors
    /// Those of [`System::add_processor`].
    pub fn add_processor<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
        effects: &mut E,
    ) -> Result<(), Error> {
        let target = self.system.check_arrival(instance, cpu)?;
        let cpus = self.system.processors(instance)?.with(cpu);
        let home = self.home(instance).filter(|home| {
            home.closed().is_some() && CpuSet::first(N).covers(cpus) && self.system.is_settled(cpu)
        });
        let Some(home) = home else {
            self.open(w, instance, now);
            self.ask(w, now, effects, |system, effects| {
                system.give(target, cpu, now, effects);
            });
            return Ok(());
        };
        self.system.give_closed(target, cpu, now);
        self.closed = self.closed.with(cpu);
        home.widen(w, cpus).gain(w, cpu.index());
        Ok(())
    }

    /// Takes `cpu` away from `instance`; it idles then. Where the instance is closed it stays so, if it
    /// has other processors, and `cpu` has not still the registers of another one of its threads than
    /// the one that is to run there. That one's coming in again is the caller's business then: it is
    /// answered, is in no ring, and [comes back](Decider::come_back) once `cpu` has let go of its
    /// registers. Bounds: those of [`System::remove_processor`].
    ///
    /// # Errors
    /// Those of [`System::remove_processor`].
    pub fn remove_processor<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
        effects: &mut E,
    ) -> Result<Option<Id>, Error> {
        let from = self.system.check_departure(instance, cpu)?;
        let decider = self.home(instance).and_then(Home::closed);
        let Some(decider) = decider.filter(|d| self.may_lose(w, instance, *d, cpu)) else {
            self.open(w, instance, now);
            self.ask(w, now, effects, |system, effects| {
                system.take_away(from, cpu, now, effects);
            });
            return Ok(None);
        };
        self.system.take_closed(from, cpu, now);
        self.closed = self.closed.without(cpu);
        let owner = decider.lose(w, cpu.index());
        if let Decider::Served(served) = decider {
            let spent = served.forget_budgets(w, cpu.index());
            let spent = spent.and_then(|id| w.row(id));
            self.system.take_over_alarm(cpu, spent);
        }
        Ok(owner)
    }

    /// Whether `decider`, that of `instance`, decides about others than `cpu`, too, and `cpu` has no
    /// registers of its threads but those of the one that is to run there.
    fn may_lose<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        instance: Instance,
        decider: Decider<'_, Id, Seat, Q, N>,
        cpu: Cpu,
    ) -> bool {
        let cpus = self.system.processors(instance);
        let current = w.current(w.seat(cpu.index()));
        cpus.is_ok_and(|cpus| cpus.count() > 1)
            && (decider.owner(w, cpu.index()) == Some(current) || !w.is_at_home(current, instance))
    }

    /// Takes one pin of `id` back. Otherwise as [`Router::pin`].
    ///
    /// # Errors
    /// Those of [`System::unpin`].
    pub fn unpin<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        id: Id,
        now: Instant,
        effects: &mut E,
    ) -> Result<(), Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        if self.affine_home(row).is_some() {
            self.look_up(w, id);
        } else {
            self.reach(w, id, now);
        }
        self.ask(w, now, effects, |system, effects| {
            system.unpin(row, now, effects)
        })
    }

    /// A job of `id` with this deadline is released, or its deadline counts no longer; see [`System::release_job`] and
    /// [`System::cancel_job`]. Its home stays closed. Deadlines later than 36 years after the start count as that. Bounds: those of
    /// [`System::release_job`].
    ///
    /// # Errors
    /// Those of [`System::release_job`].
    pub fn set_job<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        id: Id,
        deadline: Option<Instant>,
        now: Instant,
        effects: &mut E,
    ) -> Result<(), Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        let deadline = deadline.map(|at| at.min(Instant::from_nanos(LATEST)));
        let home = self.home(self.system.scheduler(row)?);
        if home.is_some_and(Home::stays_open) {
            return self.tell_job(w, row, deadline, now, effects);
        }
        let decider = home.map(Home::decider);
        let Some(decider) = decider.filter(|_| home.is_some_and(Home::knows_deadlines)) else {
            return Ok(());
        };
        if self.system.has_server(row) {
            return Ok(());
        }
        let set = || set_job(w, id, deadline.map(Instant::as_nanos));
        if decider.is_closed() {
            self.system.note_job(row, deadline);
            let place = if deadline.is_some() {
                Place::Last
            } else {
                Place::First
            };
            match w.is_ready(id) {
                true => decider.change(w, id, set, place),
                false => {
                    set();
                    self.system.waiter_changed(row);
                }
            }
            return Ok(());
        }
        self.look_up(w, id);
        set();
        self.tell_job(w, row, deadline, now, effects)
    }

    /// The System decides about `row`, which has a job with this deadline, or none.
    #[inline(always)]
    fn tell_job<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        row: Thread,
        deadline: Option<Instant>,
        now: Instant,
        effects: &mut E,
    ) -> Result<(), Error> {
        self.ask(w, now, effects, |system, effects| match deadline {
            Some(deadline) => system.release_job(row, deadline, now, effects),
            None => system.cancel_job(row, now, effects),
        })
    }

    /// Gives `id` a server with this budget and period, or takes it away: its job counts no longer. Its home stays closed; from then
    /// on [`Router::renew`] is to be called before it becomes ready there. Bounds: those of [`System::set_server`] and
    /// [`System::remove_server`].
    ///
    /// # Errors
    /// Those of these two.
    pub fn set_server<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        id: Id,
        server: Option<(Duration, Duration)>,
    ) -> Result<(), Error> {
        let row = w.row(id).ok_or(Error::InvalidId)?;
        self.look_up(w, id);
        let home = self.home(self.system.scheduler(row)?);
        // In the tables all threads of a closed instance wait.
        let is_ready = w.is_ready(id) && home.and_then(Home::closed).is_some();
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
                    .give_server(row, budget, period, false, charged)?;
            }
            None => {
                blocked?;
                self.system.remove_server(row)?;
            }
        }
        if server.is_some() || has_server {
            if let Some(served) = home.and_then(Home::served) {
                served.look_back(w, id);
            }
            set_served(w, id, server.is_some());
        }
        Ok(())
    }

    /// `id`, which has a server and whose home `served` decides about, is about to become ready: it begins anew, or goes on with what is left
    /// of its budget. A fixed number of steps.
    pub fn renew<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        served: &Served<Id>,
        id: Id,
        now: Instant,
    ) {
        if let Some(row) = w.row(id) {
            served.look_back(w, id);
            let (deadline, limit) = self.system.renew(row, w.charged(id), now);
            set_budget(w, id, deadline.0, limit);
        }
    }

    /// The time that was asked for with [`Effects::arm`] or [`World::watch`] has come on `cpu`; see [`System::expire`].
    ///
    /// # Errors
    /// Those of [`System::expire`].
    pub fn expire<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        cpu: Cpu,
        now: Instant,
        effects: &mut E,
    ) -> Result<(), Error> {
        let home = self.home_of(cpu);
        let served = home.and_then(|home| Some((home.served()?, home.instance())));
        let Some((served, instance)) = served else {
            self.reach_spent(w, cpu, now);
            return self.ask(w, now, effects, |system, effects| {
                system.expire(cpu, now, effects)
            });
        };
        for id in served.may_have_spent(w, cpu.index()).into_iter().flatten() {
            self.refill(w, (served, instance), id, now);
        }
        served.watch_heir(w, cpu.index());
        Ok(())
    }

    /// The tables are about to look at the budget of the thread that lost `cpu` having used it up.
    /// It may be at home where a decider decides: `cpu` has left that instance since. So its home
    /// is opened, as before each question about a thread.
    fn reach_spent<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, cpu: Cpu, now: Instant) {
        let spent = self.system.spent_on(cpu);
        if let Some(id) = spent.and_then(|row| w.thread(row)) {
            self.reach(w, id, now);
        }
    }

    /// If `id`, which was charged until now, is ready and has used up its budget, its server's
    /// deadline is postponed. Nothing where it is not at home in `instance`, that of `served`, any
    /// more: it was deleted there, and begins anew elsewhere.
    fn refill<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        (served, instance): (&Served<Id>, Instance),
        id: Id,
        now: Instant,
    ) {
        if let Some(row) = w.row(id).filter(|row| self.system.has_server(*row))
            && w.is_ready(id)
            && w.is_at_home(id, instance)
            && let Some((deadline, limit)) = self.system.refill(row, w.charged(id), now)
        {
            served.look_back(w, id);
            let set = || set_budget(w, id, deadline.0, limit);
            served.change(w, id, set, Place::Last);
        }
    }

    /// The decider of the home of `row`, where that is closed and stays so when a thread is bound.
    fn affine_home(&self, row: Thread) -> Option<Decider<'a, Id, Seat, Q, N>> {
        let home = self.home(self.system.scheduler(row).ok()?)?;
        home.closed().filter(|decider| match decider {
            Decider::Masked(_) => true,
            Decider::Affine(affine) => matches!(affine.by_rule(), ByRule::Bound(_)),
            _ => false,
        })
    }

    /// What concerns `id` and other instances is about to be asked: its home is opened, and its row brought up to date. So
    /// many steps as it has processors.
    pub fn reach<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id, now: Instant) {
        if let Some(row) = w.row(id)
            && let Ok(home) = self.system.scheduler(row)
        {
            self.open(w, home, now);
            self.look_up(w, id);
        }
    }

    /// Brings the row of `id` up to date: in a closed instance, all wait. A fixed number of steps.
    pub fn look_up<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id) {
        self.look_up_as(w, id, w.is_ready(id));
    }

    /// The same for one of which the world says already what it is about to be: whether it `is_ready` still.
    #[inline]
    pub fn look_up_as<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id, is_ready: bool) {
        if let Some(row) = w.row(id) {
            self.system.bring_up_to_date(row, w.number(id), is_ready);
        }
    }

    /// The System decides about `instance`. So many steps as it has processors.
    pub fn open<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, instance: Instance, now: Instant) {
        let decider = self.home(instance).map(Home::decider);
        let Some(decider) = decider.filter(|d| d.is_closed()) else {
            return;
        };
        let mut held = [None; N];
        let mut places = held.iter_mut();
        let opened = decider.open(w, |cpu, heir| {
            if let (Some(place), Some(cpu)) = (places.next(), Cpu::new(cpu)) {
                let heir = heir.and_then(|(id, turn)| Some((w.row(id)?, w.number(id), turn)));
                *place = Some(Held {
                    cpu,
                    heir,
                    executing: executing(w, cpu),
                });
            }
        });
        let all = held.iter().flatten().copied();
        self.system
            .open(instance, all, opened.left, opened.turns, now);
        if let Decider::Served(served) = decider {
            for Held { cpu, .. } in held.iter().flatten() {
                let spent = served.forget_budgets(w, cpu.index());
                if let Some(id) = spent {
                    self.look_up(w, id);
                }
                let spent = spent.and_then(|id| w.row(id));
                self.system.take_over_alarm(*cpu, spent);
            }
        }
        for held in held.iter().flatten() {
            self.closed = self.closed.without(held.cpu);
            let seat = w.seat(held.cpu.index());
            if w.is_due(seat) {
                // It was called already, and is to be dispatched.
                w.forget_heir(seat);
            }
        }
    }

    /// Opens all instances, and brings the rows of all threads up to date: as many steps as threads. For tests and tools.
    pub fn open_all<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, now: Instant) {
        for index in 0..self.homes.len() {
            if let Some(instance) = Instance::new(index) {
                self.open(w, instance, now);
            }
        }
        // In the order in which they are READY.
        for home in self.homes {
            let decider = home.decider();
            decider.for_each(w, |id| {
                if let Some(row) = w.row(id) {
                    let turn = decider.turn(w, id);
                    self.system.bring_in_order(row, w.number(id), turn);
                }
            });
        }
        for row in self.system.rows() {
            if let Some(id) = w.thread(row) {
                self.look_up(w, id);
            }
        }
    }

    /// The lock is about to be asked for by `id`, which `waits` if it is busy: what that may
    /// concern is opened. So many steps as its instance, and its owner's, have processors.
    pub fn reach_lock<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        lock: Lock,
        id: Id,
        waits: bool,
        now: Instant,
    ) {
        let owner = self.system.owner(lock).ok().flatten();
        let others = owner.filter(|owner| w.row(id) != Some(*owner));
        let concerns = match owner {
            None => self.system.counts(lock),
            Some(_) => others.is_some() && waits,
        };
        if !concerns {
            return;
        }
        self.reach(w, id, now);
        if let Some(owner) = others.and_then(|row| w.thread(row)) {
            self.reach(w, owner, now);
        }
    }

    /// [`System::obtain_apart`] for `id`, whose home need not be open.
    pub fn obtain_apart<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        lock: Lock,
        id: Id,
        waits: bool,
    ) -> Option<Result<Obtained, Error>> {
        self.look_up_as(w, id, true);
        self.system.obtain_apart(lock, w.row(id)?, waits)
    }

    /// The priority of `id`, which waits, perhaps for a lock, has changed in the world: see
    /// [`System::waiter_changed`].
    pub fn waiter_changed<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id) {
        self.look_up_as(w, id, false);
        if let Some(row) = w.row(id) {
            self.system.waiter_changed(row);
        }
    }

    /// Closes `instance` if it can be. Whether it is closed. One step a processor.
    pub fn try_close<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        instance: Instance,
        now: Instant,
    ) -> bool {
        let Some(home) = self.home(instance) else {
            return false;
        };
        if home.closed().is_some() {
            return true;
        }
        if home.stays_open() {
            return false;
        }
        if self.system.binds(instance) {
            let system = &mut self.system;
            home.part(w, |id| {
                system.bring_in_order(w.row(id)?, w.number(id), None).into()
            });
        }
        let Some(cpus) = self.system.may_close(instance) else {
            return false;
        };
        let decider = home.decider_for(cpus);
        if !decider.fits(cpus) {
            return false;
        }
        if self.runs_elsewhere(w, instance, cpus) {
            return false;
        }
        if let Decider::Served(_) = decider {
            self.tell_budgets(w, cpus, now);
        }
        decider.close(self.system.next_turns(instance));
        self.closed = self.closed.or(cpus);
        self.system.close(instance, now, |cpu, row| {
            let heir = row.and_then(|(row, turn)| Some((w.thread(row)?, turn)));
            decider.seat(w, cpu.index(), heir);
        });
        true
    }

    /// The world hears of the budgets of those heirs of `cpus` that have a server.
    #[inline(never)]
    fn tell_budgets<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, cpus: CpuSet, now: Instant) {
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

    /// Whether a processor that is not of `cpus` has the registers of a thread that is at home in `instance`.
    fn runs_elsewhere<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        instance: Instance,
        cpus: CpuSet,
    ) -> bool {
        let mut others = self.system.online().minus(cpus).into_iter();
        others.any(|other| w.is_at_home(w.current(w.seat(other.index())), instance))
    }
}
