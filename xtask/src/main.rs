//! Chores of the project: `cargo xtask layering`, `cargo xtask images`.
//!
//! Owns who may depend on whom, and how all images are built at once. Must
//! never know what an image does or what an experiment asks.

mod images;
mod layering;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  layering   say which crate depends on one that it may not depend on
  images     build every program of every board";

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        Some("layering") => layering::check(),
        Some("images") => images::build(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
