//! Hands the linker the board's memory map, and where the partition's memory lies.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    taktos_build::link();
    println!("cargo::rerun-if-env-changed=PUMP");
    let said = |name: &str| env::var(name).unwrap_or_default();
    let out = PathBuf::from(said("OUT_DIR"));
    // The addresses that the loaded program is linked at (`user/pump/build.rs`), and a place in the board's script at which the
    // section moves nothing else.
    let (base, section) = match said("CARGO_CFG_TARGET_ARCH").as_str() {
        "arm" => ("0x20200000", "BEFORE .vector_table"),
        "aarch64" => ("0x44000000", "AFTER .bss"),
        "riscv64" => ("0x84000000", "AFTER .bss"),
        _ => return,
    };
    if said("CARGO_CFG_TARGET_OS") != "none" {
        return;
    }
    let script = format!(
        "MEMORY {{ pump : ORIGIN = {base}, LENGTH = 8K }}\n\
         SECTIONS {{ .pump (NOLOAD) : {{ *(.pump.code) *(.pump.data) }} > pump }} INSERT {section};\n"
    );
    fs::write(out.join("pump.ld"), script).expect("the output directory can be written");
    println!("cargo::rustc-link-search={}", out.display());
    println!("cargo::rustc-link-arg-bins=-Tpump.ld");
}
