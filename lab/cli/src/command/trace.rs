//! `taktos trace`: the scheduling trace of a program that is run, or of a recording.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use taktos_emulator::{Ending, Options, Record, Until, Watch};
use taktos_experiments::measure::record_schedule;
use taktos_experiments::{outcome, screen};
use taktos_export::report::{Report, Section};
use taktos_export::table::{Column, Table};
use taktos_export::{Basis, Recording, ResultDirectory, Timeline, perfetto, plot, to_json};
use taktos_runner::failure::Failure;
use taktos_runner::fault::{self, Failed};
use taktos_runner::image::Image;
use taktos_runner::progress::Progress;
use taktos_runner::several::{Call, Machine};
use taktos_runner::workspace::Workspace;
use taktos_runner::{image, loaded};
use taktos_trace::{Event, Kind};

use crate::arguments::{Format, MachineOptions, RunOptions, TraceOptions};
use crate::frames;
use crate::made_for::Chosen;
use crate::watched::Watched;

/// How long an image runs when the command line names no time.
pub(super) const TIME: Duration = Duration::from_secs(10);
/// How many switches are drawn when the command line names no length.
const SWITCHES: usize = 40;
/// How many marks, switches and wake-ups a trace holds: viewers can open this number.
const MOST_EVENTS: u64 = 500_000;
/// Why a report has no picture.
const UNSEEN: &str = "The image names no word of its current thread and no mark, so nothing of its schedule is known; \
     taktos trace --watch FILE names them for it.";
/// How many lines of the console are shown.
const MOST_LINES: usize = 20;

/// Request of a user: the image to run, its arguments, and the time.
pub(super) struct Asked<'a> {
    pub subject: &'a str,
    /// The words of the image's command line.
    pub argument: String,
    /// The executables that it loads.
    pub loaded: Vec<PathBuf>,
    /// The most virtual time.
    pub time: Duration,
    /// Each line of the console is printed as it comes, not the first ones at the end.
    pub live: bool,
}

/// A recording and what it is of.
pub(super) struct Subject {
    name: String,
    origin: String,
    recording: Recording,
    /// Console output of the program.
    console: String,
    /// It was printed as it came.
    live: bool,
    /// Why the recording ends before the program.
    cut: Option<String>,
    /// How the program ended, where it ended badly.
    pub failed: Option<Failed>,
    /// Counts that were taken in addition to the recording.
    pub counts: Vec<Table>,
}

impl Subject {
    /// Returns the subject for a machine with guests, which showed its console while it ran: why
    /// the recording ends, and how much time the machine had.
    pub fn of_machine(name: &str, recording: Recording, (ended, time): (Ending, Duration)) -> Self {
        Self {
            name: name.into(),
            origin: format!("{name} under the hypervisor"),
            cut: cut(ended, &recording, time),
            recording,
            console: String::new(),
            live: true,
            failed: None,
            counts: Vec::new(),
        }
    }
}

/// The directory of a trace's result: that place, or its own.
pub(super) fn begin(
    workspace: &Workspace,
    name: &str,
    place: Option<&Path>,
) -> Result<ResultDirectory> {
    outcome::begin(workspace, &format!("trace-{name}"), place)
}

/// Why a recording ends before its program, which had so much time.
fn cut(ended: Ending, recording: &Recording, time: Duration) -> Option<String> {
    let end = Duration::from_nanos(recording.end).as_secs_f64();
    let time = time.as_secs_f64();
    match ended {
        Ending::Image | Ending::Instructions => None,
        Ending::Time => Some(format!(
            "The program was still running after {time} s of virtual time, where the recording ends; --for TIME sets another end."
        )),
        Ending::Full => Some(format!(
            "The recording is full: it holds the first {MOST_EVENTS} marks, switches and wake-ups, up to {end} s of virtual time."
        )),
        Ending::RealTime => Some(format!(
            "The program was stopped after {} s of real time, at {end} s of virtual time; --for TIME sets another end.",
            Options::default().real_time.as_secs()
        )),
    }
}

