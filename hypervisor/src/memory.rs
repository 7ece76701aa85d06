//! Owns: the tables of the schedulers, and the schedulers made of a description.
//! Must never know: what happens when they run.

use crate::machine::Refusal;
use taktos_abi::vm::{Description, Policy as Wanted, Pool as PoolRecord, Server, Window};
#[cfg(any(feature = "credit", feature = "credit2"))]
use taktos_schedule::vcpu::Place;
use taktos_schedule::vcpu::admission::Demand;
use taktos_schedule::vcpu::arinc653::{self, Arinc653, Slot};
#[cfg(feature = "credit")]
use taktos_schedule::vcpu::credit;
#[cfg(feature = "credit2")]
use taktos_schedule::vcpu::credit2::{self, Grouping, Scope};
use taktos_schedule::vcpu::null::{self, Null};
use taktos_schedule::vcpu::pool::{AnyPolicy, Pool};
use taktos_schedule::vcpu::rtds::{Options, Rtds};
use taktos_schedule::vcpu::sedf::Sedf;
use taktos_schedule::vcpu::{Domain, Vcpu, rtds, sedf};
use taktos_time::{Duration, Instant};

const VCPUS: usize = Description::VCPUS;
#[cfg(any(feature = "credit", feature = "credit2"))]
const DOMAINS: usize = Description::PARTITIONS;
const CPUS: usize = Description::CPUS;

/// The place of each processor: one socket, one thread a core.
#[cfg(any(feature = "credit", feature = "credit2"))]
const PLACES: [Place; CPUS] = [
    Place::flat(0),
    Place::flat(1),
    Place::flat(2),
    Place::flat(3),
];

/// The tables of one pool, for whichever scheduler it gets.
struct Tables {
    #[cfg(feature = "credit")]
    credit: (
        [credit::Unit; VCPUS],
        [credit::DomainRecord; DOMAINS],
        [credit::Processor; CPUS],
    ),
    #[cfg(feature = "credit2")]
    credit2: (
        [credit2::Unit; VCPUS],
        [credit2::DomainRecord; DOMAINS],
        [credit2::Processor; CPUS],
        [credit2::RunQueue; CPUS],
    ),
    rtds: [rtds::Unit; VCPUS],
    sedf: ([sedf::Unit; VCPUS], [sedf::Processor; CPUS]),
    null: [null::Unit; VCPUS],
    arinc653: ([arinc653::Unit; VCPUS], [Slot; 16]),
}

impl Tables {
    const EMPTY: Self = Self {
        #[cfg(feature = "credit")]
        credit: (
            [credit::Unit::EMPTY; VCPUS],
            [credit::DomainRecord::EMPTY; DOMAINS],
            [credit::Processor::EMPTY; CPUS],
        ),
        #[cfg(feature = "credit2")]
        credit2: (
            [credit2::Unit::EMPTY; VCPUS],
            [credit2::DomainRecord::EMPTY; DOMAINS],
            [credit2::Processor::EMPTY; CPUS],
            [credit2::RunQueue::EMPTY; CPUS],
        ),
        rtds: [rtds::Unit::EMPTY; VCPUS],
        sedf: ([sedf::Unit::EMPTY; VCPUS], [sedf::Processor::EMPTY; CPUS]),
        null: [null::Unit::EMPTY; VCPUS],
        arinc653: ([arinc653::Unit::EMPTY; VCPUS], [Slot::EMPTY; 16]),
    };
}

/// State of the schedulers of all pools, which lives as long as the machine.
pub struct Memory {
    tables: [Tables; Description::POOLS],
    homes: [Option<Pool>; VCPUS],
    policies: Option<[AnyPolicy<'static>; Description::POOLS]>,
}

impl Memory {
    /// Empty tables.
    pub const fn new() -> Self {
        Self {
            tables: [const { Tables::EMPTY }; Description::POOLS],
            homes: [None; VCPUS],
            policies: None,
        }
    }

