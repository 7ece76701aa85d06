//! One run of an image, on one processor or several.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use taktos_cycles::Table;

use crate::board::{COUNTED, SAME};
use crate::console::{self, last_line};
use crate::names::Names;
use crate::options::{argument, command_line};
use crate::plan::Plan;
use crate::process::Process;
use crate::scratch::Scratch;
use crate::several::{Probe, Setting};
use crate::stream::{self, Event, Summary};
use crate::{Emulator, Ended, Ending, Error, Hold, Options, Record, Switch, Watch};

impl Emulator {
    /// Returns the arguments by which the clock sets a machine's time, for machines that are
    /// described elsewhere: until this much virtual time has passed, if there is a limit.
    ///
    /// # Errors
    /// [`Error::Setting`] for a setting that cannot be.
    pub fn time(&self, setting: &Setting, until: Option<Duration>) -> Result<Vec<String>, Error> {
        setting.check(self.board)?;
        Ok(with_plugin(&(self.plugin(setting) + &ends_at(until))))
    }

    /// Returns the arguments by which the emulator counts the time of a machine with one processor,
    /// the same in each run: until this much of it has passed, if there is a limit.
    #[must_use]
    pub fn counted(&self, until: Option<Duration>) -> Vec<String> {
        let plugin = format!("{},time=counted{}", argument(&self.clock), ends_at(until));
        let words = COUNTED.into_iter().chain(SAME);
        let words = words.chain(["-plugin", plugin.as_str()]);
        words.map(str::to_owned).collect()
    }

    /// Runs an image to its end and records nothing: also for images with jumps that the timing
    /// table cannot know, such as one to an address without code. Of the options only the real time
    /// and the argument matter.
    ///
    /// # Errors
    /// If the emulator does not start, or the time is over; [`Error::Setting`] if the setting is
    /// not possible.
    pub fn run(&self, image: &Path, setting: &Setting, options: &Options) -> Result<Ended, Error> {
        setting.check(self.board)?;
        // Its time is the emulator's: without the clock it is the same.
        let plugin = (!self.board.is_followed()).then(|| self.plugin(setting));
        console::listen(
            self.start(image, setting, options, plugin)?,
            options.real_time,
        )
    }

    /// Runs an image to its end, and gives all that it showed: marks, switches, counts. Each line
    /// of its console is given to `on_line` as it comes. The image's exit status is part of the
    /// record: one that is not 0 is no error here.
    ///
    /// The most instructions of the options are those of all processors together; where cycles pass
    /// the time, it is cycles. Their reference counts each instruction alone; the counts must
    /// be the same.
    ///
    /// # Errors
    /// When the image cannot be read, or has no timing table where the board has a model; when it
    /// ran into one of the limits; when the counts are void for a reason that the error names.
    pub fn record(
        &self,
        image: &Path,
        setting: &Setting,
        options: &Options,
        on_line: &mut dyn FnMut(&str),
    ) -> Result<Record, Error> {
        let elf = elf(image)?;
        let mut seen = Seen::of(&elf, &options.watch);
        let (ended, summary, phase_names) =
            self.execute((image, &elf), setting, options, on_line, &mut |event| {
                seen.add(event)
            })?;
        Ok(Record {
            phase_names,
            ..seen.record(ended, self.judged(summary), setting, options)
        })
    }

    /// Runs an image as [`Emulator::record`] does, for runs of any length: each event is reported
    /// once and not stored.
    ///
    /// # Errors
    /// As [`Emulator::record`].
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
            write_table(table, &scratch)?;
        }
        let plugin = self.recording(setting, options, &scratch, table.is_some());
        let process = self.start(image, setting, options, Some(plugin))?;
        let (console, exit_status) = console::follow(process, options, &scratch, on_line)?;
        let phases: Vec<&'static str> = table.map_or(Vec::new(), |table| table.phases().to_vec());
        let file = recorded(&scratch, &console)?;
        let summary = stream::read(file, &plan.places, phases.len(), event)?;
        let each = summary.processors.iter();
        let instructions = each.map(|total| total.count.instructions).sum();
        if instructions == 0 {
            return Err(Error::Refused(last_line(&console)));
        }
        if summary.ended == Ending::Instructions {
            let last_line = last_line(&console);
            return Err(Error::Limit {
                instructions,
                last_line,
            });
        }
        let ended = Ended {
            console,
            exit_status,
        };
        Ok((ended, summary, phases))
    }

    /// The timing table of the image and of what it loads, where the board has a model or is
    /// followed by one.
    fn table(&self, image: &Path, bytes: &[u8], options: &Options) -> Result<Option<Table>, Error> {
        let Some(cpu) = self.board.told_by() else {
            return Ok(None);
        };
        let of = |path: &Path| {
            let path = path.to_owned();
            move |cause| Error::Table { path, cause }
        };
        let phases = &options.phases;
        let own = Table::for_image(bytes, cpu, phases).map_err(of(image))?;
        let mut loaded = options.loaded.iter();
        let table = loaded.try_fold(own, |table, path| {
            table.with(&elf(path)?, phases).map_err(of(path))
        });
        table.map(Some)
    }

    /// Returns the counts; their cycles are the processor's only if they are of its own model.
    fn judged(&self, summary: Summary) -> Summary {
        Summary {
            modelled: summary.modelled && self.board.cpu().is_some(),
            ..summary
        }
    }

    /// The clock with the options of a setting.
    fn plugin(&self, setting: &Setting) -> String {
        let time = match self.board.is_followed() {
            true => "time=emulator".to_owned(),
            false => setting.options(),
        };
        let mut plugin = format!("{},{time}", argument(&self.clock));
        if self.board.resting() > 0 {
            plugin.push_str(&format!(",resting={}", self.board.resting()));
        }
        if self.board.has_timers_in_memory() {
            plugin.push_str(",timers=memory");
        }
        plugin
    }

    /// Returns the clock with the options of a setting and of its recording.
    pub(crate) fn recording(
        &self,
        setting: &Setting,
        options: &Options,
        scratch: &Scratch,
        modelled: bool,
    ) -> String {
        let file = |name: &str| argument(&scratch.file(name));
        let mut plugin = format!(
            "{},limit={},plan={},out={}{}",
            self.plugin(setting),
            options.most_instructions(),
            file("plan"),
            file("record"),
            options.ends(scratch),
        );
        if modelled {
            plugin.push_str(&format!(",table={}", file("table")));
        }
        if options.reference {
            plugin.push_str(",reference=on");
        }
        plugin
    }

    fn start(
        &self,
        image: &Path,
        setting: &Setting,
        options: &Options,
        plugin: Option<String>,
    ) -> Result<Process, Error> {
        let mut command = Command::new(&self.program);
        command
            .args(self.board.arguments())
            .args(SAME)
            .args(command_line(options));
        // A board that is followed has as many processors as the machine has by itself: others than
        // the first rest.
        if !self.board.is_followed() {
            let processors = self.board.processors(setting.processors);
            command.args(["-smp", &processors.to_string()]);
            let alone = setting.seed.is_some() || options.reference;
            let single = if alone { ",one-insn-per-tb=on" } else { "" };
            command.args(["-accel", &format!("tcg,thread=single{single}")]);
        }
        command
            .args(plugin.iter().flat_map(|plugin| ["-plugin", plugin]))
            .arg("-kernel")
            .arg(image);
        Process::unattended(command)
    }

    /// Runs the probe with four processors; `quantum`: as [`Setting::quantum`].
    ///
    /// # Errors
    /// When the emulator does not run it, or its console is not the probe's.
    pub fn probe(&self, image: &Path, quantum: u32) -> Result<Probe, Error> {
        let ended = self.run(image, &Setting::new(4, quantum), &Options::default())?;
        if ended.exit_status != 0 {
            let said = ended.console.lines().next();
            return Err(Error::Refused(said.unwrap_or("it said nothing").to_owned()));
        }
        Probe::read(&ended.console).ok_or(Error::Damaged("not the probe's console"))
    }
}

