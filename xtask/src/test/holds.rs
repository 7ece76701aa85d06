//! The step that measures how long the hypervisor's one lock is held: the longest of all holds,
//! while a guest with all VCPUs there can be asks for the longest exits that are known.
//!
//! Owns: how long that may be. Must never know: what is done meanwhile.

use anyhow::{Context, Result};
use taktos_emulator::several::{MOST_PROCESSORS, Setting, Virt};
use taktos_emulator::{Board, Options, Record};
use taktos_runner::workspace::Workspace;
use taktos_runner::{emulator, image};

use super::Tally;

/// The longest hold that is allowed under each scheduler, in executed instructions.
const LONGEST: [(&str, u64); 3] = [("credit", 8_500), ("credit2", 13_500), ("rtds", 14_000)];
/// The image's processors, of which none runs ahead of another by more than a tenth of what an exit
/// takes.
const SETTING: Setting = Setting::new(4, 100);
/// Fewer holds were no measurement.
const LEAST: usize = 1_000;

pub(super) fn longest(workspace: &Workspace) -> Result<Tally> {
    let image = image::build(workspace, Board::HYPERVISOR, "holds")?;
    let clock = emulator::find(Virt::Aarch64El2)?;
    let mut found = Tally::default();
    for (scheduler, most) in LONGEST {
        let options = Options {
            argument: Some(scheduler.to_owned()),
            ..Options::default()
        };
        let record = clock.record(&image.path, &SETTING, &options, &mut |_| {})?;
        let holds = holds(&record);
        let longest = holds.iter().max();
        let longest = *longest.with_context(|| format!("under {scheduler}: no hold was seen"))?;
        let figures = format!(
            "the longest of {} holds under {scheduler}: {longest} instructions\n",
            holds.len()
        );
        found.add(match longest <= most && holds.len() >= LEAST {
            true => Tally {
                figures,
                ..Tally::pass()
            },
            false => Tally::fail(format!(
                "{figures}  (at most {most}, of {LEAST} holds or more)\n"
            )),
        });
    }
    Ok(found)
}

/// The length of each hold, in instructions of the processor that had the lock.
fn holds(record: &Record) -> Vec<u64> {
    let mut taken = [None; MOST_PROCESSORS];
    let mut holds = Vec::new();
    for passing in &record.marks {
        let now = passing.total.count.instructions;
        match passing.mark.name.as_str() {
            "lock-taken" => taken[passing.processor] = Some(now),
            "lock-given-back" => {
                holds.extend(taken[passing.processor].take().map(|then| now - then))
            }
            _ => {}
        }
    }
    holds
}
