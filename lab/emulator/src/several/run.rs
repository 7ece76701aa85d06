//! One run of an image on several processors.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

use taktos_cycles::{Mark, Table, Watch};

use super::plan::Plan;
use super::stream::{self, Event, Summary};
use super::{MOST_PROCESSORS, Probe, Record, Switch, Virt};
use crate::names::Names;
use crate::process::Process;
use crate::program::checked_version;
use crate::run::{self, Ended, Options, argument, last_line};
use crate::scratch::Scratch;
use crate::{Ending, Error, clock};

/// The emulator of such a board, with the clock for several processors.
#[derive(Debug, Clone)]
pub struct Several {
    board: Virt,
    clock: PathBuf,
    version: String,
}

/// What passes the time of a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Time {
    /// Each instruction takes a nanosecond.
    #[default]
    Instructions,
    /// Each modelled cycle takes so many picoseconds. Only on a board with a model ([`Virt::cpu`]).
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
    /// What passes the time.
    pub time: Time,
    /// Hunts for races: each instruction is a block of its own, quanta have every length up to [`Setting::quantum`]
    /// and begin with any processor, in a sequence that this seed (not 0) chooses. Slow. The order of what happens is
    /// one that could be; times are not for measuring.
    pub seed: Option<u32>,
}

impl Setting {
    /// So many processors, with a nanosecond an instruction.
    #[must_use]
    pub const fn new(processors: usize, quantum: u32) -> Self {
        Self {
            processors,
            quantum,
            time: Time::Instructions,
            seed: None,
        }
    }

    /// The same, hunting for races.
    #[must_use]
    pub const fn hunting(self, seed: u32) -> Self {
        Self {
            seed: Some(seed),
            ..self
        }
    }

    fn check(&self, board: Virt) -> Result<(), Error> {
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
            _ => Ok(()),
        }
    }

    /// The clock's options.
    fn options(&self) -> String {
        let time = match self.time {
            Time::Instructions => String::new(),
            Time::Cycles { picoseconds } => format!(",time=cycles,cycle={picoseconds}"),
        };
        let vary = self.seed.map(|seed| format!(",vary={seed}"));
        format!("quantum={}{time}{}", self.quantum, vary.unwrap_or_default())
    }
}

impl Several {
    /// Finds the board's emulator, checks its version, and builds the clock when it is older than its source.
    ///
    /// # Errors
    /// As [`crate::Emulator::find`].
    pub fn find(board: Virt) -> Result<Self, Error> {
        let version = checked_version(Path::new(board.program()))?;
        Ok(Self {
            board,
            clock: clock::for_several()?,
            version,
        })
    }

    /// The emulator's version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The clock's name, which carries a digest of its source.
    #[must_use]
    pub fn clock(&self) -> String {
        let name = self.clock.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The arguments that give the clock charge of a machine's time, for machines that are described elsewhere.
    ///
    /// # Errors
    /// [`Error::Setting`] for a setting that cannot be.
    pub fn time(&self, setting: &Setting) -> Result<Vec<String>, Error> {
        setting.check(self.board)?;
        let plugin = format!("{},{}", argument(&self.clock), setting.options());
        let words = ["-accel", "tcg,thread=single", "-plugin", &plugin];
        Ok(words.map(str::to_owned).into())
    }

    /// Runs an image to its end on so many processors, 1 to 8, and records nothing; `quantum`: nanoseconds that one
    /// of them may run ahead of another. Of the options only the real time and the argument matter.
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
        self.run_as(image, &Setting::new(processors, quantum), options)
    }

    /// The same in any setting.
    ///
    /// # Errors
    /// As [`Several::run`]; [`Error::Setting`] for one that cannot be.
    pub fn run_as(
        &self,
        image: &Path,
        setting: &Setting,
        options: &Options,
    ) -> Result<Ended, Error> {
        setting.check(self.board)?;
        let plugin = format!("{},{}", argument(&self.clock), setting.options());
        let process = self.start(image, setting, options, &plugin)?;
        run::watch(process, options.real_time)
    }

