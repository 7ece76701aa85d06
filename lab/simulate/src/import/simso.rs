//! Owns: configurations of SimSo: processors and tasks as XML.
//! Must never know: how SimSo runs them.
//!
//! Times of tasks are in milliseconds; the duration and the overheads are in
//! cycles, of which `cycles_per_ms` says how many are a millisecond.

use roxmltree::{Document, Node};
use taktos_time::{Duration, Instant};

use super::name_of;
use crate::file::{FileError, Source, TaskSet, suggest, text};
use crate::{Arrival, Cost, Costs, Late, Policy, Task};

/// Attributes of a task that describe its use of caches and instructions, or
/// the tool's own numbering.
const IGNORED: [&str; 8] = [
    "id",
    "base_cpi",
    "instructions",
    "mix",
    "sdp",
    "ACET",
    "et_stddev",
    "data",
];

const MILLISECOND: u64 = 1_000_000;

/// Reads a SimSo file.
pub(crate) fn parse(source: Source<'_>) -> Result<TaskSet, FileError> {
    let document = Document::parse(source.text).map_err(|error| {
        let line = error.pos().row as usize;
        source.error_in_line(
            Some(line.max(1)),
            format!("no XML: {error}"),
            "mend that line",
        )
    })?;
    let root = document.root_element();
    let reader = Reader { source };
    if root.tag_name().name() != "simulation" {
        let cause = format!(
            "begins with <{}>, not with <simulation>",
            root.tag_name().name()
        );
        return Err(reader.error(root, cause, "name a configuration of SimSo"));
    }
    reader.simulation(root)
}

struct Reader<'a> {
    source: Source<'a>,
}

