//! Lines of the project: of Rust in each folder, of baselines, links, and each folder's budget.
//!
//! Owns: the folders, the difference between code and tests, and the form of `lines.csv`.
//! Must never know: the contents of a file.
//!
//! Lines of Rust are counted without blank ones and comments. A test is in a folder or a file with
//! such a name, or after the first `#[cfg(test)]` of its file.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use taktos_export::replace_file;
use taktos_runner::workspace::Workspace;

/// The file of the budgets.
const BUDGETS: &str = "lines.csv";
/// Folders with a row for each folder in them.
const DIVIDED: [&str; 3] = ["core", "ext", "lab"];
/// The row of `lines.csv` for the baselines.
const BASELINES: &str = "experiments/baseline*";
/// The budget may be above the lines by this part of them, so that a small change needs no new one.
const SLACK_PERCENT: usize = 1;

/// Lines of Rust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    code: usize,
    tests: usize,
}

/// A line of the file of budgets.
#[derive(Serialize, Deserialize)]
struct Budget {
    folder: String,
    code: usize,
    tests: usize,
}

/// The lines of all folders, and of the baselines as code.
type Counted = BTreeMap<String, Lines>;

/// Returns the table of lines in the form of the book, with the budgets.
///
/// # Errors
/// If a file cannot be read.
pub fn table(workspace: &Workspace) -> Result<String> {
    let (counted, budgets) = (counted(workspace)?, budgets(workspace)?);
    let mut out = String::from("| folder | code | tests | budget |\n|---|---|---|---|\n");
    let mut all = Lines::default();
    for (folder, lines) in &counted {
        let Lines { code, tests } = *lines;
        let of = budgets.get(folder).copied().unwrap_or_default();
        let budget = format!("{} + {}", of.code, of.tests);
        out.push_str(&format!("| `{folder}` | {code} | {tests} | {budget} |\n"));
        if folder != BASELINES {
            all.code += code;
            all.tests += tests;
        }
    }
    let Lines { code, tests } = all;
    out.push_str(&format!("| all Rust | {code} | {tests} | |\n"));
    Ok(out)
}

/// Writes the lines of today as the budgets.
///
/// # Errors
/// If a file cannot be read or written.
pub fn save(workspace: &Workspace) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (folder, Lines { code, tests }) in counted(workspace)? {
        writer.serialize(Budget {
            folder,
            code,
            tests,
        })?;
    }
    replace_file(&workspace.path(BUDGETS), writer.into_inner()?)?;
    Ok(format!("{BUDGETS} has the lines of today"))
}

/// Compares the lines of each folder with its budget: a line for each folder, with the reason if it
/// has more.
///
/// # Errors
/// If a file cannot be read.
pub fn check(workspace: &Workspace) -> Result<Vec<Result<(), String>>> {
    let (counted, budgets) = (counted(workspace)?, budgets(workspace)?);
    let judged = counted.iter().map(|(folder, lines)| {
        let budget = budgets.get(folder).copied().unwrap_or_default();
        let parts = [
            ("code", lines.code, budget.code),
            ("tests", lines.tests, budget.tests),
        ];
        let over = parts.into_iter().find(|(_, lines, most)| lines > most);
        match over {
            None => Ok(()),
            Some((part, lines, most)) => Err(format!(
                "{folder} has {lines} lines of {part}, {most} in {BUDGETS}: take lines away, or \
                 raise the number and say why in the commit (cargo xtask size --save)\n"
            )),
        }
    });
    let loose = counted.iter().filter_map(|(folder, lines)| {
        let budget = budgets.get(folder)?;
        let is_loose = |lines: usize, most: usize| most > lines + lines * SLACK_PERCENT / 100 + 50;
        let loose = is_loose(lines.code, budget.code) || is_loose(lines.tests, budget.tests);
        loose.then(|| {
            Err(format!(
                "{BUDGETS} grants {folder} more than it has: cargo xtask size --save\n"
            ))
        })
    });
    Ok(judged.chain(loose).collect())
}

fn budgets(workspace: &Workspace) -> Result<Counted> {
    let path = workspace.path(BUDGETS);
    if !path.is_file() {
        return Ok(Counted::new());
    }
    let rows = csv::Reader::from_path(&path)?.into_deserialize();
    let row = |budget: csv::Result<Budget>| {
        let Budget {
            folder,
            code,
            tests,
        } = budget.with_context(|| format!("{BUDGETS}: no budget"))?;
        Ok((folder, Lines { code, tests }))
    };
    rows.map(row).collect()
}

