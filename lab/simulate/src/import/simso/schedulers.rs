//! Owns: which policy each of SimSo's schedulers is here, the priorities that it goes by, and
//! where its partitioned ones put the tasks.
//! Must never know: the rest of the file.

use roxmltree::Node;
use taktos_schedule::CpuSet;
use taktos_time::Duration;

use super::Reader;
use crate::Policy;
use crate::file::{ClusterSpec, FileError, TaskSet};

/// A task as SimSo counts them: one element of the file, which may be several tasks here.
pub(super) struct Given<'n> {
    pub node: Node<'n, 'n>,
    pub name: String,
    pub wcet: Duration,
    pub period: Duration,
    /// Its tasks in the workload.
    pub tasks: std::ops::Range<usize>,
}

/// By what jobs are ordered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The earliest absolute deadline first.
    Deadline,
    /// The shortest relative deadline first: what tasks without priorities have.
    RelativeDeadline,
    /// The shortest period first.
    Period,
    /// The greatest `priority` first.
    Field,
}

/// Use of several processors by a scheduler.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    /// All tasks are on all.
    All,
    /// It is for one processor.
    One,
    /// Each task is on one.
    Packed(Packing),
}

/// How tasks are put on processors.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    /// In the file's order, each on the first processor with room.
    FirstFit,
    /// In the order of falling utilisation, each on the first processor with room.
    FirstFitDecreasing,
    /// In the order of falling utilisation, each on the next processor with space from the last one
    /// on.
    NextFitDecreasing,
    /// In the file's order, each on the processor with the least load.
    LeastLoad,
    /// Where the task's `cpu` says.
    Field,
}

/// The schedulers that have an equivalent here.
const KNOWN: [(&str, Order, Share); 12] = [
    ("EDF", Order::Deadline, Share::All),
    ("EDF2", Order::Deadline, Share::All),
    ("EDF_mono", Order::Deadline, Share::One),
    ("RM", Order::Period, Share::All),
    ("RM_mono", Order::Period, Share::One),
    ("DM", Order::RelativeDeadline, Share::All),
    ("FP", Order::Field, Share::All),
    (
        "P_EDF",
        Order::Deadline,
        Share::Packed(Packing::FirstFitDecreasing),
    ),
    ("P_EDF2", Order::Deadline, Share::Packed(Packing::FirstFit)),
    // It is called worst fit; what it does is next fit.
    (
        "P_EDF_WF",
        Order::Deadline,
        Share::Packed(Packing::NextFitDecreasing),
    ),
    ("P_RM", Order::Period, Share::Packed(Packing::LeastLoad)),
    ("Fixed_PEDF", Order::Deadline, Share::Packed(Packing::Field)),
];

/// The most levels of the policy `priority`.
const LEVELS: usize = 255;

/// The attribute of tasks by which this element's scheduler goes.
pub(super) fn field_of(sched: Node<'_, '_>) -> Option<&'static str> {
    let (_, order, share) = find(named(sched)?)?;
    match (order, share) {
        (Order::Field, _) => Some("priority"),
        (_, Share::Packed(Packing::Field)) => Some("cpu"),
        _ => None,
    }
}

/// Gives the set the policy, priorities and clusters of the scheduler that `<sched>` names, if any.
///
/// # Errors
/// When it has no equivalent here, or the tasks do not fit it.
pub(super) fn apply(
    reader: &Reader<'_>,
    sched: Node<'_, '_>,
    given: &[Given<'_>],
    set: &mut TaskSet,
) -> Result<(), FileError> {
    let Some(written) = named(sched) else {
        return Ok(());
    };
    let Some((_, order, share)) = find(written) else {
        let known = KNOWN.map(|(known, ..)| known).join(", ");
        return Err(reader.error(
            sched,
            format!("the scheduler `{written}` has no equivalent here"),
            format!("take one of {known}, or leave <sched> out and name a policy with --scheduler"),
        ));
    };
    set.scheduler = Some(match order {
        Order::Deadline => Policy::Edf,
        Order::RelativeDeadline => Policy::Priority,
        Order::Period => prioritise(set, given, &|given| Ok(given.period))?,
        Order::Field => prioritise(set, given, &|given| {
            let priority = field(reader, given, "priority")?.unwrap_or(0);
            Ok(core::cmp::Reverse(priority)) // the greatest is the most urgent
        })?,
    });
    let cpus = set.cpus.unwrap_or(1);
    match share {
        Share::One if cpus > 1 => Err(reader.error(
            sched,
            format!("the scheduler `{written}` is for one processor, and there are {cpus}"),
            "leave one processor, or take a scheduler for several",
        )),
        Share::All | Share::One => Ok(()),
        Share::Packed(packing) => {
            let places = pack(reader, *packing, given, cpus)?;
            for (given, place) in given.iter().zip(places) {
                for task in &mut set.workload.tasks[given.tasks.clone()] {
                    task.cluster = Some(place.to_string());
                }
            }
            set.clusters = (0..cpus).map(alone).collect();
            Ok(())
        }
    }
}

/// The scheduler that an element names.
fn named<'n>(sched: Node<'n, '_>) -> Option<&'n str> {
    let of = |key| {
        sched
            .attribute(key)
            .filter(|name: &&str| !name.trim().is_empty())
    };
    let written = of("class").or(of("className"));
    written.filter(|_| sched.has_tag_name("sched"))
}

fn find(written: &str) -> Option<&'static (&'static str, Order, Share)> {
    KNOWN.iter().find(|(known, ..)| *known == plain(written))
}

