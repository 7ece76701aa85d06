//! The programs that are measured on four processors run to their ends, whatever order the
//! processors continue in.
#![expect(unsafe_code, reason = "stands for a board's vector")]

use std::cell::Cell;
use taktos_arch_host::{HostSeveral, Order};
use taktos_kernel::{Priority, System};
use taktos_tests::leak;
use taktos_tests::several::{SeveralHost, run_on};
use taktos_workloads::bench;
use taktos_workloads::several_bench::{self, LAYOUTS, Layout};

thread_local! {
    static OPERATIONS: Cell<Option<&'static bench::Objects<SeveralHost>>> = const { Cell::new(None) };
}

/// The board's spare interrupt, and its handler.
fn pend() {
    HostSeveral::interrupt(|| {
        let objects = OPERATIONS
            .get()
            .expect("the objects are there before the threads");
        // SAFETY: the host runs this as a handler.
        bench::interrupt(objects, &unsafe { taktos_kernel::Interrupt::assume() });
    });
}

fn run(layout: &'static Layout, order: Order) -> taktos_arch_host::Outcome {
    run_on::<{ several_bench::PROCESSORS }>(order, layout.instances, move || {
        OPERATIONS.set(Some(leak(bench::Objects::new(pend))));
        let main = Priority::new(several_bench::MAIN).expect("there is such a priority");
        let caller = taktos_kernel::AnyThread::<SeveralHost>::current();
        caller.set_priority(main).expect("it exists");
        let operations = OPERATIONS.get().expect("it was made");
        let objects = (
            leak(several_bench::Objects::new()),
            leak(several_bench::Pairs::new()),
        );
        several_bench::run(layout, objects, operations);
        SeveralHost::exit(0);
    })
}

/// How many rounds of a kind the program says that it began.
fn rounds(console: &str, part: &str) -> usize {
    let begin = format!("@round part={part} ");
    let lines = console.lines().filter(|line| line.starts_with(&begin));
    lines.count()
}

#[test]
fn all_is_measured_in_any_order() {
    for layout in &LAYOUTS {
        for order in [Order::Turns, Order::Seed(1), Order::Seed(2)] {
            let outcome = run(layout, order);
            let name = layout.name;
            assert_eq!(
                outcome.status(),
                Some(0),
                "{name} ended by: {}",
                outcome.end
            );
            assert_eq!(outcome.console.lines().last(), Some("all is measured"));
            let processors = several_bench::PROCESSORS;
            let (same, across, locks, pairs) = match name {
                "partitioned" => (3, 1, 8 * processors, 2 * processors),
                "cluster" => (3, 1, 0, 0),
                "edf" => (1, 1, 0, 0),
                "deadlines" | "servers" | "bound" | "simple" | "weak" => (1, 0, 0, 0),
                "affinity" => (1, 1, processors, 0),
                _ => (2, 0, 0, 0),
            };
            assert_eq!(rounds(&outcome.console, "same"), same, "{name}");
            assert_eq!(rounds(&outcome.console, "across"), across, "{name}");
            assert_eq!(rounds(&outcome.console, "locks"), locks, "{name}");
            assert_eq!(rounds(&outcome.console, "pairs"), pairs, "{name}");
        }
    }
}
