//! What the experiment leaves: on the screen and in its result directory. The same figures
//! give the same bytes.
//!
//! Owns: the files of the result. Must never know: how cases are run.

use anyhow::Result;
use serde::Serialize;
use taktos_export::report::{Report, Section};
use taktos_export::table::Table;
use taktos_export::{Evidence, ResultDirectory, in_order, to_json};

use crate::arguments::Format;
use crate::figure::Drawn;
use crate::screen;
use crate::workspace::Workspace;

/// What these figures cannot say, in one sentence.
const LIMITS: &str = "one instruction takes one nanosecond; no caches, no bus contention, sequentially consistent memory, so \
     what neighbours do to each other's caches is not in a figure; on four processors an interrupt to a running processor \
     is off by up to one quantum";

/// An experiment that was run.
#[derive(Debug)]
pub struct Outcome {
    /// What it is called.
    pub title: String,
    /// What it asked.
    pub question: String,
    /// Versions, digests and options: name and value.
    pub setup: Vec<(String, String)>,
    /// The answers.
    pub drawn: Vec<Drawn>,
    /// More files: the name and the contents.
    pub files: Vec<(String, String)>,
    /// The names of all runs, with the key of each.
    pub runs: Vec<(String, String)>,
    /// The figures for programs.
    pub json: String,
}

#[derive(Serialize)]
struct Manifest<'a> {
    taktos: &'static str,
    title: &'a str,
    question: &'a str,
    #[serde(serialize_with = "in_order")]
    setup: &'a [(String, String)],
    evidence: Evidence,
    limits: &'static str,
    #[serde(serialize_with = "in_order")]
    runs: &'a [(String, String)],
}

impl Outcome {
    /// Writes the result, shows the answer, and says where the rest is.
    ///
    /// # Errors
    /// When the directory or the screen cannot be written.
    pub fn finish(
        &self,
        workspace: &Workspace,
        directory: ResultDirectory,
        format: Format,
    ) -> Result<()> {
        self.write(&directory)?;
        let place = workspace.shown(&directory.finish()?);
        let place = format!("report: {place}/report.html");
        match format {
            Format::Table => screen::print(&format!("{}\n{place}\n\n", self.shown()))?,
            Format::Json => {
                screen::print(&self.json)?;
                eprintln!("{place}");
            }
            Format::Csv => {
                let tables: Vec<String> = self.printed().map(Table::to_csv).collect();
                screen::print(&tables.join("\n"))?;
                eprintln!("{place}");
            }
        }
        Ok(())
    }

    fn write(&self, directory: &ResultDirectory) -> Result<()> {
        directory.write("manifest.json", to_json(&self.manifest()))?;
        directory.write("result.json", &self.json)?;
        directory.write("report.html", self.report().to_html())?;
        for drawn in &self.drawn {
            drawn.write(directory)?;
        }
        for (name, contents) in &self.files {
            directory.write(name, contents)?;
        }
        Ok(())
    }

    fn manifest(&self) -> Manifest<'_> {
        Manifest {
            taktos: env!("CARGO_PKG_VERSION"),
            title: &self.title,
            question: &self.question,
            setup: &self.setup,
            evidence: Evidence::Emulated,
            limits: LIMITS,
            runs: &self.runs,
        }
    }

    fn report(&self) -> Report {
        let mut setup = vec![("Taktos".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
        setup.extend(self.setup.iter().cloned());
        setup.push(("runs".into(), self.runs.len().to_string()));
        setup.push(("limits".into(), LIMITS.into()));
        let section = |drawn: &Drawn| Section {
            heading: drawn.title.clone(),
            prose: drawn.answer.clone(),
            tables: drawn.tables.iter().chain(&drawn.details).cloned().collect(),
            plots: drawn.plots.iter().map(|plot| plot.1.clone()).collect(),
        };
        Report {
            title: self.title.clone(),
            question: self.question.clone(),
            answer: self.answer().map(str::to_owned).collect(),
            setup,
            evidence: vec![Evidence::Emulated],
            sections: self.drawn.iter().map(section).collect(),
        }
    }

    fn answer(&self) -> impl Iterator<Item = &str> {
        self.drawn
            .iter()
            .flat_map(|drawn| drawn.answer.iter().map(String::as_str))
    }

    /// The tables that are meant for the screen.
    fn printed(&self) -> impl Iterator<Item = &Table> {
        let shown = self.drawn.iter().filter(|drawn| drawn.printed);
        shown.flat_map(|drawn| &drawn.tables)
    }

    fn shown(&self) -> String {
        let mut out = format!("{}\n{}\n\n", self.title, self.question);
        for table in self.printed() {
            out.push_str(&table.to_text());
            out.push('\n');
        }
        for sentence in self.answer() {
            out.push_str(&format!("  {sentence}\n"));
        }
        out.push_str(&format!("  Limits: {LIMITS}.\n"));
        out
    }
}
