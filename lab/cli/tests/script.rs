//! The script `taktos`, on machines that lack this and that: what it installs, and what it does not.
//!
//! Its programs are stand-ins that write down how they are called. The tool is the real one.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use common::{Folder, printed, root, said};

/// What the script uses of any machine.
const TOOLS: [&str; 17] = [
    "awk", "cat", "dirname", "env", "find", "grep", "head", "id", "mkdir", "printf", "sed", "sh",
    "sort", "tail", "touch", "tr", "uname",
];
/// A machine: its programs, and a target directory that holds the tool.
struct Machine(Folder);

impl Machine {
    /// With Rust and a C compiler, and nothing else.
    fn new(name: &str) -> Self {
        let machine = Self(Folder::new(name));
        let bin = machine.0.0.join("bin");
        fs::create_dir_all(&bin).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        for tool in TOOLS {
            let found = std::env::split_paths(&path).map(|folder| folder.join(tool));
            if let Some(found) = found.into_iter().find(|file| file.is_file()) {
                symlink(found, bin.join(tool)).unwrap();
            }
        }
        machine.script("cc", "exit 0");
        // There is no miri.
        machine.script(
            "cargo",
            "case $1 in +*) exit 1 ;; build) echo \"cargo $*\" >>\"$LOG\" ;; esac",
        );
        machine.script("rustc", "echo \"$SYSROOT\"");
        // What would change the machine is written down, and does nothing.
        for program in ["apt-get", "rustup", "sudo", "tee"] {
            machine.script(
                program,
                &format!("echo \"{program} $*\" >>\"$LOG\"; exit 1"),
            );
        }
        machine.sysroot();
        machine.tool();
        machine
    }

    /// A program of the machine.
    fn script(&self, name: &str, does: &str) {
        self.0.program(&format!("bin/{name}"), "");
        let path = self.0.0.join("bin").join(name);
        fs::write(path, format!("#!/bin/sh\n{does}\n")).unwrap();
    }

    fn without(self, name: &str) -> Self {
        fs::remove_file(self.0.0.join("bin").join(name)).unwrap();
        self
    }

    /// The emulators, of that version.
    fn with_emulators(self, version: &str) -> Self {
        self.0.emulators("bin", version);
        self
    }

    /// Rust with every target of the project.
    fn sysroot(&self) {
        let sysroot = self.0.0.join("sysroot");
        let toolchain = fs::read_to_string(root().join("rust-toolchain.toml")).unwrap();
        let targets = toolchain
            .lines()
            .find_map(|line| line.strip_prefix("targets = "))
            .unwrap();
        for target in targets
            .split(['[', ']', '"', ',', ' '])
            .filter(|word| !word.is_empty())
        {
            fs::create_dir_all(sysroot.join("lib/rustlib").join(target).join("lib")).unwrap();
        }
        fs::create_dir_all(sysroot.join("bin")).unwrap();
        for name in ["cargo-clippy", "rustfmt"] {
            self.0.program(&format!("sysroot/bin/{name}"), "");
        }
    }

    /// The tool, built in this tree just now.
    fn tool(&self) {
        let built = self.0.0.join("target/lab");
        fs::create_dir_all(&built).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_taktos"), built.join("taktos")).unwrap();
        // Younger than its sources: a copy keeps no time.
        fs::File::open(built.join("taktos"))
            .unwrap()
            .set_modified(std::time::SystemTime::now())
            .unwrap();
        let root = root().canonicalize().unwrap();
        fs::write(built.join("taktos.root"), format!("{}\n", root.display())).unwrap();
    }

    fn call(&self, words: &[&str]) -> Output {
        Command::new(root().join("taktos"))
            .args(words)
            .current_dir(&self.0.0)
            .env("PATH", self.0.0.join("bin"))
            .env("LOG", self.0.0.join("log"))
            .env("SYSROOT", self.0.0.join("sysroot"))
            .env("CARGO_TARGET_DIR", self.0.0.join("target"))
            .output()
            .unwrap()
    }

    /// How the stand-ins were called.
    fn log(&self) -> String {
        fs::read_to_string(self.0.0.join("log")).unwrap_or_default()
    }
}

#[test]
fn help_lists_and_mistakes_install_nothing() {
    let machine = Machine::new("script-help");
    for (line, status) in [
        ("--help", 0),
        ("--version", 0),
        ("run --help", 0),
        ("test --help", 0),
        ("test --list", 0),
        ("trace -h", 0),
        ("vm run --help", 0),
        ("doctor", 1),
        ("trcae hello", 2),
        ("test --only format", 0),
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
    let machine = Machine::new("script-needs").with_emulators("10.0.2");
    let output = machine.call(&["test", "--only", "miri"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        machine
            .log()
            .starts_with("rustup toolchain install nightly-"),
        "{}",
        machine.log()
    );
    let machine = Machine::new("script-lacks");
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
        let machine = Machine::new("script-newer").with_emulators(version);
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
        let mut machine = Machine::new(&format!("script-{name}")).without("apt-get");
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
    let machine = Machine::new("script-part").with_emulators("10.0.2");
    let machine = machine.without("apt-get").without("qemu-system-riscv64");
    let said = said(&machine.call(&["trace", "hello"]));
    assert!(
        said.contains("error: qemu-system-riscv64 is missing; needed"),
        "{said}"
    );
}

#[test]
fn a_tool_of_another_tree_is_built_anew() {
    let machine = Machine::new("script-moved");
    machine.0.file("target/lab/taktos.root", "/where/it/was\n");
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