/// The end of a run that does not end by itself.
pub(super) fn until(time: Duration) -> Until {
    Until {
        time,
        events: MOST_EVENTS,
        reached: Arc::new(AtomicU64::new(0)),
    }
}

/// Records a program that is run, or takes a recording; writes the result and shows it.
pub(super) fn run(workspace: &Workspace, options: &TraceOptions) -> Result<()> {
    let asked = Asked {
        subject: &options.subject,
        argument: options.argument.clone(),
        loaded: options.loaded.loaded.clone(),
        time: options.time,
        live: false,
    };
    let place = (&options.options, &options.machine);
    let watched = options.watch.as_deref();
    of(
        workspace,
        asked,
        watched,
        place,
        (options.from, options.length),
    )
}

/// Records any program, or takes any recording, as [`run`] does.
pub(super) fn of(
    workspace: &Workspace,
    asked: Asked<'_>,
    watched: Option<&Path>,
    (options, machine): (&RunOptions, &MachineOptions),
    (from, length): (Option<u64>, Option<u64>),
) -> Result<()> {
    let subject = asked.subject;
    let file = Path::new(subject);
    let stem = file
        .file_stem()
        .map_or(subject.into(), |stem| stem.to_string_lossy());
    let recorded = file.extension().is_some_and(|ending| ending == "schedule");
    let chosen = Chosen::of(subject, options.board.as_deref(), machine)?;
    let watched = watched.map(Watched::load).transpose()?.unwrap_or_default();
    let read = recorded.then(|| read(file)).transpose()?;
    let directory = begin(workspace, &stem, options.out.as_deref())?;
    let subject = match read {
        Some(recording) => Subject {
            name: stem.into_owned(),
            origin: "a recording".into(),
            recording,
            console: String::new(),
            live: false,
            cut: None,
            failed: None,
            counts: Vec::new(),
        },
        None => record(workspace, &chosen, asked, &watched)?.0,
    };
    let window = window(&subject.recording, from, length);
    write(&directory, &subject, Some(window))?;
    let place = workspace.opened(&directory.finish()?);
    show(&subject, options.format, &place)?;
    ended(subject, &place)
}

/// Returns the error of a program that ended badly; its result is stored at `place`.
pub(super) fn ended(subject: Subject, place: &str) -> Result<()> {
    let Some(failed) = subject.failed else {
        return Ok(());
    };
    let report = fault::report(&subject.console).filter(|_| !subject.live);
    for line in report.iter().flat_map(|report| report.lines()) {
        eprint!("{}", shown(line));
    }
    Err(failed.error(format!(
        "its console, its trace and a report until then are in {place}"
    )))
}

fn read(file: &Path) -> Result<Recording> {
    let bytes = std::fs::read(file).map_err(|cause| {
        let cause = format!("cannot read the recording {}: {cause}", file.display());
        Failure::error(
            cause,
            "name a trace.schedule of a result directory, or a program",
        )
    })?;
    Recording::from_bytes(&bytes).map_err(|error| {
        let cause = format!("{}: {error}", file.display());
        Failure::error(cause, "record it again: taktos trace PROGRAM")
    })
}

/// Returns the symbols to watch in an image, and in the executables that it loads, in addition to
/// those that it names.
fn watch(watched: &Watched, image: &Image, loaded: &[PathBuf]) -> Result<Watch> {
    let read = |path: &PathBuf| std::fs::read(path).with_context(|| path.display().to_string());
    let elfs: Result<Vec<_>> = std::iter::once(&image.path)
        .chain(loaded)
        .map(read)
        .collect();
    watched.find(&elfs?)
}

