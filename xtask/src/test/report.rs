//! Owns: the report after a run: a line a step with its time, the slowest steps, and the failures
//! last, each with what runs it again and the beginning of why.
//! Must never know: how steps are run.

use std::time::Duration;

use super::run::Ran;
use super::seed::VARIABLE;
use super::{Line, Tally};

/// The most lines of a failed step's output: the first ones say most. The last ones of a stress
/// test name its seed and what is left of it.
const MOST_LINES: usize = 80;
/// The most lines at the report's end: a reader that sees nothing else has a clue.
const CLUE: usize = 4;
/// How many of the slowest steps are named.
const SLOWEST: usize = 8;

/// Returns the output of a failed step, as far as it is useful.
pub(super) fn said(tally: &Tally) -> String {
    let lines: Vec<&str> = tally.said.trim_end().lines().collect();
    match lines.len().checked_sub(MOST_LINES) {
        None | Some(0) => lines.join("\n"),
        Some(more) => {
            let (first, rest) = lines.split_at(MOST_LINES / 2);
            let (first, last) = (first.join("\n"), rest[more..].join("\n"));
            format!("{first}\n... {more} lines more ...\n{last}")
        }
    }
}

/// Returns the report on steps that took this time together, of a run that the line requested.
pub(super) fn of(ran: &[Ran], took: Duration, line: &Line) -> String {
    let mut out = format!("{:>9} {:>7} {:>7}  step\n", "time", "passed", "failed");
    for step in ran {
        out.push_str(&row(step));
    }
    if ran.len() > SLOWEST {
        out.push_str(&format!(
            "\nThe slowest {SLOWEST} of {} steps:\n",
            ran.len()
        ));
        let mut slow: Vec<&Ran> = ran.iter().collect();
        slow.sort_by_key(|step| std::cmp::Reverse(step.took));
        for step in &slow[..SLOWEST] {
            out.push_str(&format!("{:>9}  {}\n", seconds(step.took), step.name));
        }
    }
    let sum = |of: fn(&Tally) -> u64| ran.iter().map(|step| of(&step.tally)).sum::<u64>();
    out.push_str(&format!(
        "\n{} passed, {} failed in {}\n",
        sum(|tally| tally.passed),
        sum(|tally| tally.failed),
        seconds(took)
    ));
    for step in ran.iter().filter(|step| step.tally.failed > 0) {
        out.push_str(&format!("FAILED {}: {}\n", step.name, again(step, line)));
        for said in step.tally.said.trim_end().lines().take(CLUE) {
            out.push_str(&format!("    {said}\n"));
        }
    }
    out
}

/// A step in a line, with what it measured below.
fn row(step: &Ran) -> String {
    let Tally { passed, failed, .. } = step.tally;
    let time = seconds(step.took);
    let mut row = format!("{time:>9} {passed:>7} {failed:>7}  {}\n", step.name);
    let seed = step.tally.seed.map(|seed| format!("seed {seed}"));
    let figures = step.tally.figures.lines().map(str::to_owned);
    for figure in seed.into_iter().chain(figures) {
        row.push_str(&format!("{:27}{figure}\n", ""));
    }
    row
}

/// The line that runs a step again as it was.
fn again(step: &Ran, line: &Line) -> String {
    let seed = step
        .tally
        .seed
        .map_or_else(String::new, |seed| format!("{VARIABLE}={seed} "));
    let long = if line.long { " --long" } else { "" };
    format!("{seed}./taktos test{long} --exact \"{}\"", step.name)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(name: &str, seconds: u64, tally: Tally) -> Ran {
        Ran {
            name: name.into(),
            took: Duration::from_secs(seconds),
            tally,
        }
    }

    #[test]
    fn times_and_figures_come_first_and_failures_last_with_what_repeats_them() {
        let storm = Tally {
            seed: Some(7),
            figures: "rtds: 3 turns\n".into(),
            ..Tally::fail("a\nb\nc\nd\ne\n")
        };
        let steps = [ran("format", 1, Tally::pass()), ran("storms", 62, storm)];
        let long = Line {
            long: true,
            ..Line::default()
        };
        let report = of(&steps, Duration::from_secs(63), &long);
        assert_eq!(
            report.lines().collect::<Vec<_>>(),
            [
                "     time  passed  failed  step",
                "    1.0 s       1       0  format",
                "   62.0 s       0       1  storms",
                "                           seed 7",
                "                           rtds: 3 turns",
                "",
                "1 passed, 1 failed in 63.0 s",
                "FAILED storms: TAKTOS_SEED=7 ./taktos test --long --exact \"storms\"",
                "    a",
                "    b",
                "    c",
                "    d",
            ]
        );
    }

    #[test]
    fn the_slowest_are_named_where_there_are_many() {
        let steps: Vec<Ran> = (0..10)
            .map(|n| ran(&format!("s{n}"), n, Tally::pass()))
            .collect();
        let report = of(&steps, Duration::ZERO, &Line::default());
        let slow = report.split("The slowest 8 of 10 steps:\n").nth(1).unwrap();
        assert!(slow.starts_with("    9.0 s  s9\n    8.0 s  s8\n"), "{slow}");
        assert!(!slow.contains("s1\n"), "{slow}");
    }

    #[test]
    fn what_is_said_at_length_is_cut_in_the_middle() {
        assert_eq!(said(&Tally::fail("diff in a.rs\n")), "diff in a.rs");
        let whole = "x\n".repeat(MOST_LINES);
        assert_eq!(said(&Tally::fail(&whole)), whole.trim_end());
        let long = said(&Tally::fail(format!("first\n{whole}y\nseed 7\n")));
        assert!(long.starts_with("first\nx\n"), "{long}");
        assert!(long.contains("x\n... 3 lines more ...\nx"), "{long}");
        assert!(long.ends_with("x\ny\nseed 7"), "{long}");
        assert_eq!(long.lines().count(), MOST_LINES + 1);
    }
}
