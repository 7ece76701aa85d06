//! Pools of processors: disjoint sets, each with a scheduler of its own; a domain
//! is in exactly one of them.
//!
//! Owns: which processor and which domain is in which pool, and the way from one to
//! another, which takes until what runs there is saved.
//! Must never know: how a pool schedules.
//!
//! The behaviour is that of spec 05, section 5, and stricter in one point: a change
//! that would leave a unit no processor that it may use is refused
//! ([`Error::Stranded`]) unless it is forced; then the unit may use the whole pool
//! ([`super::allowed`]) as long as that lasts.
//!
//! Bounds: `schedule`, `context_saved`, `wake`, `sleep`, `yield_now`, `timer` take a fixed number
//! of steps in addition to the scheduler's; `insert`, `set_affinity`, `assign` one pass over the
//! units; `move_domain` one pass and, for each unit of the domain, the schedulers' `sleep`,
//! `remove`, `insert`, `wake`.

mod any;
mod events;
mod fixed;

pub use any::AnyPolicy;
pub use fixed::FixedPools;

use super::kit::default_is;
use super::{Admission, Domain, Effects, Error, Policy, Timer, Vcpu};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

/// A pool: an index into the caller's table of schedulers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Pool(u8);

impl Pool {
    /// The pool `index`.
    pub const fn new(index: u8) -> Self {
        Self(index)
    }

    /// The number, 0 to 255.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The requests of pools to the world: timers are their scheduler's own.
pub trait PoolEffects {
    /// Requests a call of [`Pools::schedule`] on `cpu` as soon as can be.
    fn tickle(&mut self, cpu: Cpu);

    /// Requests a call of [`Pools::timer`] with `pool` and `timer` at `at`, instead of any instant
    /// requested before; none disarms it.
    fn arm(&mut self, pool: Pool, timer: Timer, at: Option<Instant>);
}

/// Whether a change that leaves a unit none of the processors it names is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EmptyAffinityRule {
    /// It is refused with [`Error::Stranded`].
    Refused,
    /// It is made all the same.
    Forced,
}

/// A unit in the caller's table.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pool: Option<Pool>,
    /// Where it goes as soon as it is off and saved.
    bound: Option<Pool>,
    admission: Admission,
    awake: bool,
    /// A processor runs it or has not saved it.
    on: bool,
}

impl Member {
    /// A record that is not in use.
    pub const EMPTY: Self = Self {
        pool: None,
        bound: None,
        admission: Admission::anywhere(Domain::new(0)),
        awake: false,
        on: false,
    };
}

default_is!(Member: EMPTY);

/// Where a processor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Station {
    Free,
    In(Pool),
    /// It still runs, or saves, a unit of `from`.
    Leaving {
        from: Pool,
        to: Option<Pool>,
    },
}

/// All pools of a machine.
pub struct Pools<'p, 'a> {
    policies: &'p mut [AnyPolicy<'a>],
    members: &'p mut [Member],
    stations: [Station; Cpu::COUNT],
    /// The unit that each processor has taken off and not saved.
    saving: [Option<Vcpu>; Cpu::COUNT],
}

/// The effects of one pool's scheduler.
pub struct Routed<'f, F: ?Sized> {
    /// The pool.
    pub pool: Pool,
    /// The effects of all pools.
    pub fx: &'f mut F,
}

impl<F: PoolEffects + ?Sized> Effects for Routed<'_, F> {
    fn tickle(&mut self, cpu: Cpu) {
        self.fx.tickle(cpu);
    }
    fn arm(&mut self, timer: Timer, at: Option<Instant>) {
        self.fx.arm(self.pool, timer, at);
    }
}

