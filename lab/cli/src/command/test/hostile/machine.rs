//! Owns: a case's machine under way, and what is heard of it.
//! Must never know: what must hold.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use taktos_vm::{Configuration, Image, Plan, Sources, Time};

use super::cases::Case;
use crate::progress::Progress;
use crate::vm;
use crate::workspace::Workspace;

const EMULATOR: &str = "qemu-system-aarch64";
/// When the victim has ended, all that matters is said.
const OVER: &str = "[taktos] victim stopped: ";
/// What is not kept: what the hostile guest says for nothing.
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

/// What was heard.
#[derive(Debug, Default)]
pub struct Heard {
    /// Lines of the victim and of the hypervisor, and what the hostile guest told; of the hypervisor's about
    /// restarts only the number is kept.
    pub lines: Vec<String>,
    /// How often the hostile guest was started again.
    pub restarts: u64,
    /// A line that bears nobody's mark.
    pub unmarked: Option<String>,
}

/// Runs the case's machine, of one processor's pace, until the victim has ended.
pub fn run(images: &Images, case: &Case) -> Result<Heard> {
    let time = ["-icount", &format!("shift={},sleep=off", case.shift)].map(str::to_owned);
    run_text(images, (&case.name, &case.text), &time, case.limit)
}

/// Runs the machine of the configuration `text` until the victim has ended, or so many seconds; the emulator's words `time` say how time
/// passes.
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
    let mut child = Command::new(EMULATOR)
        .args(plan.qemu_arguments(&loaded, &images.hypervisor, Time::Real))
        .args(time)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{EMULATOR} does not start: run ./taktos doctor"))?;
    let heard = listen(&mut child, Duration::from_secs(limit));
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    heard
}

/// Hears what the machine says until the victim has ended.
fn listen(child: &mut Child, limit: Duration) -> Result<Heard> {
    let output = child.stdout.take().context("the emulator has no output")?;
    let (sender, receiver) = sync_channel(64);
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut bytes = Vec::new();
        while output
            .read_until(b'\n', &mut bytes)
            .is_ok_and(|length| length > 0)
        {
            let line = String::from_utf8_lossy(&bytes).into_owned();
            bytes.clear();
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let until = Instant::now() + limit;
    let mut heard = Heard::default();
    loop {
        match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                let line = line.trim_end();
                heard.hear(line);
                if line.starts_with(OVER) {
                    return Ok(heard);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                bail!(
                    "the machine ended before the victim; it said:\n{}",
                    heard.lines.join("\n")
                )
            }
            Err(RecvTimeoutError::Timeout) => bail!(
                "the victim has not ended after {} s; it said:\n{}",
                limit.as_secs(),
                heard.lines.join("\n")
            ),
        }
    }
}

impl Heard {
    fn hear(&mut self, line: &str) {
        if line.starts_with("[taktos] hostile started again") {
            self.restarts += 1;
        } else if line.starts_with("[taktos] hostile stopped") {
            // One for each restart.
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
