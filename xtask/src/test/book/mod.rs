//! The step that keeps the book true: every block of code in it is compiled
//! or understood.
//!
//! - `rust`: the body of the first thread of a program. It is compiled and run on the host; a `?`
//!   that fails, or an assertion, fails the step. `rust,no_run` is only compiled. `rust,several`
//!   runs on four processors in two instances.
//! - `rust,BOARD`: a whole program of that board, checked by its compiler. `rust,taktos new` is the
//!   program that the tool writes, to the letter.
//! - `console`, `sh`: a line that calls the tool must be a command that it knows.
//! - `toml` with a `program`: must be an experiment; with tasks or partitions, a task set;
//!   `toml,costs`: what a kernel's acts cost.
//! - `json,tasks` and `xml,tasks`: must be a task set of rt-app, of SimSo.
//! - A table after `<!-- bench BOARD -->`: its counts must be the baseline's. One after `<!--
//!   several BOARD TABLE -->` must be that table of a board with several processors, from its
//!   baseline.

mod block;
#[cfg(test)]
mod moving;
mod rust;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use taktos_experiments::experiment::Experiment;
use taktos_runner::workspace::Workspace;

use taktos_simulate::file::{self, FileError};

use taktos_simulate::scenario::{Options, run_file};

use super::Tally;
use crate::Chores;
use block::{Block, blocks};
use taktos_cli::arguments::Arguments;
use taktos_cli::book::{figures, several};

/// Every block of the book, the README and the architecture.
pub(super) fn code(workspace: &Workspace) -> Result<Tally> {
    let mut all = Tally::default();
    let mut compiler = rust::Compiler::default();
    for path in pages(workspace)? {
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let blocks = blocks(&text);
        let page = workspace.shown(&path);
        for block in &blocks {
            let place = format!("{page}:{}", block.line);
            match block.language() {
                "scenario" => all.add(scenario(block, &place)),
                "console" | "sh" => all.add(commands(block, &place)),
                "toml" if block.text.contains("program") => all.add(experiment(block, &place)),
                "toml" if block.words().any(|word| word == "costs") => {
                    all.add(costs(block, &place))
                }
                "toml" if block.text.contains("[[partition]]") && block.text.contains("image") => {
                    all.add(machine(block, &place));
                }
                "toml"
                    if ["[[task]]", "[[partition]]"]
                        .iter()
                        .any(|head| block.text.contains(head)) =>
                {
                    all.add(tasks(block, &place));
                }
                "json" | "xml" if block.words().any(|word| word == "tasks") => {
                    all.add(tasks(block, &place));
                }
                _ => {}
            }
        }
        all.add(compiler.page(workspace, &page, &blocks)?);
        all.add(
            figures::check(workspace, &page, &text)
                .into_iter()
                .collect(),
        );
        all.add(
            several::check(workspace, &page, &text)
                .into_iter()
                .collect(),
        );
    }
    Ok(all)
}

/// The pages, in the order of their names.
fn pages(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut pages = vec![
        workspace.path("README.md"),
        workspace.path("ARCHITECTURE.md"),
    ];
    let mut folders = vec![workspace.path("docs")];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// The lines that call the tool.
fn commands(block: &Block<'_>, place: &str) -> Tally {
    let mut tally = Tally::default();
    let lines = block.text.lines().map(|line| {
        let line = line.trim().trim_start_matches("$ ");
        line.split('#').next().unwrap_or_default()
    });
    for line in lines.flat_map(|line| line.split("&&")).map(str::trim) {
        let (program, words) = line.split_once(' ').unwrap_or((line, ""));
        // From the clone, and from elsewhere by the script's path.
        if program.rsplit('/').next() != Some("taktos") {
            continue;
        }
        let words = words_of(words)
            .into_iter()
            .take_while(|word| !matches!(*word, "|" | ">"));
        let words: Vec<&str> = ["taktos"].into_iter().chain(words).collect();
        // The script gives its tests to this program, and all else to the tool.
        let parsed = match words.get(1) {
            Some(&"test") => Chores::try_parse_from(&words).map(drop),
            _ => Arguments::try_parse_from(&words).map(drop),
        };
        // Asking for help or the version is a command too, though it parses to none.
        tally.add(match parsed {
            Err(error) if error.exit_code() != 0 => {
                Tally::fail(format!("{place}: `{line}` is no command of the tool\n"))
            }
            _ => Tally::pass(),
        });
    }
    tally
}

/// Returns the words of a line, as a shell splits it: text in double quotes is one word.
fn words_of(line: &str) -> Vec<&str> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect()
}

