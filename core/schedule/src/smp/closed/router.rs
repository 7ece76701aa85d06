//! Owns: which instances are closed; opening and closing them. Must never know: why a thread waits.

use super::{Solo, World};
use crate::smp::{Effects, Instance, Lock, System, Thread};
use crate::{Cpu, CpuSet, Priority};
use taktos_time::Instant;

/// What a [`Router`] must know of its world beside what a [`Solo`] must.
pub trait Rows: World {
    /// The thread's row in the System's table; none for an idle thread, and for one that does not exist.
    fn row(&self, id: Self::Id) -> Option<Thread>;

    /// The thread of a row.
    fn thread(&self, row: Thread) -> Option<Self::Id>;

    /// Whether `id` is ready: it waits for nothing.
    fn is_ready(&self, id: Self::Id) -> bool;

    /// Whether the thread is at home in the instance of `solo`.
    fn is_at_home(&self, id: Self::Id, solo: &Solo<Self::Id, Self::Seat>) -> bool;

    /// The seat of the processor `cpu`.
    fn seat(&self, cpu: usize) -> Self::Seat;

    /// The idle thread of the processor `cpu`.
    fn idle(&self, cpu: usize) -> Self::Id;

    /// Who shall run there is unknown: it is to be dispatched.
    fn forget_heir(&self, seat: Self::Seat);
}

/// A [`System`] with the [`Solo`]s of its instances.
///
/// Everything that spans instances is asked of the System, by [`Router::ask`]; what concerns one closed instance alone, its
/// Solo does. Before the System is asked about a thread, [`Router::reach`] or [`Router::look_up`] is to be called with it.
pub struct Router<'a, Id, Seat> {
    system: System<'a>,
    solos: &'a [Solo<Id, Seat>],
    /// The processors of closed instances.
    closed: CpuSet,
}

/// The [`Effects`] of a System whose READY threads stand in the rings of its Solos.
pub struct Kept<'e, W: Rows, E> {
    world: &'e W,
    solos: &'e [Solo<W::Id, W::Seat>],
    /// The processors of closed instances.
    closed: CpuSet,
    /// Those of them that are to be dispatched all the same: they are to ask for help.
    asking: CpuSet,
    others: &'e mut E,
}

impl<W: Rows, E: Effects> Kept<'_, W, E> {
    /// Acts on the rings of `instance` and the thread of `row`.
    fn with(
        &self,
        instance: Instance,
        row: Thread,
        act: impl FnOnce(&Solo<W::Id, W::Seat>, W::Id),
    ) {
        if let (Some(solo), Some(id)) = (self.solos.get(instance.index()), self.world.thread(row)) {
            act(solo, id);
        }
    }
}

impl<W: Rows, E: Effects> Effects for Kept<'_, W, E> {
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
        self.solos
            .get(instance.index())
            .is_some_and(|solo| solo.keeps.get())
    }

    fn put(&mut self, instance: Instance, row: Thread, priority: Priority, first: bool) {
        self.with(instance, row, |solo, id| {
            if first {
                solo.ready.prepend(self.world, id, priority);
            } else {
                solo.ready.append(self.world, id, priority);
            }
        });
    }

    fn take(&mut self, instance: Instance, row: Thread, priority: Priority) {
        self.with(instance, row, |solo, id| {
            solo.ready.remove(self.world, id, priority);
        });
    }

    fn top(&self, instance: Instance) -> Option<(Thread, Priority)> {
        let id = self.solos.get(instance.index())?.ready.top()?;
        Some((self.world.row(id)?, self.world.priority(id)))
    }
}

/// The processor of a closed instance.
fn cpu_of<Id, Seat>(solo: &Solo<Id, Seat>) -> Cpu {
    Cpu::masked(solo.cpu.get() as u8)
}

impl<'a, Id: Copy + Eq, Seat: Copy> Router<'a, Id, Seat> {
    /// With all instances open. Each has one of `solos`, in order; instances without one stay open.
    pub fn new(system: System<'a>, solos: &'a [Solo<Id, Seat>]) -> Self {
        for (index, solo) in solos.iter().enumerate() {
            let keeps = Instance::new(index).is_some_and(|instance| system.can_keep(instance));
            solo.keeps.set(keeps);
            solo.instance.set(index as u8);
        }
        Self {
            system,
            solos,
            closed: CpuSet::EMPTY,
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

    /// The Solo of the instance that has `cpu`.
    pub fn solo_of(&self, cpu: Cpu) -> Option<&'a Solo<Id, Seat>> {
        self.solo(self.system.instance_of_cpu(cpu).ok()?)
    }

    /// The Solo of `instance`.
    #[inline(always)]
    pub fn solo(&self, instance: Instance) -> Option<&'a Solo<Id, Seat>> {
        self.solos.get(instance.index())
    }

