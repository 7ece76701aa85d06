//! Owns: the events of a machine with pools, each handed to the scheduler that it
//! belongs to; and what has to be true of the pools.
//! Must never know: how a pool schedules.

use super::{EmptyAffinityRule, Pool, PoolEffects, Pools, Routed, Station};
use crate::vcpu::kit::laws;
use crate::vcpu::{Choice, Error, Policy, Timer, Vcpu, Violation};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

impl Pools<'_, '_> {
    /// `vcpu` is runnable from now on.
    pub fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl PoolEffects) {
        self.set_awake(vcpu, true, now, fx);
    }

    /// `vcpu` is not runnable from now on.
    pub fn sleep(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl PoolEffects) {
        self.set_awake(vcpu, false, now, fx);
    }

    fn set_awake(&mut self, vcpu: Vcpu, awake: bool, now: Instant, fx: &mut impl PoolEffects) {
        let Some(pool) = self.pool_of(vcpu) else {
            return;
        };
        let member = &mut self.members[vcpu.index()];
        member.awake = awake;
        let (policy, mut fx) = (&mut self.policies[pool.index()], Routed { pool, fx });
        match (member.bound, awake) {
            (Some(_), _) => {}
            (None, true) => policy.wake(vcpu, now, &mut fx),
            (None, false) => policy.sleep(vcpu, now, &mut fx),
        }
    }

    /// `vcpu`, which is running, lets others go first once.
    pub fn yield_now(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl PoolEffects) {
        if let Some(pool) = self.pool_of(vcpu) {
            let mut routed = Routed { pool, fx };
            self.policies[pool.index()].yield_now(vcpu, now, &mut routed);
        }
    }

    /// From now on `vcpu` may run on those of `hard` that are in its pool, and had
    /// better run on `soft`. Refused with [`Error::Absent`], [`Error::Stranded`].
    pub fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        soft: CpuSet,
        stranding: EmptyAffinityRule,
        now: Instant,
        fx: &mut impl PoolEffects,
    ) -> Result<(), Error> {
        let pool = self.pool_of(vcpu).ok_or(Error::Absent(vcpu))?;
        let bound = self.members[vcpu.index()].bound;
        self.check_reach(vcpu, hard, bound.unwrap_or(pool), stranding)?;
        if bound.is_none() {
            let mut routed = Routed { pool, fx };
            let policy = &mut self.policies[pool.index()];
            policy.set_affinity(vcpu, hard, soft, now, &mut routed)?;
        }
        let admission = &mut self.members[vcpu.index()].admission;
        (admission.hard, admission.soft) = (hard, soft);
        Ok(())
    }

    /// Chooses what `cpu` does next. A free processor idles. `work` is as in
    /// [`Policy::schedule`].
    pub fn schedule(
        &mut self,
        cpu: Cpu,
        now: Instant,
        work: bool,
        fx: &mut impl PoolEffects,
    ) -> Choice {
        let pool = match self.stations[cpu.index()] {
            Station::Free => return Choice::default(),
            Station::In(pool) | Station::Leaving { from: pool, .. } => pool,
        };
        let policy = &mut self.policies[pool.index()];
        let before = policy.current(cpu);
        let mut routed = Routed { pool, fx };
        let choice = policy.schedule(cpu, now, work, &mut routed);
        if choice.next != before {
            if before.is_some() {
                self.saving[cpu.index()] = before;
            }
            if let Some(vcpu) = choice.next {
                self.members[vcpu.index()].on = true;
            }
        }
        // A scheduler that has no record for the processor leaves it free.
        let _ = self.move_on(cpu, now, fx);
        choice
    }

    /// The registers of `vcpu`, which [`Pools::schedule`] took off `cpu`, are saved.
    pub fn context_saved(&mut self, cpu: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl PoolEffects) {
        let saved = self.saving[cpu.index()].take_if(|saving| *saving == vcpu);
        let (Some(vcpu), Some(pool)) = (saved, self.pool_of(vcpu)) else {
            return;
        };
        self.members[vcpu.index()].on = false;
        let mut routed = Routed { pool, fx };
        self.policies[pool.index()].context_saved(cpu, vcpu, now, &mut routed);
        // A unit that the new pool refuses stays in the old one.
        let _ = self.transfer(vcpu, now, fx);
        let _ = self.move_on(cpu, now, fx);
    }

    /// `timer` of the scheduler of `pool` has gone off.
    pub fn timer(&mut self, pool: Pool, timer: Timer, now: Instant, fx: &mut impl PoolEffects) {
        if let Some(policy) = self.policies.get_mut(pool.index()) {
            policy.timer(timer, now, &mut Routed { pool, fx });
        }
    }

    /// Returns the unit that runs on `cpu`; none for the idle unit.
    pub fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        match self.stations[cpu.index()] {
            Station::Free => None,
            Station::In(pool) | Station::Leaving { from: pool, .. } => {
                self.policies[pool.index()].current(cpu)
            }
        }
    }

    /// Checks the invariants of the pools and of all their schedulers: for tests and the
    /// simulator.
    pub fn check_invariants(&self) -> Result<(), Violation> {
        for policy in self.policies.iter() {
            policy.check_invariants()?;
        }
        for cpu in CpuSet::ALL {
            for (index, policy) in self.policies.iter().enumerate() {
                let here = self.stations[cpu.index()] == Station::In(Pool(index as u8));
                laws!(None, Some(cpu);
                    policy.cpus().contains(cpu) == here
                        => "a processor is in the one pool that it was given to",
                );
            }
        }
        for (index, member) in self.members.iter().enumerate() {
            let vcpu = Some(Vcpu::new(index as u16));
            let home = member.bound.or(member.pool);
            let apart = self.members.iter().any(|other| {
                let same = other.admission.domain == member.admission.domain;
                same && other.pool.is_some() && other.bound.or(other.pool) != home
            });
            let on = CpuSet::ALL
                .into_iter()
                .any(|cpu| self.current(cpu) == vcpu || self.saving[cpu.index()] == vcpu);
            laws!(vcpu, None;
                member.pool.is_none() || !apart
                    => "the units of a domain are in one pool, or on their way to it",
                member.on == on => "a unit is on when a processor runs or saves it",
                member.bound.is_none() || member.on => "only who is on is still on its way",
            );
        }
        Ok(())
    }
}
