//! The outcome of a session: one program on one processor, and all that its marks said.
//!
//! Owns: its set-up in words, and the raw samples. Must never know: the writing of a result.

use std::collections::BTreeSet;
use std::fmt::Write;

use taktos_emulator::Count;
use taktos_runner::several;

use crate::measure::{Labels, Observation, Round};
use crate::outcome::{MOST_EVENTS, Named, Outcome, Trace};
use crate::session::Session;

/// Limits of these figures.
const LIMITS: &str = "one processor; no caches, no bus contention, no waiting for memory";

/// Returns the outcome of a session.
pub fn outcome(session: &Session, json: String) -> Outcome {
    let (board, experiment) = (session.board, &session.experiment);
    let (name, cpu) = (board.name, board.cpu_name);
    Outcome {
        title: experiment.title.clone(),
        question: experiment.question.clone(),
        place: format!("{name} ({cpu}), {}", session.emulator),
        setup: setup(session),
        limits: match board.processors {
            1 => LIMITS,
            _ => several::LIMITS,
        },
        drawn: session.drawn.clone(),
        traces: vec![Trace {
            stem: "trace".into(),
            platform: name.into(),
            recording: session.recording.first(MOST_EVENTS),
        }],
        files: vec![(
            "raw/samples.csv".into(),
            raw_samples(&session.observation).into(),
        )],
        json,
        ..Outcome::default()
    }
}

fn setup(session: &Session) -> Named {
    let board = session.board;
    let observation = &session.observation;
    let (rounds, samples) = (observation.rounds.len(), observation.sample_count());
    let (recorded, events) = (MOST_EVENTS, session.recording.events.len());
    let named = [
        ("board", format!("{} ({})", board.name, board.cpu_name)),
        ("program", session.experiment.program.get_ref().clone()),
        ("image", session.image.digest.clone()),
        ("emulator", session.emulator.clone()),
        ("emulator's options", board.machine.arguments().join(" ")),
        ("executed", executed(observation)),
        ("rounds, samples", format!("{rounds}, {samples}")),
        (
            "trace",
            format!("{} of {events} events", recorded.min(events)),
        ),
    ];
    let named = named.map(|(name, value)| (name.to_owned(), value));
    let facts = observation.facts.iter().cloned();
    named.into_iter().chain(facts).collect()
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
fn raw_samples(observation: &Observation) -> String {
    let keys: BTreeSet<&String> = observation
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
    for (number, round) in observation.rounds.iter().enumerate() {
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
