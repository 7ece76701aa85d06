//! What the paper on the spacecraft tasks reports.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::published;
use crate::workspace::Workspace;

/// The paper's figures; of what it does not state, nothing.
#[derive(Clone, Debug, Default)]
pub struct Paper {
    /// Where they come from, in one sentence.
    pub source: String,
    /// For a task, how many jobs more were done on four processors.
    more_jobs: BTreeMap<String, i64>,
    /// For a task, between which changes its wall time lies, in hundredths of a per cent.
    wall: BTreeMap<String, (i64, i64)>,
    /// What it says about processor time.
    pub cpu_note: String,
}

#[derive(Deserialize)]
struct File {
    result: Results,
}

#[derive(Deserialize)]
struct Results {
    executions: BTreeMap<String, i64>,
    wall_time_change_pct: BTreeMap<String, (f64, f64)>,
    cpu_time: Note,
}

#[derive(Deserialize)]
struct Note {
    note: String,
}

impl Paper {
    /// Reads the file of published figures.
    ///
    /// # Errors
    /// When there is none, or it has another shape.
    pub fn read(workspace: &Workspace, file: &str) -> Result<Self> {
        Self::of(published::read(workspace, file)?)
            .with_context(|| format!("{file}.toml has another shape"))
    }

    fn of(table: toml::Table) -> Result<Self> {
        let source = published::source(&table);
        let File { result } = table.try_into()?;
        let hundredths = |share: f64| (share * 100.0).round() as i64;
        let range = |(name, (low, high))| (name, (hundredths(low), hundredths(high)));
        Ok(Self {
            source,
            more_jobs: result.executions,
            wall: result.wall_time_change_pct.into_iter().map(range).collect(),
            cpu_note: result.cpu_time.note,
        })
    }

    /// How many jobs more the task did on four processors.
    pub fn more_jobs(&self, task: &str) -> Option<i64> {
        self.more_jobs.get(task).copied()
    }

    /// Between which changes its wall time lies, in hundredths of a per cent.
    pub fn wall(&self, task: &str) -> Option<(i64, i64)> {
        self.wall.get(task).copied()
    }

    /// Whether there is anything.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The shipped file.
    pub fn paper() -> Paper {
        let text = include_str!("../../../../experiments/published/smp_scheduling.toml");
        Paper::of(text.parse().unwrap()).unwrap()
    }

    #[test]
    fn the_shipped_file_is_read() {
        let paper = paper();
        assert_eq!(
            (paper.more_jobs("T3"), paper.more_jobs("T1")),
            (Some(2), None)
        );
        assert_eq!(paper.wall("T1"), Some((-2800, -2200)));
        assert_eq!(paper.wall("T3"), Some((-50, 0)));
        assert!(paper.source.contains("RTEMS") && paper.cpu_note.contains("CPU time"));
    }
}
