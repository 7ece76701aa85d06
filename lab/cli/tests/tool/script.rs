//! The script `taktos`, on machines that lack this and that: what it installs, and what it does
//! not.

use std::fs;

use crate::common::machine::Machine;
use crate::common::{printed, said};

/// A machine that holds the tool.
fn machine(name: &str) -> Machine {
    Machine::new(name).with("taktos", env!("CARGO_BIN_EXE_taktos"))
}

#[test]
fn help_lists_and_mistakes_install_nothing() {
    let machine = machine("script-help");
    for (line, status) in [
        ("--help", 0),
        ("--version", 0),
        ("run --help", 0),
        ("trace -h", 0),
        ("vm run --help", 0),
        ("doctor", 1),
        ("trcae hello", 2),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let output = machine.call(&words);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{line}: {}",
            said(&output)
        );
        assert_eq!(machine.log(), "", "{line}");
        assert_ne!(printed(&output) + &said(&output), "", "{line}");
    }
}

#[test]
fn what_a_command_needs_is_installed() {
    let machine = machine("script-lacks");
    let output = machine.call(&["trace", "hello"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        machine.log().contains("qemu-system-arm"),
        "{}",
        machine.log()
    );
}

#[test]
fn newer_emulators_are_taken() {
    for version in ["10.0.2", "10.1.2", "11.0.0"] {
        let machine = machine("script-newer").with_emulators(version);
        let output = machine.call(&["run", "no-such-file.toml"]);
        assert!(
            said(&output).contains("cannot read the experiment"),
            "{version}: {}",
            said(&output)
        );
        assert_eq!(machine.log(), "", "{version}");
    }
}

#[test]
fn older_emulators_and_none_are_named_where_there_is_no_apt() {
    for (name, version, words) in [
        ("old", Some("9.2.4"), "qemu-system-arm is version 9.2.4; "),
        ("none", None, "qemu-system-arm is missing; "),
    ] {
        let mut machine = machine(&format!("script-{name}")).without("apt-get");
        if let Some(version) = version {
            machine = machine.with_emulators(version);
        }
        let output = machine.call(&["trace", "hello"]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(words) && said.contains("needed is 10.0 or newer"),
            "{said}"
        );
        assert!(said.contains("install QEMU 10.0 or newer"), "{said}");
        assert!(
            !said.contains("backports") && !said.contains("Debian"),
            "{said}"
        );
        assert_eq!(machine.log(), "");
    }
    let machine = machine("script-part").with_emulators("10.0.2");
    let machine = machine.without("apt-get").without("qemu-system-riscv64");
    let said = said(&machine.call(&["trace", "hello"]));
    assert!(
        said.contains("error: qemu-system-riscv64 is missing; needed"),
        "{said}"
    );
}

#[test]
fn a_tool_of_another_tree_is_built_anew() {
    let machine = machine("script-moved");
    machine.0.file("target/tool/taktos.root", "/where/it/was\n");
    let output = machine.call(&["--version"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        machine.log().starts_with("cargo build "),
        "{}",
        machine.log()
    );
    fs::remove_file(machine.0.0.join("log")).unwrap();
    machine.call(&["--version"]);
    assert_eq!(machine.log(), "", "it is this tree's now");
}

#[test]
fn help_without_rust_or_without_the_tool_says_what_it_can_and_fetches_nothing() {
    for (name, lacks) in [("script-bare", "rustc"), ("script-c", "cc")] {
        let machine = Machine::new(name).without(lacks);
        let output = machine.call(&["--help"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(
            printed(&output).contains("./taktos run"),
            "{}",
            printed(&output)
        );
        assert_eq!(machine.log(), "", "{lacks}");
    }
    let machine = Machine::new("script-offline");
    machine.script(
        "cargo",
        "echo \"$CARGO_NET_OFFLINE $RUSTUP_AUTO_INSTALL\" >>\"$LOG\"; exit 1",
    );
    let output = machine.call(&["--help"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(machine.log(), "true 0\n", "cargo was told not to fetch");
}

#[test]
fn a_user_without_root_and_without_rust_runs_a_tool_that_is_built() {
    let without = |name: &str| {
        let machine = machine(name).without("sudo").without("id");
        machine.script("id", "echo 1000");
        machine.without("cargo").without("rustc").without("rustup")
    };
    let tool = without("script-user");
    let output = tool.call(&["generate", "--tasks", "2"]);
    assert!(output.status.success(), "{}", said(&output));
    for (name, words, lacks) in [
        ("script-user-images", &["vm", "check", "x.toml"][..], "Rust"),
        ("script-user-trace", &["trace", "hello"], "Rust"),
    ] {
        let output = without(name).call(words);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let cause = format!("error: {lacks} is missing; to install it needs root");
        assert!(said.contains(&cause), "{said}");
        assert!(said.contains("without root: install rustup"), "{said}");
    }
    assert_eq!(tool.log(), "");
}

#[test]
fn programs_of_rustup_without_the_rust_that_is_named_are_no_rust() {
    let machine = Machine::new("script-proxies");
    machine.script("rustc", "[ \"$RUSTUP_AUTO_INSTALL\" = 0 ] && exit 1");
    let output = machine.call(&["doctor"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        machine.log().starts_with("rustup toolchain install "),
        "{}",
        machine.log()
    );
}
