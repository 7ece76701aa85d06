//! How fast the simulator is: 20 tasks, 4 processors, utilisation 3, global EDF, no trace.
//!
//! `cargo run --profile lab -p taktos-simulate --example speed [RUNS [POLICY [SECONDS]]]`

use std::time::Instant;

use taktos_simulate::{Arrival, Execution, Plan, Policy, Setup, Step, Task, Workload, run};
use taktos_time::Duration;

/// Twenty tasks with periods of 1 to 20 ms in an irregular order and a utilisation of 0.15 each.
fn workload() -> Workload {
    let tasks = (0..20u64).map(|index| {
        let period = 1_000_000 * (1 + index * 7 % 20) + 1_000 * (index * 13 % 97);
        let mut task = Task::periodic(
            &format!("t{index}"),
            Duration::from_nanos(period * 15 / 100),
            Duration::from_nanos(period),
        );
        task.arrival = Arrival::Periodic {
            period: Duration::from_nanos(period),
            offset: Duration::from_nanos(index * 50_000),
            jitter: Duration::ZERO,
        };
        task.body = vec![Step::Run(Execution::Fixed(Duration::from_nanos(
            period * 15 / 100,
        )))];
        task
    });
    Workload {
        name: "speed".to_owned(),
        tasks: tasks.collect(),
        ..Workload::default()
    }
}

fn main() {
    let runs = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(7);
    let policy = std::env::args()
        .nth(2)
        .map_or(Policy::Edf, |text| text.parse().expect("a policy"));
    let seconds = std::env::args()
        .nth(3)
        .and_then(|text| text.parse().ok())
        .unwrap_or(500);
    let setup = Setup::global(policy, 4, Duration::from_secs(seconds));
    let plan = Plan::new(&workload(), &setup).expect("a good workload");
    let mut rates: Vec<(u64, u64)> = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        let outcome = run(&plan, 0, &mut ()).expect("a run");
        let micros = start.elapsed().as_micros() as u64;
        rates.push((
            outcome.jobs() * 1_000_000 / micros,
            outcome.events * 1_000_000 / micros,
        ));
        if rates.len() == 1 {
            println!(
                "{} jobs, {} events, {} missed",
                outcome.jobs(),
                outcome.events,
                outcome.missed()
            );
        }
    }
    rates.sort_unstable();
    let (jobs, events) = rates[rates.len() / 2];
    println!(
        "{policy}: median of {runs} runs: {jobs} jobs/s, {events} events/s; best {}",
        rates[rates.len() - 1].0
    );
}
