//! Owns: the choice between one processor, several, deadlines, and affinities. Must never know: how each decides.

use super::cluster::{
    LATEST, begin, forget_own_job, has_job, is_served, is_throttled, set_job, set_served,
};
use super::laws::Law;
use super::lent::LentSeat;
use super::masked::{Rings, place_of, set_place};
use super::{
    Affine, Budgets, Cluster, Deadlines, Left, Masked, Place, Ready, Rows, SEATS, Served, Solo,
    Urgency, Waiting, World,
};
use crate::smp::{Instance, Level};
use crate::{Cpu, CpuSet, Priority, ReadyQueue};
use core::cell::Cell;

/// Which of them: those with affinities follow each other, so do those where deadlines count, and
/// those of one [`Decider`], so that one comparison tells them from others.
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

/// What may decide about an instance: one of each kind, of which [`Router::new`](super::Router::new) takes the one that fits. One
/// that began with one processor takes another when it has several.
#[repr(C)]
pub struct Home<Id: Copy + Eq, Seat, Q: Ready<Id> = ReadyQueue<Id>, const N: usize = SEATS> {
    pub(super) solo: Solo<Id, Seat>,
    cluster: Cluster<Id, Q, (), N>,
    pub(super) edf: Cluster<Id, Q::Deadlines, (), N>,
    masked: Masked<Id>,
    pub(super) kind: Cell<Kind>,
    instance: Cell<u8>,
    // The last ones, so that the others are reached as before where nobody has a server.
    pub(super) served: Served<Id, Q::Deadlines, N>,
    pub(super) affine: Affine<Id>,
    /// Whether seats of it are lent, and those seats: see the module [`loans`](super::loans).
    lends: Cell<bool>,
    lent_cpus: Cell<CpuSet>,
    lent: [LentSeat<Id>; N],
}

