//! Tasks of the project: `./taktos test`, and `cargo xtask` for the rest.
//!
//! Owns the allowed dependencies, how all images are built at once, the known facts of
//! dependencies, how large the project is, and everything that CI checks. Must never know what an
//! image does or what an experiment measures.

mod advisories;
mod boards;
mod chips;
mod circles;
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

/// Tasks of the project itself.
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
    /// Say which crate depends on one that it may not depend on, and which files on each other in
    /// large circles
    Layering,
    /// Write the lists of boards again, from boards.toml
    Boards,
    /// Build every program of every board
    Images,
    /// Print the lines of Rust of each folder, code and tests, next to its budget
    Size {
        /// Write the lines of today as the budgets, lines.csv
        #[arg(long)]
        save: bool,
    },
    /// Write advisories.toml again, from a clone of the RustSec database
    Advisories {
        /// The clone
        folder: PathBuf,
    },
    /// Write the table of chips of `taktos new --chip` again, from probe-rs
    Chips {
        /// The folder `targets` of the package `probe-rs`, unpacked
        folder: PathBuf,
    },
    /// Write the header taktos.h again, from the functions that it declares
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
        Chore::Layering => {
            let crates = layering::check(&workspace)?;
            format!("{crates}\n{}", circles::check(&workspace)?)
        }
        Chore::Boards => boards::write(&workspace)?,
        Chore::Images => images::build(&workspace, &taktos_emulator::Board::ALL)?,
        Chore::Size { save: true } => size::save(&workspace)?,
        Chore::Size { save: false } => size::table(&workspace)?,
        Chore::Advisories { folder } => advisories::renew(&folder)?,
        Chore::Chips { folder } => chips::renew(&workspace, &folder)?,
        Chore::Header => header::write(&workspace)?,
        Chore::Needs { words } => needed(&workspace, &words)?,
    };
    Ok(screen::print(&format!("{}\n", said.trim_end()))?)
}

/// Returns what a command line needs: nothing for help, or for a line that is not a task.
///
/// # Errors
/// When the line asks for the changes since a commit that git does not know.
fn needed(workspace: &Workspace, words: &[String]) -> Result<String> {
    let line = std::iter::once("taktos").chain(words.iter().map(String::as_str));
    match Chores::try_parse_from(line).map(|line| line.chore) {
        Ok(Chore::Test(line)) => Ok(needs::lines(test::needs(workspace, &line)?)),
        _ => Ok(String::new()),
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
        let workspace = Workspace::find().unwrap();
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
            let found = needed(&workspace, &words).unwrap();
            assert_eq!(found.replace('\n', " "), expected, "{line}");
        }
    }
}
