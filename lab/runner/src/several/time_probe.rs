//! The probe: before any figure of several processors is taken, it checks that the emulated clocks
//! are consistent.

use anyhow::Result;
use taktos_emulator::several::Probe;
use taktos_export::table::{Column, Table};
use taktos_export::{Basis, Drawn, Evidence};

use super::{Board, Machine};
use crate::failure::CheckFailed;
use crate::image;
use crate::workspace::Workspace;

/// Findings of the probe at each quantum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeProbe {
    rows: Vec<(u32, Probe)>,
}

/// The program of the bare machine, and the board that it is built for.
const PROGRAM: &str = "probe";

/// Runs the probe at each quantum.
///
/// # Errors
/// If it does not run; [`CheckFailed`] if the clocks are not consistent: then no figure of several
/// processors may be taken.
pub fn probe_time(workspace: &Workspace, machine: &Machine, quanta: &[u32]) -> Result<TimeProbe> {
    let bare = machine.board.machine.bare();
    let emulator = crate::emulator::find(bare)?;
    let image = image::build_for(workspace, (bare.name(), bare.triple()), PROGRAM)?;
    let mut rows = Vec::new();
    for quantum in quanta {
        let probe = emulator.probe(&image.path, *quantum)?;
        probe
            .verdict()
            .map_err(|why| refused(machine.board, *quantum, &why))?;
        rows.push((*quantum, probe));
    }
    Ok(TimeProbe { rows })
}

fn refused(board: Board, quantum: u32, why: &str) -> anyhow::Error {
    let words = format!(
        "{}: the emulator's time is not consistent at a quantum of {quantum} ns, so nothing is measured: {why}",
        board.name
    );
    CheckFailed(words).into()
}

impl TimeProbe {
    /// Returns the findings of the probe, for the report.
    pub fn drawn(&self) -> Drawn {
        Drawn {
            title: "Consistent time".into(),
            tables: vec![self.table()],
            evidence: vec![Evidence::Emulated],
            ..Drawn::default()
        }
    }

    /// Returns the findings of the probe, a row for each quantum.
    fn table(&self) -> Table {
        let emulated = |name: &str| Column::figures(name, Basis::Ours(Evidence::Emulated));
        let mut table = Table::new(
            "The probe: is the time of several processors consistent?",
            vec![
                Column::label("quantum, ns"),
                emulated("turns, 1 busy"),
                emulated("turns, 2 busy"),
                emulated("turns, 4 busy"),
                emulated("latest timer, ticks"),
                emulated("call to a sleeper, ticks"),
            ],
        );
        for (quantum, probe) in &self.rows {
            let turns = probe.turns.iter().map(|turns| least_and_most(turns).into());
            let mut row = vec![u64::from(*quantum).into()];
            row.extend(turns);
            row.push(probe.late_timers.iter().copied().max().into());
            row.push(probe.late_call.into());
            table.push(row);
        }
        table.notes.push(
            "Turns of one loop that each busy processor counted in the same span: equal, whoever else was busy. \
             Timers and calls: of processors that slept."
                .into(),
        );
        table
    }
}

/// One number where all are equal.
fn least_and_most(turns: &[u64]) -> String {
    let shown = taktos_export::table::thousands;
    match (turns.iter().min(), turns.iter().max()) {
        (Some(least), Some(most)) if least == most => shown(*least),
        (Some(least), Some(most)) => format!("{}–{}", shown(*least), shown(*most)),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_those_of_the_quanta() {
        let probe = Probe {
            turns: vec![vec![7], vec![7, 7], vec![7, 8, 7, 7]],
            late_timers: vec![0, 1, 0, 0],
            late_call: 2,
            end: 9,
        };
        let probe = TimeProbe {
            rows: vec![(20, probe.clone()), (100, probe)],
        };
        let csv = probe.table().to_csv();
        assert!(
            csv.ends_with("\n20,7,7,7–8,1,2\n100,7,7,7–8,1,2\n"),
            "{csv}"
        );
    }

    #[test]
    fn the_refusal_is_a_failed_check() {
        let error = refused(Board::first(), 20, "processors counted differently");
        assert_eq!(crate::failure::status(&error), 1);
        assert!(error.to_string().contains("quantum of 20 ns"), "{error}");
    }
}
