//! Hands the linker a board's memory map. The same for each board of the architecture.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// What the linker is told for a program of this board, here or elsewhere.
/// The board's own comes first: an entry that it names is taken.
const ARGUMENTS: [&str; 2] = ["-Tmemory.x", "-Timage.ld"];

/// The script that a board's own may include, whose images begin above EL1.
const ENTER: &str = include_str!("enter.x");

/// The programs, in the tree alone; one with a folder of its own, the probe, has a linker script of its own.
const PROGRAMS: &str = "src/bin";

/// What the boards share asks for these; not every board has them.
const FEATURES: &str = "cargo:rustc-check-cfg=cfg(feature, values(\"smp\", \"counted\"))";

/// What a program of this board can be compiled for.
const TARGETS: [&str; 1] = ["aarch64-unknown-none-softfloat"];

fn main() {
    println!("cargo:targets={}", TARGETS.join(" "));
    println!("{FEATURES}");
    let there = |file: &&str| Path::new(file).exists();
    let scripts: Vec<_> = ["memory.x", "probe.x"].into_iter().filter(there).collect();
    for script in &scripts {
        println!("cargo:rerun-if-changed={script}");
    }
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none") {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for script in &scripts {
        fs::copy(script, out.join(script)).expect("the output directory can be written");
    }
    fs::write(out.join("enter.x"), ENTER).expect("the output directory can be written");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:arguments={}", ARGUMENTS.join(" "));
    if there(&"probe.x") {
        println!("cargo:rustc-link-arg-bin=probe=-Tprobe.x");
    }
    if Path::new(PROGRAMS).exists() {
        link_programs();
    }
}

fn link_programs() {
    // A new program is linked as the others are.
    println!("cargo:rerun-if-changed=src/bin");
    for program in fs::read_dir(PROGRAMS).expect("programs can be listed") {
        let program = program.expect("programs can be listed").path();
        if program.extension().is_some_and(|kind| kind == "rs") {
            let name = program.file_stem().expect("a file has a name").display();
            for argument in ARGUMENTS {
                println!("cargo:rustc-link-arg-bin={name}={argument}");
            }
        }
    }
}
