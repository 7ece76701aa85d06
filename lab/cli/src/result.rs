//! The result directory of a session: the manifest, the figures, the raw
//! samples, the report, the trace. The same session gives the same bytes.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;
use serde::Serialize;
use taktos_emulator::Count;
use taktos_export::report::{Report, Section};
use taktos_export::{Evidence, Recording, ResultDirectory, perfetto, to_json};

use crate::measure::{Labels, Observation, Round};
use crate::session::Session;

/// The most events of a trace that is written: viewers stay quick with it.
const MOST_EVENTS: usize = 200_000;

/// What a result says about how it came to be.
#[derive(Serialize)]
struct Manifest<'a> {
    taktos: &'static str,
    emulator: &'a str,
    emulator_arguments: Vec<&'static str>,
    title: &'a str,
    question: &'a str,
    board: &'a str,
    processor: &'static str,
    program: &'a str,
    image: &'a str,
    seed: Option<&'a str>,
    facts: &'a [(String, String)],
    evidence: Vec<Evidence>,
    rounds: usize,
    samples: usize,
    instructions: u64,
    cycles: u64,
    trace_events: usize,
    trace_whole: bool,
}

/// Writes everything that is to be kept of a session.
///
/// # Errors
/// When the directory cannot be written.
pub fn write(directory: &ResultDirectory, session: &Session, json: &str) -> Result<()> {
    let trace = session.recording.first(MOST_EVENTS);
    directory.write("manifest.json", to_json(&manifest(session, &trace)))?;
    directory.write("result.json", json)?;
    directory.write("report.html", report(session).to_html())?;
    directory.write(
        "trace.pftrace",
        perfetto::to_bytes(&trace, session.board.name()),
    )?;
    directory.write("trace.schedule", trace.to_bytes())?;
    directory.write("raw/samples.csv", raw_samples(session))?;
    for drawn in &session.drawn {
        for table in &drawn.tables {
            directory.write(&format!("tables/{}.csv", table.file_stem()), table.to_csv())?;
        }
        for (stem, svg) in &drawn.plots {
            directory.write(&format!("plots/{stem}.svg"), svg)?;
        }
    }
    Ok(())
}

fn manifest<'a>(session: &'a Session, trace: &Recording) -> Manifest<'a> {
    let observation = &session.observation;
    Manifest {
        taktos: env!("CARGO_PKG_VERSION"),
        emulator: &session.emulator,
        emulator_arguments: session.board.arguments(),
        title: &session.experiment.title,
        question: &session.experiment.question,
        board: session.board.name(),
        processor: session.board.cpu_name(),
        program: session.experiment.program.get_ref(),
        image: &session.image.digest,
        seed: observation.fact("seed"),
        facts: &observation.facts,
        evidence: evidence(session),
        rounds: observation.rounds.len(),
        samples: observation.sample_count(),
        instructions: observation.total.instructions,
        cycles: observation.total.cycles,
        trace_events: trace.events.len(),
        trace_whole: trace.events.len() == session.recording.events.len(),
    }
}

/// The classes of evidence that occur, once each.
fn evidence(session: &Session) -> Vec<Evidence> {
    let classes: BTreeSet<Evidence> = session
        .drawn
        .iter()
        .flat_map(|drawn| drawn.evidence.iter().copied())
        .collect();
    classes.into_iter().collect()
}

/// The session's report.
fn report(session: &Session) -> Report {
    let sections = session.drawn.iter().map(|drawn| Section {
        heading: drawn.title.clone(),
        prose: Vec::new(),
        tables: drawn.tables.iter().chain(&drawn.details).cloned().collect(),
        plots: drawn.plots.iter().map(|plot| plot.1.clone()).collect(),
    });
    Report {
        title: session.experiment.title.clone(),
        question: session.experiment.question.clone(),
        answer: session
            .drawn
            .iter()
            .flat_map(|drawn| drawn.answer.iter().cloned())
            .collect(),
        setup: setup(session),
        evidence: evidence(session),
        sections: sections.collect(),
    }
}

fn setup(session: &Session) -> Vec<(String, String)> {
    let board = session.board;
    let observation = &session.observation;
    let mut setup = vec![
        ("Taktos".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        (
            "board".into(),
            format!("{} ({})", board.name(), board.cpu_name()),
        ),
        (
            "program".into(),
            session.experiment.program.get_ref().clone(),
        ),
        ("image".into(), session.image.digest.clone()),
        ("emulator".into(), session.emulator.clone()),
        ("emulator's options".into(), board.arguments().join(" ")),
        ("executed".into(), executed(observation)),
        ("rounds, samples".into(), {
            format!(
                "{}, {}",
                observation.rounds.len(),
                observation.sample_count()
            )
        }),
        (
            "limits".into(),
            "one processor; no caches, no bus contention, no waiting for memory".into(),
        ),
    ];
    setup.extend(observation.facts.iter().cloned());
    setup
}

fn executed(observation: &Observation) -> String {
    let Count {
        instructions,
        cycles,
    } = observation.total;
    let instructions = format!("{instructions} instructions (emulated)");
    match observation.modelled {
        true => format!("{instructions}, {cycles} cycles (modelled)"),
        false => format!("{instructions}; no model of the cycles yet"),
    }
}

/// Every sample in its order; equal ones that follow each other are one line.
fn raw_samples(session: &Session) -> String {
    let keys: BTreeSet<&String> = session
        .observation
        .rounds
        .iter()
        .flat_map(|round| round.labels.keys())
        .collect();
    let mut out = String::from("round,");
    for key in &keys {
        out.push_str(key);
        out.push(',');
    }
    out.push_str("mark,instructions,cycles,times\n");
    for (number, round) in session.observation.rounds.iter().enumerate() {
        let place = format!("{number},{}", values(&keys, &round.labels));
        add_round(&mut out, &place, round);
    }
    out
}

fn values(keys: &BTreeSet<&String>, labels: &Labels) -> String {
    keys.iter()
        .map(|key| format!("{},", labels.get(*key).map_or("", String::as_str)))
        .collect()
}

fn add_round(out: &mut String, place: &str, round: &Round) {
    for (mark, samples) in &round.samples {
        for run in samples.chunk_by(|left, right| left == right) {
            let (
                Count {
                    instructions,
                    cycles,
                },
                times,
            ) = (run[0], run.len());
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{place}{mark},{instructions},{cycles},{times}");
        }
    }
}
