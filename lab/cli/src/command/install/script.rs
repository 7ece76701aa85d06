//! Owns: how the linker script of a C program comes of those that a board's crates have: one file, which needs no other.
//! Must never know: how the library is built.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::library::Built;

/// How the script of a board is made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The start-up code's own, then the memory of a C program.
    CortexM,
    /// The board's memory, then all sections of a C program, whose names the start-up code's own does not know.
    AArch64,
}

const OF_CORTEX_M: &str = include_str!("../../../../../user/c/link/cortex-m.ld");
const OF_AARCH64: &str = include_str!("../../../../../user/c/link/aarch64.ld");

/// The script.
pub(super) fn of(kind: Kind, built: &Built) -> Result<String> {
    let named = built
        .arguments
        .iter()
        .filter_map(|argument| argument.strip_prefix("-T"));
    match kind {
        Kind::CortexM => {
            let scripts: Vec<String> = named
                .map(|name| expanded(name, &built.searched))
                .collect::<Result<_>>()?;
            Ok(format!("{}\n{OF_CORTEX_M}", scripts.concat()))
        }
        // A board that begins elsewhere says so.
        Kind::AArch64 => Ok(format!(
            "ENTRY(entry)\n{}\n{OF_AARCH64}",
            expanded("memory.x", &built.searched)?
        )),
    }
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
