//! Chores of the project: `./taktos test`, and `cargo xtask` for the rest.
//!
//! Owns who may depend on whom, how all images are built at once, what is known of dependencies, how large the project
//! is, and everything that CI checks. Must never know what an image does or what an experiment asks.

mod advisories;
mod header;
mod images;
mod layering;
mod metadata;
mod size;
mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use taktos_cli::command::needs;
use taktos_experiments::screen;
use taktos_runner::failure;
use taktos_runner::workspace::Workspace;

/// What the project does for itself.
#[derive(Parser)]
#[command(name = "taktos", disable_help_subcommand = true)]
struct Chores {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Run everything that CI checks
    #[command(override_usage = "./taktos test [OPTIONS] [FILTER]")]
    Test(test::Line),
    /// Say which crate depends on one that it may not depend on
    Layering,
    /// Build every program of every board
    Images,
    /// Say how many lines of Rust each room has: code, and tests
    Size,
    /// Write advisories.toml anew, from a clone of the RustSec database
    Advisories {
        /// The clone
        folder: PathBuf,
    },
    /// Write the header taktos.h anew, from the functions that it declares
    Header,
    /// Say what a command line needs on this machine, for the script `taktos`
    #[command(hide = true)]
    Needs {
        /// The command line
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

fn main() -> ExitCode {
    match run(Chores::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("{}", failure::shown(&error));
            ExitCode::from(failure::status(&error))
        }
    }
}

fn run(chore: Chore) -> Result<()> {
    let workspace = Workspace::find()?;
    let said = match chore {
        Chore::Test(line) => return test::run(&workspace, &line),
        Chore::Layering => layering::check(&workspace)?,
        Chore::Images => images::build(&workspace, &taktos_emulator::Board::ALL)?,
        Chore::Size => size::table(&workspace)?,
        Chore::Advisories { folder } => advisories::renew(&folder)?,
        Chore::Header => header::write(&workspace)?,
        Chore::Needs { words } => needed(&words),
    };
    Ok(screen::print(&format!("{}\n", said.trim_end()))?)
}

/// What a line needs: nothing for help, or for a line that is no chore.
fn needed(words: &[String]) -> String {
    let line = std::iter::once("taktos").chain(words.iter().map(String::as_str));
    match Chores::try_parse_from(line).map(|line| line.chore) {
        Ok(Chore::Test(line)) => needs::lines(test::needs(&line)),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Chores::command().debug_assert();
    }

    #[test]
    fn a_line_needs_what_its_steps_use_and_help_and_lists_nothing() {
        for (line, expected) in [
            ("test --help", ""),
            ("test --list", ""),
            ("test lints --list", ""),
            ("test --only no-such-step", ""),
            ("test --only format", "images "),
            ("test --only layering", ""),
            ("test miri --long", "miri "),
            ("test miri", ""),
            ("test --only dependencies --long", "deny "),
            ("test --only budgets", "images emulator c-compilers clang "),
            (
                "test --long",
                "images emulator miri browser debugger c-compilers clang deny ",
            ),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(needed(&words).replace('\n', " "), expected, "{line}");
        }
    }
}
