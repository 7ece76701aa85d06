//! The script `taktos` and the steps of `./taktos test`: what is installed for them, and what is
//! not.

#[allow(dead_code, reason = "the script needs a part of it")]
#[path = "../../lab/cli/tests/tool/common/mod.rs"]
mod common;

use common::machine::Machine;
use common::{printed, said};

/// A machine that holds the test-runner.
fn machine(name: &str) -> Machine {
    Machine::new(name).with("xtask", env!("CARGO_BIN_EXE_xtask"))
}

#[test]
fn help_and_lists_install_nothing_and_work_without_an_emulator() {
    let machine = machine("script-lists");
    for (line, words) in [
        ("test --help", "--long"),
        ("test --list", "layering"),
        ("test --long --list", "miri"),
        ("test lints --list", "lints of the host"),
        ("test --only format", "1 passed, 0 failed"),
    ] {
        let output = machine.call(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{line}: {}", said(&output));
        assert!(
            printed(&output).contains(words),
            "{line}: {}",
            printed(&output)
        );
        assert_eq!(machine.log(), "", "{line}");
    }
}

#[test]
fn what_a_step_needs_is_installed() {
    let machine = machine("script-needs").with_emulators("10.0.2");
    let output = machine.call(&["test", "--long", "--only", "miri"]);
    // The step cannot be done, which is reported as its failure.
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let report = printed(&output);
    assert!(
        report.contains("it needs miri, which could not be set up"),
        "{report}"
    );
    let log = machine.log();
    assert!(
        log.starts_with("rustup toolchain install nightly-"),
        "{log}"
    );
}

#[test]
fn no_step_of_that_name_is_an_error() {
    let output = machine("script-unknown").call(&["test", "--only", "no such step"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("./taktos test --list names them"));
}
