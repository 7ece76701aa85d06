//! The step that attacks the kernel from a partition, in the emulator: everything outside stays as
//! it is, each fault's cause is reported correctly, the kernel continues.
//!
//! Owns: with which seed, in which images, how late what is most urgent may be. Must never know:
//! what the attacks are.

use std::time::Duration;

use anyhow::Result;
use taktos_emulator::Board;
use taktos_emulator::several::Setting;
use taktos_runner::several::{Board as Several, QUANTUM};
use taktos_runner::workspace::Workspace;

use super::runner::Runner;
use super::storms::Length;
use super::{Tally, boards, seed};

/// The boards that are attacked a second time, in images that pass floating-point values in
/// registers of their own: in long runs.
pub(super) fn with_hard_float(length: Length) -> impl Iterator<Item = (Board, &'static str)> {
    let all = matches!(length, Length::Long).then(Board::all);
    let all = all.into_iter().flatten();
    all.filter_map(|board| Some((board, board.hard_float_triple()?)))
}

const PROGRAM: &str = "user_attack";
/// Program with the attacks under interrupts above the kernel's level.
const STORM: &str = "user_storm";
/// The program with partitions that have budgets.
const BUDGETS: &str = "budgets";
/// How often a partition with a budget makes calls at random, with a seed each, on one processor
/// and in each layout of four.
const fn rages(length: Length) -> [u32; 2] {
    match length {
        Length::Long => [4, 2],
        Length::Short => [2, 1],
    }
}
/// Last output of the program.
const PASSED: &str = "all passed\n";
/// The latest that the most urgent thread may be, in instructions, of which each takes a
/// nanosecond: its own path is 640 of them, in the rest it waits for the longest call.
const LATEST: u32 = 1_500;
/// The latest where SysTick is the only timer, of 32 MHz or more: an alarm that is set within the
/// last 32 ticks before it is due comes so much later.
const LATEST_OF_SYSTICK: u32 = LATEST + 1_000;
/// The alarm of the Cortex-A8's board comes when a microsecond is full, and the next one.
const LATEST_OF_MICROSECONDS: u32 = LATEST + 2_000;
/// The most real time and instructions of one run, which needs a minute and a thousand millions.
const TIME: Duration = Duration::from_secs(900);
const INSTRUCTIONS: u64 = 20_000_000_000;

/// How late it may be if another processor may have the kernel's lock, in nanoseconds of the
/// consistent clock.
const LATEST_OF_SEVERAL: u32 = 5_000;
/// The latest where processors stand still in between, any of them and again and again: all that is
/// wanted then is that it comes.
const LATEST_HUNTED: u32 = 100_000;
/// How long one processor may stop between two instructions while others continue, in nanoseconds:
/// the way to another thread, and a restart's from its stop to its start, are shorter.
const HUNTED: u32 = 3_000;

/// Attacks the board with four processors.
pub(super) fn attack_several(
    workspace: &Workspace,
    board: Several,
    length: Length,
) -> Result<Tally> {
    in_layouts(workspace, (board, length), (PROGRAM, ""))
}

/// Runs a program with these words on four processors: in an instance that has one of them, in one
/// that has all, and in the latter also while races are hunted. The program receives that as a
/// word, and demands less then. In short runs the boards share these layouts.
fn in_layouts(
    workspace: &Workspace,
    (board, length): (Several, Length),
    (program, words): (&str, &str),
) -> Result<Tally> {
    let seed = seed::fresh()?;
    let mut all = Tally::seeded(seed);
    let alike = Setting::new(Several::PROCESSORS, QUANTUM);
    let hunted = Setting::new(Several::PROCESSORS, HUNTED).hunting(seed::of(seed, 0));
    let layouts = [
        ("", &alike, LATEST_OF_SEVERAL),
        (" all", &alike, LATEST_OF_SEVERAL),
        (" all hunted", &hunted, LATEST_HUNTED),
    ];
    let own = layouts.into_iter().enumerate();
    let own = own.filter(|(place, _)| boards::has_share(board, *place, length));
    for (_, (layout, setting, late)) in own {
        let words = format!("seed={seed} late={late}{words}{layout}");
        let place = (board, board.machine.triple());
        all.add(run(workspace, place, setting, (program, &words))?);
    }
    Ok(all)
}

