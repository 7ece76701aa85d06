//! The steps on the hypervisor's board: its port to the processors at EL2.

use std::time::Duration;

use anyhow::Result;
use taktos_emulator::{El2, Ended};
use taktos_runner::image;
use taktos_runner::workspace::Workspace;

use super::Tally;
use super::programs::{self, Case, MISSING_AT_EL2, PORT, PORT_FAULTS};

/// The most real time of one run: such a program needs a second or two.
const TIME: Duration = Duration::from_secs(120);

/// The programs that test the port: on both processors, with one too few, and with a fault of EL2's
/// own.
pub(super) fn programs(workspace: &Workspace) -> Result<Tally> {
    let machine = |processor, processors| El2 {
        processor,
        processors,
    };
    let run_each = |machine: El2, cases: &[Case]| {
        programs::run_each(cases, |case| run(workspace, machine, case.program))
    };
    let mut all = run_each(machine("cortex-a53", 4), &[PORT])?;
    all.add(run_each(machine("cortex-a57", 4), &[PORT])?);
    all.add(run_each(machine("cortex-a53", 3), &[MISSING_AT_EL2])?);
    all.add(run_each(machine("cortex-a53", 1), PORT_FAULTS)?);
    Ok(all)
}

fn run(workspace: &Workspace, machine: El2, program: &str) -> Result<Ended> {
    let image = image::build_for(workspace, El2::BOARD, program)?;
    Ok(machine.run(&image.path, TIME)?)
}
