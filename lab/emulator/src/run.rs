//! One run of an image.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use taktos_cycles::{PhaseRules, Table, Watch};

use crate::end::{self, Ending, Until};
use crate::names::Names;
use crate::process::{Heard, Process};
use crate::record::{self, Contents};
use crate::scratch::Scratch;
use crate::several::{Setting, Several};
use crate::{Board, Emulator, Error, Record, Switch};

/// How far a run may go, and how it is counted.
#[derive(Debug, Clone)]
pub struct Options {
    /// The most instructions; an image that needs more is stopped with an error.
    pub instructions: u64,
    /// The most real time: only a hung emulator, or an image that waits for ever, comes
    /// to this.
    pub real_time: Duration,
    /// How instructions are sorted into phases.
    pub phases: PhaseRules,
    /// Count with one call an instruction instead of one a block: slow, for checking the
    /// clock against itself.
    pub reference: bool,
    /// A word for the image, which finds it on its command line.
    pub argument: Option<String>,
    /// Ends the run by itself and keeps what it has.
    pub until: Option<Until>,
    /// What is looked at beyond what the image names.
    pub watch: Watch,
}

/// How a run ended that was not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// What the image wrote, with its line ends.
    pub console: String,
    /// What the image said when it ended itself.
    pub exit_status: i32,
}

/// One processor of a board that can have several; then the quantum does not matter.
const ONE: Setting = Setting::new(1, 100);

impl Default for Options {
    /// Twenty thousand million instructions, ten minutes, the kernel's phases.
    fn default() -> Self {
        Self {
            instructions: 20_000_000_000,
            real_time: Duration::from_secs(600),
            phases: PhaseRules::default(),
            reference: false,
            argument: None,
            until: None,
            watch: Watch::default(),
        }
    }
}

impl Emulator {
    /// Runs an image on a board to its end, and gives each line of its console to
    /// `on_line` as it comes.
    ///
    /// The image's exit status is part of the record: one that is not 0 is no error here.
    ///
    /// # Errors
    /// When the image cannot be read or has no timing table, when it ran into one of the
    /// limits, or when the counts are void for a reason that the error names.
    pub fn run(
        &self,
        board: Board,
        image: &Path,
        options: &Options,
        on_line: &mut dyn FnMut(&str),
    ) -> Result<Record, Error> {
        if let Board::Virt(virt) = board {
            let record = Several::find(virt)?.record(image, &ONE, options, on_line)?;
            return Ok(record.of_one());
        }
        let cpu = board.cpu().ok_or_else(|| {
            Error::Setting(format!("{} has no cycle model to count with", board.name()))
        })?;
        let elf = std::fs::read(image).map_err(|cause| Error::Image {
            path: image.to_owned(),
            cause,
        })?;
        let table = Table::watching(&elf, cpu, &options.phases, &options.watch);
        let table = table.map_err(|cause| Error::Table {
            path: image.to_owned(),
            cause,
        })?;
        let scratch = Scratch::new()?;
        write_table(&table, &scratch)?;
        let plugin = self.plugin(options, &scratch);
        let process = self.start(board, image, options, Some(plugin))?;
        let (console, status) = options.watch(process, &scratch, on_line)?;
        let contents = read_record(&scratch, &table, &console)?;
        finish(contents, console, status, &elf, &table)
    }

    /// Runs an image on a board to its end without counting: for images whose way the
    /// timing table cannot know, such as one that jumps to where no code is. Of the
    /// options only the real time and the argument matter.
    ///
    /// # Errors
    /// When the emulator does not start, or the time is over.
    pub fn run_uncounted(
        &self,
        board: Board,
        image: &Path,
        options: &Options,
    ) -> Result<Ended, Error> {
        if let Board::Virt(virt) = board {
            return Several::find(virt)?.run_as(image, &ONE, options);
        }
        watch(self.start(board, image, options, None)?, options.real_time)
    }

    fn start(
        &self,
        board: Board,
        image: &Path,
        options: &Options,
        plugin: Option<String>,
    ) -> Result<Process, Error> {
        let mut command = Command::new(&self.program);
        command
            .args(board.arguments())
            .args(command_line(options))
            .arg("-kernel")
            .arg(image)
            .args(plugin.iter().flat_map(|plugin| ["-plugin", plugin]));
        Process::unattended(command)
    }

    fn plugin(&self, options: &Options, scratch: &Scratch) -> String {
        format!(
            "{},table={},out={},limit={},reference={}{}",
            argument(&self.clock),
            argument(&scratch.file("table")),
            argument(&scratch.file("record")),
            options.most_instructions(),
            if options.reference { "on" } else { "off" },
            options.ends(scratch),
        )
    }
}

