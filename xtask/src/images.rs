//! Builds every program of every board, each board in a call of its own, so
//! that no feature of one leaks into another.

use anyhow::{Context, Result};
use taktos_emulator::Board;
use taktos_runner::image::{build_several, crate_of};
use taktos_runner::workspace::Workspace;

/// Builds all images of these boards.
///
/// # Errors
/// When one does not build.
pub fn build(workspace: &Workspace, boards: &[Board]) -> Result<String> {
    for board in boards {
        let programs = programs(workspace, board.name())?;
        let there = (board.name(), board.triple());
        let names: Vec<&str> = programs.iter().map(String::as_str).collect();
        build_several(workspace, there, &names)?;
    }
    Ok(format!("the images of {} boards are built", boards.len()))
}

/// The programs of a board, in the order of their names, without those that are for one processor alone or for several alone and not for it.
///
/// # Errors
/// When its sources cannot be read.
pub fn programs(workspace: &Workspace, board: &str) -> Result<Vec<String>> {
    let (folder, feature) = crate_of(board);
    let directory = workspace.path(&format!("boards/{folder}/src/bin"));
    let read = || format!("cannot read {}", directory.display());
    let for_others = feature.map_or(FOR_SEVERAL, |_| FOR_ONE);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&directory).with_context(read)? {
        let path = entry.with_context(read)?.path();
        let name = path.file_stem().context("a program has a name")?;
        // One in a folder of its own says nothing of it.
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if !text.contains(for_others) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// How a source says that its program is for several processors alone, or for one.
const FOR_SEVERAL: &str = "program!(smp::";
const FOR_ONE: &str = "program!(one::";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn programs_are_files_and_directories() {
        let tree = Workspace::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
        let of = |board| programs(&tree, board).unwrap();
        let (one, several) = (of("virt-aarch64"), of("virt-aarch64-smp"));
        assert!(one.is_sorted());
        for (program, expected) in [
            ("hello", (true, true)),
            ("probe", (true, true)),
            ("ipc", (true, false)),
            ("storm", (false, true)),
        ] {
            let has = |programs: &[String]| programs.iter().any(|name| name == program);
            assert_eq!((has(&one), has(&several)), expected, "{program}");
        }
    }
}
