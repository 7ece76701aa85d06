//! The kernel's test-suite on the host: by itself, and with interrupts wherever they can come.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use taktos_arch_host::{Handler, Host, Outcome};
use taktos_kernel::Timeout;
use taktos_tests::{HostSystem, Semaphore, leak, run, spawn};
use taktos_workloads::suite;

#[track_caller]
fn assert_passed(outcome: &Outcome) {
    print!("{}", outcome.console);
    assert_eq!(
        outcome.status(),
        Some(0),
        "the suite ended by: {}",
        outcome.end
    );
}

#[test]
fn the_suite_passes() {
    assert_passed(&run(|| suite::run::<HostSystem>()));
}

/// Disturbs the suite: at each `period`th unmasking of interrupts one comes and wakes the most
/// urgent thread, which preempts the thread that runs there.
fn disturbed(period: u64) -> Outcome {
    run(move || {
        let wake = leak(Semaphore::new(0));
        let active = leak(AtomicBool::new(false));
        let disturbances = leak(AtomicU64::new(0));
        spawn("disturber", 0, || {
            loop {
                disturbances.fetch_add(1, Relaxed);
                active.store(false, Relaxed);
                wake.take(Timeout::FOREVER)
                    .expect("nobody deletes the semaphore");
            }
        });
        let unmaskings = AtomicU64::new(0);
        Host::at_each_unmask(move || {
            let number = unmaskings.fetch_add(1, Relaxed);
            if !number.is_multiple_of(period) || active.swap(true, Relaxed) {
                return None;
            }
            Some(Box::new(|| wake.give().expect("there is room for a permit")) as Handler)
        });
        suite::run::<HostSystem>()
    })
}

#[test]
fn the_suite_passes_whatever_preempts_it() {
    let undisturbed = run(|| suite::run::<HostSystem>());
    for period in [1, 2, 3, 5, 7, 11, 101] {
        let outcome = disturbed(period);
        assert_passed(&outcome);
        assert!(
            outcome.switches > undisturbed.switches,
            "nothing disturbed it"
        );
    }
}
