//! Owns: configurations of SimSo: processors and tasks as XML.
//! Must never know: how SimSo runs them.
//!
//! Times of tasks are in milliseconds; the duration and the overheads are in
//! cycles, of which `cycles_per_ms` says how many are a millisecond.

mod schedulers;

use roxmltree::{Document, Node};
use taktos_time::{Duration, Instant};

use super::name_of;
use crate::file::{FileError, Source, TaskSet, suggest, text};
use crate::{Arrival, Cost, Costs, Late, Task};
use schedulers::Given;

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
            "fix that line",
        )
    })?;
    let root = document.root_element();
    let field = root.children().find_map(schedulers::field_of);
    let reader = Reader { source, field };
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
    /// The attribute of tasks that their scheduler reads.
    field: Option<&'static str>,
}

impl Reader<'_> {
    fn error(
        &self,
        node: Node<'_, '_>,
        cause: impl AsRef<str>,
        hint: impl AsRef<str>,
    ) -> FileError {
        self.source.error(node.range().start, cause, hint)
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
        self.check_model(root)?;
        let mut costs = Costs::default();
        let (mut scheduler, mut given) = (None, Vec::new());
        for section in root.children().filter(Node::is_element) {
            match section.tag_name().name() {
                "sched" => {
                    self.overheads(section, cycles, &mut costs)?;
                    scheduler = Some(section);
                }
                "processors" => self.processors(section, cycles, &mut set, &mut costs)?,
                "tasks" => given = self.tasks(section, &mut set)?,
                // Without the model of caches they mean nothing.
                "caches" => {}
                other => set.warnings.push(format!("<{other}> is left out")),
            }
        }
        if let Some(scheduler) = scheduler {
            schedulers::apply(self, scheduler, &given, &mut set)?;
        }
        set.costs = Some(costs).filter(|costs| *costs != Costs::FREE);
        Ok(set)
    }

    /// Refuses every model of execution times but the one in which a job runs for its WCET.
    fn check_model(&self, root: Node<'_, '_>) -> Result<(), FileError> {
        let old = match root.attribute("use_wcet") {
            None | Some("true" | "yes") => "wcet",
            Some(_) => "cache",
        };
        match root.attribute("etm").unwrap_or(old) {
            "wcet" => Ok(()),
            other => Err(self.error(
                root,
                format!("the execution-time model `{other}` is not supported"),
                "write etm=\"wcet\": every job runs for its WCET",
            )),
        }
    }

    /// Reads the costs of the scheduler's own work.
    fn overheads(
        &self,
        node: Node<'_, '_>,
        cycles: u64,
        costs: &mut Costs,
    ) -> Result<(), FileError> {
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
                _ => {
                    let cause = format!("`{attribute}` of <sched> is not supported");
                    return Err(self.error(node, cause, "write 0, or add it to WCET"));
                }
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
        if let Some(text) = node.attribute("migration_overhead") {
            let time = self.cycles(node, "migration_overhead", text, cycles)?;
            if time > Duration::ZERO {
                costs.migration = Cost::Constant(time);
            }
        }
        for processor in node
            .children()
            .filter(|node| node.has_tag_name("processor"))
        {
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

    fn tasks<'n>(
        &self,
        node: Node<'n, 'n>,
        set: &mut TaskSet,
    ) -> Result<Vec<Given<'n>>, FileError> {
        let mut given = Vec::new();
        for node in node.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "task" => given.push(self.add(node, set)?),
                // It declares an attribute of tasks for a scheduler; the scheduler that needs one
                // reads it.
                "field" => {}
                other => set.warnings.push(format!("<{other}> is left out")),
            }
        }
        Ok(given)
    }

    /// Adds what an element says to the workload.
    fn add<'n>(&self, node: Node<'n, 'n>, set: &mut TaskSet) -> Result<Given<'n>, FileError> {
        let name = node.attribute("name").unwrap_or_default().trim().to_owned();
        if name.is_empty() {
            return Err(self.error(node, "a task has no name", "give it a name"));
        }
        let begin = set.workload.tasks.len();
        for task in self.task(node, &name, &mut set.warnings)? {
            let mut others = set.workload.tasks.iter();
            if others.any(|other| other.name == task.name) {
                return Err(self.error(
                    node,
                    format!("two tasks are called {}", task.name),
                    "give each its own name",
                ));
            }
            set.workload.tasks.push(task);
        }
        let time = |key| self.time(node, &name, key).map(Option::unwrap_or_default);
        Ok(Given {
            wcet: time("WCET")?,
            period: time("period")?,
            node,
            tasks: begin..set.workload.tasks.len(),
            name,
        })
    }

    /// A task, or one for each activation of a task without a period.
    fn task(
        &self,
        node: Node<'_, '_>,
        name: &str,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<Task>, FileError> {
        self.check_attributes(node, name, warnings)?;
        let wcet = self.time(node, name, "WCET")?.ok_or_else(|| {
            self.error(
                node,
                format!("task {name} has no WCET"),
                "add WCET=\"2.0\", in milliseconds",
            )
        })?;
        let deadline = self.time(node, name, "deadline")?;
        let mut task = Task::periodic(name, wcet, Duration::from_nanos(1));
        task.deadline = deadline.filter(|deadline| *deadline > Duration::ZERO);
        if node.attribute("abort_on_miss").unwrap_or("yes") == "yes" {
            task.late = Late::Abort;
        }
        let old = match node.attribute("periodic") {
            Some("no") => "APeriodic",
            _ => "Periodic",
        };
        match node.attribute("task_type").unwrap_or(old) {
            "Periodic" => {
                task.arrival = self.periodic(node, name)?;
                Ok(vec![task])
            }
            "APeriodic" | "Sporadic" => self.activations(node, name, task),
            other => {
                let hint = suggest::hint(other, ["Periodic", "APeriodic", "Sporadic"]);
                Err(self.error(
                    node,
                    format!("task {name}: the type `{other}` is not known"),
                    hint,
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
                | "periodic"
                | "abort_on_miss"
                | "period"
                | "activationDate"
                | "list_activation_dates"
                | "deadline"
                | "WCET"
                | "followed_by" => {}
                "preemption_cost" if zero => {}
                known if IGNORED.contains(&known) || self.field == Some(known) => {}
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

    fn activations(
        &self,
        node: Node<'_, '_>,
        name: &str,
        task: Task,
    ) -> Result<Vec<Task>, FileError> {
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
            tasks.push(once);
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
