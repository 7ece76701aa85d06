//! The book's trips through the kernel (`docs/reading.md`): each step is where the page says, and a
//! trip is as long as it may be.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// How many lines and files a trip may have, and its steps: a file, what is to be found there, and
/// whether it is the last such.
struct Trip {
    lines: usize,
    files: usize,
    steps: Vec<(String, String, bool)>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn trips() -> Vec<Trip> {
    let page = fs::read_to_string(root().join("docs/reading.md")).expect("the page is there");
    let mut trips: Vec<Trip> = Vec::new();
    for line in page.lines() {
        if let Some(limits) = line.strip_prefix("<!-- trip ") {
            let number = |name: &str| {
                let words = limits.split_whitespace();
                let value = words.filter_map(|word| word.strip_prefix(name)).next();
                value.and_then(|value| value.strip_prefix('=')?.parse().ok())
            };
            trips.push(Trip {
                lines: number("lines").expect("a limit of lines"),
                files: number("files").expect("a limit of files"),
                steps: Vec::new(),
            });
        } else if line.starts_with("## ") && trips.len() == 2 && !trips[1].steps.is_empty() {
            break;
        } else if let (Some(trip), [_, _, file, item, _]) = (
            trips.last_mut(),
            line.split('|')
                .map(str::trim)
                .collect::<Vec<_>>()
                .as_slice(),
        ) && file.ends_with(".rs")
        {
            let name = item.split('`').nth(1).expect("an item in code");
            trip.steps
                .push((file.to_string(), name.to_string(), item.ends_with("(last)")));
        }
    }
    trips
}

/// The lines of code of `item` in `source`, without comments and blank lines: from the line with
/// its name to the one that closes it, which is indented as much and ends it.
fn length(source: &str, item: &str, last: bool) -> Option<usize> {
    let lines: Vec<&str> = source.lines().collect();
    let begins = |line: &&str| {
        let after = line.find(item).map(|at| &line[at + item.len()..]);
        after.is_some_and(|rest| rest.starts_with(['(', '<', ' ']))
            && !line.trim_start().starts_with("//")
    };
    let first = if last {
        lines.iter().rposition(begins)?
    } else {
        lines.iter().position(begins)?
    };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let end = lines[first..]
        .iter()
        .position(|line| indent(line) == indent(lines[first]) && line.trim_end().ends_with('}'))?;
    let is_code = |line: &&&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    Some(lines[first..=first + end].iter().filter(is_code).count())
}

#[test]
fn each_trip_is_where_the_page_says_and_not_too_long() {
    let trips = trips();
    assert_eq!(trips.len(), 2, "one processor, and several");
    for trip in trips {
        let (mut lines, mut files) = (0, BTreeSet::new());
        assert!(trip.steps.len() > 10, "a table of steps");
        for (file, item, last) in trip.steps {
            let source = fs::read_to_string(root().join(&file))
                .unwrap_or_else(|error| panic!("{file}: {error}"));
            let found = length(&source, &item, last);
            println!("{:4} {file} {item}", found.unwrap_or(0));
            lines += found.unwrap_or_else(|| panic!("{file} has no `{item}`"));
            files.insert(file);
        }
        println!("{lines} lines in {} files", files.len());
        assert!(
            lines <= trip.lines,
            "{lines} lines are more than {}",
            trip.lines
        );
        assert!(
            files.len() <= trip.files,
            "{} files are more than {}",
            files.len(),
            trip.files
        );
    }
}

#[test]
fn an_item_that_is_missing_or_a_comment_is_not_found() {
    assert_eq!(length("// fn here() {\n// }\n", "fn here", false), None);
    assert_eq!(length("fn there() {\n}\n", "fn here", false), None);
    assert_eq!(length("fn heresy() {\n}\n", "fn here", false), None);
}

#[test]
fn lines_without_code_are_not_counted() {
    let source = "    fn here() {\n        // Why.\n\n        act();\n    }\n    fn here() {}\n";
    assert_eq!(length(source, "fn here", false), Some(3));
    assert_eq!(length(source, "fn here", true), Some(1));
}