    /// Returns the schedulers that `description` requests (NULL for pools that it does not have),
    /// and the table of the units' pools. They are refused when a parameter is out of range.
    pub(crate) fn policies(
        &'static mut self,
        description: &Description,
    ) -> Result<
        (
            &'static mut [AnyPolicy<'static>],
            &'static mut [Option<Pool>],
        ),
        Refusal,
    > {
        let Self {
            tables,
            homes,
            policies,
        } = self;
        let [a, b, c, d] = tables;
        let pool =
            |n: usize| (n < usize::from(description.pool_count)).then(|| &description.pools[n]);
        // A refusal is stored next to the schedulers, not in their place: they are large, and made
        // where they stay.
        let mut refused = false;
        let made = policies.insert([
            policy(pool(0), a, &mut refused),
            policy(pool(1), b, &mut refused),
            policy(pool(2), c, &mut refused),
            policy(pool(3), d, &mut refused),
        ]);
        if refused {
            return Err(Refusal::Schedule);
        }
        for (index, policy) in made.iter_mut().enumerate() {
            parameters(policy, index, description)?;
        }
        Ok((made, homes))
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

const fn nanos(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

/// Records a refusal, and continues with a default value.
#[cfg(any(feature = "credit", feature = "credit2"))]
fn kept<T: Default, E>(value: Result<T, E>, refused: &mut bool) -> T {
    value.unwrap_or_else(|_| {
        *refused = true;
        T::default()
    })
}

fn policy<'m>(
    pool: Option<&PoolRecord>,
    tables: &'m mut Tables,
    refused: &mut bool,
) -> AnyPolicy<'m> {
    match pool.map_or(Wanted::Null, |pool| pool.policy) {
        #[cfg(feature = "credit")]
        Wanted::Credit {
            slice,
            ratelimit,
            migration_delay,
            balance,
        } => {
            let (units, domains, processors) = &mut tables.credit;
            let memory = credit::Memory {
                units,
                domains,
                processors,
            };
            AnyPolicy::Credit(credit::Credit::new(
                memory,
                &PLACES,
                kept(
                    credit_parameters(slice, ratelimit, migration_delay, balance),
                    refused,
                ),
            ))
        }
        #[cfg(feature = "credit2")]
        Wanted::Credit2 { ratelimit, balance } => {
            let (units, domains, processors, queues) = &mut tables.credit2;
            let memory = credit2::Memory {
                units,
                domains,
                processors,
                queues,
            };
            let parameters = credit2::Parameters::of(Default::default());
            let mut parameters = kept(parameters.with_ratelimit(nanos(ratelimit)), refused);
            let mut grouping = Grouping::new(Scope::Cpu, 1);
            if !balance {
                parameters = parameters.without_balancing();
                grouping = Grouping::new(Scope::All, CPUS);
            }
            let grouping = kept(grouping, refused);
            AnyPolicy::Credit2(credit2::Credit2::new(memory, &PLACES, grouping, parameters))
        }
        #[cfg(not(feature = "credit"))]
        Wanted::Credit { .. } => missing(tables, refused),
        #[cfg(not(feature = "credit2"))]
        Wanted::Credit2 { .. } => missing(tables, refused),
        Wanted::Rtds => AnyPolicy::Rtds(Rtds::new(&mut tables.rtds, Options::DEFAULT)),
        Wanted::Sedf => {
            let (units, processors) = &mut tables.sedf;
            AnyPolicy::Sedf(Sedf::new(units, processors))
        }
        Wanted::Null => AnyPolicy::Null(Null::new(&mut tables.null)),
        Wanted::Arinc653 { .. } => {
            let (units, slots) = &mut tables.arinc653;
            // No partition is the control domain: without a table nothing runs.
            AnyPolicy::Arinc653(Arinc653::new(units, slots, Domain::new(u16::MAX)))
        }
    }
}

/// The image does not have the scheduler.
#[cfg(not(all(feature = "credit", feature = "credit2")))]
fn missing<'m>(tables: &'m mut Tables, refused: &mut bool) -> AnyPolicy<'m> {
    *refused = true;
    AnyPolicy::Null(Null::new(&mut tables.null))
}

