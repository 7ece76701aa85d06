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

/// Passes the board's memory map and symbols to the linker, for every program of the package. A
/// build for the host has none. Warns if the profile's code needs more stack than usual.
pub fn link() {
    println!("cargo::rerun-if-changed=build.rs");
    let arguments = env::var("DEP_TAKTOS_ARGUMENTS").unwrap_or_default();
    for argument in arguments.split_whitespace() {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    if !arguments.is_empty() && env::var("OPT_LEVEL").as_deref() == Ok("0") {
        println!(
            "cargo::warning=code that is not optimised needs several times as much stack: put opt-level = 1 into the profile"
        );
    }
}
