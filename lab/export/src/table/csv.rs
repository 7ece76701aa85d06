//! A table as CSV: one heading line, plain numbers, empty if there was no measurement.

use super::{Cell, Table};

impl Table {
    /// The table as CSV; a heading carries its basis in brackets.
    ///
    /// # Panics
    /// Never: the rows are as wide as the headings, and memory is written to.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        let headings = self
            .columns
            .iter()
            .map(|column| match column.basis.words() {
                "" => column.name.clone(),
                words => format!("{} ({words})", column.name),
            });
        writer.write_record(headings).expect("memory is written to");
        for row in &self.rows {
            writer
                .write_record(row.iter().map(plain))
                .expect("rows are as wide as the headings");
        }
        let bytes = writer.into_inner().expect("memory is written to");
        String::from_utf8(bytes).expect("cells are text")
    }
}

fn plain(cell: &Cell) -> String {
    match cell {
        Cell::Blank => String::new(),
        Cell::Count(count) => count.to_string(),
        Cell::Text(words) | Cell::Verdict { words, .. } => words.clone(),
    }
}
