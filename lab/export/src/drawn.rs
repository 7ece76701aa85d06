//! A figure that is drawn: statements, tables and plots, as reports and result directories take
//! them. Must never know: the source of the figure.

use crate::table::Table;
use crate::{Evidence, ResultDirectory, WriteError};

/// A figure that is ready to be shown.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// Heading in the report.
    pub title: String,
    /// Its statement in one or two lines, with the figures.
    pub answer: Vec<String>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Tables that are only in the report.
    pub details: Vec<Table>,
    /// Its plots, each with a stem for its file's name.
    pub plots: Vec<(String, String)>,
    /// Evidence of its own figures.
    pub evidence: Vec<Evidence>,
    /// Whether its tables are part of what is printed, or only of the report.
    pub printed: bool,
}

impl Drawn {
    /// Writes its tables and plots, those of the report alone among them.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn write(&self, directory: &ResultDirectory) -> Result<(), WriteError> {
        for table in self.tables.iter().chain(&self.details) {
            directory.write(&format!("tables/{}.csv", table.file_stem()), table.to_csv())?;
        }
        for (stem, svg) in &self.plots {
            directory.write(&format!("plots/{stem}.svg"), svg)?;
        }
        Ok(())
    }
}
