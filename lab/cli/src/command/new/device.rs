//! Owns: what a program's files say of its board, whether that has one processor or several.
//! Must never know: in which file it stands.

use anyhow::Result;
use taktos_emulator::Board as One;

use crate::several::Board;
use crate::{board, failure::Failure};

/// Every board that a program can be for.
pub fn all() -> impl Iterator<Item = Board> {
    One::ALL.into_iter().map(Board::from).chain(Board::ALL)
}

/// The board of this name.
///
/// # Errors
/// When there is none; the message lists those that there are.
pub fn by_name(name: &str) -> Result<Board> {
    let found = all().find(|board| board.name == name);
    found.ok_or_else(|| board::unknown(name, "--board", &board::kernels()))
}

impl Board {
    /// What processors it has, for people.
    pub fn shown(self) -> String {
        match self.processors {
            1 => self.cpu_name.to_owned(),
            several => format!("{several} x {}", self.cpu_name),
        }
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

    /// What a program is compiled for.
    ///
    /// # Errors
    /// When floating-point values shall be handed over in registers of their own, and the board has no such target.
    pub fn target(self, hard_float: bool) -> Result<&'static str> {
        if !hard_float {
            return Ok(self.machine.triple());
        }
        self.machine.hard_float_triple().ok_or_else(|| {
            let able = all().filter(|board| board.machine.hard_float_triple().is_some());
            let able: Vec<&str> = able.map(|board| board.name).collect();
            Failure::error(
                format!(
                    "--hard-float: {} has no target that hands floating-point values over in registers of their own",
                    self.name
                ),
                format!("leave it out, or take {}", able.join(", ")),
            )
        })
    }
}
