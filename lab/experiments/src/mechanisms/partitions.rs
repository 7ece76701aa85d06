//! The part of the mechanisms that needs two guests: FIFOs between partitions.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use taktos_emulator::Board;
use taktos_runner::emulator;
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_runner::station::{Call, Machine, lines_of};
use taktos_runner::vm;
use taktos_runner::workspace::Workspace;
use taktos_vm::{Configuration, Plan};

use crate::outcome::File;
use crate::response::{Set, sets};

/// The guest that sends the requests, in each configuration.
const ASKER: &str = "asker";
/// The program's own name of what it does.
const WORKLOAD: &str = "fifo";
/// The most round trips: one comes in 50 ms.
const MOST: u64 = 1_000;
/// Limit in host time; only a run that hangs takes as long.
const LIMIT: Duration = Duration::from_secs(900);

/// The machines with two guests, ready to run.
#[derive(Default)]
pub struct Machines {
    hypervisor: PathBuf,
    folder: PathBuf,
    all: Vec<(String, Plan)>,
}

impl Machines {
    /// Reads the configurations `names`, which are next to the experiment's `file`, and builds or
    /// fetches what they run.
    ///
    /// # Errors
    /// When one cannot be read or planned, or an image is not to be had.
    pub fn ready(
        workspace: &Workspace,
        (file, names): (&Path, &[String]),
        loops: u64,
        progress: &Progress,
    ) -> Result<Self> {
        let near = file.parent().unwrap_or(Path::new("."));
        // Nothing is built for nothing.
        let hypervisor = match names {
            [] => PathBuf::new(),
            _ => vm::hypervisor(workspace, progress)?.path,
        };
        let mut all = Vec::with_capacity(names.len());
        for name in names {
            let configuration = near.join(name).with_extension("toml");
            let plan = plan(workspace, &configuration, loops.min(MOST), progress)?;
            all.push((name.clone(), plan));
        }
        Ok(Self {
            hypervisor,
            folder: workspace.path("out").join("vm"),
            all,
        })
    }

    /// Runs them all: the round trips of each, and its console.
    ///
    /// # Errors
    /// When a machine or its guest fails, or its output is broken.
    pub fn measure(&self, progress: &Progress) -> Result<Vec<(Set, File)>> {
        let mut found = Vec::with_capacity(self.all.len());
        for (name, plan) in &self.all {
            let what = format!("measuring {name}, one processor for two guests ...");
            let console = progress.during(&what, || self.console(name, plan))?;
            let sets = sets(&console, WORKLOAD).with_context(|| name.clone())?;
            let [set] = <[Set; 1]>::try_from(sets).map_err(|sets| {
                let cause = format!("{name} printed {} sets of samples", sets.len());
                Failure::error(cause, "it is to print one: fix the guest's program")
            })?;
            found.push((set, (format!("{name}.txt"), console.into())));
        }
        Ok(found)
    }

    fn console(&self, name: &str, plan: &Plan) -> Result<String> {
        let loaded = plan
            .write(&self.folder.join(name))
            .map_err(|error| Failure::error(error.to_string(), "make room, or say where: --out"))?;
        let mut arguments = plan.qemu_arguments(&loaded, &self.hypervisor);
        arguments.extend(emulator::find(Board::VIRT_AARCH64)?.counted(None));
        let call = Call {
            arguments,
            watched: Some(ASKER),
        };
        Ok(lines_of(&Machine::new(LIMIT).run(&call)?, ASKER))
    }
}

fn plan(workspace: &Workspace, file: &Path, loops: u64, progress: &Progress) -> Result<Plan> {
    let mut configuration = Configuration::read(file).map_err(Failure::from)?;
    let asker = configuration
        .partitions
        .iter_mut()
        .find(|partition| partition.name == ASKER);
    let Some(asker) = asker else {
        let cause = format!("{}: no partition is called {ASKER}", file.display());
        return Err(Failure::error(cause, "name the one that measures so"));
    };
    let words = asker.arguments.take().unwrap_or_default();
    asker.arguments = Some(format!("{words} loops={loops}"));
    let sources = vm::sources(workspace, &configuration, progress)?;
    Plan::new(&configuration, &sources)
        .map_err(|error| Failure::error(error.to_string(), "fix the configuration"))
}
