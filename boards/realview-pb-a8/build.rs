//! Hands the linker this board's memory map and symbols.

use std::{env, fs, path::PathBuf};

fn main() {
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
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=-Tdevice.x");
}
