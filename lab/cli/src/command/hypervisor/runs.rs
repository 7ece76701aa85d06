//! A run: from its case to a machine, from the machine's console to latencies.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use taktos_emulator::several::{Setting, Several, Virt};
use taktos_linux::{Job, Kernel, Test, command_line, native};
use taktos_vm::{Configuration, Time};

use super::images::Images;
use crate::failure::Failure;
use crate::hypervisor::{
    Call, Guest, Latency, Machine, Measure, Place, Plan, Run, Store, Words, digest, measured, text,
};
use crate::progress::Progress;
use crate::several::{self, Board, Honest, honest};
use crate::workspace::Workspace;

/// The most real time of a run.
const LIMIT: Duration = Duration::from_secs(3 * 3600);
/// What makes the emulator's own random numbers and its clock on the wall the same in each run.
const SAME: [&str; 4] = ["-seed", "1", "-rtc", "base=2026-01-01T00:00:00,clock=vm"];
/// Time on one processor: an instruction a nanosecond.
const COUNTED: [&str; 2] = ["-icount", "shift=0,sleep=off"];
/// Parts of a key that this tool changes when runs are to be done anew.
const VERSION: &str = "1";

/// Where runs are done.
pub(super) struct Bench {
    pub images: Images,
    /// What the probe saw, where cases have several processors.
    pub honest: Option<Honest>,
    machine: Machine,
    clock: Several,
    measure: Measure,
    store: Store,
    folder: PathBuf,
}

impl Bench {
    /// Finds the emulator, makes the images ready, and sees that time is honest where several processors run.
    ///
    /// # Errors
    /// When something is missing; a failed check when time is not honest.
    pub fn ready(
        workspace: &Workspace,
        plan: &Plan,
        measure: Measure,
        store: Store,
        progress: &Progress,
    ) -> Result<Self> {
        let clock = progress.during("emulator, clock ...", || {
            crate::emulator::several(Virt::Aarch64)
        })?;
        let images = Images::ready(workspace, progress)?;
        let several = plan.cases.iter().filter(|case| case.place.processors() > 1);
        let mut quanta: Vec<u32> = several
            .map(|case| case.variant.quantum.unwrap_or(measure.quantum))
            .collect();
        quanta.sort_unstable();
        quanta.dedup();
        let honest = match quanta.as_slice() {
            [] => None,
            quanta => Some(
                progress.during("is the time of several processors honest? ...", || {
                    honest(workspace, &several::Machine::find(Board::ALL[0])?, quanta)
                })?,
            ),
        };
        Ok(Self {
            images,
            honest,
            machine: Machine::new(LIMIT),
            clock,
            measure,
            store,
            folder: workspace.target().join("hypervisor-cases"),
        })
    }

    /// The emulator's version.
    pub fn emulator(&self) -> &str {
        self.clock.version()
    }

    /// Does a run, unless it was done on the same machine before.
    ///
    /// # Errors
    /// When the machine cannot be made, or the guest fails.
    pub fn run(&self, run: &Run) -> Result<Latency> {
        let name = run.name();
        let key = self.key(run);
        if let Some(latency) = self.store.find(&name, &key) {
            return Ok(latency);
        }
        let call = self.call(run)?;
        let console = self.machine.run(&call).with_context(|| name.clone())?;
        self.store.save_console(&name, &console)?;
        let latency = measured(&console, run.case.guest, call.watched)?;
        if latency.loops() < run.loops {
            return Err(Failure::error(
                format!(
                    "the guest woke {} times, not {}",
                    latency.loops(),
                    run.loops
                ),
                "its console is saved beside the result: it says how far the guest came",
            ));
        }
        self.store.save(&name, &key, &console, &latency)?;
        Ok(latency)
    }

    /// Says on a screen that is no terminal what a run found.
    pub fn tell(&self, number: usize, all: usize, run: &Run, found: &Result<Latency, String>) {
        if std::io::stderr().is_terminal() {
            return;
        }
        let words = match found {
            Ok(one) => format!(
                "{}/{}/{} of {}",
                one.min(),
                one.avg(),
                one.max(),
                one.loops()
            ),
            Err(error) => format!("failed: {error}"),
        };
        eprintln!("  [{number}/{all}] {} {words}", run.name());
    }

    /// The names of runs, each with what its machine was.
    pub fn keys(&self, runs: &[Run]) -> Vec<(String, String)> {
        runs.iter().map(|run| (run.name(), self.key(run))).collect()
    }

    /// The configurations of all cases, and what was saved of their runs.
    ///
    /// # Errors
    /// When a saved run cannot be read.
    pub fn files(&self, runs: &[Run]) -> Result<Vec<(String, String)>> {
        let mut files = Vec::new();
        for run in runs {
            if run.number == 0 && !run.case.place.is_native() {
                let name = format!("configurations/{}.toml", run.case.name());
                files.push((name, self.text(run)));
            }
            // A run that failed has not both files.
            if self.store.find(&run.name(), &self.key(run)).is_some() {
                files.extend(self.store.files(&run.name())?);
            }
        }
        Ok(files)
    }

