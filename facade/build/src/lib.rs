//! The build script of a program for a board of Taktos, in one line:
//!
//! ```
//! taktos_build::link();
//! ```
//!
//! A program that loads another one into a partition has that one built, too ([`load`]). The build
//! script of the loaded program calls [`program`]. That of a board's own crate describes the
//! board: [`Board`].
//!
//! Owns: the way from a board's metadata, by way of `taktos`, to the linker. Cargo does not pass
//! such arguments to other crates by itself. Must never know: the board, or its arguments.

mod board;
mod executable;
mod family;
mod program;

pub use board::Board;
pub use family::{CortexM, aarch64, cortex_m, riscv64};
pub use program::{Place, load, program, programs};

use std::env;
use std::path::Path;

/// The memory map of a program for a chip, next to its `Cargo.toml`.
const MEMORY: &str = "memory.x";

/// Passes the board's memory map and symbols to the linker, for every program of the package. For a
/// chip the memory map is the program's: the file `memory.x`, next to `Cargo.toml`, or that of the
/// chip's crate. A build for the host has none. Warns if the profile's code needs more stack than
/// usual.
pub fn link() {
    println!("cargo::rerun-if-changed=build.rs");
    let arguments = env::var("DEP_TAKTOS_ARGUMENTS").unwrap_or_default();
    for argument in arguments.split_whitespace() {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    if env::var_os("DEP_TAKTOS_CHIP").is_some() {
        find_memory();
    }
    if !arguments.is_empty() && env::var("OPT_LEVEL").as_deref() == Ok("0") {
        println!(
            "cargo::warning=code that is not optimised needs several times as much stack: put opt-level = 1 into the profile"
        );
    }
}

/// Adds the program's folder to those in which the linker looks, if it has a memory map.
fn find_memory() {
    println!("cargo::rerun-if-changed={MEMORY}");
    if Path::new(MEMORY).exists() {
        let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        println!("cargo::rustc-link-search={folder}");
    }
}
