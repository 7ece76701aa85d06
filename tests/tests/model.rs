//! The kernel against its naive model, in random worlds.
//!
//! `TAKTOS_SEED` and `TAKTOS_OPERATIONS` choose another run than the usual one.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use taktos_tests::model::{PRESENT_WORLD, random_run};

/// A world takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

/// Ends the process when one world does not come to an end: the kernel goes round in a circle.
fn watch() {
    std::thread::spawn(|| {
        let mut last = 0;
        loop {
            std::thread::sleep(PATIENCE);
            let world = PRESENT_WORLD.load(Relaxed);
            if world == last {
                eprintln!("the kernel does not come to an end; seed of the world: {world}");
                std::process::abort();
            }
            last = world;
        }
    });
}

fn run(operations: u64) {
    watch();
    let seed = number("TAKTOS_SEED", 1);
    let operations = number("TAKTOS_OPERATIONS", operations);
    if let Err(report) = random_run(seed, operations as usize) {
        panic!("{report}");
    }
}

#[test]
fn two_hundred_thousand_operations() {
    run(200_000);
}

#[test]
#[ignore = "takes its time: in the release profile, by name"]
fn ten_million_operations() {
    run(10_000_000);
}
