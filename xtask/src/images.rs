//! Builds every program of every board, each board in a call of its own, so
//! that no feature of one leaks into another.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;
use taktos_emulator::{Board, Processor};
use taktos_runner::image::{build_several, crate_of, has_budgets};
use taktos_runner::workspace::Workspace;

use crate::metadata;

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

/// The programs of a board, in the order of their names, without those that are for one processor
/// alone or for several alone and not for it.
///
/// # Errors
/// If cargo does not describe its crate, or a source cannot be read.
pub fn programs(workspace: &Workspace, board: &str) -> Result<Vec<String>> {
    let (folder, feature) = crate_of(board);
    let manifest = format!("boards/{folder}/Cargo.toml");
    let for_others = feature.map_or(FOR_SEVERAL, |_| FOR_ONE);
    let packages = metadata::packages(workspace)?;
    let of_board = |package: &&Value| {
        let path = package["manifest_path"].as_str().map(Path::new);
        path.is_some_and(|path| path.ends_with(&manifest))
    };
    let package = packages.iter().find(of_board);
    let package = package.with_context(|| format!("no crate is in boards/{folder}"))?;
    let targets = package["targets"].as_array().into_iter().flatten();
    let is_program = |target: &&Value| target["kind"][0] == "bin";
    let processor = Board::named(board).and_then(Board::processor);
    let has_partitions = processor.is_none_or(Processor::has_partitions);
    let mut names = Vec::new();
    for target in targets.filter(is_program) {
        let [name, source] =
            ["name", "src_path"].map(|key| target[key].as_str().unwrap_or_default());
        let text = std::fs::read_to_string(source).with_context(|| source.to_owned())?;
        let needs_partitions = name.starts_with("user_") || has_budgets(name);
        if !text.contains(for_others) && (has_partitions || !needs_partitions) {
            names.push(name.to_owned());
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
