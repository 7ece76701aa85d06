//! Owns: which instances are closed; opening and closing them. Must never know: why a thread waits.

use super::cluster::{LATEST, has_job, set_budget, set_job, throttle};
use super::decider::Kind;
use super::{Act, Decider, Home, Moved, Place, Ready, SEATS, World};
use crate::smp::{
    Effects, Error, Instance, Level, Lock, PolicyKind, Priority, System, Thread, system::Executing,
    system::Held,
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

    /// [`World::number`] of `id`, but for what it [inherits](World::inherit).
    fn own_number(&self, id: Self::Id) -> Priority {
        self.number(id)
    }
}

/// Whose registers are on `cpu`.
pub(super) fn executing<W: Rows>(w: &W, cpu: Cpu) -> Executing {
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
    pub(super) system: System<'a>,
    pub(super) homes: &'a [Home<Id, Seat, Q, N>],
    /// The processors of closed instances.
    pub(super) closed: CpuSet,
    /// The instances, a bit each, that [lend](Home::lends).
    pub(super) lending: u32,
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
        // There it would be for a refill alone, of which the world is told otherwise.
        if !W::THROTTLES || !self.closed.contains(cpu) {
            self.others.arm(cpu, at);
        }
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

    fn throttle(&mut self, row: Thread, on: bool) {
        if W::THROTTLES
            && let Some(id) = self.world.thread(row)
        {
            throttle(self.world, id, on);
        }
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
    /// Each instance has one of `homes`, in order; those without one stay open, and the others are
    /// so until [`Router::begin`].
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
            lending: 0,
            left: CpuSet::EMPTY,
            between: None,
            between_is_ready: false,
            together: false,
            unsettled: false,
            serves: homes.iter().any(Home::knows_servers),
        }
    }

    /// The seats decide from now on, where they can: the world knows its processors, which all
    /// idle.
    pub fn begin<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, now: Instant) {
        for home in self.homes {
            self.try_close(w, home.instance(), now);
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

    /// Asks the System something, or tells it. Where a wait for a lock may have ended by that,
    /// [`Router::watch_homes`] is to be called after it.
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
            self.enter_anew(w, id, now, effects);
        }
        for cpu in asking {
            if let Ok(instance) = self.system.instance_of_cpu(cpu) {
                self.open(w, instance, now, effects);
            }
            effects.preempt(cpu);
        }
        self.watch_refill(w);
        answer
    }

    /// `id` was bound to other processors: where seats decide about its home, it goes behind its
    /// equals.
    #[cold]
    fn enter_anew<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        id: Id,
        now: Instant,
        effects: &mut E,
    ) {
        let home = w.row(id).and_then(|row| self.system.scheduler(row).ok());
        let Some(home) = home.and_then(|home| self.home(home)) else {
            return;
        };
        if home.is_watched() {
            return self.enter_anew_watched(w, id, home, now, effects);
        }
        match home.closed() {
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

    /// `id`, which executes on `cpu`, shall stay there. Its home stays closed if that has `cpu`.
    /// Bounds: those of [`System::block`] and [`System::unblock`] together.
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
        if let Some(host) = self.pins_abroad(w, id, cpu) {
            self.pin_abroad(w, (row, id), host, cpu)?;
            self.settle(w, now, effects);
            return Ok(());
        }
        let home = self.home(self.system.scheduler(row)?);
        let closed = home.is_some_and(|home| {
            let decider = home.decider();
            decider.is_closed() && decider.decides(cpu.index())
        });
        if closed {
            self.look_up(w, id);
            self.begin_to_pin(row, id);
        } else {
            self.reach(w, id, now, effects);
        }
        let pinned = self.ask(w, now, effects, |system, effects| match closed {
            true => system.pin_on(row, cpu, now, effects),
            false => system.pin(row),
        });
        self.between = None;
        if pinned.is_ok() {
            self.settle(w, now, effects);
        }
        pinned
    }

    /// The thread `id` of `row` leaves its seat as one that blocks does, and comes in again, as by
    /// the tables: a budget that it has used up is looked at when it has a seat. Where seats are
    /// lent, as they are.
    fn begin_to_pin(&mut self, row: Thread, id: Id) {
        let home = self.system.scheduler(row);
        if home.is_ok_and(|home| !self.watches_owners(home)) {
            (self.between, self.between_is_ready) = (Some(id), false);
        }
    }

    /// `id` may run on `cpus` alone. Its home stays closed. Bounds: those of
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
        if self.lending != 0 && self.system.check_affinity(row, cpus).is_ok() {
            self.stand_down_bound(w, row);
        }
        self.look_up(w, id);
        let bound = self.ask(w, now, effects, |system, effects| {
            system.set_affinity(row, cpus, now, effects)
        });
        if bound.is_ok() {
            self.settle(w, now, effects);
        }
        bound
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
        let is_closed = |home: &&'a Home<Id, Seat, Q, N>| home.decider().is_closed();
        let from = self.home(self.system.scheduler(row)?);
        let to = self.home(instance).ok_or(Error::InvalidId)?;
        if !from.iter().chain([&to]).all(is_closed) {
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
    /// of those that wait gets it in as many steps as its decider needs for one that becomes free,
    /// and those of [`Router::settle`] where seats are lent. Bounds otherwise: those of
    /// [`System::add_processor`].
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
        self.look_at_spent(w, cpu, now, effects);
        let had = self.system.processors(instance)?;
        let cpus = had.with(cpu);
        let runs_nobody = w.current(w.seat(cpu.index())) == w.idle(cpu.index());
        let has_left = self.left.contains(cpu) && !runs_nobody;
        self.left = self.left.without(cpu);
        let home = self.home(instance).filter(|home| {
            let fits = home.decider().fits(cpus) || CpuSet::first(N).covers(cpus);
            fits && home.decider().is_closed() && self.system.is_settled(cpu)
        });
        let Some(home) = home else {
            self.open(w, instance, now, effects);
            if let Executing::Thread(row) = executing(w, cpu) {
                // It has left an instance of which the tables did not hear whose registers it had.
                self.system.load(cpu, row);
            }
            self.ask(w, now, effects, |system, effects| {
                system.give(target, cpu, now, effects);
            });
            return Ok(());
        };
        if has_left && !home.lends() {
            // Another processor may wait for the registers that it has still.
            home.watch(true);
            self.begin_lending(w, home);
        }
        self.system.give_closed(target, cpu, now);
        self.closed = self.closed.with(cpu);
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
        self.settle(w, now, effects);
        Ok(())
    }

    /// Takes `cpu` away from `instance`; it idles then. Where the instance is closed it stays so.
    /// The thread that was to run there, and then another one whose registers are still there, are
    /// answered and in no ring: once their registers are nowhere they may come in again, which is
    /// the caller's business. Those that are ready [come back](Decider::come_back) then. Where it
    /// lends, none are answered: who lost the seat comes in again at once. Bounds: those of
    /// [`System::remove_processor`], and of [`Router::settle`] where seats are lent.
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
    ) -> Result<[Option<Id>; 2], Error> {
        let from = self.system.check_departure(instance, cpu)?;
        let home = self.home(instance);
        if home.is_some_and(|home| home.is_watched() && !home.lends()) {
            // An owner may lose its seat by it.
            self.count_waits_of(w, instance, now, effects);
            self.watch_homes(w);
        }
        if let Some(home) = home.filter(|home| home.lends()) {
            self.lose_lent(w, home, (from, cpu), now);
            self.settle(w, now, effects);
            return Ok([None; 2]);
        }
        let Some(home) = home.filter(|home| home.decider().is_closed()) else {
            self.open(w, instance, now, effects);
            // Its registers are there, so the tables look at it.
            self.look_up(w, w.current(w.seat(cpu.index())));
            self.ask(w, now, effects, |system, effects| {
                system.take_away(from, cpu, now, effects);
            });
            return Ok([None; 2]);
        };
        let decider = home.decider();
        let left_over = self.left_over(w, instance, decider, cpu);
        self.system.take_closed(from, cpu, now);
        self.closed = self.closed.without(cpu);
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

    /// `id`, which lost its processor by [`Router::remove_processor`], or was moved, and whose
    /// `home` is [watched](Home::is_watched), comes in again: see [`Decider::come_back`]. Bounds:
    /// those of [`Router::act`].
    pub fn come_back<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        (id, home): (Id, &'a Home<Id, Seat, Q, N>),
        now: Instant,
        effects: &mut E,
    ) -> bool {
        let act: (Act, &dyn Fn()) = (Act::Enter(Place::Last), &|| {});
        self.act_anyhow(w, (id, home), act, now, effects)
    }

    /// Whether `instance` lends, or threads with seats there own locks that others wait for.
    pub fn watches_owners(&self, instance: Instance) -> bool {
        let lends = self.home(instance).is_some_and(Home::lends);
        lends || self.system.seats_owners(instance)
    }

    /// The thread of `instance`, about which `decider` decides, whose registers are on `cpu`,
    /// though another one is to run there, or nobody.
    fn left_over<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        instance: Instance,
        decider: Decider<'_, Id, Seat, Q, N>,
        cpu: Cpu,
    ) -> Option<Id> {
        let current = w.current(w.seat(cpu.index()));
        let is_left = w.row(current).is_some()
            && w.is_at_home(current, instance)
            && decider.owner(w, cpu.index()) != Some(current);
        is_left.then_some(current)
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
        let is_abroad = self.system.loan(row).pinned.is_some();
        if is_abroad {
            self.unpin_abroad(w, row, id);
        }
        if is_abroad || self.knows_seats(row).is_some() {
            self.look_up(w, id);
            self.begin_to_pin(row, id);
        } else {
            self.reach(w, id, now, effects);
        }
        let unpinned = self.ask(w, now, effects, |system, effects| {
            system.unpin(row, now, effects)
        });
        self.between = None;
        if unpinned.is_ok() {
            self.settle(w, now, effects);
        }
        unpinned
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
        let place = if deadline.is_some() {
            Place::Last
        } else {
            Place::First
        };
        if let Some(home) = home.filter(|home| home.is_watched())
            && self.set_job_watched(w, (id, home), (deadline, place), now, effects)
        {
            return Ok(());
        }
        if decider.is_closed() {
            self.system.note_job(row, deadline);
            match w.is_ready(id) {
                true => decider.change(w, id, set, place),
                false => {
                    set();
                    self.ask(w, now, effects, |system, effects| {
                        system.waiter_changed(row, now, effects);
                    });
                }
            }
            return Ok(());
        }
        self.look_up(w, id);
        set();
        self.tell_job(w, row, deadline, now, effects)
    }

    /// [`Router::set_job`] where the `home` of `id` is watched. Whether that is done: otherwise the
    /// home is open now.
    fn set_job_watched<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        (id, home): (Id, &'a Home<Id, Seat, Q, N>),
        (deadline, place): (Option<Instant>, Place),
        now: Instant,
        effects: &mut E,
    ) -> bool {
        let Some(row) = w.row(id) else { return false };
        let begins = self.begin_together();
        let job = deadline.map(Instant::as_nanos);
        let counts = self.with_inherited(row, job);
        let set = || set_job(w, id, counts);
        let done = self.act(w, (id, home), (Act::Job(job, place), &set), now, effects);
        if done {
            self.system.note_job(row, deadline);
            self.waiter_changed(w, id, now, effects);
        }
        if begins {
            self.end_together(w, now, effects);
        }
        done
    }

    /// The deadline that counts for the thread of `row`, which has a job of its own with `own`, or
    /// none: it may inherit an earlier one.
    pub(super) fn with_inherited(&self, row: Thread, own: Option<u64>) -> Option<u64> {
        let inherited = self.system.loan(row).inherits;
        let inherited = inherited.filter(|level| has_job(*level));
        own.into_iter().chain(inherited.map(|level| level.0)).min()
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

    /// What concerns `id` and other instances is about to be asked: its home is opened, and its row brought up to date. So
    /// many steps as it has processors.
    pub fn reach<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        id: Id,
        now: Instant,
        effects: &mut E,
    ) {
        if let Some(row) = w.row(id)
            && let Ok(home) = self.system.scheduler(row)
        {
            self.open(w, home, now, effects);
            self.look_up(w, id);
        }
    }

    /// Brings the row of `id` up to date: in a closed instance, all wait. A fixed number of steps.
    pub fn look_up<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id) {
        self.look_up_as(w, id, self.waits_for_nothing(w, id));
    }

    /// The same for one of which the world says already what it is about to be: whether it `is_ready` still.
    #[inline]
    pub fn look_up_as<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id, is_ready: bool) {
        if let Some(row) = w.row(id) {
            if W::THROTTLES && self.look_up_throttled(w, row, id, is_ready) {
                return;
            }
            // Nobody inherits by seats where none are lent.
            let number = match self.lending {
                0 => w.number(id),
                _ => w.own_number(id),
            };
            self.system.bring_up_to_date(row, number, is_ready);
        }
    }

    /// [`Router::look_up_as`] of `id` if it is throttled and its row is behind: whether it is.
    fn look_up_throttled<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        row: Thread,
        id: Id,
        is_ready: bool,
    ) -> bool {
        let is_behind =
            self.system.is_throttled(row) && self.system.lies_behind(row.index() as u16);
        if is_behind {
            self.system.bring_up_to_date(row, w.number(id), false);
            self.system.note_throttled(row, !is_ready);
        }
        is_behind
    }

    /// The System decides about `instance`. So many steps as it has processors; and where it is
    /// [watched](Home::is_watched) the locks of its owners count, and the homes of those who wait for
    /// them are opened, too.
    pub fn open<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        instance: Instance,
        now: Instant,
        effects: &mut E,
    ) {
        let home = self.home(instance);
        if home.is_some_and(Home::lends) {
            return self.open_lending(w, now, effects);
        }
        let watched = home.is_some_and(Home::is_watched);
        self.open_seats(w, instance, now);
        if watched {
            self.count_waits_of(w, instance, now, effects);
        }
    }

    /// All homes that lend are opened: the tables go on with whom they help.
    #[inline(never)]
    fn open_lending<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        now: Instant,
        effects: &mut E,
    ) {
        let opened = core::mem::take(&mut self.lending);
        self.end_loans(w);
        for cpu in core::mem::take(&mut self.left) {
            if let Executing::Thread(row) = executing(w, cpu) {
                self.system.load(cpu, row);
                effects.preempt(cpu);
            }
        }
        let instances = || (0..u32::BITS as usize).filter(|index| opened & 1 << index != 0);
        for instance in instances().filter_map(Instance::new) {
            self.open_seats(w, instance, now);
        }
        let mut last = None;
        while let Some(row) = self.system.next_listed(last) {
            last = Some(row);
            if let Some(id) = w.thread(row).filter(|_| self.system.is_involved(row)) {
                self.look_up(w, id);
            }
        }
        self.ask(w, now, effects, |system, effects| {
            system.help_again(opened, now, effects);
        });
        for instance in instances().filter_map(Instance::new) {
            self.count_waits_of(w, instance, now, effects);
        }
    }

    /// [`Router::open`] but for locks.
    fn open_seats<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        instance: Instance,
        now: Instant,
    ) {
        if let Some(home) = self.home(instance) {
            home.watch(false);
        }
        let Some(home) = self.home(instance).filter(|h| h.decider().is_closed()) else {
            return;
        };
        let decider = home.decider();
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
        if home.knows_servers() {
            for Held { cpu, .. } in held.iter().flatten() {
                self.give_alarm(w, home, *cpu);
            }
        }
        for held in held.iter().flatten() {
            self.closed = self.closed.without(held.cpu);
            let seat = w.seat(held.cpu.index());
            let runs = w.row(w.current(seat));
            if w.is_due(seat) {
                // It was called already, and is to be dispatched.
                w.forget_heir(seat);
            } else if held.heir.is_some_and(|(heir, ..)| runs != Some(heir)) {
                // It idles until its heir's registers come: to the tables it has not looked yet.
                w.forget_heir(seat);
                w.call(seat, held.cpu.index());
            }
        }
    }

    /// The lock is about to be asked for by `id`, which `waits` if it is busy: what that may
    /// concern is opened. So many steps as its instance, and its owner's, have processors.
    pub fn reach_lock<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        lock: Lock,
        id: Id,
        waits: bool,
        now: Instant,
        effects: &mut E,
    ) {
        let owner = self.system.owner(lock).ok().flatten();
        let others = owner.filter(|owner| w.row(id) != Some(*owner));
        let concerns = match owner {
            // Where seats are lent it is obtained without the tables, or not at all.
            None => !W::LENDS && self.system.counts(lock),
            Some(_) => others.is_some() && waits,
        };
        if !concerns {
            return;
        }
        if let (Some(row), Some(owner)) = (w.row(id), others) {
            let lends = W::LENDS && self.may_lend(w, [row, owner], now, effects);
            self.concern(w, row, lends, now, effects);
            self.concern(w, owner, lends, now, effects);
        } else {
            self.reach(w, id, now, effects);
        }
        self.count_chain(w, lock, now, effects);
    }

    /// Whether seats decide about the homes of both `parties`, and priorities alone count there.
    /// The waits for owners with seats there count from now on.
    fn may_lend<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        parties: [Thread; 2],
        now: Instant,
        effects: &mut E,
    ) -> bool {
        let know = |it: &Self| {
            let mut parties = parties.into_iter();
            parties.all(|row| it.knows_seats(row).is_some())
        };
        if !know(self) {
            return false;
        }
        for home in parties
            .map(|row| self.system.scheduler(row))
            .into_iter()
            .flatten()
        {
            if self.system.seats_owners(home) {
                self.count_waits_of(w, home, now, effects);
            }
        }
        know(self)
    }

    /// [`Router::waiter_changed`] where nothing follows for anybody else. Whether that is all.
    pub fn waiter_changed_apart<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, id: Id) -> bool {
        self.look_up_as(w, id, false);
        let row = w.row(id);
        self.lending == 0 && row.is_none_or(|row| self.system.waiter_changed_apart(row))
    }

    /// The priority of `id`, which waits, perhaps for a lock, has changed in the world: see
    /// [`System::waiter_changed`].
    pub fn waiter_changed<W: Rows<Id = Id, Seat = Seat>, E: Effects>(
        &mut self,
        w: &W,
        id: Id,
        now: Instant,
        effects: &mut E,
    ) {
        self.look_up_as(w, id, false);
        if let Some(row) = w.row(id) {
            self.ask(w, now, effects, |system, effects| {
                system.waiter_changed(row, now, effects);
            });
            self.settle(w, now, effects);
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
        if home.decider().is_closed() {
            return home.closed().is_some();
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
        if home.knows_servers() {
            self.tell_budgets(w, cpus, now);
        }
        decider.close(self.system.next_turns(instance));
        self.closed = self.closed.or(cpus);
        self.system.close(instance, now, |cpu, row| {
            let heir = row.and_then(|(row, turn)| Some((w.thread(row)?, turn)));
            decider.seat(w, cpu.index(), heir);
        });
        home.watch(false);
        self.follow_owners(w, home);
        true
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
