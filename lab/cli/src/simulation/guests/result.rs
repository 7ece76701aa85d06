//! The outcome of a machine with guests.
//!
//! Owns: the statements on each guest. Must never know: how a result is written.

use taktos_experiments::outcome::{Named, Outcome, Trace};
use taktos_export::plot::gantt;
use taktos_export::{Drawn, Evidence};
use taktos_simulate::file::text;

use super::form::{self, described};
use super::recorder::of_host;
use super::{Guests, tables};
use crate::simulation::request::Request;
use crate::simulation::result::{costs, distributions, extent, legible, of_set};

/// Everything that is to be kept.
pub fn outcome(request: &Request, guests: &Guests) -> Outcome {
    let processors = guests.outcome.cpus.len();
    Outcome {
        place: described(guests),
        setup: setup(request, guests),
        drawn: std::iter::once(machine(request, guests))
            .chain(each(request, guests))
            .collect(),
        traces: vec![Trace {
            stem: "trace".into(),
            platform: format!("{processors} simulated processors"),
            recording: guests.recording.clone(),
        }],
        json: form::json(request, guests),
        ..of_set(request)
    }
}

fn machine(request: &Request, guests: &Guests) -> Drawn {
    let recording = of_host(&request.set.workload, &guests.recording);
    let schedule = gantt(&recording, "Who has each processor", 0, legible(&recording));
    let missed = guests.missed();
    Drawn {
        title: "Machine".into(),
        answer: vec![format!("The guests missed {missed} deadlines (simulated).")],
        tables: tables::all(request, guests),
        plots: vec![("schedule".into(), schedule)],
        evidence: vec![Evidence::Simulated],
        printed: true,
        ..Drawn::default()
    }
}

/// The response times of each guest.
fn each(request: &Request, guests: &Guests) -> Vec<Drawn> {
    let partitions = request.set.workload.partitions.iter();
    let all = partitions
        .zip(&guests.outcome.partitions)
        .zip(tables::responses(request, guests));
    let one = all.map(|((partition, outcome), table)| Drawn {
        title: format!("Guest {}", partition.name),
        details: vec![table],
        plots: distributions(&partition.name, &partition.tasks, &outcome.guest.tasks),
        evidence: vec![Evidence::Simulated],
        ..Drawn::default()
    });
    one.collect()
}

fn setup(request: &Request, guests: &Guests) -> Named {
    let machine = &guests.machine;
    let mut setup = vec![
        ("task set".to_owned(), request.name.clone()),
        ("run".into(), described(guests)),
        ("timer slop".into(), text::shown(machine.timer_slop)),
        ("trace".into(), extent(guests.whole).to_owned()),
    ];
    for (whose, all) in [("guest", &machine.guest), ("host", &machine.host)] {
        let named = costs(all).into_iter();
        setup.extend(named.map(|(name, cost)| (format!("{whose}'s cost of {name}"), cost)));
    }
    setup
}
