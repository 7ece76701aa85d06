//! The kernel against its naive model, in random worlds.
//!
//! `TAKTOS_SEED` repeats a run, and `TAKTOS_OPERATIONS` chooses its length.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use taktos_tests::model::{Operation, PRESENT_WORLD, Wait, World, compare, random_run};

/// A world takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// The number of operations that the environment names, or another one.
fn length(otherwise: usize) -> usize {
    std::env::var("TAKTOS_OPERATIONS").map_or(otherwise, |text| {
        text.parse().expect("TAKTOS_OPERATIONS is a number")
    })
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

fn run(operations: usize) {
    watch();
    if let Err(report) = random_run(taktos_random::seed(), length(operations)) {
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

/// A world that random runs have found: the kernel and the model agree on it.
fn agrees(priorities: &[u8], operations: &[Operation]) {
    let world = World {
        priorities: priorities.to_vec(),
        operations: operations.to_vec(),
    };
    if let Err(difference) = compare(&world) {
        panic!("{difference}, in\n{world}");
    }
}

#[test]
fn a_slice_that_is_over_when_its_thread_is_preempted_ends_two_ticks_after_it_goes_on() {
    use Operation as O;
    agrees(
        &[1, 1, 0],
        &[
            O::SetSlice(100),
            O::Start(1),
            O::Interrupt(100, vec![O::Start(2)]),
            O::Spend(1_000),
            O::Exit,
            O::Spend(10),
            O::Spend(10),
        ],
    );
}

#[test]
fn a_rest_that_was_noted_before_slices_were_off_is_for_the_next_switch() {
    use Operation as O;
    agrees(
        &[2, 3, 3],
        &[
            O::Interrupt(374, vec![O::Give(0)]),
            O::Start(1),
            O::Sleep(Wait::After(609)),
            O::SetSlice(100),
            O::Spend(1_078),
            O::SetSlice(0),
            O::Take(1, Wait::Forever),
            O::SetSlice(100),
            O::Spend(2_298),
            O::Start(2),
            O::Spend(130),
        ],
    );
}
