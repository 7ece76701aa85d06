//! The steps that measure a guest's exits beside three guests that do all they can to delay it,
//! each on a processor of its own, and doorbells between two processors.
//!
//! Owns: how long each exit may take. Must never know: how the others attack.

use anyhow::Result;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use taktos_cycles::marks::Edge;
use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Emulator, Options, Record};
use taktos_runner::workspace::Workspace;
use taktos_runner::{emulator, image};

use super::Tally;

/// The longest that each exit may take beside the others, in instructions of its processor, those
/// of waiting for locks among them.
const LONGEST: [(&str, u64); 10] = [
    ("hypercall", 120),
    ("trapped-register", 120),
    ("distributor-read", 750),
    ("distributor-write", 750),
    ("console-read", 750),
    ("virtual-interrupt", 750),
    ("affinity-info", 1_500),
    ("doorbell", 1_500),
    ("who", 1_500),
    ("channel", 1_500),
];
/// Fewer measurements of each were none.
const LEAST: usize = 300;
/// No processor runs ahead of another by more than what an exit takes.
const SETTING: Setting = Setting::new(4, 100);

/// The longest way of a doorbell to the handler of a guest on another processor: one that runs, and
/// one that waits.
const ACROSS: [(&str, u64); 2] = [("across", 900), ("across-trapped", 3_000)];
/// Race searches of the two: a doorbell that is lost lets the run end at its limit.
const SEEDS: [u32; 3] = [1, 2, 3];

/// Each exit of the first guest, beside guests that wait and beside those that attack.
pub(super) fn beside_attackers(workspace: &Workspace) -> Result<Tally> {
    let machine = Machine::of(workspace)?;
    let mut found = Tally::default();
    let run = |word: &str| -> Result<BTreeMap<String, Vec<u64>>> {
        Ok(exits(&machine.run(word, &SETTING)?))
    };
    let (alone, attacked) = (run("alone")?, run("attacked")?);
    for (name, most) in LONGEST {
        let of = |runs: &BTreeMap<String, Vec<u64>>| runs.get(name).cloned().unwrap_or_default();
        let (alone, attacked) = (of(&alone), of(&attacked));
        let figures = format!(
            "{name}: at most {} instructions beside guests that wait, {} beside three attackers ({} times)\n",
            longest(&alone),
            longest(&attacked),
            attacked.len()
        );
        found.add(within(&attacked, most, figures));
    }
    Ok(found)
}

/// Doorbells between guests on two processors, and race searches of them.
pub(super) fn across(workspace: &Workspace) -> Result<Tally> {
    let machine = Machine::of(workspace)?;
    let mut found = Tally::default();
    for (word, most) in ACROSS {
        let ways = ways(&machine.run(word, &SETTING)?);
        let figures = format!(
            "{word}: a doorbell takes at most {} ns to the other guest ({} times)\n",
            longest(&ways),
            ways.len()
        );
        found.add(within(&ways, most, figures));
        for seed in SEEDS {
            let hunted = ways_of(&machine, word, seed)?;
            found.add(match hunted >= LEAST {
                true => Tally::pass(),
                false => Tally::fail(format!("{word}, seed {seed}: {hunted} doorbells came\n")),
            });
        }
    }
    Ok(found)
}

/// The number of doorbells that came in a race search.
fn ways_of(machine: &Machine, word: &str, seed: u32) -> Result<usize> {
    Ok(ways(&machine.run(word, &SETTING.hunting(seed))?).len())
}

/// The image on its emulator.
struct Machine {
    image: PathBuf,
    clock: Emulator,
}

impl Machine {
    fn of(workspace: &Workspace) -> Result<Self> {
        Ok(Self {
            image: image::build(workspace, Board::HYPERVISOR, "neighbours")?.path,
            clock: emulator::find(Board::VIRT_AARCH64_EL2)?,
        })
    }

    fn run(&self, word: &str, setting: &Setting) -> Result<Record> {
        let options = Options {
            argument: Some(word.to_owned()),
            // Guests that wait for a doorbell that was lost do so for ever.
            real_time: Duration::from_secs(120),
            ..Options::default()
        };
        Ok(self
            .clock
            .record(&self.image, setting, &options, &mut |_| {})?)
    }
}

fn longest(times: &[u64]) -> u64 {
    times.iter().max().copied().unwrap_or(u64::MAX)
}

/// Whether enough was measured, and nothing took longer than `most`.
fn within(times: &[u64], most: u64, figures: String) -> Tally {
    match times.len() >= LEAST && longest(times) <= most {
        true => Tally {
            figures,
            ..Tally::pass()
        },
        false => Tally::fail(format!("{figures}  (at most {most}, of {LEAST} or more)\n")),
    }
}

/// How long each doorbell took from the sender's call to the other guest, in nanoseconds.
fn ways(record: &Record) -> Vec<u64> {
    let mut rung = None;
    let mut ways = Vec::new();
    for passing in record
        .marks
        .iter()
        .filter(|passing| passing.mark.name == "ring")
    {
        match passing.mark.edge {
            Edge::Begin => rung = Some(passing.total.at),
            Edge::End => ways.extend(rung.take().map(|then| passing.total.at - then)),
            Edge::Point => {}
        }
    }
    ways
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
