//! Owns: the checks and the book-keeping that each event of a [`Policy`] begins with.
//! Must never know: the decisions that follow: a scheduler's [`Rules`] make them.

use super::{Affinity, Record, State, Steps, laws};
use crate::vcpu::{
    Admission, Choice, Domain, Effects, Error, PLAIN, Policy, Timer, Vcpu, Violation,
};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

/// Names the parts of a scheduler that its pool is kept in: the table of units, the processors, and
/// the count of steps.
macro_rules! parts {
    ($unit:ty: $($units:ident).+, $($cpus:ident).+, $($steps:ident).+) => {
        type Unit = $unit;

        #[inline(always)]
        fn parts(&self) -> (&[$unit], $crate::CpuSet) {
            (self.$($units).+, self.$($cpus).+)
        }

        #[inline(always)]
        fn parts_mut(&mut self) -> (&mut [$unit], &mut $crate::vcpu::kit::Steps) {
            (self.$($units).+, &mut self.$($steps).+)
        }
    };
}

pub(crate) use parts;

/// The rules of a scheduler: its decision at each event, which is possible and which the unit's
/// [`State`] has followed. A type with such rules is a [`Policy`].
pub(crate) trait Rules {
    /// Its record of a unit.
    type Unit: Record;

    /// Whether a processor may join again before the unit that ran on it is taken off.
    const JOINS_BUSY: bool = false;

    /// The table of units, and the processors of the pool.
    fn parts(&self) -> (&[Self::Unit], CpuSet);

    /// The table of units, and the count of steps.
    fn parts_mut(&mut self) -> (&mut [Self::Unit], &mut Steps);

    /// The unit that `cpu` chose last.
    fn chosen(&self, cpu: Cpu) -> Option<Vcpu>;

    /// Whether `vcpu`, which has the record `unit`, is what its processor chose last.
    fn is_chosen(&self, vcpu: Vcpu, unit: &Self::Unit) -> bool;

    /// Whether there is a record for `domain`.
    fn has_domain(&self, _domain: Domain) -> bool {
        true
    }

    /// `cpu` joins. Refused if there is no room for it.
    fn join(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error>;

    /// `cpu` has joined, and the units have been reviewed.
    fn joined(&mut self, _cpu: Cpu, _fx: &mut impl Effects) {}

    /// `cpu` leaves.
    fn leave(&mut self, cpu: Cpu, fx: &mut impl Effects);

    /// `cpu` has left, and the units have been reviewed.
    fn left(&mut self, _cpu: Cpu, _now: Instant, _fx: &mut impl Effects) {}

    /// Adapts to a change of the pool.
    fn review(&mut self, now: Instant, fx: &mut impl Effects) {
        for index in 0..self.parts().0.len() {
            let (units, steps) = self.parts_mut();
            steps.one();
            if units[index].state().present {
                self.settle(Vcpu::new(index as u16), now, fx);
            }
        }
    }

    /// Moves `vcpu` off a processor that it may not use.
    fn settle(&mut self, _vcpu: Vcpu, _now: Instant, _fx: &mut impl Effects) {}

    /// `vcpu` comes in: its record begins with [`State::entering`].
    fn enter(&mut self, vcpu: Vcpu, admission: Admission, now: Instant, fx: &mut impl Effects);

    /// `vcpu` has left the pool.
    fn exit(&mut self, _vcpu: Vcpu, _now: Instant, _fx: &mut impl Effects) {}

    /// `vcpu`, which was asleep, is awake.
    fn woken(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects);

    /// `vcpu`, which was awake, is asleep.
    fn slept(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects);

    /// `vcpu`, which is running, lets others go first once.
    fn yielded(&mut self, _vcpu: Vcpu, _fx: &mut impl Effects) {}

    /// `vcpu` has another affinity.
    fn confined(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        self.settle(vcpu, now, fx);
    }

    /// As [`Policy::schedule`].
    fn choose(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice;

    /// The registers of `vcpu` are saved; its state does not say so yet.
    fn saving(&mut self, _vcpu: Vcpu, _now: Instant, _fx: &mut impl Effects) {}

    /// The registers of `vcpu` are saved.
    fn saved(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects);

    /// `timer` has gone off.
    fn expired(&mut self, _timer: Timer, _now: Instant, _fx: &mut impl Effects) {}

    /// As [`Policy::supply`].
    fn supplied(&self, _vcpu: Vcpu, at: Instant, _now: Instant) -> Instant {
        at
    }

    /// Checks the scheduler's own invariants.
    fn check(&self) -> Result<(), Violation>;

    /// The record of `vcpu`, if that is in the pool.
    #[inline(always)]
    fn unit(&self, vcpu: Vcpu) -> Option<&Self::Unit> {
        let unit = self.parts().0.get(vcpu.index());
        unit.filter(|unit| unit.state().present)
    }

    /// The record of `vcpu`, to be changed, if that is in the pool.
    #[inline(always)]
    fn unit_mut(&mut self, vcpu: Vcpu) -> Option<&mut Self::Unit> {
        let unit = self.parts_mut().0.get_mut(vcpu.index());
        unit.filter(|unit| unit.state().present)
    }

    /// Where `vcpu` may run now.
    #[inline(always)]
    fn allowed(&self, vcpu: Vcpu) -> CpuSet {
        let (units, cpus) = self.parts();
        units[vcpu.index()].state().affinity.allowed(cpus)
    }
}

impl<R: Rules> Policy for R {
    fn add_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let busy = !Self::JOINS_BUSY && self.chosen(cpu).is_some();
        if busy || self.parts().1.contains(cpu) {
            return Err(Error::CpuPresent(cpu));
        }
        self.join(cpu, now, fx)?;
        if !PLAIN {
            self.review(now, fx);
        }
        self.joined(cpu, fx);
        Ok(())
    }

    fn remove_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let (units, cpus) = self.parts();
        if !cpus.contains(cpu) {
            return Err(Error::CpuAbsent(cpu));
        }
        if cpus == CpuSet::of(cpu) && units.iter().any(|unit| unit.state().present) {
            return Err(Error::LastCpu(cpu));
        }
        self.leave(cpu, fx);
        self.review(now, fx);
        self.left(cpu, now, fx);
        Ok(())
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let (units, cpus) = self.parts();
        let unit = units.get(vcpu.index()).ok_or(Error::NoRecord(vcpu))?;
        if !self.has_domain(admission.domain) {
            return Err(Error::NoDomain(admission.domain));
        }
        if unit.state().present {
            return Err(Error::Present(vcpu));
        }
        if cpus.is_empty() {
            return Err(Error::NoCpu);
        }
        self.enter(vcpu, admission, now, fx);
        Ok(())
    }

