//! What an experiment on several processors leaves: on the screen and in its
//! result directory. The same figures give the same bytes.

use std::collections::BTreeSet;

use anyhow::Result;
use serde::Serialize;
use taktos_export::report::{Report, Section};
use taktos_export::table::Table;
use taktos_export::{Evidence, Recording, ResultDirectory, perfetto, to_json};

use super::{Board, Call, LIMITS};
use crate::arguments::Format;
use crate::figure::Drawn;
use crate::screen;
use crate::workspace::Workspace;

/// The most events of a trace that is written: viewers stay quick with it.
const MOST_EVENTS: usize = 200_000;

/// An experiment that was run.
#[derive(Debug)]
pub struct Outcome {
    /// What it is called.
    pub title: String,
    /// What it asked.
    pub question: String,
    /// Where it ran.
    pub board: Board,
    /// What it ran in.
    pub emulator: String,
    /// The board's program.
    pub program: String,
    /// The image's digest.
    pub image: String,
    /// What the image was told in each run, and the quantum of each.
    pub calls: Vec<Call>,
    /// The answers.
    pub drawn: Vec<Drawn>,
    /// Who ran when: the stem of the file's name, and the recording.
    pub traces: Vec<(String, Recording)>,
    /// More files: the name and the contents.
    pub files: Vec<(String, String)>,
    /// The figures for programs.
    pub json: String,
}

#[derive(Serialize)]
struct Manifest<'a> {
    taktos: &'static str,
    emulator: &'a str,
    title: &'a str,
    question: &'a str,
    board: &'a str,
    processor: &'static str,
    processors: usize,
    program: &'a str,
    image: &'a str,
    evidence: BTreeSet<Evidence>,
    limits: &'static str,
    runs: Vec<Called<'a>>,
}

#[derive(Serialize)]
struct Called<'a> {
    argument: &'a str,
    quantum_ns: u32,
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
        let place = self.keep(workspace, directory)?;
        match format {
            Format::Table => screen::print(&format!("{}\n{place}\n\n", self.shown()))?,
            Format::Json => {
                screen::print(&self.json)?;
                eprintln!("{place}");
            }
            Format::Csv => {
                screen::print(&self.csv())?;
                eprintln!("{place}");
            }
        }
        Ok(())
    }

    /// Writes the result, and gives the line that says where it is.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn keep(&self, workspace: &Workspace, directory: ResultDirectory) -> Result<String> {
        self.write(&directory)?;
        Ok(self.places(&workspace.shown(&directory.finish()?)))
    }

    fn write(&self, directory: &ResultDirectory) -> Result<()> {
        directory.write("manifest.json", to_json(&self.manifest()))?;
        directory.write("result.json", &self.json)?;
        directory.write("report.html", self.report().to_html())?;
        for drawn in &self.drawn {
            drawn.write(directory)?;
        }
        for (stem, recording) in &self.traces {
            let trace = recording.first(MOST_EVENTS);
            directory.write(
                &format!("trace/{stem}.pftrace"),
                perfetto::to_bytes(&trace, self.board.name),
            )?;
            directory.write(&format!("trace/{stem}.schedule"), trace.to_bytes())?;
        }
        for (name, contents) in &self.files {
            directory.write(name, contents)?;
        }
        Ok(())
    }

    fn manifest<'a>(&'a self) -> Manifest<'a> {
        let called = |call: &'a Call| Called {
            argument: &call.argument,
            quantum_ns: call.quantum,
        };
        Manifest {
            taktos: env!("CARGO_PKG_VERSION"),
            emulator: &self.emulator,
            title: &self.title,
            question: &self.question,
            board: self.board.name,
            processor: self.board.cpu_name,
            processors: Board::PROCESSORS,
            program: &self.program,
            image: &self.image,
            evidence: self.evidence(),
            limits: LIMITS,
            runs: self.calls.iter().map(called).collect(),
        }
    }

    fn evidence(&self) -> BTreeSet<Evidence> {
        self.drawn
            .iter()
            .flat_map(|drawn| drawn.evidence.iter().copied())
            .collect()
    }

    fn report(&self) -> Report {
        let board = format!(
            "{} ({} × {})",
            self.board.name,
            Board::PROCESSORS,
            self.board.cpu_name
        );
        let setup = [
            ("Taktos", env!("CARGO_PKG_VERSION").to_owned()),
            ("board", board),
            ("program", self.program.clone()),
            ("image", self.image.clone()),
            ("emulator", self.emulator.clone()),
            ("runs", self.calls.len().to_string()),
            ("limits", LIMITS.to_owned()),
        ];
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
            setup: setup.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            evidence: self.evidence().into_iter().collect(),
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
        self.drawn
            .iter()
            .filter(|drawn| drawn.printed)
            .flat_map(|drawn| &drawn.tables)
    }

    fn shown(&self) -> String {
        let (board, emulator) = (self.board, &self.emulator);
        let mut out = format!(
            "{}\n{}\n{} ({} × {}), {emulator}\n\n",
            self.title,
            self.question,
            board.name,
            Board::PROCESSORS,
            board.cpu_name
        );
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

    fn csv(&self) -> String {
        self.printed()
            .map(Table::to_csv)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn places(&self, result: &str) -> String {
        let report = format!("report: {result}/report.html");
        match self.traces.is_empty() {
            true => report,
            false => format!("{report}     traces: {result}/trace/*.pftrace (ui.perfetto.dev)"),
        }
    }
}
