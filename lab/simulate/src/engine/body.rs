//! Owns: whether a task's steps make sense, and their flat form.
//! Must never know: how long they take.

use super::draw::{Draw, Row};
use super::plan::StepPlan;
use crate::{SimError, Step, Task, Workload};

/// Appends the steps of `task` to `steps`, a call as what it is: its server's
/// lock, held for the service.
pub(super) fn compile(
    workload: &Workload,
    task: &Task,
    steps: &mut Vec<StepPlan>,
) -> Result<(), SimError> {
    let mut held: Vec<u16> = Vec::new();
    let locks = workload.locks.len();
    for (index, step) in task.body.iter().enumerate() {
        let wrong = |what| SimError::Step {
            task: task.name.clone(),
            step: index + 1,
            what,
        };
        let row = Row::step(steps.len());
        match step {
            Step::Run(time) => steps.push(StepPlan::Run(Draw::execution(time, row))),
            Step::Suspend(time) => steps.push(StepPlan::Suspend(Draw::execution(time, row))),
            Step::Until(time) => steps.push(StepPlan::Until(time.as_nanos())),
            Step::Lock(lock) if usize::from(lock.0) >= locks => {
                return Err(wrong(
                    "there is no such lock: add it to the workload's locks",
                ));
            }
            Step::Lock(lock) if held.contains(&lock.0) => {
                return Err(wrong("the job holds this lock already: unlock it first"));
            }
            Step::Lock(lock) => {
                held.push(lock.0);
                steps.push(StepPlan::Lock(lock.0));
            }
            Step::Unlock(lock) => {
                let place = held.iter().position(|mine| *mine == lock.0);
                let place =
                    place.ok_or_else(|| wrong("the job does not hold this lock: lock it first"))?;
                held.remove(place);
                steps.push(StepPlan::Unlock(lock.0));
            }
            Step::Call { server, service } => {
                if usize::from(server.0) >= workload.servers.len() {
                    return Err(wrong(
                        "there is no such server: add it to the workload's servers",
                    ));
                }
                let lock = locks as u16 + server.0;
                let service = Draw::execution(service, row);
                steps.extend([
                    StepPlan::Lock(lock),
                    StepPlan::Run(service),
                    StepPlan::Unlock(lock),
                ]);
            }
        }
    }
    steps.push(StepPlan::End);
    match held.first() {
        None => Ok(()),
        Some(_) => Err(SimError::Step {
            task: task.name.clone(),
            step: task.body.len(),
            what: "the job ends with a lock: add the missing unlock",
        }),
    }
}
