//! Where experiments with guests are run: machines of an emulator that start, and end when the
//! measured guest is off.
//!
//! Owns: the images, the emulator's arguments and the time of a machine, the choice of runs that
//! were done before. Must never know: the cases of an experiment, or the output of a guest.

mod guest;
mod images;
mod machine;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use taktos_emulator::several::Setting;
use taktos_emulator::{Board as One, Emulator};
use taktos_export::replace_file;
use taktos_linux::{Job, Kernel, native};
use taktos_vm::Configuration;

use crate::failure::Failure;
use crate::kept::{Kept, Key, digest};
use crate::progress::Progress;
use crate::several::{self, Board, TimeProbe, probe_time};
use crate::workspace::Workspace;

pub use guest::{MEASURED, lines_of};
pub use images::Images;
pub use machine::{Call, Machine};

/// The most real time of a run.
const LIMIT: Duration = Duration::from_secs(3 * 3600);
/// The option that gives Linux its time where it is started by itself; its value follows.
const COUNTED: &str = "-icount";
/// Part of a key that this tool changes if runs are to be done again.
const VERSION: &str = "3";

/// A machine that is to be run.
#[derive(Clone, Debug)]
pub struct Task {
    /// The run's name, which is a file's too.
    pub name: String,
    /// Name of the case, if this is its first run: the machine's configuration becomes a file of
    /// the result under it.
    pub case: Option<String>,
    /// Programs that run on the machine.
    pub what: What,
    /// Files that the configuration names, next to it.
    pub beside: Vec<(String, Vec<u8>)>,
    /// How many processors there are.
    pub processors: usize,
    /// How far one of several may run ahead of another, in nanoseconds.
    pub quantum: u32,
}

/// Programs that run on a machine.
#[derive(Clone, Debug)]
pub enum What {
    /// Partitions, as a configuration says.
    Partitions(String),
    /// The measured program on the bare machine, with these arguments.
    Program(String),
    /// RT Linux on the bare machine.
    Linux(Job),
}

impl What {
    /// Returns whether these are partitions: the output of the measured one is among others' on the
    /// console, and they may never end.
    pub const fn is_partitions(&self) -> bool {
        matches!(self, Self::Partitions(_))
    }
}

/// Common needs of all machines of an experiment.
#[derive(Clone, Debug)]
pub struct Needs {
    /// The measured program of the Taktos kernel.
    pub program: &'static str,
    /// Whether any runs Linux.
    pub linux: bool,
    /// The processor, as the emulator calls it.
    pub processor: String,
    /// The quanta of those with several processors.
    pub quanta: Vec<u32>,
}

/// Where machines are run.
pub struct Station {
    /// Images of the machines.
    pub images: Images,
    /// Findings of the probe, if machines have several processors.
    pub time_probe: Option<TimeProbe>,
    /// The processor, as the emulator calls it.
    pub processor: String,
    machine: Machine,
    clock: Emulator,
    kept: Kept,
    folder: PathBuf,
}

impl Station {
    /// Finds the emulator, makes the images ready, and checks that the clocks are consistent if
    /// several processors run.
    ///
    /// # Errors
    /// If something is missing; a failed check if the clocks are not consistent.
    pub fn ready(
        workspace: &Workspace,
        needs: Needs,
        kept: Kept,
        progress: &Progress,
    ) -> Result<Self> {
        let clock = progress.during("emulator, clock ...", || {
            crate::emulator::find(One::VIRT_AARCH64)
        })?;
        let images = Images::ready(workspace, needs.program, needs.linux, progress)?;
        let mut quanta = needs.quanta;
        quanta.sort_unstable();
        quanta.dedup();
        let time_probe = match quanta.as_slice() {
            [] => None,
            quanta => Some(
                progress.during("is the time of several processors consistent? ...", || {
                    probe_time(workspace, &several::Machine::find(Board::first())?, quanta)
                })?,
            ),
        };
        Ok(Self {
            images,
            time_probe,
            processor: needs.processor,
            machine: Machine::new(LIMIT),
            clock,
            kept,
            folder: workspace.target().join("guests"),
        })
    }

    /// The emulator's version.
    pub fn emulator(&self) -> &str {
        self.clock.version()
    }

    /// Does a run, unless it was done on the same machine before, and reads what the measured guest
    /// printed. A run that `read` refuses is not taken for done.
    ///
    /// # Errors
    /// When the machine cannot be made, the guest fails, or `read` refuses.
    pub fn run<T>(&self, task: &Task, read: impl Fn(&str) -> Result<T>) -> Result<T> {
        let execute = || {
            let call = self.call(task)?;
            self.machine.run(&call).with_context(|| task.name.clone())
        };
        let read = |console: &str| read(&self.own(task, console));
        self.kept.or_run(&self.key(task), execute, read)
    }

    /// Returns how many of the runs are reused, in words.
    pub fn taken_over(&self, tasks: &[Task]) -> Option<String> {
        let keys: Vec<Key> = tasks.iter().map(|task| self.key(task)).collect();
        self.kept.taken_over(&keys)
    }

