//! The JSON that each command prints: for programs, so their shapes are fixed.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use taktos_export::table::{Cell, Table};
use taktos_export::{Evidence, joined, sorted, to_json};
use taktos_runner::workspace::Workspace;

use crate::experiment::{Curve, Figure, Goals, Parts, Scale};
use crate::figure::{along, figures_of_part, operations};
use crate::measure::Summary;
use crate::published::{self, Peers};
use crate::samples::Unit;
use crate::session::Session;

/// The data of an experiment on several processors: on what it ran, the form where it has two, and
/// its own.
pub fn of_several(platform: &str, scale: Option<Scale>, own: Value) -> String {
    let mut head = json!({ "platform": platform, "evidence": Evidence::Emulated });
    if let Some(scale) = scale {
        head["form"] = scale.name().into();
    }
    to_json(&joined(head, own))
}

/// Which shape a session is printed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The figures' tables.
    General,
    /// Mechanisms along the number of threads.
    Ipc,
    /// The parts of a switch, and the whole along the number of threads.
    Switch,
    /// Operations.
    Bench,
    /// Tests, an iteration each.
    ThreadMetric,
}

impl Form {
    /// The session in this shape.
    ///
    /// # Errors
    /// When the experiment has not the figures that the shape is made of.
    pub fn json(self, workspace: &Workspace, session: &Session) -> Result<String> {
        Ok(to_json(&match self {
            Self::General => sorted(general(session)),
            Self::Ipc => ipc(workspace, session)?,
            Self::Switch => switch(workspace, session)?,
            Self::Bench => bench(workspace, session)?,
            Self::ThreadMetric => sorted(thread_metric(session)),
        }))
    }
}

/// The classes of instruction and cycle counts.
fn classes(session: &Session) -> Value {
    let modelled = session.observation.modelled;
    json!({
        "instructions": Evidence::Emulated,
        "cycles": modelled.then_some(Evidence::Modelled),
    })
}

fn ipc(workspace: &Workspace, session: &Session) -> Result<Value> {
    let curve = curve(session)?;
    let threads = places(session, curve)?;
    let values = |mark: &str, unit: Unit| -> Result<Vec<Option<u64>>> {
        let places = along(&session.samples, (&curve.along, &curve.only), mark, unit)?;
        let value = |place| places.get(place)?.statistic(curve.statistic);
        Ok(threads.iter().map(value).collect())
    };
    let mut series = json!({});
    for mark in &curve.marks {
        series[mark] = json!({
            "instructions": values(mark, Unit::Instructions)?,
            "cycles": values(mark, Unit::Cycles)?,
        });
    }
    let file = curve.published.as_ref().map(|paper| paper.file.as_str());
    Ok(json!({
        "board": session.board.name,
        "evidence": classes(session),
        "threads": threads,
        "series": series,
        "published": publication(workspace, file)?,
    }))
}

fn switch(workspace: &Workspace, session: &Session) -> Result<Value> {
    let (parts, curve) = (parts(session)?, curve(session)?);
    let material = session.material(workspace);
    let (mut analysed, mut measured) = (json!({}), json!({}));
    for (part, mark) in &parts.parts {
        let mark = mark.as_str().context("the mark of a part is a text")?;
        let (by_tables, counted) = figures_of_part(&material, parts.unit, mark)?;
        analysed[part] = by_tables.map(|summary| summary.min).into();
        measured[part] = counted.min.into();
    }
    let total = curve
        .marks
        .first()
        .context("the curve of the experiment has no mark")?;
    let of = (curve.along.as_str(), &curve.only);
    let totals = along(&session.samples, of, total, curve.unit)?;
    let values = totals.values();
    let values = values.filter_map(|values| values.statistic(curve.statistic));
    let file = parts.published.as_ref().map(|paper| paper.file.as_str());
    Ok(json!({
        "board": session.board.name,
        "evidence": parts.unit.evidence(),
        "analysed": analysed,
        "measured": measured,
        "threads": totals.keys().collect::<Vec<_>>(),
        "totals": values.collect::<Vec<_>>(),
        "published": publication(workspace, file)?,
    }))
}