/// Runs an image, a file or a program that is built, for the requested time.
pub(super) fn record(
    workspace: &Workspace,
    chosen: &Chosen,
    asked: Asked<'_>,
    watched: &Watched,
) -> Result<(Subject, Record)> {
    let (program, time, live) = (asked.subject, asked.time, asked.live);
    let call = Call {
        argument: asked.argument,
        loaded: asked.loaded,
        ..Call::default()
    };
    let board = chosen.board;
    let machine = Machine::find(board)?;
    let progress = Progress::default();
    let build = || machine.build(workspace, program);
    let image = match image::given(program)? {
        Some(image) => {
            frames::warn_of(&image.path);
            image
        }
        None => progress.during(&format!("building {program} for {} ...", board.name), build)?,
    };
    let running = format!("running {program} on {} ...", board.name);
    let until = until(time);
    let reached = Arc::clone(&until.reached);
    loaded::check(&image.path, &call.loaded)?;
    let watch = watch(watched, &image, &call.loaded)?;
    let record = progress.until(&running, (&reached, time), |aside| {
        let mut on_line = |line: &str| {
            if live {
                aside(&mut || drop(screen::print(&shown(line))));
            }
        };
        machine.record_until(&image, &call, (until, watch), &mut on_line)
    });
    let (record, failed) = record
        .map_err(|error| loaded::explained(&image.path, error))
        .map_err(|error| chosen.explained(error))?;
    let recording = record_schedule(&record, board.cpu_name);
    // Without its folder, on which no byte of a result depends.
    let name = Path::new(program).file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let subject = Subject {
        origin: format!("{name} on {}", board.name),
        name,
        cut: cut(record.ended, &recording, time),
        console: record.console.clone(),
        live,
        recording,
        failed,
        counts: Vec::new(),
    };
    Ok((subject, record))
}

/// Returns the part that is drawn: the requested one, or the first switches.
fn window(recording: &Recording, from: Option<u64>, length: Option<u64>) -> (u64, u64) {
    let events = recording.events.iter();
    let switches = events
        .filter(|event| event.kind == Kind::Switch)
        .map(|event| event.at);
    let mut switches = switches
        .skip_while(|at| from.is_some_and(|from| *at < from))
        .peekable();
    let from = from.or(switches.peek().copied()).unwrap_or(0);
    let to = match length {
        Some(length) => from.saturating_add(length),
        None => switches.nth(SWITCHES).unwrap_or(recording.end),
    };
    (from, to)
}

/// Writes all that is known of it; without a `part`, its first switches are drawn.
pub(super) fn write(
    directory: &ResultDirectory,
    subject: &Subject,
    part: Option<(u64, u64)>,
) -> Result<()> {
    let recording = &subject.recording;
    let (from, to) = part.unwrap_or_else(|| window(recording, None, None));
    let manifest = json!({
        "taktos": env!("CARGO_PKG_VERSION"),
        "subject": subject.origin,
        "unit": recording.unit.name(),
        "time": recording.unit.meaning(),
        "evidence": recording.unit.evidence(),
        "cut": subject.cut,
        "failed": subject.failed.as_ref().map(|failed| &failed.cause),
        "threads": recording.threads.len(),
        "events": recording.events.len(),
        "end": recording.end,
    });
    let title = format!("Schedule of {}", subject.origin);
    let failed = subject.failed.iter();
    let failure = failed.flat_map(|failed| [&failed.cause].into_iter().chain(&failed.explained));
    let failure = failure.map(|line| format!("{line}."));
    // A picture of nothing is none.
    let ran = |event: &Event| event.kind == Kind::Switch;
    let drawn = recording.events.iter().any(ran);
    let svg = drawn.then(|| plot::gantt(recording, &title, from, to));
    let is_of_several = recording.events.iter().any(|event| event.processor > 0);
    let processors =
        (drawn && is_of_several).then(|| plot::gantt_of_processors(recording, &title, from, to));
    let report = Report {
        title,
        question: "Who ran when?".into(),
        answer: subject.cut.iter().cloned().chain(failure).collect(),
        setup: vec![
            ("Taktos".into(), env!("CARGO_PKG_VERSION").into()),
            ("time".into(), recording.unit.meaning().into()),
            ("events".into(), recording.events.len().to_string()),
        ],
        evidence: vec![recording.unit.evidence()],
        sections: vec![Section {
            heading: "Schedule".into(),
            prose: (!drawn).then(|| UNSEEN.to_owned()).into_iter().collect(),
            tables: subject
                .counts
                .iter()
                .cloned()
                .chain([shares(subject)])
                .collect(),
            plots: processors.iter().chain(&svg).cloned().collect(),
        }],
    };
    directory.write("manifest.json", to_json(&manifest))?;
    directory.write("report.html", report.to_html())?;
    if let Some(svg) = svg {
        directory.write("schedule.svg", svg)?;
    }
    if let Some(processors) = processors {
        directory.write("processors.svg", processors)?;
    }
    directory.write(
        "schedule.csv",
        Timeline::of(recording).table(recording).to_csv(),
    )?;
    directory.write(
        "trace.pftrace",
        perfetto::to_bytes(recording, &subject.origin),
    )?;
    directory.write("trace.schedule", recording.to_bytes())?;
    if !subject.console.is_empty() {
        directory.write("console.txt", &subject.console)?;
    }
    Ok(())
}