    /// Runs an image to its end, and gives all that it showed: marks, switches, counts. The most instructions of the
    /// options are those of all processors together; where cycles pass the time, it is cycles. Their reference makes each instruction a block of its own;
    /// the counts must be the same.
    ///
    /// # Errors
    /// When the image cannot be read, or has no timing table where the board has a model; when it ran into one of the
    /// limits; when the counts are void for a reason that the error names.
    pub fn record(
        &self,
        image: &Path,
        setting: &Setting,
        options: &Options,
        on_line: &mut dyn FnMut(&str),
    ) -> Result<Record, Error> {
        let elf = elf(image)?;
        let names = Names::of(&elf);
        let (mut marks, mut switches, mut wakes) = (Vec::new(), Vec::new(), Vec::new());
        let mut keep = |event| match event {
            Event::Mark(passing) => marks.push(passing),
            Event::Switch(switched) => switches.push(Switch {
                processor: switched.processor,
                thread: switched.thread,
                name: names.name(switched.thread, switched.text, switched.length),
                at: switched.at,
                total: switched.total,
                turn: switched.turn,
            }),
            Event::Wake(wake) => wakes.push(wake),
        };
        let (ended, summary, phase_names) =
            self.execute((image, &elf), setting, options, on_line, &mut keep)?;
        Ok(Record {
            console: ended.console,
            exit_status: ended.exit_status,
            marks,
            switches,
            wakes,
            ended: summary.ended,
            given: options
                .until
                .as_ref()
                .filter(|_| summary.ended == Ending::Time)
                .map(|until| u64::try_from(until.time.as_nanos()).unwrap_or(u64::MAX)),
            processors: summary.processors,
            phase_names,
            modelled: summary.modelled,
            quantum: setting.quantum,
        })
    }

    /// The same for runs of any length: each event is told once and not kept.
    ///
    /// # Errors
    /// As [`Several::record`].
    pub fn stream(
        &self,
        image: &Path,
        setting: &Setting,
        options: &Options,
        event: &mut dyn FnMut(Event),
    ) -> Result<(Ended, Summary), Error> {
        let elf = elf(image)?;
        let (ended, summary, _) =
            self.execute((image, &elf), setting, options, &mut |_| {}, event)?;
        Ok((ended, summary))
    }

    /// Watches a machine that is described elsewhere, by its `arguments` but for its time, until it ends or has executed the
    /// instructions of the options: each event of `image`, which it runs first, is told, and each passing of `points`, named
    /// addresses of it. What else the machine runs must not store at the image's addresses what could be a thread of it.
    /// Cycles are not modelled.
    ///
    /// # Errors
    /// As [`Several::record`], but that the limit is none.
    pub fn watch(
        &self,
        (image, points): (&Path, &[(&str, u64)]),
        arguments: &[String],
        setting: &Setting,
        options: &Options,
        event: &mut dyn FnMut(Event),
    ) -> Result<Summary, Error> {
        setting.check(self.board)?;
        let point = |(name, address): &(&str, u64)| (*address, Mark::point(name));
        let watch = Watch::marks(points.iter().map(point).collect());
        let plan = Plan::of(
            &elf(image)?,
            setting.processors,
            self.board.reset_code(),
            &watch,
        )?;
        let scratch = Scratch::new()?;
        write(&scratch.file("plan"), plan.to_text().as_bytes())?;
        let plugin = self.recording(setting, options, &scratch, false);
        let mut command = Command::new(self.board.program());
        command
            .args(arguments)
            .args(["-accel", "tcg,thread=single", "-plugin", &plugin]);
        let ended = run::watch(Process::unattended(command)?, options.real_time)?;
        stream::read(recorded(&scratch, &ended.console)?, &plan.places, 0, event)
    }

