//! `taktos bench --suite simulation`: how fast the simulator is, here and now.
//!
//! The sets of [`SPEED_SIZES`], the smallest of which is what other simulators
//! are compared by, under global EDF, without a trace. A rate is this
//! machine's, so nothing of it is kept in a result directory; it is that of
//! processor time, so that what else the machine does is no part of it.

use anyhow::{Context, Result};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use taktos_experiments::{published, screen};
use taktos_export::Basis;
use taktos_export::table::{Cell, Column, Table};
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_runner::workspace::Workspace;
use taktos_simulate::generate::{SPEED_SIZES, SpeedSize};
use taktos_simulate::{Plan, Policy, Setup};
use taktos_time::Duration;

use crate::arguments::RunOptions;

/// How often each size is measured; the median counts.
const TIMES: [usize; SPEED_SIZES.len()] = [5, 3, 3];
/// How much processor time one measurement takes at least, in seconds.
const SECONDS: f64 = 0.5;
/// The virtual time of the first try, short enough for the largest set.
const FIRST: Duration = Duration::from_millis(100);
/// The longest virtual time of one measurement.
const LONGEST: Duration = Duration::from_secs(1 << 20);

#[derive(Serialize)]
struct Speed {
    /// Kind of time in the seconds of the rates.
    time: &'static str,
    /// Whether the tool was compiled with the assertions of its tests.
    assertions: bool,
    jobs_per_second: u64,
    events_per_second: u64,
    peak_memory_bytes: Option<u64>,
    virtual_seconds: u64,
    /// The smallest, of which the rates above are, and the larger ones.
    sizes: Vec<Size>,
}

/// The rate of a set.
#[derive(Clone, Copy, Serialize)]
struct Size {
    tasks: usize,
    processors: usize,
    /// The jobs of one run.
    jobs: u64,
    jobs_per_second: u64,
    #[serde(skip)]
    events_per_second: u64,
    #[serde(skip)]
    horizon: Duration,
}

#[derive(Deserialize)]
struct Published {
    simulator: Vec<Simulator>,
    goal: Goal,
}

#[derive(Deserialize)]
struct Simulator {
    name: String,
    jobs_per_second: (u64, u64),
    note: Option<String>,
}

#[derive(Deserialize)]
struct Goal {
    jobs_per_second: u64,
}

/// Measures, and shows the rates next to those of other simulators.
pub(super) fn simulation(
    workspace: &Workspace,
    options: &RunOptions,
    baseline: bool,
) -> Result<()> {
    if baseline || options.board.is_some() || options.out.is_some() {
        return Err(Failure::error(
            "the simulator's speed has no board, no baseline and no result directory",
            "leave these options out: taktos bench --suite simulation",
        ));
    }
    let (mut sizes, mut peak_memory_bytes) = (Vec::new(), None);
    for (size, times) in SPEED_SIZES.into_iter().zip(TIMES) {
        let SpeedSize { tasks, processors } = size;
        let doing = format!("simulating {tasks} tasks on {processors} processors ...");
        sizes.push(Progress::default().during(&doing, || measure(size, times))?);
        // That of the smallest, as the other figures next to the sizes.
        peak_memory_bytes = peak_memory_bytes.or_else(peak_memory);
    }
    let first = sizes[0];
    let speed = Speed {
        time: "processor",
        assertions: cfg!(debug_assertions),
        jobs_per_second: first.jobs_per_second,
        events_per_second: first.events_per_second,
        peak_memory_bytes,
        virtual_seconds: first.horizon.as_nanos() / 1_000_000_000,
        sizes,
    };
    let table = table(workspace, &speed)?;
    Ok(screen::show(options.format, &table, &speed)?)
}

fn measure(size: SpeedSize, times: usize) -> Result<Size> {
    let workload = size.workload()?;
    let (mut horizon, mut rates) = (FIRST, Vec::new());
    loop {
        let setup = Setup::global(Policy::Edf, size.processors, horizon);
        let plan = Plan::new(&workload, &setup)?;
        let begin = processor_time();
        let outcome = taktos_simulate::run(&plan, 0, &mut ())?;
        let seconds = (processor_time() - begin).max(1e-9);
        if seconds < SECONDS && horizon < LONGEST {
            // Twice as long as would do, so that the next try is long enough.
            let factor = (2.0 * SECONDS / seconds).clamp(2.0, 100.0);
            horizon = Duration::from_nanos((horizon.as_nanos() as f64 * factor) as u64);
            continue;
        }
        let rate = |count: u64| (count as f64 / seconds) as u64;
        let jobs = outcome.jobs();
        rates.push((rate(jobs), rate(outcome.events), jobs));
        if rates.len() == times {
            break;
        }
    }
    rates.sort_unstable();
    let (jobs_per_second, events_per_second, jobs) = rates[times / 2];
    Ok(Size {
        tasks: size.tasks,
        processors: size.processors,
        jobs,
        jobs_per_second,
        events_per_second,
        horizon,
    })
}

