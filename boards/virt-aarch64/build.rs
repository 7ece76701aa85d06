//! Hands the linker this board's memory map.

use std::{env, fs, path::PathBuf};

/// The programs of the kernel; the probe has a linker script of its own.
const PROGRAMS: [&str; 8] = [
    "bench", "faults", "hello", "ipc", "port", "smallest", "suite", "switch",
];

/// What the linker is told for a program of this board, here or elsewhere.
const ARGUMENTS: [&str; 2] = ["-Timage.ld", "-Tmemory.x"];

/// What a program of this board can be compiled for.
const TARGETS: [&str; 1] = ["aarch64-unknown-none-softfloat"];

fn main() {
    println!("cargo:targets={}", TARGETS.join(" "));
    let scripts = ["memory.x", "probe.x"];
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
    println!("cargo:rustc-link-arg-bin=probe=-Tprobe.x");
    for program in PROGRAMS {
        for argument in ARGUMENTS {
            println!("cargo:rustc-link-arg-bin={program}={argument}");
        }
    }
}
