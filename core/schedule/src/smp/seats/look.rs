//! Owns: what is seen of all instances at once. Must never know: how their seats are given.

use super::loans::lent;
use super::router::executing;
use super::{Decider, Home, Ready, Router, Rows};
use crate::Cpu;
use crate::smp::system::Executing;
use crate::smp::{Error, Instance, Priority, System, Thread};

/// The decisions about threads and processors, until the next act. For tests and tools.
pub trait Sight {
    /// The rows: what they say of homes, affinities, pins, locks, and priorities at home is true
    /// of all threads; the rest these methods say.
    fn system(&self) -> &System<'_>;

    /// Returns the thread that shall run on `cpu`: also an idle one; none if it is not online.
    fn heir(&self, cpu: Cpu) -> Option<Thread>;

    /// Returns the thread that has its registers on `cpu`; none if it is not online, if it waits
    /// for those of its heir, or if the thread does not exist any more.
    fn executing(&self, cpu: Cpu) -> Option<Thread>;

    /// Visits those that have the processors of `instance`, by urgency, with the processor that
    /// each has. An idle thread may run in place of the thread named. Idle threads are visited too,
    /// last.
    fn for_each_scheduled(&self, instance: Instance, visit: &mut dyn FnMut(Thread, Cpu));

    /// Visits those that are ready in `instance` and have no processor there, by urgency.
    fn for_each_ready(&self, instance: Instance, visit: &mut dyn FnMut(Thread));

    /// Returns the priority of `thread` in `instance`. Locks count, and so does the priority at
    /// which it would run there in place of its waiters, if it lost the seat that it has. As many
    /// steps as there are threads.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    fn priority_in(&self, thread: Thread, instance: Instance) -> Result<Priority, Error> {
        let system = self.system();
        let (mut priority, mut from) = (system.priority_in(thread, instance)?, 0);
        while let Some(waiter) = system.seated_waiter(thread, from) {
            from = waiter.index() + 1;
            if system.scheduler(waiter)? == instance {
                priority = priority.min(system.priority_in(waiter, instance)?);
            }
        }
        Ok(priority)
    }

    /// Returns the processor that has `thread` as its heir. Not for idle threads. As many steps as
    /// processors.
    fn processor_of(&self, thread: Thread) -> Option<Cpu> {
        let mut all = self.system().online().into_iter();
        all.find(|cpu| self.heir(*cpu) == Some(thread))
    }

    /// The processor that has the registers of `thread`. Not for idle threads. As many steps as
    /// processors.
    fn executes_on(&self, thread: Thread) -> Option<Cpu> {
        let mut all = self.system().online().into_iter();
        all.find(|cpu| self.executing(*cpu) == Some(thread))
    }
}

/// A [`Router`] that is read.
struct Seen<'l, 'a, W: Rows, Q: Ready<W::Id>, const N: usize> {
    router: &'l Router<'a, W::Id, W::Seat, Q, N>,
    w: &'l W,
}

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Router<'a, Id, Seat, Q, N> {
    /// A sight of what is decided. Nothing changes but the rows of threads, which are brought up to
    /// date: as many steps as there are threads.
    pub fn look<'l, W: Rows<Id = Id, Seat = Seat>>(
        &'l mut self,
        w: &'l W,
    ) -> impl Sight + use<'l, 'a, W, Id, Seat, Q, N> {
        for row in self.system.rows() {
            if let Some(id) = w.thread(row) {
                self.look_up(w, id);
            }
        }
        Seen { router: self, w }
    }

    /// The decider of `instance`, watched or not.
    pub(super) fn seats_of(&self, instance: Instance) -> Option<Decider<'a, Id, Seat, Q, N>> {
        Some(self.home(instance)?.decider())
    }
}