    fn remove(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let unit = self.unit(vcpu).ok_or(Error::Absent(vcpu))?;
        let State { awake, saving, .. } = *unit.state();
        if awake || saving || self.is_chosen(vcpu, unit) {
            return Err(Error::Busy(vcpu));
        }
        let (units, _) = self.parts_mut();
        units[vcpu.index()].state_mut().present = false;
        self.exit(vcpu, now, fx);
        Ok(())
    }

    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        if let Some(unit) = self.unit_mut(vcpu).filter(|unit| !unit.state().awake) {
            unit.state_mut().awake = true;
            self.woken(vcpu, now, fx);
        }
    }

    fn sleep(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        if let Some(unit) = self.unit_mut(vcpu).filter(|unit| unit.state().awake) {
            unit.state_mut().awake = false;
            self.slept(vcpu, now, fx);
        }
    }

    fn yield_now(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let unit = self.unit(vcpu);
        if unit.is_some_and(|unit| self.is_chosen(vcpu, unit)) {
            self.yielded(vcpu, fx);
        }
    }

    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        soft: CpuSet,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let unit = self.unit_mut(vcpu).ok_or(Error::Absent(vcpu))?;
        unit.state_mut().affinity = Affinity { hard, soft };
        self.confined(vcpu, now, fx);
        Ok(())
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
        self.choose(cpu, now, work, fx)
    }

    fn context_saved(&mut self, _: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        if self.unit(vcpu).is_some_and(|unit| unit.state().saving) {
            self.saving(vcpu, now, fx);
            let (units, _) = self.parts_mut();
            units[vcpu.index()].state_mut().saving = false;
            self.saved(vcpu, now, fx);
        }
    }

    fn timer(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        self.expired(timer, now, fx);
    }

    fn supply(&self, vcpu: Vcpu, at: Instant, now: Instant) -> Instant {
        self.supplied(vcpu, at, now)
    }

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        self.chosen(cpu)
    }

    fn cpus(&self) -> CpuSet {
        self.parts().1
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        let is_running = |&index: &usize| {
            let vcpu = Vcpu::new(index as u16);
            (self.unit(vcpu)).is_some_and(|unit| self.is_chosen(vcpu, unit))
        };
        let chosen = (0..Cpu::COUNT)
            .filter_map(Cpu::new)
            .filter_map(|cpu| self.chosen(cpu));
        let known = chosen.clone().all(|vcpu| is_running(&vcpu.index()));
        let running = (0..self.parts().0.len()).filter(is_running);
        laws!(None, None;
            known && running.count() == chosen.count()
                => "a unit runs on one processor, and that one knows it",
        );
        self.check()
    }
}
