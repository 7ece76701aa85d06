//! Owns: pools with processors and units that stay: the pool of each, and the way of each event to
//! its scheduler. Must never know: the scheduling of a pool.
//!
//! [`Pools`](super::Pools) can move processors and units, and so brings the code by which they
//! leave each scheduler into an image, and into the way of each choice. A machine that keeps the
//! pools of its description does without.
//!
//! Effects are called by a table: so the schedulers are compiled in this crate, once, and as small
//! as the crate is to be.
//!
//! Bounds: a fixed number of steps in addition to the scheduler's.

use super::{AnyPolicy, Pool, PoolEffects, Routed};
use crate::vcpu::kit::laws;
use crate::vcpu::{Admission, Choice, Error, Policy, Timer, Vcpu, Violation};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

/// All pools of a machine in which nothing moves from one to another.
pub struct FixedPools<'p, 'a> {
    policies: &'p mut [AnyPolicy<'a>],
    /// The pool of each unit.
    homes: &'p mut [Option<Pool>],
    /// The pool of each processor.
    stations: [Option<Pool>; Cpu::COUNT],
}

impl<'p, 'a> FixedPools<'p, 'a> {
    /// A pool for each of `policies`, which are without processors and units.
    /// `homes` has a place for each unit there can be, by [`Vcpu::index`].
    pub fn new(policies: &'p mut [AnyPolicy<'a>], homes: &'p mut [Option<Pool>]) -> Self {
        homes.fill(None);
        Self {
            policies,
            homes,
            stations: [None; Cpu::COUNT],
        }
    }

    /// The scheduler of `pool`, to set its parameters. Events go through the pools.
    pub fn policy_mut(&mut self, pool: Pool) -> Option<&mut AnyPolicy<'a>> {
        self.policies.get_mut(pool.index())
    }

    /// Puts `cpu`, which is in no pool, into `pool`; no unit has come yet. Refused with
    /// [`Error::NoPool`], [`Error::CpuPresent`], [`Error::Present`] when there is a unit, and
    /// as the scheduler does.
    #[inline(never)]
    pub fn assign(
        &mut self,
        cpu: Cpu,
        pool: Pool,
        now: Instant,
        fx: &mut dyn PoolEffects,
    ) -> Result<(), Error> {
        let policy = self.policies.get_mut(pool.index());
        let policy = policy.ok_or(Error::NoPool(pool.index()))?;
        let station = &mut self.stations[cpu.index()];
        if station.is_some() {
            return Err(Error::CpuPresent(cpu));
        }
        if let Some(unit) = self.homes.iter().position(Option::is_some) {
            return Err(Error::Present(Vcpu::new(unit as u16)));
        }
        policy.add_cpu(cpu, now, &mut Routed { pool, fx })?;
        *station = Some(pool);
        Ok(())
    }

    /// `vcpu` comes into `pool`, asleep. All units of a domain belong in one pool. Refused with
    /// [`Error::NoPool`], [`Error::NoRecord`], [`Error::Present`], [`Error::Stranded`], and as
    /// the scheduler does.
    #[inline(never)]
    pub fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        pool: Pool,
        now: Instant,
        fx: &mut dyn PoolEffects,
    ) -> Result<(), Error> {
        let policy = self.policies.get_mut(pool.index());
        let policy = policy.ok_or(Error::NoPool(pool.index()))?;
        let home = self.homes.get_mut(vcpu.index());
        let home = home.ok_or(Error::NoRecord(vcpu))?;
        if home.is_some() {
            return Err(Error::Present(vcpu));
        }
        if admission.hard.and(policy.cpus()).is_empty() {
            return Err(Error::Stranded(vcpu));
        }
        policy.insert(vcpu, admission, now, &mut Routed { pool, fx })?;
        *home = Some(pool);
        Ok(())
    }

    /// The scheduler of `vcpu`, and its pool.
    fn policy_of(&mut self, vcpu: Vcpu) -> Option<(&mut AnyPolicy<'a>, Pool)> {
        let pool = (*self.homes.get(vcpu.index())?)?;
        Some((self.policies.get_mut(pool.index())?, pool))
    }

    /// `vcpu` is runnable from now on.
    #[inline(never)]
    pub fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut dyn PoolEffects) {
        if let Some((policy, pool)) = self.policy_of(vcpu) {
            policy.wake(vcpu, now, &mut Routed { pool, fx });
        }
    }

    /// `vcpu` is not runnable from now on.
    #[inline(never)]
    pub fn sleep(&mut self, vcpu: Vcpu, now: Instant, fx: &mut dyn PoolEffects) {
        if let Some((policy, pool)) = self.policy_of(vcpu) {
            policy.sleep(vcpu, now, &mut Routed { pool, fx });
        }
    }

    /// `vcpu`, which is running, lets others go first once.
    #[inline(never)]
    pub fn yield_now(&mut self, vcpu: Vcpu, now: Instant, fx: &mut dyn PoolEffects) {
        if let Some((policy, pool)) = self.policy_of(vcpu) {
            policy.yield_now(vcpu, now, &mut Routed { pool, fx });
        }
    }

    /// Chooses what `cpu` does next. A processor without pool idles. `work` is as in
    /// [`Policy::schedule`].
    #[inline(never)]
    pub fn schedule(
        &mut self,
        cpu: Cpu,
        now: Instant,
        work: bool,
        fx: &mut dyn PoolEffects,
    ) -> Choice {
        let Some(pool) = self.stations[cpu.index()] else {
            return Choice::default();
        };
        let Some(policy) = self.policies.get_mut(pool.index()) else {
            return Choice::default();
        };
        policy.schedule(cpu, now, work, &mut Routed { pool, fx })
    }

    /// The registers of `vcpu`, which [`FixedPools::schedule`] took off `cpu`, are saved.
    #[inline(never)]
    pub fn context_saved(&mut self, cpu: Cpu, vcpu: Vcpu, now: Instant, fx: &mut dyn PoolEffects) {
        if let Some((policy, pool)) = self.policy_of(vcpu) {
            policy.context_saved(cpu, vcpu, now, &mut Routed { pool, fx });
        }
    }

    /// As [`Policy::supply`].
    #[inline(never)]
    pub fn supply(&mut self, vcpu: Vcpu, at: Instant, now: Instant) -> Instant {
        match self.policy_of(vcpu) {
            Some((policy, _)) => policy.supply(vcpu, at, now),
            None => at,
        }
    }

    /// `timer` of the scheduler of `pool` has gone off.
    #[inline(never)]
    pub fn timer(&mut self, pool: Pool, timer: Timer, now: Instant, fx: &mut dyn PoolEffects) {
        if let Some(policy) = self.policies.get_mut(pool.index()) {
            policy.timer(timer, now, &mut Routed { pool, fx });
        }
    }

    /// Returns the unit that runs on `cpu`; none for the idle unit.
    pub fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        let pool = self.stations[cpu.index()]?;
        self.policies.get(pool.index())?.current(cpu)
    }

    /// Checks the invariants of the pools and of all their schedulers: for tests.
    pub fn check_invariants(&self) -> Result<(), Violation> {
        for (index, policy) in self.policies.iter().enumerate() {
            policy.check_invariants()?;
            let own = |cpu: Cpu| self.stations[cpu.index()] == Some(Pool::new(index as u8));
            let wrong = |&cpu: &Cpu| policy.cpus().contains(cpu) != own(cpu);
            let wrong = CpuSet::ALL.into_iter().find(wrong);
            laws!(None, wrong;
                wrong.is_none() => "a processor is in the one pool that it was given to",
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vcpu::Domain;
    use crate::vcpu::null::{self, Null};
    use crate::vcpu::rtds::{self, Options, Rtds};

    const NOW: Instant = Instant::START;

    /// Which processors were tickled.
    struct Asked(CpuSet);

    impl PoolEffects for Asked {
        fn tickle(&mut self, cpu: Cpu) {
            self.0 = self.0.with(cpu);
        }
        fn arm(&mut self, _: Pool, _: Timer, _: Option<Instant>) {}
    }

    fn cpu(index: usize) -> Cpu {
        Cpu::new(index).unwrap()
    }

    #[test]
    fn each_pool_schedules_its_own() {
        let (mut singles, mut servers) = ([null::Unit::EMPTY; 4], [rtds::Unit::EMPTY; 4]);
        let mut policies = [
            AnyPolicy::Null(Null::new(&mut singles)),
            AnyPolicy::Rtds(Rtds::new(&mut servers, Options::DEFAULT)),
        ];
        let mut homes = [None; 4];
        let mut pools = FixedPools::new(&mut policies, &mut homes);
        let mut fx = Asked(CpuSet::EMPTY);
        for index in 0..2 {
            let pool = Pool::new(index as u8);
            pools.assign(cpu(index), pool, NOW, &mut fx).unwrap();
        }
        for index in 0..2 {
            let pool = Pool::new(index as u8);
            let vcpu = Vcpu::new(index as u16);
            let admission = Admission::anywhere(Domain::new(index as u16));
            pools.insert(vcpu, admission, pool, NOW, &mut fx).unwrap();
            pools.wake(vcpu, NOW, &mut fx);
        }
        assert!(fx.0.covers(CpuSet::first(2)));
        for index in 0..2 {
            let vcpu = Some(Vcpu::new(index as u16));
            let choice = pools.schedule(cpu(index), NOW, false, &mut fx);
            assert_eq!((choice.next, pools.current(cpu(index))), (vcpu, vcpu));
        }
        assert_eq!(
            pools.schedule(cpu(2), NOW, false, &mut fx),
            Choice::default()
        );
        pools.sleep(Vcpu::new(1), NOW, &mut fx);
        assert_eq!(pools.schedule(cpu(1), NOW, false, &mut fx).next, None);
        pools.context_saved(cpu(1), Vcpu::new(1), NOW, &mut fx);
        assert_eq!(pools.check_invariants(), Ok(()));
    }

    #[test]
    fn what_is_not_there_or_taken_is_refused() {
        let mut units = [null::Unit::EMPTY; 1];
        let mut policies = [AnyPolicy::Null(Null::new(&mut units))];
        let mut homes = [None; 1];
        let mut pools = FixedPools::new(&mut policies, &mut homes);
        let mut fx = Asked(CpuSet::EMPTY);
        let (here, nowhere) = (Pool::new(0), Pool::new(1));
        let unit = Vcpu::new(0);
        let anywhere = Admission::anywhere(Domain::new(0));
        let elsewhere = Admission {
            hard: CpuSet::of(cpu(1)),
            ..anywhere
        };
        let no_pool = Err(Error::NoPool(1));
        assert_eq!(pools.assign(cpu(0), nowhere, NOW, &mut fx), no_pool);
        assert_eq!(pools.assign(cpu(0), here, NOW, &mut fx), Ok(()));
        let twice = pools.assign(cpu(0), here, NOW, &mut fx);
        assert_eq!(twice, Err(Error::CpuPresent(cpu(0))));
        let mut insert = |vcpu, admission, pool| pools.insert(vcpu, admission, pool, NOW, &mut fx);
        assert_eq!(insert(unit, anywhere, nowhere), no_pool);
        let beyond = Vcpu::new(1);
        assert_eq!(insert(beyond, anywhere, here), Err(Error::NoRecord(beyond)));
        assert_eq!(insert(unit, elsewhere, here), Err(Error::Stranded(unit)));
        assert_eq!(insert(unit, anywhere, here), Ok(()));
        assert_eq!(insert(unit, anywhere, here), Err(Error::Present(unit)));
        let late = pools.assign(cpu(1), here, NOW, &mut fx);
        assert_eq!(late, Err(Error::Present(unit)));
    }
}