/// The name without its module or directory, and without a file's ending.
fn plain(written: &str) -> &str {
    let file = written
        .trim()
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default();
    let name = file.strip_suffix(".py").unwrap_or(file);
    name.rsplit('.').next().unwrap_or_default()
}

/// A processor as an instance of its own.
fn alone(cpu: usize) -> ClusterSpec {
    ClusterSpec {
        name: cpu.to_string(),
        cpus: CpuSet::from_bits(1 << cpu),
        policy: None,
    }
}

/// Gives each task its place in the order of the keys, from 1; equal keys, equal priorities.
fn prioritise<K: Ord>(
    set: &mut TaskSet,
    given: &[Given<'_>],
    key: &dyn Fn(&Given<'_>) -> Result<K, FileError>,
) -> Result<Policy, FileError> {
    let keys: Vec<K> = given.iter().map(key).collect::<Result<_, _>>()?;
    let mut levels: Vec<&K> = keys.iter().collect();
    levels.sort();
    levels.dedup();
    for (given, key) in given.iter().zip(&keys) {
        let level = levels.partition_point(|other| *other < key);
        for task in &mut set.workload.tasks[given.tasks.clone()] {
            task.priority = Some(level as u32 + 1);
        }
    }
    Ok(if levels.len() > LEVELS {
        Policy::Simple
    } else {
        Policy::Priority
    })
}

/// A whole number that a task has in a field of its scheduler.
fn field(reader: &Reader<'_>, given: &Given<'_>, key: &str) -> Result<Option<i64>, FileError> {
    let Some(text) = given.node.attribute(key) else {
        return Ok(None);
    };
    text.trim().parse().map(Some).map_err(|_| {
        let cause = format!("task {}: {key} is `{text}`, no whole number", given.name);
        reader.error(given.node, cause, "give a whole number")
    })
}

/// The processor of each task, by its place. Loads are added in floating point, as SimSo adds
/// them: whether the last task just fits is its answer, not a better one.
fn pack(
    reader: &Reader<'_>,
    packing: Packing,
    given: &[Given<'_>],
    cpus: usize,
) -> Result<Vec<usize>, FileError> {
    let mut places = vec![0; given.len()];
    let mut loads = vec![0.0_f64; cpus];
    let mut last = 0;
    for index in order(reader, packing, given)? {
        let task = &given[index];
        let (wcet, period) = (millis(task.wcet), millis(task.period));
        let fits = |cpu: &usize| match packing {
            Packing::FirstFit => loads[*cpu] + wcet / period <= 1.0,
            _ => loads[*cpu] * period + wcet <= period,
        };
        let found = match packing {
            Packing::FirstFit | Packing::FirstFitDecreasing => (0..cpus).find(fits),
            Packing::NextFitDecreasing => (0..cpus).map(|i| (last + i) % cpus).find(fits),
            Packing::LeastLoad => (0..cpus).min_by(|a, b| loads[*a].total_cmp(&loads[*b])),
            Packing::Field => Some(own_cpu(reader, task)?),
        };
        let place = found.ok_or_else(|| {
            let cause = format!(
                "task {} fits on none of {cpus} processors: others are there",
                task.name
            );
            reader.error(
                task.node,
                cause,
                "add a processor, or take a scheduler that shares them",
            )
        })?;
        (places[index], last) = (place, place);
        loads[place] += wcet / period;
    }
    Ok(places)
}

/// The tasks in the order in which they are put on processors.
fn order(
    reader: &Reader<'_>,
    packing: Packing,
    given: &[Given<'_>],
) -> Result<Vec<usize>, FileError> {
    let mut order: Vec<usize> = (0..given.len()).collect();
    if packing == Packing::Field {
        return Ok(order);
    }
    if let Some(task) = given.iter().find(|task| task.period == Duration::ZERO) {
        return Err(reader.error(
            task.node,
            format!(
                "task {} has no period, by which its load is known",
                task.name
            ),
            "give it a period, or take a scheduler that shares the processors",
        ));
    }
    if matches!(
        packing,
        Packing::FirstFitDecreasing | Packing::NextFitDecreasing
    ) {
        let load = |index: &usize| millis(given[*index].wcet) / millis(given[*index].period);
        order.sort_by(|a, b| load(b).total_cmp(&load(a))); // stable: equals keep the file's order
    }
    Ok(order)
}

/// Returns the place among the processors of the one with the number in the task's `cpu`.
fn own_cpu(reader: &Reader<'_>, task: &Given<'_>) -> Result<usize, FileError> {
    let number = field(reader, task, "cpu")?;
    let processors = task
        .node
        .document()
        .descendants()
        .filter(|node| node.has_tag_name("processor"));
    let numbers = processors.map(|node| node.attribute("id").and_then(|id| id.trim().parse().ok()));
    let place = number.and_then(|_| numbers.into_iter().position(|id| id == number));
    place.ok_or_else(|| {
        let cause = match number {
            Some(number) => format!("task {}: no processor has the id {number}", task.name),
            None => format!("task {} has no `cpu`", task.name),
        };
        reader.error(task.node, cause, "add cpu=\"1\", the id of a processor")
    })
}

fn millis(time: Duration) -> f64 {
    time.as_nanos() as f64 / super::MILLISECOND as f64
}
