//! Where images run: the boards of several processors, by name, and those of one.

use anyhow::Result;
use taktos_emulator::Board as One;

use crate::board;
use crate::failure::{Failure, one_line};

/// A board with its processors: a crate in `boards/` on a machine of the emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// The machine.
    pub machine: One,
    /// The board's name; [`crate_of`](crate::image::crate_of) says which is its crate.
    pub name: &'static str,
    /// Name of its processors.
    pub cpu_name: &'static str,
    /// How many of them run.
    pub processors: usize,
}

impl Board {
    /// The board of several that a command takes by default.
    ///
    /// # Panics
    /// Never: `boards.toml` has one.
    #[must_use]
    pub fn first() -> Self {
        Self::all().next().expect("a board of several processors")
    }

    /// Every board of several, in the order of `boards.toml`.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        One::ALL.into_iter().filter_map(|machine| {
            Some(Self {
                machine,
                name: machine.several()?,
                cpu_name: machine.cpu_name(),
                processors: Self::PROCESSORS,
            })
        })
    }

    /// Those of them that are no chip's: the port is tested on them in every way, and what is left
    /// of the others are their devices.
    pub fn thorough() -> impl Iterator<Item = Self> {
        Self::all().filter(|board| !board.machine.is_chip())
    }

    /// Those that are.
    pub fn of_chips() -> impl Iterator<Item = Self> {
        Self::all().filter(|board| board.machine.is_chip())
    }

    /// How many processors each of them has.
    pub const PROCESSORS: usize = 4;

    /// The board of that name, of either kind.
    ///
    /// # Errors
    /// When there is none; the message lists those that there are.
    pub fn of_any(name: &str) -> Result<Self> {
        let several = Self::all().find(|board| board.name == name);
        let found = several.or_else(|| One::named(name).map(Self::from));
        found.ok_or_else(|| board::unknown(name, "--board", &board::kernels()))
    }

    /// Returns the board of several processors of that name. `place` states the place of the name.
    ///
    /// # Errors
    /// When there is none; the message lists those that there are.
    pub fn by_name(name: &str, place: &str) -> Result<Self> {
        let found = Self::all().find(|board| board.name == name);
        found.ok_or_else(|| {
            let name = one_line(name);
            let cause = match One::named(&name) {
                Some(_) => {
                    format!("{place}: the board {name} has one processor, and this runs on several")
                }
                None => format!("{place}: `{name}` is no board of several processors"),
            };
            let known: Vec<&str> = Self::all().map(|board| board.name).collect();
            Failure::error(cause, format!("name one of {}", known.join(", ")))
        })
    }

    /// The emulator's program and its arguments, but for the image.
    pub fn runner(self) -> String {
        let processors = match self.processors {
            1 => String::new(),
            several => format!(" -smp {}", self.machine.processors(several)),
        };
        let arguments = self.machine.arguments_alone().join(" ");
        format!("{} {arguments}{processors} -kernel", self.machine.program())
    }
}

impl From<One> for Board {
    fn from(machine: One) -> Self {
        Self {
            machine,
            name: machine.name(),
            cpu_name: machine.cpu_name(),
            processors: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_found_by_name() {
        for board in Board::all() {
            assert_eq!(Board::by_name(board.name, "--board").unwrap(), board);
        }
        let error = Board::by_name("virt\n", "--board").unwrap_err();
        assert_eq!(
            crate::failure::shown(&error),
            "error: --board: `virt\\n` is no board of several processors\n\
             hint: name one of virt-aarch64-smp, virt-riscv64-smp, imx8mp-evk-smp, zcu102-smp, raspberry-pi-4-smp, hifive-unleashed-smp\n"
        );
    }
}
