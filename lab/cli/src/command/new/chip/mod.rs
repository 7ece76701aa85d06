//! A program of one's own for any chip, by its name: memory map, target, and a crate for its pins.
//!
//! Owns: the list of files of such a repository, and the values for their blanks.
//! Must never know: the work of the program; that is the template's.

mod clock;
mod find;
mod hal;
mod interrupts;
mod memory;
mod pins;
mod processor;
mod table;

use std::path::Path;

use anyhow::Result;
use taktos_experiments::screen;
use taktos_runner::failure::{Failure, one_line};
use taktos_runner::workspace::Workspace;

use super::{Blank, FILES, LOCK, filled, name, read, sources, write};
use crate::arguments::NewOptions;
use find::Found;
use hal::Hal;
use pins::Pins;
use table::{Chip, Memory};

/// Files of every repository for a chip, and the one for its pins: by a HAL, or by hand.
const CHIP_FILES: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("../template/chip/manifest.toml")),
    (
        ".cargo/config.toml",
        include_str!("../template/chip/config.toml"),
    ),
    ("build.rs", include_str!("../template/build.rs")),
    ("src/main.rs", include_str!("../template/chip/main.rs")),
    ("src/host.rs", include_str!("../template/chip/host.rs")),
    (
        ".github/workflows/ci.yml",
        include_str!("../template/chip/ci.yml"),
    ),
    ("README.md", include_str!("../template/chip/README.md")),
];
const WITH_HAL: (&str, &str) = ("src/chip.rs", include_str!("../template/chip/hal.rs.in"));
const BY_HAND: (&str, &str) = (
    "src/chip.rs",
    include_str!("../template/chip/by_hand.rs.in"),
);
/// The lines of the HAL in `Cargo.toml`.
const DEPENDENCIES: &str = include_str!("../template/chip/dependencies.toml");

/// How many names of chips an error lists at most.
const LISTED: usize = 24;

/// Writes the repository for the chip that a word names.
///
/// # Errors
/// If the word names no chip or several, no program can be for the chip, or an option is not for
/// chips.
pub(super) fn run(workspace: &Workspace, options: &NewOptions, word: &str) -> Result<()> {
    if options.c {
        return Err(Failure::error(
            "--c: there is no library for C programs on a chip yet",
            "leave it out for a program in Rust, or take a board: --board",
        ));
    }
    let chip = chip(word)?;
    let (memory, target) = processor::target(&chip, options.hard_float)?;
    let memory = memory::on_board(&chip, memory);
    let hal = Hal::of(&chip).filter(|_| !options.no_hal);
    if memory::needs_hal(&chip) && hal.is_none() {
        return Err(Failure::error(
            format!(
                "--no-hal: {} starts by a loader that its HAL has",
                chip.name
            ),
            "leave it out",
        ));
    }
    let package = hal.as_ref().map_or("", |hal| hal.family.package());
    name::check(&options.name, package)?;
    let mut blanks = sources(workspace, options)?;
    blanks.extend(of_chip(&chip, target));
    blanks.extend(match &hal {
        Some(hal) => of_hal(hal),
        None => by_hand(&chip),
    });
    let pins = if hal.is_some() { WITH_HAL } else { BY_HAND };
    let templates = FILES.iter().chain(&CHIP_FILES).chain([&pins]);
    let files = templates.map(|(place, text)| (*place, filled(text, &blanks)));
    let map = memory::map(&chip, memory, hal.is_some(), table::source());
    let others = [("memory.x", map), (LOCK, read(workspace, LOCK)?)];
    write(Path::new(&options.name), files.chain(others))?;
    Ok(screen::print(&written(
        &options.name,
        &chip,
        memory,
        package,
    ))?)
}

/// Returns the chip that a word names.
///
/// # Errors
/// If it names none, or several.
fn chip(word: &str) -> Result<Chip> {
    let chips: Vec<Chip> = table::all().collect();
    let names: Vec<&str> = chips.iter().map(|chip| chip.name).collect();
    let word = one_line(word);
    match find::find(&word, &names) {
        Found::One(name) => {
            let chip = chips.iter().find(|chip| chip.name == name);
            Ok(*chip.expect("the name is one of the table's"))
        }
        Found::Several(names) => Err(Failure::error(
            format!(
                "--chip: {} chips have names that begin with `{word}`",
                names.len()
            ),
            format!("name one of {}", listed(&names)),
        )),
        Found::Nearest(names) => Err(Failure::error(
            format!("--chip: unknown chip `{word}`"),
            format!("the nearest names are {}", names.join(", ")),
        )),
    }
}

