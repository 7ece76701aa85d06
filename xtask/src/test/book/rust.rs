//! The book's Rust: compiled, and where it is for the host, run.
//!
//! A page becomes a file of as many lines, so that what the compiler says of a line
//! is true of the page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;
use taktos_emulator::Board;
use taktos_runner::failure::Failure;
use taktos_runner::image::{cargo, manifest, output_of};
use taktos_runner::workspace::Workspace;

use super::Tally;
use super::block::Block;
use crate::test::cargo::counted;
use taktos_cli::command::new::PROGRAM;

/// Programs with libraries that examples on the host may use. No package is named: with all
/// packages chosen they are as the tests have them.
const PROGRAMS: [&str; 4] = ["--test", "kernel", "--bin", "xtask"];

/// The first line of a page's file: what every example sees, and how it is run.
const PRELUDE: &str = "#![allow(unused, reason = \"an example\")] use taktos_kernel::*; \
    use taktos_tests::HostSystem as Board; \
    fn on_host(example: fn() -> Result<(), Error>) { \
    let outcome = taktos_tests::run(move || { example().unwrap(); Board::exit(0) }); \
    assert_eq!(outcome.status(), Some(0), \"{}\", outcome.end); } \
    fn on_several(example: fn() -> Result<(), Error>) { \
    use taktos_tests::several::{SeveralHost, run_on}; \
    let cluster = |name, bits| InstanceConfig { \
    name, policy: PolicyKind::StrongAffinity, cpus: CpuSet::from_bits(bits) }; \
    let clusters = taktos_tests::leak([cluster(*b\"one \", 3), cluster(*b\"two \", 12)]); \
    let outcome = run_on::<4>(taktos_arch_host::Order::Turns, clusters, move || { \
    example().unwrap(); SeveralHost::exit(0) }); \
    assert_eq!(outcome.status(), Some(0), \"{}\", outcome.end); }";

/// The word for the program that the tool writes.
const WRITTEN: &str = "taktos new";

/// Line that an example on several processors sees in addition.
const SEVERAL: &str = "use taktos_tests::several::SeveralHost as Board; ";

/// The arguments by which the compiler finds libraries.
type Libraries = Vec<String>;

/// Compiles examples. Libraries are built when the first example wants them.
#[derive(Default)]
pub(super) struct Compiler {
    host: Option<Libraries>,
    boards: BTreeMap<Board, Libraries>,
}

impl Compiler {
    /// Checks the Rust blocks of a page.
    pub(super) fn page(
        &mut self,
        workspace: &Workspace,
        page: &str,
        blocks: &[Block<'_>],
    ) -> Result<Tally> {
        let mut all = Tally::default();
        let mut hosted = Vec::new();
        for block in blocks.iter().filter(|block| block.language() == "rust") {
            let is_written = block.words().any(|word| word == WRITTEN);
            match block.words().find_map(Board::named) {
                Some(board) => all.add(self.program(workspace, page, block, board)?),
                None if is_written => all.add(written(page, block)),
                None => hosted.push(block),
            }
        }
        if !hosted.is_empty() {
            all.add(self.examples(workspace, page, &hosted)?);
        }
        Ok(all)
    }

    /// A whole program of a board: checked, not linked.
    fn program(
        &mut self,
        workspace: &Workspace,
        page: &str,
        block: &Block<'_>,
        board: Board,
    ) -> Result<Tally> {
        let mut rustc = self.compiler(workspace, board)?;
        let file = whole(workspace, page, block)?;
        rustc
            .args(["--emit", "metadata", "-o"])
            .arg(file.with_extension("rmeta"));
        Ok(match said(rustc.arg(&file), &file, page)? {
            None => Tally::pass(),
            Some(said) => Tally::fail(said),
        })
    }

    /// Returns the compiler for programs of a board. Its libraries are built at the first use.
    fn compiler(&mut self, workspace: &Workspace, board: Board) -> Result<Command> {
        let libraries = match self.boards.entry(board) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(of_board(workspace, board)?)
            }
        };
        let mut rustc = rustc(workspace, libraries);
        rustc.args(["-C", "panic=abort", "--target", board.triple()]);
        Ok(rustc)
    }

    /// All examples of a page that run on the host.
    fn examples(
        &mut self,
        workspace: &Workspace,
        page: &str,
        blocks: &[&Block<'_>],
    ) -> Result<Tally> {
        let file = twin(workspace, page, ".rs")?;
        write(&file, &harness(blocks))?;
        let libraries = match &mut self.host {
            Some(known) => known,
            none => none.insert(of_host(workspace)?),
        };
        let program = file.with_extension("");
        let mut rustc = rustc(workspace, libraries);
        rustc.arg("--test").arg("-o").arg(&program).arg(&file);
        let output = rustc.output().context("rustc does not start")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Ok(Tally::fail(named(&said, &file, page)));
        }
        let mut run = Command::new(&program);
        let mut tally = counted(run.arg("--quiet").env("RUST_BACKTRACE", "0"))?;
        tally.said = match tally.failed {
            0 => String::new(),
            _ => named(&tally.said, &file, page),
        };
        Ok(tally)
    }
}