/// Attacks `board`.
pub(super) fn attack(workspace: &Workspace, board: Board) -> Result<Tally> {
    attack_as(workspace, (board, board.triple()))
}

/// Attacks a board with an image of this target.
pub(super) fn attack_as(
    workspace: &Workspace,
    (board, triple): (Board, &'static str),
) -> Result<Tally> {
    let seed = seed::fresh()?;
    let mut all = Tally::seeded(seed);
    let words = format!("seed={seed} late={}", latest(board));
    all.add(run(
        workspace,
        (board.into(), triple),
        &Setting::ONE,
        (PROGRAM, &words),
    )?);
    Ok(all)
}

/// The numbers of calls and restarts in a short stress test.
const OF_STORM: &str = "calls=3000 restarts=300";
/// The level of its interrupts: above that of faults, and below; a short one is at either.
const LEVELS: [u32; 2] = [0x20, 0x60];
/// How late a thread may be there: of each thousand instructions some hundred are the interrupts'.
const LATEST_IN_STORM: u32 = 3_000;

/// The board on which interrupts above the kernel's level can come at any moment, and the targets
/// of its images, each with a name.
pub(super) fn in_storms(
    length: Length,
) -> impl Iterator<Item = (&'static str, (Board, &'static str, Length))> {
    let board = Board::MPS2_AN386;
    let hard = matches!(length, Length::Long).then(|| board.hard_float_triple());
    let hard = hard
        .flatten()
        .map(|triple| ("mps2-an386 with hard float", triple));
    let images = [("mps2-an386", board.triple())].into_iter().chain(hard);
    images.map(move |(name, triple)| (name, (board, triple, length)))
}

/// Attacks while such interrupts come all the time.
pub(super) fn attack_in_storm(
    workspace: &Workspace,
    (board, triple, length): (Board, &'static str, Length),
) -> Result<Tally> {
    let seed = seed::fresh()?;
    let mut all = Tally::seeded(seed);
    let (levels, counts) = match length {
        Length::Long => (&LEVELS[..], ""),
        Length::Short => (&LEVELS[seed as usize % LEVELS.len()..][..1], OF_STORM),
    };
    for level in levels {
        let words = format!("seed={seed} late={LATEST_IN_STORM} level={level} {counts}");
        let place = (board.into(), triple);
        all.add(run(workspace, place, &Setting::ONE, (STORM, &words))?);
    }
    Ok(all)
}

/// How late an alarm's handler may be on `board`, and the thread that it wakes.
fn latest(board: Board) -> u32 {
    match board {
        _ if board.has_systick() => LATEST_OF_SYSTICK,
        Board::REALVIEW_PB_A8 => LATEST_OF_MICROSECONDS,
        _ => LATEST,
    }
}

/// Runs partitions that try to get more than their budgets, on `board`.
pub(super) fn budgets(workspace: &Workspace, board: Board, length: Length) -> Result<Tally> {
    let seed = seed::fresh()?;
    let mut all = Tally::seeded(seed);
    let [rages, _] = rages(length);
    let words = format!("seed={seed} rages={rages} late={}", latest(board));
    let place = (board.into(), board.triple());
    all.add(run(workspace, place, &Setting::ONE, (BUDGETS, &words))?);
    Ok(all)
}

/// Runs such partitions on a board with four processors.
pub(super) fn budgets_of_several(
    workspace: &Workspace,
    board: Several,
    length: Length,
) -> Result<Tally> {
    let [_, rages] = rages(length);
    let words = format!(" rages={rages}");
    in_layouts(workspace, (board, length), (BUDGETS, &words))
}

fn run(
    workspace: &Workspace,
    (board, triple): (Several, &'static str),
    setting: &Setting,
    (program, words): (&str, &str),
) -> Result<Tally> {
    let runner = Runner::of(workspace, board)?
        .compiled_for(triple)
        .for_at_most(TIME)
        .with_instructions(INSTRUCTIONS);
    let ended = runner.run((program, Some(words)), setting)?;
    let console = ended.console.as_str();
    Ok(match ended.exit_status == 0 && console.ends_with(PASSED) {
        true => Tally::pass(),
        false => Tally::fail(format!("with {words}, the console:\n{console}\n")),
    })
}