/// State of the record of an image during a run.
pub(crate) struct Seen<'data> {
    names: Names<'data>,
    record: Record,
}

impl<'data> Seen<'data> {
    /// Of this image, from which the names of threads are unless a person says otherwise.
    pub fn of(elf: &'data [u8], watch: &Watch) -> Self {
        Self {
            names: Names::of(elf, watch),
            record: Record::default(),
        }
    }

    pub fn add(&mut self, event: Event) {
        match event {
            Event::Mark(passing) => self.record.marks.push(passing),
            Event::Switch(switched) => self.record.switches.push(Switch {
                processor: switched.processor,
                thread: switched.thread,
                name: self
                    .names
                    .name(switched.thread, switched.text, switched.length),
                at: switched.at,
                total: switched.total,
                turn: switched.turn,
            }),
            Event::Wake(wake) => self.record.wakes.push(wake),
            Event::Hold(hold) => self.keep(hold),
            Event::OfGuest(..) => {}
        }
    }

    /// Records a hold of the lock if it is the longest of its place.
    fn keep(&mut self, hold: Hold) {
        let holds = &mut self.record.holds;
        match holds.iter_mut().find(|known| known.place == hold.place) {
            Some(known) if known.instructions >= hold.instructions => {}
            Some(known) => *known = hold,
            None => holds.push(hold),
        }
    }

    /// All of it, once the run has ended.
    pub fn record(
        self,
        ended: Ended,
        summary: Summary,
        setting: &Setting,
        options: &Options,
    ) -> Record {
        let until = options.until.as_ref();
        Record {
            console: ended.console,
            exit_status: ended.exit_status,
            ended: summary.ended,
            given: until
                .filter(|_| summary.ended == Ending::Time)
                .map(|until| u64::try_from(until.time.as_nanos()).unwrap_or(u64::MAX)),
            processors: summary.processors,
            exceptions: summary.exceptions,
            modelled: summary.modelled,
            quantum: setting.quantum,
            ..self.record
        }
    }
}

/// The clock's option for an end.
fn ends_at(until: Option<Duration>) -> String {
    until.map_or_else(String::new, |until| {
        format!(",until={}", until.as_nanos().max(1))
    })
}

/// The arguments by which the emulator's time is the plugin's, and nothing of the machine hangs on
/// the host's.
pub(crate) fn with_plugin(plugin: &str) -> Vec<String> {
    let words = ["-accel", "tcg,thread=single", "-plugin", plugin];
    words.into_iter().chain(SAME).map(str::to_owned).collect()
}

/// The record of a run that is over. Without one the emulator itself refused, and said why on its
/// console.
pub(crate) fn recorded(scratch: &Scratch, console: &str) -> Result<BufReader<File>, Error> {
    let file = File::open(scratch.file("record")).ok();
    let file = file.filter(|file| file.metadata().is_ok_and(|about| about.len() > 0));
    let file = file.ok_or_else(|| Error::Refused(last_line(console)))?;
    Ok(BufReader::new(file))
}

pub(crate) fn elf(image: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(image).map_err(|cause| Error::Image {
        path: image.to_owned(),
        cause,
    })
}

pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|cause| Error::Io {
        what: format!("{}", path.display()),
        cause,
    })
}

fn write_table(table: &Table, scratch: &Scratch) -> Result<(), Error> {
    let mut bytes = Vec::new();
    // Writing to a vector cannot fail.
    let _ = table.write(&mut bytes);
    write(&scratch.file("table"), &bytes)
}
