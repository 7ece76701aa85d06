//! Owns: threads that stay on the processor that they execute on (spec 01, 3.2). Must never know: why they want to.

use super::System;
use crate::{
    Cpu, CpuSet,
    smp::{
        Effects, Error, Thread,
        thread::{Presence, ThreadRecord},
    },
};
use taktos_time::Instant;

impl System<'_> {
    /// `thread` shall stay on the processor on which it executes. Pins nest. It takes effect with that processor's next
    /// dispatch: nothing needs to be done before. A fixed number of steps.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it executes nowhere; [`Error::NotDefined`]: the instance of that
    /// processor cannot pin, see [`PolicyKind::can_pin`](crate::smp::PolicyKind::can_pin); [`Error::TooMany`]: more than
    /// 65,535 pins.
    pub fn pin(&mut self, thread: Thread) -> Result<(), Error> {
        let id = self.known(thread)?;
        let live_on = self.thread(id).live_on;
        if live_on == ThreadRecord::NOWHERE {
            return Err(Error::IncorrectState);
        }
        if self.add_pin(id, Cpu::masked(live_on))? {
            self.count_pin(id, true);
        }
        Ok(())
    }

    /// The thread `id` has one more pin to `cpu`, or will have: whether it is the first one.
    fn add_pin(&mut self, id: u16, cpu: Cpu) -> Result<bool, Error> {
        if !self.can_pin(cpu) {
            return Err(Error::NotDefined);
        }
        let pins = &mut self.thread_mut(id).pins;
        *pins = pins.checked_add(1).ok_or(Error::TooMany)?;
        Ok(*pins == 1)
    }

    /// [`System::pin`] of a thread of an instance that is closed, on whose processor `cpu` it executes: at once.
    ///
    /// # Errors
    /// Those of [`System::pin`], but that of a thread that executes nowhere.
    pub(crate) fn pin_on(
        &mut self,
        thread: Thread,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.add_pin(id, cpu)? {
            let record = self.thread_mut(id);
            record.pinned_to = cpu.index() as u8;
            let home = record.home;
            self.rebind(home, id, CpuSet::of(cpu), now, effects);
        }
        Ok(())
    }

    /// [`System::pin`] of a thread that is helped on `cpu`, which is of another instance than its
    /// own: both instances are closed, and lend until that is over.
    ///
    /// # Errors
    /// Those of [`System::pin`], but that of a thread that executes nowhere.
    pub(crate) fn pin_abroad(&mut self, thread: Thread, cpu: Cpu) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.add_pin(id, cpu)? {
            self.count_pin(id, true);
            self.count_host(cpu, 1);
            self.set_loan(thread, |loan| loan.pinned = Some(cpu));
        }
        Ok(())
    }

    /// Whether `thread` is pinned once.
    pub(crate) fn is_last_pin(&self, thread: Thread) -> bool {
        self.known(thread).is_ok_and(|id| self.thread(id).pins == 1)
    }

    /// Seats have `thread` stay in another instance no longer, if they did: the pin itself is the
    /// tables' business.
    pub(crate) fn forget_pin_abroad(&mut self, thread: Thread) {
        if let Some(cpu) = self.loan(thread).pinned {
            self.set_loan(thread, |loan| loan.pinned = None);
            self.count_host(cpu, -1);
        }
    }

    /// The instance of `cpu` has one more thread pinned there that is at home elsewhere, or one
    /// less.
    fn count_host(&mut self, cpu: Cpu, change: i32) {
        let owner = self.processors[cpu.index()].owner;
        if let Some(host) = self.instances.get_mut(owner as usize) {
            host.involved = host.involved.wrapping_add_signed(change);
        }
    }

    /// The pin of `id`, if it spans instances, counts for those that it concerns, or does no longer.
    pub(super) fn count_pin(&mut self, id: u16, counts: bool) {
        if !self.pin_spans(id) {
            return;
        }
        let record = self.thread(id);
        let (home, first) = (record.home, record.first);
        let other = (first != home).then_some(first);
        for instance in [Some(home), other].into_iter().flatten() {
            let involved = &mut self.instances[instance as usize].involved;
            *involved = involved.wrapping_add_signed(if counts { 1 } else { -1 });
        }
    }

    /// Whether `id` is pinned to a processor of another instance, or not yet.
    pub(super) fn pin_spans(&self, id: u16) -> bool {
        let record = self.thread(id);
        let at_home = record.pinned_to != ThreadRecord::NOWHERE && record.first == record.home;
        record.pins > 0 && !at_home
    }

    // On the only processor there is, every thread is pinned.
    fn can_pin(&self, cpu: Cpu) -> bool {
        let owner = self.processors[cpu.index()].owner;
        let kind = self.instances.get(owner as usize).map(|i| i.kind);
        kind.is_some_and(|kind| kind.can_pin()) || self.online.count() == 1
    }

    /// Takes one pin back. With the last one the thread returns to its home instance and its affinity, behind its equals.
    /// Bounds: those of [`System::block`] and [`System::unblock`] together.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it is not pinned.
    pub fn unpin(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        self.count_pin(id, false);
        let record = self.thread_mut(id);
        let pins = record.pins.checked_sub(1);
        record.pins = pins.unwrap_or_default();
        self.count_pin(id, true);
        pins.ok_or(Error::IncorrectState)?;
        let record = self.thread(id);
        if record.pins > 0 || record.pinned_to == ThreadRecord::NOWHERE {
            return Ok(());
        }
        let (first, home, affinity) = (record.first, record.home, record.affinity);
        let ready = record.presence != Presence::Blocked;
        if ready {
            self.make_blocked(id, now, effects);
        }
        let mask = if first == home { affinity } else { CpuSet::ALL };
        self.rebind(first, id, mask, now, effects);
        let record = self.thread_mut(id);
        record.first = home;
        record.pinned_to = ThreadRecord::NOWHERE;
        if first != home {
            self.rebind(home, id, affinity, now, effects);
        }
        if ready {
            self.make_unblocked(id, now, effects);
        }
        Ok(())
    }

    /// The thread that executes on `cpu` is pinned there from now on, if it wants to be and is not yet.
    #[inline]
    pub(crate) fn apply_pin(
        &mut self,
        cpu: Cpu,
        id: u16,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let record = self.thread(id);
        if record.pins > 0 && record.pinned_to == ThreadRecord::NOWHERE {
            self.pin_to(cpu, id, now, effects);
        }
    }

    fn pin_to(&mut self, cpu: Cpu, id: u16, now: Instant, effects: &mut impl Effects) {
        let owner = self.processors[cpu.index()].owner;
        // A processor that was taken away meanwhile cannot keep it, nor one of an instance that the thread has left: it is
        // pinned where it goes.
        if owner as usize >= self.instances.len() || !self.can_pin(cpu) {
            return;
        }
        if owner != self.thread(id).home && self.node(owner, id).helps == 0 {
            return;
        }
        let ready = self.thread(id).presence != Presence::Blocked;
        if ready {
            self.make_blocked(id, now, effects);
        }
        self.count_pin(id, false);
        self.thread_mut(id).first = owner;
        self.rebind(owner, id, CpuSet::of(cpu), now, effects);
        self.thread_mut(id).pinned_to = cpu.index() as u8;
        self.count_pin(id, true);
        if ready {
            self.make_unblocked(id, now, effects);
        }
    }
}
