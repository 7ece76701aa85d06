//! Owns: the choice between one processor, several, deadlines, and affinities. Must never know: how
//! each decides.

use super::cluster::{LATEST, begin, has_job, is_served, is_throttled, set_job, set_served};
use super::laws::Law;
use super::lent::LentSeat;
use super::masked::{Rings, Strong};
use super::{
    Affine, Budgets, Cluster, Masked, Place, Ready, Rows, SEATS, Served, Solo, Waiting, World,
};
use crate::smp::{Instance, Level};
use crate::{Cpu, CpuSet, Priority, ReadyQueue};
use core::cell::Cell;

/// The kind of a decider. Those with affinities follow each other, so do those where deadlines
/// count, and those of one [`Decider`], so that one comparison distinguishes them from others.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Solo,
    Cluster,
    Masked,
    Weak,
    /// Deadlines, and threads that are bound to processors.
    Bound,
    /// Bound threads where threads may have servers, too: only the slow ways find it.
    ServedBound,
    Served,
    Edf,
}

/// The possible deciders of an instance: one of each kind, of which
/// [`Router::new`](super::Router::new) takes the one that fits. An instance that began with one
/// processor takes another when it has several.
#[repr(C)]
pub struct Home<Id: Copy + Eq, Seat, Q: Ready<Id> = ReadyQueue<Id>, const N: usize = SEATS> {
    pub(super) solo: Solo<Id, Seat>,
    cluster: Cluster<Id, Q, (), N>,
    pub(super) edf: Cluster<Id, Q::Deadlines, (), N>,
    masked: Masked<Id, Q::Affine, Strong, N>,
    pub(super) kind: Cell<Kind>,
    instance: Cell<u8>,
    // The last ones, so that the others are reached as before if no thread has a server.
    pub(super) served: Served<Id, Q::Deadlines, N>,
    pub(super) affine: Affine<Id, Q, N>,
    /// Whether seats of it are lent, and those seats: see the module [`loans`](super::loans).
    lends: Cell<bool>,
    lent_cpus: Cell<CpuSet>,
    lent: [LentSeat<Id>; N],
}

