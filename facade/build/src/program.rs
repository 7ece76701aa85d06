//! Owns: programs that partitions load: the linking of one, its build by the build script of its
//! loader, and the report of its location. Must never know: the work of either program.

use crate::executable;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The size of the kernel's word between the stacks and the program's own data, and the alignment
/// of the data after it.
const WORD: usize = 16;
/// The variable in which the loader's build script gives the program's build script the numbers of
/// a [`Place`], for which the program is linked.
const TOLD: &str = "TAKTOS_PLACE";
/// Variables that cargo sets for the loader's build script, removed from the program's build.
const OF_THE_LOADER: [&str; 5] = [
    "CARGO_FEATURE_",
    "CARGO_CFG_",
    "CARGO_PKG_",
    "DEP_",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// The memory of a partition with a loaded program.
///
/// Its regions follow each other: that of the code, then that of stacks and data. Each must be as
/// the board's protection hardware demands: of whole pages, or, on a Cortex-M4, of a power of two
/// and at a multiple of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The lowest address, of memory that nothing else of the image has: [`programs`], or another
    /// one.
    pub base: usize,
    /// How many bytes there are for what is executed, and for constants.
    pub code: usize,
    /// How many bytes there are for stacks, and after them for data.
    pub memory: usize,
    /// How many of these the stacks take: the sum of those of the partition's threads.
    pub stacks: usize,
}

impl Place {
    fn told(&self) -> String {
        let Self {
            base,
            code,
            memory,
            stacks,
        } = self;
        format!("{base} {code} {memory} {stacks}")
    }

    fn from_told(words: &str) -> Option<Self> {
        let mut numbers = words.split(' ').map(|word| word.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(Self {
            base: next()?,
            code: next()?,
            memory: next()?,
            stacks: next()?,
        })
    }

    /// The linker's script of the program.
    fn script_of_program(&self) -> String {
        let Self {
            base, code, memory, ..
        } = self;
        let data = base + code + self.stacks + WORD;
        let (end_of_code, end) = (base + code, base + code + memory);
        format!(
            "ENTRY(begin)\n\
             PHDRS {{ code PT_LOAD FLAGS(5); data PT_LOAD FLAGS(6); }}\n\
             SECTIONS\n{{\n\
             .text {base:#x} : {{ *(.text .text.*) }} :code\n\
             .rodata : {{ *(.rodata .rodata.* .srodata .srodata.*) }} :code\n\
             ASSERT(. <= {end_of_code:#x}, \"code and constants do not fit into the partition's memory for code\")\n\
             .data {data:#x} : {{ *(.data .data.* .sdata .sdata.*) }} :data\n\
             .bss : {{ *(.bss .bss.* .sbss .sbss.* COMMON) }} :data\n\
             ASSERT(. <= {end:#x}, \"data do not fit into the partition's memory behind the stacks\")\n\
             /DISCARD/ : {{ *(.ARM.exidx* .ARM.extab* .eh_frame* .riscv.attributes .comment) }}\n}}\n"
        )
    }

    /// That of the loader, which has the two memories of `program` at their addresses; `before`
    /// names a place in the board's own at which that moves nothing else.
    fn script_of_loader(&self, program: &str, before: &str) -> String {
        let Self {
            base, code, memory, ..
        } = self;
        let size = code + memory;
        format!(
            "MEMORY {{ {program} : ORIGIN = {base:#x}, LENGTH = {size:#x} }}\n\
             SECTIONS {{ .{program} (NOLOAD) : {{ *(.{program}.code) *(.{program}.memory) }} > {program} }} INSERT {before};\n\
             ASSERT(SIZEOF(.{program}) == 0 || SIZEOF(.{program}) == {size:#x}, \
             \"the memories in .{program}.code and .{program}.memory are of other sizes than the build script says\")\n"
        )
    }
}

/// In the build script of a loader: the lowest address of what its board has for programs that are
/// loaded, a multiple of 64 KiB. How much there is, the board's memory map says. Compiled for the
/// host, 0.
///
/// # Panics
/// Where the board has none.
pub fn programs() -> usize {
    if !is_for_a_board() {
        return 0;
    }
    let told = said("DEP_TAKTOS_PROGRAMS");
    let digits = told.strip_prefix("0x").unwrap_or_default();
    usize::from_str_radix(digits, 16).expect("the board says where programs are loaded")
}

/// Links a program that a partition loads at the addresses that its loader has for it, from the
/// symbol `begin` on. For the build script of that program. A program that is compiled for the
/// host, or without a loader's build script, has no such addresses.
///
/// # Panics
/// If the script cannot be written.
pub fn program() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={TOLD}");
    let place = env::var(TOLD).ok();
    let place = place.as_deref().and_then(Place::from_told);
    let Some(place) = place.filter(|_| is_for_a_board()) else {
        return;
    };
    let script = out().join("program.ld");
    fs::write(&script, place.script_of_program()).expect("the output directory can be written");
    println!("cargo::rustc-link-arg-bins=-T{}", script.display());
    // No part of the executable is mapped as it is in the file, so no part needs a place in the
    // file at a multiple of pages.
    println!("cargo::rustc-link-arg-bins=--nmagic");
}