/// A page shows what the tool writes, which another step runs.
fn written(page: &str, block: &Block<'_>) -> Tally {
    match block.text == PROGRAM.trim_end() {
        true => Tally::pass(),
        false => Tally::fail(format!(
            "{page}:{}: this is not the program that `{WRITTEN}` writes\n",
            block.line
        )),
    }
}

fn rustc(workspace: &Workspace, libraries: &[String]) -> Command {
    let mut rustc = Command::new("rustc");
    rustc
        .current_dir(workspace.root())
        .args(["--edition", "2024"])
        .args(libraries);
    rustc
}

/// The file of a whole program, with the lines of its page.
fn whole(workspace: &Workspace, page: &str, block: &Block<'_>) -> Result<PathBuf> {
    let file = twin(workspace, page, &format!("-{}.rs", block.line))?;
    let lines = "\n".repeat(block.line - 1);
    write(&file, &format!("{lines}{}\n", block.text))?;
    Ok(file)
}

/// Returns the compiler's messages on a page's file, if it refuses the file.
fn said(rustc: &mut Command, file: &Path, page: &str) -> Result<Option<String>> {
    let output = rustc.output().context("rustc does not start")?;
    let said = || named(&String::from_utf8_lossy(&output.stderr), file, page);
    Ok((!output.status.success()).then(said))
}