impl<Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Home<Id, Seat, Q, N> {
    /// That of an instance about which seats do not decide yet, and which has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const EMPTY: Self = Self {
        solo: Solo::EMPTY,
        cluster: Cluster::EMPTY,
        edf: Cluster::EMPTY,
        masked: Masked::EMPTY,
        kind: Cell::new(Kind::Solo),
        instance: Cell::new(0),
        served: Cluster::EMPTY,
        affine: Affine::EMPTY,
        lends: Cell::new(false),
        lent_cpus: Cell::new(CpuSet::EMPTY),
        lent: [const { LentSeat::FREE }; N],
    };

    pub(super) fn begin(&self, instance: Instance, kind: Kind) {
        self.instance.set(instance.0);
        self.kind.set(kind);
    }

    /// Returns the decider of the instance when it has the processors `cpus`. If the instance began
    /// with one and has several now, this is another decider than before, which takes over the
    /// READY threads. A fixed number of steps.
    pub(super) fn decider_for(&self, cpus: CpuSet) -> Decider<'_, Id, Seat, Q, N> {
        if let Kind::Solo = self.kind.get()
            && cpus.count() > 1
        {
            self.cluster.waiting().take_over(self.solo.ready());
            self.kind.set(Kind::Cluster);
        }
        self.decider()
    }

    /// Returns the decider of the instance when it is about to have the processors `cpus`. If it
    /// had one and is to have several, the seats decide from now on. `runs` is the thread at home
    /// here that has its registers on the one processor, if any. A fixed number of steps.
    pub(super) fn widen<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        cpus: CpuSet,
        runs: Option<Id>,
    ) -> Decider<'_, Id, Seat, Q, N> {
        if let Kind::Solo = self.kind.get()
            && cpus.count() > 1
        {
            let mut sole = None;
            self.solo.end(w, |cpu, heir| sole = Some((cpu, heir)));
            self.decider_for(cpus);
            if let Some((cpu, heir)) = sole {
                self.cluster.widen(w, cpu, heir, runs);
            }
        }
        self.decider()
    }

    /// `id` was created in its instance, and may run on `cpus`.
    #[inline(always)]
    pub fn begin_with<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, cpus: CpuSet) {
        if matches!(self.kind.get(), Kind::Solo | Kind::Cluster) {
            return;
        }
        match self.knows_deadlines() {
            true => self.begin_under_deadlines(w, id, cpus),
            false => Q::Affine::bind(w, id, cpus),
        }
    }

    /// [`Home::begin_with`] where deadlines count.
    #[inline(never)]
    fn begin_under_deadlines<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, cpus: CpuSet) {
        begin(w, id);
        self.bind_under_deadlines(w, id, cpus);
    }

    /// Binds `id`, which is at home in its instance and in no ring, to `cpus` alone. The first
    /// thread that is bound to one of several processors changes the decider, in as many steps as
    /// there are ready threads.
    #[inline(always)]
    fn bind_under_deadlines<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, cpus: CpuSet) {
        Q::Bound::bind(w, id, cpus);
        if cpus.count() == 1 {
            self.part_seats(w, id);
        }
    }

    /// Binds `id`, which is at home in its instance, to `cpus` alone. Returns whether the decider
    /// has to take in a ready one again.
    pub(super) fn bind<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, cpus: CpuSet) -> bool {
        match self.kind.get() {
            Kind::Solo | Kind::Cluster => return false,
            Kind::Edf | Kind::Bound | Kind::Served | Kind::ServedBound => {
                Q::Bound::bind(w, id, cpus);
            }
            Kind::Masked | Kind::Weak => Q::Affine::bind(w, id, cpus),
        }
        true
    }

    /// `id`, which is in no ring, comes from another instance, which `moved` it; what was noted
    /// there means nothing here. The processor that has its registers, if one has, is of
    /// another instance, and lets go of them before `id` is dispatched.
    #[inline]
    pub fn receive_moved<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        id: Id,
        moved: &Moved<'_, Id, Seat, Q, N>,
    ) {
        match self.kind.get() {
            Kind::Solo => {}
            Kind::Cluster => Q::set_cpu(w, id, moved.place.index()),
            _ => self.receive_with_cpus(w, id, moved),
        }
    }

    /// [`Home::receive_moved`] where it is known on which processors a thread may run.
    #[inline(never)]
    fn receive_with_cpus<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        id: Id,
        moved: &Moved<'_, Id, Seat, Q, N>,
    ) {
        let place = moved.place.index();
        if self.knows_deadlines() {
            set_served(w, id, false);
            self.bind_under_deadlines(w, id, moved.cpus);
            Q::Deadlines::set_cpu(w, id, place);
        } else {
            w.set_note(id, 0);
            Q::Affine::bind(w, id, moved.cpus);
            Q::Affine::set_place(w, id, place);
        }
    }

    /// Gives `id`, which is at home here, a job with this deadline, at most 36 years after the
    /// start, or none; see [`Router::set_job`](super::Router::set_job). Does nothing if deadlines
    /// do not count. Its row is not notified. Returns whether seats decide.
    #[inline(always)]
    pub fn set_job<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        id: Id,
        deadline: Option<u64>,
    ) -> bool {
        let Some(edf) = self.edf() else {
            if let Some(served) = self.served() {
                Self::tell_job_beside_servers(served, w, id, deadline);
                return true;
            }
            return self.set_job_elsewhere(w, id, deadline);
        };
        Self::tell_job(edf, w, id, deadline);
        true
    }

    /// [`Home::set_job`] where threads are bound to processors, or deadlines do not count.
    #[inline(never)]
    fn set_job_elsewhere<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        id: Id,
        deadline: Option<u64>,
    ) -> bool {
        let Some(affine) = self.affine().filter(|_| self.knows_deadlines()) else {
            return self.direct().is_some();
        };
        let set = || set_job(w, id, deadline.map(|at| at.min(LATEST)));
        match w.is_ready(id) {
            true => affine.change(w, id, set, place_of_job(deadline.is_some())),
            false => set(),
        }
        true
    }

    /// [`Home::tell_job`] where threads may have servers; the deadlines of servers count then.
    #[inline(never)]
    fn tell_job_beside_servers<W: Rows<Id = Id, Seat = Seat>>(
        served: &Served<Id, Q::Deadlines, N>,
        w: &W,
        id: Id,
        deadline: Option<u64>,
    ) {
        if !is_served(w, id) {
            Self::tell_job(served, w, id, deadline);
        }
    }

    /// `id`, about which `seats` decide, has a job with this deadline, or none.
    #[inline(always)]
    fn tell_job<W: Rows<Id = Id, Seat = Seat>, B: Budgets<Id>>(
        seats: &Cluster<Id, Q::Deadlines, B, N>,
        w: &W,
        id: Id,
        deadline: Option<u64>,
    ) {
        let set = || set_job(w, id, deadline.map(|at| at.min(LATEST)));
        match w.is_ready(id) {
            true => seats.change(w, id, set, place_of_job(deadline.is_some())),
            false => set(),
        }
    }

    /// Whether deadlines count in its instance.
    pub fn knows_deadlines(&self) -> bool {
        matches!(
            self.kind.get(),
            Kind::Edf | Kind::Bound | Kind::Served | Kind::ServedBound
        )
    }

    /// Its instance.
    #[inline(always)]
    pub fn instance(&self) -> Instance {
        Instance(self.instance.get())
    }

    /// Returns its decider.
    #[inline(always)]
    pub fn decider(&self) -> Decider<'_, Id, Seat, Q, N> {
        match self.kind.get() {
            Kind::Solo => Decider::Solo(&self.solo),
            Kind::Cluster => Decider::Cluster(&self.cluster),
            Kind::Edf => Decider::Edf(&self.edf),
            Kind::Masked => Decider::Masked(&self.masked),
            Kind::Served => Decider::Served(&self.served),
            Kind::Weak | Kind::Bound | Kind::ServedBound => Decider::Affine(&self.affine),
        }
    }

    /// Whether a thread of its instance, about which seats decide, owns a lock that others wait
    /// for, and must not lose its seat unseen; or threads are bound there that may have
    /// servers. Then the usual ways do not find what decides, and
    /// [`Router::act`](super::Router::act) is to be called.
    pub fn is_watched(&self) -> bool {
        match self.kind.get() {
            Kind::Solo => self.solo.is_watched(),
            Kind::Cluster => !self.cluster.direct.get(),
            Kind::Masked => !self.masked.direct.get(),
            Kind::Edf => !self.edf.direct.get(),
            Kind::Weak | Kind::Bound | Kind::ServedBound => !self.affine.direct.get(),
            Kind::Served => !self.served.direct.get(),
        }
    }

    /// Begins to watch its owners, or ends that, unless it is always watched.
    pub(super) fn watch(&self, on: bool) {
        match self.kind.get() {
            Kind::Solo => self.solo.watch(on),
            Kind::Cluster => self.cluster.direct.set(!on),
            Kind::Masked => self.masked.direct.set(!on),
            Kind::Edf => self.edf.direct.set(!on),
            Kind::Weak | Kind::Bound => self.affine.direct.set(!on),
            Kind::ServedBound => self.affine.direct.set(false),
            Kind::Served => self.served.direct.set(!on),
        }
    }

    /// Returns whether the threads in its rings are tried again after arrivals and changes.
    pub fn tries_again(&self) -> bool {
        matches!(self.kind.get(), Kind::Weak)
    }

    /// Whether its threads may have servers.
    pub fn knows_servers(&self) -> bool {
        matches!(self.kind.get(), Kind::Served | Kind::ServedBound)
    }

    /// Whether its threads may have servers, and some are bound to processors.
    pub(super) fn binds_servers(&self) -> bool {
        matches!(self.kind.get(), Kind::ServedBound)
    }

    /// Returns whether the alarms of its processors are for the budgets of the threads that
    /// [use](LentSeat::user) its seats, whatever thread owns them: if it lends, and if it binds
    /// threads that may have servers.
    pub(super) fn watches_users(&self) -> bool {
        self.lends() || self.binds_servers()
    }

    /// Returns whether `id`, which is at home here, waits for its budget: it is in no queue then.
    pub(super) fn holds_back<W: World<Id = Id>>(&self, w: &W, id: Id) -> bool {
        W::THROTTLES && self.knows_servers() && is_throttled(w, id)
    }

    /// Whether it lends: [`Router::act`](super::Router::act) acts on it alone.
    pub fn lends(&self) -> bool {
        self.lends.get()
    }

    /// Lends seats of `cpus`, those of its instance, from now on.
    pub(super) fn lend(&self, cpus: CpuSet) {
        self.lends.set(true);
        self.lent_cpus.set(cpus);
    }

    /// Lends no longer.
    pub(super) fn end_lending(&self) {
        self.lends.set(false);
    }

    /// The processors of its instance, while it lends.
    pub(super) fn lent_cpus(&self) -> CpuSet {
        self.lent_cpus.get()
    }

    /// The owners and users of its seats, while it lends; the users alone, while it
    /// [watches](Home::watches_users) them.
    pub(super) fn lent_seats(&self) -> &[LentSeat<Id>; N] {
        &self.lent
    }

    /// That of the seat of `cpu`.
    pub(super) fn lent_seat(&self, cpu: Cpu) -> &LentSeat<Id> {
        &self.lent[cpu.index() % N]
    }

    /// Whether its decider, which the usual ways `find` or not, may be acted on by itself.
    #[inline(always)]
    fn is_by_itself(&self, find: bool) -> bool {
        find || !self.lends.get()
    }

    /// How urgent `id` is, which is at home here, after the start.
    pub fn standing<W: World<Id = Id>>(&self, w: &W, id: Id) -> Level {
        match self.knows_deadlines() {
            true => Q::Deadlines::urgency(w, id),
            false => Level(w.number(id).0.into()),
        }
    }

    /// How urgent one is here that is as urgent as `own` says, if it gets this priority.
    pub(super) fn standing_with(&self, own: Level, priority: crate::smp::Priority) -> Level {
        match has_job(own) && self.knows_deadlines() {
            true => own,
            false => self.standing_by(None, priority),
        }
    }

    /// How urgent one with this deadline is here, or with none and this priority.
    pub(super) fn standing_by(
        &self,
        deadline: Option<u64>,
        priority: crate::smp::Priority,
    ) -> Level {
        let level = u64::from(priority.0);
        match deadline {
            Some(deadline) if self.knows_deadlines() => Level(deadline),
            None if self.knows_deadlines() => Level(Level::BACKGROUND | level),
            _ => Level(level),
        }
    }

    /// Gives `id` the priority `new` by `set`, if that is the more urgent one. `id` is at home
    /// here and the heir of the processor that has its registers. It remains the heir, with the
    /// place `place` among its equals. Returns false and does nothing if more than priorities
    /// counts.
    #[inline(always)]
    pub fn raise<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        id: Id,
        new: Priority,
        set: impl FnOnce(),
        place: Place,
    ) -> bool {
        let raises = new.beats(w.priority(id));
        match self.kind.get() {
            Kind::Solo if self.is_by_itself(self.solo.direct().is_some()) => {
                if raises {
                    self.solo.raise(w, id, new, set);
                }
            }
            Kind::Cluster if self.is_by_itself(self.cluster.direct.get()) => {
                if raises {
                    self.cluster.raise(w, id, set, place);
                }
            }
            Kind::Masked if self.is_by_itself(self.masked.direct.get()) => {
                if raises {
                    self.masked.raise(w, id, set, place);
                }
            }
            _ => return false,
        }
        true
    }

    /// Lowers the priority of `id`, which is at home here and the heir of the processor that has
    /// its registers: `set` gives it the new one, in front of its new equals. If another thread is
    /// before it then, that thread runs. Returns false, and does nothing, as for [`Home::raise`].
    #[inline(always)]
    pub fn lower<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, set: impl FnOnce()) -> bool {
        match (self.kind.get(), self.solo.direct()) {
            (Kind::Solo, Some(seat)) => self.solo.change(w, seat, id, set, Place::First),
            (Kind::Cluster, _) if self.cluster.direct.get() => self.cluster.lower(w, id, set),
            (Kind::Masked, _) if self.masked.direct.get() => self.masked.lower(w, id, set),
            _ => return false,
        }
        true
    }

    /// Returns [`Home::decider`], if acts may go to it directly: none while it is
    /// [watched](Home::is_watched). The most frequent kind is checked first.
    #[inline(always)]
    pub fn direct(&self) -> Option<Decider<'_, Id, Seat, Q, N>> {
        if let Some((solo, _)) = self.solo() {
            return Some(Decider::Solo(solo));
        }
        if let Some(cluster) = self.cluster() {
            return Some(Decider::Cluster(cluster));
        }
        if let Some(edf) = self.edf() {
            return Some(Decider::Edf(edf));
        }
        if let Some(served) = self.served() {
            return Some(Decider::Served(served));
        }
        if let Some(masked) = self.masked() {
            return Some(Decider::Masked(masked));
        }
        self.affine().map(Decider::Affine)
    }

    /// The decider of an instance that has, or had, several processors, where acts may go to it
    /// directly.
    #[inline(always)]
    pub fn cluster(&self) -> Option<&Cluster<Id, Q, (), N>> {
        self.cluster.direct.get().then_some(&self.cluster)
    }

    /// Returns the decider of an instance where deadlines count, if acts may go to it directly.
    #[inline(always)]
    pub fn edf(&self) -> Option<&Cluster<Id, Q::Deadlines, (), N>> {
        self.edf.direct.get().then_some(&self.edf)
    }

    /// Returns the decider of an instance where threads may have servers, if acts may go to it
    /// directly.
    #[inline(always)]
    pub fn served(&self) -> Option<&Served<Id, Q::Deadlines, N>> {
        self.served.direct.get().then_some(&self.served)
    }

    /// Returns the decider of an instance where threads have affinities, if acts may go to it
    /// directly.
    #[inline(always)]
    pub fn masked(&self) -> Option<&Masked<Id, Q::Affine, Strong, N>> {
        self.masked.direct.get().then_some(&self.masked)
    }

    /// Returns the decider of an instance where affinities follow another rule, if acts may go to
    /// it directly.
    #[inline(always)]
    pub fn affine(&self) -> Option<&Affine<Id, Q, N>> {
        self.affine.direct.get().then_some(&self.affine)
    }
}

