//! Owns: reading pools of processors, their schedulers and parameters.
//! Must never know: the decisions of a policy.

use taktos_abi::vm::Description;
use taktos_schedule::CpuSet;
use taktos_schedule::vcpu::{Error, credit, credit2};
use taktos_simulate::file::reader::Table;
use taktos_simulate::file::{FileError, VCPU_POLICIES, VcpuPolicyKind, suggest};
use taktos_time::Duration;

use super::text::{self, shown_cpus};
use super::{Machine, Partition, Policy, Pool, Window};

/// The most windows of a table.
const WINDOWS: usize = 16;

/// The windows of each pool, with the names of partitions that are not known yet: each window with
/// the error for an unknown partition.
pub(super) type Windows = Vec<Vec<(Window, FileError)>>;

/// The tables `[[pool]]`; without any, all processors under CREDIT2.
pub(super) fn read(
    table: &mut Table<'_>,
    machine: &Machine,
) -> Result<(Vec<Pool>, Windows), FileError> {
    let all: CpuSet = CpuSet::first(machine.cpus);
    let mut pools: Vec<Pool> = Vec::new();
    let mut windows = Vec::new();
    for mut table in table.tables("pool")? {
        let (pool, own) = pool(&mut table, all)?;
        if pools.len() == Description::POOLS {
            return Err(table.error("there are more than four pools", "leave one"));
        }
        for other in &pools {
            table.distinct("pool", &pool.name, [&*other.name].into_iter())?;
            let both = other.cpus.and(pool.cpus);
            if !both.is_empty() {
                let cause = format!(
                    "{} has processor {} of the pool {}",
                    table.what,
                    shown_cpus(both),
                    other.name
                );
                return Err(table.error(cause, "give each processor to one pool"));
            }
        }
        table.finish()?;
        pools.push(pool);
        windows.push(own);
    }
    if pools.is_empty() {
        pools.push(Pool {
            name: "all".into(),
            cpus: all,
            policy: Policy::credit2(),
            line: None,
        });
        windows.push(Vec::new());
    }
    Ok((pools, windows))
}

fn pool(table: &mut Table<'_>, all: CpuSet) -> Result<(Pool, Vec<(Window, FileError)>), FileError> {
    let name = text::name(table, "pool", "\"realtime\"")?;
    let entry = table.need("cpus", "\"0-1\"")?;
    let cpus = entry.cpus()?;
    if cpus.and(all) != cpus {
        return Err(entry.error(
            format!(
                "names a processor that there is not: there are {}",
                shown_cpus(all)
            ),
            "name others, or give [machine] more with cpus",
        ));
    }
    let kind = table.need("policy", "\"rtds\"")?.choice(&VCPU_POLICIES)?;
    let (policy, windows) = policy(table, kind)?;
    let line = Some(table.line());
    Ok((
        Pool {
            name,
            cpus,
            policy,
            line,
        },
        windows,
    ))
}

fn policy(
    table: &mut Table<'_>,
    kind: VcpuPolicyKind,
) -> Result<(Policy, Vec<(Window, FileError)>), FileError> {
    let policy = match kind {
        VcpuPolicyKind::Credit => credit(table)?,
        VcpuPolicyKind::Credit2 => credit2(table)?,
        VcpuPolicyKind::Rtds => Policy::Rtds,
        VcpuPolicyKind::Sedf => Policy::Sedf,
        VcpuPolicyKind::Null => Policy::Null,
        VcpuPolicyKind::Arinc653 => return arinc653(table),
    };
    Ok((policy, Vec::new()))
}

fn flag(table: &mut Table<'_>, key: &str, default: bool) -> Result<bool, FileError> {
    let given = table.get(key).map(|entry| entry.boolean()).transpose()?;
    Ok(given.unwrap_or(default))
}

/// Returns the library's error of a parameter as an error of the table.
fn refused(table: &Table<'_>, error: &Error) -> FileError {
    let words = error.to_string();
    let (cause, hint) = words.rsplit_once(": ").unwrap_or((&words, "give another"));
    table.error(format!("{}: {cause}", table.what), hint)
}

