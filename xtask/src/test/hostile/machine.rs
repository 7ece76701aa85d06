//! Owns: a case's machine under way, and what is heard of it.
//! Must never know: what must hold.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use taktos_emulator::process::{End, Process};
use taktos_runner::progress::Progress;
use taktos_runner::workspace::Workspace;
use taktos_runner::{emulator, vm};
use taktos_vm::{Configuration, Image, Plan, Sources};

use super::cases::Case;

const EMULATOR: &str = "qemu-system-aarch64";
/// When the victim has ended, all that matters is said.
const OVER: &str = "[taktos] victim stopped: ";
/// Prefix of lines that are dropped: output of the hostile guest that has no meaning.
const FLOOD: &str = "[hostile] ";
const TOLD: &str = "[hostile] @";

/// The files that all cases run.
pub struct Images {
    hypervisor: PathBuf,
    monitor: PathBuf,
    suite: PathBuf,
    hostile: PathBuf,
    scratch: PathBuf,
}

impl Images {
    /// Builds them.
    pub fn build(workspace: &Workspace) -> Result<Self> {
        let progress = Progress::default();
        let guest = |name| vm::guest(workspace, name, &progress).map(|built| built.path);
        Ok(Self {
            hypervisor: vm::hypervisor(workspace, &progress)?.path,
            monitor: guest("monitor")?,
            suite: guest("suite")?,
            hostile: guest("hostile")?,
            scratch: workspace.target().join("hostile"),
        })
    }

    fn sources(&self, configuration: &Configuration) -> Vec<Sources> {
        let of = |image: &Image| match image {
            Image::Taktos(name) if name == "monitor" => self.monitor.clone(),
            Image::Taktos(name) if name == "suite" => self.suite.clone(),
            _ => self.hostile.clone(),
        };
        let partitions = configuration.partitions.iter();
        partitions
            .map(|partition| Sources::of(of(&partition.image)))
            .collect()
    }
}

/// Output of a machine.
#[derive(Debug, Default)]
pub struct Heard {
    /// Lines of the victim and of the hypervisor, and the reports of the hostile guest. Of the
    /// hypervisor's lines about restarts only the number is kept.
    pub lines: Vec<String>,
    /// How often the hostile guest was started again.
    pub restarts: u64,
    /// A line that has no sender's mark.
    pub unmarked: Option<String>,
}

/// Runs the case's machine, of one processor's pace, until the victim has ended.
pub fn run(images: &Images, case: &Case) -> Result<Heard> {
    let time = ["-icount", &format!("shift={},sleep=off", case.shift)].map(str::to_owned);
    run_text(images, (&case.name, &case.text), &time, case.limit)
}

/// Runs the machine of the configuration `text` until the victim has ended, for at most `limit`
/// seconds. The emulator's arguments `time` say how time passes.
pub fn run_text(
    images: &Images,
    (name, text): (&str, &str),
    time: &[String],
    limit: u64,
) -> Result<Heard> {
    let configuration = Configuration::parse(text, name)?;
    let plan = Plan::new(&configuration, &images.sources(&configuration))?;
    let letters = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '-'
        }
    };
    let folder = images
        .scratch
        .join(name.chars().map(letters).collect::<String>());
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let loaded = plan.write(&folder)?;
    let mut command = Command::new(EMULATOR);
    command
        .args(plan.qemu_arguments(&loaded, &images.hypervisor))
        .args(time);
    let process = Process::unattended(command).map_err(emulator::failure)?;
    listen(&process, Duration::from_secs(limit))
}

/// Hears what the machine says until the victim has ended.
fn listen(process: &Process, limit: Duration) -> Result<Heard> {
    let mut heard = Heard::default();
    let end = process.hear_lines(limit, |line| {
        let line = line.trim_end();
        heard.hear(line);
        line.starts_with(OVER)
    });
    let said = || heard.lines.join("\n");
    match end {
        End::Enough => Ok(heard),
        End::Closed => bail!("the machine ended before the victim; it said:\n{}", said()),
        End::Late => bail!(
            "the victim has not ended after {} s; it said:\n{}",
            limit.as_secs(),
            said()
        ),
    }
}

impl Heard {
    fn hear(&mut self, line: &str) {
        let of_hostile = line.strip_prefix("[taktos] hostile ");
        if let Some(times) = of_hostile.and_then(vm::restarts) {
            self.restarts = times;
        } else if line.starts_with("[taktos] hostile stopped") {
            // One line for each restart that is reported.
        } else if line.starts_with(TOLD)
            || line.starts_with("[victim] ")
            || line.starts_with("[taktos] ")
        {
            self.lines.push(line.to_owned());
        } else if !line.starts_with(FLOOD.trim_end()) && !line.is_empty() {
            self.unmarked.get_or_insert_with(|| line.to_owned());
        }
    }
}
