//! `taktos trace`: who ran when, of a program that is run, or of a recording.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;
use taktos_emulator::{Board, Ending, Options, Until};
use taktos_export::report::{Report, Section};
use taktos_export::table::{Column, Table};
use taktos_export::{
    Basis, Evidence, Recording, ResultDirectory, Timeline, perfetto, plot, to_json,
};
use taktos_trace::Kind;

use super::experiment::begin;
use crate::arguments::{Format, RunOptions};
use crate::failure::Failure;
use crate::measure::{record_schedule, record_schedule_of_several};
use crate::progress::Progress;
use crate::several::{self, Call, Machine};
use crate::workspace::Workspace;
use crate::{board, emulator, image, screen, session};

/// The board of a program when the command line names none.
const BOARD: &str = "mps2-an386";
/// How many switches are drawn when the command line names no length.
const SWITCHES: usize = 40;
/// How many marks, switches and wake-ups a trace holds: viewers open so many.
const MOST_EVENTS: u64 = 500_000;
/// How many lines of the console are shown.
const MOST_LINES: usize = 20;

/// Where a program runs: on one processor or on several.
enum Place {
    One(Board),
    Several(several::Board),
}

impl Place {
    /// The board of that name, of either kind.
    fn named(name: &str) -> Result<Self> {
        match several::Board::by_name(name, "--board") {
            Ok(board) => Ok(Self::Several(board)),
            Err(_) => Board::named(name)
                .map(Self::One)
                .ok_or_else(|| board::unknown(name, "--board", &board::kernels())),
        }
    }
}

