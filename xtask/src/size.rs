//! Says how many lines of Rust each room of the project has.
//!
//! Owns: which rooms there are, and what is a test. Must never know: what is in a file.
//!
//! Every line counts, empty ones and comments, too. Tests are what lies in a folder `tests`, and what stands behind
//! `#[cfg(test)]`: a module in its file, or a file of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use taktos_runner::workspace::Workspace;

/// The rooms, in the order of the architecture; of the laboratory each crate is one.
const ROOMS: [&str; 10] = [
    "core",
    "kernel",
    "hypervisor",
    "arch",
    "machine",
    "boards",
    "workloads",
    "lab",
    "tests",
    "xtask",
];
/// The room whose crates have a row each.
const BY_CRATE: &str = "lab";
/// What precedes a module that only tests build.
const ONLY_TESTS: &str = "#[cfg(test)]";

/// Lines of Rust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    code: usize,
    tests: usize,
}

/// The table, in the form of the book.
///
/// # Errors
/// When a file cannot be read.
pub fn table(workspace: &Workspace) -> Result<String> {
    let mut out = String::from("| room | code | tests | together |\n|---|---|---|---|\n");
    let mut row = |name: &str, Lines { code, tests }| {
        out.push_str(&format!(
            "| {name} | {code} | {tests} | {} |\n",
            code + tests
        ));
    };
    let mut all = Lines::default();
    for room in rooms(workspace)? {
        let lines = of_room(workspace, &room)?;
        ensure!(lines != Lines::default(), "{room} has no Rust");
        row(&format!("`{room}`"), lines);
        all.code += lines.code;
        all.tests += lines.tests;
    }
    row("all", all);
    Ok(out)
}

/// The rooms that have Rust in them.
fn rooms(workspace: &Workspace) -> Result<Vec<String>> {
    let mut rooms = Vec::new();
    for room in ROOMS {
        if room != BY_CRATE {
            rooms.push(room.to_owned());
            continue;
        }
        for folder in inside(&workspace.path(room))? {
            if folder.join("Cargo.toml").is_file() {
                rooms.push(workspace.shown(&folder));
            }
        }
    }
    Ok(rooms)
}

fn of_room(workspace: &Workspace, room: &str) -> Result<Lines> {
    let mut files = Vec::new();
    find(&workspace.path(room), &mut files)?;
    let mut texts = Vec::with_capacity(files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        texts.push((workspace.shown(&file), text));
    }
    let only_tests: BTreeSet<PathBuf> = texts
        .iter()
        .flat_map(|(file, text)| modules_for_tests(Path::new(file), text))
        .collect();
    let mut all = Lines::default();
    for (file, text) in &texts {
        let whole = text.lines().count();
        let is_test = Path::new(file)
            .components()
            .any(|part| part.as_os_str() == "tests")
            || Path::new(file)
                .ancestors()
                .any(|above| only_tests.contains(&above.with_extension("")));
        let tests = if is_test {
            whole
        } else {
            behind_cfg_test(text)
        };
        all.tests += tests;
        all.code += whole - tests;
    }
    Ok(all)
}

/// The Rust below a folder, but for what was built there, and what is a link to what is elsewhere.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for path in inside(folder)?
        .into_iter()
        .filter(|path| !path.is_symlink())
    {
        if path.is_dir() && !path.ends_with("target") {
            find(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// What lies in a folder, in the order of the names.
fn inside(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// The modules in files of their own that a file has for tests: their paths without the ending.
fn modules_for_tests(file: &Path, text: &str) -> Vec<PathBuf> {
    let stem = file.file_stem().unwrap_or_default();
    let beside = matches!(stem.to_str(), Some("mod" | "lib" | "main"));
    let folder = if beside {
        file.with_file_name("")
    } else {
        file.with_extension("")
    };
    let lines: Vec<&str> = text.lines().collect();
    let declared = lines.windows(2).filter(|pair| pair[0] == ONLY_TESTS);
    let names = declared.filter_map(|pair| pair[1].split("mod ").nth(1)?.strip_suffix(';'));
    names.map(|name| folder.join(name)).collect()
}

/// How many lines of a file stand in modules for tests, with what opens and closes them.
fn behind_cfg_test(text: &str) -> usize {
    let mut lines = text.lines().peekable();
    let mut all = 0;
    while let Some(line) = lines.next() {
        let opens = |next: &&str| next.contains("mod ") && next.ends_with('{');
        if line != ONLY_TESTS || lines.peek().is_none_or(|next| !opens(next)) {
            continue;
        }
        all += 1;
        for line in lines.by_ref() {
            all += 1;
            if line == "}" {
                break;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_tests_build_is_told_from_code() {
        let text = "fn a() {}\n#[cfg(test)]\nmod fuzz;\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
        assert_eq!(behind_cfg_test(text), 4);
        let of = |file: &str| modules_for_tests(Path::new(file), text);
        assert_eq!(of("core/x/src/a.rs"), [Path::new("core/x/src/a/fuzz")]);
        assert_eq!(of("core/x/src/lib.rs"), [Path::new("core/x/src/fuzz")]);
    }

    #[test]
    fn every_room_has_its_row_and_the_last_is_the_sum() {
        let table = table(&Workspace::find().unwrap()).unwrap();
        let number = |row: &str, column: usize| -> usize {
            row.split('|').nth(column).unwrap().trim().parse().unwrap()
        };
        let rows: Vec<&str> = table.lines().skip(2).collect();
        let (all, rooms) = rows.split_last().unwrap();
        for room in ["`core`", "`lab/cli`", "`xtask`"] {
            assert!(rooms.iter().any(|row| row.contains(room)), "{room}");
        }
        for column in 2..5 {
            let sum: usize = rooms.iter().map(|row| number(row, column)).sum();
            assert_eq!(number(all, column), sum);
        }
    }
}
