//! The step that walks over all code of the images: a cycle model must know each instruction of
//! each program, also of those that nothing measures.

use std::path::Path;

use anyhow::{Context, Result};
use taktos_cycles::Error;
use taktos_emulator::several::Virt;
use taktos_emulator::{Board, Cpu, PhaseRules, Table};

use super::{Tally, four};
use taktos_cli::image;
use taktos_cli::workspace::Workspace;

/// Every board whose processor has a model: the crate of its images, their target, the model.
fn boards() -> Vec<(String, &'static str, Cpu)> {
    let ones = Board::ALL
        .into_iter()
        .filter_map(|board| Some((board.name().to_owned(), board.triple(), board.cpu()?)));
    let fours = Virt::ALL
        .into_iter()
        .filter_map(|board| Some((four::name(board), board.triple(), board.cpu()?)));
    ones.chain(fours).collect()
}

/// What the model of the Cortex-A8 does not know of T32, and need not: divisions.
fn divides(bytes: &str) -> bool {
    let first = bytes.split(' ').next().unwrap_or_default();
    first.starts_with("fb9") || first.starts_with("fbb")
}

/// The T32 code of the Cortex-M4's images as the Cortex-A8 has it: it knows as many instructions, but for divisions.
fn as_thumb(elf: &[u8], known: usize) -> Result<(), String> {
    let rules = PhaseRules::default();
    match Table::for_image(elf, Cpu::CortexA8, &rules) {
        Ok(table) if table.instructions() == known => Ok(()),
        Ok(table) => Err(format!(
            "{} instructions, not {known}",
            table.instructions()
        )),
        Err(Error::Unknown { unknown, .. }) if unknown.iter().all(|one| divides(&one.bytes)) => {
            Ok(())
        }
        Err(why) => Err(why.to_string()),
    }
}

/// Every program of every board has a timing table.
pub(super) fn every_instruction(workspace: &Workspace) -> Result<Tally> {
    let mut all = Tally::default();
    for (board, triple, cpu) in boards() {
        for program in programs(&workspace.path(&format!("boards/{board}/src/bin")))? {
            let image = image::build_for(workspace, (&board, triple), &program)?;
            let elf = std::fs::read(&image.path)
                .with_context(|| format!("cannot read {}", image.path.display()))?;
            let table = Table::for_image(&elf, cpu, &PhaseRules::default());
            let judged = table
                .map_err(|why| why.to_string())
                .and_then(|table| match cpu {
                    Cpu::CortexM4 => as_thumb(&elf, table.instructions()),
                    _ => Ok(()),
                });
            all.add(match judged {
                Ok(()) => Tally::pass(),
                Err(why) => Tally::fail(format!("{program} of {board}: {why}\n")),
            });
        }
    }
    Ok(all)
}

/// The programs whose sources are in a directory, in the order of their names.
fn programs(directory: &Path) -> Result<Vec<String>> {
    let read = || format!("cannot read {}", directory.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).with_context(read)? {
        let path = entry.with_context(read)?.path();
        let name = path.file_stem().context("a program has a name")?;
        names.push(name.to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_has_a_model() {
        assert_eq!(boards().len(), Board::ALL.len() + Virt::ALL.len());
    }

    #[test]
    fn programs_are_files_and_directories() {
        let directory =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../boards/virt-aarch64/src/bin");
        let found = programs(&directory).unwrap();
        assert!(found.contains(&"hello".to_owned()) && found.contains(&"port".to_owned()));
        assert!(found.is_sorted());
    }
}
