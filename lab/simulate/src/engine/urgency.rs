//! Owns: how urgent tasks can be when they ask for locks: by their own priorities, by the ceilings
//! of the locks that they hold, and by the waiters for these locks.
//! Must never know: the use of this urgency by a lock's protocol when the workload runs.

use crate::{LockId, Protocol, Step, Workload};

/// No task: less urgent than every priority.
pub(super) const NOBODY: u32 = u32::MAX;

/// A step at which a task requests a lock.
struct Request {
    task: usize,
    lock: usize,
    /// The locks that the task holds then.
    held: Vec<usize>,
    /// How urgent it can be then, in each cluster.
    urgency: Vec<u32>,
}

/// The most urgent of the tasks that ask for a lock, and the highest urgency of the other tasks: no
/// task waits for itself.
#[derive(Clone, Copy)]
struct Least {
    task: usize,
    urgency: u32,
    others: u32,
}

impl Least {
    const NOBODY: Self = Self {
        task: 0,
        urgency: NOBODY,
        others: NOBODY,
    };

    fn add(&mut self, task: usize, urgency: u32) {
        if urgency < self.urgency {
            if task != self.task {
                self.others = self.urgency;
            }
            (self.task, self.urgency) = (task, urgency);
        } else if task != self.task {
            self.others = self.others.min(urgency);
        }
    }

    /// Returns the highest urgency of the tasks that may wait while `task` holds the lock.
    fn beside(&self, task: usize) -> u32 {
        if task == self.task {
            self.others
        } else {
            self.urgency
        }
    }
}

/// Returns for each lock and cluster the most urgent priority at which a task of the cluster can
/// request it, [`NOBODY`] if none does. `named` are the given ceilings. Without one, the priority
/// is the ceiling too.
///
/// Urgencies follow from each other, through ceilings and chains of waiting, until none becomes
/// more urgent: at most one round for each link of the longest chain.
pub(super) fn ceilings(
    workload: &Workload,
    homes: &[usize],
    priorities: &[u32],
    named: &[Vec<Option<u32>>],
    clusters: usize,
) -> Vec<Vec<u32>> {
    let mut requests = requests(workload, clusters);
    let none = vec![NOBODY; clusters];
    let mut ceilings: Vec<Vec<u32>> = vec![none; workload.locks.len()];
    for (ceilings, named) in ceilings.iter_mut().zip(named) {
        for (ceiling, named) in ceilings.iter_mut().zip(named) {
            *ceiling = named.unwrap_or(NOBODY);
        }
    }
    loop {
        let waiters = waiters(&requests, workload, homes, &ceilings, clusters);
        let mut changed = false;
        for request in &mut requests {
            let home = homes[request.task];
            for cluster in 0..clusters {
                let at_home = home == cluster;
                let mut urgency = if at_home {
                    priorities[request.task]
                } else {
                    NOBODY
                };
                for held in request.held.iter().copied() {
                    let protocol = workload.locks[held].protocol;
                    if at_home && has_ceiling(protocol) {
                        urgency = urgency.min(ceilings[held][cluster]);
                    }
                    if inherits(protocol) {
                        urgency = urgency.min(waiters[held][cluster].beside(request.task));
                    }
                }
                changed |= urgency < request.urgency[cluster];
                request.urgency[cluster] = urgency;
            }
            if named[request.lock][home].is_none() {
                let ceiling = &mut ceilings[request.lock][home];
                *ceiling = (*ceiling).min(request.urgency[home]);
            }
        }
        if !changed {
            return ceilings;
        }
    }
}

/// Returns the highest urgency of the tasks that may wait for each lock, in each cluster.
fn waiters(
    requests: &[Request],
    workload: &Workload,
    homes: &[usize],
    ceilings: &[Vec<u32>],
    clusters: usize,
) -> Vec<Vec<Least>> {
    let mut waiters = vec![vec![Least::NOBODY; clusters]; workload.locks.len()];
    for Request {
        task,
        lock,
        urgency,
        ..
    } in requests
    {
        let spins = workload.locks[*lock].protocol == Protocol::MrsP;
        for cluster in 0..clusters {
            let mut urgency = urgency[cluster];
            if spins && homes[*task] == cluster {
                urgency = urgency.min(ceilings[*lock][cluster]);
            }
            waiters[*lock][cluster].add(*task, urgency);
        }
    }
    waiters
}

/// Returns every step that requests a lock.
fn requests(workload: &Workload, clusters: usize) -> Vec<Request> {
    let mut requests = Vec::new();
    for (task, steps) in workload.tasks.iter().map(|task| &task.body).enumerate() {
        let mut held: Vec<usize> = Vec::new();
        for step in steps {
            match step {
                Step::Lock(LockId(lock)) => {
                    let lock = usize::from(*lock);
                    requests.push(Request {
                        task,
                        lock,
                        held: held.clone(),
                        urgency: vec![NOBODY; clusters],
                    });
                    held.push(lock);
                }
                Step::Unlock(LockId(lock)) => {
                    if let Some(at) = held.iter().rposition(|held| *held == usize::from(*lock)) {
                        held.remove(at);
                    }
                }
                Step::Run(_) | Step::Suspend(_) | Step::Until(_) | Step::Call { .. } => {}
            }
        }
    }
    requests
}

/// Whether locks of this protocol have ceilings.
pub(super) fn has_ceiling(protocol: Protocol) -> bool {
    matches!(protocol, Protocol::Ceiling | Protocol::MrsP)
}

/// Whether the owner has its waiters' priorities.
fn inherits(protocol: Protocol) -> bool {
    use Protocol::{Inheritance, MrsP, Omip};
    matches!(protocol, Inheritance | Omip | MrsP)
}