fn listed(names: &[&str]) -> String {
    let shown = names[..names.len().min(LISTED)].join(", ");
    match names.len().checked_sub(LISTED) {
        None | Some(0) => shown,
        Some(more) => format!("{shown}, and {more} more: write more letters"),
    }
}

fn of_chip(chip: &Chip, target: &str) -> Vec<Blank> {
    vec![
        ("chip", chip.name.to_owned()),
        ("processor", chip.core.shown().to_owned()),
        ("target", target.to_owned()),
    ]
}

/// Returns the blanks of a program with a HAL. The lines of the HAL come before the blanks in them.
fn of_hal(hal: &Hal) -> Vec<Blank> {
    let (package, pins) = (hal.family.package(), Pins::of(hal));
    let quoted: Vec<String> = hal
        .features
        .iter()
        .map(|feature| format!("\"{feature}\""))
        .collect();
    let (light, board) = pins.light;
    let (types, driven) = pins.types;
    let (set_up, shared) = pins.set_up;
    [
        ("interrupts", ""),
        ("features", "\"chip\", \"pac\", \"critical-section\""),
        ("dependencies", DEPENDENCIES),
        ("package", package),
        ("version", hal.family.version()),
        ("features of the package", &quoted.join(", ")),
        ("hal", &package.replace('-', "_")),
        ("types", types),
        ("driven", driven),
        ("light", light),
        ("button", pins.button),
        ("kit", board),
        ("set up", &set_up),
        ("shared", shared),
        ("rate", pins.rate),
        ("pins", &format!("clock and pins, by the crate `{package}`")),
        (
            "change",
            "the pins of the light and the button, and the clock",
        ),
    ]
    .map(|(blank, text)| (blank, text.to_owned()))
    .to_vec()
}

/// Returns the blanks of a program without a HAL.
fn by_hand(chip: &Chip) -> Vec<Blank> {
    let known = clock::after_reset(chip.name);
    let origin = match known {
        Some((_, source)) => format!("The rate after reset ({source})"),
        None => "CHECK: the rate after reset, which is not known here".to_owned(),
    };
    let hertz = clock::grouped(known.map_or(clock::UNKNOWN, |(rate, _)| rate));
    let interrupts = interrupts::of(chip.name).map_or(String::new(), |number| {
        format!(
            "# The table of interrupts has as many as the chip.\nTAKTOS_INTERRUPTS = \"{number}\"\n"
        )
    });
    [
        ("interrupts", interrupts.as_str()),
        ("features", "\"chip\""),
        ("dependencies", ""),
        ("hertz", &hertz),
        ("origin", &origin),
        (
            "pins",
            "clock and pins, without a crate; the light is a line on the console",
        ),
        (
            "change",
            "the processor's rate, the light, and the number of the button's interrupt",
        ),
    ]
    .map(|(blank, text)| (blank, text.to_owned()))
    .to_vec()
}

fn written(name: &str, chip: &Chip, memory: Memory, package: &str) -> String {
    let by = match package {
        "" => String::new(),
        package => format!(", by {package}"),
    };
    format!(
        "{name}: a program for {} ({}; {} of flash, {} of RAM){by}\n\n  cd {name}\n  \
         cargo test      on this machine, in virtual time\n  \
         cargo run       on the chip, by probe-rs\n  \
         README.md       says what to check and to change before that\n",
        chip.name,
        chip.core.shown(),
        memory::size(memory.flash.bytes),
        memory::size(memory.ram.bytes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_names_are_cut() {
        let names = ["a"; LISTED + 2];
        assert!(listed(&names).ends_with("a, a, and 2 more: write more letters"));
        assert!(!listed(&names[..LISTED]).contains("more"));
    }

    #[test]
    fn unknown_rate_is_to_be_checked() {
        let blank = |name: &str, key: &str| {
            let blanks = by_hand(&chip(name).expect(name));
            blanks
                .into_iter()
                .find(|(blank, _)| *blank == key)
                .expect(key)
                .1
        };
        assert_eq!(blank("GD32F103C8", "hertz"), "8_000_000");
        assert_eq!(blank("R7FA4M1AB", "hertz"), "16_000_000");
        assert!(blank("R7FA4M1AB", "origin").starts_with("CHECK"));
    }
}
