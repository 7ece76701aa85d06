//! Several emulated processors under one honest time, and the probe that must pass before
//! any figure is taken from them.
//!
//! Owns: how the emulator is started with the clock for several processors, and what the
//! probe's console says. Must never know: what an image under measurement does.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::{is_supported, version};
use crate::run::{self, Ended, Options};
use crate::{Error, clock};

/// A board whose processors can be several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Virt {
    /// QEMU's `virt` with Armv8-A processors (Cortex-A53) and a GICv3.
    Aarch64,
    /// QEMU's `virt` with 64-bit RISC-V processors, started without firmware.
    RiscV64,
}

/// The emulator of such a board, with the clock for several processors.
#[derive(Debug, Clone)]
pub struct Several {
    board: Virt,
    clock: PathBuf,
}

impl Virt {
    /// Every such board.
    pub const ALL: [Self; 2] = [Self::Aarch64, Self::RiscV64];

    /// The board's name, which is also the name of its crate in `boards/`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aarch64 => "virt-aarch64",
            Self::RiscV64 => "virt-riscv64",
        }
    }

    /// The target triple that its images are compiled for.
    #[must_use]
    pub const fn triple(self) -> &'static str {
        match self {
            Self::Aarch64 => "aarch64-unknown-none-softfloat",
            Self::RiscV64 => "riscv64imac-unknown-none-elf",
        }
    }

    const fn program(self) -> &'static str {
        match self {
            Self::Aarch64 => "qemu-system-aarch64",
            Self::RiscV64 => "qemu-system-riscv64",
        }
    }

    const fn arguments(self) -> [&'static str; 4] {
        match self {
            Self::Aarch64 => ["-M", "virt,gic-version=3", "-cpu", "cortex-a53"],
            Self::RiscV64 => ["-M", "virt", "-bios", "none"],
        }
    }
}

/// What the probe saw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Probe {
    /// Turns of the loop that each processor counted in the same span: with 1, 2 and 4 of them busy.
    pub turns: Vec<Vec<u64>>,
    /// Ticks by which each halted processor's timer came late.
    pub late_timers: Vec<u64>,
    /// Ticks between a call to a halted processor and its wake-up.
    pub late_call: u64,
    /// The tick at which the probe ended.
    pub end: u64,
}

impl Several {
    /// Finds the board's emulator, checks its version, and builds the clock when it is older than its source.
    ///
    /// # Errors
    /// [`Error::EmulatorMissing`], [`Error::EmulatorVersion`], [`Error::CompilerMissing`] or [`Error::Clock`].
    pub fn find(board: Virt) -> Result<Self, Error> {
        let found = version(&PathBuf::from(board.program()))?;
        if !is_supported(&found) {
            return Err(Error::EmulatorVersion { found });
        }
        let clock = clock::build(&clock::sources_for_several(), &clock::directory())?;
        Ok(Self { board, clock })
    }

    /// Runs an image to its end on so many processors, 1 to 8; `quantum`: nanoseconds that one of them may run ahead of
    /// another. Of the options only the real time and the argument matter.
    ///
    /// # Errors
    /// When the emulator does not start, or the time is over.
    pub fn run(
        &self,
        image: &Path,
        processors: usize,
        quantum: u32,
        options: &Options,
    ) -> Result<Ended, Error> {
        let io = |cause| Error::Io {
            what: "starting the emulator".into(),
            cause,
        };
        let (output, input) = std::io::pipe().map_err(io)?;
        let mut child = Command::new(self.board.program())
            .args(self.board.arguments())
            .args(["-smp", &processors.to_string(), "-m", "128M"])
            .args(["-nodefaults", "-display", "none", "-serial", "stdio"])
            .args(["-semihosting-config", "enable=on,target=native"])
            .args(run::command_line(options))
            .args(["-accel", "tcg,thread=single", "-plugin"])
            .arg(format!("{},quantum={quantum}", run::argument(&self.clock)))
            .arg("-kernel")
            .arg(image)
            .stdin(Stdio::null())
            .stdout(input.try_clone().map_err(io)?)
            .stderr(input)
            .spawn()
            .map_err(|_| Error::EmulatorMissing)?;
        let (console, exit_status) =
            run::watch(&mut child, output, options.real_time, &mut |_| {})?;
        Ok(Ended {
            console,
            exit_status,
        })
    }