fn counted(workspace: &Workspace) -> Result<Counted> {
    let mut all = Counted::new();
    for file in listed(workspace)? {
        let path = workspace.path(&file);
        if path.is_symlink() || !path.is_file() {
            continue;
        }
        let read = || std::fs::read_to_string(&path).with_context(|| file.clone());
        if file.starts_with(BASELINES.trim_end_matches('*')) {
            all.entry(BASELINES.to_owned()).or_default().code += read()?.lines().count();
        } else if let Some(folder) = folder_of(&file).filter(|_| file.ends_with(".rs")) {
            let Lines { code, tests } = of_text(&read()?, is_test(&file));
            let lines = all.entry(folder).or_default();
            lines.code += code;
            lines.tests += tests;
        }
    }
    ensure!(all.len() > 1, "the tree has no Rust");
    Ok(all)
}

/// The files of the tree, as version control lists them.
pub fn listed(workspace: &Workspace) -> Result<Vec<String>> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(workspace.root())
        .output()
        .context("git does not start")?;
    ensure!(output.status.success(), "git does not list the files");
    let text = String::from_utf8(output.stdout)?;
    Ok(text.split_terminator('\0').map(str::to_owned).collect())
}

/// Returns the folder to which the lines of a file count.
fn folder_of(file: &str) -> Option<String> {
    let (first, rest) = file.split_once('/')?;
    let second = rest.split_once('/').map(|(second, _)| second);
    Some(match second.filter(|_| DIVIDED.contains(&first)) {
        Some(second) => format!("{first}/{second}"),
        None => first.to_owned(),
    })
}

/// Whether all of a file is a test, by its path.
fn is_test(file: &str) -> bool {
    let path = Path::new(file).with_extension("");
    let is = |name: &str| {
        matches!(name, "test" | "tests" | "benches" | "fuzz")
            || name.ends_with("_tests")
            || name.ends_with("_test")
    };
    path.components()
        .any(|part| part.as_os_str().to_str().is_some_and(is))
}

fn of_text(text: &str, is_test: bool) -> Lines {
    let (mut lines, mut in_test) = (Lines::default(), is_test);
    let code = text.lines().map(str::trim);
    for line in code.filter(|line| !line.is_empty() && !line.starts_with("//")) {
        in_test = in_test || line.starts_with("#[cfg(test)]");
        match in_test {
            true => lines.tests += 1,
            false => lines.code += 1,
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_after_cfg_test_are_tests() {
        let text = "//! Head.\n\nfn a() {}\n// Why.\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(of_text(text, false), Lines { code: 1, tests: 3 });
        assert_eq!(of_text(text, true), Lines { code: 0, tests: 4 });
    }

    #[test]
    fn a_test_is_known_by_its_path() {
        for (file, expected) in [
            ("core/x/tests/a.rs", true),
            ("core/x/src/null_tests.rs", true),
            ("lab/x/src/fuzz.rs", true),
            ("xtask/src/test/mod.rs", true),
            ("core/x/src/contest.rs", false),
            ("core/x/src/latest.rs", false),
        ] {
            assert_eq!(is_test(file), expected, "{file}");
        }
    }

    #[test]
    fn a_crate_of_a_divided_folder_has_a_row() {
        assert_eq!(folder_of("lab/cli/src/a.rs").as_deref(), Some("lab/cli"));
        assert_eq!(folder_of("kernel/src/a.rs").as_deref(), Some("kernel"));
        assert_eq!(folder_of("build.rs"), None);
    }

    #[test]
    fn each_folder_has_its_row_and_the_last_is_the_sum() {
        let workspace = Workspace::find().unwrap();
        let table = table(&workspace).unwrap();
        for folder in [
            "`core/schedule`",
            "`lab/cli`",
            "`xtask`",
            "`experiments/baseline*`",
        ] {
            assert!(table.contains(folder), "{folder}");
        }
        let counted = counted(&workspace).unwrap();
        let of_rust = counted.iter().filter(|(folder, _)| *folder != BASELINES);
        let sum: usize = of_rust.map(|(_, lines)| lines.code).sum();
        assert!(table.contains(&format!("| all Rust | {sum} |")));
    }
}
