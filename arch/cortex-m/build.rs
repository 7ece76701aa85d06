//! Sets, for the crate, what the compiler does not show of the processor: whether it is compiled
//! for Armv8-M, and without the extension for SIMD; and the size of the guards below stacks.

use std::path::PathBuf;
use std::{env, fs};

/// The variable by which a program sets the number of bytes below each stack that no code may
/// access.
const GUARD: &str = "TAKTOS_GUARD";
/// Where it says nothing.
const USUAL: usize = 256;
/// The pages of the emulator.
const PAGE: usize = 1024;
/// The smallest region of the unit.
const SMALLEST: usize = 32;
const SIZES: std::ops::RangeInclusive<usize> = USUAL..=32_768;

/// Conditions of the crate, by the beginnings of targets: the first version of Armv7-M has no flags
/// of SIMD and no floating point, and a processor of Armv8-M may lack the former. Many chips of the
/// first version have no memory protection unit.
const PROCESSORS: [(&str, &str); 9] = [
    ("thumbv6m-", "armv6m"),
    ("thumbv6m-", "canary"),
    ("thumbv6m-", "no_float"),
    ("thumbv6m-", "no_simd"),
    ("thumbv7m-", "canary"),
    ("thumbv7m-", "no_float"),
    ("thumbv7m-", "no_simd"),
    ("thumbv8m.main", "no_simd"),
    ("thumbv8m.main", "armv8m"),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={GUARD}");
    println!("cargo:rustc-check-cfg=cfg(armv6m, armv8m, no_simd, no_float, canary)");
    let target = env::var("TARGET").unwrap_or_default();
    for (prefix, what) in PROCESSORS {
        if target.starts_with(prefix) {
            println!("cargo:rustc-cfg={what}");
        }
    }
    // Where each byte counts the guard is the smallest that there is, and no program chooses
    // another one.
    let is_small = env::var_os("CARGO_FEATURE_SMALL").is_some();
    let told = env::var(GUARD).ok();
    let Some(size) = told.as_deref().map_or(Some(USUAL), size) else {
        println!(
            "cargo::error={GUARD} is {:?}: it is a power of two from {} to {}, the bytes of the guard below each stack",
            told.unwrap_or_default(),
            SIZES.start(),
            SIZES.end()
        );
        return;
    };
    let out: PathBuf = env::var_os("OUT_DIR").expect("cargo says where").into();
    let size = if is_small { SMALLEST } else { size };
    // An emulator looks up memory for a debugger, and for semihosting, by the first address of its
    // page, of 1 KiB: that is not to be in a guard where the rest of the page is a stack.
    let alignment = match size {
        SMALLEST => size,
        size if size < PAGE => 2 * size,
        size => size,
    };
    let aligned = format!(
        "/// What a thread with a guard begins with: nothing, at a multiple of this.\n\
         #[repr(C, align({alignment}))]\npub struct Aligned([u8; 0]);\n\
         /// The size of a guard: a power of two, which the unit wants.\n\
         pub const GUARD_SIZE: usize = {size};\n"
    );
    fs::write(out.join("guard.rs"), aligned).expect("the output directory can be written");
}

fn size(told: &str) -> Option<usize> {
    let size: usize = told.parse().ok()?;
    (size.is_power_of_two() && SIZES.contains(&size)).then_some(size)
}
