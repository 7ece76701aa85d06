//! The kernel against its naive model, in random worlds.
//!
//! `TAKTOS_SEED` and `TAKTOS_OPERATIONS` choose another run than the usual one.

use taktos_tests::model::random_run;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

fn run(operations: u64) {
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
