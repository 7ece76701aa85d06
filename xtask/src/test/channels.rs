//! The step on FIFOs between guests of the hypervisor.

use anyhow::Result;
use taktos_runner::progress::Progress;
use taktos_runner::workspace::Workspace;

use super::Tally;
use taktos_experiments::mechanisms::Machines;

/// The machine of the project's own guests: nothing is fetched for it.
const MACHINE: &str = "fifo-taktos";
/// Round trips: they take a second of virtual time.
const TRIPS: u64 = 20;
/// The shortest period of a server there: the guest that replies has budget in each.
const PERIOD_NS: u64 = 1_000_000;

/// Bytes come back from another guest as they were (the guest itself looks), within a period of its
/// server, and after the same times in a second run.
pub(super) fn round_trips(workspace: &Workspace) -> Result<Tally> {
    let file = workspace.path("experiments").join("mechanisms.toml");
    let progress = Progress::default();
    let machines = Machines::ready(workspace, (&file, &[MACHINE.to_owned()]), TRIPS, &progress)?;
    let once = machines.measure(&progress)?;
    let again = machines.measure(&progress)?;
    let mut all = Tally::default();
    for (set, _) in &once {
        all.add(match (set.times.samples(), set.times.max()) {
            (TRIPS, ..PERIOD_NS) => Tally::pass(),
            (samples, max) => Tally::fail(format!(
                "{MACHINE}: {samples} round trips, the longest {max} ns"
            )),
        });
    }
    all.add(match once == again {
        true => Tally::pass(),
        false => Tally::fail(format!("{MACHINE}: two runs printed different figures")),
    });
    Ok(all)
}
