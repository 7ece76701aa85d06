//! Owns: whether servers get their budgets, and whether each unit ever runs, by the
//! scheduling library's own tests.
//! Must never know: files.

use taktos_schedule::vcpu::{
    Admission, Domain, Error, Policy as _, Vcpu as Unit, admission::Demand, null, rtds, sedf,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

use super::{Configuration, Partition, Policy, Pool, Vcpu};

/// A virtual processor of the machine.
pub(super) struct Member<'a> {
    /// Its number in the machine, as the hypervisor will have it.
    pub number: usize,
    pub partition: &'a Partition,
    /// Its number in the partition.
    pub place: usize,
    pub vcpu: &'a Vcpu,
    /// Where it may run.
    pub cpus: CpuSet,
}

impl Member<'_> {
    /// Its name, for people.
    pub fn name(&self) -> String {
        format!("VCPU {} of {}", self.place, self.partition.name)
    }

    fn unit(&self) -> Unit {
        Unit::new(self.number as u16)
    }

    fn admission(&self) -> Admission {
        Admission {
            hard: self.cpus,
            ..Admission::anywhere(Domain::new(0))
        }
    }
}

impl Configuration {
    /// The virtual processors of the pool, in their order.
    pub(super) fn members(&self, pool: usize) -> Vec<Member<'_>> {
        let mut members = Vec::new();
        let mut number = 0;
        for partition in &self.partitions {
            for (place, vcpu) in partition.vcpus.iter().enumerate() {
                if let Some(own) = self.pools.get(pool).filter(|_| partition.pool == pool) {
                    members.push(Member {
                        number,
                        partition,
                        place,
                        vcpu,
                        cpus: vcpu.allowed(own),
                    });
                }
                number += 1;
            }
        }
        members
    }
}

/// Queries the library for each unit in turn; returns the first one that it refuses, and why.
pub(super) fn admitted<'a>(
    pool: &Pool,
    members: &'a [Member<'a>],
) -> Result<(), (&'a Member<'a>, Error)> {
    let all = members.last().map_or(0, |last| last.number + 1);
    let start = Instant::START;
    match pool.policy {
        Policy::Rtds => {
            let mut units = vec![rtds::Unit::EMPTY; all];
            let mut policy = rtds::Rtds::new(&mut units, rtds::Options::DEFAULT);
            add(&mut policy, pool);
            each(members, |member| {
                policy.insert(member.unit(), member.admission(), start, &mut ())?;
                policy.set_parameters(member.unit(), member.vcpu.rtds(), Demand::Interference)
            })
        }
        Policy::Sedf => {
            let mut units = vec![sedf::Unit::EMPTY; all];
            let mut processors = vec![sedf::Processor::EMPTY; Cpu::COUNT];
            let mut policy = sedf::Sedf::new(&mut units, &mut processors);
            add(&mut policy, pool);
            each(members, |member| {
                policy.insert(member.unit(), member.admission(), start, &mut ())?;
                let parameters = member.vcpu.sedf();
                policy.set_parameters(member.unit(), parameters, Demand::Density, start, &mut ())
            })
        }
        _ => Ok(()),
    }
}

fn add(policy: &mut impl taktos_schedule::vcpu::Policy, pool: &Pool) {
    for cpu in pool.cpus {
        // Each once, into a policy that is new: not refused.
        let _ = policy.add_cpu(cpu, Instant::START, &mut ());
    }
}

fn each<'a>(
    members: &'a [Member<'a>],
    mut admit: impl FnMut(&Member<'a>) -> Result<(), Error>,
) -> Result<(), (&'a Member<'a>, Error)> {
    members
        .iter()
        .try_for_each(|member| admit(member).map_err(|error| (member, error)))
}

/// A unit of a NULL pool for which no processor is left.
pub(super) fn waits_forever<'a>(pool: &Pool, members: &'a [Member<'a>]) -> Option<&'a Member<'a>> {
    let all = members.last().map_or(0, |last| last.number + 1);
    let mut units = vec![null::Unit::EMPTY; all];
    let mut policy = null::Null::new(&mut units);
    add(&mut policy, pool);
    let mut waits = None;
    for member in members {
        // Each once: not refused.
        let _ = policy.insert(member.unit(), member.admission(), Instant::START, &mut ());
        if policy.processor_of(member.unit()).is_none() {
            waits = waits.or(Some(member));
        }
    }
    waits
}
