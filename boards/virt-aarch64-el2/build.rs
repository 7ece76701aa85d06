//! Hands the linker this board's memory map.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=memory.x");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none") {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::copy("memory.x", out.join("memory.x")).expect("the output directory can be written");
    // The vector table, which is aligned to 2 KiB, comes first: nowhere else is so much space left
    // before it.
    let order = out.join("order.txt");
    fs::write(&order, "taktos_vectors\n").expect("the output directory can be written");
    println!(
        "cargo:rustc-link-arg-bins=--symbol-ordering-file={}",
        order.display()
    );
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-arg-bins=-Timage.ld");
    println!("cargo:rustc-link-arg-bins=-Tmemory.x");
}