fn bench(workspace: &Workspace, session: &Session) -> Result<Value> {
    // The published operations give the order, on any board.
    let peers = match goals(session) {
        Some(goals) => Peers::of(&published::read(workspace, &goals.published.file)?)?,
        None => Peers::default(),
    };
    // Without the number of samples, which is next to it.
    let least = |cycles: Summary| {
        let Summary {
            min, median, max, ..
        } = cycles;
        json!({ "min": min, "median": median, "max": max })
    };
    let counted = operations(&session.samples, &peers).into_iter();
    let counted: Value = counted
        .map(|operation| {
            let cycles = operation.cycles.map(least);
            let form = json!({ "instructions": operation.instructions, "cycles": cycles });
            (operation.name, form)
        })
        .collect();
    Ok(json!({
        "board": session.board.name,
        "evidence": classes(session),
        "operations": counted,
    }))
}

/// The tests of Thread-Metric, and the number of iterations between their marks: of as many threads
/// as take turns.
const TESTS: [(&str, u64); 7] = [
    ("cooperative", 5),
    ("preemptive", 5),
    ("interrupt", 1),
    ("interrupt-preempting", 1),
    ("message", 1),
    ("synchronisation", 1),
    ("memory", 1),
];

/// An iteration of each test: the median, in tenths.
fn thread_metric(session: &Session) -> Value {
    let each = |total: u64, iterations: u64| (total * 10).div_ceil(iterations) as f64 / 10.0;
    let counted = operations(&session.samples, &Peers::default());
    let test = |(name, iterations)| {
        let counted = counted.iter().find(|operation| operation.name == name)?;
        let of = |summary: Summary| each(summary.median, iterations);
        let (instructions, cycles) = (of(counted.instructions), counted.cycles.map(of));
        let form = json!({ "instructions": instructions, "cycles": cycles });
        Some((name, form))
    };
    let tests: Value = TESTS.into_iter().filter_map(test).collect();
    json!({ "board": session.board.name, "evidence": classes(session), "tests": tests })
}

fn general(session: &Session) -> Value {
    let experiment = &session.experiment;
    let figures: Vec<Value> = session
        .drawn
        .iter()
        .map(|drawn| {
            let tables: Vec<Value> = drawn.tables.iter().map(table).collect();
            json!({ "title": drawn.title, "answer": drawn.answer, "evidence": drawn.evidence, "tables": tables })
        })
        .collect();
    json!({
        "title": experiment.title,
        "question": experiment.question,
        "board": session.board.name,
        "program": experiment.program.get_ref(),
        "figures": figures,
    })
}

fn table(table: &Table) -> Value {
    let columns = table.columns.iter();
    let columns =
        columns.map(|column| json!({ "name": column.name, "basis": column.basis.words() }));
    let rows = table
        .rows
        .iter()
        .map(|row| row.iter().map(value).collect::<Vec<_>>());
    json!({
        "title": table.title,
        "columns": columns.collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
        "notes": table.notes,
    })
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Blank => Value::Null,
        Cell::Text(words) => words.as_str().into(),
        Cell::Count(count) => (*count).into(),
        Cell::Verdict { met, words } => json!({ "met": met, "words": words }),
    }
}

fn publication(workspace: &Workspace, file: Option<&str>) -> Result<Value> {
    let Some(file) = file else {
        return Ok(Value::Null);
    };
    let figures = serde_json::to_value(published::read(workspace, file)?);
    figures.map(sorted).context("published figures are data")
}

/// The values along, of all marks of the curve.
fn places(session: &Session, curve: &Curve) -> Result<Vec<u64>> {
    let mut places = Vec::new();
    for mark in &curve.marks {
        let of = along(
            &session.samples,
            (&curve.along, &curve.only),
            mark,
            Unit::Instructions,
        )?;
        places.extend(of.into_keys());
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// The first figure of the experiment that is one of these.
fn first<'a, T>(session: &'a Session, of: fn(&'a Figure) -> Option<&'a T>) -> Option<&'a T> {
    session.experiment.figures.iter().find_map(of)
}

fn curve(session: &Session) -> Result<&Curve> {
    let curve = first(session, |figure| match figure {
        Figure::Curve(curve) => Some(curve),
        _ => None,
    });
    curve.context("the experiment has no figure of the kind `curve`")
}

fn goals(session: &Session) -> Option<&Goals> {
    first(session, |figure| match figure {
        Figure::Goals(goals) => Some(goals),
        _ => None,
    })
}

fn parts(session: &Session) -> Result<&Parts> {
    let parts = first(session, |figure| match figure {
        Figure::Parts(parts) => Some(parts),
        _ => None,
    });
    parts.context("the experiment has no figure of the kind `parts`")
}
