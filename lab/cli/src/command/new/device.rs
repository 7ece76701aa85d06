//! Owns: what a program's files say of its board, whether that has one processor or several.
//! Must never know: in which file it stands.

use anyhow::Result;
use taktos_emulator::Board as One;

use crate::several::Board as Several;
use crate::{board, failure::Failure};

/// The board of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// With one processor.
    One(One),
    /// With several.
    Several(Several),
}

impl Device {
    /// Every board that a program can be for.
    pub fn all() -> impl Iterator<Item = Self> {
        let several = Several::ALL.into_iter().map(Self::Several);
        One::ALL.into_iter().map(Self::One).chain(several)
    }

    /// The board of this name.
    ///
    /// # Errors
    /// When there is none; the message lists those that there are.
    pub fn by_name(name: &str) -> Result<Self> {
        let found = Self::all().find(|device| device.name() == name);
        found.ok_or_else(|| board::unknown(name, "--board", &board::kernels()))
    }

    /// Its name, which is that of the feature of the crate `taktos`.
    pub fn name(self) -> &'static str {
        match self {
            Self::One(board) => board.name(),
            Self::Several(board) => board.name,
        }
    }

    /// What processors it has, for people.
    pub fn processors(self) -> String {
        match self {
            Self::One(board) => board.cpu_name().to_owned(),
            Self::Several(board) => format!("{} x {}", Several::PROCESSORS, board.cpu_name),
        }
    }

    /// The emulator's program.
    pub fn emulator(self) -> &'static str {
        self.machine().program()
    }

    /// The emulator's program and its arguments, but for the image.
    pub fn runner(self) -> String {
        let processors = match self {
            Self::One(_) => String::new(),
            Self::Several(_) => format!(" -smp {}", Several::PROCESSORS),
        };
        let arguments = self.machine().arguments_alone().join(" ");
        format!("{} {arguments}{processors} -kernel", self.emulator())
    }

    /// What a program is compiled for.
    ///
    /// # Errors
    /// When floating-point values shall be handed over in registers of their own, and the board has no such target.
    pub fn target(self, hard_float: bool) -> Result<&'static str> {
        if !hard_float {
            return Ok(self.machine().triple());
        }
        self.hard_float_triple().ok_or_else(|| {
            let able = Self::all().filter(|device| device.hard_float_triple().is_some());
            let able: Vec<&str> = able.map(Self::name).collect();
            Failure::error(
                format!(
                    "--hard-float: {} has no target that hands floating-point values over in registers of their own",
                    self.name()
                ),
                format!("leave it out, or take {}", able.join(", ")),
            )
        })
    }

    /// The target of that kind, if there is one.
    pub fn hard_float_triple(self) -> Option<&'static str> {
        self.machine().hard_float_triple()
    }

    /// The machine of the emulator.
    const fn machine(self) -> One {
        match self {
            Self::One(board) => board,
            Self::Several(board) => One::Virt(board.machine),
        }
    }
}
