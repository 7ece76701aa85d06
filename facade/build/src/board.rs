//! Owns: what the build script of a board's crate says to cargo: scripts and arguments for the linker, and, where the crate has programs
//! of its own, whose they are.
//! Must never know: a board.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where the programs of a board's crate are, in the tree alone.
const PROGRAMS: &str = "src/bin";
/// How the packages of boards are called, before the board's name.
const FAMILY: &str = "taktos-board-";

/// A board, as the linker has to know it.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// What the linker is told for a program of this board, here or elsewhere.
    pub arguments: &'static [&'static str],
    /// What a program of this board can be compiled for.
    pub targets: &'static [&'static str],
    /// Scripts that the linker looks for, those of them that lie in the crate's folder.
    pub scripts: &'static [&'static str],
    /// A program that is linked in a way of its own, with the one argument for it, where the crate has that program.
    pub apart: Option<(&'static str, &'static str)>,
}

impl Board {
    /// Says it. Gives the folder in which the linker looks for scripts; compiled for the host a board has none.
    ///
    /// # Panics
    /// When a file cannot be read or written: without it nothing can be linked.
    pub fn describe(&self) -> Option<PathBuf> {
        println!("cargo:targets={}", self.targets.join(" "));
        // What boards share asks for these; not every board has them.
        println!(
            "cargo:rustc-check-cfg=cfg(feature, values(\"smp\", \"counted\", \"guest\", \"pac\"))"
        );
        println!("cargo:rustc-check-cfg=cfg(cortex_m)");
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
        if Path::new(PROGRAMS).exists() {
            // A new program is linked as the others are.
            println!("cargo:rerun-if-changed={PROGRAMS}");
            name_board(&out, &name);
            programs().iter().for_each(|program| self.link(program));
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

/// The programs of this crate: files and folders.
fn programs() -> Vec<String> {
    let found = fs::read_dir(PROGRAMS).expect("programs can be listed");
    let path = |entry: std::io::Result<fs::DirEntry>| entry.expect("programs can be listed").path();
    let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    found.filter_map(|entry| name(path(entry))).collect()
}

/// What cargo tells build scripts.
fn said(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::place_of_programs;

    #[test]
    fn a_board_s_script_says_where_programs_lie() {
        let script = "MEMORY\n{\n}\nPROVIDE(_taktos_programs = 0x20200000);\n";
        assert_eq!(place_of_programs(script).as_deref(), Some("0x20200000"));
        assert_eq!(place_of_programs("MEMORY\n{\n}\n"), None);
    }
}
