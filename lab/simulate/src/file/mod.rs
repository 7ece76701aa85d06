//! Owns: task sets as files: the project's own form in TOML, read and written; and the recognition
//! of a file's form.
//! Must never know: the scheduler of the task sets.

mod body;
mod costs;
mod error;
mod partition;
pub mod reader;
pub mod suggest;
mod task;
pub mod text;
mod write;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

use std::path::Path;

use taktos_schedule::CpuSet;
use taktos_time::Duration;
use toml::de::DeTable;

pub use costs::parse as parse_costs;
pub use error::{FileError, Source};
pub use partition::{VCPU_POLICIES, VcpuPolicyKind};
use reader::{Entry, Table};
pub use write::write;

use crate::{Costs, Policy, Workload};

/// A workload, and what its file says about how to run it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSet {
    /// Name of the task set.
    pub title: String,
    /// Question of the task set.
    pub question: String,
    /// Workload that runs.
    pub workload: Workload,
    /// How many processors, 1 to 64.
    pub cpus: Option<usize>,
    /// The scheduler instances that the file names.
    pub clusters: Vec<ClusterSpec>,
    /// The policy of all clusters that name none.
    pub scheduler: Option<Policy>,
    /// How much virtual time passes.
    pub horizon: Option<Duration>,
    /// Seed of random draws.
    pub seed: Option<u64>,
    /// The time slice.
    pub slice: Option<Duration>,
    /// Costs of the kernel's operations; with partitions, those of each guest's kernel.
    pub costs: Option<Costs>,
    /// Costs of the hypervisor's operations.
    pub host_costs: Option<Costs>,
    /// How close ahead the hypervisor can set a timer.
    pub timer_slop: Option<Duration>,
    /// Parts of the file that were not understood and are left out, one message each.
    pub warnings: Vec<String>,
}

/// A scheduler instance as a file or the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterSpec {
    /// Name that tasks use for the cluster.
    pub name: String,
    /// Its processors.
    pub cpus: CpuSet,
    /// Its policy. None: that of the run.
    pub policy: Option<Policy>,
}

/// The forms of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The project's own, in TOML.
    Taktos,
    /// A task set of rt-app, in JSON.
    RtApp,
    /// A configuration of SimSo, in XML.
    SimSo,
}

impl Form {
    /// By the file's ending; with another ending, by its first letter.
    #[must_use]
    pub fn of(file: &str, text: &str) -> Self {
        let ending = Path::new(file)
            .extension()
            .and_then(|ending| ending.to_str());
        match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("toml") => return Self::Taktos,
            Some("json") => return Self::RtApp,
            Some("xml") => return Self::SimSo,
            _ => {}
        }
        match text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .bytes()
            .next()
        {
            Some(b'{') => Self::RtApp,
            Some(b'<') => Self::SimSo,
            _ => Self::Taktos,
        }
    }
}

/// Reads the task set of a file in any of the forms.
///
/// # Errors
/// [`FileError`] when it cannot be read, or what is wrong in it.
pub fn read(path: &Path) -> Result<TaskSet, FileError> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|cause| FileError {
        file: file.clone(),
        line: None,
        cause: format!("cannot be read: {cause}"),
        hint: "name a task-set file, such as experiments/onboard.toml".into(),
    })?;
    parse(&text, &file)
}

/// Reads the task set from the text of a file.
///
/// # Errors
/// [`FileError`] with what is wrong in it.
pub fn parse(text: &str, file: &str) -> Result<TaskSet, FileError> {
    let source = Source { file, text };
    let set = match Form::of(file, text) {
        Form::Taktos => parse_toml(source),
        Form::RtApp => crate::import::rtapp::parse(source),
        Form::SimSo => crate::import::simso::parse(source),
    }?;
    if set.workload.tasks.is_empty() && set.workload.partitions.is_empty() {
        return Err(source.error_in_line(
            None,
            "has no task",
            "add a task: [[task]] with name, period and execution",
        ));
    }
    Ok(set)
}

/// The document as a table.
///
/// # Errors
/// [`FileError`] where it is no TOML.
pub fn document<'t>(source: Source<'t>) -> Result<toml::Spanned<DeTable<'t>>, FileError> {
    DeTable::parse(source.text).map_err(|error| {
        let begin = error.span().map_or(0, |span| span.start);
        let cause = error.message().lines().next().unwrap_or("it is no TOML");
        source.error(
            begin,
            format!("no TOML: {cause}"),
            "fix that line; experiments/onboard.toml shows the form",
        )
    })
}

