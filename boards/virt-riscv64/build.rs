//! Hands the linker a board's memory map. The same for each board of the architecture.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// What the linker is told for a program of this board, here or elsewhere.
const ARGUMENTS: [&str; 2] = ["-Tmemory.x", "-Tlink.x"];

/// What a program of this board can be compiled for.
const TARGETS: [&str; 1] = ["riscv64imac-unknown-none-elf"];

fn main() {
    println!("cargo:targets={}", TARGETS.join(" "));
    // What the boards share asks for these; not every board has them.
    println!("cargo:rustc-check-cfg=cfg(feature, values(\"smp\", \"counted\"))");
    println!("cargo:rerun-if-changed=memory.x");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none") {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::copy("memory.x", out.join("memory.x")).expect("the output directory can be written");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:arguments={}", ARGUMENTS.join(" "));
    // Programs are in the tree alone.
    if Path::new("src/bin").exists() {
        link_programs();
    }
}

fn link_programs() {
    // A new program is linked as the others are.
    println!("cargo:rerun-if-changed=src/bin");
    for argument in ARGUMENTS {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
    // The one program of a board with one processor that runs on several; the start-up code's default is one.
    if Path::new("src/bin/probe").exists() {
        println!("cargo:rustc-link-arg-bin=probe=--defsym=_max_hart_id=3");
    }
}