    /// Asks the System something, or tells it.
    #[inline(always)]
    pub fn ask<W: Rows<Id = Id, Seat = Seat>, E: Effects, R>(
        &mut self,
        w: &W,
        now: Instant,
        effects: &mut E,
        question: impl FnOnce(&mut System<'a>, &mut Kept<'_, W, E>) -> R,
    ) -> R {
        let mut kept = Kept {
            world: w,
            solos: self.solos,
            closed: self.closed,
            asking: CpuSet::EMPTY,
            others: effects,
        };
        let answer = question(&mut self.system, &mut kept);
        for cpu in kept.asking {
            if let Ok(instance) = self.system.instance_of_cpu(cpu) {
                self.open(w, instance, now);
            }
            effects.preempt(cpu);
        }
        answer
    }

    /// What concerns `id` and other instances is about to be asked: its home is opened, and its row brought up to date. A fixed
    /// number of steps.
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
            self.system.bring_up_to_date(row, w.priority(id), is_ready);
        }
    }

    /// The System decides about `instance`. A fixed number of steps.
    pub fn open<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, instance: Instance, now: Instant) {
        let Some(solo) = self.solo(instance) else {
            return;
        };
        let Some(seat) = solo.seat.take() else {
            return;
        };
        solo.charge_heir(w, seat);
        self.closed = self.closed.without(cpu_of(solo));
        let (heir, current) = (w.heir(seat), w.current(seat));
        let runs = w.row(heir).map(|row| (row, w.priority(heir)));
        if let Some((_, priority)) = runs {
            solo.ready.remove(w, heir, priority);
        }
        self.system.open(instance, w.row(current), runs, now);
        if heir != current {
            // It was called already, and is to be dispatched.
            w.forget_heir(seat);
        }
    }

    /// Opens all instances, and brings the rows of all threads up to date: as many steps as threads. For tests and tools.
    pub fn open_all<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, now: Instant) {
        for index in 0..self.solos.len() {
            if let Some(instance) = Instance::new(index) {
                self.open(w, instance, now);
            }
        }
        // In the order in which they are READY.
        for solo in self.solos.iter().filter(|solo| solo.keeps.get()) {
            solo.ready.for_each(w, |id| {
                if let Some(row) = w.row(id) {
                    self.system.bring_in_order(row, w.priority(id));
                }
            });
        }
        for row in self.system.rows() {
            if let Some(id) = w.thread(row) {
                self.look_up(w, id);
            }
        }
    }

    /// The lock is about to be asked for by `id`: what that may concern is opened. A fixed number of steps.
    pub fn reach_lock<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        lock: Lock,
        id: Id,
        now: Instant,
    ) {
        let owner = self.system.owner(lock).ok().flatten();
        let owner = owner.filter(|owner| w.row(id) != Some(*owner));
        if owner.is_none() && !self.system.counts(lock) {
            return;
        }
        self.reach(w, id, now);
        if let Some(owner) = owner.and_then(|row| w.thread(row)) {
            self.reach(w, owner, now);
        }
    }

    /// Closes `instance` if it can be. Whether it is closed. A fixed number of steps, and one a processor.
    pub fn try_close<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        instance: Instance,
        now: Instant,
    ) -> bool {
        let Some(solo) = self.solo(instance) else {
            return false;
        };
        if solo.seat.get().is_some() {
            return true;
        }
        if solo.keeps.get()
            && let Some(cpu) = self.system.may_close(instance)
            && !self.runs_elsewhere(w, instance, cpu)
        {
            self.close(w, instance, cpu, now);
            return true;
        }
        false
    }

    /// Whether a processor other than `cpu` has the registers of a thread that is at home in `instance`.
    fn runs_elsewhere<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        instance: Instance,
        cpu: Cpu,
    ) -> bool {
        let solo = &self.solos[instance.index()];
        let mut others = self.system.online().without(cpu).into_iter();
        others.any(|other| w.is_at_home(w.current(w.seat(other.index())), solo))
    }

    fn close<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
    ) {
        let solo = &self.solos[instance.index()];
        let (seat, idle) = (w.seat(cpu.index()), w.idle(cpu.index()));
        let runs = self.system.close(instance, now);
        let runs = runs.and_then(|row| w.thread(row));
        if let Some(id) = runs {
            solo.ready.prepend(w, id, w.priority(id));
        }
        solo.ready.set_idle(idle);
        w.set_heir(seat, runs.unwrap_or(idle));
        solo.cpu.set(cpu.index());
        solo.since.set(w.ticks());
        solo.seat.set(Some(seat));
        self.closed = self.closed.with(cpu);
    }
}