/// No limit first: it fits every slice.
#[cfg(feature = "credit")]
fn credit_parameters(
    slice: u64,
    ratelimit: u64,
    migration_delay: u64,
    balance: bool,
) -> Result<credit::Parameters, Refusal> {
    let (slice, ratelimit) = (nanos(slice), nanos(ratelimit));
    let default = credit::Parameters::of(Default::default());
    let set = default
        .with_ratelimit(Duration::ZERO)?
        .with_slice(slice)?
        .with_ratelimit(ratelimit)?
        .with_migration_delay(nanos(migration_delay))?;
    Ok(if balance {
        set
    } else {
        set.without_balancing()
    })
}

/// Sets what partitions and VCPUs ask for, as far as their pool's scheduler has it. Admission is
/// the tool's business, before it hands a description over.
#[cfg_attr(
    not(any(feature = "credit", feature = "credit2")),
    expect(
        unused_variables,
        reason = "domains have parameters under CREDIT and CREDIT2 alone"
    )
)]
fn parameters(
    policy: &mut AnyPolicy,
    pool: usize,
    description: &Description,
) -> Result<(), Refusal> {
    let partitions = description.partitions.iter().enumerate();
    for (index, partition) in partitions.take(usize::from(description.partition_count)) {
        if usize::from(partition.pool) != pool {
            continue;
        }
        #[cfg(any(feature = "credit", feature = "credit2"))]
        let domain = Domain::new(index as u16);
        let first = usize::from(partition.first_vcpu);
        let vcpus = first..first + usize::from(partition.vcpus);
        match policy {
            #[cfg(feature = "credit")]
            AnyPolicy::Credit(credit) => {
                credit.set_weight(domain, partition.weight)?;
                credit.set_cap(domain, partition.cap)?;
            }
            #[cfg(feature = "credit2")]
            AnyPolicy::Credit2(credit2) => {
                credit2.set_weight(domain, partition.weight, Instant::START)?;
            }
            AnyPolicy::Rtds(rtds) => {
                for vcpu in vcpus {
                    let Server {
                        period,
                        budget,
                        extra,
                        ..
                    } = description.vcpus[vcpu].server;
                    let server = rtds::Parameters {
                        period: nanos(period),
                        budget: nanos(budget),
                        extratime: extra,
                    };
                    rtds.set_parameters(Vcpu::new(vcpu as u16), server, Demand::Forced)?;
                }
            }
            AnyPolicy::Sedf(sedf) => {
                for vcpu in vcpus {
                    sedf.set_parameters(
                        Vcpu::new(vcpu as u16),
                        slice(description.vcpus[vcpu].server),
                        Demand::Forced,
                        Instant::START,
                        &mut (),
                    )?;
                }
            }
            AnyPolicy::Null(_) | AnyPolicy::Arinc653(_) => {}
        }
    }
    Ok(())
}

/// With a period: a slice of it; otherwise a share or extra time by weight.
fn slice(server: Server) -> sedf::Parameters {
    match server {
        Server {
            period: 0,
            weight: 0,
            ..
        } => sedf::Parameters::DEFAULT,
        Server {
            period: 0,
            weight,
            extra: true,
            ..
        } => sedf::Parameters::BestEffort { weight },
        Server {
            period: 0, weight, ..
        } => sedf::Parameters::Weighted {
            weight,
            extratime: false,
        },
        Server {
            period,
            budget,
            extra,
            ..
        } => sedf::Parameters::Periodic {
            period: nanos(period),
            slice: nanos(budget),
            latency: Duration::ZERO,
            extratime: extra,
        },
    }
}

/// The windows of a table, for the scheduler.
pub(crate) fn window(window: &Window) -> arinc653::Window {
    arinc653::Window {
        vcpu: Vcpu::new(u16::from(window.vcpu)),
        runtime: nanos(window.length),
    }
}
