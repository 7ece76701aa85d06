//! Results of an experiment: on the screen and in its result directory. Equal figures give the same
//! bytes.
//!
//! Owns: the files of a result, and the part of it that a reader sees first. Must never know: the
//! question, or the way it was run.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use taktos_export::report::{Report, Section};
use taktos_export::table::Table;
use taktos_export::{
    Drawn, Evidence, Recording, ResultDirectory, in_order, perfetto, renew_index, to_json,
};
use taktos_runner::failure::Failure;
use taktos_runner::workspace::Workspace;

use crate::experiment::Scale;
use crate::screen;
use crate::screen::Format;

/// The most events of a recorded run's trace that are written: viewers stay quick with it.
pub const MOST_EVENTS: usize = 200_000;

/// Names with their values, in the order in which they are shown.
pub type Named = Vec<(String, String)>;
/// A file: its name and its contents.
pub type File = (String, Vec<u8>);
/// Several.
pub type Files = Vec<File>;

/// An experiment that was run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Its title.
    pub title: String,
    /// Its question.
    pub question: String,
    /// Where it ran, in one line.
    pub place: String,
    /// Versions, digests and options.
    pub setup: Named,
    /// Limits of its figures, in one line.
    pub limits: &'static str,
    /// Each run, and its arguments.
    pub runs: Named,
    /// The answers.
    pub drawn: Vec<Drawn>,
    /// The schedules of its runs.
    pub traces: Vec<Trace>,
    /// More files: the name and the contents.
    pub files: Files,
    /// The figures for programs.
    pub json: String,
}

/// The schedule of the threads, in a run of the experiment.
#[derive(Debug)]
pub struct Trace {
    /// The name of its files, without their ending.
    pub stem: String,
    /// On what it ran.
    pub platform: String,
    /// The events.
    pub recording: Recording,
}

/// How a result came to be, for programs.
#[derive(Serialize)]
struct Manifest<'a> {
    taktos: &'static str,
    title: &'a str,
    question: &'a str,
    #[serde(serialize_with = "in_order")]
    setup: &'a [(String, String)],
    evidence: Vec<Evidence>,
    limits: &'static str,
    #[serde(serialize_with = "in_order")]
    runs: &'a [(String, String)],
}

/// Begins the result directory at that place, or at its usual one.
///
/// # Errors
/// If it cannot be written.
pub fn begin(workspace: &Workspace, name: &str, place: Option<&Path>) -> Result<ResultDirectory> {
    let place = place.map(Path::to_owned);
    let place = place.unwrap_or_else(|| workspace.results().join(name));
    ResultDirectory::begin(&place)
        .map_err(|error| Failure::error(error.to_string(), "name another place: --out DIR"))
}

impl Trace {
    /// The trace for ui.perfetto.dev.
    pub fn pftrace(&self) -> Vec<u8> {
        perfetto::to_bytes(&self.recording, &self.platform)
    }
}