fn credit(table: &mut Table<'_>) -> Result<Policy, FileError> {
    let slice = table.time("slice")?.unwrap_or(Duration::from_millis(30));
    let ratelimit = table.time("ratelimit")?.unwrap_or(Duration::from_millis(1));
    let migration_delay = table.time("migration-delay")?.unwrap_or_default();
    let balance = flag(table, "balance", true)?;
    credit::Parameters::DEFAULT
        .with_slice(slice)
        .and_then(|so_far| so_far.with_ratelimit(ratelimit))
        .and_then(|so_far| so_far.with_migration_delay(migration_delay))
        .map_err(|error| refused(table, &error))?;
    Ok(Policy::Credit {
        slice,
        ratelimit,
        migration_delay,
        balance,
    })
}

fn credit2(table: &mut Table<'_>) -> Result<Policy, FileError> {
    let ratelimit = table.time("ratelimit")?.unwrap_or(Duration::from_millis(1));
    let balance = flag(table, "balance", true)?;
    credit2::Parameters::DEFAULT
        .with_ratelimit(ratelimit)
        .map_err(|error| refused(table, &error))?;
    Ok(Policy::Credit2 { ratelimit, balance })
}

fn arinc653(table: &mut Table<'_>) -> Result<(Policy, Vec<(Window, FileError)>), FileError> {
    let frame = table.need_time("frame")?;
    let mut windows = Vec::new();
    for mut window in table.tables("window")? {
        let entry = window.need("partition", "\"linux\"")?;
        let partition = entry.text()?.to_owned();
        let unknown = entry.error(format!("is `{partition}`, which is no partition"), "");
        let vcpu = window
            .get("vcpu")
            .map(|entry| entry.whole(0..=15))
            .transpose()?;
        let runtime = window.need_time("runtime")?;
        let line = Some(window.line());
        window.finish()?;
        let vcpu = vcpu.unwrap_or(0) as usize;
        windows.push((
            Window {
                partition,
                vcpu,
                runtime,
                line,
            },
            unknown,
        ));
    }
    if windows.is_empty() || windows.len() > WINDOWS {
        return Err(table.error(
            format!("{} has {} windows", table.what, windows.len()),
            "write 1 to 16 tables [[pool.window]] with partition and runtime",
        ));
    }
    table.fit_into(frame, windows.iter().map(|(window, _)| window.runtime))?;
    let policy = Policy::Arinc653 {
        frame,
        windows: Vec::new(),
    };
    Ok((policy, windows))
}

/// The pools with their windows, now that the partitions are known.
pub(super) fn with_windows(
    mut pools: Vec<Pool>,
    windows: Windows,
    partitions: &[Partition],
) -> Result<Vec<Pool>, FileError> {
    let places = pools.iter_mut().enumerate().zip(windows);
    for ((place, pool), own) in places {
        let Policy::Arinc653 { windows, .. } = &mut pool.policy else {
            continue;
        };
        for (window, unknown) in own {
            check_window(&window, place, &pool.name, partitions).map_err(|(cause, hint)| {
                FileError {
                    cause: cause.unwrap_or(unknown.cause),
                    hint,
                    ..unknown
                }
            })?;
            windows.push(window);
        }
    }
    Ok(pools)
}

/// Checks that the window's unit is in the pool: the error is the cause (none: no such partition),
/// and the hint.
fn check_window(
    window: &Window,
    pool: usize,
    pool_name: &str,
    partitions: &[Partition],
) -> Result<(), (Option<String>, String)> {
    let name = &window.partition;
    let Some(partition) = partitions.iter().find(|one| one.name == *name) else {
        let known = partitions.iter().map(|partition| partition.name.as_str());
        return Err((None, suggest::hint(name, known)));
    };
    if partition.pool != pool {
        let cause =
            format!("a window of the pool {pool_name} is for {name}, which is in another pool");
        return Err((
            Some(cause),
            format!("put {name} in it: pool = \"{pool_name}\""),
        ));
    }
    if window.vcpu >= partition.vcpus.len() {
        let cause = format!(
            "a window is for VCPU {} of {name}, which has {}",
            window.vcpu,
            partition.vcpus.len()
        );
        return Err((Some(cause), "VCPUs are numbered from 0".into()));
    }
    Ok(())
}
