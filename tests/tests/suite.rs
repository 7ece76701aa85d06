//! The kernel's test-suite on the host.

use taktos_tests::{HostSystem, run};
use taktos_workloads::suite;

#[test]
fn the_suite_passes() {
    let outcome = run(|| suite::run::<HostSystem>());
    print!("{}", outcome.console);
    assert_eq!(
        outcome.status(),
        Some(0),
        "the suite ended by: {}",
        outcome.end
    );
}