    fn execute(
        &self,
        (image, elf): (&Path, &[u8]),
        setting: &Setting,
        options: &Options,
        on_line: &mut dyn FnMut(&str),
        event: &mut dyn FnMut(Event),
    ) -> Result<(Ended, Summary, Vec<&'static str>), Error> {
        setting.check(self.board)?;
        let before = self.board.reset_code();
        let plan = Plan::of(elf, setting.processors, before, &options.watch)?;
        let table = self.table(image, elf, options)?;
        let scratch = Scratch::new()?;
        write(&scratch.file("plan"), plan.to_text().as_bytes())?;
        if let Some(table) = &table {
            run::write_table(table, &scratch)?;
        }
        let plugin = self.recording(setting, options, &scratch, table.is_some());
        let process = self.start(image, setting, options, &plugin)?;
        let (console, exit_status) = options.watch(process, &scratch, on_line)?;
        let phases: Vec<&'static str> = table.map_or(Vec::new(), |table| table.phases().to_vec());
        let file = recorded(&scratch, &console)?;
        let summary = stream::read(file, &plan.places, phases.len(), event)?;
        if summary.ended == Ending::Instructions {
            let each = summary
                .processors
                .iter()
                .map(|total| total.count.instructions);
            return Err(Error::Limit {
                instructions: each.sum(),
                last_line: last_line(&console),
            });
        }
        let ended = Ended {
            console,
            exit_status,
        };
        Ok((ended, summary, phases))
    }

    /// The image's timing table, where the board has a model.
    fn table(&self, image: &Path, elf: &[u8], options: &Options) -> Result<Option<Table>, Error> {
        let table = |cpu| Table::watching(elf, cpu, &options.phases, &options.watch);
        self.board
            .cpu()
            .map(table)
            .transpose()
            .map_err(|cause| Error::Table {
                path: image.to_owned(),
                cause,
            })
    }

    fn recording(
        &self,
        setting: &Setting,
        options: &Options,
        scratch: &Scratch,
        modelled: bool,
    ) -> String {
        let file = |name: &str| argument(&scratch.file(name));
        let mut plugin = format!(
            "{},{},limit={},plan={},out={}{}",
            argument(&self.clock),
            setting.options(),
            options.most_instructions(),
            file("plan"),
            file("record"),
            options.ends(scratch),
        );
        if modelled {
            plugin.push_str(&format!(",table={}", file("table")));
        }
        plugin
    }

    fn start(
        &self,
        image: &Path,
        setting: &Setting,
        options: &Options,
        plugin: &str,
    ) -> Result<Process, Error> {
        let single = if setting.seed.is_some() || options.reference {
            ",one-insn-per-tb=on"
        } else {
            ""
        };
        let mut command = Command::new(self.board.program());
        command
            .args(self.board.arguments())
            .args(["-smp", &setting.processors.to_string()])
            .args(run::command_line(options))
            .args(["-accel", &format!("tcg,thread=single{single}")])
            .args(["-plugin", plugin])
            .arg("-kernel")
            .arg(image);
        Process::unattended(command)
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

/// The record of a run that is over. Without one the emulator itself refused, and said why on its console.
fn recorded(scratch: &Scratch, console: &str) -> Result<BufReader<File>, Error> {
    let file = File::open(scratch.file("record")).ok();
    let file = file.filter(|file| file.metadata().is_ok_and(|about| about.len() > 0));
    let file = file.ok_or_else(|| Error::Refused(last_line(console)))?;
    Ok(BufReader::new(file))
}

fn elf(image: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(image).map_err(|cause| Error::Image {
        path: image.to_owned(),
        cause,
    })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|cause| Error::Io {
        what: format!("{}", path.display()),
        cause,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_cannot_be_is_refused() {
        let good = Setting::new(4, 100);
        assert!(good.check(Virt::Aarch64).is_ok());
        assert!(good.hunting(7).check(Virt::RiscV64).is_ok());
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
            let error = setting.check(Virt::Aarch64).unwrap_err();
            assert!(matches!(error, Error::Setting(_)), "{error}");
        }
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
