//! Tables: the first thing that every run shows.
//!
//! One model, written as text for a terminal and as CSV for programs. Each
//! column says what its figures rest on.

mod csv;
mod text;

use crate::Basis;

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing: there was no measurement.
    Blank,
    /// Words.
    Text(String),
    /// A count, shown to people with separated thousands.
    Count(u64),
    /// Whether a goal is met, and the words that say so.
    Verdict {
        /// Whether it is met.
        met: bool,
        /// Shown words.
        words: String,
    },
}

impl Cell {
    /// Returns a cell that states in one word whether a goal is met.
    #[must_use]
    pub fn yes_or_no(met: bool) -> Self {
        let words = if met { "yes" } else { "no" }.into();
        Self::Verdict { met, words }
    }

    /// The cell for people.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Blank => "–".into(),
            Self::Text(words) | Self::Verdict { words, .. } => words.clone(),
            Self::Count(count) => thousands(*count),
        }
    }
}

impl From<&str> for Cell {
    fn from(words: &str) -> Self {
        Self::Text(words.into())
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Self {
        Self::Text(words)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::Blank, Into::into)
    }
}

/// A column's heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name of its contents, with the unit.
    pub name: String,
    /// Evidence of its figures.
    pub basis: Basis,
}

impl Column {
    /// A column of labels.
    #[must_use]
    pub fn label(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            basis: Basis::Label,
        }
    }

    /// A column of figures.
    #[must_use]
    pub fn figures(name: impl Into<String>, basis: Basis) -> Self {
        Self {
            name: name.into(),
            basis,
        }
    }
}

/// A table with a title, headings, rows as wide as the headings, and notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Title of the table; also distinguishes its file, see [`Table::file_stem`].
    pub title: String,
    /// The headings.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// Facts that a reader must know to read it rightly, one a line.
    pub notes: Vec<String>,
}

/// A table on its way, one column after the other.
#[derive(Debug)]
pub struct Filling<'s, S> {
    subjects: &'s [S],
    table: Table,
}

impl<'s, S> Filling<'s, S> {
    /// Adds a column, with what it holds of each row's subject.
    #[must_use]
    pub fn column<C: Into<Cell>>(mut self, column: Column, cell: impl Fn(&'s S) -> C) -> Self {
        self.table.columns.push(column);
        for (row, subject) in self.table.rows.iter_mut().zip(self.subjects) {
            row.push(cell(subject).into());
        }
        self
    }

    /// Adds a column of labels.
    #[must_use]
    pub fn label<C: Into<Cell>>(self, name: &str, cell: impl Fn(&'s S) -> C) -> Self {
        self.column(Column::label(name), cell)
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.table.notes.push(note.into());
        self
    }

    /// The table.
    #[must_use]
    pub fn done(self) -> Table {
        self.table
    }
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(title: impl Into<String>, columns: Vec<Column>) -> Self {
        Self {
            title: title.into(),
            columns,
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A table with a row for each of `subjects`, without columns so far.
    #[must_use]
    pub fn over<S>(title: impl Into<String>, subjects: &[S]) -> Filling<'_, S> {
        let mut table = Self::new(title, Vec::new());
        table.rows = vec![Vec::new(); subjects.len()];
        Filling { subjects, table }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When the row is not as wide as the headings.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(
            row.len(),
            self.columns.len(),
            "a row of the table \"{}\"",
            self.title
        );
        self.rows.push(row);
    }

    /// The title as the stem of a file's name: letters, digits and dashes.
    #[must_use]
    pub fn file_stem(&self) -> String {
        let words: Vec<String> = self
            .title
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        words.join("-")
    }

    /// Returns whether a column holds figures, which are at its right edge.
    pub(crate) fn is_numeric(&self, column: usize) -> bool {
        self.columns[column].basis != Basis::Label
            || self
                .rows
                .iter()
                .any(|row| matches!(row[column], Cell::Count(_)))
    }
}

/// A count with commas between groups of three digits.
#[must_use]
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evidence;

    fn example() -> Table {
        let mut table = Table::new(
            "Send to receive, by threads",
            vec![
                Column::label("threads"),
                Column::figures("ours, cycles", Basis::Ours(Evidence::Modelled)),
                Column::figures("paper", Basis::Theirs("hardware".into())),
            ],
        );
        table.push(vec![0_u64.into(), 80_u64.into(), 394_u64.into()]);
        table.push(vec![1000_u64.into(), 1_234_567_u64.into(), Cell::Blank]);
        table.notes.push("Minimum of 100,000.".into());
        table
    }

    #[test]
    fn thousands_are_separated() {
        for (count, shown) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (533_961, "533,961"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(thousands(count), shown);
        }
    }

    #[test]
    fn text_aligns_figures_and_names_their_basis() {
        let expected = "\
Send to receive, by threads

  threads   ours, cycles      paper
                modelled   hardware
 ───────────────────────────────────
        0             80        394
    1,000      1,234,567          –

  Minimum of 100,000.
";
        assert_eq!(example().to_text(), expected);
    }

    #[test]
    fn csv_is_for_programs() {
        assert_eq!(
            example().to_csv(),
            "threads,\"ours, cycles (modelled)\",paper (hardware)\n0,80,394\n1000,1234567,\n"
        );
    }

    #[test]
    fn a_title_names_a_file() {
        assert_eq!(example().file_stem(), "send-to-receive-by-threads");
    }

    #[test]
    #[should_panic(expected = "a row of the table")]
    fn a_short_row_is_refused() {
        example().push(vec![Cell::Blank]);
    }
}
