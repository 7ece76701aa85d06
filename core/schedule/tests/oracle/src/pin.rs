//! Owns: threads that stay on the processor that they execute on (spec 01, 3.2). Must never know:
//! why they want to.

use crate::Effects;
use crate::System;
use crate::rows::Order;
use taktos_schedule::smp::{Error, Thread};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

impl System {
    /// `thread` shall stay on the processor on which it executes. Pins nest. It takes effect with
    /// that processor's next dispatch: nothing needs to be done before.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it executes nowhere; [`Error::NotDefined`]:
    /// the instance of that processor cannot pin; [`Error::TooMany`]: more than 65,535 pins.
    pub fn pin(&mut self, thread: Thread) -> Result<(), Error> {
        let id = self.known(thread)?;
        let cpu = self.threads[id].live_on.ok_or(Error::IncorrectState)?;
        if !self.can_pin(cpu) {
            return Err(Error::NotDefined);
        }
        let pins = &mut self.threads[id].pins;
        *pins = pins.checked_add(1).ok_or(Error::TooMany)?;
        Ok(())
    }

    // On the only processor there is, every thread is pinned.
    fn can_pin(&self, cpu: Cpu) -> bool {
        let owner = self.processor(cpu).owner;
        owner.is_some_and(|owner| self.instances[owner].kind.can_pin()) || self.online.count() == 1
    }

    /// Takes one pin back. With the last one the thread returns to its home instance and its
    /// affinity, after its equals.
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
        let record = &mut self.threads[id];
        record.pins = record.pins.checked_sub(1).ok_or(Error::IncorrectState)?;
        if record.pins == 0 && record.pinned_to.is_some() {
            self.at(now, effects, |system| system.return_home(id));
        }
        Ok(())
    }

    fn return_home(&mut self, id: usize) {
        let record = &self.threads[id];
        let (first, home, affinity) = (record.first, record.home, record.affinity);
        let ready = !self.is_blocked(id);
        if ready {
            self.make_blocked(id);
        }
        let mask = if first == home { affinity } else { CpuSet::ALL };
        self.rebind(first, id, mask);
        let record = &mut self.threads[id];
        record.first = home;
        record.pinned_to = None;
        if first != home {
            self.rebind(home, id, affinity);
        }
        if ready {
            self.make_ready(id, Order::Append);
        }
    }

    /// The thread that executes on `cpu` is pinned there from now on, if it wants to be and is not
    /// yet.
    pub(crate) fn apply_pin(&mut self, cpu: Cpu, id: usize) {
        let record = &self.threads[id];
        let wants = record.pins > 0 && record.pinned_to.is_none();
        // A processor that was taken away meanwhile cannot keep it, nor one of an instance that the
        // thread has left: it is pinned where it goes.
        let owner = self.processor(cpu).owner.filter(|_| self.can_pin(cpu));
        let Some(owner) = owner.filter(|owner| wants && self.takes_part(id, *owner)) else {
            return;
        };
        let ready = !self.is_blocked(id);
        if ready {
            self.make_blocked(id);
        }
        self.threads[id].first = owner;
        self.rebind(owner, id, CpuSet::of(cpu));
        self.threads[id].pinned_to = Some(cpu);
        if ready {
            self.make_ready(id, Order::Append);
        }
    }
}