/// A recording and what it is of.
struct Subject {
    name: String,
    origin: String,
    recording: Recording,
    /// What the program wrote.
    console: String,
    /// Why the recording ends before the program.
    cut: Option<String>,
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
fn until(time: Duration) -> Until {
    Until {
        time,
        events: MOST_EVENTS,
        reached: Arc::new(AtomicU64::new(0)),
    }
}

pub(super) fn run(
    workspace: &Workspace,
    (subject, argument, time): (&str, String, Duration),
    options: &RunOptions,
    (from, length): (Option<u64>, Option<u64>),
) -> Result<()> {
    let file = Path::new(subject);
    let stem = file
        .file_stem()
        .map_or(subject.into(), |stem| stem.to_string_lossy());
    let recorded = file.extension().is_some_and(|ending| ending == "schedule");
    let board = Place::named(options.board.as_deref().unwrap_or(BOARD))?;
    let read = recorded.then(|| read(file)).transpose()?;
    let directory = begin(workspace, &format!("trace-{stem}"), options)?;
    let subject = match read {
        Some(recording) => Subject {
            name: stem.into_owned(),
            origin: "a recording".into(),
            recording,
            console: String::new(),
            cut: None,
        },
        None => match board {
            Place::One(board) => record(workspace, subject, board, time)?,
            Place::Several(board) => record_several(workspace, subject, board, argument, time)?,
        },
    };
    let window = window(&subject.recording, from, length);
    write(&directory, &subject, window)?;
    let place = directory.finish()?;
    show(&subject, options.format, &workspace.shown(&place))
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

fn record(workspace: &Workspace, program: &str, board: Board, time: Duration) -> Result<Subject> {
    let emulator = emulator::find()?;
    let progress = Progress::default();
    let building = format!("building {program} for {} ...", board.name());
    let image = progress.during(&building, || image::build(workspace, board, program))?;
    let running = format!("running {program} on {} ...", board.name());
    let until = until(time);
    let reached = Arc::clone(&until.reached);
    let options = Options {
        until: Some(until),
        ..Options::default()
    };
    let record = progress.until(&running, (&reached, time), || {
        session::execute(&emulator, board, (program, &image), &options)
    })?;
    let recording = record_schedule(&record);
    Ok(Subject {
        name: program.into(),
        origin: format!("{program} on {}", board.name()),
        cut: cut(record.ended, &recording, time),
        console: record.console,
        recording,
    })
}

/// The same on a board of several processors.
fn record_several(
    workspace: &Workspace,
    program: &str,
    board: several::Board,
    argument: String,
    time: Duration,
) -> Result<Subject> {
    let machine = Machine::find(board)?;
    let progress = Progress::default();
    let building = format!("building {program} for {} ...", board.name);
    let image = progress.during(&building, || machine.build(workspace, program))?;
    let running = format!("running {program} on {} ...", board.name);
    let call = Call {
        argument,
        quantum: several::QUANTUM,
    };
    let until = until(time);
    let reached = Arc::clone(&until.reached);
    let record = progress.until(&running, (&reached, time), || {
        machine.record_until(&image, &call, until)
    })?;
    let recording = record_schedule_of_several(&record);
    Ok(Subject {
        name: program.into(),
        origin: format!("{program} on {}", board.name),
        cut: cut(record.ended, &recording, time),
        console: record.console,
        recording,
    })
}

/// The part that is drawn: what was asked for, or the first switches.
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

#[derive(Serialize)]
struct Manifest<'a> {
    taktos: &'static str,
    subject: &'a str,
    unit: &'static str,
    /// What the unit is.
    time: &'static str,
    evidence: Evidence,
    /// Why the recording ends before the program; nothing where it does not.
    cut: Option<&'a str>,
    threads: usize,
    events: usize,
    end: u64,
}

fn write(directory: &ResultDirectory, subject: &Subject, (from, to): (u64, u64)) -> Result<()> {
    let recording = &subject.recording;
    let manifest = Manifest {
        taktos: env!("CARGO_PKG_VERSION"),
        subject: &subject.origin,
        unit: recording.unit.name(),
        time: recording.unit.meaning(),
        evidence: recording.unit.evidence(),
        cut: subject.cut.as_deref(),
        threads: recording.threads.len(),
        events: recording.events.len(),
        end: recording.end,
    };
    let title = format!("Schedule of {}", subject.origin);
    let svg = plot::gantt(recording, &title, from, to);
    let is_of_several = recording.events.iter().any(|event| event.processor > 0);
    let processors = is_of_several.then(|| plot::gantt_of_processors(recording, &title, from, to));
    let report = Report {
        title,
        question: "Who ran when?".into(),
        answer: subject.cut.iter().cloned().collect(),
        setup: vec![
            ("Taktos".into(), env!("CARGO_PKG_VERSION").into()),
            ("time".into(), recording.unit.meaning().into()),
            ("events".into(), recording.events.len().to_string()),
        ],
        evidence: vec![recording.unit.evidence()],
        sections: vec![Section {
            heading: "Schedule".into(),
            prose: Vec::new(),
            tables: vec![shares(subject)],
            plots: processors.iter().chain([&svg]).cloned().collect(),
        }],
    };
    directory.write("manifest.json", to_json(&manifest))?;
    directory.write("report.html", report.to_html())?;
    directory.write("schedule.svg", svg)?;
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
    let mut table = Table::new(
        format!("Threads of {}", subject.name),
        vec![
            Column::label("thread"),
            Column::figures("times on the processor", basis()),
            Column::figures(recording.unit.name(), basis()),
        ],
    );
    table
        .notes
        .push(format!("Time: {}.", recording.unit.meaning()));
    for (thread, (times, length)) in threads {
        table.push(vec![
            recording.thread_name(thread).into(),
            times.into(),
            length.into(),
        ]);
    }
    table
}

fn show(subject: &Subject, format: Format, place: &str) -> Result<()> {
    let trace = screen::places(place);
    let timeline = || Timeline::of(&subject.recording);
    match format {
        Format::Table => {
            let cut = subject.cut.iter().map(|words| format!("{words}\n"));
            screen::print(&format!(
                "{}{}{}\n{trace}\n",
                console(subject),
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
    if lines.is_empty() {
        return String::new();
    }
    let mut shown = format!("The console of {}\n", subject.name);
    for line in lines.iter().take(MOST_LINES) {
        // A terminal obeys control characters.
        let plain: String = line.chars().filter(|letter| !letter.is_control()).collect();
        shown.push_str(&format!("    {plain}\n"));
    }
    if let Some(more) = lines.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
        shown.push_str(&format!("    and {more} lines more, in console.txt\n"));
    }
    shown.push('\n');
    shown
}

#[derive(Serialize)]
struct Run<'a> {
    thread: &'a str,
    processor: u8,
    begin: u64,
    end: u64,
}

fn spans(recording: &Recording) -> Vec<Run<'_>> {
    let spans = Timeline::of(recording).spans.into_iter();
    let run = |span: taktos_export::Span| Run {
        thread: recording.thread_name(span.thread),
        processor: span.processor,
        begin: span.begin,
        end: span.end,
    };
    spans.map(run).collect()
}
