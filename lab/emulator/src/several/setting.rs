//! How many processors run, and how their time passes. Must never know: the images that they run.

use super::MOST_PROCESSORS;
use crate::{Board, Error};

/// Source of a processor's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Time {
    /// Each instruction takes a nanosecond.
    #[default]
    Instructions,
    /// Each modelled cycle takes `picoseconds`. Only on a board with a model ([`Board::cpu`]).
    Cycles {
        /// Picoseconds of a cycle: 1,000 at 1 GHz.
        picoseconds: u32,
    },
}

/// How many processors, and how their time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// How many processors: 1 to [`MOST_PROCESSORS`].
    pub processors: usize,
    /// How far one processor may run ahead of another, in nanoseconds; at least 1.
    pub quantum: u32,
    /// Source of the processors' time.
    pub time: Time,
    /// Seed of a race search (not 0): each instruction is a block of its own. Quanta have every
    /// length up to [`Setting::quantum`] and begin with any processor, in a sequence that the seed
    /// chooses. Slow. The order of events is a possible one; times are not for measuring.
    pub seed: Option<u32>,
}

impl Setting {
    /// One processor; then the quantum does not matter.
    pub const ONE: Self = Self::new(1, 100);

    const ALONE: (usize, Time, Option<u32>) = (1, Time::Instructions, None);

    /// Returns a setting with this number of processors, and a nanosecond an instruction.
    #[must_use]
    pub const fn new(processors: usize, quantum: u32) -> Self {
        Self {
            processors,
            quantum,
            time: Time::Instructions,
            seed: None,
        }
    }

    /// Returns the setting with a race search of this seed.
    #[must_use]
    pub const fn hunting(self, seed: u32) -> Self {
        Self {
            seed: Some(seed),
            ..self
        }
    }

    pub(crate) fn check(&self, board: Board) -> Result<(), Error> {
        let refused = |why: &str| Err(Error::Setting(why.to_owned()));
        match *self {
            Self { processors, .. } if processors == 0 || processors > MOST_PROCESSORS => {
                refused("1 to 8 processors can be followed")
            }
            Self { quantum: 0, .. } => refused("a quantum of 0 ns gives nobody a turn"),
            Self { seed: Some(0), .. } => refused("the seed 0 chooses no sequence"),
            Self {
                time: Time::Cycles { picoseconds: 0 },
                ..
            } => refused("a cycle of 0 ps lets no time pass"),
            Self {
                time: Time::Cycles { .. },
                ..
            } if board.cpu().is_none() => {
                refused("this processor has no cycle model: its time can pass by instructions only")
            }
            _ if board.is_followed() && (self.processors, self.time, self.seed) != Self::ALONE => {
                refused("this board has one processor, whose time passes by instructions")
            }
            _ => Ok(()),
        }
    }

    /// The clock's options.
    pub(crate) fn options(&self) -> String {
        let time = match self.time {
            Time::Instructions => String::new(),
            Time::Cycles { picoseconds } => format!(",time=cycles,cycle={picoseconds}"),
        };
        let vary = self.seed.map(|seed| format!(",vary={seed}"));
        format!("quantum={}{time}{}", self.quantum, vary.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIRT: Board = Board::VIRT_AARCH64;

    #[test]
    fn a_setting_that_cannot_be_is_refused() {
        let good = Setting::new(4, 100);
        assert!(good.check(VIRT).is_ok());
        assert!(good.hunting(7).check(Board::VIRT_RISCV64).is_ok());
        let bad = [
            Setting::new(0, 100),
            Setting::new(9, 100),
            Setting::new(4, 0),
            good.hunting(0),
            Setting {
                time: Time::Cycles { picoseconds: 0 },
                ..good
            },
        ];
        for setting in bad {
            let error = setting.check(VIRT).unwrap_err();
            assert!(matches!(error, Error::Setting(_)), "{error}");
        }
        for setting in [good, Setting::ONE.hunting(7)] {
            assert!(setting.check(Board::MPS2_AN386).is_err(), "{setting:?}");
        }
        assert!(Setting::ONE.check(Board::MPS2_AN386).is_ok());
    }

    #[test]
    fn each_setting_has_its_options() {
        let setting = Setting::new(4, 20);
        assert_eq!(setting.options(), "quantum=20");
        assert_eq!(setting.hunting(6).options(), "quantum=20,vary=6");
        let time = Time::Cycles { picoseconds: 625 };
        let cycles = Setting { time, ..setting };
        assert_eq!(cycles.options(), "quantum=20,time=cycles,cycle=625");
    }
}
