//! The test-suite for several processors on four simulated ones: under each policy, in many orders.

use taktos_arch_host::{Order, Outcome};
use taktos_kernel::{InstanceConfig, PolicyKind};
use taktos_tests::leak;
use taktos_tests::several::{SeveralHost, run_on};
use taktos_workloads::several;

const POLICIES: [PolicyKind; 6] = [
    PolicyKind::Edf,
    PolicyKind::Simple,
    PolicyKind::Priority,
    PolicyKind::PriorityAffinity,
    PolicyKind::StrongAffinity,
    PolicyKind::Cbs,
];

fn run(policy: PolicyKind, order: Order) -> Outcome {
    let instances: &'static [InstanceConfig] = leak(several::instances(policy));
    run_on::<{ several::PROCESSORS }>(order, instances, move || {
        several::run::<SeveralHost>(policy)
    })
}

#[track_caller]
fn assert_passed(outcome: &Outcome, told: &str) {
    assert_eq!(
        outcome.status(),
        Some(0),
        "{told}: {}\n{}",
        outcome.end,
        outcome.console
    );
}

fn passes(policy: PolicyKind) {
    let outcome = run(policy, Order::Turns);
    println!("{}", outcome.console);
    assert_passed(&outcome, "by turns");
    for seed in 1..3 {
        assert_passed(&run(policy, Order::Seed(seed)), &format!("seed {seed}"));
    }
}

#[test]
fn it_passes_under_edf() {
    passes(PolicyKind::Edf);
}

#[test]
fn it_passes_under_simple() {
    passes(PolicyKind::Simple);
}

#[test]
fn it_passes_under_priority() {
    passes(PolicyKind::Priority);
}

#[test]
fn it_passes_under_weak_affinity() {
    passes(PolicyKind::PriorityAffinity);
}

#[test]
fn it_passes_under_strong_affinity() {
    passes(PolicyKind::StrongAffinity);
}

#[test]
fn it_passes_under_cbs() {
    passes(PolicyKind::Cbs);
}

/// `TAKTOS_SEEDS` says how many.
#[test]
#[ignore = "takes its time: by name"]
fn it_passes_in_many_orders() {
    let seeds = std::env::var("TAKTOS_SEEDS").ok();
    let seeds = seeds.and_then(|text| text.parse().ok()).unwrap_or(100);
    for seed in 3..3 + seeds {
        let policy = POLICIES[(seed / 4) as usize % POLICIES.len()];
        let told = format!("{policy:?}, seed {seed}");
        assert_passed(&run(policy, Order::Seed(seed)), &told);
    }
}
