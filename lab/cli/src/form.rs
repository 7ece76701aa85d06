//! The JSON that each command prints: for programs, so their shapes are fixed.

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};
use taktos_export::table::{Cell, Table};
use taktos_export::{Evidence, in_order, to_json};

use crate::experiment::{Curve, Figure, Goals, Parts};
use crate::figure::{along, figures_of_part, operations};
use crate::measure::Summary;
use crate::published::{self, Peers};
use crate::samples::Unit;
use crate::session::Session;
use crate::workspace::Workspace;

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
        match self {
            Self::General => Ok(to_json(&general(session))),
            Self::Ipc => Ok(to_json(&ipc(workspace, session)?)),
            Self::Switch => Ok(to_json(&switch(workspace, session)?)),
            Self::Bench => Ok(to_json(&bench(workspace, session)?)),
            Self::ThreadMetric => Ok(to_json(&thread_metric(session))),
        }
    }
}

/// The classes of instruction and cycle counts.
#[derive(Serialize)]
struct Classes {
    instructions: Evidence,
    cycles: Option<Evidence>,
}

impl Classes {
    const fn of(session: &Session) -> Self {
        Self {
            instructions: Evidence::Emulated,
            cycles: match session.observation.modelled {
                true => Some(Evidence::Modelled),
                false => None,
            },
        }
    }
}

#[derive(Serialize)]
struct Ipc {
    board: &'static str,
    evidence: Classes,
    threads: Vec<u64>,
    #[serde(serialize_with = "in_order")]
    series: Vec<(String, Series)>,
    published: Value,
}

#[derive(Serialize)]
struct Series {
    instructions: Vec<Option<u64>>,
    cycles: Vec<Option<u64>>,
}

fn ipc(workspace: &Workspace, session: &Session) -> Result<Ipc> {
    let curve = curve(session)?;
    let threads = places(session, curve)?;
    let values = |mark: &str, unit: Unit| -> Result<Vec<Option<u64>>> {
        let places = along(&session.samples, (&curve.along, &curve.only), mark, unit)?;
        let value = |place| places.get(place)?.statistic(curve.statistic);
        Ok(threads.iter().map(value).collect())
    };
    let mut series = Vec::new();
    for mark in &curve.marks {
        let instructions = values(mark, Unit::Instructions)?;
        let cycles = values(mark, Unit::Cycles)?;
        series.push((
            mark.clone(),
            Series {
                instructions,
                cycles,
            },
        ));
    }
    let file = curve.published.as_ref().map(|paper| paper.file.as_str());
    Ok(Ipc {
        board: session.board.name,
        evidence: Classes::of(session),
        threads,
        series,
        published: publication(workspace, file)?,
    })
}

#[derive(Serialize)]
struct Switch {
    board: &'static str,
    evidence: Evidence,
    #[serde(serialize_with = "in_order")]
    analysed: Vec<(String, Option<u64>)>,
    #[serde(serialize_with = "in_order")]
    measured: Vec<(String, u64)>,
    threads: Vec<u64>,
    totals: Vec<u64>,
    published: Value,
}

fn switch(workspace: &Workspace, session: &Session) -> Result<Switch> {
    let (parts, curve) = (parts(session)?, curve(session)?);
    let material = session.material(workspace);
    let (mut analysed, mut measured) = (Vec::new(), Vec::new());
    for (part, mark) in &parts.parts {
        let mark = mark.as_str().context("the mark of a part is a text")?;
        let (by_tables, counted) = figures_of_part(&material, parts.unit, mark)?;
        analysed.push((part.clone(), by_tables.map(|summary| summary.min)));
        measured.push((part.clone(), counted.min));
    }
    let total = curve
        .marks
        .first()
        .context("the curve of the experiment has no mark")?;
    let totals = along(
        &session.samples,
        (&curve.along, &curve.only),
        total,
        curve.unit,
    )?;
    let file = parts.published.as_ref().map(|paper| paper.file.as_str());
    Ok(Switch {
        board: session.board.name,
        evidence: parts.unit.evidence(),
        analysed,
        measured,
        threads: totals.keys().copied().collect(),
        totals: totals
            .values()
            .filter_map(|values| values.statistic(curve.statistic))
            .collect(),
        published: publication(workspace, file)?,
    })
}

#[derive(Serialize)]
struct Bench {
    board: &'static str,
    evidence: Classes,
    #[serde(serialize_with = "in_order")]
    operations: Vec<(String, Counted)>,
}

#[derive(Serialize)]
struct Counted {
    instructions: Summary,
    cycles: Option<Least>,
}

/// A summary without the number of samples, which stands beside it.
#[derive(Serialize)]
struct Least {
    min: u64,
    median: u64,
    max: u64,
}

fn bench(workspace: &Workspace, session: &Session) -> Result<Bench> {
    // The published operations give the order, on any board.
    let peers = match goals(session) {
        Some(goals) => Peers::of(&published::read(workspace, &goals.published.file)?)?,
        None => Peers::default(),
    };
    let counted = operations(&session.samples, &peers)
        .into_iter()
        .map(|operation| {
            let least = |cycles: Summary| Least {
                min: cycles.min,
                median: cycles.median,
                max: cycles.max,
            };
            let cycles = operation.cycles.map(least);
            (
                operation.name,
                Counted {
                    instructions: operation.instructions,
                    cycles,
                },
            )
        });
    Ok(Bench {
        board: session.board.name,
        evidence: Classes::of(session),
        operations: counted.collect(),
    })
}

/// The tests of Thread-Metric, and how many iterations lie between their marks: of as many threads as take turns.
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
    let tests: serde_json::Map<String, Value> = TESTS
        .iter()
        .filter_map(|(name, iterations)| {
            let counted = counted.iter().find(|operation| operation.name == *name)?;
            let cycles = counted
                .cycles
                .as_ref()
                .map(|cycles| each(cycles.median, *iterations));
            let instructions = each(counted.instructions.median, *iterations);
            Some((
                (*name).to_owned(),
                json!({ "instructions": instructions, "cycles": cycles }),
            ))
        })
        .collect();
    json!({ "board": session.board.name, "evidence": Classes::of(session), "tests": tests })
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
    serde_json::to_value(published::read(workspace, file)?).context("published figures are data")
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

fn curve(session: &Session) -> Result<&Curve> {
    let curves = session
        .experiment
        .figures
        .iter()
        .find_map(|figure| match figure {
            Figure::Curve(curve) => Some(curve),
            _ => None,
        });
    curves.context("the experiment has no figure of the kind `curve`")
}

fn goals(session: &Session) -> Option<&Goals> {
    session
        .experiment
        .figures
        .iter()
        .find_map(|figure| match figure {
            Figure::Goals(goals) => Some(goals),
            _ => None,
        })
}

fn parts(session: &Session) -> Result<&Parts> {
    let parts = session
        .experiment
        .figures
        .iter()
        .find_map(|figure| match figure {
            Figure::Parts(parts) => Some(parts),
            _ => None,
        });
    parts.context("the experiment has no figure of the kind `parts`")
}
