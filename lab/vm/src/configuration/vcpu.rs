//! Owns: reading virtual processors, and the servers that a policy derives from them.
//! Must never know: the other units on the processor.

use taktos_abi::vm::Server;
use taktos_schedule::CpuSet;
use taktos_schedule::vcpu::{Error, rtds, sedf};
use taktos_simulate::file::reader::Table;
use taktos_simulate::file::{FileError, positive};
use taktos_time::Duration;

use super::text::shown_cpus;
use super::{Policy, Pool, Vcpu};

/// The most virtual processors of one partition.
const MOST: u64 = 16;

/// `vcpus = 2`, or tables `[[partition.vcpu]]`; without either, one.
pub(super) fn read(table: &mut Table<'_>, pool: &Pool) -> Result<Vec<Vcpu>, FileError> {
    let line = Some(table.line());
    let default = Vcpu {
        line,
        ..Vcpu::default()
    };
    let count = match table.get("vcpus") {
        Some(entry) => Some((entry.whole(1..=MOST)?, entry)),
        None => None,
    };
    let tables = table.tables("vcpu")?;
    match count {
        Some((_, entry)) if !tables.is_empty() => Err(entry.error(
            "is given beside tables [[partition.vcpu]]",
            "leave one of the two",
        )),
        Some((count, _)) => Ok(vec![default; count as usize]),
        None if tables.is_empty() => Ok(vec![default]),
        None => tables.into_iter().map(|table| vcpu(table, pool)).collect(),
    }
}

fn vcpu(mut table: Table<'_>, pool: &Pool) -> Result<Vcpu, FileError> {
    let weight = table.get("weight").map(|entry| entry.whole(1..=65_535));
    let vcpu = Vcpu {
        hard_affinity: affinity(&mut table, "hard-affinity", pool)?,
        soft_affinity: affinity(&mut table, "soft-affinity", pool)?,
        period: positive(&mut table, "period")?,
        budget: table.time("budget")?,
        extra_time: table
            .get("extra-time")
            .map(|entry| entry.boolean())
            .transpose()?,
        weight: weight.transpose()?.map(|weight| weight as u32),
        line: Some(table.line()),
    };
    if vcpu.weight.is_some() && (vcpu.period.is_some() || vcpu.budget.is_some()) {
        return Err(table.error(
            format!("{} has a weight beside a period or a budget", table.what),
            "leave the weight, or the other two",
        ));
    }
    if let Err(error) = vcpu.server_of(&pool.policy) {
        let words = error.to_string();
        let (cause, hint) = words.rsplit_once(": ").unwrap_or((&words, "give another"));
        return Err(table.error(format!("{}: {cause}", table.what), hint));
    }
    table.finish()?;
    Ok(vcpu)
}

fn affinity(table: &mut Table<'_>, key: &str, pool: &Pool) -> Result<Option<CpuSet>, FileError> {
    let Some(entry) = table.get(key) else {
        return Ok(None);
    };
    let cpus = entry.cpus()?;
    if cpus.and(pool.cpus) == cpus {
        return Ok(Some(cpus));
    }
    let cause = format!(
        "names a processor that is not in the pool {}, which has {}",
        pool.name,
        shown_cpus(pool.cpus)
    );
    Err(entry.error(
        cause,
        "name processors of the pool, or put the partition in another",
    ))
}

impl Vcpu {
    /// Returns its server under a policy: the given parameters, and the policy's defaults. Under a
    /// policy without servers it has none, independent of the parameters.
    ///
    /// A server of SEDF with a weight has no period: with extra time it is best effort, without
    /// it shares what others' periods leave.
    #[must_use]
    pub fn server(&self, policy: &Policy) -> Server {
        self.server_of(policy).unwrap_or(Server::EMPTY)
    }

    /// Returns its server as [`Self::server`] does, or the library's error.
    pub(super) fn server_of(&self, policy: &Policy) -> Result<Server, Error> {
        match policy {
            Policy::Rtds => {
                let parameters = self.rtds();
                parameters.check()?;
                Ok(server(
                    parameters.period,
                    parameters.budget,
                    parameters.extratime,
                ))
            }
            Policy::Sedf => {
                let parameters = self.sedf();
                parameters.check()?;
                Ok(of_sedf(&parameters))
            }
            _ => Ok(Server::EMPTY),
        }
    }

    /// Returns its parameters for RTDS.
    pub(super) fn rtds(&self) -> rtds::Parameters {
        let default = rtds::Parameters::DEFAULT;
        rtds::Parameters {
            period: self.period.unwrap_or(default.period),
            budget: self.budget.unwrap_or(default.budget),
            extratime: self.extra_time.unwrap_or(default.extratime),
        }
    }

    /// Returns its parameters for SEDF.
    pub(super) fn sedf(&self) -> sedf::Parameters {
        let extratime = self.extra_time.unwrap_or(true);
        if self.period.is_none() && self.budget.is_none() {
            let weight = self.weight.unwrap_or(1);
            return match extratime {
                true => sedf::Parameters::BestEffort { weight },
                false => sedf::Parameters::Weighted { weight, extratime },
            };
        }
        sedf::Parameters::Periodic {
            period: self.period.unwrap_or(sedf::Parameters::WEIGHT_PERIOD),
            slice: self.budget.unwrap_or_default(),
            latency: Duration::ZERO,
            extratime,
        }
    }

    /// Returns whether it says anything of a server.
    pub(super) const fn speaks_of_a_server(&self) -> bool {
        self.period.is_some() || self.budget.is_some() || self.extra_time.is_some()
    }

    /// Returns where it may run in its pool.
    #[must_use]
    pub fn allowed(&self, pool: &Pool) -> CpuSet {
        self.hard_affinity.unwrap_or(pool.cpus)
    }
}

fn server(period: Duration, budget: Duration, extra: bool) -> Server {
    Server {
        period: period.as_nanos(),
        budget: budget.as_nanos(),
        extra,
        weight: 0,
    }
}

fn of_sedf(parameters: &sedf::Parameters) -> Server {
    match *parameters {
        sedf::Parameters::Periodic {
            period,
            slice,
            extratime,
            ..
        } => server(period, slice, extratime),
        sedf::Parameters::Weighted { weight, extratime } => Server {
            weight,
            extra: extratime,
            ..Server::EMPTY
        },
        sedf::Parameters::BestEffort { weight } => Server {
            weight,
            extra: true,
            ..Server::EMPTY
        },
    }
}