impl Options {
    /// The most instructions: as many as come, where the run ends otherwise.
    pub(crate) fn most_instructions(&self) -> u64 {
        match self.until {
            // The clock for several processors reads a number with a sign.
            Some(_) => i64::MAX.unsigned_abs(),
            None => self.instructions,
        }
    }

    /// The clock's options for the ends that the image does not choose.
    pub(crate) fn ends(&self, scratch: &Scratch) -> String {
        let until = self.until.as_ref();
        until.map_or_else(String::new, |until| {
            until.options(self.real_time, &scratch.file(end::PROGRESS))
        })
    }

    /// Collects the console until the emulator ends, and looks meanwhile how far it is.
    pub(crate) fn watch(
        &self,
        process: Process,
        scratch: &Scratch,
        on_line: &mut dyn FnMut(&str),
    ) -> Result<(String, i32), Error> {
        match &self.until {
            None => watch_and_look(process, self.real_time, on_line, &mut || ()),
            Some(until) => {
                let time = self.real_time + end::GRACE;
                watch_and_look(process, time, on_line, &mut || until.look(scratch))
            }
        }
    }
}

/// What makes the command line that the image reads: a name for the image itself, then its word.
pub(crate) fn command_line(options: &Options) -> Vec<String> {
    let word = options.argument.iter();
    word.flat_map(|word| {
        let word = word.replace(',', ",,");
        [
            "-semihosting-config".to_owned(),
            format!("arg=image,arg={word}"),
        ]
    })
    .collect()
}

/// A path inside an option of the emulator, where a comma is written twice.
pub(crate) fn argument(path: &Path) -> String {
    path.to_string_lossy().replace(',', ",,")
}

pub(crate) fn write_table(table: &Table, scratch: &Scratch) -> Result<(), Error> {
    let path = scratch.file("table");
    let io = |cause| Error::Io {
        what: format!("{}", path.display()),
        cause,
    };
    let mut bytes = Vec::new();
    table.write(&mut bytes).map_err(io)?;
    std::fs::write(&path, bytes).map_err(io)
}

/// Collects the console until the emulator ends.
pub(crate) fn watch(process: Process, time: Duration) -> Result<Ended, Error> {
    let (console, exit_status) = watch_and_look(process, time, &mut |_| {}, &mut || ())?;
    Ok(Ended {
        console,
        exit_status,
    })
}

/// How long nobody looks how far a run is.
const LOOK: Duration = Duration::from_millis(200);

fn watch_and_look(
    process: Process,
    time: Duration,
    on_line: &mut dyn FnMut(&str),
    look: &mut dyn FnMut(),
) -> Result<(String, i32), Error> {
    let until = Instant::now() + time;
    let mut console = String::new();
    loop {
        look();
        match process.hear(Some(until.min(Instant::now() + LOOK))) {
            Heard::Piece(line) => {
                let line = String::from_utf8_lossy(&line);
                on_line(line.trim_end_matches(['\r', '\n']));
                console.push_str(&line);
            }
            Heard::Closed => break,
            Heard::Late if Instant::now() < until => {}
            Heard::Late => {
                return Err(Error::Hung {
                    time,
                    last_line: last_line(&console),
                });
            }
        }
    }
    Ok((console, process.wait()?.code().unwrap_or(-1)))
}

pub(crate) fn last_line(console: &str) -> String {
    console.lines().next_back().unwrap_or("").to_owned()
}

fn read_record(scratch: &Scratch, table: &Table, console: &str) -> Result<Contents, Error> {
    // Without a record the emulator itself refused, and said why on its console.
    let bytes =
        std::fs::read(scratch.file("record")).map_err(|_| Error::Refused(last_line(console)))?;
    let contents = record::read(&bytes, table)?;
    if contents.ended == Ending::Instructions {
        let instructions = contents.total.instructions;
        return Err(Error::Limit {
            instructions,
            last_line: last_line(console),
        });
    }
    if contents.total.instructions == 0 {
        return Err(Error::Refused(last_line(console)));
    }
    Ok(contents)
}

fn finish(
    contents: Contents,
    console: String,
    exit_status: i32,
    elf: &[u8],
    table: &Table,
) -> Result<Record, Error> {
    let names = Names::of(elf);
    let switches = contents.switches.into_iter();
    Ok(Record {
        console,
        exit_status,
        marks: contents.marks,
        switches: switches
            .map(|s| Switch {
                thread: s.thread.into(),
                at: s.at,
                turn: s.turn,
                name: names.name(s.thread.into(), s.text.into(), s.length.into()),
                total: s.total,
            })
            .collect(),
        wakes: contents.wakes,
        ended: contents.ended,
        end: contents.end,
        total: contents.total,
        phases: contents.phases,
        phase_names: table.phases().to_vec(),
        exceptions: contents.exceptions,
        modelled: true,
    })
}
