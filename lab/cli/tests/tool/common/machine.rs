//! Machines that lack this and that, for the script `taktos`. Their programs are stand-ins that
//! write down how they are called; what the script builds is the real one.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use super::{Folder, root};

/// Tools that the script uses on any machine.
const TOOLS: [&str; 17] = [
    "awk", "cat", "dirname", "env", "find", "grep", "head", "id", "mkdir", "printf", "sed", "sh",
    "sort", "tail", "touch", "tr", "uname",
];
/// A machine: its programs, and a target directory that holds the tool.
pub struct Machine(pub Folder);

impl Machine {
    /// With Rust and a C compiler, and nothing else.
    pub fn new(name: &str) -> Self {
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
        // A command that would change the machine is written down, and does nothing.
        for program in ["apt-get", "rustup", "sudo", "tee"] {
            machine.script(
                program,
                &format!("echo \"{program} $*\" >>\"$LOG\"; exit 1"),
            );
        }
        machine.sysroot();
        machine
    }

    /// A program of the machine.
    pub fn script(&self, name: &str, does: &str) {
        self.0.program(&format!("bin/{name}"), "");
        let path = self.0.0.join("bin").join(name);
        fs::write(path, format!("#!/bin/sh\n{does}\n")).unwrap();
    }

    pub fn without(self, name: &str) -> Self {
        fs::remove_file(self.0.0.join("bin").join(name)).unwrap();
        self
    }

    /// The emulators, of that version.
    pub fn with_emulators(self, version: &str) -> Self {
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

    /// Adds a program that the script runs, built in this tree just now.
    pub fn with(self, name: &str, program: &str) -> Self {
        // The checks of the project are built as tests are.
        let profile = match name {
            "xtask" => "lab",
            _ => "tool",
        };
        let built = self.0.0.join("target").join(profile);
        fs::create_dir_all(&built).unwrap();
        let copy = built.join(name);
        fs::copy(program, &copy).unwrap();
        // Younger than its sources: a copy keeps no time.
        let file = fs::File::open(&copy).unwrap();
        file.set_modified(std::time::SystemTime::now()).unwrap();
        let root = root().canonicalize().unwrap();
        let place = built.join(format!("{name}.root"));
        fs::write(place, format!("{}\n", root.display())).unwrap();
        self
    }

    pub fn call(&self, words: &[&str]) -> Output {
        Command::new(root().join("taktos"))
            .args(words)
            .current_dir(&self.0.0)
            .env("PATH", self.0.0.join("bin"))
            // Its user has installed nothing.
            .env("HOME", &self.0.0)
            .env_remove("CARGO_HOME")
            .env("LOG", self.0.0.join("log"))
            .env("SYSROOT", self.0.0.join("sysroot"))
            .env("CARGO_TARGET_DIR", self.0.0.join("target"))
            .output()
            .unwrap()
    }

    /// How the stand-ins were called.
    pub fn log(&self) -> String {
        fs::read_to_string(self.0.0.join("log")).unwrap_or_default()
    }
}
