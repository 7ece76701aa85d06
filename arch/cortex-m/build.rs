//! Sets, for the crate, whether it is compiled for Armv8-M, which the compiler does not show, and
//! the size of the guards below stacks.

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

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={GUARD}");
    println!("cargo:rustc-check-cfg=cfg(armv8m)");
    if env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv8m.main")) {
        println!("cargo:rustc-cfg=armv8m");
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
