//! A table as text for a terminal.

use comfy_table::{CellAlignment, ContentLineStyle, LineStyle, TableStyle};

use super::Table;

const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .content_lines(ContentLineStyle::none().junction(' '));

impl Table {
    /// The table for people, with its title above and its notes below. The
    /// width depends on the contents alone.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = format!("{}\n\n", self.title);
        for line in self.grid().lines() {
            out.push_str(&format!(" {}\n", line.trim_end()));
        }
        if !self.notes.is_empty() {
            out.push('\n');
        }
        for note in &self.notes {
            out.push_str(&format!("  {note}\n"));
        }
        out
    }

    fn grid(&self) -> comfy_table::Table {
        let mut grid = comfy_table::Table::new();
        grid.load_style(STYLE);
        grid.set_header(
            self.columns
                .iter()
                .map(|column| match column.basis.words() {
                    "" => column.name.clone(),
                    words => format!("{}\n{words}", column.name),
                }),
        );
        for row in &self.rows {
            grid.add_row(row.iter().map(super::Cell::shown));
        }
        for index in (0..self.columns.len()).filter(|index| self.is_numeric(*index)) {
            if let Some(column) = grid.column_mut(index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        grid
    }
}
