//! Owns: units of which each runs on one processor only, its home, and the switches between them.
//! Must never know: how a unit comes to its home, or when it may run there.

use super::list::Place;
use super::{Requests, State, linked, record};
use crate::Cpu;
use crate::vcpu::{Effects, Vcpu, table};

/// A unit's record in the caller's table.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub(crate) state: State,
    /// The one processor that it may run on; none while it has none.
    pub(crate) home: Option<Cpu>,
    /// Where it runs.
    pub(crate) running: Option<Cpu>,
    /// The processor that it had last.
    pub(crate) last: Option<Cpu>,
    pub(crate) links: [Place; 1],
}

impl Unit {
    /// A record that is not in use.
    pub const EMPTY: Self = Self {
        state: State::OUT,
        home: None,
        running: None,
        last: None,
        links: [Place::OUT; 1],
    };
}

record!(Unit);
linked!(Unit, u16);

/// The units of a pool, each at its home.
#[derive(Debug)]
pub(crate) struct Homes<'a> {
    pub(crate) units: &'a mut [Unit],
    pub(crate) requests: Requests,
    pub(crate) current: [Option<Vcpu>; Cpu::COUNT],
}

impl<'a> Homes<'a> {
    /// A pool without processors and units.
    pub(crate) fn new(units: &'a mut [Unit]) -> Self {
        Self {
            units: table(units, usize::MAX),
            requests: Requests::NONE,
            current: [None; Cpu::COUNT],
        }
    }

    /// The home of `vcpu`.
    pub(crate) fn processor_of(&self, vcpu: Vcpu) -> Option<Cpu> {
        self.units.get(vcpu.index())?.home
    }

    /// `vcpu` has woken: its home schedules, unless it still runs.
    #[inline(always)]
    pub(crate) fn woken(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        let unit = &self.units[vcpu.index()];
        if let (Some(cpu), None) = (unit.home, unit.running) {
            self.requests.tickle(cpu, fx);
        }
    }

    /// `vcpu` sleeps: the processor on which it runs schedules.
    #[inline(always)]
    pub(crate) fn slept(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        if let Some(cpu) = self.units[vcpu.index()].running {
            self.requests.tickle(cpu, fx);
        }
    }

    /// `vcpu` is saved: its home may run it now.
    #[inline(always)]
    pub(crate) fn saved(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        let unit = &self.units[vcpu.index()];
        if let (Some(cpu), true) = (unit.home, unit.state.awake) {
            self.requests.tickle(cpu, fx);
        }
    }

    /// Whether `vcpu` can run on `cpu` now, if that is its home.
    #[inline(always)]
    pub(crate) fn is_ready(&self, vcpu: Vcpu, cpu: Cpu) -> bool {
        let unit = &self.units[vcpu.index()];
        let here = unit.running.is_none_or(|at| at == cpu);
        unit.state.awake && !unit.state.saving && here
    }

    /// Makes `next` what runs on `cpu`.
    #[inline(always)]
    pub(crate) fn switch(&mut self, cpu: Cpu, next: Option<Vcpu>) {
        let before = self.current[cpu.index()];
        if before == next {
            return;
        }
        if let Some(vcpu) = before {
            self.units[vcpu.index()].running = None;
            self.units[vcpu.index()].state.saving = true;
        }
        if let Some(vcpu) = next {
            self.units[vcpu.index()].running = Some(cpu);
        }
        self.current[cpu.index()] = next;
    }
}

/// Writes the [`Rules`](super::Rules) that schedulers with a field `homes` have in common.
macro_rules! at_home {
    () => {
        $crate::vcpu::kit::parts!(Unit: homes.units, homes.requests.cpus, homes.requests.steps);

        fn chosen(&self, cpu: Cpu) -> Option<Vcpu> {
            self.homes.current[cpu.index()]
        }

        fn is_chosen(&self, _: Vcpu, unit: &Unit) -> bool {
            unit.running.is_some()
        }

        fn woken(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
            self.homes.woken(vcpu, fx);
        }

        fn slept(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
            self.homes.slept(vcpu, fx);
        }

        fn saved(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
            self.homes.saved(vcpu, fx);
        }
    };
}

pub(crate) use at_home;
