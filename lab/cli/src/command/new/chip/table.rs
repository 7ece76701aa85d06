//! The table of chips, as `cargo xtask chips` writes it.
//!
//! Owns: the form of its lines. Must never know: the chip that a person means.

/// The table.
const TEXT: &str = include_str!("chips.txt");

/// A chip, in one package.
#[derive(Clone, Copy, Debug)]
pub struct Chip {
    /// Its name, as probe-rs spells it.
    pub name: &'static str,
    /// The architecture of its first processor.
    pub core: Core,
    /// Its memory; none if no memory map alone makes it start a program.
    pub memory: Option<Memory>,
}

/// The architecture of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Core {
    /// Armv6-M: Cortex-M0, M0+ and M1.
    Armv6M,
    /// Armv7-M: Cortex-M3.
    Armv7M,
    /// Armv7E-M: Cortex-M4 and Cortex-M7.
    Armv7EM,
    /// Armv8-M with the main extension: Cortex-M33, M55 and M85.
    Armv8M,
    /// One for which there is no port, by the table's word.
    Other(&'static str),
}

/// The memory of a chip for a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// The flash that it boots from.
    pub flash: Block,
    /// Its RAM, or the largest part of it without a gap.
    pub ram: Block,
}

/// A block of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The first address.
    pub start: u32,
    /// How many bytes there are.
    pub bytes: u32,
}

/// Returns every chip: those with one memory beside each other, each group in the order of names.
pub fn all() -> impl Iterator<Item = Chip> {
    let mut group = None;
    let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(move |line| {
        let names = line.strip_prefix(' ');
        if names.is_none() {
            group = read(line);
        }
        let group = group;
        let names = names.unwrap_or_default().split(' ');
        names.filter_map(move |name| {
            let (core, memory) = group.filter(|_| !name.is_empty())?;
            Some(Chip { name, core, memory })
        })
    })
}

/// Returns the name, the version and the licence of the package that the figures are from.
pub fn source() -> &'static str {
    let first = TEXT.lines().next().unwrap_or_default();
    first.trim_start_matches("# ")
}

/// Reads a line about the chips below it.
fn read(line: &'static str) -> Option<(Core, Option<Memory>)> {
    let words: Vec<&str> = line.split(' ').collect();
    let (core, memory) = match words.as_slice() {
        [core] => (core, None),
        [core, flash, flash_size, ram, ram_size] => {
            let flash = block(flash, flash_size)?;
            let ram = block(ram, ram_size)?;
            (core, Some(Memory { flash, ram }))
        }
        _ => return None,
    };
    let core = match *core {
        "armv6m" => Core::Armv6M,
        "armv7m" => Core::Armv7M,
        "armv7em" => Core::Armv7EM,
        "armv8m.main" => Core::Armv8M,
        other => Core::Other(other),
    };
    Some((core, memory))
}

fn block(start: &str, size: &str) -> Option<Block> {
    let start = u32::from_str_radix(start.strip_prefix("0x")?, 16).ok()?;
    let bytes = match size.strip_suffix('K') {
        Some(size) => size.parse::<u32>().ok()?.checked_mul(1024)?,
        None => size.parse().ok()?,
    };
    Some(Block { start, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most bytes that the table may have: it is part of the tool.
    const MOST: usize = 256 * 1024;

    fn lines() -> impl Iterator<Item = &'static str> {
        TEXT.lines().filter(|line| !line.starts_with('#'))
    }

    #[test]
    fn table_is_small_and_names_its_source() {
        assert!(TEXT.len() < MOST, "{}", TEXT.len());
        let source = source();
        assert!(source.starts_with("probe-rs 0."), "{source}");
        assert!(source.contains("MIT OR Apache-2.0"), "{source}");
    }

    #[test]
    fn lines_are_read_and_names_are_distinct() {
        for line in lines().filter(|line| !line.starts_with(' ')) {
            let (core, memory) = read(line).unwrap_or_else(|| panic!("{line}"));
            let has_port = !matches!(core, Core::Other(_));
            assert!(has_port || memory.is_none(), "{line}");
        }
        let chips: Vec<Chip> = all().collect();
        let names = lines().filter(|line| line.starts_with(' '));
        assert_eq!(names.flat_map(str::split_whitespace).count(), chips.len());
        assert!(chips.len() > 5_000);
        let mut names: Vec<String> = chips.iter().map(|chip| chip.name.to_lowercase()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), chips.len());
    }

    #[test]
    fn groups_and_their_names_are_sorted() {
        let mut groups: Vec<Vec<&str>> = Vec::new();
        for line in lines() {
            match (line.strip_prefix(' '), groups.last_mut()) {
                (None, _) => groups.push(Vec::new()),
                (Some(names), Some(group)) => group.push(names),
                (Some(names), None) => panic!("{names} before the first group"),
            }
        }
        assert!(groups.is_sorted_by_key(|group| group.first().copied()));
        for group in groups {
            let words = |line: &&'static str| line.split(' ').collect::<Vec<_>>();
            assert!(group.iter().map(words).is_sorted(), "{group:?}");
            assert!(group.iter().map(words).all(|names| names.is_sorted()));
        }
    }

    #[test]
    fn known_chips_have_their_memory() {
        let found = |name: &str| {
            let chip = all().find(|chip| chip.name == name);
            let Memory { flash, ram } = chip.unwrap().memory.unwrap();
            [flash.start, flash.bytes / 1024, ram.start, ram.bytes / 1024]
        };
        for (name, expected) in [
            ("STM32F411CEUx", [0x800_0000, 512, 0x2000_0000, 128]),
            ("STM32H743VITx", [0x800_0000, 2048, 0x2400_0000, 512]),
            ("nRF52840_xxAA", [0, 1024, 0x2000_0000, 256]),
            ("GD32F103C8", [0x800_0000, 64, 0x2000_0000, 20]),
            ("LPC55S69JBD100", [0, 630, 0x2000_0000, 272]),
        ] {
            assert_eq!(found(name), expected, "{name}");
        }
    }

    #[test]
    fn malformed_lines_are_not_read() {
        for line in [
            "armv7m 0x0 1K",
            "armv7m 0 1K 0x0 1K",
            "armv7m 0x0 K 0x0 1K",
            "a b",
        ] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
