//! The program `taktos`: reads its command line, executes the command, and ends with the status
//! that belongs to it.

use std::process::ExitCode;

use taktos_cli::arguments::Arguments;
use taktos_cli::command;
use taktos_runner::failure;

fn main() -> ExitCode {
    match Arguments::read().and_then(|line| command::run(line.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("{}", failure::shown(&error));
            ExitCode::from(failure::status(&error))
        }
    }
}
