//! Owns: whether pools and partitions make sense, and their schedulers and guests.
//! Must never know: the events of a run.

use taktos_schedule::vcpu::admission::Demand;
use taktos_schedule::vcpu::arinc653::{self, Arinc653, Slot};
use taktos_schedule::vcpu::credit2::{Grouping, Scope};
use taktos_schedule::vcpu::null::{self, Null};
use taktos_schedule::vcpu::pool::AnyPolicy;
use taktos_schedule::vcpu::rtds::{Options, Rtds};
use taktos_schedule::vcpu::sedf::Sedf;
use taktos_schedule::vcpu::{self, Admission, Domain, Place, Policy, Profile, Vcpu};
use taktos_schedule::vcpu::{credit, credit2, rtds, sedf};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

use super::{Machine, PartitionError};
use crate::{
    Cluster, Partition, Plan, Pool, Setup, SimError, VcpuPolicy, VcpuSpec, Window, Workload, batch,
};

/// The longest run.
const LONGEST: u64 = 1 << 60;
/// The most virtual processors.
const MOST_VCPUS: usize = 65_000;

/// Checks all that does not need a scheduler to be checked.
pub(super) fn check(workload: &Workload) -> Result<(), PartitionError> {
    if workload.partitions.is_empty() {
        return Err(PartitionError::NoPartition);
    }
    if workload.pools.is_empty() {
        return Err(PartitionError::NoPool);
    }
    unique("pool", workload.pools.iter().map(|pool| &pool.name))?;
    unique("partition", workload.partitions.iter().map(|p| &p.name))?;
    for (index, pool) in workload.pools.iter().enumerate() {
        if pool.cpus.is_empty() {
            return Err(PartitionError::EmptyPool(pool.name.clone()));
        }
        for earlier in &workload.pools[..index] {
            if let Some(cpu) = earlier.cpus.and(pool.cpus).lowest() {
                return Err(PartitionError::SharedProcessor {
                    cpu: cpu.index(),
                    first: earlier.name.clone(),
                    second: pool.name.clone(),
                });
            }
        }
    }
    for (index, partition) in workload.partitions.iter().enumerate() {
        check_partition(workload, index, partition)?;
    }
    let count = vcpus(workload);
    match count > MOST_VCPUS {
        true => Err(PartitionError::TooManyVcpus(count)),
        false => Ok(()),
    }
}

fn check_partition(
    workload: &Workload,
    index: usize,
    partition: &Partition,
) -> Result<(), PartitionError> {
    let count = partition.vcpus.len();
    if count == 0 || count > Cpu::COUNT {
        return Err(PartitionError::Vcpus {
            partition: partition.name.clone(),
            count,
        });
    }
    let pool = pool_of(workload, index)?;
    let cpus = workload.pools[pool].cpus;
    let stranded = partition
        .vcpus
        .iter()
        .position(|vcpu| hard(vcpu).and(cpus).is_empty());
    match stranded {
        Some(vcpu) => Err(PartitionError::Stranded {
            partition: partition.name.clone(),
            vcpu,
        }),
        None => Ok(()),
    }
}

fn unique<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), PartitionError> {
    let mut names: Vec<&String> = names.collect();
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(PartitionError::SameName {
            kind,
            name: pair[0].clone(),
        }),
        None => Ok(()),
    }
}

/// The pool of a partition.
pub(super) fn pool_of(workload: &Workload, partition: usize) -> Result<usize, PartitionError> {
    let partition = &workload.partitions[partition];
    let Some(name) = &partition.pool else {
        return Ok(0);
    };
    let found = workload.pools.iter().position(|pool| pool.name == *name);
    found.ok_or_else(|| {
        let known: Vec<&str> = workload.pools.iter().map(|p| p.name.as_str()).collect();
        PartitionError::UnknownPool {
            partition: partition.name.clone(),
            pool: name.clone(),
            known: known.join(", "),
        }
    })
}

/// How many virtual processors there are.
pub(super) fn vcpus(workload: &Workload) -> usize {
    workload.partitions.iter().map(|p| p.vcpus.len()).sum()
}

/// The number of the first virtual processor of a partition: they are numbered
/// through, partition by partition.
pub(super) fn first_vcpu(workload: &Workload, partition: usize) -> usize {
    let before = &workload.partitions[..partition];
    before.iter().map(|p| p.vcpus.len()).sum()
}

fn hard(vcpu: &VcpuSpec) -> CpuSet {
    vcpu.hard_affinity.unwrap_or(CpuSet::ALL)
}

