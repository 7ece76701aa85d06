//! `taktos test`: everything that CI checks, one step after the other, and a
//! closing line that counts.

mod agreement;
pub(super) mod book;
mod channels;
mod dependencies;
mod el2;
mod four;
mod hostile;
mod images;
mod models;
mod programs;
mod repeat;
mod scripts;
mod seed;
mod sets;
mod several;
mod side_by_side;
mod storms;
mod tools;

use std::collections::BTreeSet;

use anyhow::Result;
use taktos_emulator::Board;
use taktos_emulator::several::Virt;

use super::needs::{Need, RUNNING};
use crate::failure::{CheckFailed, Failure};
use crate::screen;
use crate::workspace::Workspace;

/// What a step found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Checks that passed.
    pub passed: u64,
    /// Checks that failed.
    pub failed: u64,
    /// What a person needs to mend them.
    pub said: String,
    /// What was measured, a line each, which is told whether checks fail or not.
    pub figures: String,
}

impl Tally {
    /// One check that passed.
    pub fn pass() -> Self {
        Self {
            passed: 1,
            ..Self::default()
        }
    }

    /// One check that failed.
    pub fn fail(said: impl Into<String>) -> Self {
        Self {
            failed: 1,
            said: said.into(),
            ..Self::default()
        }
    }

    /// Both together.
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.said.push_str(&other.said);
        self.figures.push_str(&other.figures);
    }
}

/// What a step does. An error is a failed check, which it explains.
type Work = Box<dyn Fn(&Workspace) -> Result<Tally> + Send + Sync>;

/// One step: its name, and what it does.
struct Step {
    name: String,
    work: Work,
    /// Whether it keeps one processor busy, so that another step may run beside it.
    narrow: bool,
    needs: &'static [Need],
}

impl Step {
    /// Whether its name contains the words, if there are any.
    fn is_called(&self, words: Option<&str>) -> bool {
        words.is_none_or(|words| self.name.contains(words))
    }

    /// The same, needing this and nothing else beyond the tool.
    fn needing(self, needs: &'static [Need]) -> Self {
        Self { needs, ..self }
    }
}

/// A step that runs nothing in the emulator.
const BUILDING: &[Need] = &[Need::Images];

fn step(
    name: impl Into<String>,
    work: impl Fn(&Workspace) -> Result<Tally> + Send + Sync + 'static,
) -> Step {
    Step {
        name: name.into(),
        work: Box::new(work),
        narrow: false,
        needs: RUNNING,
    }
}

/// A step that keeps one processor busy: others may run beside it.
fn narrow(
    name: impl Into<String>,
    work: impl Fn(&Workspace) -> Result<Tally> + Send + Sync + 'static,
) -> Step {
    Step {
        narrow: true,
        ..step(name, work)
    }
}

/// The steps: the cheap ones first.
fn steps(length: storms::Length) -> Vec<Step> {
    let mut steps = vec![
        step("format", tools::format).needing(BUILDING),
        step("layering", tools::layering).needing(&[]),
        narrow("dependencies", dependencies::check).needing(&[Need::Deny]),
        step("lints of the host", tools::lints).needing(BUILDING),
        step("documentation", tools::documentation).needing(&[]),
    ];
    for board in Board::ALL {
        let name = format!("lints of {}", board.name());
        let lints = step(name, move |workspace| tools::board_lints(workspace, board));
        steps.push(lints.needing(BUILDING));
    }
    for board in Virt::ALL {
        let name = format!("lints of {}", four::name(board));
        let lints = step(name, move |workspace| four::lints(workspace, board));
        steps.push(lints.needing(BUILDING));
    }
    let (el2, _) = taktos_emulator::El2::BOARD;
    for building in [
        step(format!("lints of {el2}"), el2::lints),
        step("lints of virt-aarch64-guest", hostile::lints),
        step("images", tools::images),
        step("smallest image", images::smallest),
        step("text of the hypervisor", images::hypervisor),
        narrow("instructions known", models::every_instruction),
    ] {
        steps.push(building.needing(BUILDING));
    }
    for board in Board::ALL {
        let name = format!("kernel suite on {}", board.name());
        steps.push(narrow(name, move |workspace| {
            images::suite(workspace, board)
        }));
    }
    for board in Board::ALL {
        let name = format!("port and faults on {}", board.name());
        steps.push(narrow(name, move |workspace| {
            programs::run(workspace, board)
        }));
    }
    steps.push(narrow(format!("port and faults on {el2}"), el2::programs));
    steps.push(narrow("FIFOs between guests", channels::round_trips));
    steps.push(narrow("the simulator agrees", agreement::agree));
    for board in Virt::ALL {
        let name = format!("kernel suite on {}", four::name(board));
        steps.push(narrow(name, move |workspace| four::suite(workspace, board)));
        let name = format!("port and faults on {}", four::name(board));
        steps.push(narrow(name, move |workspace| {
            four::programs(workspace, board)
        }));
        let name = format!("scheduling scripts on {}", four::name(board));
        steps.push(narrow(name, move |workspace| {
            scripts::follow(workspace, board)
        }));
        let name = format!("suite for several processors on {}", four::name(board));
        steps.push(narrow(name, move |workspace| {
            four::suite_for_several(workspace, board)
        }));
        let name = format!("storms on {}", four::name(board));
        steps.push(narrow(name, move |workspace| {
            storms::rage(workspace, board, length)
        }));
        let name = format!("kernel and simulator agree on {}", four::name(board));
        steps.push(narrow(name, move |workspace| {
            sets::agree(workspace, board, length)
        }));
        let name = format!("hunting for races on {}", four::name(board));
        steps.push(narrow(name, move |workspace| {
            storms::hunt(workspace, board, length)
        }));
    }
    steps.push(step("hostile guests", move |workspace| {
        hostile::attack(workspace, length)
    }));
    for board in Board::ALL {
        let name = format!("budgets of {}", board.name());
        steps.push(narrow(name, move |workspace| {
            images::budgets(workspace, board)
        }));
    }
    steps.push(narrow(
        format!("budgets of {}", Board::HYPERVISOR.name()),
        |workspace| images::budgets(workspace, Board::HYPERVISOR),
    ));
    for board in crate::several::Board::ALL {
        let name = format!("budgets of {}", board.name);
        steps.push(narrow(name, move |workspace| {
            several::budgets(workspace, board)
        }));
    }
    steps.push(narrow(
        "honest time on several processors",
        several::honest_time,
    ));
    steps.push(narrow("two runs, the same bytes", repeat::same_bytes));
    steps.push(step("host tests, tool end to end", tools::host_tests));
    let operations = narrow(
        "ten million random operations",
        tools::ten_million_operations,
    );
    steps.push(operations.needing(&[]));
    if matches!(length, storms::Length::Long) {
        let day = narrow(
            "a day beside hostile guests",
            tools::day_beside_hostile_guests,
        );
        steps.push(day.needing(&[]));
    }
    steps.push(narrow("the scheduling library under miri", tools::miri).needing(&[Need::Miri]));
    steps.push(narrow("the book's code", book::code));
    steps
}

