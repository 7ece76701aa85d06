//! Owns: reading pools of processors and the guests on them.
//! Must never know: how a VCPU policy decides.

use super::body::Names;
use super::reader::{Entry, Table};
use super::task::{affinity, tasks};
use super::{FileError, named, policy, positive, suggest};
use crate::{Partition, Policy, Pool, VcpuPolicy, VcpuSpec, Window};

/// The VCPU policies by their names alone.
#[derive(Clone, Copy, Debug)]
pub enum VcpuPolicyKind {
    /// CREDIT.
    Credit,
    /// CREDIT2.
    Credit2,
    /// RTDS.
    Rtds,
    /// SEDF.
    Sedf,
    /// NULL.
    Null,
    /// ARINC 653.
    Arinc653,
}

/// Names of the policies in files.
pub const VCPU_POLICIES: [(&str, VcpuPolicyKind); 6] = [
    ("credit", VcpuPolicyKind::Credit),
    ("credit2", VcpuPolicyKind::Credit2),
    ("rtds", VcpuPolicyKind::Rtds),
    ("sedf", VcpuPolicyKind::Sedf),
    ("null", VcpuPolicyKind::Null),
    ("arinc653", VcpuPolicyKind::Arinc653),
];

/// Whether a pool behaves like Xen 4.5.
const PROFILES: [(&str, bool); 2] = [("current", false), ("xen-4.5", true)];

/// The tables `[[pool]]` and `[[partition]]`.
pub(super) fn read(table: &mut Table<'_>) -> Result<(Vec<Pool>, Vec<Partition>), FileError> {
    let pools = table.named_tables("pool", |pool: &Pool| &pool.name, pool)?;
    let partition = |table: &mut Table<'_>| partition(table, &pools);
    let partitions = table.named_tables("partition", |one: &Partition| &one.name, partition)?;
    Ok((pools, partitions))
}

fn pool(table: &mut Table<'_>) -> Result<Pool, FileError> {
    let name = named(table, "pool", "\"guests\"")?;
    let cpus = table.need("cpus", "\"0-1\"")?.cpus()?;
    let kind = table.need("policy", "\"rtds\"")?.choice(&VCPU_POLICIES)?;
    let profile = table.get("profile").map(|entry| entry.choice(&PROFILES));
    Ok(Pool {
        name,
        cpus,
        policy: vcpu_policy(table, kind)?,
        xen45: profile.transpose()?.unwrap_or(false),
    })
}

fn vcpu_policy(table: &mut Table<'_>, kind: VcpuPolicyKind) -> Result<VcpuPolicy, FileError> {
    Ok(match kind {
        VcpuPolicyKind::Credit => VcpuPolicy::Credit {
            slice: positive(table, "slice")?,
            ratelimit: table.time("ratelimit")?,
            balance: table.flag("balance")?.unwrap_or(true),
        },
        VcpuPolicyKind::Credit2 => VcpuPolicy::Credit2 {
            ratelimit: table.time("ratelimit")?,
            queue_cpus: match table.get("queue-cpus") {
                Some(entry) => Some(entry.whole(1..=64)? as u8),
                None => None,
            },
            balance: table.flag("balance")?.unwrap_or(true),
        },
        VcpuPolicyKind::Rtds => VcpuPolicy::Rtds,
        VcpuPolicyKind::Sedf => VcpuPolicy::Sedf,
        VcpuPolicyKind::Null => VcpuPolicy::Null,
        VcpuPolicyKind::Arinc653 => arinc653(table)?,
    })
}

fn arinc653(table: &mut Table<'_>) -> Result<VcpuPolicy, FileError> {
    let frame = table.need_time("frame")?;
    let mut windows = Vec::new();
    for mut window in table.tables("window")? {
        let partition = window.need("partition", "\"linux\"")?.text()?.to_owned();
        let vcpu = window
            .get("vcpu")
            .map(|entry| entry.whole(0..=u16::MAX.into()));
        windows.push(Window {
            partition,
            vcpu: vcpu.transpose()?.unwrap_or(0) as u16,
            runtime: window.need_time("runtime")?,
        });
        window.finish()?;
    }
    table.fit_into(frame, windows.iter().map(|window| window.runtime))?;
    Ok(VcpuPolicy::Arinc653 { frame, windows })
}

fn partition(table: &mut Table<'_>, pools: &[Pool]) -> Result<Partition, FileError> {
    let name = named(table, "partition", "\"linux\"")?;
    let pool = match table.get("pool") {
        Some(entry) => Some(known_pool(&entry, pools)?),
        None => None,
    };
    let names = Names::of(table)?;
    let tasks = tasks(table, &names)?;
    for task in &tasks {
        if task.cluster.is_some() {
            return Err(table.error(
                format!("{}: task {} has a cluster", table.what, task.name),
                "leave it: a guest has one cluster",
            ));
        }
    }
    let policy = table
        .get("scheduler")
        .map(|entry| policy(&entry))
        .transpose()?;
    let whole = |entry: Option<Entry<'_>>| entry.map(|entry| entry.whole(1..=65_535)).transpose();
    let weight = whole(table.get("weight"))?;
    let cap = whole(table.get("cap"))?;
    Ok(Partition {
        name,
        pool,
        vcpus: vcpus(table)?,
        weight: weight.map(|weight| weight as u32),
        cap: cap.map(|cap| cap as u32),
        policy: policy.unwrap_or(Policy::Priority),
        tasks,
        locks: names.locks,
        servers: names.servers,
    })
}

fn known_pool(entry: &Entry<'_>, pools: &[Pool]) -> Result<String, FileError> {
    let name = entry.text()?;
    if pools.iter().any(|pool| pool.name == name) {
        return Ok(name.to_owned());
    }
    let known: Vec<&str> = pools.iter().map(|pool| pool.name.as_str()).collect();
    let hint = suggest::hint(name, known.iter().copied());
    Err(entry.error(format!("is `{name}`, which is no pool"), hint))
}

/// `vcpus = 2`, or tables `[[partition.vcpu]]`; without either, one.
fn vcpus(table: &mut Table<'_>) -> Result<Vec<VcpuSpec>, FileError> {
    let count = match table.get("vcpus") {
        Some(entry) => Some((entry.whole(1..=64)?, entry)),
        None => None,
    };
    let tables = table.tables("vcpu")?;
    match count {
        Some((_, entry)) if !tables.is_empty() => Err(entry.error(
            "is given beside tables [[partition.vcpu]]",
            "leave one of the two",
        )),
        Some((count, _)) => Ok(vec![VcpuSpec::default(); count as usize]),
        None if tables.is_empty() => Ok(vec![VcpuSpec::default()]),
        None => tables.into_iter().map(vcpu).collect(),
    }
}

fn vcpu(mut table: Table<'_>) -> Result<VcpuSpec, FileError> {
    let vcpu = VcpuSpec {
        period: positive(&mut table, "period")?,
        budget: positive(&mut table, "budget")?,
        extra_time: table.flag("extra-time")?,
        hard_affinity: affinity(&mut table, "hard-affinity")?,
        soft_affinity: affinity(&mut table, "soft-affinity")?,
    };
    table.finish()?;
    Ok(vcpu)
}
