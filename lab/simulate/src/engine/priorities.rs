//! Owns: the priority of each task.
//! Must never know: the use of it by a policy.

use taktos_schedule::smp::PolicyKind;

use crate::{Setup, SimError, Workload};

/// The priority of each task: its own, or by relative deadline.
///
/// Deadline-monotonic order is optimal among fixed priorities for constrained
/// deadlines on one processor (Leung and Whitehead 1982). Ranks count from 1
/// over all tasks; where a cluster's policy has fewer levels than there are
/// ranks, neighbours share one.
pub(super) fn assign(
    workload: &Workload,
    setup: &Setup,
    homes: &[usize],
) -> Result<Vec<u32>, SimError> {
    let ranks = ranks(workload);
    let tasks = workload.tasks.iter().enumerate();
    tasks
        .map(|(index, task)| {
            let policy = PolicyKind::from(setup.clusters[homes[index]].policy);
            let least = policy.least_urgent().0;
            match task.priority {
                Some(priority) if priority > least => Err(SimError::Value {
                    task: task.name.clone(),
                    what: "its priority is beyond its scheduler's least urgent one",
                    hint: "give it 0 to 255 (simple, edf, strong-affinity, cbs: to 2147483647)",
                }),
                Some(priority) => Ok(priority),
                None => Ok(squeeze(ranks[index], ranks.len() as u32, least)),
            }
        })
        .collect()
}

/// The place of each task in deadline-monotonic order, from 1.
fn ranks(workload: &Workload) -> Vec<u32> {
    let mut order: Vec<usize> = (0..workload.tasks.len()).collect();
    // A task without a deadline comes last; the sort is stable.
    order.sort_by_key(|index| {
        let deadline = workload.tasks[*index].relative_deadline();
        (deadline.is_none(), deadline)
    });
    let mut ranks = vec![0; order.len()];
    for (place, index) in order.into_iter().enumerate() {
        ranks[index] = place as u32 + 1;
    }
    ranks
}

/// Rank `rank` of `count`, in 1 to `least`.
pub(crate) fn squeeze(rank: u32, count: u32, least: u32) -> u32 {
    if count <= least {
        return rank;
    }
    let place = u64::from(rank - 1) * u64::from(least) / u64::from(count);
    place as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_ranks_share_levels_in_order() {
        assert_eq!(squeeze(7, 255, 255), 7);
        let levels: Vec<u32> = (1..=1_000).map(|rank| squeeze(rank, 1_000, 255)).collect();
        assert!(levels.is_sorted());
        assert_eq!((levels[0], levels[999]), (1, 255));
    }
}