/// The processor time that this thread has had, in seconds: a run is one thread's.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory that this process has had at once; none where the system does not say.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

fn table(workspace: &Workspace, speed: &Speed) -> Result<Table> {
    let others = published::read(workspace, "simulators")?;
    let source = published::source(&others);
    let others: Published = others
        .try_into()
        .context("simulators.toml has another shape")?;
    let mut table = Table::new(
        "Simulated jobs in a second of processor time, 20 tasks on 4 processors, global EDF",
        vec![
            Column::label("simulator"),
            Column::figures("jobs/s", Basis::Theirs("measured on a host".into())),
            Column::label("goal"),
        ],
    );
    let met = speed.jobs_per_second >= others.goal.jobs_per_second;
    let goal = taktos_export::table::thousands(others.goal.jobs_per_second);
    table.push(vec![
        "taktos, this machine, now".into(),
        speed.jobs_per_second.into(),
        Cell::Verdict {
            met,
            words: format!("{goal} {}", if met { "met" } else { "missed" }),
        },
    ]);
    for other in &others.simulator {
        let (low, high) = other.jobs_per_second;
        let shown = taktos_export::table::thousands;
        let rate = match low == high {
            true => shown(low),
            false => format!("{}–{}", shown(low), shown(high)),
        };
        let name = match &other.note {
            Some(note) => format!("{}, {note}", other.name),
            None => other.name.clone(),
        };
        table.push(vec![name.into(), rate.into(), Cell::Blank]);
    }
    for size in &speed.sizes[1..] {
        let shown = taktos_export::table::thousands;
        table.notes.push(format!(
            "{} tasks on {} processors: {} jobs/s.",
            shown(size.tasks as u64),
            size.processors,
            shown(size.jobs_per_second)
        ));
    }
    let memory = speed.peak_memory_bytes.map_or("unknown".into(), |bytes| {
        format!("{} kB", taktos_export::table::thousands(bytes / 1024))
    });
    table.notes.push(format!(
        "{} events/s; {} s of virtual time in one run; peak memory of the process {memory}.",
        taktos_export::table::thousands(speed.events_per_second),
        taktos_export::table::thousands(speed.virtual_seconds)
    ));
    table.notes.push(format!("Others: {source}."));
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos_export::to_json;

    /// Waiting is not part of the measure: the processor time of a thread without a processor does
    /// not grow.
    #[test]
    fn time_without_a_processor_does_not_count() {
        let (begin, wall) = (processor_time(), std::time::Instant::now());
        std::thread::sleep(std::time::Duration::from_millis(100));
        let (had, passed) = (processor_time() - begin, wall.elapsed().as_secs_f64());
        assert!(had < passed / 2.0, "{had} s of {passed} s");
        let mut work = 0_u64;
        while processor_time() == begin + had {
            work = std::hint::black_box(work + 1);
        }
    }

    #[test]
    fn table_and_json_say_what_time_it_is() {
        let small = Size {
            tasks: 20,
            processors: 4,
            jobs: 7,
            jobs_per_second: 2_000_000,
            events_per_second: 1,
            horizon: FIRST,
        };
        let large = Size {
            tasks: 10_000,
            processors: 64,
            jobs_per_second: 1_234_567,
            ..small
        };
        let speed = Speed {
            time: "processor",
            assertions: false,
            jobs_per_second: 2_000_000,
            events_per_second: 1,
            peak_memory_bytes: None,
            virtual_seconds: 1,
            sizes: vec![small, large],
        };
        let json = to_json(&speed);
        assert!(json.contains("\"time\": \"processor\"") && json.contains("\"jobs\": 7"));
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let workspace = Workspace::at(root.as_ref());
        let shown = table(&workspace, &speed).unwrap().to_text();
        assert!(shown.contains("in a second of processor time") && shown.contains("2,000,000 met"));
        assert!(shown.contains("10,000 tasks on 64 processors: 1,234,567 jobs/s"));
    }
}
