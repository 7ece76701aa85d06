//! Models of policies that are slow and plain: they keep no order, but sort everything at every
//! event. And the harness that runs one together with the real thing.

pub mod rtds;
pub mod sedf;

use crate::world::PendingEffects;
use taktos_schedule::vcpu::{Admission, Choice, Effects, Error, Policy, Timer, Vcpu, Violation};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

/// Two policies side by side: both have to give the same results and make the same requests.
pub struct Lockstep<A, B> {
    pub real: A,
    pub naive: B,
}

impl<A: Policy, B: Policy> Lockstep<A, B> {
    fn both<R: PartialEq + std::fmt::Debug>(
        &mut self,
        fx: &mut impl Effects,
        real: impl FnOnce(&mut A, &mut PendingEffects) -> R,
        naive: impl FnOnce(&mut B, &mut PendingEffects) -> R,
        what: &str,
    ) -> R {
        let (mut wishes, mut expected) = (PendingEffects::default(), PendingEffects::default());
        let result = real(&mut self.real, &mut wishes);
        assert_eq!(result, naive(&mut self.naive, &mut expected), "{what}");
        assert_eq!(wishes.tickles, expected.tickles, "{what}");
        // Of several settings of a timer the last counts.
        assert_eq!(last(&wishes), last(&expected), "{what}");
        for &cpu in &wishes.tickles {
            fx.tickle(cpu);
        }
        for &(timer, at) in &wishes.timers {
            fx.arm(timer, at);
        }
        result
    }
}

fn last(wishes: &PendingEffects) -> Option<(Timer, Option<Instant>)> {
    wishes.timers.last().copied()
}

macro_rules! both {
    ($self:ident, $fx:ident, $name:ident($($argument:expr),*)) => {
        $self.both(
            $fx,
            |p, fx| p.$name($($argument,)* fx),
            |p, fx| p.$name($($argument,)* fx),
            stringify!($name),
        )
    };
}

impl<A: Policy, B: Policy> Policy for Lockstep<A, B> {
    fn add_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        both!(self, fx, add_cpu(cpu, now))
    }

    fn remove_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        both!(self, fx, remove_cpu(cpu, now))
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        both!(self, fx, insert(vcpu, admission, now))
    }

    fn remove(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        both!(self, fx, remove(vcpu, now))
    }

    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        both!(self, fx, wake(vcpu, now))
    }

    fn sleep(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        both!(self, fx, sleep(vcpu, now))
    }

    fn yield_now(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        both!(self, fx, yield_now(vcpu, now))
    }

    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        soft: CpuSet,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        both!(self, fx, set_affinity(vcpu, hard, soft, now))
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
        both!(self, fx, schedule(cpu, now, work))
    }

    fn context_saved(&mut self, cpu: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        both!(self, fx, context_saved(cpu, vcpu, now))
    }

    fn timer(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        both!(self, fx, timer(timer, now))
    }

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        self.real.current(cpu)
    }

    fn cpus(&self) -> CpuSet {
        self.real.cpus()
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        self.real.check_invariants()
    }
}