impl Outcome {
    /// Adds the form in which the experiment was run, if it has two: the title, the set-up, each
    /// verdict and each table state it.
    #[must_use]
    pub fn of(mut self, scale: Option<Scale>) -> Self {
        let Some(scale) = scale else { return self };
        self.setup
            .insert(0, ("form".into(), scale.name().to_owned()));
        let Some(note) = scale.note() else {
            return self;
        };
        self.title = format!("{} ({} form)", self.title, scale.name());
        for drawn in &mut self.drawn {
            for verdict in &mut drawn.answer {
                *verdict = format!("In the {} form: {verdict}", scale.name());
            }
            for table in drawn.tables.iter_mut().chain(&mut drawn.details) {
                table.notes.push(note.to_owned());
            }
        }
        self
    }

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
        let shown = match format {
            Format::Table => return Ok(screen::print(&format!("{}\n{place}\n\n", self.shown()))?),
            Format::Json => self.json.clone(),
            Format::Csv => self.csv(),
        };
        screen::print(&shown)?;
        eprintln!("{place}");
        Ok(())
    }

    /// Writes the result, and gives the line that says where it is.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn keep(&self, workspace: &Workspace, directory: ResultDirectory) -> Result<String> {
        self.write(&directory)?;
        let place = directory.finish()?;
        let all = workspace.results();
        if place.parent() == Some(&all) {
            renew_index(&all)?;
        }
        Ok(self.places(&workspace.opened(&place)))
    }

    fn write(&self, directory: &ResultDirectory) -> Result<()> {
        directory.write("manifest.json", to_json(&self.manifest()))?;
        directory.write("result.json", &self.json)?;
        let report = self.report().to_html_beside(&self.data());
        directory.write("report.html", report)?;
        for drawn in &self.drawn {
            drawn.write(directory)?;
        }
        for trace in &self.traces {
            directory.write(&format!("{}.pftrace", trace.stem), trace.pftrace())?;
            let schedule = trace.recording.to_bytes();
            directory.write(&format!("{}.schedule", trace.stem), schedule)?;
        }
        for (name, contents) in &self.files {
            directory.write(name, contents)?;
        }
        Ok(())
    }

    /// Returns the files next to the report, and the contents of each.
    fn data(&self) -> Named {
        let mut all = vec![
            ("manifest.json".to_owned(), "how it came to be".to_owned()),
            ("result.json".into(), "the figures, for programs".into()),
        ];
        for drawn in &self.drawn {
            for table in drawn.tables.iter().chain(&drawn.details) {
                let file = format!("tables/{}.csv", table.file_stem());
                all.push((file, table.title.clone()));
            }
        }
        for trace in &self.traces {
            let words = format!("who ran when, for ui.perfetto.dev: {}", trace.platform);
            all.push((format!("{}.pftrace", trace.stem), words));
        }
        for (name, _) in &self.files {
            all.push((name.clone(), "as it was read or written".into()));
        }
        all
    }

    fn manifest(&self) -> Manifest<'_> {
        Manifest {
            taktos: env!("CARGO_PKG_VERSION"),
            title: &self.title,
            question: &self.question,
            setup: &self.setup,
            evidence: self.evidence(),
            limits: self.limits,
            runs: &self.runs,
        }
    }

    /// The classes of evidence that occur, once each.
    fn evidence(&self) -> Vec<Evidence> {
        let all = self.drawn.iter().flat_map(|drawn| &drawn.evidence);
        let all: BTreeSet<Evidence> = all.copied().collect();
        all.into_iter().collect()
    }

    fn report(&self) -> Report {
        let mut setup = vec![("Taktos".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
        setup.extend(self.setup.iter().cloned());
        if !self.runs.is_empty() {
            setup.push(("runs".into(), self.runs.len().to_string()));
        }
        setup.push(("limits".into(), self.limits.to_owned()));
        let section = |drawn: &Drawn| Section {
            heading: drawn.title.clone(),
            prose: Vec::new(),
            tables: drawn.tables.iter().chain(&drawn.details).cloned().collect(),
            plots: drawn.plots.iter().map(|plot| plot.1.clone()).collect(),
        };
        Report {
            title: self.title.clone(),
            question: self.question.clone(),
            answer: self.answer().cloned().collect(),
            setup,
            evidence: self.evidence(),
            sections: self.drawn.iter().map(section).collect(),
        }
    }

    fn answer(&self) -> impl Iterator<Item = &String> {
        self.drawn.iter().flat_map(|drawn| &drawn.answer)
    }

    /// The tables that answer the question; where no figure is meant for the screen, all of them.
    fn printed(&self) -> impl Iterator<Item = &Table> {
        let any = self.drawn.iter().any(|drawn| drawn.printed);
        let shown = self.drawn.iter().filter(move |one| one.printed || !any);
        shown.flat_map(|drawn| &drawn.tables)
    }

    fn shown(&self) -> String {
        let heads = [&self.title, &self.question, &self.place];
        let heads = heads.into_iter().filter(|words| !words.is_empty());
        let mut out: String = heads.map(|words| format!("{words}\n")).collect();
        for table in self.printed() {
            out.push_str(&format!("\n{}", table.to_text()));
        }
        out.push('\n');
        for sentence in self.answer() {
            out.push_str(&format!("  {sentence}\n"));
        }
        out.push_str(&format!("  Limits: {}.\n", self.limits));
        out
    }

    fn csv(&self) -> String {
        let tables: Vec<String> = self.printed().map(Table::to_csv).collect();
        tables.join("\n")
    }

    fn places(&self, result: &str) -> String {
        let report = format!("report: {result}/report.html");
        match self.traces.as_slice() {
            [] => report,
            [one] => format!(
                "{report}     trace: {result}/{}.pftrace (ui.perfetto.dev)",
                one.stem
            ),
            _ => format!("{report}     traces: {result}/trace/*.pftrace (ui.perfetto.dev)"),
        }
    }
}