/// Builds the program `package` for the same board in the same profile, linked for `place`. For the
/// build script of a loader, after [`link`](crate::link). The program is a package of the same
/// workspace that calls [`program`] in its own build script.
///
/// In the loader `env!` then has the path of the executable by the package's name in capitals, with
/// `_` for `-`, to be included as bytes. The executable has no symbols and no lines; `PACKAGE.elf`,
/// next to the loader's image, has them. The memory for it is two statics in the sections
/// `.PACKAGE.code` and `.PACKAGE.memory`. The linker puts them at their addresses, refuses other
/// sizes, and reports if something else is located there.
///
/// For the host nothing is built, and the executable is empty: no partition loads it.
///
/// # Panics
/// If a file cannot be written. If the program cannot be built, the script ends with cargo's
/// message.
pub fn load(package: &str, place: &Place) {
    println!("cargo::rerun-if-changed=build.rs");
    let image = out().join(package);
    let variable = package.replace('-', "_").to_uppercase();
    println!("cargo::rustc-env={variable}={}", image.display());
    let bytes = if is_for_a_board() {
        describe(package, place);
        executable::without_sections(build(package, place))
    } else {
        Vec::new()
    };
    fs::write(&image, bytes).expect("the output directory can be written");
}

/// Hands the linker the place of the memories.
fn describe(package: &str, place: &Place) {
    let before = match said("CARGO_CFG_TARGET_ARCH").as_str() {
        "arm" if said("TARGET").starts_with("thumb") => "BEFORE .vector_table",
        _ => "AFTER .bss",
    };
    let script = out().join("place.ld");
    fs::write(&script, place.script_of_loader(package, before))
        .expect("the output directory can be written");
    println!("cargo::rustc-link-arg-bins=-T{}", script.display());
}

/// Builds the program by cargo and returns its bytes. The build has a folder of its own, since the
/// loader's build waits for it.
fn build(package: &str, place: &Place) -> Vec<u8> {
    let (triple, profile) = (said("TARGET"), said("PROFILE"));
    let folder = out().join("target");
    let mut cargo = Command::new(said("CARGO"));
    cargo
        .current_dir(said("CARGO_MANIFEST_DIR"))
        .args(["build", "--quiet", "--package", package])
        .args(["--target", &triple, "--target-dir"])
        .arg(&folder)
        .env(TOLD, place.told());
    if profile == "release" {
        cargo.arg("--release");
    }
    for (name, _) in env::vars() {
        if OF_THE_LOADER.iter().any(|begin| name.starts_with(begin)) {
            cargo.env_remove(name);
        }
    }
    let built = cargo.status().expect("cargo starts");
    if !built.success() {
        // Cargo has just reported the error.
        std::process::exit(1);
    }
    let program = folder.join(triple).join(profile).join(package);
    watch(&program.with_extension("d"));
    // Next to the loader's own image, three folders above the output folder of its build script.
    if let Some(beside) = out().ancestors().nth(3) {
        let _ = fs::copy(&program, beside.join(package).with_extension("elf"));
    }
    fs::read(&program).expect("cargo has built the program")
}

/// Makes cargo run the build script again if a source file of the program changes. `list` is the
/// list of these files, a rule of make's.
fn watch(list: &Path) {
    let rules = fs::read_to_string(list).expect("cargo has written what it built from");
    for rule in rules.lines() {
        let files = rule.split_once(": ").map_or("", |(_, files)| files);
        // A space in a name has a mark before it, by which it is no end of the name.
        let files = files.replace("\\ ", "\0");
        for file in files.split(' ').filter(|file| !file.is_empty()) {
            println!("cargo::rerun-if-changed={}", file.replace('\0', " "));
        }
    }
}

fn is_for_a_board() -> bool {
    said("CARGO_CFG_TARGET_OS") == "none"
}

fn out() -> PathBuf {
    said("OUT_DIR").into()
}

/// Returns the environment variable `name`, which cargo sets for build scripts, or an empty text.
fn said(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place {
        base: 0x2020_0000,
        code: 0x4000,
        memory: 0x1000,
        stacks: 1024,
    };

    #[test]
    fn a_program_is_told_what_its_loader_says() {
        assert_eq!(Place::from_told(&PLACE.told()), Some(PLACE));
        for wrong in ["", "1 2 3", "1 2 3 x"] {
            assert_eq!(Place::from_told(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn data_lie_behind_the_stacks_and_the_kernels_word() {
        let script = PLACE.script_of_program();
        assert!(script.contains(".text 0x20200000 :"), "{script}");
        assert!(script.contains(".data 0x20204410 :"), "{script}");
        let loader = PLACE.script_of_loader("pump", "AFTER .bss");
        assert!(
            loader.contains("ORIGIN = 0x20200000, LENGTH = 0x5000"),
            "{loader}"
        );
    }
}
