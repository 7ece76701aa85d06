//! What the build script of a program for a board of Taktos does, in one line:
//!
//! ```
//! taktos_build::link();
//! ```
//!
//! Owns: how what the board says by way of `taktos` reaches the linker. Cargo hands such arguments to no other crate by itself.
//! Must never know: which board, or what it says.

use std::env;

/// Hands the linker the board's memory map and symbols, for every program of the package. Built for the host there are none.
pub fn link() {
    println!("cargo::rerun-if-changed=build.rs");
    let arguments = env::var("DEP_TAKTOS_ARGUMENTS").unwrap_or_default();
    for argument in arguments.split_whitespace() {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
