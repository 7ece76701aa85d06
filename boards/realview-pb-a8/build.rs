//! Hands the linker this board's memory map and symbols.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// What the linker is told for a program of this board, here or elsewhere.
const ARGUMENTS: [&str; 2] = ["-Tlink.x", "-Tdevice.x"];

/// What a program of this board can be compiled for.
const TARGETS: [&str; 1] = ["armv7a-none-eabi"];

fn main() {
    println!("cargo:targets={}", TARGETS.join(" "));
    // What boards share asks for it.
    println!("cargo:rustc-check-cfg=cfg(feature, values(\"smp\"))");
    let scripts = ["memory.x", "device.x"];
    for script in scripts {
        println!("cargo:rerun-if-changed={script}");
    }
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none") {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for script in scripts {
        fs::copy(script, out.join(script)).expect("the output directory can be written");
    }
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
}
