//! The step that walks over all code of the images: a cycle model must know each instruction of
//! each program, also of those that nothing measures.

use anyhow::{Context, Result};
use taktos_cycles::{Error, UnknownInstruction};
use taktos_emulator::{Cpu, PhaseRules, Table};
use taktos_runner::image;
use taktos_runner::several::Board as Several;
use taktos_runner::workspace::Workspace;

use super::storms::Length;
use super::{Tally, boards};
use crate::images::programs;

/// Returns the boards with a processor that has a model, and the model.
fn modelled(length: Length) -> Vec<(Several, Cpu)> {
    let ones = boards::of_architectures(length)
        .into_iter()
        .map(Several::from);
    // The code for several processors of a chip is that of another board.
    let all = ones.chain(Several::thorough());
    all.filter_map(|board| Some((board, board.machine.cpu()?)))
        .collect()
}

/// Returns whether the Cortex-A8 lacks this T32 instruction, so that its model need not know it:
/// divisions, and the loads that acquire and stores that release of Armv8-M.
fn is_younger(bytes: &str) -> bool {
    let (first, second) = bytes.split_once(' ').unwrap_or_default();
    // Bits 7 to 4 of the second halfword tell them from TBB and from the exclusive pairs of ARMv7.
    let ordered = || matches!(second.as_bytes().get(2), Some(b'8'..=b'9' | b'a'..=b'f'));
    match first.get(..3) {
        Some("fb9" | "fbb") => true,
        Some("e8c" | "e8d") => ordered(),
        _ => false,
    }
}

/// Fails with what is unknown though the Cortex-A8 has it.
fn others(cpu: Cpu, mut unknown: Vec<UnknownInstruction>) -> Result<(), String> {
    unknown.retain(|one| !is_younger(&one.bytes));
    match unknown.is_empty() {
        true => Ok(()),
        false => Err(Error::Unknown { cpu, unknown }.to_string()),
    }
}

/// The T32 code of the Cortex-M's images as the Cortex-A8 has it: it knows as many instructions,
/// but for those that came after it.
fn as_thumb(elf: &[u8], known: usize) -> Result<(), String> {
    let rules = PhaseRules::default();
    match Table::for_image(elf, Cpu::CortexA8, &rules) {
        Ok(table) if table.instructions() == known => Ok(()),
        Ok(table) => Err(format!(
            "{} instructions, not {known}",
            table.instructions()
        )),
        Err(Error::Unknown { cpu, unknown }) => others(cpu, unknown),
        Err(why) => Err(why.to_string()),
    }
}

/// Every program of a board of each architecture has a timing table, and in long runs of every
/// board.
pub(super) fn every_instruction(workspace: &Workspace, length: Length) -> Result<Tally> {
    let mut all = Tally::default();
    for (board, cpu) in modelled(length) {
        let (name, triple) = (board.name, board.machine.triple());
        let programs = programs(workspace, name)?;
        let names: Vec<&str> = programs.iter().map(String::as_str).collect();
        let images = image::build_several(workspace, (name, triple), &names)?;
        for (program, image) in names.into_iter().zip(images) {
            let elf = std::fs::read(&image.path)
                .with_context(|| format!("cannot read {}", image.path.display()))?;
            let table = Table::for_image(&elf, cpu, &PhaseRules::default());
            let judged = table.map_err(|why| why.to_string()).and_then(|table| {
                match cpu.is_microcontroller() {
                    true => as_thumb(&elf, table.instructions()),
                    false => Ok(()),
                }
            });
            all.add(match judged {
                Ok(()) => Tally::pass(),
                Err(why) => Tally::fail(format!("{program} of {name}: {why}\n")),
            });
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use taktos_emulator::Board;

    use super::*;

    #[test]
    fn every_board_has_a_model() {
        assert_eq!(
            modelled(Length::Long).len(),
            Board::ALL.len() + Several::thorough().count()
        );
    }

    #[test]
    fn only_what_came_later_is_excused() {
        let excused = [
            "fbb0 f0f6",
            "fb91 f1f2",
            "e8d2 2faf",
            "e8c0 1f8f",
            "e8d8 0fcf",
        ];
        let held = ["fb00 f001", "e8d0 f001", "e8c1 2f43", "e8d0 0f5f", "bf00"];
        assert!(excused.iter().all(|bytes| is_younger(bytes)));
        assert!(!held.iter().any(|bytes| is_younger(bytes)));
    }
}
