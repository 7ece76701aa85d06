//! How fast the library simulates by itself, in jobs for each second of processor time: the sets of
//! `taktos bench --suite simulation`, without what the tool has around it. SIZE is one of the
//! three, 0 the smallest.
//!
//! `cargo run --profile lab --example speed [RUNS [POLICY [SECONDS [SIZE]]]]`

use rustix::time::{ClockId, clock_gettime};
use taktos_simulate::{Plan, Policy, Setup, generate, run};
use taktos_time::Duration;

/// The processor time of this thread, in seconds.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: u64| {
        let word = words.get(place);
        word.map_or(usual, |word| word.parse().expect("a number"))
    };
    let policy = words.get(1);
    let policy = policy.map_or(Policy::Edf, |word| word.parse().expect("a policy"));
    let runs = number(0, 5).max(1);
    let size = generate::SPEED_SIZES[number(3, 0) as usize];
    let horizon = Duration::from_secs(number(2, 500));
    let setup = Setup::global(policy, size.processors, horizon);
    let workload = size.workload().expect("a set");
    let plan = Plan::new(&workload, &setup).expect("a good workload");
    let mut rates: Vec<u64> = (0..runs)
        .map(|_| {
            let begin = processor_time();
            let outcome = run(&plan, 0, &mut ()).expect("a run");
            (outcome.jobs() as f64 / (processor_time() - begin)) as u64
        })
        .collect();
    rates.sort_unstable();
    println!("{}", rates[rates.len() / 2]);
}