    /// The measured guest's lines.
    fn own(&self, task: &Task, console: &str) -> String {
        match task.what.is_partitions() {
            true => lines_of(console, MEASURED),
            false => console.to_owned(),
        }
    }

    /// The names of runs, each with what its machine was.
    pub fn keys(&self, tasks: &[Task]) -> Vec<(String, String)> {
        let key = |task: &Task| (task.name.clone(), self.key(task).digest);
        tasks.iter().map(key).collect()
    }

    /// Returns the files for the result: the configuration of each case, and the consoles of all
    /// runs that did not fail.
    pub fn files(&self, tasks: &[Task]) -> Vec<(String, Vec<u8>)> {
        // A file that several cases name is one.
        let mut files = BTreeMap::new();
        for task in tasks {
            if let (Some(case), What::Partitions(text)) = (&task.case, &task.what) {
                files.insert(format!("configurations/{case}.toml"), text.clone().into());
                let beside = task.beside.iter().cloned();
                files.extend(beside.map(|(name, bytes)| (format!("configurations/{name}"), bytes)));
            }
            if let Ok(console) = self.kept.console(&self.key(task)) {
                files.insert(format!("raw/{}.txt", task.name), console.into());
            }
        }
        files.into_iter().collect()
    }

    /// Returns the key of the run's machine, without the places of its files.
    fn key(&self, task: &Task) -> Key {
        let images = &self.images;
        let quantum = self.quantum(task).to_string();
        let (program, hypervisor) = (&images.program().digest, &images.hypervisor().digest);
        let (what, parts) = match &task.what {
            What::Partitions(text) => (text.clone(), [program.as_str(), hypervisor]),
            What::Program(words) => (format!("program {words}"), [program.as_str(), ""]),
            What::Linux(job) => (format!("linux {} {job:?}", task.processors), ["", ""]),
        };
        let clock = self.clock.clock();
        let beside = digest(task.beside.iter().map(|(_, bytes)| bytes.as_slice()));
        let all = [
            VERSION,
            &what,
            &quantum,
            &self.processor,
            self.clock.version(),
            &clock,
            parts[0],
            parts[1],
            images.of_linux(),
            match task.beside.as_slice() {
                [] => "",
                _ => &beside,
            },
        ];
        Key::of(task.name.clone(), all)
    }

    const fn quantum(&self, task: &Task) -> u32 {
        match task.processors {
            1 => 0,
            _ => task.quantum,
        }
    }

    fn call(&self, task: &Task) -> Result<Call<'static>> {
        let mut arguments = match &task.what {
            What::Partitions(text) => self.under_hypervisor(task, text)?,
            What::Program(words) => self.program(words),
            What::Linux(job) => self.linux(task.processors, job)?,
        };
        match task.processors {
            1 => arguments.extend(self.clock.counted(None)),
            several => {
                let setting = Setting::new(several, self.quantum(task));
                arguments.extend(self.clock.time(&setting, None)?);
            }
        }
        Ok(Call {
            arguments,
            watched: task.what.is_partitions().then_some(MEASURED),
        })
    }

    fn under_hypervisor(&self, task: &Task, text: &str) -> Result<Vec<String>> {
        let folder = self.folder.join(&task.name);
        for (name, bytes) in &task.beside {
            replace_file(&folder.join(name), bytes)?;
        }
        let file = folder.join(format!("{}.toml", task.name));
        let configuration = Configuration::parse(text, &file.display().to_string());
        let configuration = configuration.map_err(Failure::from)?;
        configuration.check().map_err(Failure::from)?;
        let sources = configuration.partitions.iter();
        let sources = sources
            .map(|partition| self.images.sources(&partition.image))
            .collect::<Result<Vec<_>>>()?;
        let plan = taktos_vm::Plan::new(&configuration, &sources)?;
        let loaded = plan.write(&folder)?;
        // Time is added by the caller, for one processor and for several.
        let hypervisor = &self.images.hypervisor().path;
        Ok(plan.qemu_arguments(&loaded, hypervisor))
    }

    /// Linux on the bare machine, without what gives it its time.
    fn linux(&self, processors: usize, job: &Job) -> Result<Vec<String>> {
        let cpus = (self.processor.as_str(), processors as u8);
        let all = native(self.images.linux()?, Kernel::RealTime, cpus, job);
        let mut arguments = Vec::with_capacity(all.len());
        let mut words = all.into_iter();
        while let Some(word) = words.next() {
            if word == COUNTED {
                words.next();
            } else {
                arguments.push(word);
            }
        }
        Ok(arguments)
    }

    fn program(&self, words: &str) -> Vec<String> {
        let image = self.images.program().path.display().to_string();
        let arguments = [
            "-M",
            "virt,gic-version=3",
            "-cpu",
            &self.processor,
            "-smp",
            "1",
            "-m",
            "1G",
            "-nodefaults",
            "-display",
            "none",
            "-serial",
            "stdio",
            "-kernel",
            &image,
            "-append",
            words,
        ];
        arguments.map(str::to_owned).into()
    }
}