impl<Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Home<Id, Seat, Q, N> {
    /// That of an instance that is open, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const OPEN: Self = Self {
        solo: Solo::OPEN,
        cluster: Cluster::OPEN,
        edf: Cluster::OPEN,
        masked: Masked::OPEN,
        kind: Cell::new(Kind::Solo),
        instance: Cell::new(0),
        served: Cluster::OPEN,
        affine: Affine::OPEN,
        lends: Cell::new(false),
        lent_cpus: Cell::new(CpuSet::EMPTY),
        lent: [const { LentSeat::FREE }; N],
    };

    pub(super) fn begin(&self, instance: Instance, kind: Kind) {
        self.instance.set(instance.0);
        self.kind.set(kind);
    }

    /// Who decides about the instance when it has the processors `cpus`, and is to be closed: where it began with one and has
    /// several now, another one than before, which takes over the READY threads. A fixed number of steps.
    pub(super) fn decider_for(&self, cpus: CpuSet) -> Decider<'_, Id, Seat, Q, N> {
        if let Kind::Solo = self.kind.get()
            && cpus.count() > 1
        {
            self.cluster.waiting().take_over(self.solo.ready());
            self.kind.set(Kind::Cluster);
        }
        self.decider()
    }

    /// Who decides about its instance, which is closed, when that is about to have the processors `cpus`:
    /// where it had one, on which `runs` has its registers, if one does that is at home here, and
    /// is to have several, the seats do, from now on. A fixed number of steps.
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
            self.solo.open(w, |cpu, heir| sole = Some((cpu, heir)));
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
            false => ReadyQueue::bind(w, id, cpus),
        }
    }

    /// [`Home::begin_with`] where deadlines count.
    #[inline(never)]
    fn begin_under_deadlines<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, cpus: CpuSet) {
        begin(w, id);
        self.bind_under_deadlines(w, id, cpus);
    }

    /// `id`, which is at home in its instance and in no ring, may run on `cpus` alone from now on. The
    /// first that is bound to one of several changes who decides, in as many steps as there are ready
    /// threads.
    #[inline(always)]
    fn bind_under_deadlines<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, cpus: CpuSet) {
        <Deadlines<_> as Rings<_>>::bind(w, id, cpus);
        if cpus.count() == 1 {
            self.part_seats(w, id);
        }
    }

    /// `id`, which is at home in its instance, may run on `cpus` alone from now on. Whether what decides about it has to be told anew
    /// of one that is ready.
    pub(super) fn bind<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, cpus: CpuSet) -> bool {
        match self.kind.get() {
            Kind::Solo | Kind::Cluster => return false,
            Kind::Edf | Kind::Bound | Kind::Served | Kind::ServedBound => {
                <Deadlines<_> as Rings<_>>::bind(w, id, cpus);
            }
            Kind::Masked | Kind::Weak => ReadyQueue::bind(w, id, cpus),
        }
        self.decider().is_closed()
    }

    /// `id`, which is in no ring, comes from another instance, which `moved` it; what was noted there means
    /// nothing here. The processor that has its registers, if one has, is of another instance, and lets
    /// go of them before `id` is dispatched.
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
            ReadyQueue::bind(w, id, moved.cpus);
            set_place(w, id, place);
        }
    }

    /// `id` came from another instance, without a job and without a server; what was noted there
    /// means nothing here. Its processors were said.
    #[inline(always)]
    pub fn receive<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) {
        match self.kind.get() {
            Kind::Solo | Kind::Cluster | Kind::Masked | Kind::Weak => {}
            Kind::Edf | Kind::Bound | Kind::Served | Kind::ServedBound => set_served(w, id, false),
        }
    }

    /// `id`, which begins anew, has no job of its own.
    #[inline(always)]
    pub fn forget_job<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id) {
        match self.kind.get() {
            Kind::Solo | Kind::Cluster | Kind::Masked | Kind::Weak => {}
            Kind::Edf | Kind::Bound => set_job(w, id, None),
            Kind::Served | Kind::ServedBound => forget_own_job(w, id),
        }
    }

    /// `id`, which is at home here, has a job with this deadline, at most 36 years after the start, or none; see
    /// [`Router::set_job`](super::Router::set_job). Nothing where deadlines do not count. The tables do not hear of it: for a
    /// world whose instances, once closed, are never opened. Whether the instance is closed.
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
            return self.closed().is_some();
        };
        Self::tell_job(edf, w, id, deadline);
        true
    }

    /// [`Home::tell_job`] where threads may have servers, whose deadlines count then.
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
        let place = if deadline.is_some() {
            Place::Last
        } else {
            Place::First
        };
        match w.is_ready(id) {
            true => seats.change(w, id, set, place),
            false => set(),
        }
    }

    /// Whether deadlines count in its instance, be that open or closed.
    pub fn knows_deadlines(&self) -> bool {
        matches!(
            self.kind.get(),
            Kind::Edf | Kind::Bound | Kind::Served | Kind::ServedBound
        )
    }

    /// Whether its instance is never closed.
    #[inline(always)]
    pub(super) fn stays_open(&self) -> bool {
        !Q::OTHERS && !matches!(self.kind.get(), Kind::Cluster | Kind::Edf | Kind::Served)
    }

    /// Its instance.
    #[inline(always)]
    pub fn instance(&self) -> Instance {
        Instance(self.instance.get())
    }

    /// Who decides about it while it is closed.
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

    /// Whether a thread of its instance, about which seats decide, owns a lock that others wait for, and
    /// must not lose its seat unseen; or threads are bound there that may have servers. Then the
    /// usual ways do not find what decides, and [`Router::act`](super::Router::act) is to be
    /// called.
    pub fn is_watched(&self) -> bool {
        match self.kind.get() {
            Kind::Solo => self.solo.is_watched(),
            Kind::Cluster => self.cluster.duty.is_watched(),
            Kind::Masked => self.masked.duty.is_watched(),
            Kind::Edf => self.edf.duty.is_watched(),
            Kind::Weak | Kind::Bound | Kind::ServedBound => self.affine.duty().is_watched(),
            Kind::Served => self.served.duty.is_watched(),
        }
    }

    /// Begins to watch its owners, or ends that, unless it is always watched. Nothing where the
    /// instance is open.
    pub(super) fn watch(&self, on: bool) {
        match self.kind.get() {
            Kind::Solo => self.solo.watch(on),
            Kind::Cluster => self.cluster.duty.watch(on),
            Kind::Masked => self.masked.duty.watch(on),
            Kind::Edf => self.edf.duty.watch(on),
            Kind::Weak | Kind::Bound => self.affine.duty().watch(on),
            Kind::ServedBound => self.affine.duty().watch(true),
            Kind::Served => self.served.duty.watch(on),
        }
    }

    /// Whether those who stand in its rings are tried again after arrivals and changes.
    pub(super) fn tries_again(&self) -> bool {
        matches!(self.kind.get(), Kind::Weak)
    }

    /// Whether its threads may have servers.
    pub fn knows_servers(&self) -> bool {
        matches!(self.kind.get(), Kind::Served | Kind::ServedBound)
    }

    /// Whether seats decide, and its threads may have servers.
    pub(super) fn serves(&self) -> bool {
        self.knows_servers() && self.decider().is_closed()
    }

    /// Whether its threads may have servers, and some are bound to processors.
    pub(super) fn binds_servers(&self) -> bool {
        matches!(self.kind.get(), Kind::ServedBound)
    }

    /// Whether the alarms of its processors are for the budgets of those who
    /// [use](LentSeat::user) its seats, whoever owns them: where it lends, and where it binds
    /// threads that may have servers.
    pub(super) fn watches_users(&self) -> bool {
        self.lends() || self.binds_servers() && self.affine.is_closed()
    }

    /// Whether `id`, which is at home here, waits for its budget: it stands nowhere then.
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

    /// Whether its decider, which the usual ways `found` or not, may be acted on by itself.
    #[inline(always)]
    fn is_by_itself(&self, found: bool, is_watched: impl FnOnce() -> bool) -> bool {
        found || is_watched() && !self.lends.get()
    }

    /// Whether a thread that is at home here, and is raised, goes on whatever else there is, and
    /// its priority says how urgent it is: not where deadlines count, nor under weak affinity.
    #[inline(always)]
    pub fn knows_priorities_alone(&self) -> bool {
        matches!(self.kind.get(), Kind::Solo | Kind::Cluster | Kind::Masked)
    }

    /// How urgent `id` is, which is at home here, while its instance is closed.
    pub fn standing<W: World<Id = Id>>(&self, w: &W, id: Id) -> Level {
        match self.knows_deadlines() {
            true => Q::Deadlines::urgency(w, id),
            false => Level(w.number(id).0.into()),
        }
    }

    /// How urgent one is here that is as urgent as `own` says, if it gets this priority.
    pub(super) fn standing_with(&self, own: Level, priority: Priority) -> Level {
        match has_job(own) && self.knows_deadlines() {
            true => own,
            false => self.standing_by(None, crate::smp::Priority(priority.level().into())),
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

    /// `id`, which is at home here and the heir of the processor that has its registers, is to have
    /// the priority `new`, if that is the more urgent one: `set` gives it, and it goes on, among
    /// its equals as `place` says. False, and nothing, where the instance is open or
    /// [other things](Home::knows_priorities_alone) count.
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
            Kind::Solo
                if self
                    .is_by_itself(self.solo.unwatched().is_some(), || self.solo.is_watched()) =>
            {
                if raises {
                    self.solo.raise(w, id, new, set);
                }
            }
            Kind::Cluster
                if self.is_by_itself(self.cluster.duty.is_unwatched(), || {
                    self.cluster.duty.is_watched()
                }) =>
            {
                if raises {
                    self.cluster.raise(w, id, set, place);
                }
            }
            Kind::Masked
                if self.is_by_itself(self.masked.duty.is_unwatched(), || {
                    self.masked.duty.is_watched()
                }) =>
            {
                if raises {
                    self.masked.raise(w, id, set, place);
                }
            }
            _ => return false,
        }
        true
    }

    /// `id`, which is at home here and the heir of the processor that has its registers, is to have
    /// a less urgent priority: `set` gives it, in front of its new equals; who is before it then
    /// goes on. False, and nothing, as for [`Home::raise`].
    #[inline(always)]
    pub fn lower<W: World<Id = Id, Seat = Seat>>(&self, w: &W, id: Id, set: impl FnOnce()) -> bool {
        match (self.kind.get(), self.solo.unwatched()) {
            (Kind::Solo, Some(seat)) => self.solo.change(w, seat, id, set, Place::First),
            (Kind::Cluster, _) if self.cluster.duty.is_unwatched() => {
                self.cluster.lower(w, id, set)
            }
            (Kind::Masked, _) if self.masked.duty.is_unwatched() => self.masked.lower(w, id, set),
            _ => return false,
        }
        true
    }

    /// [`Home::decider`] while the instance is closed. The most frequent kind is asked first.
    #[inline(always)]
    pub fn closed(&self) -> Option<Decider<'_, Id, Seat, Q, N>> {
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

    /// The seats that decide, where the instance is closed and has several.
    #[inline(always)]
    pub fn cluster(&self) -> Option<&Cluster<Id, Q, (), N>> {
        self.cluster.duty.is_unwatched().then_some(&self.cluster)
    }

    /// The same where deadlines count.
    #[inline(always)]
    pub fn edf(&self) -> Option<&Cluster<Id, Q::Deadlines, (), N>> {
        self.edf.duty.is_unwatched().then_some(&self.edf)
    }

    /// The same where threads may have servers.
    #[inline(always)]
    pub fn served(&self) -> Option<&Served<Id, Q::Deadlines, N>> {
        self.served.duty.is_unwatched().then_some(&self.served)
    }

    /// The same where threads have affinities.
    #[inline(always)]
    pub fn masked(&self) -> Option<&Masked<Id>> {
        self.masked.duty.is_unwatched().then_some(&self.masked)
    }

    /// The seats with affinities of another rule, where the instance is closed and has such.
    #[inline(always)]
    pub fn affine(&self) -> Option<&Affine<Id>> {
        self.affine.duty().is_unwatched().then_some(&self.affine)
    }
}

