//! Owns: task sets of rt-app: threads as JSON objects, with events as keys in their order.
//! Must never know: how rt-app runs them.
//!
//! A thread with a `timer` in its loop is a periodic task; one turn of the loop is a job. Times are
//! in microseconds. A loop without a timer has no period. It is taken as periodic with the time
//! that one undisturbed loop takes, and a warning reports this.

mod turn;

use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

use super::json::Json;
use super::{name_of, relaxed};
use crate::file::{FileError, Source, TaskSet};
use crate::{Arrival, Budget, Late, Protocol, Task};
use turn::{Timer, length};

/// Keys of `global` that only say how rt-app runs and logs.
const GLOBAL_IGNORED: [&str; 13] = [
    "calibration",
    "cumulative_slack",
    "ftrace",
    "frag",
    "gnuplot",
    "io_device",
    "lock_pages",
    "log_basename",
    "log_size",
    "logdir",
    "mem_buffer_size",
    "default_policy",
    "duration",
];

/// Keys of a thread that say how it is run, not what it does.
const THREAD_KEYS: [&str; 14] = [
    "instance",
    "loop",
    "policy",
    "priority",
    "cpus",
    "delay",
    "phases",
    "dl-runtime",
    "dl-period",
    "dl-deadline",
    "taskgroup",
    "util_min",
    "util_max",
    "nodes_membind",
];

/// Those among them that choose among Linux's ordinary threads or its memory; here is nothing like
/// it.
const LINUX_ALONE: [&str; 4] = ["taskgroup", "util_min", "util_max", "nodes_membind"];

/// The priority of Linux that maps to our 0.
const MOST_URGENT: u64 = 99;
/// The priority of threads without one, if other threads have one.
const ORDINARY: u32 = 100;
/// The most threads that one object may stand for.
const MOST_INSTANCES: u64 = 1000;

/// Reads an rt-app file.
pub(crate) fn parse(source: Source<'_>) -> Result<TaskSet, FileError> {
    let text = source.text.trim_start_matches('\u{feff}');
    let json: Json = serde_json::from_str(&relaxed::strict(text)).map_err(|error| {
        let line = (error.line() > 0).then_some(error.line());
        let cause = format!(
            "no JSON: {}",
            error
                .to_string()
                .split(" at line")
                .next()
                .unwrap_or_default()
        );
        source.error_in_line(line, cause, "fix that line")
    })?;
    let mut reader = Reader {
        source,
        set: TaskSet {
            title: name_of(
                std::path::Path::new(source.file)
                    .file_stem()
                    .and_then(|stem| stem.to_str())
                    .unwrap_or("rt-app"),
            ),
            ..TaskSet::default()
        },
        protocol: Protocol::None,
        default_policy: "SCHED_OTHER".to_owned(),
        timers: Vec::new(),
    };
    reader.document(&json)?;
    let mut set = reader.set;
    set.workload.name.clone_from(&set.title);
    // Ordinary threads are less urgent than those of the real-time policies.
    if set
        .workload
        .tasks
        .iter()
        .any(|task| task.priority.is_some())
    {
        for task in &mut set.workload.tasks {
            task.priority.get_or_insert(ORDINARY);
        }
    }
    Ok(set)
}

struct Reader<'a> {
    source: Source<'a>,
    set: TaskSet,
    protocol: Protocol,
    /// The policy of threads that name none.
    default_policy: String,
    /// The timers that all threads can reach, each with the thread that has it.
    timers: Vec<(String, String)>,
}