/// The decider of a [`Home`] that decides; in its rings are the ready threads without a seat.
pub enum Decider<'a, Id: Copy + Eq, Seat, Q: Ready<Id> = ReadyQueue<Id>, const N: usize = SEATS> {
    /// For an instance that has had one processor at most, whatever its number.
    Solo(&'a Solo<Id, Seat>),
    /// For an instance of several processors, with numbers below [`SEATS`].
    Cluster(&'a Cluster<Id, Q, (), N>),
    /// For such an instance where deadlines count.
    Edf(&'a Cluster<Id, Q::Deadlines, (), N>),
    /// For such an instance where threads may have servers.
    Served(&'a Served<Id, Q::Deadlines, N>),
    /// For such an instance where threads have affinities.
    Masked(&'a Masked<Id, Q::Affine, Strong, N>),
    /// Where threads have affinities under another rule.
    Affine(&'a Affine<Id, Q, N>),
}

/// The answer of [`Router::change_home`](super::Router::change_home) for a thread that was moved,
/// and has neither a job nor a server.
pub struct Moved<'a, Id: Copy + Eq, Seat, Q: Ready<Id> = ReadyQueue<Id>, const N: usize = SEATS> {
    /// Where it is at home now.
    pub home: &'a Home<Id, Seat, Q, N>,
    /// The processors on which it may run.
    pub cpus: CpuSet,
    /// A processor of its home.
    pub place: Cpu,
}

/// Returns the place among its equals of a thread with a new deadline: after them with a job's
/// deadline, in front of them without.
pub(super) const fn place_of_job(has_job: bool) -> Place {
    match has_job {
        true => Place::Last,
        false => Place::First,
    }
}

impl<Id: Copy + Eq, Seat, Q: Ready<Id>, const N: usize> Clone for Decider<'_, Id, Seat, Q, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<Id: Copy + Eq, Seat, Q: Ready<Id>, const N: usize> Copy for Decider<'_, Id, Seat, Q, N> {}

impl<Id: Copy + Eq, Seat, Q: Ready<Id>, const N: usize> PartialEq for Decider<'_, Id, Seat, Q, N> {
    /// Whether it is the very same one.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Solo(one), Self::Solo(other)) => core::ptr::eq(*one, *other),
            (Self::Cluster(one), Self::Cluster(other)) => core::ptr::eq(*one, *other),
            (Self::Edf(one), Self::Edf(other)) => core::ptr::eq(*one, *other),
            (Self::Masked(one), Self::Masked(other)) => core::ptr::eq(*one, *other),
            (Self::Served(one), Self::Served(other)) => core::ptr::eq(*one, *other),
            (Self::Affine(one), Self::Affine(other)) => core::ptr::eq(*one, *other),
            _ => false,
        }
    }
}

impl<Id: Copy + Eq, Seat, Q: Ready<Id>, const N: usize> Eq for Decider<'_, Id, Seat, Q, N> {}

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Decider<'a, Id, Seat, Q, N> {
    /// Whether it decides about the processor `cpu`.
    pub(crate) fn decides(self, cpu: usize) -> bool {
        match self {
            Self::Solo(solo) => solo.decides(cpu),
            Self::Cluster(cluster) => cluster.has(cpu),
            Self::Edf(edf) => edf.has(cpu),
            Self::Masked(masked) => masked.has(cpu),
            Self::Served(served) => served.has(cpu),
            Self::Affine(affine) => affine.has(cpu),
        }
    }

    /// Returns the thread that is to run on the processor `cpu`, about which it decides; none for
    /// the idle thread. The thread may not run there yet.
    pub fn owner<W: World<Id = Id, Seat = Seat>>(self, w: &W, cpu: usize) -> Option<Id> {
        match self {
            Self::Masked(masked) => masked.owner(cpu),
            Self::Affine(affine) => affine.owner(cpu),
            _ => Some(w.heir(w.seat(cpu))).filter(|heir| *heir != w.idle(cpu)),
        }
    }

    /// Whether others may shift for one that gets a seat: then an heir can be unknown.
    pub(super) fn shifts(self) -> bool {
        matches!(self, Self::Masked(_) | Self::Affine(_))
    }

    /// Returns the first of the threads in the rings that `will_do`. As many steps as there are
    /// before that one if threads have affinities; otherwise only the first is checked.
    pub(super) fn first<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        mut will_do: impl FnMut(Id) -> bool,
    ) -> Option<Id> {
        let first = match self {
            Self::Solo(solo) => solo.ready().top(),
            Self::Cluster(cluster) => cluster.waiting().top(w),
            Self::Edf(edf) => edf.waiting().first(w).map(|(id, _)| id),
            Self::Masked(masked) => return Some(masked.rings().search(w, will_do)?.0),
            Self::Served(served) => served.waiting().first(w).map(|(id, _)| id),
            Self::Affine(affine) => return affine.first(w, will_do),
        };
        first.filter(|first| will_do(*first))
    }

    /// Whether `id`, which is ready, has a processor, or none that waits for one comes before it.
    /// As many steps as there are that wait.
    pub fn keeps_place<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id) -> bool {
        match self {
            Self::Solo(solo) => return solo.is_first(id, w.priority(id)),
            Self::Cluster(cluster) if cluster.seat_of(w, id).is_some() => return true,
            Self::Edf(edf) if edf.seat_of(w, id).is_some() => return true,
            Self::Masked(masked) => return masked.keeps_place(w, id),
            Self::Served(served) if served.seat_of(w, id).is_some() => return true,
            Self::Affine(affine) => return affine.keeps_place(w, id),
            _ => {}
        }
        self.first(w, |_| true) == Some(id)
    }

    /// The processor on which `id`, which is at home in its instance, has a seat.
    pub(super) fn seat_of<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id) -> Option<usize> {
        match self {
            Self::Solo(solo) => solo.seat_of(w, id),
            Self::Cluster(cluster) => cluster.seat_of(w, id),
            Self::Edf(edf) => edf.seat_of(w, id),
            Self::Masked(masked) => masked.seat_of(w, id),
            Self::Served(served) => served.seat_of(w, id),
            Self::Affine(affine) => affine.seat_of(w, id),
        }
    }

    /// The processor that has the registers of `id`, which is at home in its instance, if one has.
    pub(super) fn place_of<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id) -> Option<usize> {
        match self {
            Self::Solo(solo) => solo.place(),
            Self::Cluster(_) => Some(Q::cpu(w, id)),
            Self::Edf(_) | Self::Served(_) => Some(Q::Deadlines::cpu(w, id)),
            Self::Masked(_) => Some(Q::Affine::place(w, id)),
            Self::Affine(affine) => Some(affine.place_of(w, id)),
        }
    }

    /// Visits the seats: those with owners by urgency, then the free ones, the one that is taken
    /// first last where it is the one that became free last. As many steps as there are, and their
    /// logarithm.
    pub(super) fn for_each_seat<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        mut visit: impl FnMut(usize, Option<Id>),
    ) {
        match self {
            Self::Solo(solo) => {
                if let Some(cpu) = solo.place() {
                    visit(cpu, self.owner(w, cpu));
                }
            }
            Self::Cluster(cluster) => cluster.for_each_seat(w, visit),
            Self::Edf(edf) => edf.for_each_seat(w, visit),
            Self::Masked(masked) => masked.for_each_seat(visit),
            Self::Served(served) => served.for_each_seat(w, visit),
            Self::Affine(affine) => affine.for_each_seat(visit),
        }
    }

    /// Checks the decider's own invariants, while it decides: no thread waits that could have a
    /// seat.
    pub(super) fn check<W: World<Id = Id, Seat = Seat>>(self, w: &W) -> Law {
        match self {
            Self::Solo(solo) => solo.check(w),
            Self::Cluster(cluster) => cluster.check(w),
            Self::Edf(edf) => edf.check(w),
            Self::Masked(masked) => masked.check(w),
            Self::Served(served) => served.check(w),
            Self::Affine(affine) => affine.check(w),
        }
    }

    /// Visits all threads in the rings, in their order. As many steps as there are.
    pub(super) fn for_each<W: World<Id = Id, Seat = Seat>>(self, w: &W, visit: impl FnMut(Id)) {
        match self {
            Self::Solo(solo) => solo.ready().for_each(w, visit),
            Self::Cluster(cluster) => cluster.waiting().for_each(w, visit),
            Self::Edf(edf) => edf.waiting().for_each(w, visit),
            Self::Masked(masked) => masked.rings().visit_all(w, visit),
            Self::Served(served) => served.waiting().for_each(w, visit),
            Self::Affine(affine) => affine.for_each(w, visit),
        }
    }

    /// Begins to decide about the processors that are reported by [`Decider::seat`]. Turns below
    /// `drawn` are taken.
    pub(super) fn start(self, drawn: i64) {
        match self {
            Self::Solo(_) => {}
            Self::Cluster(cluster) => cluster.start(),
            Self::Edf(edf) => edf.start(),
            Self::Masked(masked) => masked.start(drawn),
            Self::Served(served) => served.start(),
            Self::Affine(affine) => affine.start(drawn),
        }
    }

    /// Reports that `heir`, with its turn, which is in no ring, runs on `cpu`; `None` means the
    /// idle thread. To be called for each processor: the owners by urgency, then the idle ones,
    /// the one that is to be taken first last.
    pub(super) fn seat<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        cpu: usize,
        heir: Option<(Id, i64)>,
    ) {
        let id = heir.map(|(id, _)| id);
        match self {
            Self::Solo(solo) => solo.seat(w, cpu, id),
            Self::Cluster(cluster) => cluster.seat(w, cpu, id),
            Self::Edf(edf) => edf.seat(w, cpu, id),
            Self::Masked(masked) => masked.seat(w, cpu, heir),
            Self::Served(served) => served.seat(w, cpu, id),
            Self::Affine(affine) => affine.seat(w, cpu, heir),
        }
    }

    /// Adds the processor `cpu`, which idles for no instance; see [`Home::widen`]. The first of the
    /// waiting threads that may run there gets it.
    pub(super) fn gain<W: World<Id = Id, Seat = Seat>>(self, w: &W, cpu: usize) {
        match self {
            Self::Solo(solo) => solo.gain(w, cpu),
            Self::Cluster(cluster) => cluster.gain(w, cpu),
            Self::Edf(edf) => edf.gain(w, cpu),
            Self::Masked(masked) => masked.gain(w, cpu),
            Self::Served(served) => served.gain(w, cpu),
            Self::Affine(affine) => affine.gain(w, cpu),
        }
    }

    /// It has the processor `cpu` no longer, which idles from now on. Answers the thread that was
    /// to run there, and is in no ring.
    pub(super) fn lose<W: World<Id = Id, Seat = Seat>>(self, w: &W, cpu: usize) -> Option<Id> {
        match self {
            Self::Solo(solo) => solo.lose(w),
            Self::Cluster(cluster) => cluster.lose(w, cpu),
            Self::Edf(edf) => edf.lose(w, cpu),
            Self::Masked(masked) => masked.lose(w, cpu),
            Self::Served(served) => served.lose(w, cpu),
            Self::Affine(affine) => affine.lose(w, cpu),
        }
    }

    /// Makes `id`, which lost its processor by
    /// [`Router::remove_processor`](super::Router::remove_processor), ready again: after its
    /// equals. Its registers are nowhere, or on the calling processor, which releases them. `id`
    /// waited for nothing, so a server's budget is as it was.
    pub fn come_back<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id) {
        match self {
            Self::Masked(masked) => masked.come_back(w, id),
            Self::Affine(affine) => affine.come_back(w, id),
            _ => self.ready(w, id, Place::Last, |_| {}),
        }
    }

    /// Charges the heir of the processor `cpu`, about which it decides, until now.
    pub(crate) fn charge<W: World<Id = Id, Seat = Seat>>(self, w: &W, cpu: usize) {
        match self {
            Self::Solo(solo) => solo.charge_heir(w, w.seat(cpu)),
            Self::Cluster(cluster) => cluster.charge_heir(w, cpu),
            Self::Edf(edf) => edf.charge_heir(w, cpu),
            Self::Masked(masked) => masked.charge_owner(w, cpu),
            Self::Served(served) => served.charge_heir(w, cpu),
            Self::Affine(affine) => affine.charge_owner(w, cpu),
        }
    }

    /// Makes `id`, a ring of its own, ready: after its equals or in front of them. If it has a
    /// server, it is to `renew` first that, by [`Router::renew`](super::Router::renew).
    pub fn ready<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        id: Id,
        place: Place,
        renew: impl FnOnce(&Served<Id, Q::Deadlines, N>),
    ) {
        match self {
            Self::Solo(solo) => match (solo.processor(), place) {
                (None, _) => {}
                (Some(seat), Place::First) => solo.prepend(w, seat, id),
                (Some(seat), Place::Last) => {
                    solo.append(w, seat, id, w.priority(id));
                }
            },
            Self::Cluster(cluster) => {
                cluster.enter(w, id, Q::urgency(w, id), place);
            }
            Self::Edf(edf) => {
                edf.enter(w, id, Q::Deadlines::urgency(w, id), place);
            }
            Self::Masked(masked) => masked.ready(w, id, place),
            Self::Served(served) => {
                if is_served(w, id) {
                    renew(served);
                }
                if !is_throttled(w, id) {
                    served.enter(w, id, Q::Deadlines::urgency(w, id), place);
                }
            }
            Self::Affine(affine) => affine.ready(w, id, place),
        }
    }

    /// Takes out `id`, which is ready; it is then a ring of its own.
    #[inline(always)]
    pub fn remove<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id) {
        match self {
            Self::Solo(solo) => {
                if let Some(seat) = solo.processor() {
                    solo.remove(w, seat, id);
                }
            }
            Self::Cluster(cluster) => cluster.remove(w, id),
            Self::Edf(edf) => edf.remove(w, id),
            Self::Masked(masked) => masked.remove(w, id),
            Self::Served(served) => served.remove(w, id),
            Self::Affine(affine) => affine.remove(w, id),
        }
    }

    /// Makes `id`, which is ready, as urgent as it is in `w` once `set` was called: after its new
    /// equals or in front of them.
    pub fn change<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        id: Id,
        set: impl FnOnce(),
        place: Place,
    ) {
        match self {
            Self::Solo(solo) => {
                if let Some(seat) = solo.processor() {
                    solo.change(w, seat, id, set, place);
                }
            }
            Self::Cluster(cluster) => cluster.change(w, id, set, place),
            Self::Edf(edf) => edf.change(w, id, set, place),
            Self::Masked(masked) => masked.change(w, id, set, place),
            Self::Served(served) => served.change(w, id, set, place),
            Self::Affine(affine) => affine.change(w, id, set, place),
        }
    }

    /// One that waits and is in no ring has got another priority.
    #[inline(always)]
    pub fn waiting_has_changed<W: World<Id = Id, Seat = Seat>>(self, w: &W) {
        if let Self::Affine(affine) = self {
            affine.waiting_has_changed(w);
        }
    }

    /// Returns the thread that is to run on the processor `here`, which has an unknown heir, if
    /// this decides about it, and an heir can be unknown: see [`Masked::dispatch`].
    pub fn dispatch<W: World<Id = Id, Seat = Seat>>(self, w: &W, here: usize) -> Option<Id> {
        match self {
            Self::Masked(masked) => Some(masked.dispatch(w, here)),
            Self::Affine(affine) => Some(affine.dispatch(w, here)),
            _ => None,
        }
    }

    /// Whether `id`, which is at home in its instance, may run on the processor `cpu`.
    pub fn allows<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id, cpu: usize) -> bool {
        match self {
            Self::Masked(masked) => masked.allows(w, id, cpu),
            Self::Affine(affine) => affine.allows(w, id, cpu),
            _ => true,
        }
    }

    /// Puts `id`, which is ready, after its equals or in front of them. On one processor, one that
    /// is not the first of its equals does not go after them.
    pub fn requeue<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id, place: Place) {
        match self {
            Self::Solo(solo) => {
                if let Some(seat) = solo.processor() {
                    solo.requeue(w, seat, id, place);
                }
            }
            Self::Cluster(cluster) => cluster.requeue(w, id, place),
            Self::Edf(edf) => edf.requeue(w, id, place),
            Self::Masked(masked) => masked.requeue(w, id, place),
            Self::Served(served) => served.requeue(w, id, place),
            Self::Affine(affine) => affine.requeue(w, id, place),
        }
    }

    /// Makes `receiver`, a ring of its own that is to have the priority of `sender`, ready.
    /// `sender`, which is ready and runs on the calling processor with the seat `here`, lets it go
    /// first, if it has the turn. `renew` is that of [`Decider::ready`].
    pub fn direct_switch<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        here: Seat,
        receiver: Id,
        sender: Id,
        renew: impl FnOnce(&Served<Id, Q::Deadlines, N>),
    ) {
        match self {
            Self::Solo(solo) => {
                if let Some(seat) = solo.processor() {
                    solo.direct_switch(w, seat, receiver, sender);
                }
            }
            Self::Cluster(cluster) => {
                cluster.take_turn(w, here, receiver, sender, Q::urgency(w, sender));
            }
            Self::Edf(edf) => {
                edf.take_turn_of(w, here, receiver, sender);
            }
            Self::Masked(masked) => masked.direct_switch(w, receiver, sender),
            Self::Served(served) => {
                if is_served(w, receiver) {
                    renew(served);
                }
                if is_throttled(w, receiver) {
                    return served.requeue(w, sender, Place::Last);
                }
                served.take_turn_of(w, here, receiver, sender);
            }
            Self::Affine(affine) => affine.direct_switch(w, receiver, sender),
        }
    }
}
