//! The step on measuring by a board's own counter: in the emulator, up to the refusal of a counter
//! that is an emulator's.
//!
//! Owns: which counters there are, and what each must be refused for. Must never know: the form of
//! a session.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use taktos_emulator::Board;
use taktos_experiments::baseline::{Baseline, checked_in};
use taktos_experiments::hardware::{Session, read};
use taktos_runner::image::build_counted;
use taktos_runner::several::Board as Named;
use taktos_runner::workspace::Workspace;

use super::Tally;
use super::cargo::{tool, tool_built};
use super::repeat::place;

/// Boards that are refused, and why: one of each architecture with a counter in the emulator, and
/// one for which the emulator has only the registers.
const REFUSED: [(Board, &str); 3] = [
    (Board::STM32F405, "dwt-cyccnt stands still"),
    (Board::REALVIEW_PB_A8, "pmccntr equals the clock"),
    (Board::VIRT_RISCV64, "its machine is qemu"),
];
/// The emulator's counters count instructions: as many as the baseline has, but for what reading
/// the counter changes around an operation.
const CLOSE: u64 = 8;

/// Measures in the emulator, and has the tool refuse what came.
pub(super) fn refused(workspace: &Workspace) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    for (board, why) in REFUSED {
        let (device, name) = (Named::from(board), board.name());
        let image = build_counted(workspace, board, "bench")?.path;
        let console = run(&device.runner(), &image)?;
        let session = read(&console).with_context(|| format!("the console of {name}"))?;
        all.add(counts(workspace, board, &session)?);
        let file = place(workspace, &format!("counter-of-{name}"), 1).with_extension("txt");
        fs::create_dir_all(file.parent().context("a file lies in a folder")?)?;
        fs::write(&file, &console)?;
        let file = file.display().to_string();
        let probe = device.runner();
        for words in [
            ["--recorded", &file],
            ["--serial", &file],
            ["--probe", &probe],
        ] {
            all.add(is_refused(workspace, name, words, why)?);
        }
    }
    Ok(all)
}

/// Returns the output of an image in the emulator.
fn run(runner: &str, image: &Path) -> Result<String> {
    let mut words = runner.split_whitespace();
    let program = words.next().context("a board has an emulator")?;
    let output = Command::new(program)
        .args(words)
        .arg(image)
        .output()
        .with_context(|| format!("{program} does not start"))?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A session has the operations of the baseline, and, where the counter counts instructions, nearly
/// its counts.
fn counts(workspace: &Workspace, board: Board, session: &Session) -> Result<Tally> {
    let before: Baseline = checked_in(workspace, board.name())?;
    let measured = session.medians();
    let stands_still = session.rates.iter().all(|(cycles, _)| *cycles == 0);
    let check = |(name, counts): (&String, &taktos_experiments::baseline::Counts)| {
        let counted = counts.instructions.median;
        let median = measured
            .get(name)
            .ok_or(format!("{name}: is not measured\n"))?;
        match stands_still || median.abs_diff(counted) <= CLOSE {
            true => Ok(()),
            false => Err(format!(
                "{name}: {median} by the counter, {counted} by the clock\n"
            )),
        }
    };
    Ok(before.operations.iter().map(check).collect())
}

fn is_refused(workspace: &Workspace, board: &str, words: [&str; 2], why: &str) -> Result<Tally> {
    let output = Command::new(tool(workspace))
        .args(["bench", "--board", board])
        .args(words)
        .env("TAKTOS_ROOT", workspace.root())
        .output()
        .context("the tool does not start")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let is_so =
        output.status.code() == Some(2) && said.contains("no hardware's") && said.contains(why);
    Ok(match is_so {
        true => Tally::pass(),
        false => Tally::fail(format!(
            "bench --board {board} {}: {said}\n",
            words.join(" ")
        )),
    })
}
