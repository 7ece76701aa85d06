//! The programs that are measured on four processors run to their ends, whatever order the processors go on in.
#![expect(unsafe_code, reason = "stands for a board's vector")]

use std::cell::Cell;
use taktos_arch_host::{HostSeveral, Order};
use taktos_kernel::{Priority, System};
use taktos_tests::leak;
use taktos_tests::several::{SeveralHost, run_on};
use taktos_workloads::{bench, several_bench};

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

fn run(order: Order) -> taktos_arch_host::Outcome {
    run_on::<{ several_bench::PROCESSORS }>(order, &several_bench::INSTANCES, || {
        OPERATIONS.set(Some(leak(bench::Objects::new(pend))));
        let main = Priority::new(several_bench::MAIN).expect("there is such a priority");
        let caller = taktos_kernel::AnyThread::<SeveralHost>::current();
        caller.set_priority(main).expect("it exists");
        let operations = OPERATIONS.get().expect("it was made");
        several_bench::run(leak(several_bench::Objects::new()), operations);
        SeveralHost::exit(0);
    })
}

#[test]
fn all_is_measured_in_any_order() {
    for order in [Order::Turns, Order::Seed(1), Order::Seed(2)] {
        let outcome = run(order);
        assert_eq!(outcome.status(), Some(0), "it ended by: {}", outcome.end);
        let said: Vec<&str> = outcome.console.lines().collect();
        let rounds = said
            .iter()
            .filter(|line| line.starts_with("@round part=locks"));
        assert_eq!(rounds.count(), 9 * several_bench::PROCESSORS);
        assert_eq!(said.last(), Some(&"all is measured"));
    }
}
