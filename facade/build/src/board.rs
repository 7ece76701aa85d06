//! Owns: the lines that the build script of a board's crate prints for cargo: linker scripts,
//! linker arguments and, if the crate has programs of its own, the name of their board.
//! Must never know: a board.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Folder of the programs that a board's crate has alone, in the tree only.
const PROGRAMS: &str = "src/bin";
/// The manifest, which names the programs that boards share.
const MANIFEST: &str = "Cargo.toml";
/// How the packages of boards are called, before the board's name.
const FAMILY: &str = "taktos-board-";

/// A board, as the linker has to know it.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// Linker arguments of each program of this board, in this crate or in another one.
    pub arguments: &'static [&'static str],
    /// Targets that a program of this board can be compiled for.
    pub targets: &'static [&'static str],
    /// Scripts that the linker looks for, those of them that lie in the crate's folder.
    pub scripts: &'static [&'static str],
    /// A program that is linked in a way of its own, with the one argument for it, where the crate
    /// has that program.
    pub apart: Option<(&'static str, &'static str)>,
}

impl Board {
    /// Says it. Gives the folder in which the linker looks for scripts; compiled for the host a
    /// board has none.
    ///
    /// # Panics
    /// When a file cannot be read or written: without it nothing can be linked.
    pub fn describe(&self) -> Option<PathBuf> {
        println!("cargo:targets={}", self.targets.join(" "));
        // Macros and programs that boards share have conditions on these; not every board has them.
        println!("cargo:rustc-check-cfg=cfg(feature, values(\"smp\", \"pac\"))");
        let name = said("CARGO_PKG_NAME").replace(FAMILY, "");
        println!("cargo:rustc-env=TAKTOS_BOARD={name}");
        let scripts = self
            .scripts
            .iter()
            .filter(|script| Path::new(script).exists());
        for script in scripts.clone() {
            println!("cargo:rerun-if-changed={script}");
        }
        if said("CARGO_CFG_TARGET_OS") != "none" {
            return None;
        }
        let out = PathBuf::from(said("OUT_DIR"));
        for script in scripts.clone() {
            fs::copy(script, out.join(script)).expect("the output directory can be written");
        }
        let texts = scripts.filter_map(|script| fs::read_to_string(script).ok());
        if let Some(place) = texts.filter_map(|text| place_of_programs(&text)).next() {
            println!("cargo:programs={place}");
        }
        println!("cargo:rustc-link-search={}", out.display());
        println!("cargo:arguments={}", self.arguments.join(" "));
        let programs = programs();
        if !programs.is_empty() {
            // A new program is linked as the others are.
            for source in [PROGRAMS, MANIFEST] {
                println!("cargo:rerun-if-changed={source}");
            }
            name_board(&out, &name);
            programs.iter().for_each(|program| self.link(program));
        }
        Some(out)
    }

    fn link(&self, program: &str) {
        let own = self.apart.filter(|(apart, _)| *apart == program);
        let own = own
            .as_ref()
            .map(|(_, argument)| std::slice::from_ref(argument));
        for argument in own.unwrap_or(self.arguments) {
            println!("cargo:rustc-link-arg-bin={program}={argument}");
        }
    }
}

/// Where a script has programs lie that partitions load: `PROVIDE(_taktos_programs = 0x20200000);`.
fn place_of_programs(script: &str) -> Option<String> {
    let (_, rest) = script.split_once("_taktos_programs =")?;
    let (number, _) = rest.split_once(')')?;
    Some(number.trim().to_owned())
}

/// By this a program names the board it is built for: its file may be that of several boards.
fn name_board(out: &Path, name: &str) {
    let library = name.replace('-', "_");
    let line = format!("use {library}::{{self as board, Board}};\n");
    fs::write(out.join("board.rs"), line).expect("the output directory can be written");
}

/// The programs of this crate: files and folders, and those that its manifest names.
fn programs() -> Vec<String> {
    let manifest = fs::read_to_string(MANIFEST).unwrap_or_default();
    let mut programs = named(&manifest);
    let Ok(found) = fs::read_dir(PROGRAMS) else {
        return programs;
    };
    let path = |entry: std::io::Result<fs::DirEntry>| entry.expect("programs can be listed").path();
    let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    programs.extend(found.filter_map(|entry| name(path(entry))));
    programs.sort();
    programs.dedup();
    programs
}

/// The names in the `[[bin]]` tables of a manifest in which the name is the first key.
fn named(manifest: &str) -> Vec<String> {
    let tables = manifest.split("[[bin]]\n").skip(1);
    let name = |table: &str| {
        let name = table.lines().next()?.strip_prefix("name = \"")?;
        Some(name.strip_suffix('"')?.to_owned())
    };
    tables.filter_map(name).collect()
}

/// Returns the environment variable `name`, which cargo sets for build scripts, or an empty text.
fn said(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{named, place_of_programs};

    #[test]
    fn the_programs_of_a_manifest_are_found() {
        let manifest = "[package]\nname = \"board\"\n\n[[bin]]\nname = \"hello\"\npath = \"x.rs\"\n\n\
                        # Others.\n[[bin]]\nname = \"storm\"\n";
        assert_eq!(named(manifest), ["hello", "storm"]);
        assert!(named("[package]\nname = \"board\"\n").is_empty());
    }

    #[test]
    fn a_board_s_script_says_where_programs_lie() {
        let script = "MEMORY\n{\n}\nPROVIDE(_taktos_programs = 0x20200000);\n";
        assert_eq!(place_of_programs(script).as_deref(), Some("0x20200000"));
        assert_eq!(place_of_programs("MEMORY\n{\n}\n"), None);
    }
}
