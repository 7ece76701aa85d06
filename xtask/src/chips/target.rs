//! Chips of a family as probe-rs describes it, and the memory of each for a program.
//!
//! Owns: which of a chip's memories a program is linked for, and the facts that descriptions lack.
//! Must never know: the form of the table.

use std::ops::Range;

use anyhow::{Context, Result};

use super::document::{self, Node};

/// Families with a Cortex-M23, by the beginnings of names: the descriptions have one type for both
/// forms of Armv8-M. Sources: GigaDevice, GD32E230xx datasheet; Renesas, RA0 and RA2 series.
const BASELINE: [&str; 3] = ["GD32E23", "R7FA0", "R7FA2"];

/// Families with a boot ROM, or flash, that demands words that the script of a plain program lacks:
/// a header of the image (S32K3: RM, "Image vector table"), the configuration at the flash's end
/// (CC13xx, CC26xx: TRM, "CCFG"), or the security header amid the vectors (ADuCM302x: HRM).
const HEADED: [&str; 4] = ["S32K3", "CC13", "CC26", "ADuCM302"];

/// Families with a Cortex-M0 that lacks the processor's timer, of which the kernel's time is made
/// (nRF51 reference manual, chapter 3).
const TIMERLESS: [&str; 1] = ["nRF51"];

/// Memories that are not the program's, by the beginnings of the chip's name and the region's: the
/// view of the graphics unit, and the memory of the radio's processor (RM0478).
const TAKEN: [(&str, &str); 2] = [("STM32U5", "SRAM_GFXMM"), ("STM32WB1", "SRAM2")];

/// Addresses of the memory map of Armv7-M and Armv8-M: where code lies, and where data lie that are
/// inside the chip.
const CODE: Range<u64> = 0..0x2000_0000;
const DATA: Range<u64> = 0x2000_0000..0x4000_0000;

/// A block of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Block {
    /// The first address.
    pub start: u64,
    /// The address after the last.
    pub end: u64,
}

/// The flash that a chip boots from, and its RAM.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Memory {
    /// Flash, from the table of vectors on.
    pub flash: Block,
    /// The largest RAM.
    pub ram: Block,
}

/// A chip, in all its packages.
#[derive(PartialEq, Debug)]
pub struct Target {
    /// The name without a package.
    pub name: String,
    /// Names with packages, or the name alone.
    pub packages: Vec<String>,
    /// The architecture of the first processor.
    pub core: String,
    /// The memory for a program, if a port exists for the processor and the chip boots by its table
    /// of vectors from flash of its own.
    pub memory: Option<Memory>,
}

/// Reads the chips of a family.
///
/// # Errors
/// If the text is no description of a family.
pub fn family(text: &str) -> Result<Vec<Target>> {
    let family = document::with_list(text, "variants")?;
    family.list("variants").iter().map(target).collect()
}

fn target(variant: &Node) -> Result<Target> {
    let name = variant.text("name")?;
    let core = variant.list("cores").first();
    let core = core.with_context(|| format!("{name} has no core"))?;
    let regions = regions(variant, core.text("name")?).with_context(|| name.to_owned())?;
    let mut packages: Vec<String> = variant
        .texts("package_variants")
        .map(str::to_owned)
        .collect();
    if packages.is_empty() {
        packages.push(name.to_owned());
    }
    packages.sort();
    packages.dedup();
    let core = architecture(name, core.text("type")?);
    Ok(Target {
        memory: memory(name, &core, &regions),
        name: name.to_owned(),
        packages,
        core,
    })
}

fn architecture(name: &str, described: &str) -> String {
    let form = match described {
        "armv8m" if begins(&BASELINE, name) => ".base",
        "armv8m" => ".main",
        _ => "",
    };
    format!("{described}{form}")
}

fn begins(beginnings: &[&str], name: &str) -> bool {
    beginnings
        .iter()
        .any(|beginning| name.starts_with(beginning))
}

/// Kind of a region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boot,
    Ram,
}

/// Memory that the first processor reaches.
struct Region<'a> {
    name: &'a str,
    kind: Kind,
    block: Block,
    is_alias: bool,
}

fn regions<'a>(variant: &'a Node, core: &str) -> Result<Vec<Region<'a>>> {
    let mut regions = Vec::new();
    for region in variant.list("memory_map") {
        let boots = region.get("access").is_some_and(|access| access.is("boot"));
        let kind = match region.tag() {
            "Nvm" if boots => Kind::Boot,
            "Ram" => Kind::Ram,
            _ => continue,
        };
        if !region.texts("cores").any(|name| name == core) {
            continue;
        }
        let range = region.get("range").context("a region has no range")?;
        regions.push(Region {
            name: region.text("name").unwrap_or_default(),
            kind,
            block: Block {
                start: range.number("start")?,
                end: range.number("end")?,
            },
            is_alias: region.is("is_alias"),
        });
    }
    Ok(regions)
}

fn memory(name: &str, core: &str, regions: &[Region]) -> Option<Memory> {
    let has_port = matches!(core, "armv6m" | "armv7m" | "armv7em" | "armv8m.main");
    if !has_port || begins(&HEADED, name) || begins(&TIMERLESS, name) {
        return None;
    }
    let taken = |region: &Region| {
        let mut all = TAKEN.iter();
        all.any(|(chip, memory)| name.starts_with(chip) && region.name.starts_with(memory))
    };
    let of = |kind: Kind, place: &Range<u64>, aliases: bool| {
        let regions = regions.iter().filter(|region| {
            region.kind == kind
                && region.is_alias <= aliases
                && place.contains(&region.block.start)
                && !taken(region)
        });
        joined(regions.map(|region| region.block).collect())
    };
    let flash = *of(Kind::Boot, &CODE, false).first()?;
    // Where a description calls the place for data the alias, that of code is no better.
    let choices = [(&DATA, false), (&DATA, true), (&CODE, false)];
    let ram = choices
        .into_iter()
        .find_map(|(place, aliases)| largest(&of(Kind::Ram, place, aliases)))?;
    Some(Memory { flash, ram })
}

/// Joins blocks that follow each other. A block that begins in the midst of another is an error of
/// the description, and left out.
fn joined(mut blocks: Vec<Block>) -> Vec<Block> {
    blocks.sort_unstable();
    let mut joined: Vec<Block> = Vec::new();
    for block in blocks {
        match joined.last_mut() {
            Some(last) if last.end == block.start => last.end = block.end,
            Some(last) if last.end > block.start => {}
            _ => joined.push(block),
        }
    }
    joined
}

/// Returns the largest block; of several the first.
fn largest(blocks: &[Block]) -> Option<Block> {
    let sizes = blocks.iter().map(|block| block.end - block.start);
    let most = sizes.max()?;
    blocks
        .iter()
        .find(|block| block.end - block.start == most)
        .copied()
}

#[cfg(test)]
mod tests;
