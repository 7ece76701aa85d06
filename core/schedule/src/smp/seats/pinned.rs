//! Owns: threads that pin themselves to a processor of another instance, while they are helped
//! there: they run by its seat until they are pinned no more. Must never know: why a lock has the
//! owner that it has.
//!
//! Such a thread is no longer among the ready ones of its home. While others wait for it, it runs
//! by the seat of its lender in that instance, which is bound to that very processor meanwhile.
//! Otherwise it runs while the seat is free, after all that are at home there.

use super::loans::{enter, lent};
use super::{Home, Place, Ready, Router, Rows};
use crate::smp::{Error, Thread};
use crate::{Cpu, CpuSet};

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Router<'a, Id, Seat, Q, N> {
    /// The home of `cpu`, on which `id` runs, if that is at home elsewhere.
    pub(super) fn pins_abroad<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        id: Id,
        cpu: Cpu,
    ) -> Option<&'a Home<Id, Seat, Q, N>> {
        let host = self.home_of(cpu).filter(|host| host.lends())?;
        (!w.is_at_home(id, host.instance())).then_some(host)
    }

    /// Makes the thread `id` of `row` stay on `cpu`, of `host`: its lender there comes in again.
    pub(super) fn pin_abroad<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        (row, id): (Thread, Id),
        host: &'a Home<Id, Seat, Q, N>,
        cpu: Cpu,
    ) -> Result<(), Error> {
        self.look_up(w, id);
        self.system.pin_abroad(row, cpu)?;
        let lender = self.system.lender(row, host.instance());
        let stands = |lender: &Thread| self.system.loan(*lender).stands_for == Some(row);
        if let Some(lender) = lender.filter(stands) {
            self.stand_down_bound(w, lender);
        }
        Ok(())
    }

    /// Prepares for the thread `id` of `row`, which is pinned abroad, to take a pin back: with the
    /// last one it comes back to its home, after its equals.
    pub(super) fn unpin_abroad<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        row: Thread,
        id: Id,
    ) {
        let (loan, home) = (self.system.loan(row), self.home_of_row(row));
        let (Some(cpu), Some(home), true) = (loan.pinned, home, self.system.is_last_pin(row))
        else {
            return;
        };
        let host = self.system.instance_of_cpu(cpu).ok();
        if let Some(lender) = host.and_then(|host| self.system.lender(row, host)) {
            self.stand_down_bound(w, lender);
        }
        self.system.forget_pin_abroad(row);
        self.system.set_loan(row, |loan| {
            loan.is_away = false;
            loan.uses = None;
        });
        if loan.is_away && self.is_ready(w, id) {
            enter(home, w, id, Place::Last);
        }
    }

    /// Stops the thread of `row` from representing one that is pinned abroad, if it does and is
    /// bound for that.
    pub(super) fn stand_down_bound<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W, row: Thread) {
        let end = self.system.loan(row).stands_for;
        if end.is_some_and(|end| self.system.loan(end).pinned.is_some())
            && let (Some(home), Some(id)) = (self.home_of_row(row), w.thread(row))
        {
            self.stand_down(w, home, row, id);
        }
    }

    /// The thread `id` of `row`, at home in `home` and in no ring, is bound to the processor to
    /// which its end is `pinned`, or may run where it may by itself.
    pub(super) fn bind_lender<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        (row, id): (Thread, Id),
        pinned: Option<Cpu>,
    ) {
        let cpus = pinned.or(self.system.pinned_to(row)).map(CpuSet::of);
        let cpus = cpus.unwrap_or_else(|| self.system.affinity(row).unwrap_or(CpuSet::ALL));
        home.bind(w, id, cpus);
        home.part_seats(w, id);
    }

    /// Makes `id`, which is pinned abroad, ready: at `home` it represents neither another thread
    /// nor itself.
    pub(super) fn enters_abroad<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        id: Id,
    ) {
        if let Some(row) = w.row(id) {
            self.stands_for_itself(w, home, row, id);
            self.system.set_loan(row, |loan| loan.is_away = true);
        }
    }

    /// Lets `end`, the thread `id`, which is pinned to `cpu` and for which no thread has the seat
    /// there, use it while it is free, unless another one does.
    pub(super) fn takes_free_seat<W: Rows<Id = Id, Seat = Seat>>(
        &mut self,
        w: &W,
        end: Thread,
        id: Id,
        cpu: Cpu,
    ) {
        let Some(host) = self.home_of(cpu).filter(|host| host.lends()) else {
            return;
        };
        let lent = lent(host, w);
        let seat = lent.at(cpu.index());
        let uses = |row| self.system.loan(row).uses == Some(cpu);
        let is_used = seat
            .guest
            .get()
            .and_then(|guest| w.row(guest))
            .is_some_and(uses);
        if seat.owner.get().is_none() && !is_used {
            seat.guest.set(Some(id));
            self.system.set_loan(end, |loan| loan.uses = Some(cpu));
        }
    }
}