/// How often and how long each thread ran.
fn shares(subject: &Subject) -> Table {
    let recording = &subject.recording;
    let mut threads: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for span in Timeline::of(recording).spans {
        let share = threads.entry(span.thread).or_default();
        share.0 += 1;
        share.1 += span.end - span.begin;
    }
    let basis = || Basis::Ours(recording.unit.evidence());
    let threads: Vec<_> = threads.into_iter().collect();
    Table::over(format!("Threads of {}", subject.name), &threads)
        .label("thread", |(thread, _)| recording.thread_name(*thread))
        .column(
            Column::figures("times on the processor", basis()),
            |(_, (times, _))| *times,
        )
        .column(
            Column::figures(recording.unit.name(), basis()),
            |(_, (_, length))| *length,
        )
        .note(format!("Time: {}.", recording.unit.meaning()))
        .done()
}

pub(super) fn show(subject: &Subject, format: Format, place: &str) -> Result<()> {
    let trace = screen::places(place);
    let timeline = || Timeline::of(&subject.recording);
    match format {
        Format::Table => {
            let cut = subject.cut.iter().map(|words| format!("{words}\n"));
            let counts = subject.counts.iter().map(|table| table.to_text() + "\n");
            screen::print(&format!(
                "{}{}{}{}\n{trace}\n",
                console(subject),
                counts.collect::<String>(),
                shares(subject).to_text(),
                cut.collect::<String>()
            ))?;
        }
        Format::Csv => {
            screen::print(&timeline().table(&subject.recording).to_csv())?;
            eprintln!("{trace}");
        }
        Format::Json => {
            screen::print(&to_json(&spans(&subject.recording)))?;
            eprintln!("{trace}");
        }
    }
    Ok(())
}

/// The first lines of what the program wrote.
fn console(subject: &Subject) -> String {
    let lines: Vec<&str> = subject.console.lines().collect();
    if lines.is_empty() || subject.live {
        return String::new();
    }
    let mut shown = format!("The console of {}\n", subject.name);
    shown.extend(lines.iter().take(MOST_LINES).map(|line| self::shown(line)));
    if let Some(more) = lines.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
        shown.push_str(&format!("    and {more} lines more, in console.txt\n"));
    }
    shown.push('\n');
    shown
}

/// A line of the console as a person may see it: a terminal obeys control characters.
fn shown(line: &str) -> String {
    let plain: String = line.chars().filter(|letter| !letter.is_control()).collect();
    format!("    {plain}\n")
}

fn spans(recording: &Recording) -> Vec<Value> {
    let spans = Timeline::of(recording).spans.into_iter();
    let run = |span: taktos_export::Span| {
        json!({
            "thread": recording.thread_name(span.thread),
            "processor": span.processor,
            "begin": span.begin,
            "end": span.end,
        })
    };
    spans.map(run).collect()
}
