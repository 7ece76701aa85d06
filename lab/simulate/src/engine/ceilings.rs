//! Owns: the locks of a plan and their ceilings.
//! Must never know: the effect of a ceiling.

use super::plan::LockPlan;
use super::prepare::known;
use super::urgency;
use crate::{LockId, LockSpec, Protocol, Resource, ServerId, Setup, SimError, Step, Workload};

/// The workload's locks and after them its servers'. Locks that no task uses keep their place.
pub(super) fn locks(
    workload: &Workload,
    setup: &Setup,
    homes: &[usize],
    priorities: &[u32],
) -> Result<Vec<LockPlan>, SimError> {
    let named = workload.locks.iter().map(|lock| named(lock, setup));
    let named = named.collect::<Result<Vec<_>, _>>()?;
    let clusters = setup.clusters.len();
    let chosen = urgency::ceilings(workload, homes, priorities, &named, clusters);
    let mut plans = Vec::new();
    for (index, lock) in workload.locks.iter().enumerate() {
        let id = LockId(index as u16);
        let users = users(
            workload,
            |step| matches!(step, Step::Lock(used) if *used == id),
        );
        let creator = users.first().copied().unwrap_or(0);
        let home = homes.get(creator).copied().unwrap_or(0);
        plans.push(LockPlan {
            name: lock.name.clone(),
            resource: Resource::Lock(id),
            protocol: lock.protocol,
            creator: creator as u16,
            ceilings: ceilings(lock.protocol, home, &chosen[index]),
        });
    }
    for (index, server) in workload.servers.iter().enumerate() {
        let id = ServerId(index as u16);
        let users = users(
            workload,
            |step| matches!(step, Step::Call { server, .. } if *server == id),
        );
        plans.push(LockPlan {
            name: server.name.clone(),
            resource: Resource::Server(id),
            protocol: Protocol::Inheritance,
            creator: users.first().copied().unwrap_or(0) as u16,
            ceilings: Vec::new(),
        });
    }
    Ok(plans)
}

/// The tasks with a step that `uses` it.
fn users(workload: &Workload, uses: impl Fn(&Step) -> bool) -> Vec<usize> {
    let tasks = workload.tasks.iter().enumerate();
    let users = tasks.filter(|(_, task)| task.body.iter().any(&uses));
    users.map(|(index, _)| index).collect()
}

/// The ceilings that the lock names, for each cluster.
fn named(lock: &LockSpec, setup: &Setup) -> Result<Vec<Option<u32>>, SimError> {
    let mut named = vec![None; setup.clusters.len()];
    if !urgency::has_ceiling(lock.protocol) {
        return Ok(named);
    }
    for (name, ceiling) in &lock.ceilings {
        let mut clusters = setup.clusters.iter();
        let place = clusters.position(|cluster| cluster.name == *name);
        let place = place.ok_or_else(|| SimError::CeilingCluster {
            lock: lock.name.clone(),
            cluster: name.clone(),
            known: known(setup),
        })?;
        named[place] = Some(*ceiling);
    }
    Ok(named)
}

/// The ceiling in each cluster that has users, or that the lock names one for. That of its home
/// must not be missing: where no task uses it, any will do.
fn ceilings(protocol: Protocol, home: usize, chosen: &[u32]) -> Vec<(u8, u32)> {
    if !urgency::has_ceiling(protocol) {
        return Vec::new();
    }
    let given = chosen.iter().enumerate().filter_map(|(cluster, ceiling)| {
        let ceiling = match *ceiling {
            urgency::NOBODY if cluster == home => MOST_URGENT,
            urgency::NOBODY => return None,
            ceiling => ceiling,
        };
        Some((cluster as u8, ceiling))
    });
    given.collect()
}

/// The ceiling of locks for which none is given.
const MOST_URGENT: u32 = 0;
