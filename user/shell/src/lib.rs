//! A shell for programs on the kernel, over any line with the traits of `embedded-io`: it lists
//! threads and objects, sets priorities, and has the program's own commands.
//!
//! ```
//! use taktos_host::{Board, leak, run};
//! use taktos_kernel::{Names, Semaphore, System};
//! use taktos_shell::Shell;
//! # struct Line(&'static [u8]);
//! # impl embedded_io::ErrorType for Line {
//! #     type Error = embedded_io::ErrorKind;
//! # }
//! # impl embedded_io::Read for Line {
//! #     fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Self::Error> {
//! #         self.0.read(bytes).map_err(|error| match error {})
//! #     }
//! # }
//! # impl embedded_io::Write for Line {
//! #     fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
//! #         Board::write(core::str::from_utf8(bytes).unwrap());
//! #         Ok(bytes.len())
//! #     }
//! #     fn flush(&mut self) -> Result<(), Self::Error> {
//! #         Ok(())
//! #     }
//! # }
//!
//! static NAMES: Names<Board, 8> = Names::new();
//! static PERMITS: Semaphore<Board> = Semaphore::new(3);
//! static SHELL: Shell<Board> = Shell::new().objects(&NAMES);
//!
//! let outcome = run(|| {
//!     let _ = NAMES.register("permits", &PERMITS);
//!     // A thread of its own, of low priority, on a serial line: `DeviceLine`.
//!     let _ = SHELL.run(&mut Line(b"objects\r"));
//!     Board::exit(0);
//! });
//! assert!(outcome.console.contains("permits          semaphore    3 permits"));
//! ```
//!
//! # Time
//! The shell runs in the thread that calls [`Shell::run`], like any other work of the thread, and
//! more urgent threads preempt it. It masks interrupts for single steps of the kernel: one thread,
//! one name.
//!
//! Owns: the commands, and how a line is read. Must never know: a board, a device.
#![no_std]

#[cfg(test)]
extern crate std;

mod commands;
mod editor;
mod line;
mod output;
#[cfg(test)]
mod tests;
#[cfg(feature = "processor-time")]
mod usage;

pub use line::{DeviceLine, PolledLine};

use commands::Registry;
use core::convert::Infallible;
use core::fmt;
use editor::Editor;
use embedded_io::{Read, ReadExactError, Write};
use output::Output;
use taktos_kernel::{Heap, Names, System};

/// The text that the shell writes when it waits for a command.
const PROMPT: &str = "> ";

/// A command of a program's own.
pub struct Command {
    /// The first word of the line.
    pub name: &'static str,
    /// Its line in the list of commands.
    pub help: &'static str,
    /// Executes the command: gets the output and the rest of the line, without spaces at its ends.
    pub run: fn(&mut dyn fmt::Write, &str) -> fmt::Result,
}

/// A shell. Made to be a static; several lines may run one.
pub struct Shell<S: System> {
    names: Option<&'static dyn Registry>,
    heap: Option<&'static dyn commands::Bytes>,
    own: &'static [Command],
    system: core::marker::PhantomData<fn() -> S>,
}

impl<S: System> Shell<S> {
    /// A shell with the commands that need no object of the program.
    pub const fn new() -> Self {
        Self {
            names: None,
            heap: None,
            own: &[],
            system: core::marker::PhantomData,
        }
    }

    /// Lists the objects of a registry by the command `objects`.
    pub const fn objects<const N: usize>(mut self, names: &'static Names<S, N>) -> Self {
        self.names = Some(names);
        self
    }

    /// Shows a heap by the command `heap`.
    pub const fn heap<const N: usize>(mut self, heap: &'static Heap<S, N>) -> Self {
        self.heap = Some(heap);
        self
    }

    /// Adds commands of the program. One with the name of another of the shell's is never called.
    pub const fn commands(mut self, own: &'static [Command]) -> Self {
        self.own = own;
        self
    }

    /// Reads commands from `line` and executes them, until the line fails or ends.
    ///
    /// Errors: the line's; `UnexpectedEof` if it has ended.
    pub fn run<L: Read + Write>(
        &self,
        line: &mut L,
    ) -> Result<Infallible, ReadExactError<L::Error>> {
        let mut editor = Editor::new();
        loop {
            let mut output = Output::new(line);
            let written = fmt::Write::write_str(&mut output, PROMPT);
            output.result(written)?;
            let command = editor.read(line)?;
            let mut output = Output::new(line);
            let written = self.execute(&mut output, command);
            output.result(written)?;
        }
    }

    /// Executes the command of a line.
    fn execute(&self, output: &mut dyn fmt::Write, line: &str) -> fmt::Result {
        let line = line.trim();
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        if name.is_empty() {
            return Ok(());
        }
        if let Some(command) = self.built_in().find(|command| command.0 == name) {
            return command.2(self, output, rest);
        }
        match self.own.iter().find(|command| command.name == name) {
            Some(command) => (command.run)(output, rest),
            None => writeln!(
                output,
                "error: there is no command `{name}`\nhint: type `help`"
            ),
        }
    }
}

impl<S: System> Default for Shell<S> {
    fn default() -> Self {
        Self::new()
    }
}
