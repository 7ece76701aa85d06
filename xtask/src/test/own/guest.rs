//! Owns: a guest of the hypervisor of one's own: what it must say on the bare board and as a guest,
//! how it ends, and how an image of a bare board ends there.
//! Must never know: how a program is written and built.

use std::process::Output;

use anyhow::{Context, Result};
use taktos_emulator::Board;

use super::{PROFILES, Place, SAYS, Tally, said};

/// The program's line, and a panic in its place.
const PRINTS: &str = "taktos::println!(\"the sum is {sum}\")";
const PANICS: &str = "panic!(\"{sum} is too much\")";
/// The lines that the hypervisor's machine must print of each, and how often.
const ENDS: &[(&str, usize)] = &[
    ("[guest] the sum is 10", 1),
    ("[guest] @exit status=0", 1),
    ("[taktos] guest stopped: off", 1),
    ("fault:", 0),
];
const PANICKED: &[(&str, usize)] = &[
    ("[guest] fault: panic in thread 'filter'", 1),
    ("[guest] @exit status=70", 1),
    ("[taktos] guest stopped: off", 1),
];
/// An image for the bare board: its end is an undefined instruction there, and so is that of the
/// report of it.
const BARE: &[(&str, usize)] = &[
    ("[guest] the sum is 10", 1),
    ("[guest] fault: ", 1),
    ("[taktos] guest stopped", 0),
];
const REMARK: &[(&str, usize)] = &[("remark: the image of `guest` is for a bare board", 1)];

/// Writes one, and runs it.
pub(super) fn runs(place: &Place<'_>) -> Result<Tally> {
    let name = "as-guest";
    place.write(name, &["--guest"])?;
    let mut all = place.run(name, PROFILES[0], SAYS)?;
    all.add(machine(place, name, &["run"], ENDS, true)?);
    let check = machine(place, name, &["check"], &[("remark: ", 0)], true)?;
    all.add(check);
    place.replace(name, "src/main.rs", (PRINTS, PANICS))?;
    all.add(machine(place, name, &["run"], PANICKED, false)?);
    place.replace(name, "src/main.rs", (PANICS, PRINTS))?;
    place.replace(name, "Cargo.toml", ("virt-aarch64-guest", "virt-aarch64"))?;
    all.add(machine(place, name, &["check"], REMARK, true)?);
    let runs = ["run", "--for", "10s"];
    all.add(machine(place, name, &runs, BARE, true)?);
    Ok(all)
}

/// Builds the image as it ships, and has the tool do something with its machine.
fn machine(
    place: &Place<'_>,
    name: &str,
    words: &[&str],
    says: &[(&str, usize)],
    succeeds: bool,
) -> Result<Tally> {
    let board = Board::VIRT_AARCH64;
    place.build(name, board, &["--release"])?;
    // The images are kept elsewhere than a user's would be.
    let image = format!("target/{}/release/{name}", board.triple());
    let built = place.image(name, board).display().to_string();
    let built = built.replace("/debug/", "/release/");
    place.replace(name, "guest.toml", (&image, &built))?;
    let mut tool = place.tool(name);
    let (verb, options) = words.split_first().context("a command")?;
    let output = tool.args(["vm", verb, "guest.toml"]).args(options).output();
    place.replace(name, "guest.toml", (&built, &image))?;
    Ok(judged(&output?, words, says, succeeds))
}

fn judged(output: &Output, words: &[&str], says: &[(&str, usize)], succeeds: bool) -> Tally {
    let text = said(output);
    let counts = |&(what, times): &(&str, usize)| text.matches(what).count() == times;
    match says.iter().all(counts) && output.status.success() == succeeds {
        true => Tally::pass(),
        false => Tally::fail(format!(
            "vm {}, a guest of one's own: {text}\n",
            words.concat()
        )),
    }
}