/// Returns the file that is compiled in the place of a page, and creates its folder.
fn twin(workspace: &Workspace, page: &str, ending: &str) -> Result<PathBuf> {
    let stem = page.trim_end_matches(".md");
    let file = workspace
        .target()
        .join("book")
        .join(format!("{stem}{ending}"));
    let folder = file.parent().context("a page lies in a folder")?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot write {}", folder.display()))?;
    Ok(file)
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Replaces the file's name in the compiler's messages by the page's.
fn named(said: &str, file: &Path, page: &str) -> String {
    said.replace(&file.display().to_string(), page)
}

/// The file of a page: an example begins in the line of its opening fence, ends
/// in that of its closing fence, and keeps its lines between.
fn harness(blocks: &[&Block<'_>]) -> String {
    let mut file = PRELUDE.to_owned();
    let mut line = 1;
    for block in blocks {
        let fence = block.line - 1;
        file.push_str(&"\n".repeat(fence - line));
        let has = |wanted: &str| block.words().any(|word| word == wanted);
        let sees = if has("several") { SEVERAL } else { "" };
        file.push_str(&format!(
            "#[test] fn line_{fence}() {{ {sees}fn example() -> Result<(), Error> {{\n"
        ));
        file.push_str(block.text);
        let start = if block.text.contains("fn main()") {
            "main(); "
        } else {
            ""
        };
        let run = match (has("no_run"), has("several")) {
            (true, _) => "let _: fn() -> Result<(), Error> = example;",
            (false, true) => "on_several(example);",
            (false, false) => "on_host(example);",
        };
        file.push_str(&format!("\n{start}Ok(()) }} {run} }}"));
        line = fence + 1 + block.text.lines().count();
    }
    file.push('\n');
    file
}

/// Builds the libraries of the host.
fn of_host(workspace: &Workspace) -> Result<Libraries> {
    let mut build = cargo(workspace);
    build.args(["test", "--no-run", "--profile", "lab"]);
    build.args(PROGRAMS);
    libraries(&mut build, &[workspace.target().join("lab")])
}

/// Builds the libraries of a board.
fn of_board(workspace: &Workspace, board: Board) -> Result<Libraries> {
    let mut build = cargo(workspace);
    build.args([
        "build",
        "--release",
        "--lib",
        "--manifest-path",
        &manifest(board.name()),
        "--target",
        board.triple(),
    ]);
    let target = workspace.target();
    libraries(
        &mut build,
        &[
            target.join(board.triple()).join("release"),
            target.join("release"),
        ],
    )
}

/// Runs a build by cargo. Returns the libraries that it made in the first place, and the folders of
/// those that they use.
fn libraries(build: &mut Command, places: &[PathBuf]) -> Result<Libraries> {
    let output = output_of(build.args(["--quiet", "--message-format", "json"]))?;
    if !output.status.success() {
        return Err(Failure::error(
            "the crates that the book uses do not build",
            "fix them; taktos test --only images says what the compiler says",
        ));
    }
    let mut arguments = Libraries::new();
    for place in places {
        let folder = place.join("deps");
        arguments.extend(["-L".into(), format!("dependency={}", folder.display())]);
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let made = messages
        .lines()
        .filter_map(|line| library(line, places.first()?));
    let made: BTreeMap<String, String> = made.collect();
    // Where build scripts put what programs are linked by.
    for searched in messages.lines().flat_map(searched) {
        arguments.extend(["-L".into(), searched]);
    }
    for (name, file) in made {
        arguments.extend(["--extern".into(), format!("{name}={file}")]);
    }
    Ok(arguments)
}

/// Returns the folders that the linker shall search, as a build script named them: cargo reports
/// them in a message.
fn searched(message: &str) -> Vec<String> {
    let message: Option<Value> = serde_json::from_str(message).ok();
    let paths = message
        .as_ref()
        .and_then(|message| message["linked_paths"].as_array());
    let paths = paths.into_iter().flatten().filter_map(Value::as_str);
    paths.map(str::to_owned).collect()
}

/// The library of which cargo says in a message that it is there.
fn library(message: &str, place: &Path) -> Option<(String, String)> {
    let message: Value = serde_json::from_str(message).ok()?;
    let name = message["target"]["name"].as_str()?.replace('-', "_");
    let mut files = message["filenames"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str);
    let file = files.find(|file| file.ends_with(".rlib") && Path::new(file).starts_with(place))?;
    Some((name, file.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_what_the_tool_writes_or_fails() {
        let page = |program: &str| format!("\n```rust,taktos new\n{program}```\n");
        let tally = |page: &str| written("p", &super::super::block::blocks(page)[0]);
        assert_eq!(tally(&page(PROGRAM)).failed, 0);
        let other = PROGRAM.replacen("2.millis()", "3.millis()", 1);
        assert_eq!(tally(&page(&other)).failed, 1);
    }

    #[test]
    fn an_example_keeps_its_lines() {
        let page = "# A page\n\n```rust\nlet a = 1;\nlet b = a;\n```\nwords\n\n```rust,no_run\nloop {}\n```\n";
        let blocks = super::super::block::blocks(page);
        let file = harness(&blocks.iter().collect::<Vec<_>>());
        let lines: Vec<&str> = file.lines().collect();
        assert!(lines[2].starts_with("#[test] fn line_3()"), "{file}");
        assert_eq!(lines[3..5], ["let a = 1;", "let b = a;"]);
        assert!(lines[5].ends_with("on_host(example); }"), "{file}");
        assert_eq!(lines[9], "loop {}");
        assert!(!lines[10].contains("on_host"), "{file}");
    }
}