impl Reader<'_> {
    /// An error at the place where the keys of the path stand, one after the other.
    fn error(&self, path: &[&str], cause: &str, hint: &str) -> FileError {
        let mut at = 0;
        for key in path {
            if let Some(place) = self.source.text[at..].find(&format!("\"{key}\"")) {
                at += place + 1;
            }
        }
        let place = path.join(": ");
        self.source.error(at, format!("{place} {cause}"), hint)
    }

    fn document(&mut self, json: &Json) -> Result<(), FileError> {
        let mut tasks = None;
        let parts = self.object(&[], json)?;
        // Settings for all threads may come after the threads.
        for (_, value) in parts.iter().filter(|(key, _)| key == "global") {
            self.global(value)?;
        }
        for (key, value) in parts {
            match key.as_str() {
                "global" => {}
                "resources" => self.resources(value)?,
                "tasks" => tasks = Some(value),
                _ => self.warn(format!("`{key}` is left out: it is no part of a task set")),
            }
        }
        let Some(tasks) = tasks else {
            let hint = "add \"tasks\": { \"thread0\": { \"run\": 2000, \"timer\": { \"ref\": \"a\", \"period\": 10000 } } }";
            return Err(self.source.error_in_line(None, "has no `tasks`", hint));
        };
        for (name, thread) in self.object(&["tasks"], tasks)? {
            self.thread(name, thread)?;
        }
        Ok(())
    }

    fn warn(&mut self, words: String) {
        self.set.warnings.push(words);
    }

    /// Returns the entries of an object with distinct keys.
    fn object<'j>(&self, path: &[&str], json: &'j Json) -> Result<&'j [(String, Json)], FileError> {
        let pairs = self.sequence(path, json)?;
        self.check_once(path, pairs, |_| true)?;
        Ok(pairs)
    }

    /// Returns the entries of an object with events in their order as keys: a key may occur again.
    fn sequence<'j>(
        &self,
        path: &[&str],
        json: &'j Json,
    ) -> Result<&'j [(String, Json)], FileError> {
        let Json::Object(pairs) = json else {
            return Err(self.error(
                path,
                &format!("is {}, no object", json.kind()),
                "write { ... }",
            ));
        };
        Ok(pairs)
    }

    /// Returns the settings of a thread or a phase, once each, and its events, which may occur
    /// again.
    fn settings_and_events<'j>(
        &self,
        path: &[&str],
        json: &'j Json,
    ) -> Result<&'j [(String, Json)], FileError> {
        let pairs = self.sequence(path, json)?;
        self.check_once(path, pairs, |key| THREAD_KEYS.contains(&key))?;
        Ok(pairs)
    }

    fn check_once(
        &self,
        path: &[&str],
        pairs: &[(String, Json)],
        concerns: impl Fn(&str) -> bool,
    ) -> Result<(), FileError> {
        for (place, (key, _)) in pairs.iter().enumerate() {
            if concerns(key) && pairs[..place].iter().any(|(other, _)| other == key) {
                let path = [path, &[key.as_str()]].concat();
                return Err(self.error(&path, "is given twice", "leave one of them"));
            }
        }
        Ok(())
    }

    fn whole(&self, path: &[&str], json: &Json) -> Result<u64, FileError> {
        match json {
            Json::Whole(number) => Ok(*number),
            other => Err(self.error(
                path,
                &format!("is {}, no whole number from 0 on", other.kind()),
                "give a whole number",
            )),
        }
    }

    fn micros(&self, path: &[&str], json: &Json) -> Result<Duration, FileError> {
        let micros = self.whole(path, json)?;
        let nanos = micros.checked_mul(1000).filter(|nanos| *nanos <= 1 << 60);
        nanos.map(Duration::from_nanos).ok_or_else(|| {
            self.error(
                path,
                "is longer than 36 years",
                "give a shorter time, in microseconds",
            )
        })
    }

    fn global(&mut self, json: &Json) -> Result<(), FileError> {
        for (key, value) in self.object(&["global"], json)? {
            match (key.as_str(), value) {
                ("duration", Json::Whole(seconds)) if *seconds > 0 && *seconds < 1 << 30 => {
                    self.set.horizon = Some(Duration::from_secs(*seconds));
                }
                ("pi_enabled", Json::Boolean(true)) => self.protocol = Protocol::Inheritance,
                ("pi_enabled", Json::Boolean(false)) => self.protocol = Protocol::None,
                ("default_policy", Json::Text(policy)) => self.default_policy.clone_from(policy),
                (known, _) if GLOBAL_IGNORED.contains(&known) => {}
                _ => self.warn(format!("global: `{key}` is left out")),
            }
        }
        Ok(())
    }

    fn resources(&mut self, json: &Json) -> Result<(), FileError> {
        let Json::Object(_) = json else { return Ok(()) };
        for (name, resource) in self.object(&["resources"], json)? {
            let kind = self.object(&["resources", name], resource)?;
            let mutex = kind
                .iter()
                .any(|(key, value)| key == "type" && *value == Json::Text("mutex".into()));
            if !mutex {
                self.warn(format!("resources: `{name}` is no mutex, and is left out"));
            }
        }
        Ok(())
    }

    fn thread(&mut self, name: &str, json: &Json) -> Result<(), FileError> {
        let path = ["tasks", name];
        let pairs = self.settings_and_events(&path, json)?;
        let find = |key: &str| {
            pairs
                .iter()
                .find(|(other, _)| other == key)
                .map(|(_, value)| value)
        };
        let instances = match find("instance") {
            Some(value) => self.whole(&["tasks", name, "instance"], value)?,
            None => 1,
        };
        if instances > MOST_INSTANCES {
            let hint = format!("give at most {MOST_INSTANCES}");
            return Err(self.error(&["tasks", name, "instance"], "is too large", &hint));
        }
        let work = match find("phases") {
            Some(phases) => self.phases(name, phases)?,
            None => self.turn(&path, pairs)?,
        };
        if let Some(lock) = work.held.last() {
            let cause = format!("ends its loop with the lock {lock} held");
            return Err(self.error(&path, &cause, "unlock it before the timer"));
        }
        let late = match &work.timer {
            Some(timer) => self.claim(&path, timer, instances)?,
            None => Late::Queue,
        };
        let goes_on = !matches!(find("loop"), Some(Json::Whole(1)));
        if goes_on && work.timer_stands_inside() {
            self.warn(format!(
                "{name}: its loop does not end with a timer; a job begins behind the last one"
            ));
        }
        let (body, period) = work.job(goes_on);
        if body.is_empty() {
            return Err(self.error(&path, "does nothing", "add \"run\": 2000"));
        }
        let mut task = Task::periodic(&name_of(name), Duration::ZERO, Duration::from_nanos(1));
        task.body = body;
        task.late = late;
        self.manner(name, pairs, &mut task)?;
        let offset = match find("delay") {
            Some(delay) => self.micros(&["tasks", name, "delay"], delay)?,
            None => Duration::ZERO,
        };
        task.arrival = self.arrival(name, find("loop"), period, offset, &task)?;
        for instance in 0..instances {
            let mut copy = task.clone();
            if instance > 0 {
                copy.name = format!("{}-{instance}", task.name);
            }
            if self
                .set
                .workload
                .tasks
                .iter()
                .any(|other| other.name == copy.name)
            {
                return Err(self.error(
                    &path,
                    "has the name of another task",
                    "give it its own name",
                ));
            }
            self.set.workload.tasks.push(copy);
        }
        Ok(())
    }

    /// The treatment of late turns by the thread's timer, which no other thread may use.
    fn claim(&mut self, path: &[&str], timer: &Timer, instances: u64) -> Result<Late, FileError> {
        if timer.is_shared() {
            let thread = path.last().map_or("", |name| *name);
            let other = self.timers.iter().find(|(name, _)| *name == timer.name);
            let other = other.map(|(_, thread)| thread.as_str());
            if let Some(other) = other.or((instances > 1).then_some(thread)) {
                let cause = format!(
                    "has the timer `{}`, which {other} has too: rt-app has them take turns with it, which tasks cannot",
                    timer.name
                );
                let hint = "give each a timer of its own: a ref that begins with `unique`";
                return Err(self.error(path, &cause, hint));
            }
            self.timers.push((timer.name.clone(), thread.to_owned()));
        }
        Ok(match timer.relative {
            true => Late::Shift,
            false => Late::Queue,
        })
    }

    /// When the thread's jobs arrive.
    fn arrival(
        &mut self,
        name: &str,
        turns: Option<&Json>,
        period: Option<Duration>,
        offset: Duration,
        task: &Task,
    ) -> Result<Arrival, FileError> {
        match turns {
            Some(Json::Whole(1)) => {
                let at = Instant::from_nanos(offset.as_nanos());
                return Ok(Arrival::Once { at });
            }
            None | Some(Json::Number(_)) => {}
            Some(Json::Whole(turns)) => {
                self.warn(format!("{name}: loops for ever, not {turns} times"));
            }
            Some(other) => {
                let cause = format!("is {}, no number", other.kind());
                return Err(self.error(&["tasks", name, "loop"], &cause, "give -1 or a number"));
            }
        }
        let period = match period.or(task.budget.map(|budget| budget.period)) {
            Some(period) => period,
            None => {
                let undisturbed = task.body.iter().map(length);
                let period = undisturbed.fold(Duration::ZERO, Duration::saturating_add);
                self.warn(format!(
                    "{name}: its loop has no timer; it is taken as periodic every {}",
                    crate::file::text::shown(period)
                ));
                period
            }
        };
        if period == Duration::ZERO {
            return Err(self.error(
                &["tasks", name],
                "has a period of zero",
                "give its timer a period",
            ));
        }
        Ok(Arrival::Periodic {
            period,
            offset,
            jitter: Duration::ZERO,
        })
    }

    /// Priority, processors, budget and deadline.
    fn manner(
        &mut self,
        name: &str,
        pairs: &[(String, Json)],
        task: &mut Task,
    ) -> Result<(), FileError> {
        let mut times = [None; 3];
        let default = self.default_policy.clone();
        let mut policy = default.as_str();
        let mut priority = None;
        for (key, value) in pairs {
            let path = ["tasks", name, key.as_str()];
            match (key.as_str(), value) {
                ("policy", Json::Text(text)) => policy = text,
                ("policy", other) => {
                    let cause = format!("is {}, no text", other.kind());
                    return Err(self.error(&path, &cause, "write \"SCHED_FIFO\""));
                }
                // Niceness of ordinary threads may be negative.
                ("priority", value) => priority = Some(value),
                ("cpus", value) => task.affinity = Some(self.cpus(&path, value)?),
                ("dl-runtime", value) => times[0] = Some(self.micros(&path, value)?),
                ("dl-period", value) => times[1] = Some(self.micros(&path, value)?),
                ("dl-deadline", value) => times[2] = Some(self.micros(&path, value)?),
                (key, _) if LINUX_ALONE.contains(&key) => {
                    self.warn(format!("{name}: `{key}` is left out"));
                }
                _ => {}
            }
        }
        match policy {
            "SCHED_FIFO" | "SCHED_RR" => {
                let path = ["tasks", name, "priority"];
                let priority = priority.map_or(Ok(10), |value| self.whole(&path, value))?;
                if !(1..=MOST_URGENT).contains(&priority) {
                    return Err(self.error(
                        &path,
                        "is out of range",
                        "give a priority from 1 to 99",
                    ));
                }
                task.priority = Some((MOST_URGENT - priority) as u32);
            }
            "SCHED_DEADLINE" => {}
            "SCHED_OTHER" | "SCHED_BATCH" | "SCHED_IDLE" => {
                self.warn(format!(
                    "{name}: {policy} is no real-time policy; it is taken as the least urgent, or by its deadline"
                ));
                if times[0].take().is_some() {
                    self.warn(format!(
                        "{name}: `dl-runtime` is left out: with {policy} it is a time slice"
                    ));
                }
            }
            other => {
                let cause = format!("`{other}` is not known");
                return Err(self.error(
                    &["tasks", name, "policy"],
                    &cause,
                    "take SCHED_FIFO, SCHED_RR, SCHED_DEADLINE or SCHED_OTHER",
                ));
            }
        }
        self.server(name, times, task)
    }

    fn server(
        &self,
        name: &str,
        [runtime, period, deadline]: [Option<Duration>; 3],
        task: &mut Task,
    ) -> Result<(), FileError> {
        task.deadline = deadline.filter(|deadline| *deadline > Duration::ZERO);
        let Some(runtime) = runtime else {
            return Ok(());
        };
        let period = period.or(deadline).unwrap_or(runtime);
        if runtime == Duration::ZERO || runtime > period {
            let path = ["tasks", name, "dl-runtime"];
            return Err(self.error(
                &path,
                "is out of range",
                "give at least 1, and at most dl-period",
            ));
        }
        // Linux throttles a thread until its next period
        // (Documentation/scheduler/sched-deadline.rst, 2.2).
        task.budget = Some(Budget {
            runtime,
            period,
            hard: true,
        });
        Ok(())
    }

    fn cpus(&self, path: &[&str], json: &Json) -> Result<CpuSet, FileError> {
        let Json::List(list) = json else {
            return Err(self.error(
                path,
                &format!("is {}, no list", json.kind()),
                "write [0, 1]",
            ));
        };
        let mut set = CpuSet::EMPTY;
        for cpu in list {
            let number = self.whole(path, cpu)? as usize;
            let Some(cpu) = Cpu::new(number) else {
                return Err(self.error(
                    path,
                    &format!("has the processor {number}"),
                    "give numbers from 0 to 63",
                ));
            };
            set = set.with(cpu);
        }
        if set.is_empty() {
            return Err(self.error(path, "names no processor", "name at least one"));
        }
        Ok(set)
    }
}
