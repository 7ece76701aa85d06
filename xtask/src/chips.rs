//! The table of chips that `taktos new --chip` reads, from the target descriptions of probe-rs.
//!
//! Owns: the form of the table, and the order of its rows. Must never know: how a description is
//! written, or why a chip has this memory and no other.

mod document;
mod target;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use taktos_runner::workspace::Workspace;

use target::{Block, Memory, Target};

/// The table, from the root of the project.
const FILE: &str = "lab/cli/src/command/new/chip/chips.txt";

/// The lines below the first one, which names the source.
const HEAD: &str = "\
# Chips, by `cargo xtask chips`. A line without margin is about the chips below it: the architecture
# of their first processor, and, if a program can be for them, the flash that they boot from and
# their RAM, each by address and size. A line with a margin has the names of a chip, by package.
";

/// First processor and memory of chips.
type Group = (String, Option<Memory>);

/// Writes the table again, from the folder `targets` of the unpacked package `probe-rs`.
///
/// # Errors
/// If the folder is none, or a file cannot be read or written.
pub fn renew(workspace: &Workspace, folder: &Path) -> Result<String> {
    let mut targets = Vec::new();
    for path in descriptions(folder)? {
        let place = || path.display().to_string();
        let text = fs::read_to_string(&path).with_context(place)?;
        targets.extend(target::family(&text).with_context(place)?);
    }
    let text = table(&source(folder)?, &targets);
    fs::write(workspace.path(FILE), &text).context(FILE)?;
    let names = text.lines().filter(|line| line.starts_with(' '));
    let names = names.flat_map(str::split_whitespace).count();
    Ok(format!("{FILE}: {names} names, {} bytes", text.len()))
}

/// Returns the descriptions in the order of their names.
fn descriptions(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths?;
    paths.retain(|path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        matches!(ending, Some("yaml" | "yml"))
    });
    paths.sort();
    Ok(paths)
}

/// Returns name, version and licence of the package that has the folder.
fn source(folder: &Path) -> Result<String> {
    let manifest = folder.join("../Cargo.toml");
    let text = fs::read_to_string(&manifest)
        .with_context(|| format!("{} is no folder of a package", folder.display()))?;
    let manifest: toml::Table = text.parse()?;
    let said = |key: &str| manifest["package"][key].as_str();
    let [name, version, licence] =
        ["name", "version", "license"].map(|key| said(key).unwrap_or("?"));
    Ok(format!("{name} {version} ({licence})"))
}

fn table(source: &str, targets: &[Target]) -> String {
    let mut text = format!("# {source}\n{HEAD}");
    for (names, (core, memory)) in rows(targets) {
        text += &core;
        if let Some(Memory { flash, ram }) = memory {
            text += &format!(" {} {}", shown(flash), shown(ram));
        }
        text.push('\n');
        for chip in names {
            writeln!(text, " {}", chip.join(" ")).expect("a string takes all");
        }
    }
    text
}

/// Returns the chips of each group, in the order of their names; groups in that of their first.
fn rows(targets: &[Target]) -> BTreeMap<BTreeSet<Vec<&str>>, Group> {
    let described = closest(targets);
    let mut groups: BTreeMap<Group, BTreeSet<Vec<&str>>> = BTreeMap::new();
    for target in targets {
        let packages = target.packages.iter().map(String::as_str);
        let names: Vec<&str> = packages
            .filter(|package| described[&package.to_lowercase()] == target.name)
            .collect();
        if !names.is_empty() {
            let group = (target.core.clone(), target.memory);
            groups.entry(group).or_default().insert(names);
        }
    }
    let rows = groups.into_iter();
    rows.map(|(group, names)| (names, group)).collect()
}

/// Returns the name of the chip that describes each package. Of two chips with a package that is
/// the longer name, which describes it closer: `STM32L151C6xxA` beside `STM32L151C6`.
fn closest(targets: &[Target]) -> BTreeMap<String, &str> {
    let mut closest: BTreeMap<String, &str> = BTreeMap::new();
    for Target { name, packages, .. } in targets {
        for package in packages {
            let known = closest.entry(package.to_lowercase()).or_insert(name);
            if (name.len(), name.as_str()) > (known.len(), *known) {
                *known = name;
            }
        }
    }
    closest
}

fn shown(block: Block) -> String {
    let size = block.end - block.start;
    match size % 1024 {
        0 => format!("{:#010x} {}K", block.start, size / 1024),
        _ => format!("{:#010x} {size}", block.start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str, packages: &[&str], end: u64) -> Target {
        let block = |start: u64, end: u64| Block { start, end };
        let memory = Memory {
            flash: block(0x800_0000, 0x800_0000 + end),
            ram: block(0x2000_0000, 0x2000_0000 + end),
        };
        Target {
            name: name.into(),
            packages: packages.iter().map(|&name| name.to_owned()).collect(),
            core: "armv7m".into(),
            memory: (end > 0).then_some(memory),
        }
    }

    #[test]
    fn chips_of_one_memory_share_a_group() {
        let targets = [
            target("C", &["Cx"], 0x400),
            target("B", &["B1", "B2"], 0x401),
            target("A", &["A1", "A2"], 0x400),
            target("D", &["D"], 0),
        ];
        let text = table("x", &targets);
        let rows: Vec<&str> = text.lines().filter(|row| !row.starts_with('#')).collect();
        assert_eq!(
            rows,
            [
                "armv7m 0x08000000 1K 0x20000000 1K",
                " A1 A2",
                " Cx",
                "armv7m 0x08000000 1025 0x20000000 1025",
                " B1 B2",
                "armv7m",
                " D",
            ]
        );
    }

    #[test]
    fn package_of_two_chips_is_the_closer_one() {
        let targets = [
            target("L151C6", &["L151C6T", "L151C6TxA"], 0x800),
            target("L151C6xxA", &["L151C6TxA"], 0x400),
        ];
        let text = table("x", &targets);
        assert!(text.contains("20000000 1K\n L151C6TxA\n"), "{text}");
        assert!(text.contains("20000000 2K\n L151C6T\n"), "{text}");
    }
}
