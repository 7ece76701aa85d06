//! The step that keeps the book true: every block of code in it is compiled
//! or understood.
//!
//! Rust is compiled and run as documentation tests; a line that calls the tool
//! must be a command that it knows; an experiment must be one.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Parser;

use super::Tally;
use super::tools::counted;
use crate::arguments::Arguments;
use crate::experiment::{Experiment, line_of};
use crate::image::cargo;
use crate::workspace::Workspace;

/// The crates that the book's Rust may use.
const CRATES: [&str; 7] = [
    "taktos-time",
    "taktos-abi",
    "taktos-schedule",
    "taktos-trace",
    "taktos-machine",
    "taktos-kernel",
    "taktos-arch-host",
];

/// A fenced block of code.
#[derive(Debug, PartialEq, Eq)]
struct Block<'a> {
    language: &'a str,
    line: usize,
    text: &'a str,
}

/// Every block of the book, the README and the architecture.
pub(super) fn code(workspace: &Workspace) -> Result<Tally> {
    let mut all = Tally::default();
    let mut with_rust = Vec::new();
    for path in pages(workspace)? {
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        for block in blocks(&text) {
            let place = format!("{}:{}", workspace.shown(&path), block.line);
            match block.language.split(',').next().unwrap_or_default() {
                "rust" if !with_rust.contains(&path) => with_rust.push(path.clone()),
                "console" | "sh" => all.add(commands(&block, &place)),
                "toml" if block.text.contains("program") => all.add(experiment(&block, &place)),
                _ => {}
            }
        }
    }
    if !with_rust.is_empty() {
        let libraries = libraries(workspace)?;
        for path in with_rust {
            all.add(rust(workspace, &path, &libraries)?);
        }
    }
    Ok(all)
}

/// The pages, in the order of their names.
fn pages(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut pages = vec![
        workspace.path("README.md"),
        workspace.path("ARCHITECTURE.md"),
    ];
    let mut folders = vec![workspace.path("docs")];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("\n```") {
        let opened = &rest[start + 4..];
        let Some(head) = opened.find('\n') else { break };
        let body = &opened[head..];
        let Some(end) = body.find("\n```") else { break };
        let inside = &body[..end];
        let line = line_of(text, text.len() - body.len()) + 1;
        found.push(Block {
            language: opened[..head].trim(),
            line,
            text: inside.strip_prefix('\n').unwrap_or(inside),
        });
        // Keep the line feed of the closing fence's line for the next search.
        rest = &body[end + 4..];
    }
    found
}

/// The lines that call the tool.
fn commands(block: &Block<'_>, place: &str) -> Tally {
    let mut tally = Tally::default();
    for line in block.text.lines() {
        let line = line.trim().trim_start_matches("$ ");
        let line = line.split('#').next().unwrap_or_default().trim_end();
        let Some(words) = line
            .strip_prefix("./taktos")
            .or(line.strip_prefix("taktos"))
        else {
            continue;
        };
        let words = words
            .split_whitespace()
            .take_while(|word| !matches!(*word, "|" | ">"));
        let parsed = Arguments::try_parse_from(["taktos"].into_iter().chain(words));
        // Asking for help or the version is a command too, though it parses to none.
        tally.add(match parsed {
            Err(error) if error.exit_code() != 0 => {
                Tally::fail(format!("{place}: `{line}` is no command of the tool\n"))
            }
            _ => Tally::pass(),
        });
    }
    tally
}

fn experiment(block: &Block<'_>, place: &str) -> Tally {
    match toml::from_str::<Experiment>(block.text) {
        Ok(_) => Tally::pass(),
        Err(error) => Tally::fail(format!("{place}: no experiment: {}\n", error.message())),
    }
}

/// Builds the crates; gives the arguments by which rustdoc finds them.
fn libraries(workspace: &Workspace) -> Result<Vec<String>> {
    let mut build = cargo(workspace);
    build.args([
        "build",
        "--quiet",
        "--profile",
        "lab",
        "--message-format",
        "json",
    ]);
    build.args(CRATES.iter().flat_map(|name| ["-p", name]));
    let output = build.output().context("cargo does not start")?;
    let mut arguments = vec![
        "-L".to_owned(),
        format!(
            "dependency={}",
            workspace.target().join("lab/deps").display()
        ),
    ];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        let name = message["target"]["name"].as_str().unwrap_or_default();
        let files = message["filenames"].as_array().cloned().unwrap_or_default();
        let library = files.iter().filter_map(serde_json::Value::as_str);
        let library = library.into_iter().find(|file| file.ends_with(".rlib"));
        let ours = CRATES.iter().any(|known| known.replace('-', "_") == name);
        if let (true, Some(library)) = (ours, library) {
            arguments.extend(["--extern".to_owned(), format!("{name}={library}")]);
        }
    }
    Ok(arguments)
}

fn rust(workspace: &Workspace, page: &Path, libraries: &[String]) -> Result<Tally> {
    let mut rustdoc = Command::new("rustdoc");
    rustdoc
        .args(["--test", "--edition", "2024"])
        .args(libraries)
        .arg(page);
    counted(rustdoc.current_dir(workspace.root()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Start\n\n```console\n$ ./taktos run\n$ ./taktos fly\nhello\n```\n\
                        text\n\n```rust\nassert!(true);\n```\n";

    #[test]
    fn blocks_are_found_with_their_lines() {
        let found = blocks(PAGE);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].language, found[0].line), ("console", 4));
        assert_eq!(
            found[1],
            Block {
                language: "rust",
                line: 11,
                text: "assert!(true);"
            }
        );
    }

    #[test]
    fn an_unknown_command_fails_and_a_known_one_passes() {
        let tally = commands(&blocks(PAGE)[0], "docs/start.md:4");
        assert_eq!((tally.passed, tally.failed), (1, 1));
        assert!(
            tally.said.contains("docs/start.md:4: `./taktos fly`"),
            "{}",
            tally.said
        );
    }

    #[test]
    fn an_experiment_of_the_book_is_read() {
        let block = Block {
            language: "toml",
            line: 1,
            text: "program = 1",
        };
        assert_eq!(experiment(&block, "docs/start.md:1").failed, 1);
    }
}
