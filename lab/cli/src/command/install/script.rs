//! Owns: how the linker script of a C program comes of those that a board's crates have: one file,
//! which needs no other. Must never know: how the library is built.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::library::Built;

/// How the script of a board is made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Script {
    /// The start-up code's own, then this, with the memory of a C program.
    After(&'static str),
    /// Where the program begins, the board's memory, then this, with all sections of a C program:
    /// in the start-up code's own the names of some are not known, or the linker of C programs
    /// cannot read it.
    Instead(&'static str, &'static str),
}

/// Script text after the start-up code's of a Cortex-M.
pub(super) const CORTEX_M: Script =
    Script::After(include_str!("../../../../../user/c/link/cortex-m.ld"));
/// Script text after that of an Armv7-A.
pub(super) const ARMV7_A: Script =
    Script::After(include_str!("../../../../../user/c/link/armv7-a.ld"));
/// In place of that of an AArch64.
pub(super) const AARCH64: Script = Script::Instead(
    "entry",
    include_str!("../../../../../user/c/link/aarch64.ld"),
);
/// In place of that of a RISC-V.
pub(super) const RISCV64: Script = Script::Instead(
    "_start",
    include_str!("../../../../../user/c/link/riscv64.ld"),
);

/// The place of constants in each script, and the tables that a C program has there besides.
const CONSTANTS: &str = "*(.rodata .rodata";
const OF_C: &str = include_str!("../../../../../user/c/link/constants.ld");
/// The end of each script.
const PROGRAM: &str = include_str!("../../../../../user/c/link/program.ld");

/// The script.
pub(super) fn of(script: Script, built: &Built) -> Result<String> {
    let text = of_memory(script, built)?;
    Ok(format!("{}{PROGRAM}", with_constructors(&text)?))
}

/// Returns a script with the tables of constructors after its constants.
fn with_constructors(text: &str) -> Result<String> {
    let (before, behind) = text
        .find(CONSTANTS)
        .and_then(|place| Some(text.split_at(place + text[place..].find('\n')? + 1)))
        .context("the linker script has no constants")?;
    Ok([before, OF_C, behind].concat())
}

/// The script but for what all have in common.
fn of_memory(script: Script, built: &Built) -> Result<String> {
    match script {
        Script::After(memory) => {
            let named = built
                .arguments
                .iter()
                .filter_map(|argument| argument.strip_prefix("-T"));
            let scripts: Vec<String> = named
                .map(|name| expanded(name, &built.searched))
                .collect::<Result<_>>()?;
            Ok(format!("{}\n{memory}", scripts.concat()))
        }
        Script::Instead(entry, sections) => {
            let memory = without_inserted(&expanded("memory.x", &built.searched)?);
            // A board that begins elsewhere says so. Of two, GNU's linker takes the last, LLVM's
            // the first.
            let begin = match memory.contains("ENTRY(") {
                true => String::new(),
                false => format!("ENTRY({entry})\n"),
            };
            Ok(format!("{begin}{memory}\n{sections}"))
        }
    }
}

/// A script without what it has to stand between another one's sections: GNU's linker takes such a
/// script for an addition to its own.
fn without_inserted(text: &str) -> String {
    let stays = |line: &&str| !line.contains(" INSERT AFTER ");
    text.lines()
        .filter(stays)
        .flat_map(|line| [line, "\n"])
        .collect()
}

/// A script with those that it includes in their places.
fn expanded(name: &str, searched: &[PathBuf]) -> Result<String> {
    let text = searched
        .iter()
        .find_map(|folder| fs::read_to_string(folder.join(name)).ok())
        .with_context(|| format!("the linker script {name} is nowhere"))?;
    let lines = text
        .lines()
        .map(|line| match line.trim().strip_prefix("INCLUDE ") {
            Some(other) => expanded(other.trim_end_matches(';').trim(), searched),
            None => Ok(format!("{line}\n")),
        });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inserted_is_left_out() {
        let text = "MEMORY {}\nSECTIONS { .a : {} } INSERT AFTER .text;\nx = 1;\n";
        assert_eq!(without_inserted(text), "MEMORY {}\nx = 1;\n");
    }

    #[test]
    fn constructors_are_behind_constants() {
        let text = "  .rodata :\n  {\n    *(.rodata .rodata.*);\n  }\n";
        let with = with_constructors(text).unwrap();
        let (before, behind) = with.split_once(OF_C).unwrap();
        assert_eq!([before, behind].concat(), text);
        assert!(before.ends_with("*(.rodata .rodata.*);\n"));
        assert!(with_constructors(".text : {}").is_err());
    }

    #[test]
    fn a_script_has_what_it_includes_in_its_place() {
        let folder = std::env::temp_dir().join(format!("taktos-script-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a"), "one\nINCLUDE b\nthree\n").unwrap();
        fs::write(folder.join("b"), "two\n").unwrap();
        let searched = [folder.join("nowhere"), folder.clone()];
        assert_eq!(expanded("a", &searched).unwrap(), "one\ntwo\nthree\n");
        assert!(expanded("c", &searched).is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
