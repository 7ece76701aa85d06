//! Owns: the locks of a plan and their ceilings.
//! Must never know: what a ceiling does.

use super::plan::LockPlan;
use super::prepare::known;
use crate::{LockId, LockSpec, Protocol, Resource, ServerId, Setup, SimError, Step, Workload};

/// The workload's locks and after them its servers'. Locks that no task uses keep their place.
pub(super) fn locks(
    workload: &Workload,
    setup: &Setup,
    homes: &[usize],
    priorities: &[u32],
) -> Result<Vec<LockPlan>, SimError> {
    let mut plans = Vec::new();
    for (index, lock) in workload.locks.iter().enumerate() {
        let id = LockId(index as u16);
        let users = users(
            workload,
            |step| matches!(step, Step::Lock(used) if *used == id),
        );
        plans.push(LockPlan {
            name: lock.name.clone(),
            resource: Resource::Lock(id),
            protocol: lock.protocol,
            creator: users.first().copied().unwrap_or(0) as u16,
            ceilings: ceilings(lock, setup, &users, homes, priorities)?,
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

/// The ceiling in each cluster that has users, or that the lock names one for.
fn ceilings(
    lock: &LockSpec,
    setup: &Setup,
    users: &[usize],
    homes: &[usize],
    priorities: &[u32],
) -> Result<Vec<(u8, u32)>, SimError> {
    if matches!(
        lock.protocol,
        Protocol::None | Protocol::Inheritance | Protocol::Omip
    ) {
        return Ok(Vec::new());
    }
    let mut ceilings: Vec<Option<u32>> = (0..setup.clusters.len())
        .map(|cluster| {
            let local = users.iter().filter(|user| homes[**user] == cluster);
            local.map(|user| priorities[*user]).min()
        })
        .collect();
    for (name, ceiling) in &lock.ceilings {
        let place = setup
            .clusters
            .iter()
            .position(|cluster| cluster.name == *name);
        let place = place.ok_or_else(|| SimError::CeilingCluster {
            lock: lock.name.clone(),
            cluster: name.clone(),
            known: known(setup),
        })?;
        ceilings[place] = Some(*ceiling);
    }
    let given = ceilings.into_iter().enumerate();
    Ok(given
        .filter_map(|(cluster, ceiling)| Some((cluster as u8, ceiling?)))
        .collect())
}