/// Runs a script unchanged.
fn scenario(block: &Block<'_>, place: &str) -> Tally {
    // Its lines are those of the page.
    let text = format!("{}{}", "\n".repeat(block.line - 1), block.text);
    let page = place.rsplit_once(':').map_or(place, |(page, _)| page);
    match run_file(&text, page, &Options::default()) {
        Ok(_) => Tally::pass(),
        Err(error) => {
            let hint = error
                .hint()
                .map_or_else(String::new, |hint| format!(" ({hint})"));
            Tally::fail(format!("{error}{hint}\n"))
        }
    }
}

fn experiment(block: &Block<'_>, place: &str) -> Tally {
    match toml::from_str::<Experiment>(block.text) {
        Ok(_) => Tally::pass(),
        Err(error) => Tally::fail(format!("{place}: no experiment: {}\n", error.message())),
    }
}

fn tasks(block: &Block<'_>, place: &str) -> Tally {
    // Without an ending the form is known by the first letter.
    checked(file::parse(block.text, place), place, "task set")
}

/// A machine with guests that have images: a configuration of the hypervisor.
fn machine(block: &Block<'_>, place: &str) -> Tally {
    let read = taktos_vm::Configuration::parse(block.text, place);
    let read = read.and_then(|configuration| configuration.check());
    checked(read, place, "configuration")
}

fn costs(block: &Block<'_>, place: &str) -> Tally {
    checked(file::parse_costs(block.text, place), place, "costs")
}

fn checked<T>(read: Result<T, FileError>, place: &str, what: &str) -> Tally {
    match read {
        Ok(_) => Tally::pass(),
        Err(error) => Tally::fail(format!("{place}: no {what}: {error}: {}\n", error.hint)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Start\n\n```console\n$ ./taktos run\n$ ./taktos test --only \"a b\" --skip c\n\
        $ ./taktos fly\n$ cd .. && taktos/taktos new blinky\n$ cd .. && taktos/taktos walk\nhello\n```\n";

    #[test]
    fn an_unknown_command_fails_and_a_known_one_passes() {
        let tally = commands(&blocks(PAGE)[0], "docs/start.md:4");
        assert_eq!((tally.passed, tally.failed), (3, 2));
        assert!(tally.said.contains("`taktos/taktos walk`"));
        assert!(
            tally.said.contains("docs/start.md:4: `./taktos fly`"),
            "{}",
            tally.said
        );
    }

    #[test]
    fn a_scenario_of_the_book_is_run_and_its_lines_are_the_pages() {
        let block = |text| Block {
            head: "scenario",
            line: 7,
            text,
        };
        let script =
            "processors 1\npolicies all\ncase one:\nthread A priority 1 started\nexpect 0: A";
        let tally = scenario(&block(script), "docs/p.md:7");
        assert_eq!((tally.passed, tally.failed), (1, 0), "{}", tally.said);
        let wrong = script.replace("expect 0: A", "expect 0: idle");
        let said = scenario(&block(&wrong), "docs/p.md:7").said;
        assert!(said.starts_with("docs/p.md:11: `expect 0: idle`"), "{said}");
        let faulty = script.replace("expect", "expcet");
        let said = scenario(&block(&faulty), "docs/p.md:7").said;
        assert!(
            said.contains("docs/p.md:11") && said.contains("did you mean `expect`?"),
            "{said}"
        );
    }

    #[test]
    fn an_experiment_of_the_book_is_read() {
        let block = Block {
            head: "toml",
            line: 1,
            text: "program = 1",
        };
        assert_eq!(experiment(&block, "docs/start.md:1").failed, 1);
    }

    #[test]
    fn a_configuration_of_the_book_is_checked() {
        let block = |text| Block {
            head: "toml",
            line: 1,
            text,
        };
        let good = "[[partition]]\nname = 'a'\nmemory = '16 MiB'\nimage = 'taktos:hello'\n";
        let tally = machine(&block(good), "docs/hypervisor.md:1");
        assert_eq!((tally.passed, tally.failed), (1, 0), "{}", tally.said);
        let small = good.replace("16 MiB", "1 MiB");
        let tally = machine(&block(&small), "docs/hypervisor.md:1");
        assert!(tally.said.contains("2 MiB"), "{}", tally.said);
    }

    #[test]
    fn a_task_set_of_the_book_is_read() {
        let block = |text| Block {
            head: "toml",
            line: 1,
            text,
        };
        let good = "[[task]]\nname = 'a'\nperiod = '5 ms'\nexecution = '1 ms'\n";
        assert_eq!(tasks(&block(good), "docs/simulator.md:1").passed, 1);
        let tally = tasks(&block("[[task]]\nname = 'a'\n"), "docs/simulator.md:1");
        assert_eq!(tally.failed, 1);
        assert!(tally.said.contains("period"), "{}", tally.said);
        assert_eq!(
            costs(&block("swtch = '1 us'"), "docs/simulator.md:1").failed,
            1
        );
    }
}
