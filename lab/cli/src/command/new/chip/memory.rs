//! The memory map of a chip for the linker, `memory.x`.
//!
//! Owns: the text of that file, and the words that a chip itself reads from its flash.
//! Must never know: how a program is compiled.

use super::table::{Block, Chip, Memory};

/// Chips with a flash beside them, of which the table has the addresses for the largest, and the
/// size of that on a Raspberry Pi Pico.
const PICOS: [(&str, u32); 2] = [("RP235x", 4 << 20), ("RP2040", 2 << 20)];
/// The first bytes of the flash of an RP2040: a loader, which the boot ROM starts (datasheet,
/// 2.8.1).
const LOADER: (&str, u32) = ("RP2040", 0x100);

/// Words that a chip reads from its flash, behind the table of vectors.
struct Words {
    /// Beginnings of the names of chips.
    chips: &'static [&'static str],
    /// Whether the program has the HAL of its family; either, if the family has none.
    hal: bool,
    /// Lines of the linker's script.
    script: &'static str,
}

const WORDS: [Words; 5] = [
    // RP2040 datasheet, 2.8.1, "Boot sequence".
    Words {
        chips: &["RP2040"],
        hal: true,
        script: "
/* The flash is a chip beside it: that of a Raspberry Pi Pico has 2 MiB.
   The boot ROM starts the loader in its first 256 bytes, which embassy-rp has. */
MEMORY { LOADER : ORIGIN = 0x10000000, LENGTH = 0x100 }
SECTIONS {
  .boot2 ORIGIN(LOADER) : { KEEP(*(.boot2)) } > LOADER
} INSERT BEFORE .text;
",
    },
    // RP2350 datasheet, "Block loop" and "Minimum Arm IMAGE_DEF".
    Words {
        chips: &["RP235x"],
        hal: true,
        script: "
/* The flash is a chip beside it: that of a Raspberry Pi Pico 2 has 4 MiB.
   The boot ROM looks for a block in its first 4 KiB, which embassy-rp has. */
SECTIONS {
  .start_block : ALIGN(4) { KEEP(*(.start_block)) } > FLASH
} INSERT AFTER .vector_table;
_stext = ADDR(.start_block) + SIZEOF(.start_block);
",
    },
    Words {
        chips: &["RP235x"],
        hal: false,
        script: "
/* The flash is a chip beside it: that of a Raspberry Pi Pico 2 has 4 MiB.
   The boot ROM looks for a block in its first 4 KiB: an image for Arm processors, secure. */
SECTIONS {
  .start_block : ALIGN(4) {
    LONG(0xffffded3) LONG(0x10210142) LONG(0x000001ff) LONG(0x00000000) LONG(0xab123579)
  } > FLASH
} INSERT AFTER .vector_table;
_stext = ADDR(.start_block) + SIZEOF(.start_block);
",
    },
    // S32K1xx reference manual, "Flash configuration field description".
    Words {
        chips: &["S32K14"],
        hal: false,
        script: "
/* The flash configuration field: no protection, debugging allowed. Other values can lock the chip. */
SECTIONS {
  .flash_configuration ORIGIN(FLASH) + 0x400 : {
    LONG(0xffffffff) LONG(0xffffffff) LONG(0xffffffff) LONG(0xffff7ffe)
  } > FLASH
} INSERT AFTER .vector_table;
_stext = ORIGIN(FLASH) + 0x410;
",
    },
    // RA4M1 and RA6M3 user's manuals, "Option-Setting Memory".
    Words {
        chips: &[
            "R7FA4M1", "R7FA4W1", "R7FA6M1", "R7FA6M2", "R7FA6M3", "R7FA6T1",
        ],
        hal: false,
        script: "
/* The option-setting memory, 0x400 to 0x43f, stays erased: watchdogs and protection are off. */
_stext = ORIGIN(FLASH) + 0x440;
",
    },
];

/// Returns the memory of a chip on a usual board.
pub fn on_board(chip: &Chip, mut memory: Memory) -> Memory {
    if let Some((_, bytes)) = PICOS.iter().find(|(name, _)| *name == chip.name) {
        memory.flash.bytes = *bytes;
    }
    if chip.name == LOADER.0 {
        memory.flash.start += LOADER.1;
        memory.flash.bytes -= LOADER.1;
    }
    memory
}

/// Whether a program for the chip starts by words that a HAL alone has.
pub fn needs_hal(chip: &Chip) -> bool {
    chip.name == LOADER.0
}

/// Returns the file for a chip with this memory, and a program with the HAL of its family or not.
pub fn map(chip: &Chip, memory: Memory, has_hal: bool, source: &str) -> String {
    let Memory { flash, ram } = memory;
    let words = WORDS.iter().find(|words| {
        let mut chips = words.chips.iter();
        words.hal == has_hal && chips.any(|begin| chip.name.starts_with(begin))
    });
    format!(
        "\
/* The memory of {}, by the target descriptions of {source}.
   Check it against the data sheet: a chip may have more RAM, in banks that lie apart. */
MEMORY
{{
  FLASH : {}
  RAM   : {}
}}
{}",
        chip.name,
        region(flash),
        region(ram),
        words.map_or("", |words| words.script)
    )
}

fn region(block: Block) -> String {
    format!(
        "ORIGIN = {:#010x}, LENGTH = {}",
        block.start,
        size(block.bytes)
    )
}

/// Returns a size as the linker reads it.
pub fn size(bytes: u32) -> String {
    match bytes % 1024 {
        0 => format!("{}K", bytes / 1024),
        _ => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::{Core, all};
    use super::*;

    fn of(name: &str, has_hal: bool) -> String {
        let chip = all().find(|chip| chip.name == name).unwrap();
        let memory = on_board(&chip, chip.memory.unwrap());
        map(&chip, memory, has_hal, "x")
    }

    #[test]
    fn map_has_flash_and_ram_of_the_chip() {
        let map = of("STM32F411CEUx", true);
        assert!(
            map.contains("FLASH : ORIGIN = 0x08000000, LENGTH = 512K\n"),
            "{map}"
        );
        assert!(
            map.contains("RAM   : ORIGIN = 0x20000000, LENGTH = 128K\n"),
            "{map}"
        );
        assert!(
            map.contains("STM32F411CEUx") && map.ends_with("}\n"),
            "{map}"
        );
        let odd = of("XMC4500-F144x1024", false);
        assert!(odd.contains("LENGTH = 65472\n"), "{odd}");
    }

    #[test]
    fn words_that_a_chip_reads_have_their_place() {
        for (name, has_hal, part) in [
            ("RP235x", true, "KEEP(*(.start_block))"),
            ("RP2040", true, "ORIGIN = 0x10000100, LENGTH = 2096896"),
            ("RP2040", true, "KEEP(*(.boot2))"),
            ("RP235x", false, "LONG(0xab123579)"),
            ("S32K142HAxxxLHx", false, "_stext = ORIGIN(FLASH) + 0x410;"),
            ("R7FA4M1AB", false, "_stext = ORIGIN(FLASH) + 0x440;"),
        ] {
            let map = of(name, has_hal);
            assert!(map.contains(part), "{map}");
        }
        assert!(of("RP235x", true).contains("LENGTH = 4096K"));
    }

    #[test]
    fn every_family_with_words_is_in_the_table() {
        for family in WORDS.iter().flat_map(|words| words.chips) {
            let mut chips = all().filter(|chip| chip.memory.is_some());
            let found = chips.find(|chip| chip.name.starts_with(family));
            assert!(
                found.is_some_and(|chip| !matches!(chip.core, Core::Other(_))),
                "{family}"
            );
        }
    }
}
