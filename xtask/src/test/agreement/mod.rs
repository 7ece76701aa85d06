//! The step that holds the simulator against the hypervisor: the same partitions, run by its image
//! in the emulator, and simulated.
//!
//! Owns: what is measured beforehand, and how far apart the two may be.
//! Must never know: how either schedule comes about.

mod cases;
mod machine;
mod simulated;
mod turns;

use anyhow::{Context, Result, ensure};
use taktos_experiments::baseline::{Baseline, checked_in};
use taktos_runner::workspace::Workspace;

use super::Tally;
use cases::{Case, Guest, Needs};
use machine::{Recorder, Recording};
use simulated::{Measured, simulate};
use turns::compare;

/// How long machines run, in instructions. Machines that only show what their guest needs, and the
/// one with a policy that decides nothing, run less: they idle, and idling is none.
const LENGTH: u64 = 300_000_000;
const SHORT: u64 = 12_000_000;

/// Under each policy the simulator has the order of the hypervisor, and its times but for what its
/// acts cost.
pub(super) fn agree(workspace: &Workspace) -> Result<Tally> {
    let costs = measured(workspace)?;
    let recorder = Recorder::ready(workspace)?;
    let mut all = Tally::default();
    for case in cases::all() {
        all.add(one(&recorder, costs, &case).with_context(|| case.policy)?);
    }
    Ok(all)
}

/// The checked-in counts of the hypervisor's operations.
fn measured(workspace: &Workspace) -> Result<Measured> {
    let baseline: Baseline = checked_in(workspace, taktos_emulator::Board::HYPERVISOR.name())?;
    let count = |operation: &str| {
        let counts = baseline.operations.get(operation);
        let counts = counts.with_context(|| format!("the baseline has no {operation}"))?;
        Ok::<_, anyhow::Error>(counts.instructions.max)
    };
    Ok(Measured {
        switch: count("switch")?,
        timer: count("timer-interrupt")?,
        wait: count("wait-and-wake")?,
    })
}

fn one(recorder: &Recorder, costs: Measured, case: &Case) -> Result<Tally> {
    let needs = case
        .guests
        .iter()
        .map(|guest| needs(recorder, costs, *guest));
    let needs = needs.collect::<Result<Vec<_>>>()?;
    let length = if case.guests.len() == 1 {
        SHORT
    } else {
        LENGTH
    };
    let recording = recorder.record(case, length)?;
    let tolerance = tolerance(costs, &recording)?;
    let Recording {
        begin, turns, end, ..
    } = &recording;
    let start = recording.starts.last().context("no guest starts")?;
    let text = case.workload(*start, &needs);
    let simulated = simulate(&text, costs, *begin, *end)?;
    Ok(match compare(&simulated, turns, tolerance, *end) {
        Ok(agreement) => Tally {
            figures: format!(
                "{}: {} turns, at most {} of {tolerance} ns apart\n",
                case.policy, agreement.turns, agreement.apart
            ),
            ..Tally::pass()
        },
        Err(difference) => Tally::fail(format!(
            "{}: {difference}\n  (more than {tolerance} ns apart, or another order)\n",
            case.policy
        )),
    })
}

/// Returns how far apart the beginnings of a turn may be. All guests start at one instant in the
/// simulator, one after the other in the machine: times that depend on the start are off by that.
/// In addition, a turn follows at most one switch, one wait that wakes, one interrupt of the timer
/// that the simulator does not know, or knows to cost something else.
fn tolerance(costs: Measured, recording: &Recording) -> Result<u64> {
    let start = recording.starts.first().context("no guest starts")?;
    let first = recording.turns.first().context("nobody runs")?;
    ensure!(first.at > *start, "a guest runs before it starts");
    Ok(first.at - start + costs.switch + costs.wait + costs.timer)
}

/// Measures the times that the guest needs when it is alone: each turn lasts until the hypervisor
/// has switched away.
fn needs(recorder: &Recorder, costs: Measured, guest: Guest) -> Result<Needs> {
    if guest.jobs.is_none() {
        return Ok(Needs::default());
    }
    let turns = recorder.record(&Case::alone(guest), SHORT)?.turns;
    let [boot, idle, job, end, ..] = turns.as_slice() else {
        anyhow::bail!("{} alone has no job", guest.name);
    };
    Ok(Needs {
        boot: idle.at - boot.at - costs.switch,
        job: end.at - job.at - costs.switch,
    })
}
