//! Builds every program of every board, each board in a call of its own, so
//! that no feature of one leaks into another.

use anyhow::{Context, Result};
use taktos_cli::image::{build_in, build_several};
use taktos_cli::workspace::Workspace;
use taktos_emulator::Board;

/// The program that is built for size, which not every board has, and how.
const SMALLEST: (&str, &str) = ("smallest", "small");

/// Builds all images.
///
/// # Errors
/// When one does not build.
pub fn build(workspace: &Workspace) -> Result<String> {
    for board in Board::ALL {
        let programs = programs(workspace, board.name())?;
        let there = (board.name(), board.triple());
        let names: Vec<&str> = programs.iter().map(String::as_str).collect();
        build_several(workspace, there, &names)?;
        let (smallest, profile) = SMALLEST;
        if names.contains(&smallest) {
            build_in(workspace, there, smallest, profile)?;
        }
    }
    Ok(format!(
        "the images of {} boards are built",
        Board::ALL.len()
    ))
}

/// The programs of a board, in the order of their names; where the board has one processor or several, those for several alone are left out.
///
/// # Errors
/// When its sources cannot be read.
pub fn programs(workspace: &Workspace, board: &str) -> Result<Vec<String>> {
    let directory = workspace.path(&format!("boards/{board}/src/bin"));
    let read = || format!("cannot read {}", directory.display());
    let mut names = Vec::new();
    let mut is_mixed = false;
    for entry in std::fs::read_dir(&directory).with_context(read)? {
        let path = entry.with_context(read)?.path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let name = path.file_stem().context("a program has a name")?;
        is_mixed |= text.contains(FOR_ANY);
        names.push((
            name.to_string_lossy().into_owned(),
            text.contains(FOR_SEVERAL),
        ));
    }
    names.sort();
    let here = names
        .into_iter()
        .filter(|(_, several)| !is_mixed || !several);
    Ok(here.map(|(name, _)| name).collect())
}

/// How a source says that its program is for several processors alone, or for as many as the board has.
const FOR_SEVERAL: &str = "::smp::";
const FOR_ANY: &str = "::any::";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn programs_are_files_and_directories() {
        let tree = Workspace::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
        let found = programs(&tree, "virt-aarch64").unwrap();
        assert!(found.contains(&"hello".to_owned()) && found.contains(&"port".to_owned()));
        assert!(found.is_sorted());
    }
}