/// Who decides about an instance while it is closed, and whose rings hold its READY threads while it is open.
pub enum Decider<'a, Id: Copy + Eq, Seat, Q: Ready<Id> = ReadyQueue<Id>, const N: usize = SEATS> {
    /// For an instance that has had one processor at most whenever it was closed, whatever its
    /// number.
    Solo(&'a Solo<Id, Seat>),
    /// For an instance that is closed while its processors have numbers below [`SEATS`].
    Cluster(&'a Cluster<Id, Q, (), N>),
    /// The same where deadlines count.
    Edf(&'a Cluster<Id, Q::Deadlines, (), N>),
    /// The same where threads may have servers.
    Served(&'a Served<Id, Q::Deadlines, N>),
    /// The same where threads have affinities.
    Masked(&'a Masked<Id>),
    /// Where threads have affinities under another rule.
    Affine(&'a Affine<Id>),
}

/// The answer of [`Router::change_home`](super::Router::change_home) for a thread that was moved, and has neither a job nor a server.
pub struct Moved<'a, Id: Copy + Eq, Seat, Q: Ready<Id> = ReadyQueue<Id>, const N: usize = SEATS> {
    /// Where it is at home now.
    pub home: &'a Home<Id, Seat, Q, N>,
    /// The processors on which it may run.
    pub cpus: CpuSet,
    /// A processor of its home.
    pub place: Cpu,
}

/// What [`Decider::open`] answers.
pub(super) struct Opened<L> {
    /// The processors that stopped idling and have not idled since.
    pub left: L,
    /// The turns that are drawn next, where threads keep theirs.
    pub turns: Option<[i64; 2]>,
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
    /// Whether it decides.
    pub fn is_closed(self) -> bool {
        match self {
            Self::Solo(solo) => solo.is_closed(),
            Self::Cluster(cluster) => cluster.is_closed(),
            Self::Edf(edf) => edf.is_closed(),
            Self::Masked(masked) => masked.is_closed(),
            Self::Served(served) => served.is_closed(),
            Self::Affine(affine) => affine.is_closed(),
        }
    }

    /// Whether it decides about the processor `cpu`.
    pub fn decides(self, cpu: usize) -> bool {
        match self {
            Self::Solo(solo) => solo.decides(cpu),
            Self::Cluster(cluster) => cluster.is_closed() && cluster.has(cpu),
            Self::Edf(edf) => edf.is_closed() && edf.has(cpu),
            Self::Masked(masked) => masked.is_closed() && masked.has(cpu),
            Self::Served(served) => served.is_closed() && served.has(cpu),
            Self::Affine(affine) => affine.is_closed() && affine.has(cpu),
        }
    }

    /// Who is to run on the processor `cpu`, about which it decides; none for the idle thread. It may not run there yet.
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

    /// Whether it can decide about an instance that has the processors `cpus`.
    pub(super) fn fits(self, cpus: CpuSet) -> bool {
        match self {
            Self::Solo(_) => cpus.count() <= 1,
            _ => CpuSet::first(N).covers(cpus),
        }
    }

    /// Who is served first of those that stand in the rings and `will_do`. As many steps as there are before that one where
    /// threads have affinities; elsewhere none but the first is asked about.
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
            Self::Masked(_) | Self::Affine(_) => Some(place_of(w, id)),
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

    /// The laws that are its own, while it decides: that nobody waits who could have a seat.
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

    /// Visits all that stand in the rings, in their order. As many steps as there are.
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

    /// `id`, which stands in the rings at `level`, does so no longer.
    pub(super) fn take<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id, level: Level) {
        let priority = level.as_priority();
        match self {
            Self::Solo(solo) => solo.ready().remove(w, id, priority),
            Self::Cluster(cluster) => cluster.waiting().remove(w, id, Urgency::of_level(level)),
            Self::Edf(edf) => edf.waiting().remove(w, id, level),
            Self::Masked(masked) => masked.rings().take_out(w, id, priority),
            Self::Served(served) => served.waiting().remove(w, id, level),
            Self::Affine(affine) => affine.take(w, id, level),
        }
    }

    /// `id`, a ring of its own, stands in the rings from now on: behind its equals, or in front of them; see
    /// [`Effects::put`](crate::smp::Effects::put).
    pub(super) fn put<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        id: Id,
        level: Level,
        place: Place,
        turn: i64,
    ) {
        let priority = level.as_priority();
        match self {
            Self::Solo(solo) => solo.ready().put(w, id, priority, place),
            Self::Cluster(cluster) => {
                cluster
                    .waiting()
                    .put(w, id, Urgency::of_level(level), place);
            }
            Self::Edf(edf) => edf.waiting().put(w, id, level, place),
            Self::Masked(masked) => masked.put(w, id, priority, turn, place),
            Self::Served(served) => served.waiting().put(w, id, level, place),
            Self::Affine(affine) => affine.put(w, id, level, turn, place),
        }
    }

    /// The turn of `id`, which stands in the rings, where threads keep theirs.
    pub(super) fn turn<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id) -> Option<i64> {
        match self {
            Self::Masked(masked) => Some(masked.turn(w, id)),
            Self::Affine(affine) => Some(affine.turn(w, id)),
            _ => None,
        }
    }

    /// It decides from now on, about the processors that are told of with [`Decider::seat`]. `turns` are those that are drawn
    /// next.
    pub(super) fn close(self, turns: [i64; 2]) {
        match self {
            Self::Solo(solo) => solo.close(),
            Self::Cluster(cluster) => cluster.close(),
            Self::Edf(edf) => edf.close(),
            Self::Masked(masked) => masked.close(turns),
            Self::Served(served) => served.close(),
            Self::Affine(affine) => affine.close(turns),
        }
    }

    /// On `cpu` runs `heir`, with its turn, which is in no ring; none stands for the idle thread. To be said of each processor,
    /// the owners by urgency, then the idle ones, the one that is to be taken first last.
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

    /// It has the processor `cpu`, too, which idles for no instance; see [`Home::widen`]. Who comes first
    /// of those that wait, and may run there, gets it.
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

    /// `id`, which lost its processor by [`Router::remove_processor`](super::Router::remove_processor) and
    /// whose registers are nowhere, or on the calling processor, which lets go of them, comes in again:
    /// behind its equals. It waited for nothing, so a server's budget is as it was.
    pub fn come_back<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id) {
        match self {
            Self::Masked(masked) => masked.come_back(w, id),
            Self::Affine(affine) => affine.come_back(w, id),
            _ => self.ready(w, id, Place::Last, |_| {}),
        }
    }

    /// It decides no longer. `tell` hears of each processor and its heir, which is in no ring, with its turn where it keeps it, in
    /// the order of [`Decider::seat`].
    pub(super) fn open<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        mut tell: impl FnMut(usize, Option<(Id, Option<i64>)>),
    ) -> Opened<<Q::Left as Left>::Told> {
        let (mut left, mut turns) = (0.into(), None);
        match self {
            Self::Solo(solo) => solo.open(w, |cpu, heir| {
                left = (cpu as u64).into();
                tell(cpu, heir.map(|id| (id, None)));
            }),
            Self::Cluster(cluster) => {
                left = cluster.open(w, |cpu, heir| tell(cpu, heir.map(|id| (id, None))));
            }
            Self::Edf(edf) => {
                left = edf.open(w, |cpu, heir| tell(cpu, heir.map(|id| (id, None))));
            }
            Self::Masked(masked) => {
                let (owned, next) = masked.open(w, tell);
                (left, turns) = (owned.into(), Some(next));
            }
            Self::Served(served) => {
                left = served.open(w, |cpu, heir| tell(cpu, heir.map(|id| (id, None))));
            }
            Self::Affine(affine) => {
                let (owned, next) = affine.open(w, tell);
                (left, turns) = (owned.into(), Some(next));
            }
        }
        Opened { left, turns }
    }

    /// Charges the heir of the processor `cpu`, about which it decides, until now.
    pub fn charge<W: World<Id = Id, Seat = Seat>>(self, w: &W, cpu: usize) {
        match self {
            Self::Solo(solo) => solo.charge_heir(w, w.seat(cpu)),
            Self::Cluster(cluster) => cluster.charge_heir(w, cpu),
            Self::Edf(edf) => edf.charge_heir(w, cpu),
            Self::Masked(masked) => masked.charge_owner(w, cpu),
            Self::Served(served) => served.charge_heir(w, cpu),
            Self::Affine(affine) => affine.charge_owner(w, cpu),
        }
    }

    /// Makes `id`, a ring of its own, ready: behind its equals or in front of them. If it has a server, it is to `renew` first that,
    /// by [`Router::renew`](super::Router::renew).
    pub fn ready<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        id: Id,
        place: Place,
        renew: impl FnOnce(&Served<Id, Q::Deadlines, N>),
    ) {
        match self {
            Self::Solo(solo) => match (solo.closed(), place) {
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
                if let Some(seat) = solo.closed() {
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

    /// `id`, which is ready, is as urgent from now on as it is in `w` once `set` was called: behind its new equals or in front of
    /// them.
    pub fn change<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        id: Id,
        set: impl FnOnce(),
        place: Place,
    ) {
        match self {
            Self::Solo(solo) => {
                if let Some(seat) = solo.closed() {
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

    /// The thread that is to run on the processor `here`, whose heir is unknown, where it is this
    /// that decides about it, and an heir can be unknown: see [`Masked::dispatch`].
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

    /// Puts `id`, which is ready, behind its equals or in front of them. On one processor, one that is not the first of its
    /// equals does not go behind them.
    pub fn requeue<W: World<Id = Id, Seat = Seat>>(self, w: &W, id: Id, place: Place) {
        match self {
            Self::Solo(solo) => {
                if let Some(seat) = solo.closed() {
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

    /// `receiver`, a ring of its own that is to have the priority of `sender`, becomes ready, and `sender`, which is ready and
    /// runs on the calling processor, whose seat is `here`, lets it go first, if it has the turn. `renew` is that of
    /// [`Decider::ready`].
    pub fn hand_turn<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        here: Seat,
        receiver: Id,
        sender: Id,
        renew: impl FnOnce(&Served<Id, Q::Deadlines, N>),
    ) {
        match self {
            Self::Solo(solo) => {
                if let Some(seat) = solo.closed() {
                    solo.hand_turn(w, seat, receiver, sender);
                }
            }
            Self::Cluster(cluster) => {
                cluster.take_turn(w, here, receiver, sender, Q::urgency(w, sender));
            }
            Self::Edf(edf) => {
                edf.take_turn_of(w, here, receiver, sender);
            }
            Self::Masked(masked) => masked.hand_turn(w, receiver, sender),
            Self::Served(served) => {
                if is_served(w, receiver) {
                    renew(served);
                }
                if is_throttled(w, receiver) {
                    return served.requeue(w, sender, Place::Last);
                }
                served.take_turn_of(w, here, receiver, sender);
            }
            Self::Affine(affine) => affine.hand_turn(w, receiver, sender),
        }
    }
}
