//! Owns: the way from a program that was built for this machine to one for its board, by a call of
//! cargo. Must never know: the board, or the emulator: `.cargo/config.toml` of the program names
//! both.

use std::env;
use std::process::{Command, exit};

/// The variable of `.cargo/config.toml` that names the target of the board.
const TARGET: &str = "TAKTOS_TARGET";

/// Builds the program `name` of the present folder for its board, optimised if this one is, runs it
/// as cargo is configured, and ends with its status. Arguments on the command line are passed on.
pub fn launch(name: &str) -> ! {
    let Ok(target) = env::var(TARGET) else {
        eprintln!(
            "error: {TARGET} is not set\nhint: start the program by `cargo run`, which reads it from .cargo/config.toml"
        );
        exit(2);
    };
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["run", "--bin", name, "--target", &target]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    match cargo.arg("--").args(env::args_os().skip(1)).status() {
        Ok(status) => exit(status.code().unwrap_or(2)),
        Err(cause) => {
            eprintln!("error: cargo does not start: {cause}");
            exit(2);
        }
    }
}
