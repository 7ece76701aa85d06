//! The analysis of a marked interval by hand, done by the machine: the image is
//! walked through the interval one instruction after the other, and the
//! processor's timing tables are applied to that path alone.
//!
//! This is another way to the figure than the clock's: it sees no interrupt,
//! begins with an empty pipeline, and shares no code with the clock. Where the
//! two agree, each is a check of the other.

mod path;
mod remote;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use object::{Object, ObjectSegment};
use taktos_cycles::model::cortex_a8;
use taktos_cycles::pipeline::Pipeline;
use taktos_cycles::{Cpu, a32};
use taktos_emulator::Board;
use taktos_runner::image::Image;

use crate::measure::Summary;

/// How often the intervals are walked: the first walk may take a branch that later ones do not.
const WALKS: usize = 8;

/// For each mark, the cycles of its paths.
///
/// The model of the Cortex-M4 gives every instruction its own cost independent of its neighbours,
/// so there the count is the analysis, and none is made.
///
/// # Errors
/// When the image cannot be read, or the emulator does not walk it.
pub fn analyse(board: Board, image: &Image, marks: &[String]) -> Result<BTreeMap<String, Summary>> {
    if board.cpu() != Some(Cpu::CortexA8) || marks.is_empty() {
        return Ok(BTreeMap::new());
    }
    let file = std::fs::read(&image.path)
        .with_context(|| format!("cannot read {}", image.path.display()))?;
    let elf = object::File::parse(file.as_slice()).context("the image is no ELF file")?;
    let mut analysed = BTreeMap::new();
    for (mark, paths) in path::walk(board, &image.path, &elf, marks, WALKS)? {
        let cycles: Result<Vec<u64>> = paths.iter().map(|path| cycles(&elf, path)).collect();
        if let Some(summary) = Summary::of(cycles?.into_iter()) {
            analysed.insert(mark, summary);
        }
    }
    Ok(analysed)
}

/// The cycles of a path on a Cortex-A8.
fn cycles(elf: &object::File<'_>, path: &[u32]) -> Result<u64> {
    let mut pipeline = Pipeline::default();
    for address in path {
        let word = word(elf, *address)
            .with_context(|| format!("the path leads out of the image, to {address:#010x}"))?;
        let instruction = a32::classify(word).with_context(|| {
            format!("no table knows the instruction {word:08x} at {address:#010x}")
        })?;
        pipeline.issue(&cortex_a8::timing(&instruction, a32::condition(word)));
    }
    Ok(pipeline.cycles())
}

fn word(elf: &object::File<'_>, address: u32) -> Option<u32> {
    let bytes = elf
        .segments()
        .find_map(|segment| segment.data_range(u64::from(address), 4).ok().flatten())?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