fn parse_toml(source: Source<'_>) -> Result<TaskSet, FileError> {
    let document = document(source)?;
    let mut table = Table::new(source, "the task set", document.get_ref(), 0);
    let text = |entry: Entry<'_>| entry.text().map(str::to_owned);
    let title = table
        .get("title")
        .map(text)
        .transpose()?
        .unwrap_or_default();
    let question = table.get("question").map(text).transpose()?;
    let cpus = table
        .get("cpus")
        .map(|cpus| cpus.whole(1..=64))
        .transpose()?;
    let seed = table.get("seed").map(|seed| seed.whole(0..=u64::MAX));
    let mut set = TaskSet {
        title: title.clone(),
        question: question.unwrap_or_default(),
        cpus: cpus.map(|cpus| cpus as usize),
        scheduler: table
            .get("scheduler")
            .map(|entry| policy(&entry))
            .transpose()?,
        horizon: positive(&mut table, "for")?,
        seed: seed.transpose()?,
        slice: positive(&mut table, "slice")?,
        clusters: clusters(&mut table)?,
        ..TaskSet::default()
    };
    set.timer_slop = table.time("timer-slop")?;
    if let Some(costs) = table.get("costs") {
        set.costs = Some(costs::of(costs.table()?)?);
    }
    if let Some(costs) = table.get("host-costs") {
        set.host_costs = Some(costs::of(costs.table()?)?);
    }
    set.workload = workload(&mut table, title)?;
    table.finish()?;
    task::check_clusters(source, &set)?;
    Ok(set)
}

fn workload(table: &mut Table<'_>, name: String) -> Result<Workload, FileError> {
    let names = body::Names::of(table)?;
    let tasks = task::tasks(table, &names)?;
    let (pools, partitions) = partition::read(table)?;
    Ok(Workload {
        name,
        tasks,
        locks: names.locks,
        servers: names.servers,
        pools,
        partitions,
    })
}

fn clusters(table: &mut Table<'_>) -> Result<Vec<ClusterSpec>, FileError> {
    let mut clusters: Vec<ClusterSpec> = Vec::new();
    for mut table in table.tables("cluster")? {
        let name = named(&mut table, "cluster", "\"fast\"")?;
        let cpus = table.need("cpus", "\"0-1\"")?;
        let cluster = ClusterSpec {
            name,
            cpus: cpus.cpus()?,
            policy: table
                .get("scheduler")
                .map(|entry| policy(&entry))
                .transpose()?,
        };
        for other in &clusters {
            let own = [&*other.name].into_iter();
            table.distinct("cluster", &cluster.name, own)?;
            if !other.cpus.and(cluster.cpus).is_empty() {
                return Err(cpus.error(
                    format!("has processors of the cluster {}", other.name),
                    "give each processor to one cluster",
                ));
            }
        }
        table.finish()?;
        clusters.push(cluster);
    }
    Ok(clusters)
}

/// The name of a table, by which errors call it from then on. Only tasks, which no step names, may
/// have blanks in it.
///
/// # Errors
/// [`FileError`] when there is none, or it cannot be one.
pub fn named(table: &mut Table<'_>, kind: &str, example: &str) -> Result<String, FileError> {
    let entry = table.need("name", example)?;
    let name = entry.text()?;
    let blanks = name.contains(char::is_whitespace) && kind != "task";
    if name.is_empty() || name != name.trim() || blanks || name.contains(char::is_control) {
        return Err(entry.error("is no name", "give a name without blanks"));
    }
    table.what = format!("{kind} {name}");
    Ok(name.to_owned())
}

/// A time of at least one nanosecond, if there is one.
///
/// # Errors
/// [`FileError`] when it is none, or zero.
pub fn positive(table: &mut Table<'_>, key: &str) -> Result<Option<Duration>, FileError> {
    let time = table.time(key)?;
    if time == Some(Duration::ZERO) {
        let cause = format!("{}: {key} is zero", table.what);
        return Err(table.error(cause, "give at least 1 ns"));
    }
    Ok(time)
}

/// A policy by its name.
fn policy(entry: &Entry<'_>) -> Result<Policy, FileError> {
    entry.choice(&Policy::ALL.map(|policy| (policy.name(), policy)))
}
