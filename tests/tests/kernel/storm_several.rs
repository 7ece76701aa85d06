//! Stress tests of the kernel on several simulated processors: every policy, every layout, random
//! orders.
//!
//! The whole number of operations is that of the environment's `TAKTOS_STORM`, or a million on four
//! processors; it is divided among the worlds. A failure names its seed, policy and layout, with
//! which `TAKTOS_STORM_ONLY=SEED` runs it again alone.

use taktos_arch_host::Order;
use taktos_kernel::{PolicyKind, System};
use taktos_tests::several::{LAYOUTS, POLICIES, SeveralHost, instances, run_on};
use taktos_workloads::storm::{self, Plan};

/// Values of [`Plan::calm`]: instances lend seats nearly always with the first, and rarely with the
/// last.
const CALM: [u64; 3] = [1, 8, 60];
/// Number of operations in each world: short ones meet more beginnings.
const EACH: u64 = 5000;

fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no whole number")),
    )
}

fn rage<const P: usize>(policy: PolicyKind, layout: &[u64], plan: Plan) {
    let instances = instances(policy, layout);
    let Plan { seed, calm, .. } = plan;
    let told = format!("{policy:?} {layout:?} seed {seed} calm {calm}");
    println!("{told}");
    let outcome = run_on::<P>(Order::Seed(seed), instances, move || {
        let passed = storm::run::<SeveralHost>(plan);
        SeveralHost::exit(i32::from(!passed));
    });
    assert_eq!(
        outcome.status(),
        Some(0),
        "{told}: {}\n{}",
        outcome.end,
        outcome.console
    );
}

/// Each half of the seeds is a test of its own: there are two processors to run them.
fn half<const P: usize>(layouts: &[&[u64]], operations: u64, parity: u64) {
    if let Some(seed) = variable("TAKTOS_STORM_ONLY") {
        if seed % 2 == parity {
            world::<P>(layouts, seed);
        }
        return;
    }
    for seed in (0..operations / EACH).filter(|seed| seed % 2 == parity) {
        world::<P>(layouts, seed);
    }
}

/// The seed selects the policy, the layout and the value of [`CALM`], too.
fn world<const P: usize>(layouts: &[&[u64]], seed: u64) {
    let policy = POLICIES[(seed / 2) as usize % POLICIES.len()];
    let layout = layouts[(seed / 12) as usize % layouts.len()];
    let plan = Plan {
        seed,
        operations: EACH,
        calm: CALM[(seed / 48) as usize % CALM.len()],
    };
    rage::<P>(policy, layout, plan);
}

fn whole() -> u64 {
    variable("TAKTOS_STORM").unwrap_or(1_000_000)
}

#[test]
fn a_million_operations_on_four_processors_the_even_seeds() {
    half::<4>(&LAYOUTS, whole(), 0);
}

#[test]
fn a_million_operations_on_four_processors_the_odd_seeds() {
    half::<4>(&LAYOUTS, whole(), 1);
}

#[test]
fn storms_on_one_two_and_eight_processors() {
    let part = whole() / 20;
    for parity in [0, 1] {
        half::<1>(&[&[1]], part, parity);
        half::<2>(&[&[3], &[1, 2]], part, parity);
        half::<8>(&[&[255], &[15, 240]], part, parity);
    }
}
