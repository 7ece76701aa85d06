//! Owns: which processors are notified of a unit that has come to wait.
//! Must never know: how they are notified.

use super::Credit;
use super::parameters::Kick;
use super::tables::Rank;
use crate::vcpu::Effects;
use crate::vcpu::kit::topology::next_in;
use crate::{Cpu, CpuSet};

impl Credit<'_> {
    /// Requests that `cpu` schedules; it is no idler any more, so no other unit tickles it.
    pub(super) fn poke(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        self.idlers = self.idlers.without(cpu);
        fx.tickle(cpu);
    }

    /// The class of what runs on `cpu`.
    fn rank_on(&self, cpu: Cpu) -> Rank {
        let current = self.processors[cpu.index()].current;
        current.map_or(Rank::Idle, |index| self.units[index as usize].rank)
    }

    /// Notifies a processor, or several, of unit `index`, which has come on its queue. A fixed
    /// number of steps, and one for each processor tickled.
    pub(super) fn tickle(&mut self, index: usize, fx: &mut impl Effects) {
        let unit = &self.units[index];
        let (own, rank) = (unit.cpu, unit.rank);
        let outranks = rank > self.rank_on(own);
        if self.idlers.contains(own) {
            self.poke(own, fx);
        } else if self.idlers.is_empty() || !self.modes().stealing {
            if outranks {
                self.poke(own, fx);
            }
        } else {
            self.tickle_idlers(index, outranks, fx);
        }
    }

    /// Some processor is idle, but not the unit's own.
    fn tickle_idlers(&mut self, index: usize, outranks: bool, fx: &mut impl Effects) {
        for mask in self.passes(index).into_iter().flatten() {
            let suitable = mask.and(self.idlers);
            if !suitable.is_empty() {
                return self.wake_idlers(suitable, fx);
            }
        }
        if outranks {
            let own = self.units[index].cpu;
            self.kick(index, own);
            self.poke(own, fx);
        }
    }

    fn wake_idlers(&mut self, suitable: CpuSet, fx: &mut impl Effects) {
        if !self.modes().tickle_one_idler {
            for cpu in suitable {
                self.poke(cpu, fx);
            }
        } else if let Some(cpu) = next_in(suitable, self.last_tickled) {
            self.last_tickled = cpu;
            self.poke(cpu, fx);
        }
    }

    /// The unit running on `cpu` makes room for `waking`; if an idle processor
    /// suits it, it goes there instead of back on the queue.
    fn kick(&mut self, waking: usize, cpu: Cpu) {
        let Some(current) = self.processors[cpu.index()].current.map(usize::from) else {
            return;
        };
        let asked = match self.modes().kick {
            Kick::PreemptedUnit => current,
            Kick::WakingUnit => waking,
        };
        if !self.allowed(asked).and(self.idlers).is_empty() {
            self.units[current].migrating = true;
        }
    }
}
