//! Chores of the project: `cargo xtask layering`, `cargo xtask images`, `cargo xtask advisories`.
//!
//! Owns who may depend on whom, how all images are built at once, and what is
//! known of dependencies. Must never know what an image does or what an
//! experiment asks.

mod advisories;
mod images;
mod layering;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  layering   say which crate depends on one that it may not depend on
  images     build every program of every board
  advisories FOLDER
             write advisories.toml anew, from a clone of the RustSec database";

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        Some("layering") => layering::check(),
        Some("images") => images::build(),
        Some("advisories") if std::env::args().len() == 3 => {
            advisories::renew(Path::new(&std::env::args().nth(2).unwrap_or_default()))
        }
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