impl Reader<'_> {
    fn error(
        &self,
        node: Node<'_, '_>,
        cause: impl AsRef<str>,
        mend: impl AsRef<str>,
    ) -> FileError {
        self.source.error(node.range().start, cause, mend)
    }

    fn simulation(&self, root: Node<'_, '_>) -> Result<TaskSet, FileError> {
        let mut set = TaskSet {
            title: name_of(
                std::path::Path::new(self.source.file)
                    .file_stem()
                    .and_then(|stem| stem.to_str())
                    .unwrap_or("simso"),
            ),
            ..TaskSet::default()
        };
        set.workload.name.clone_from(&set.title);
        let cycles = match root.attribute("cycles_per_ms") {
            Some(text) => self.count(root, "cycles_per_ms", text)?.max(1),
            None => MILLISECOND,
        };
        if let Some(duration) = root.attribute("duration") {
            let duration = self.cycles(root, "duration", duration, cycles)?;
            set.horizon = Some(duration).filter(|duration| *duration > Duration::ZERO);
        }
        match root.attribute("etm") {
            None | Some("wcet") => {}
            Some(other) => set.warnings.push(format!(
                "the execution-time model `{other}` is not known: every job runs for its WCET"
            )),
        }
        let mut costs = Costs::default();
        for section in root.children().filter(Node::is_element) {
            match section.tag_name().name() {
                "sched" => self.scheduler(section, cycles, &mut set, &mut costs)?,
                "processors" => self.processors(section, cycles, &mut set, &mut costs)?,
                "tasks" => self.tasks(section, &mut set)?,
                "caches" if section.children().all(|child| !child.is_element()) => {}
                other => set.warnings.push(format!("<{other}> is left out")),
            }
        }
        set.costs = Some(costs).filter(|costs| *costs != Costs::FREE);
        Ok(set)
    }

    fn scheduler(
        &self,
        node: Node<'_, '_>,
        cycles: u64,
        set: &mut TaskSet,
        costs: &mut Costs,
    ) -> Result<(), FileError> {
        let class = node.attribute("class").or(node.attribute("className"));
        let class = class.unwrap_or_default();
        set.scheduler = match class.rsplit('.').next().unwrap_or_default() {
            "EDF" | "EDF2" | "EDF_mono" => Some(Policy::Edf),
            "RM" | "RM_mono" | "FP" | "DM" => Some(Policy::Priority),
            "" => None,
            other => {
                set.warnings.push(format!(
                    "the scheduler `{other}` is not known: name one with --scheduler"
                ));
                None
            }
        };
        for attribute in ["overhead", "overhead_activate", "overhead_terminate"] {
            let Some(text) = node.attribute(attribute) else {
                continue;
            };
            let time = self.cycles(node, attribute, text, cycles)?;
            if time == Duration::ZERO {
                continue;
            }
            match attribute {
                "overhead" => costs.schedule = Cost::Constant(time),
                "overhead_activate" => costs.release = Cost::Constant(time),
                _ => set
                    .warnings
                    .push(format!("`{attribute}` of <sched> is left out")),
            }
        }
        Ok(())
    }

    fn processors(
        &self,
        node: Node<'_, '_>,
        cycles: u64,
        set: &mut TaskSet,
        costs: &mut Costs,
    ) -> Result<(), FileError> {
        let mut count = 0_usize;
        let mut switch = Duration::ZERO;
        for processor in node.children().filter(Node::is_element) {
            count += 1;
            let speed = processor.attribute("speed").unwrap_or("1");
            if speed.parse() != Ok(1.0_f64) {
                return Err(self.error(
                    processor,
                    format!("a processor has the speed {speed}"),
                    "give all processors the speed 1.0: others are not supported",
                ));
            }
            let mut own = Duration::ZERO;
            for attribute in ["cs_overhead", "cl_overhead"] {
                if let Some(text) = processor.attribute(attribute) {
                    own = own.saturating_add(self.cycles(processor, attribute, text, cycles)?);
                }
            }
            if count > 1 && own != switch {
                return Err(self.error(
                    processor,
                    "processors have different overheads",
                    "give all processors the same cs_overhead and cl_overhead",
                ));
            }
            switch = own;
        }
        if !(1..=64).contains(&count) {
            return Err(self.error(
                node,
                format!("there are {count} processors"),
                "give 1 to 64 processors",
            ));
        }
        set.cpus = Some(count);
        if switch > Duration::ZERO {
            costs.switch = Cost::Constant(switch);
        }
        Ok(())
    }

    fn tasks(&self, node: Node<'_, '_>, set: &mut TaskSet) -> Result<(), FileError> {
        for task in node.children().filter(Node::is_element) {
            if task.tag_name().name() != "task" {
                set.warnings
                    .push(format!("<{}> is left out", task.tag_name().name()));
                continue;
            }
            for task in self.task(task, &mut set.warnings)? {
                if set
                    .workload
                    .tasks
                    .iter()
                    .any(|other| other.name == task.1.name)
                {
                    return Err(self.error(
                        task.0,
                        format!("two tasks are called {}", task.1.name),
                        "give each its own name",
                    ));
                }
                set.workload.tasks.push(task.1);
            }
        }
        Ok(())
    }

    /// A task, or one for each activation of a task without a period.
    fn task<'n>(
        &self,
        node: Node<'n, 'n>,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<(Node<'n, 'n>, Task)>, FileError> {
        let words = node.attribute("name").unwrap_or_default();
        let name = words.trim().to_owned();
        if name.is_empty() {
            return Err(self.error(node, "a task has no name", "give it a name"));
        }
        self.check_attributes(node, &name, warnings)?;
        let wcet = self.time(node, &name, "WCET")?.ok_or_else(|| {
            self.error(
                node,
                format!("task {name} has no WCET"),
                "add WCET=\"2.0\", in milliseconds",
            )
        })?;
        let deadline = self.time(node, &name, "deadline")?;
        let mut task = Task::periodic(&name, wcet, Duration::from_nanos(1));
        task.deadline = deadline.filter(|deadline| *deadline > Duration::ZERO);
        if node.attribute("abort_on_miss") == Some("yes") {
            task.late = Late::Abort;
        }
        match node.attribute("task_type").unwrap_or("Periodic") {
            "Periodic" => {
                task.arrival = self.periodic(node, &name)?;
                Ok(vec![(node, task)])
            }
            "APeriodic" | "Sporadic" => self.activations(node, &name, task),
            other => {
                let mend = suggest::mend(other, ["Periodic", "APeriodic", "Sporadic"]);
                Err(self.error(
                    node,
                    format!("task {name}: the type `{other}` is not known"),
                    mend,
                ))
            }
        }
    }

    fn check_attributes(
        &self,
        node: Node<'_, '_>,
        name: &str,
        warnings: &mut Vec<String>,
    ) -> Result<(), FileError> {
        for attribute in node.attributes() {
            let zero = attribute.value().parse() == Ok(0.0_f64);
            match attribute.name() {
                "followed_by" if !attribute.value().is_empty() => {
                    return Err(self.error(
                        node,
                        format!("task {name}: `followed_by` is not supported"),
                        "write the chain as one task, or leave it",
                    ));
                }
                "name"
                | "task_type"
                | "abort_on_miss"
                | "period"
                | "activationDate"
                | "list_activation_dates"
                | "deadline"
                | "WCET"
                | "followed_by" => {}
                "preemption_cost" if zero => {}
                known if IGNORED.contains(&known) => {}
                other => warnings.push(format!("task {name}: `{other}` is left out")),
            }
        }
        Ok(())
    }

    fn periodic(&self, node: Node<'_, '_>, name: &str) -> Result<Arrival, FileError> {
        let period = self.time(node, name, "period")?;
        let Some(period) = period.filter(|period| *period > Duration::ZERO) else {
            let cause = format!("task {name} has no period");
            return Err(self.error(node, cause, "add period=\"10.0\", in milliseconds"));
        };
        Ok(Arrival::Periodic {
            period,
            offset: self
                .time(node, name, "activationDate")?
                .unwrap_or(Duration::ZERO),
            jitter: Duration::ZERO,
        })
    }

    fn activations<'n>(
        &self,
        node: Node<'n, 'n>,
        name: &str,
        task: Task,
    ) -> Result<Vec<(Node<'n, 'n>, Task)>, FileError> {
        let dates = node.attribute("list_activation_dates").unwrap_or_default();
        let dates = dates
            .split(',')
            .map(str::trim)
            .filter(|date| !date.is_empty());
        let mut tasks = Vec::new();
        for (number, date) in dates.enumerate() {
            let at = self.number(node, name, "list_activation_dates", date)?;
            let mut once = task.clone();
            once.name = format!("{name}.{number}");
            once.arrival = Arrival::Once {
                at: Instant::from_nanos(at.as_nanos()),
            };
            tasks.push((node, once));
        }
        if tasks.is_empty() {
            return Err(self.error(
                node,
                format!("task {name} is never activated"),
                "add list_activation_dates=\"1.0, 5.0\", in milliseconds",
            ));
        }
        Ok(tasks)
    }

    fn time(
        &self,
        node: Node<'_, '_>,
        name: &str,
        key: &str,
    ) -> Result<Option<Duration>, FileError> {
        let text = node.attribute(key).filter(|text| !text.is_empty());
        text.map(|text| self.number(node, name, key, text))
            .transpose()
    }

    fn number(
        &self,
        node: Node<'_, '_>,
        name: &str,
        key: &str,
        text: &str,
    ) -> Result<Duration, FileError> {
        text::scaled(text.trim(), MILLISECOND).map_err(|cause| {
            let cause = format!("task {name}: {key} is wrong: {cause}");
            self.error(
                node,
                cause,
                "write milliseconds as a decimal number, such as 2.5",
            )
        })
    }

    fn count(&self, node: Node<'_, '_>, key: &str, text: &str) -> Result<u64, FileError> {
        text.trim().parse().map_err(|_| {
            self.error(
                node,
                format!("{key} is `{text}`, no whole number"),
                "give a whole number of cycles",
            )
        })
    }

    /// A number of cycles as a time, rounded down.
    fn cycles(
        &self,
        node: Node<'_, '_>,
        key: &str,
        text: &str,
        per_millisecond: u64,
    ) -> Result<Duration, FileError> {
        let cycles = u128::from(self.count(node, key, text)?);
        let nanos = cycles * u128::from(MILLISECOND) / u128::from(per_millisecond);
        let nanos = u64::try_from(nanos).ok().filter(|nanos| *nanos <= 1 << 60);
        nanos.map(Duration::from_nanos).ok_or_else(|| {
            self.error(
                node,
                format!("{key} is longer than 36 years"),
                "give fewer cycles",
            )
        })
    }
}