/// The seed of a guest's draws.
pub(super) fn seed(machine: &Machine, partition: usize) -> u64 {
    batch::seed(machine.seed, partition as u64)
}

pub(super) fn in_partition(
    workload: &Workload,
    partition: usize,
    error: SimError,
) -> PartitionError {
    PartitionError::Guest {
        partition: workload.partitions[partition].name.clone(),
        error,
    }
}

/// Each guest as a workload of its own, on its virtual processors.
pub(super) fn plans(workload: &Workload, machine: &Machine) -> Result<Vec<Plan>, PartitionError> {
    let horizon = machine.horizon.as_nanos();
    if horizon == 0 || horizon > LONGEST {
        return Err(PartitionError::Horizon(horizon));
    }
    let plan = |(index, partition): (usize, &Partition)| {
        let own = Workload {
            name: partition.name.clone(),
            tasks: partition.tasks.clone(),
            locks: partition.locks.clone(),
            servers: partition.servers.clone(),
            ..Workload::default()
        };
        let setup = Setup {
            clusters: vec![Cluster {
                name: "guest".to_owned(),
                cpus: CpuSet::first(partition.vcpus.len()),
                policy: partition.policy,
            }],
            horizon: machine.horizon,
            costs: machine.guest.clone(),
            slice: machine.slice,
            seed: seed(machine, index),
        };
        Plan::new(&own, &setup).map_err(|error| in_partition(workload, index, error))
    };
    workload.partitions.iter().enumerate().map(plan).collect()
}

/// The tables of one pool's scheduler.
pub(super) enum Memory {
    Credit(
        Vec<credit::Unit>,
        Vec<credit::DomainRecord>,
        Vec<credit::Processor>,
    ),
    Credit2(
        Vec<credit2::Unit>,
        Vec<credit2::DomainRecord>,
        Vec<credit2::Processor>,
        Vec<credit2::RunQueue>,
    ),
    Rtds(Vec<rtds::Unit>),
    Sedf(Vec<sedf::Unit>, Vec<sedf::Processor>),
    Null(Vec<null::Unit>),
    Arinc653(Vec<arinc653::Unit>, Vec<Slot>),
}

impl Memory {
    pub(super) fn new(workload: &Workload, pool: &Pool) -> Self {
        let units = vcpus(workload);
        let domains = workload.partitions.len();
        let cpus = pool.cpus.highest().map_or(0, |cpu| cpu.index() + 1);
        match &pool.policy {
            VcpuPolicy::Credit { .. } => Self::Credit(
                vec![credit::Unit::EMPTY; units],
                vec![credit::DomainRecord::EMPTY; domains],
                vec![credit::Processor::EMPTY; cpus],
            ),
            VcpuPolicy::Credit2 { .. } => Self::Credit2(
                vec![credit2::Unit::EMPTY; units],
                vec![credit2::DomainRecord::EMPTY; domains],
                vec![credit2::Processor::EMPTY; cpus],
                vec![credit2::RunQueue::EMPTY; cpus],
            ),
            VcpuPolicy::Rtds => Self::Rtds(vec![rtds::Unit::EMPTY; units]),
            VcpuPolicy::Sedf => Self::Sedf(
                vec![sedf::Unit::EMPTY; units],
                vec![sedf::Processor::EMPTY; cpus],
            ),
            VcpuPolicy::Null => Self::Null(vec![null::Unit::EMPTY; units]),
            VcpuPolicy::Arinc653 { .. } => Self::Arinc653(
                vec![arinc653::Unit::EMPTY; units],
                vec![Slot::EMPTY; arinc653::WINDOWS],
            ),
        }
    }
}

/// The scheduler of a pool with its parameters, without processors and units.
pub(super) fn policy<'m>(
    workload: &Workload,
    pool: usize,
    memory: &'m mut Memory,
) -> Result<AnyPolicy<'m>, PartitionError> {
    let spec = &workload.pools[pool];
    let in_pool = |error| PartitionError::Pool {
        pool: spec.name.clone(),
        error,
    };
    let profile = match spec.xen45 {
        true => Profile::Xen45,
        false => Profile::Current,
    };
    let mut policy = bare(&spec.policy, profile, memory).map_err(in_pool)?;
    for (index, partition) in workload.partitions.iter().enumerate() {
        if pool_of(workload, index)? != pool {
            continue;
        }
        let first = first_vcpu(workload, index);
        let set = parameters(&mut policy, index, first, partition);
        set.map_err(|error| PartitionError::Vcpu {
            partition: partition.name.clone(),
            error,
        })?;
    }
    Ok(policy)
}