    fn text(&self, run: &Run) -> String {
        let words = Words {
            measured: self.words(run),
            busy: command_line(&Job::Busy { seconds: None }),
        };
        text(run, &self.measure, &words)
    }

    /// What the measured guest finds as its command line.
    fn words(&self, run: &Run) -> String {
        let interval = self.measure.interval;
        match run.case.guest {
            Guest::Linux => command_line(&self.job(run)),
            Guest::Taktos => format!(
                "loops={} interval-us={interval} phase-ns={} load={}",
                run.loops,
                u64::from(run.phase) * 1000,
                u8::from(is_busy_itself(run))
            ),
        }
    }

    fn job(&self, run: &Run) -> Job {
        let test = Test {
            loops: u32::try_from(run.loops).unwrap_or(u32::MAX),
            interval: u32::try_from(self.measure.interval).unwrap_or(u32::MAX),
            phase: run.phase,
            threads: Some(1),
        };
        match is_busy_itself(run) {
            true => Job::BusyCyclictest(test),
            false => Job::Cyclictest(test),
        }
    }

    /// What the run's machine is, but for where its files are.
    fn key(&self, run: &Run) -> String {
        let images = &self.images;
        let configuration = match run.case.place.is_native() {
            true => format!("native {} {}", run.case.place.processors(), self.words(run)),
            false => self.text(run),
        };
        let quantum = self.quantum(run).to_string();
        let parts = [
            VERSION,
            &configuration,
            &quantum,
            &self.measure.processor,
            self.clock.version(),
            match run.case.place.is_native() {
                true => "",
                false => &images.hypervisor.digest,
            },
            match run.case.guest {
                Guest::Linux => "",
                Guest::Taktos => &images.latency.digest,
            },
            &images.of_linux,
        ];
        digest(parts.map(str::as_bytes))
    }

    fn quantum(&self, run: &Run) -> u32 {
        match run.case.place.processors() {
            1 => 0,
            _ => run.case.variant.quantum.unwrap_or(self.measure.quantum),
        }
    }

    fn call(&self, run: &Run) -> Result<Call> {
        let processors = run.case.place.processors();
        let mut arguments = match (run.case.place.is_native(), run.case.guest) {
            (false, _) => self.under_hypervisor(run)?,
            (true, Guest::Linux) => self.native_linux(run),
            (true, Guest::Taktos) => self.native_taktos(run),
        };
        match processors {
            1 => arguments.extend(COUNTED.map(str::to_owned)),
            _ => arguments.extend(
                self.clock
                    .time(&Setting::new(processors, self.quantum(run)))?,
            ),
        }
        Ok(Call {
            arguments,
            watched: !run.case.place.is_native(),
        })
    }

    fn under_hypervisor(&self, run: &Run) -> Result<Vec<String>> {
        let file = format!("{}.toml", run.name());
        let configuration = Configuration::parse(&self.text(run), &file)
            .map_err(|error| Failure::error(error.to_string(), error.mend))?;
        configuration
            .check()
            .map_err(|error| Failure::error(error.to_string(), error.mend))?;
        let sources = configuration.partitions.iter();
        let sources = sources
            .map(|partition| self.images.sources(&partition.image))
            .collect::<Result<Vec<_>>>()?;
        let plan = taktos_vm::Plan::new(&configuration, &sources)?;
        let loaded = plan.write(&self.folder.join(run.name()))?;
        // Time is added by the caller, for one processor and for four.
        let mut arguments = plan.qemu_arguments(&loaded, &self.images.hypervisor.path, Time::Real);
        arguments.extend(SAME.map(str::to_owned));
        Ok(arguments)
    }

    /// Linux on the bare machine, without what gives it its time.
    fn native_linux(&self, run: &Run) -> Vec<String> {
        let processors = run.case.place.processors();
        let cpus = (self.measure.processor.as_str(), processors as u8);
        let all = native(&self.images.linux, Kernel::RealTime, cpus, &self.job(run));
        let mut arguments = Vec::with_capacity(all.len());
        let mut words = all.into_iter();
        while let Some(word) = words.next() {
            if word == COUNTED[0] {
                words.next();
            } else {
                arguments.push(word);
            }
        }
        arguments
    }

    fn native_taktos(&self, run: &Run) -> Vec<String> {
        let image = self.images.latency.path.display().to_string();
        let words = self.words(run);
        [
            "-M",
            "virt,gic-version=3",
            "-cpu",
            &self.measure.processor,
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
            &words,
        ]
        .map(str::to_owned)
        .into_iter()
        .chain(SAME.map(str::to_owned))
        .collect()
    }
}

/// Whether the measured system has endless loops of its own.
const fn is_busy_itself(run: &Run) -> bool {
    matches!(run.case.place, Place::Native { busy: true, .. })
}