impl<'a, W: Rows, Q: Ready<W::Id>, const N: usize> Seen<'_, 'a, W, Q, N> {
    /// The decider about `cpu`, where seats decide.
    fn seats_at(&self, cpu: Cpu) -> Option<Decider<'a, W::Id, W::Seat, Q, N>> {
        let instance = self.router.system.instance_of_cpu(cpu).ok()?;
        self.router.seats_of(instance)
    }

    /// Whether `cpu`, which idles, has looked, and is to idle until its heir's registers come.
    fn waits_for_registers(&self, cpu: Cpu) -> bool {
        self.user(cpu).is_some() && !self.w.is_due(self.w.seat(cpu.index()))
    }

    /// The thread that is to run on `cpu`, about which seats decide; none for an idle thread.
    fn user(&self, cpu: Cpu) -> Option<W::Id> {
        let seats = self.seats_at(cpu)?;
        match self.router.home_of(cpu).is_some_and(Home::lends) {
            true => self.router.told_user(self.w, cpu),
            false => seats.owner(self.w, cpu.index()),
        }
    }

    /// Returns the owner of the seat of `cpu`, which lends, if that is ready and another one, or
    /// none, is to run there.
    fn ready_owner(&self, cpu: Cpu) -> Option<Thread> {
        let owner = self.router.seat_owner(self.w, cpu)?;
        let is_lent = self.user(cpu) != Some(owner) && self.router.is_ready(self.w, owner);
        self.w.row(owner).filter(|_| is_lent)
    }

    /// Returns the owner of the seat of `cpu`, which lends, if that runs elsewhere, and no thread
    /// here.
    fn idle_owner(&self, cpu: Cpu) -> Option<Thread> {
        self.ready_owner(cpu).filter(|_| self.user(cpu).is_none())
    }

    /// The owner of the seat of `cpu`, which lends, where that spins and another one uses it.
    fn owner_of_used(&self, cpu: Cpu) -> Option<Thread> {
        self.ready_owner(cpu).filter(|_| self.user(cpu).is_some())
    }
}

impl<W: Rows, Q: Ready<W::Id>, const N: usize> Sight for Seen<'_, '_, W, Q, N> {
    fn system(&self) -> &System<'_> {
        &self.router.system
    }

    fn heir(&self, cpu: Cpu) -> Option<Thread> {
        let owner = self.user(cpu);
        let owner = owner.and_then(|owner| self.w.row(owner));
        owner.or_else(|| self.system().idle_of(cpu))
    }

    fn executing(&self, cpu: Cpu) -> Option<Thread> {
        let system = self.system();
        if !system.online().contains(cpu) {
            return None;
        }
        match executing(self.w, cpu) {
            Executing::Idle if self.waits_for_registers(cpu) => None,
            Executing::Idle => system.idle_of(cpu),
            Executing::Thread(row) => Some(row),
            Executing::Nobody => None,
        }
    }

    fn for_each_scheduled(&self, instance: Instance, visit: &mut dyn FnMut(Thread, Cpu)) {
        let system = self.system();
        let Some(seats) = self.router.seats_of(instance) else {
            return;
        };
        if let Some(home) = self.router.home(instance).filter(|home| home.lends()) {
            return seats.for_each_seat(&lent(home, self.w), |cpu, _| {
                // An owner that runs elsewhere keeps its seat.
                let cpu = Cpu::masked(cpu as u8);
                let owner = || self.idle_owner(cpu);
                if let Some(row) = owner().or_else(|| self.heir(cpu)) {
                    visit(row, cpu);
                }
            });
        }
        seats.for_each_seat(self.w, |cpu, owner| {
            let cpu = Cpu::masked(cpu as u8);
            let owner = owner.and_then(|owner| self.w.row(owner));
            if let Some(row) = owner.or_else(|| system.idle_of(cpu)) {
                visit(row, cpu);
            }
        });
    }

    fn for_each_ready(&self, instance: Instance, visit: &mut dyn FnMut(Thread)) {
        let Some(seats) = self.router.seats_of(instance) else {
            return;
        };
        if self.router.lends(instance) {
            for cpu in self.system().processors(instance).unwrap_or_default() {
                if let Some(spinner) = self.owner_of_used(cpu) {
                    visit(spinner);
                }
            }
            return self.router.for_each_standing(self.w, instance, visit);
        }
        seats.for_each(self.w, |id| {
            let waits = seats.seat_of(self.w, id).is_none();
            if let Some(row) = self.w.row(id).filter(|_| waits) {
                visit(row);
            }
        });
    }
}