/// What the steps whose name contains the words need, each thing once.
pub(super) fn needs(only: Option<&str>) -> Vec<Need> {
    let steps = steps(storms::Length::Short);
    let chosen = steps.iter().filter(|step| step.is_called(only));
    let needs: BTreeSet<Need> = chosen.flat_map(|step| step.needs).copied().collect();
    needs.into_iter().collect()
}

/// Runs the steps whose name contains the words, and counts.
pub(super) fn run(workspace: &Workspace, only: Option<&str>, list: bool, long: bool) -> Result<()> {
    let mut steps = steps(match long {
        true => storms::Length::Long,
        false => storms::Length::Short,
    });
    steps.retain(|step| step.is_called(only));
    if steps.is_empty() {
        return Err(Failure::error(
            format!("no step has `{}` in its name", only.unwrap_or_default()),
            "taktos test --list names them",
        ));
    }
    if list {
        let names: String = steps
            .iter()
            .map(|step| format!("{}\n", step.name))
            .collect();
        return Ok(screen::print(&names)?);
    }
    let all = side_by_side::run(workspace, &steps)?;
    screen::print(&format!("{} passed, {} failed\n", all.passed, all.failed))?;
    let words = match all.failed {
        0 => return Ok(()),
        1 => "1 check failed; it is named above".to_owned(),
        failed => format!("{failed} checks failed; each is named above"),
    };
    Err(CheckFailed(words).into())
}

/// The most lines of what a failed step said; the first ones tell.
const MOST_LINES: usize = 80;

/// What a step found, in a line; what it said, below it when it failed.
fn line(name: &str, tally: &Tally) -> String {
    let word = if tally.failed == 0 {
        "ok    "
    } else {
        "FAILED"
    };
    let mut shown = format!(
        "{word} {name}: {} passed, {} failed\n",
        tally.passed, tally.failed
    );
    for figure in tally.figures.lines() {
        shown.push_str(&format!("       {figure}\n"));
    }
    if tally.failed > 0 {
        let lines: Vec<&str> = tally.said.trim_end().lines().collect();
        for said in lines.iter().take(MOST_LINES) {
            shown.push_str(&format!("       {said}\n"));
        }
        if let Some(more) = lines.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
            shown.push_str(&format!("       and {more} lines more\n"));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_says_why() {
        let shown = line("format", &Tally::fail("diff in a.rs"));
        assert_eq!(
            shown,
            "FAILED format: 0 passed, 1 failed\n       diff in a.rs\n"
        );
    }

    #[test]
    fn what_was_measured_is_told_of_a_step_that_passes() {
        let tally = Tally {
            figures: "rtds: 3 turns\n".into(),
            said: "its console".into(),
            ..Tally::pass()
        };
        assert_eq!(
            line("agrees", &tally),
            "ok     agrees: 1 passed, 0 failed\n       rtds: 3 turns\n"
        );
    }

    #[test]
    fn every_step_has_a_name_of_its_own() {
        let mut names: Vec<String> = steps(storms::Length::Long)
            .into_iter()
            .map(|step| step.name)
            .collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