impl<'p, 'a> Pools<'p, 'a> {
    /// A pool for each of `policies`, which are without processors and units.
    /// `members` has a record for each unit there can be, by [`Vcpu::index`].
    pub fn new(policies: &'p mut [AnyPolicy<'a>], members: &'p mut [Member]) -> Self {
        members.fill(Member::EMPTY);
        Self {
            policies,
            members,
            stations: [Station::Free; Cpu::COUNT],
            saving: [None; Cpu::COUNT],
        }
    }

    /// The scheduler of `pool`, to read.
    pub fn policy(&self, pool: Pool) -> Option<&AnyPolicy<'a>> {
        self.policies.get(pool.index())
    }

    /// The scheduler of `pool`, to set its parameters. Events go through the pools.
    pub fn policy_mut(&mut self, pool: Pool) -> Option<&mut AnyPolicy<'a>> {
        self.policies.get_mut(pool.index())
    }

    /// The pool of `cpu`; none while it is free or on its way.
    pub fn pool_of_cpu(&self, cpu: Cpu) -> Option<Pool> {
        match self.stations[cpu.index()] {
            Station::In(pool) => Some(pool),
            _ => None,
        }
    }

    /// The pool of `vcpu`: the one that it leaves as long as it is on its way.
    pub fn pool_of(&self, vcpu: Vcpu) -> Option<Pool> {
        self.members.get(vcpu.index())?.pool
    }

    /// Moves `cpu` to the pool `to`, or to none, as soon as what it runs is saved; its
    /// units go elsewhere in their pool.
    ///
    /// Refused with [`Error::NoPool`], [`Error::Moving`], [`Error::LastCpu`],
    /// [`Error::NoCpuRecord`] and [`Error::Stranded`].
    pub fn assign(
        &mut self,
        cpu: Cpu,
        to: Option<Pool>,
        stranding: EmptyAffinityRule,
        now: Instant,
        fx: &mut impl PoolEffects,
    ) -> Result<(), Error> {
        if let Some(pool) = to {
            self.exists(pool)?;
        }
        match self.stations[cpu.index()] {
            Station::Leaving { .. } => Err(Error::Moving(cpu)),
            Station::In(from) if to == Some(from) => Ok(()),
            Station::Free => self.join(cpu, to, now, fx),
            Station::In(from) => {
                self.check_awaited(from, cpu)?;
                if stranding == EmptyAffinityRule::Refused {
                    self.check_stranded(from, cpu)?;
                }
                let mut routed = Routed { pool: from, fx };
                self.policies[from.index()].remove_cpu(cpu, now, &mut routed)?;
                self.stations[cpu.index()] = Station::Leaving { from, to };
                self.move_on(cpu, now, fx)
            }
        }
    }

    /// Refuses when `cpu` is the last of `pool` and units are on their way to it.
    fn check_awaited(&self, pool: Pool, cpu: Cpu) -> Result<(), Error> {
        let last = self.policies[pool.index()].cpus() == CpuSet::of(cpu);
        match last && self.members.iter().any(|m| m.bound == Some(pool)) {
            true => Err(Error::LastCpu(cpu)),
            false => Ok(()),
        }
    }

    /// Refuses when a unit of `pool` may use `cpu` and no other of the pool.
    fn check_stranded(&self, pool: Pool, cpu: Cpu) -> Result<(), Error> {
        let cpus = self.policies[pool.index()].cpus();
        for (index, member) in self.members.iter().enumerate() {
            let may = member.admission.hard.and(cpus);
            let here = member.pool == Some(pool) || member.bound == Some(pool);
            if here && may == CpuSet::of(cpu) && cpus != may {
                return Err(Error::Stranded(Vcpu::new(index as u16)));
            }
        }
        Ok(())
    }

    /// Completes the way of `cpu` if it idles and has nothing to save.
    fn move_on(&mut self, cpu: Cpu, now: Instant, fx: &mut impl PoolEffects) -> Result<(), Error> {
        let Station::Leaving { from, to } = self.stations[cpu.index()] else {
            return Ok(());
        };
        let idle = self.policies[from.index()].current(cpu).is_none();
        if !idle || self.saving[cpu.index()].is_some() {
            return Ok(());
        }
        self.join(cpu, to, now, fx)
    }

    /// Puts `cpu`, which is in no pool, into `to`; it is free if that refuses.
    fn join(
        &mut self,
        cpu: Cpu,
        to: Option<Pool>,
        now: Instant,
        fx: &mut impl PoolEffects,
    ) -> Result<(), Error> {
        self.stations[cpu.index()] = Station::Free;
        if let Some(pool) = to {
            let mut routed = Routed { pool, fx };
            self.policies[pool.index()].add_cpu(cpu, now, &mut routed)?;
            self.stations[cpu.index()] = Station::In(pool);
        }
        Ok(())
    }

    /// `vcpu` comes into `pool`, asleep. Refused with [`Error::NoPool`],
    /// [`Error::Split`] when its domain has units in another pool, [`Error::Stranded`],
    /// and as the scheduler does.
    pub fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        pool: Pool,
        stranding: EmptyAffinityRule,
        now: Instant,
        fx: &mut impl PoolEffects,
    ) -> Result<(), Error> {
        self.exists(pool)?;
        let member = self
            .members
            .get(vcpu.index())
            .ok_or(Error::NoRecord(vcpu))?;
        if member.pool.is_some() {
            return Err(Error::Present(vcpu));
        }
        let elsewhere = self.members.iter().any(|other| {
            let home = other.bound.or(other.pool);
            other.admission.domain == admission.domain && home.is_some_and(|home| home != pool)
        });
        if elsewhere {
            return Err(Error::Split(admission.domain));
        }
        self.check_reach(vcpu, admission.hard, pool, stranding)?;
        let mut routed = Routed { pool, fx };
        self.policies[pool.index()].insert(vcpu, admission, now, &mut routed)?;
        self.members[vcpu.index()] = Member {
            pool: Some(pool),
            admission,
            ..Member::EMPTY
        };
        Ok(())
    }

    /// `vcpu` leaves its pool. It has to be put to sleep and switched out before.
    /// Refused with [`Error::Absent`], [`Error::Busy`].
    pub fn remove(
        &mut self,
        vcpu: Vcpu,
        now: Instant,
        fx: &mut impl PoolEffects,
    ) -> Result<(), Error> {
        let pool = self.pool_of(vcpu).ok_or(Error::Absent(vcpu))?;
        let member = &self.members[vcpu.index()];
        if member.awake || member.on {
            return Err(Error::Busy(vcpu));
        }
        let mut routed = Routed { pool, fx };
        self.policies[pool.index()].remove(vcpu, now, &mut routed)?;
        self.members[vcpu.index()] = Member::EMPTY;
        Ok(())
    }

    /// Moves all units of `domain` to the pool `to`: each as soon as it is off and saved. In the
    /// new pool it begins again, with the parameters it has there.
    ///
    /// Refused, with nothing changed, with [`Error::NoPool`], [`Error::NoCpu`],
    /// [`Error::Stranded`], and [`Error::Busy`] while units are on the way already. The
    /// new scheduler has to have a record for each of the units and the domain.
    pub fn move_domain(
        &mut self,
        domain: Domain,
        to: Pool,
        stranding: EmptyAffinityRule,
        now: Instant,
        fx: &mut impl PoolEffects,
    ) -> Result<(), Error> {
        self.exists(to)?;
        if self.policies[to.index()].cpus().is_empty() {
            return Err(Error::NoCpu);
        }
        for index in 0..self.members.len() {
            if !self.is_of(index, domain) {
                continue;
            }
            let vcpu = Vcpu::new(index as u16);
            let member = self.members[index];
            if member.bound.is_some() {
                return Err(Error::Busy(vcpu));
            }
            self.check_reach(vcpu, member.admission.hard, to, stranding)?;
        }
        for index in 0..self.members.len() {
            if self.is_of(index, domain) {
                self.depart(Vcpu::new(index as u16), to, now, fx)?;
            }
        }
        Ok(())
    }

    /// Starts `vcpu` on its way to the pool `to`, and completes it if it is off.
    fn depart(
        &mut self,
        vcpu: Vcpu,
        to: Pool,
        now: Instant,
        fx: &mut impl PoolEffects,
    ) -> Result<(), Error> {
        let member = &mut self.members[vcpu.index()];
        let Some(from) = member.pool.filter(|&from| from != to) else {
            return Ok(());
        };
        member.bound = Some(to);
        if member.awake {
            let mut routed = Routed { pool: from, fx };
            self.policies[from.index()].sleep(vcpu, now, &mut routed);
        }
        self.transfer(vcpu, now, fx)
    }

    /// Completes the way of `vcpu` if it is off and saved. If the new scheduler refuses it,
    /// it stays where it was.
    fn transfer(
        &mut self,
        vcpu: Vcpu,
        now: Instant,
        fx: &mut impl PoolEffects,
    ) -> Result<(), Error> {
        let member = self.members[vcpu.index()];
        let (Some(from), Some(to), false) = (member.pool, member.bound, member.on) else {
            return Ok(());
        };
        let mut routed = Routed { pool: from, fx };
        self.policies[from.index()].remove(vcpu, now, &mut routed)?;
        let result = self.settle(vcpu, to, now, fx);
        if result.is_err() {
            self.settle(vcpu, from, now, fx)?;
        }
        result
    }

    /// Puts `vcpu`, which is in no scheduler, into that of `pool`.
    fn settle(
        &mut self,
        vcpu: Vcpu,
        pool: Pool,
        now: Instant,
        fx: &mut impl PoolEffects,
    ) -> Result<(), Error> {
        let member = &mut self.members[vcpu.index()];
        member.bound = None;
        let (admission, awake) = (member.admission, member.awake);
        let policy = &mut self.policies[pool.index()];
        let mut routed = Routed { pool, fx };
        policy.insert(vcpu, admission, now, &mut routed)?;
        if awake {
            policy.wake(vcpu, now, &mut routed);
        }
        self.members[vcpu.index()].pool = Some(pool);
        Ok(())
    }

    fn exists(&self, pool: Pool) -> Result<(), Error> {
        match pool.index() < self.policies.len() {
            true => Ok(()),
            false => Err(Error::NoPool(pool.index())),
        }
    }

    /// Refuses when `vcpu` may use no processor of `pool`.
    fn check_reach(
        &self,
        vcpu: Vcpu,
        hard: CpuSet,
        pool: Pool,
        stranding: EmptyAffinityRule,
    ) -> Result<(), Error> {
        let cpus = self.policies[pool.index()].cpus();
        let reaches = cpus.is_empty() || !hard.and(cpus).is_empty();
        match reaches || stranding == EmptyAffinityRule::Forced {
            true => Ok(()),
            false => Err(Error::Stranded(vcpu)),
        }
    }

    fn is_of(&self, index: usize, domain: Domain) -> bool {
        let member = &self.members[index];
        member.pool.is_some() && member.admission.domain == domain
    }
}
