//! The step that measures a guest's exits beside three guests that do all they can to delay it,
//! each on a processor of its own.
//!
//! Owns: how long each exit may take. Must never know: how the others attack.

use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write;

use taktos_cycles::marks::Edge;
use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Options, Record};
use taktos_runner::workspace::Workspace;
use taktos_runner::{emulator, image};

use super::Tally;

/// The longest that each exit may take beside the others, in instructions of its processor, those
/// of waiting for locks among them.
const LONGEST: [(&str, u64); 8] = [
    ("hypercall", 120),
    ("trapped-register", 120),
    ("distributor-read", 750),
    ("distributor-write", 750),
    ("console-read", 750),
    ("virtual-interrupt", 750),
    ("affinity-info", 1_500),
    ("doorbell", 1_500),
];
/// Fewer measurements of each were none.
const LEAST: usize = 300;
/// No processor runs ahead of another by more than what an exit takes.
const SETTING: Setting = Setting::new(4, 100);

/// Each exit of the first guest, alone and beside the others.
pub(super) fn beside_attackers(workspace: &Workspace) -> Result<Tally> {
    let image = image::build(workspace, Board::HYPERVISOR, "neighbours")?;
    let clock = emulator::find(Board::VIRT_AARCH64_EL2)?;
    let mut found = Tally::default();
    let run = |word: &str| -> Result<BTreeMap<String, Vec<u64>>> {
        let options = Options {
            argument: Some(word.to_owned()),
            ..Options::default()
        };
        let record = clock.record(&image.path, &SETTING, &options, &mut |_| {})?;
        Ok(exits(&record))
    };
    let (alone, attacked) = (run("alone")?, run("attacked")?);
    for (name, most) in LONGEST {
        let of = |runs: &BTreeMap<String, Vec<u64>>| runs.get(name).cloned().unwrap_or_default();
        let (alone, attacked) = (of(&alone), of(&attacked));
        let longest = |times: &[u64]| times.iter().max().copied().unwrap_or(u64::MAX);
        let mut figures = String::new();
        writeln!(
            figures,
            "{name}: at most {} instructions beside guests that wait, {} beside three attackers ({} times)",
            longest(&alone),
            longest(&attacked),
            attacked.len()
        )?;
        found.add(
            match attacked.len() >= LEAST && longest(&attacked) <= most {
                true => Tally {
                    figures,
                    ..Tally::pass()
                },
                false => Tally::fail(format!("{figures}  (at most {most} are allowed)\n")),
            },
        );
    }
    Ok(found)
}

/// How long each exit of the first processor took, by name.
fn exits(record: &Record) -> BTreeMap<String, Vec<u64>> {
    let mut begun = BTreeMap::new();
    let mut exits: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for passing in record.marks.iter().filter(|passing| passing.processor == 0) {
        let (name, now) = (&passing.mark.name, passing.total.count.instructions);
        match passing.mark.edge {
            Edge::Begin => _ = begun.insert(name.clone(), now),
            Edge::End => {
                if let Some(then) = begun.remove(name) {
                    exits.entry(name.clone()).or_default().push(now - then);
                }
            }
            Edge::Point => {}
        }
    }
    exits
}
