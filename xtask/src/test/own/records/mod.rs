//! Owns: a program that logs by `defmt`: what its memory has for a probe.
//! Must never know: how the crate writes it there.

use anyhow::{Context, Result};
use object::{Object, ObjectSection, ObjectSymbol};
use taktos_emulator::Board;

use super::{PROFILES, Place, Tally, said};

const NAME: &str = "records";
/// Output of the program, as the emulator prints it: the control block, then the index of the
/// record's words, microseconds, the sum.
const SHOWN: &str = "SEGGER RTT: [1, 0, ";
const SUM: &str = ", 10, 0, 0, 0]";
const WORDS: &str = "the sum is {=u32}";

/// Runs it. Its record must be in the ring, and the words of it in the image, out of the memory
/// that is loaded.
pub(super) fn lie_in_memory(place: &Place<'_>) -> Result<Tally> {
    let [board, ..] = Board::ALL;
    place.write(NAME, &["--board", board.name()])?;
    let features = format!("[\"{}\"] }}", board.name());
    let with_defmt = format!(
        "[\"{}\", \"critical-section\", \"defmt\"] }}\ndefmt = {{ version = \"1\", features = [\"encoding-raw\"] }}",
        board.name()
    );
    place.replace(NAME, "Cargo.toml", (&features, &with_defmt))?;
    place.replace(
        NAME,
        ".cargo/config.toml",
        ("[env]", "[env]\nDEFMT_LOG = \"info\""),
    )?;
    let line = "defmt::info!(\"the sum is {=u32}\", sum); show()";
    place.replace(
        NAME,
        "src/main.rs",
        ("taktos::println!(\"the sum is {sum}\")", line),
    )?;
    place.append(NAME, "src/main.rs", include_str!("show.rs"))?;
    let mut run = place.cargo(NAME);
    let output = run.args(["run", "--quiet"]).args(PROFILES[0]).output()?;
    let shown = said(&output);
    let is_there = |line: &str| line.starts_with(SHOWN) && line.ends_with(SUM);
    let mut all = Tally::default();
    all.add(
        match output.status.success() && shown.lines().any(is_there) {
            true => Tally::pass(),
            false => Tally::fail(format!("{NAME}: no record of the sum: {shown}\n")),
        },
    );
    let image = place.image(NAME, board);
    let bytes =
        std::fs::read(&image).with_context(|| format!("cannot read {}", image.display()))?;
    all.add(
        match words_of(&bytes, 1)?.is_some_and(|words| words.contains(WORDS)) {
            true => Tally::pass(),
            false => Tally::fail(format!("{NAME}: the image does not say what record 1 is\n")),
        },
    );
    Ok(all)
}

/// The words of the record with this index: the name of a symbol in a section that is not loaded.
fn words_of(image: &[u8], index: u64) -> Result<Option<String>> {
    let file = object::File::parse(image)?;
    let section = file
        .section_by_name(".defmt")
        .map(|section| section.index());
    let mut symbols = file.symbols();
    let found = symbols.find(|symbol| {
        symbol.section_index() == section && section.is_some() && symbol.address() == index
    });
    Ok(found.and_then(|symbol| symbol.name().ok().map(str::to_owned)))
}
