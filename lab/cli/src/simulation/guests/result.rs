//! The result directory of a machine with guests.

use anyhow::Result;
use serde::Serialize;
use taktos_export::plot::gantt;
use taktos_export::report::{Report, Section};
use taktos_export::{Evidence, ResultDirectory, perfetto, to_json};
use taktos_simulate::file;

use super::form::described;
use super::{Guests, tables};
use crate::simulation::request::Request;
use crate::simulation::result::{costs, distributions, legible};

#[derive(Serialize)]
struct Manifest<'a> {
    taktos: &'static str,
    title: &'a str,
    question: &'a str,
    evidence: [Evidence; 1],
    partitions: usize,
    horizon: u64,
    seed: u64,
    guest_costs: Vec<(&'static str, String)>,
    host_costs: Vec<(&'static str, String)>,
    timer_slop: u64,
    events: u64,
    trace_events: usize,
    trace_whole: bool,
}

/// Writes everything that is to be kept.
///
/// # Errors
/// When the directory cannot be written.
pub fn write(
    directory: &ResultDirectory,
    request: &Request,
    guests: &Guests,
    json: &str,
) -> Result<()> {
    directory.write("manifest.json", to_json(&manifest(request, guests)))?;
    directory.write("result.json", json)?;
    directory.write("tasks.toml", file::write(&request.set))?;
    directory.write("report.html", report(request, guests).to_html())?;
    directory.write("trace.pftrace", pftrace(guests))?;
    directory.write("trace.schedule", guests.recording.to_bytes())?;
    let responses = tables::responses(request, guests);
    for table in tables::all(request, guests).iter().chain(&responses) {
        directory.write(&format!("tables/{}.csv", table.file_stem()), table.to_csv())?;
    }
    Ok(())
}

/// The trace for ui.perfetto.dev.
pub fn pftrace(guests: &Guests) -> Vec<u8> {
    let processors = guests.outcome.cpus.len();
    perfetto::to_bytes(
        &guests.recording,
        &format!("{processors} simulated processors"),
    )
}

fn manifest<'a>(request: &'a Request, guests: &Guests) -> Manifest<'a> {
    let machine = &guests.machine;
    Manifest {
        taktos: env!("CARGO_PKG_VERSION"),
        title: &request.set.title,
        question: &request.set.question,
        evidence: [Evidence::Simulated],
        partitions: guests.outcome.partitions.len(),
        horizon: machine.horizon.as_nanos(),
        seed: machine.seed,
        guest_costs: costs(&machine.guest),
        host_costs: costs(&machine.host),
        timer_slop: machine.timer_slop.as_nanos(),
        events: guests.outcome.events,
        trace_events: guests.recording.events.len(),
        trace_whole: guests.whole,
    }
}

fn report(request: &Request, guests: &Guests) -> Report {
    let set = &request.set;
    let title = match set.title.as_str() {
        "" => request.name.clone(),
        title => title.to_owned(),
    };
    let machine = Section {
        heading: "Machine".into(),
        prose: Vec::new(),
        tables: tables::all(request, guests),
        plots: vec![gantt(
            &guests.recording,
            "Who has each processor",
            0,
            legible(&guests.recording),
        )],
    };
    let partitions = set.workload.partitions.iter();
    let all = partitions
        .zip(&guests.outcome.partitions)
        .zip(tables::responses(request, guests));
    let guest = all.map(|((partition, outcome), table)| Section {
        heading: format!("Guest {}", partition.name),
        prose: Vec::new(),
        tables: vec![table],
        plots: distributions(&partition.tasks, &outcome.guest.tasks),
    });
    let missed = guests.missed();
    Report {
        title,
        question: set.question.clone(),
        answer: vec![format!("The guests missed {missed} deadlines (simulated).")],
        setup: setup(request, guests),
        evidence: vec![Evidence::Simulated],
        sections: std::iter::once(machine).chain(guest).collect(),
    }
}

fn setup(request: &Request, guests: &Guests) -> Vec<(String, String)> {
    let mut setup = vec![
        ("Taktos".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("task set".into(), request.name.clone()),
        ("run".into(), described(guests)),
    ];
    for (whose, all) in [
        ("guest", &guests.machine.guest),
        ("host", &guests.machine.host),
    ] {
        let named = costs(all).into_iter();
        setup.extend(named.map(|(name, cost)| (format!("{whose}'s cost of {name}"), cost)));
    }
    setup
}
