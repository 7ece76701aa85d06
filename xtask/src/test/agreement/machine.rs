//! Owns: the hypervisor's own schedule, as seen from outside.
//! Must never know: what it should be.

use std::path::PathBuf;

use anyhow::{Context, Result};
use object::{Object, ObjectSymbol};
use taktos_emulator::several::{Event, Setting};
use taktos_emulator::{Board, Emulator, Options, Place, Subject};
use taktos_runner::progress::Progress;
use taktos_runner::vm::{self, Vcpus};
use taktos_runner::workspace::Workspace;
use taktos_vm::{Configuration, Plan, Sources};

use super::cases::Case;
use super::turns::Turn;

/// Parts of the symbols of functions of the library that the hypervisor calls when it begins: for
/// its first processor, and for each guest that starts.
const BEGIN: &str = "FixedPools6assign";
const START: &str = "FixedPools4wake";

/// The hypervisor, its guests' program, and the clock that watches.
pub struct Recorder {
    emulator: Emulator,
    hypervisor: PathBuf,
    guest: Sources,
    scratch: PathBuf,
    vcpus: Vcpus,
    points: [(&'static str, u64); 2],
}

/// Recorded events; nanoseconds of the machine's clock.
#[derive(Debug, Default)]
pub struct Recording {
    /// When the schedulers began.
    pub begin: u64,
    /// When each guest was started, in their order.
    pub starts: Vec<u64>,
    pub turns: Vec<Turn>,
    pub end: u64,
}

impl Recording {
    fn add(&mut self, event: Event, recorder: &Recorder) {
        match event {
            // Once guests run, code of theirs may pass at the same addresses.
            Event::Mark(passing) if self.turns.is_empty() => match passing.mark.name.as_str() {
                BEGIN if self.begin == 0 => self.begin = passing.total.at,
                START => self.starts.push(passing.total.at),
                _ => {}
            },
            Event::Switch(switched) => {
                let at = switched.at;
                let whose = recorder.vcpus.whose(switched.thread);
                self.turns.extend(whose.map(|whose| Turn { at, whose }));
            }
            Event::Mark(_) | Event::Wake(_) | Event::Hold(_) | Event::OfGuest(..) => {}
        }
    }
}

impl Recorder {
    /// Builds them.
    pub fn ready(workspace: &Workspace) -> Result<Self> {
        let progress = Progress::default();
        let guest = vm::guest(workspace, "periodic", &progress)?;
        let hypervisor = vm::hypervisor(workspace, &progress)?.path;
        let elf = std::fs::read(&hypervisor).with_context(|| hypervisor.display().to_string())?;
        let file = object::File::parse(elf.as_slice())?;
        let point = |part: &'static str| {
            let mut symbols = file.symbols();
            let found = symbols.find(|symbol| symbol.name().is_ok_and(|name| name.contains(part)));
            let found = found
                .with_context(|| format!("{} has no function {part}", hypervisor.display()))?;
            Ok::<_, anyhow::Error>((part, found.address()))
        };
        Ok(Self {
            points: [point(BEGIN)?, point(START)?],
            emulator: taktos_runner::emulator::find(Board::VIRT_AARCH64_EL2)?,
            guest: Sources::of(guest.path),
            scratch: workspace.target().join("agreement"),
            vcpus: Vcpus::of(&file)?,
            hypervisor,
        })
    }

    /// Records the turns of the case's guests until the machine has executed `instructions`.
    pub fn record(&self, case: &Case, instructions: u64) -> Result<Recording> {
        let configuration = Configuration::parse(&case.configuration(), case.policy)?;
        let sources = vec![self.guest.clone(); case.guests.len()];
        let plan = Plan::new(&configuration, &sources)?;
        let loaded = plan.write(&self.scratch.join(case.policy))?;
        let arguments = plan.qemu_arguments(&loaded, &self.hypervisor);
        let options = Options {
            instructions,
            ..Options::default()
        };
        let mut recording = Recording::default();
        let first = Subject {
            image: &self.hypervisor,
            processors: 1,
            place: Place {
                memory: Plan::hypervisor_memory(),
                offset: 0,
            },
            standing: None,
        };
        let mut keep = |event| recording.add(event, self);
        let observed =
            self.emulator
                .observe((&first, &self.points), &[], (&Setting::ONE, options))?;
        let summary = observed.run(&arguments, &mut keep)?;
        recording.end = summary.processors.first().map_or(0, |total| total.at);
        Ok(recording)
    }
}
