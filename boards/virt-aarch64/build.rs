//! Hands the linker a board's memory map. The same for each board of the architecture.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The programs of the kernel, as far as a board has them; the probe has a linker script of its own.
const PROGRAMS: [&str; 10] = [
    "bench",
    "faults",
    "hello",
    "ipc",
    "port",
    "smallest",
    "suite",
    "switch",
    "user_attack",
    "user_bench",
];

/// What the linker is told for a program of this board, here or elsewhere.
/// The board's own comes first: an entry that it names is taken.
const ARGUMENTS: [&str; 2] = ["-Tmemory.x", "-Timage.ld"];

/// The script that a board's own may include, whose images begin above EL1.
const ENTER: &str = include_str!("enter.x");

/// What a program of this board can be compiled for.
const TARGETS: [&str; 1] = ["aarch64-unknown-none-softfloat"];

fn main() {
    println!("cargo:targets={}", TARGETS.join(" "));
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
    let has = |program: &&str| Path::new(&format!("src/bin/{program}.rs")).exists();
    for program in PROGRAMS.into_iter().filter(has) {
        for argument in ARGUMENTS {
            println!("cargo:rustc-link-arg-bin={program}={argument}");
        }
    }
}
