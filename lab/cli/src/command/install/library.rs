//! Owns: how the library for one board is built, and the arguments of compilers and linkers for it.
//! Must never know: where it is installed.

use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use taktos_runner::failure::Failure;
use taktos_runner::image::{alone, cargo, output_of};
use taktos_runner::workspace::Workspace;

use super::form::{self, Form};
use super::{Kit, LINKED, LINKED_BY_GNU};

/// The crate.
const PACKAGE: &str = "taktos-c";

/// The library for one board and one way of handing over floating-point values, in one form.
pub(super) struct Library<'a> {
    pub(super) kit: &'a Kit,
    hard: bool,
    triple: &'static str,
    pub(super) form: Form,
}

/// Result of building a library.
pub(super) struct Built {
    /// The library.
    pub(super) archive: PathBuf,
    /// Linker arguments of the board, and the folders in which linkers find scripts.
    pub(super) arguments: Vec<String>,
    pub(super) searched: Vec<PathBuf>,
    /// Others build no library into its place meanwhile.
    _until_used: File,
}

impl<'a> Library<'a> {
    /// The library, if there is one.
    pub(super) fn of(kit: &'a Kit, hard: bool, form: Form) -> Option<Self> {
        let triple = match hard {
            false => kit.board.triple(),
            true => kit.board.hard_float_triple()?,
        };
        Some(Self {
            kit,
            hard,
            triple,
            form,
        })
    }

    /// Its name, which is that of its folder.
    pub(super) fn name(&self) -> String {
        let end = if self.hard { "-hard" } else { "" };
        format!("{}{end}{}", self.kit.board.name(), self.form.ending())
    }

    /// Returns the arguments of a compiler.
    pub(super) fn compiled(&self) -> Vec<&'static str> {
        let clang = &self.kit.clang;
        let words = match self.form {
            Form::Machine => self.processor(),
            Form::Bitcode => {
                let floats = if self.hard { clang.hard } else { clang.soft };
                [clang.processor, floats, &form::ALWAYS].concat()
            }
        };
        [
            words.as_slice(),
            &["-ffunction-sections", "-fdata-sections"],
        ]
        .concat()
    }

    /// Returns the arguments of a linker in addition to the script. In them `form::PREFIX`
    /// represents the folder of the installed files.
    pub(super) fn linked(&self) -> Vec<&'static str> {
        let linker = match self.form {
            Form::Machine => LINKED_BY_GNU.to_vec(),
            Form::Bitcode => [&form::LINKED, self.kit.clang.link].concat(),
        };
        let processor = self.processor();
        [&processor, LINKED.as_slice(), &linker, self.kit.link].concat()
    }

    fn processor(&self) -> Vec<&'static str> {
        let floats = if self.hard {
            self.kit.hard
        } else {
            self.kit.soft
        };
        [self.kit.processor, floats].concat()
    }

    /// Builds it as it ships, with clocks of processor time if `processor_time` is set.
    pub(super) fn build(&self, workspace: &Workspace, processor_time: bool) -> Result<Built> {
        let clocks: &[&str] = match processor_time {
            true => &["--features", "processor-time"],
            false => &[],
        };
        let form: &[&str] = match self.form {
            Form::Machine => &[],
            Form::Bitcode => &["--features", "bitcode", "--", "-C", "linker-plugin-lto"],
        };
        let until_used = alone(&workspace.target())?;
        let output = output_of(
            cargo(workspace)
                .args(["rustc", "--quiet", "--release", "--lib", "-p", PACKAGE])
                .args(["--crate-type", "staticlib", "--message-format", "json"])
                .args(["--features", self.kit.board.name(), "--target", self.triple])
                .args(clocks)
                .args(form)
                .stderr(Stdio::inherit()),
        )?;
        ensure!(
            output.status.success(),
            Failure::error(
                format!(
                    "the library for {} does not build; what the compiler said is above",
                    self.name()
                ),
                "fix it in user/c",
            )
        );
        let messages: Vec<Value> = output
            .stdout
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(serde_json::from_slice)
            .collect::<Result<_, _>>()
            .context("cargo does not speak as it used to")?;
        built(&messages, until_used)
    }
}

/// Reads the library, and the scripts that the board's crates have written, from cargo's messages.
fn built(messages: &[Value], until_used: File) -> Result<Built> {
    let of_reason = |reason: &'static str| {
        messages
            .iter()
            .filter(move |message| message["reason"] == reason)
    };
    let archive = of_reason("compiler-artifact")
        .flat_map(|message| message["filenames"].as_array().into_iter().flatten())
        .filter_map(Value::as_str)
        .find(|name| name.ends_with(".a"))
        .context("cargo names no library")?;
    let mut searched = Vec::new();
    let mut arguments = Vec::new();
    for message in of_reason("build-script-executed") {
        let paths = message["linked_paths"].as_array().into_iter().flatten();
        searched.extend(
            paths
                .filter_map(Value::as_str)
                .map(|path| PathBuf::from(path.split_once('=').map_or(path, |(_, path)| path))),
        );
        let out = message["out_dir"]
            .as_str()
            .context("a build script has a folder")?;
        if let Some(words) = arguments_of(out) {
            arguments = words;
        }
    }
    ensure!(!arguments.is_empty(), "the board tells linkers nothing");
    Ok(Built {
        archive: archive.into(),
        arguments,
        searched,
        _until_used: until_used,
    })
}

/// Returns the linker arguments from a board's build script: cargo stores its output next to its
/// folder.
fn arguments_of(out: &str) -> Option<Vec<String>> {
    let said = std::fs::read_to_string(PathBuf::from(out).parent()?.join("output")).ok()?;
    let line = said
        .lines()
        .find_map(|line| line.strip_prefix("cargo:arguments="))?;
    Some(line.split_whitespace().map(str::to_owned).collect())
}