    /// Runs the probe with four processors; `quantum`: as for [`Several::run`].
    ///
    /// # Errors
    /// When the emulator does not run it, or its console is not the probe's.
    pub fn probe(&self, image: &Path, quantum: u32) -> Result<Probe, Error> {
        let ended = self.run(image, 4, quantum, &Options::default())?;
        if ended.exit_status != 0 {
            let said = ended.console.lines().next();
            return Err(Error::Refused(said.unwrap_or("it said nothing").to_owned()));
        }
        Probe::read(&ended.console).ok_or(Error::Damaged("not the probe's console"))
    }
}

impl Probe {
    fn read(console: &str) -> Option<Self> {
        let mut probe = Self::default();
        for line in console.lines() {
            let (kind, values) = line.split_once(' ')?;
            let mut values = values.split(' ').map(|pair| {
                let (_, value) = pair.split_once('=')?;
                value.parse::<u64>().ok()
            });
            match kind {
                "@busy" => {
                    values.next()??;
                    probe.turns.push(values.collect::<Option<_>>()?);
                }
                "@timers" => probe.late_timers = values.collect::<Option<_>>()?,
                "@call" => probe.late_call = values.next()??,
                "@end" => probe.end = values.next()??,
                _ => return None,
            }
        }
        (probe.end > 0).then_some(probe)
    }

    /// Whether the time that the clock tells is honest.
    ///
    /// # Errors
    /// Names the first sign that it is not.
    pub fn verdict(&self) -> Result<(), String> {
        let widths: Vec<usize> = self.turns.iter().map(Vec::len).collect();
        if widths != [1, 2, 4] || self.late_timers.len() != 4 {
            return Err(format!("the probe did not run to its end: {self:?}"));
        }
        let alone = self.turns[0][0];
        if alone == 0 || self.turns.iter().flatten().any(|turns| *turns != alone) {
            return Err(format!(
                "processors of one speed counted differently: {:?}",
                self.turns
            ));
        }
        if self.late_timers.iter().any(|late| *late > 1) {
            return Err(format!(
                "timers of halted processors were late, in ticks: {:?}",
                self.late_timers
            ));
        }
        if self.late_call > 2 {
            return Err(format!(
                "a halted processor woke {} ticks after it was called",
                self.late_call
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the emulator prints with `-icount` in place of the clock, shortened.
    const DISHONEST: &str = "@busy processors=1 turns0=199999\n\
        @busy processors=2 turns0=0 turns1=199999\n\
        @busy processors=4 turns0=0 turns1=199999 turns2=0 turns3=0\n\
        @timers late0=0 late1=250 late2=0 late3=0\n@call late=15\n@end at=1778572\n";

    #[test]
    fn time_that_is_not_honest_is_found_out() {
        let mut probe = Probe::read(DISHONEST).unwrap();
        assert!(probe.verdict().unwrap_err().contains("counted differently"));
        probe.turns = vec![vec![7], vec![7; 2], vec![7; 4]];
        assert!(probe.verdict().unwrap_err().contains("were late"));
        probe.late_timers = vec![0; 4];
        assert!(probe.verdict().unwrap_err().contains("15 ticks"));
        probe.late_call = 1;
        assert_eq!(probe.verdict(), Ok(()));
    }

    #[test]
    fn another_console_is_no_probe() {
        for console in [
            "",
            "hello\n",
            "@busy processors=1 turns0=x\n",
            "@call late=\n",
        ] {
            assert_eq!(Probe::read(console), None, "{console:?}");
        }
    }
}
