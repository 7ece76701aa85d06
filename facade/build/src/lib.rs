//! What the build script of a program for a board of Taktos does, in one line:
//!
//! ```
//! taktos_build::link();
//! ```
//!
//! That of a program that loads another one into a partition has that one built, too ([`load`]), and that one's says so ([`program`]). That
//! of a board's own crate describes the board: [`Board`].
//!
//! Owns: how what the board says by way of `taktos` reaches the linker. Cargo hands such arguments to no other crate by itself.
//! Must never know: which board, or what it says.

mod board;
mod executable;
mod program;

pub use board::Board;
pub use program::{Place, load, program, programs};

use std::env;

/// Hands the linker the board's memory map and symbols, for every program of the package. Built for the host there are none.
/// Warns of a profile whose code needs more stack than one is used to.
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
