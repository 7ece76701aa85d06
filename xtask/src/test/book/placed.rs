//! A program of the book where the book says that a reader puts it: among the programs of its board. It must pass
//! what is checked of the project for this machine, build as programs ship, run, and print what its page says.
//!
//! Owns: the tree in which that is tried: the project's own, but for the board's folder, which is a copy.
//! Must never know: what the program does.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Options};

use super::Tally;
use super::block::Block;
use taktos_cli::emulator;
use taktos_cli::image::cargo;
use taktos_cli::workspace::Workspace;

/// The program's name in the board's folder.
const NAME: &str = "of-the-book";

/// What the program must print, if it is one that a reader puts in its place: `says WORDS` in the block's head.
pub(super) fn printed<'a>(block: &Block<'a>) -> Option<&'a str> {
    block.words().find_map(|word| word.strip_prefix("says "))
}

/// Tries the program in its place.
pub(super) fn check(
    workspace: &Workspace,
    place: &str,
    (board, text): (Board, &str),
    says: &str,
) -> Result<Tally> {
    let tree = tree(workspace, board)?;
    let program = format!("boards/{}/src/bin/{NAME}.rs", board.name());
    let program = tree.root().join(program);
    std::fs::write(&program, text)
        .with_context(|| format!("cannot write {}", program.display()))?;
    let mut all = Tally::default();
    for target in [None, Some(board.triple())] {
        all.add(lints(&tree, place, board, target)?);
    }
    if all.failed == 0 {
        all.add(run(&tree, place, board, says)?);
    }
    Ok(all)
}

/// What an editor and the lints make of the board's programs, on this machine or for the board.
fn lints(tree: &Workspace, place: &str, board: Board, target: Option<&str>) -> Result<Tally> {
    let mut clippy = in_tree(tree);
    clippy.args(["clippy", "--quiet", "--release", "-p", board.name()]);
    match target {
        // Every target, as editors ask for it: tests and benchmarks, too.
        None => clippy.arg("--all-targets"),
        Some(target) => clippy.args(["--bin", NAME, "--target", target]),
    };
    let output = clippy
        .args(["--", "-D", "warnings"])
        .output()
        .context("cargo does not start")?;
    let machine = target.unwrap_or("this machine");
    Ok(match output.status.success() {
        true => Tally::pass(),
        false => Tally::fail(format!(
            "{place}: does not pass in its place, for {machine}:\n{}",
            String::from_utf8_lossy(&output.stderr)
        )),
    })
}

fn run(tree: &Workspace, place: &str, board: Board, says: &str) -> Result<Tally> {
    let mut build = in_tree(tree);
    build.args(["build", "--quiet", "--release", "-p", board.name()]);
    build.args(["--bin", NAME, "--target", board.triple()]);
    let output = build.output().context("cargo does not start")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Ok(Tally::fail(format!("{place}: does not build:\n{said}")));
    }
    let image = tree
        .root()
        .join("target")
        .join(board.triple())
        .join("release")
        .join(NAME);
    let ended = emulator::find(board)?.run(&image, &Setting::ONE, &Options::default())?;
    Ok(
        match ended.exit_status == 0 && ended.console.contains(says) {
            true => Tally::pass(),
            false => Tally::fail(format!(
                "{place}: ended with status {} and printed {:?}, not {says:?}\n",
                ended.exit_status, ended.console
            )),
        },
    )
}

/// Cargo in the tree, which has a target directory of its own.
fn in_tree(tree: &Workspace) -> Command {
    let mut cargo = cargo(tree);
    cargo.env("CARGO_TARGET_DIR", tree.root().join("target"));
    cargo
}

/// The project's tree, as links, with a copy of the board's folder. What was built in it before is kept.
fn tree(workspace: &Workspace, board: Board) -> Result<Workspace> {
    let root = workspace.target().join("book/tree");
    link_all(
        workspace.root(),
        &root,
        &["boards", "target", "out", ".git"],
    )?;
    let boards = Path::new("boards");
    link_all(
        &workspace.root().join(boards),
        &root.join(boards),
        &[board.name()],
    )?;
    let own = boards.join(board.name());
    copy_all(&workspace.root().join(&own), &root.join(&own))?;
    Ok(Workspace::at(&root))
}

/// Links to all that is in a folder but for these names.
fn link_all(from: &Path, to: &Path, but: &[&str]) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot write {}", to.display()))?;
    for path in inside(from)? {
        let Some(name) = path.file_name() else {
            continue;
        };
        let link = to.join(name);
        if but.iter().any(|other| name == *other) || link.is_symlink() {
            continue;
        }
        symlink(&path, &link).with_context(|| format!("cannot write {}", link.display()))?;
    }
    Ok(())
}

/// A fresh copy of a folder.
fn copy_all(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to).with_context(|| format!("cannot write {}", to.display()))?;
    }
    std::fs::create_dir_all(to).with_context(|| format!("cannot write {}", to.display()))?;
    for path in inside(from)? {
        let Some(name) = path.file_name() else {
            continue;
        };
        let copy = to.join(name);
        if path.is_dir() {
            copy_all(&path, &copy)?;
        } else {
            std::fs::copy(&path, &copy)
                .with_context(|| format!("cannot write {}", copy.display()))?;
        }
    }
    Ok(())
}

fn inside(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let paths = entries.map(|entry| Ok(entry?.path()));
    paths.collect()
}