fn bare<'m>(
    spec: &VcpuPolicy,
    profile: Profile,
    memory: &'m mut Memory,
) -> Result<AnyPolicy<'m>, vcpu::Error> {
    let places: Vec<Place> = (0..Cpu::COUNT).map(Place::flat).collect();
    Ok(match memory {
        Memory::Credit(units, domains, processors) => {
            let memory = credit::Memory {
                units,
                domains,
                processors,
            };
            let parameters = credit_parameters(spec, profile)?;
            AnyPolicy::Credit(credit::Credit::new(memory, &places, parameters))
        }
        Memory::Credit2(units, domains, processors, queues) => {
            let memory = credit2::Memory {
                units,
                domains,
                processors,
                queues,
            };
            let (grouping, parameters) = credit2_parameters(spec, profile)?;
            AnyPolicy::Credit2(credit2::Credit2::new(memory, &places, grouping, parameters))
        }
        Memory::Rtds(units) => AnyPolicy::Rtds(Rtds::new(units, Options::of(profile))),
        Memory::Sedf(units, processors) => AnyPolicy::Sedf(Sedf::new(units, processors)),
        Memory::Null(units) => AnyPolicy::Null(Null::new(units)),
        Memory::Arinc653(units, slots) => {
            // No partition is the control domain: without a table nothing runs.
            let control = Domain::new(u16::MAX);
            AnyPolicy::Arinc653(Arinc653::new(units, slots, control))
        }
    })
}

fn credit_parameters(
    spec: &VcpuPolicy,
    profile: Profile,
) -> Result<credit::Parameters, vcpu::Error> {
    let mut parameters = credit::Parameters::of(profile);
    if let VcpuPolicy::Credit {
        slice,
        ratelimit,
        balance,
    } = spec
    {
        // A longer slice leaves room for a longer limit, a shorter limit for a shorter
        // slice: whichever order works.
        let default = parameters;
        let set = |slice_first: bool| {
            let mut p = default;
            for turn in [slice_first, !slice_first] {
                p = match (turn, slice, ratelimit) {
                    (true, Some(slice), _) => p.with_slice(*slice)?,
                    (false, _, Some(ratelimit)) => p.with_ratelimit(*ratelimit)?,
                    _ => p,
                };
            }
            Ok(p)
        };
        parameters = set(true).or_else(|_: vcpu::Error| set(false))?;
        if !balance {
            parameters = parameters.without_balancing();
        }
    }
    Ok(parameters)
}

fn credit2_parameters(
    spec: &VcpuPolicy,
    profile: Profile,
) -> Result<(Grouping, credit2::Parameters), vcpu::Error> {
    let mut parameters = credit2::Parameters::of(profile);
    let mut grouping = Grouping::DEFAULT;
    if let VcpuPolicy::Credit2 {
        ratelimit,
        queue_cpus,
        balance,
    } = spec
    {
        if let Some(ratelimit) = ratelimit {
            parameters = parameters.with_ratelimit(*ratelimit)?;
        }
        if let Some(largest) = queue_cpus {
            grouping = Grouping::new(Scope::Socket, usize::from(*largest))?;
        }
        if !balance {
            parameters = parameters.without_balancing();
        }
    }
    Ok((grouping, parameters))
}

/// Sets the parameters of a partition, as far as its pool's scheduler has them.
fn parameters(
    policy: &mut AnyPolicy,
    index: usize,
    first: usize,
    partition: &Partition,
) -> Result<(), vcpu::Error> {
    let domain = Domain::new(index as u16);
    match policy {
        AnyPolicy::Credit(credit) => {
            if let Some(weight) = partition.weight {
                credit.set_weight(domain, weight)?;
            }
            if let Some(cap) = partition.cap {
                credit.set_cap(domain, cap)?;
            }
        }
        // Its caps need the units in the pool: see `admit`.
        AnyPolicy::Credit2(credit2) => {
            if let Some(weight) = partition.weight {
                credit2.set_weight(domain, weight, Instant::START)?;
            }
        }
        AnyPolicy::Rtds(rtds) => {
            for (place, spec) in partition.vcpus.iter().enumerate() {
                rtds.set_parameters(unit(first + place), server(spec), Demand::Forced)?;
            }
        }
        AnyPolicy::Sedf(sedf) => {
            for (place, spec) in partition.vcpus.iter().enumerate() {
                let parameters = slice(spec, partition.weight);
                let unit = unit(first + place);
                sedf.set_parameters(unit, parameters, Demand::Forced, Instant::START, &mut ())?;
            }
        }
        AnyPolicy::Null(_) | AnyPolicy::Arinc653(_) => {}
    }
    Ok(())
}

