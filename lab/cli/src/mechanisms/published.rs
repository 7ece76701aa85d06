//! What the paper on RTAI and Xenomai reports.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::published;
use crate::workspace::Workspace;

/// One system's figures of one experiment, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Figures {
    /// The least.
    pub best: u64,
    /// The mean.
    pub average: u64,
    /// The greatest.
    pub worst: u64,
}

/// The systems, as they are called in the file.
pub const SYSTEMS: [&str; 2] = ["RTAI", "Xenomai"];

/// The paper's figures; of what it has not, nothing.
#[derive(Clone, Debug, Default)]
pub struct Paper {
    /// Where they come from, in one sentence.
    pub source: String,
    table: toml::Table,
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
        let paper = Self {
            source: published::source(&table),
            table,
        };
        for name in ["periodic", "semaphore", "fifo", "mailbox", "queue"] {
            for system in SYSTEMS {
                paper.read_figures(name, system)?;
            }
        }
        Ok(paper)
    }

    /// The figures of a system for the experiment that our program calls `name`.
    pub fn figures(&self, name: &str, system: &str) -> Option<Figures> {
        self.read_figures(name, system).ok().flatten()
    }

    fn read_figures(&self, name: &str, system: &str) -> Result<Option<Figures>> {
        let section = match name {
            "periodic" => "periodic_task",
            "mailbox" | "queue" => "mailbox_or_queue",
            "fifo-taktos" | "fifo-linux" => "fifo",
            other => other,
        };
        let value = self
            .table
            .get(section)
            .and_then(|section| section.get(system));
        let figures = value.cloned().map(toml::Value::try_into).transpose();
        figures.with_context(|| format!("[{section}] {system}"))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The shipped file.
    pub fn paper() -> Paper {
        let text = include_str!("../../../../experiments/published/mechanisms.toml");
        Paper::of(text.parse().unwrap()).unwrap()
    }

    #[test]
    fn the_shipped_file_is_read() {
        let paper = paper();
        let semaphore = paper.figures("semaphore", "Xenomai").unwrap();
        assert_eq!(
            (semaphore.best, semaphore.average, semaphore.worst),
            (1027, 1416, 2244)
        );
        assert_eq!(
            paper.figures("queue", "RTAI"),
            paper.figures("mailbox", "RTAI")
        );
        assert_eq!(paper.figures("periodic", "RTAI").unwrap().best, 64);
        assert_eq!(paper.figures("futex", "RTAI"), None);
        assert!(Paper::of("[fifo]\nRTAI = 5\n".parse().unwrap()).is_err());
    }
}
