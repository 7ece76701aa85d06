//! Owns: the weight of the program that `taktos new` writes for a chip: three threads, an interrupt
//! and formatted text on the console in memory. Must never know: how it is written and built.

use anyhow::Result;
use taktos_emulator::Board;
use taktos_runner::workspace::Workspace;

use super::{Place, Tally};
use crate::test::images::weight;

const NAME: &str = "blinky";
const WORDS: [&str; 3] = ["--chip", "STM32F405RG", "--no-hal"];
/// A board of its architecture.
const LIKE: Board = Board::STM32F405;
/// The most bytes of text, of which 12,288 are the aim, and of data, of which 1,024 are. These are
/// what is reached, rounded up.
const MOST: (u64, u64) = (11_800, 176);

/// Weighs the image as it ships.
pub(in crate::test) fn of_blinky(workspace: &Workspace) -> Result<Tally> {
    let place = Place::new(workspace, "own-blinky")?;
    place.write(NAME, &WORDS)?;
    place.build(NAME, LIKE, &["--release"])?;
    let own = workspace.target().join("own").join(LIKE.triple());
    let (text, data) = weight(&own.join("release").join(NAME))?;
    std::fs::remove_dir_all(&place.folder)?;
    let said = format!("{NAME}: {text} bytes of text, {data} of data\n");
    let tally = match text <= MOST.0 && data <= MOST.1 {
        true => Tally::pass(),
        false => Tally::fail(format!("{said}at most {MOST:?} are allowed\n")),
    };
    Ok(Tally {
        figures: said,
        ..tally
    })
}