/// Returns a server as specified; the defaults' budget does not outgrow a period that is given.
fn server(spec: &VcpuSpec) -> rtds::Parameters {
    let default = rtds::Parameters::DEFAULT;
    let period = spec.period.unwrap_or(default.period);
    rtds::Parameters {
        period,
        budget: spec.budget.unwrap_or(default.budget.min(period)),
        extratime: spec.extra_time.unwrap_or(default.extratime),
    }
}

/// With a period or a budget: a slice; with a weight: a share; otherwise best effort.
fn slice(spec: &VcpuSpec, weight: Option<u32>) -> sedf::Parameters {
    let extratime = spec.extra_time.unwrap_or(true);
    match (spec.period, spec.budget, weight) {
        (None, None, Some(weight)) if extratime => sedf::Parameters::BestEffort { weight },
        (None, None, Some(weight)) => sedf::Parameters::Weighted { weight, extratime },
        (None, None, None) if extratime => sedf::Parameters::DEFAULT,
        (period, budget, _) => sedf::Parameters::Periodic {
            period: period.unwrap_or(sedf::Parameters::WEIGHT_PERIOD),
            slice: budget.unwrap_or(taktos_time::Duration::ZERO),
            latency: taktos_time::Duration::ZERO,
            extratime,
        },
    }
}

pub(super) fn unit(index: usize) -> Vcpu {
    Vcpu::new(index as u16)
}

/// Puts the processors, the units and, where it has one, the table into the pool.
pub(super) fn admit(
    workload: &Workload,
    pool: usize,
    policy: &mut AnyPolicy,
    begin: Instant,
    fx: &mut impl vcpu::Effects,
) -> Result<(), PartitionError> {
    let spec = &workload.pools[pool];
    let in_pool = |error| PartitionError::Pool {
        pool: spec.name.clone(),
        error,
    };
    for cpu in spec.cpus {
        policy.add_cpu(cpu, begin, fx).map_err(in_pool)?;
    }
    for (index, partition) in workload.partitions.iter().enumerate() {
        if pool_of(workload, index)? == pool {
            admit_partition(workload, index, policy, begin, fx).map_err(|error| {
                PartitionError::Vcpu {
                    partition: partition.name.clone(),
                    error,
                }
            })?;
        }
    }
    if let (AnyPolicy::Arinc653(arinc), VcpuPolicy::Arinc653 { frame, windows }) =
        (policy, &spec.policy)
    {
        let table = windows
            .iter()
            .map(|window| table_window(workload, pool, window))
            .collect::<Result<Vec<_>, _>>()?;
        arinc
            .set_table(&table, *frame, begin, fx)
            .map_err(in_pool)?;
    }
    Ok(())
}

fn admit_partition(
    workload: &Workload,
    index: usize,
    policy: &mut AnyPolicy,
    begin: Instant,
    fx: &mut impl vcpu::Effects,
) -> Result<(), vcpu::Error> {
    let partition = &workload.partitions[index];
    let domain = Domain::new(index as u16);
    let first = first_vcpu(workload, index);
    for (place, spec) in partition.vcpus.iter().enumerate() {
        let hard = hard(spec);
        let admission = Admission {
            domain,
            hard,
            soft: spec.soft_affinity.unwrap_or(hard),
        };
        policy.insert(unit(first + place), admission, begin, fx)?;
    }
    if let (AnyPolicy::Credit2(credit2), Some(cap)) = (policy, partition.cap) {
        credit2.set_cap(domain, cap, begin, fx)?;
    }
    Ok(())
}

/// A window of the table, by the number of its virtual processor.
fn table_window(
    workload: &Workload,
    pool: usize,
    window: &Window,
) -> Result<arinc653::Window, PartitionError> {
    let named = |p: &Partition| p.name == window.partition;
    let index = workload.partitions.iter().position(named);
    let place = usize::from(window.vcpu);
    if let Some(index) = index {
        let here = pool_of(workload, index)? == pool;
        if here && place < workload.partitions[index].vcpus.len() {
            return Ok(arinc653::Window {
                vcpu: unit(first_vcpu(workload, index) + place),
                runtime: window.runtime,
            });
        }
    }
    Err(PartitionError::UnknownWindow {
        pool: workload.pools[pool].name.clone(),
        partition: window.partition.clone(),
        vcpu: window.vcpu,
    })
}
