//! The report: one HTML file that opens anywhere, without a network.
//!
//! It holds the question, the set-up, the tables and plots, and the guarantee of each class of
//! evidence. The words come from the experiment; the frame is the template next to this file.

use minijinja::{Environment, Value, context};

use crate::Evidence;
use crate::table::{Cell, Table};

const TEMPLATE: &str = include_str!("report.html");

/// Contents under one heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// Paragraphs that come first.
    pub prose: Vec<String>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The plots, as SVG made by [`crate::plot`].
    pub plots: Vec<String>,
}

/// A report.
#[derive(Clone, Debug)]
pub struct Report {
    /// The title.
    pub title: String,
    /// The question of the experiment.
    pub question: String,
    /// The answer in a few statements, each with its figures.
    pub answer: Vec<String>,
    /// Versions, hashes, options: name and value.
    pub setup: Vec<(String, String)>,
    /// The classes of evidence that occur in it.
    pub evidence: Vec<Evidence>,
    /// The rest.
    pub sections: Vec<Section>,
}

impl Report {
    /// Returns the report as one HTML file: the verdict, which is the first statement of the
    /// answer, the first picture, the rest.
    ///
    /// # Panics
    /// Never: the template is part of this crate, and a test renders it.
    #[must_use]
    pub fn to_html(&self) -> String {
        self.to_html_beside(&[])
    }

    /// Returns the report as one HTML file with links to data: files next to it, each with its
    /// contents.
    ///
    /// # Panics
    /// As [`Self::to_html`].
    #[must_use]
    pub fn to_html_beside(&self, files: &[(String, String)]) -> String {
        let mut answer = self.answer.iter().cloned();
        let verdict = answer.next();
        let lead = self.sections.iter().position(|one| !one.plots.is_empty());
        let picture =
            lead.map(|place| Value::from_safe_string(self.sections[place].plots[0].clone()));
        let of = |(place, one): (usize, &Section)| section(one, usize::from(Some(place) == lead));
        let mut environment = Environment::new();
        environment
            .add_template("report.html", TEMPLATE)
            .expect("the template is well formed");
        let template = environment
            .get_template("report.html")
            .expect("it was just added");
        let html = template.render(context! {
            title => self.title.as_str(),
            question => self.question.as_str(),
            verdict,
            picture,
            answer => answer.collect::<Vec<_>>(),
            files => files.to_vec(),
            setup => self.setup.clone(),
            sections => self.sections.iter().enumerate().map(of).collect::<Vec<_>>(),
            evidence => self.evidence.iter().map(|class| (class.word(), class.meaning())).collect::<Vec<_>>(),
        });
        html.expect("the template uses what it is given")
    }
}

/// A section without its first pictures: they are above.
fn section(section: &Section, above: usize) -> Value {
    context! {
        heading => section.heading.as_str(),
        prose => section.prose.clone(),
        tables => section.tables.iter().map(table).collect::<Vec<_>>(),
        plots => section.plots.iter().skip(above).map(|svg| Value::from_safe_string(svg.clone())).collect::<Vec<_>>(),
    }
}

fn table(table: &Table) -> Value {
    // Each call reads all rows.
    let numeric: Vec<bool> = (0..table.columns.len())
        .map(|column| table.is_numeric(column))
        .collect();
    let class =
        |column: usize, cell: &Cell| classes(numeric[column], is_theirs(table, column), cell);
    let headings: Vec<Value> = table
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            context! {
                name => column.name.as_str(),
                basis => column.basis.words(),
                class => class(index, &Cell::Blank),
            }
        })
        .collect();
    let field =
        |(index, cell)| context! { shown => Cell::shown(cell), class => class(index, cell) };
    let rows: Vec<Vec<Value>> = table
        .rows
        .iter()
        .map(|row| row.iter().enumerate().map(field).collect())
        .collect();
    context! { title => table.title.as_str(), headings, rows, notes => table.notes.clone() }
}

/// The classes of a cell, by which the template's style knows it.
fn classes(numeric: bool, theirs: bool, cell: &Cell) -> String {
    let mut classes = Vec::new();
    if numeric {
        classes.push("number");
    }
    if theirs {
        classes.push("theirs");
    }
    match cell {
        Cell::Verdict { met: true, .. } => classes.push("met"),
        Cell::Verdict { met: false, .. } => classes.push("missed"),
        Cell::Blank | Cell::Text(_) | Cell::Count(_) => {}
    }
    classes.join(" ")
}

fn is_theirs(table: &Table, column: usize) -> bool {
    matches!(table.columns[column].basis, crate::Basis::Theirs(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basis;
    use crate::table::Column;

    fn example() -> Report {
        let mut table = Table::new(
            "Send <to> receive",
            vec![
                Column::label("threads"),
                Column::figures("ours", Basis::Ours(Evidence::Modelled)),
                Column::label("goal"),
            ],
        );
        let verdict = Cell::Verdict {
            met: true,
            words: "met".into(),
        };
        table.push(vec![10_u64.into(), 1080_u64.into(), verdict]);
        Report {
            title: "IPC & time".into(),
            question: "Is it fixed?".into(),
            answer: vec!["Yes.".into()],
            setup: vec![("board".into(), "mps2-an386".into())],
            evidence: vec![Evidence::Modelled],
            sections: vec![Section {
                heading: "Figures".into(),
                prose: vec!["As asked.".into()],
                tables: vec![table],
                plots: vec!["<svg></svg>".into()],
            }],
        }
    }

    #[test]
    fn it_holds_everything_it_was_given() {
        let html = example().to_html();
        for part in [
            "<title>IPC &amp; time</title>",
            "Is it fixed?",
            "Send &lt;to&gt; receive",
            "1,080",
            "<svg></svg>",
            "mps2-an386",
            "Cycles from the processor",
        ] {
            assert!(html.contains(part), "{part} is missing from\n{html}");
        }
        assert!(html.contains("class=\"met\""), "{html}");
    }

    #[test]
    fn it_needs_no_network() {
        let html = example().to_html();
        for word in ["http:", "https:", "<script", "<link", "@import", "url("] {
            assert!(!html.contains(word), "{word}");
        }
    }
}
