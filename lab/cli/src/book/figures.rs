//! Tables of the book that repeat counts: those of the baseline, and nothing else.
//!
//! `<!-- bench BOARD -->` precedes such a table, or `BOARD-user` for calls of threads in
//! partitions. Its first three columns are operation, instructions, cycles (medians). A command
//! that saves a baseline rewrites the tables.

use anyhow::{Context, Result};
use taktos_emulator::Board;
use taktos_experiments::baseline::{Baseline, Counts};
use taktos_export::replace_file;
use taktos_runner::failure::shown;
use taktos_runner::several::Board as Several;
use taktos_runner::workspace::Workspace;

use super::{Compared, each_marked};
use crate::command::bench::{BUDGETS, USER};

/// Pages with tables that are rewritten.
const PAGES: [&str; 2] = ["docs/figures.md", "docs/user-mode.md"];

/// Writes the counts of a baseline into the book's tables of its board.
///
/// # Errors
/// When the page cannot be read or written.
pub fn renew(workspace: &Workspace, baseline: &Baseline) -> Result<()> {
    for page in PAGES {
        let path = workspace.path(page);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {page}"))?;
        let new = renewed(&text, baseline);
        if new != text {
            replace_file(&path, new).with_context(|| format!("cannot write {page}"))?;
        }
    }
    Ok(())
}

/// The page with the counts of the baseline in the rows of its tables.
fn renewed(text: &str, baseline: &Baseline) -> String {
    let mut inside = false;
    let row = |line: &str| {
        let mut cells: Vec<&str> = line.split('|').collect();
        let counts = baseline.operations.get(cells.get(1)?.trim())?;
        let medians = medians(counts).map(|count| format!(" {count} "));
        cells
            .get_mut(2..4)?
            .copy_from_slice(&[medians[0].as_str(), medians[1].as_str()]);
        Some(cells.join("|"))
    };
    let mut page = String::new();
    for line in text.lines() {
        inside = match marked(line) {
            Some(board) => board == baseline.board,
            None => inside && (line.is_empty() || line.starts_with('|')),
        };
        let new = if inside { row(line) } else { None };
        page.push_str(new.as_deref().unwrap_or(line));
        page.push('\n');
    }
    page
}

/// Returns the baseline of the table that the line announces.
fn marked(line: &str) -> Option<&str> {
    let name = line.strip_prefix("<!-- bench ")?.strip_suffix(" -->")?;
    let (user, budgets) = (USER.1, BUDGETS.1);
    match name
        .strip_suffix(user)
        .or_else(|| name.strip_suffix(budgets))
    {
        Some(board) => Several::of_any(board).is_ok(),
        None => Board::named(name).is_some(),
    }
    .then_some(name)
}

/// Compares each row of a page's tables with the baseline of the board.
pub fn check(workspace: &Workspace, page: &str, text: &str) -> Compared {
    let all_lines: Vec<&str> = text.lines().collect();
    each_marked(
        workspace,
        text,
        marked,
        |all, board, lines| match all.of::<Baseline>(board) {
            Ok(baseline) => table(&baseline, page, &all_lines, lines),
            Err(error) => vec![Err(shown(&error))],
        },
    )
}

/// Compares the table that begins at or after the line `start`, counted from 0.
fn table(baseline: &Baseline, page: &str, lines: &[&str], start: usize) -> Compared {
    let mut all = Compared::new();
    let mut missing = baseline.operations.clone();
    let rows = lines.iter().enumerate().skip(start);
    let rows = rows
        .skip_while(|(_, line)| line.trim().is_empty())
        .take_while(|(_, line)| line.starts_with('|'))
        .skip(2);
    for (number, line) in rows {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let place = format!("{page}:{}", number + 1);
        all.push(match missing.remove(cells[0]) {
            None => Err(format!("{place}: no operation `{}`\n", cells[0])),
            Some(counts) if cells.get(1..3) == Some(&medians(&counts).each_ref().map(|s| &**s)) => {
                Ok(())
            }
            Some(counts) => {
                let [instructions, cycles] = medians(&counts);
                let row = format!("| {} | {instructions} | {cycles} |", cells[0]);
                Err(format!("{place}: the baseline says {row}\n"))
            }
        });
    }
    for (name, counts) in missing {
        let [instructions, cycles] = medians(&counts);
        let row = format!("| {name} | {instructions} | {cycles} |");
        all.push(Err(format!("{page}:{start}: lacks {row}\n")));
    }
    all
}

fn medians(counts: &Counts) -> [String; 2] {
    let cycles = counts.cycles.map(|cycles| cycles.median.to_string());
    [
        counts.instructions.median.to_string(),
        cycles.unwrap_or_else(|| "–".into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos_experiments::measure::Summary;

    fn baseline() -> Baseline {
        let summary = |median| Summary {
            min: 1,
            median,
            max: 99,
            samples: 9,
        };
        let counts = Counts {
            instructions: summary(36),
            cycles: Some(summary(60)),
        };
        Baseline {
            board: "mps2-an386".into(),
            operations: [("yield".to_owned(), counts)].into(),
        }
    }

    fn said(rows: &str) -> String {
        let page =
            format!("| operation | instructions | cycles | goal |\n|---|---|---|---|\n{rows}");
        let lines: Vec<&str> = page.lines().collect();
        let found = table(&baseline(), "p.md", &lines, 0);
        found.into_iter().filter_map(Result::err).collect()
    }

    #[test]
    fn a_row_as_in_the_baseline_passes() {
        assert_eq!(said("| yield | 36 | 60 | 60 |\n"), "");
    }

    #[test]
    fn a_saved_baseline_is_written_into_the_page() {
        let page = |cycles: u32| {
            format!(
                "words\n<!-- bench mps2-an386 -->\n\n| operation | instructions | cycles | goal |\n\
                 |---|---|---|---|\n| yield | 36 | {cycles} | 60 |\nwords\n| yield | 1 | 2 |\n"
            )
        };
        assert_eq!(renewed(&page(61), &baseline()), page(60));
    }

    #[test]
    fn another_count_a_row_too_many_and_one_too_few_are_named() {
        let changed = said("| yield | 36 | 61 | 60 |\n");
        assert_eq!(changed, "p.md:3: the baseline says | yield | 36 | 60 |\n");
        let strange = said("| fly | 1 | 2 | 3 |\n");
        assert!(strange.contains("p.md:3: no operation `fly`"), "{strange}");
        assert!(strange.contains("lacks | yield | 36 | 60 |"), "{strange}");
    }
}
