//! Tables of the book that are those of a board with several processors, from its baseline, and
//! nothing else.
//!
//! `<!-- several BOARD TABLE -->` precedes such a table. A command that saves a baseline rewrites
//! it.

use anyhow::{Context, Result};
use taktos_experiments::baseline::Baselines;
use taktos_experiments::several_bench::{Figures, markdown};
use taktos_export::replace_file;
use taktos_export::table::Table;
use taktos_runner::failure::shown;
use taktos_runner::workspace::Workspace;

use super::{Compared, each_marked};
use crate::command::bench::several::{board, tables_of};

/// Page with tables that are rewritten.
const PAGE: &str = "docs/figures.md";

/// Writes the tables of a board into the book.
///
/// # Errors
/// When the page cannot be read or written.
pub fn renew(workspace: &Workspace, board: &str, tables: &[(String, Table)]) -> Result<()> {
    let path = workspace.path(PAGE);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
    let new = renewed(&text, |name, table| {
        let (_, table) = tables.iter().find(|(known, _)| known == table)?;
        (name == board).then(|| markdown(table))
    });
    if new == text {
        return Ok(());
    }
    replace_file(&path, new).with_context(|| format!("cannot write {PAGE}"))
}

/// The page with the tables that `table` has for a board and a name; others stay.
fn renewed(text: &str, table: impl Fn(&str, &str) -> Option<String>) -> String {
    let mut page = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        page.push_str(line);
        page.push('\n');
        let Some(new) = marked(line).and_then(|(board, name)| table(board, name)) else {
            continue;
        };
        while lines.next_if(|line| line.trim().is_empty()).is_some() {}
        while lines.next_if(|line| line.starts_with('|')).is_some() {}
        page.push('\n');
        page.push_str(&new);
    }
    page
}

/// The board and the table that the line announces.
fn marked(line: &str) -> Option<(&str, &str)> {
    let words = line.strip_prefix("<!-- several ")?.strip_suffix(" -->")?;
    words.split_once(' ')
}

/// Compares each such table of a page with the baseline of its board.
pub fn check(workspace: &Workspace, page: &str, text: &str) -> Compared {
    each_marked(workspace, text, marked, |all, (name, table), lines| {
        let place = format!("{page}:{lines}");
        vec![match expected(workspace, all, name, table) {
            Ok(expected) if found(text, lines) == expected => Ok(()),
            Ok(expected) => Err(format!("{place}: the baseline says\n{expected}")),
            Err(error) => Err(format!("{place}: {}", shown(&error))),
        }]
    })
}

fn expected(workspace: &Workspace, all: &Baselines, name: &str, table: &str) -> Result<String> {
    let board = board(name).with_context(|| format!("no board `{name}` has several processors"))?;
    let figures: Figures = all.of(board.name)?;
    let tables = tables_of(workspace, all, board, &figures)?;
    let found = tables.iter().find(|(known, _)| known == table);
    let (_, table) = found.with_context(|| format!("no table is called `{table}`"))?;
    Ok(markdown(table))
}

/// Returns the table after the first `lines` lines of a page.
fn found(text: &str, lines: usize) -> String {
    let rest = text
        .lines()
        .skip(lines)
        .skip_while(|line| line.trim().is_empty());
    let table = rest.take_while(|line| line.starts_with('|'));
    table.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_replaced_and_nothing_else() {
        let page = |table: &str| {
            format!("words\n<!-- several b locks -->\n\n{table}\nwords\n| no | table |\n")
        };
        let new = |board: &str, table: &str| {
            ((board, table) == ("b", "locks")).then(|| "| new |\n|---|\n".to_owned())
        };
        let old = page("| old |\n|---|\n| row |\n");
        assert_eq!(renewed(&old, new), page("| new |\n|---|\n"));
        assert_eq!(renewed(&old, |_, _| None), old);
        assert_eq!(found(&old, 2), "| old |\n|---|\n| row |\n");
    }
}
