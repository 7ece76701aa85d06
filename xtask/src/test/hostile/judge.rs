//! Owns: whether what was heard is what was promised.

use super::cases::{Case, ExpectedOutcome, Promise};
use super::machine::Heard;

/// Judges; why not, in words.
pub fn judge(case: &Case, heard: &Heard) -> Result<(), String> {
    if let Some(line) = &heard.unmarked {
        return Err(format!("a line bears nobody's mark: `{line}`"));
    }
    if let Some(wrong) = lines(heard, "[hostile] @wrong ").first() {
        return Err(format!("an answer is not the architecture's: {wrong}"));
    }
    let stops = lines(heard, "[taktos] victim stopped: ");
    if stops != ["off"] {
        return Err("the victim did not switch itself off once".into());
    }
    if let Promise::Suite { cases } = case.promise {
        return suite(heard, cases);
    }
    let memory = only(heard, "[victim] @memory ")?;
    demand(memory, "kept", |kept| kept == 1)?;
    demand(memory, "registers", |changed| changed == 0)?;
    keep(case, heard)?;
    // If no time is guaranteed, the victim's own verdict does not count.
    if !matches!(case.promise, Promise::End) && only(heard, "[victim] @exit ")? != "status=0" {
        return Err("the victim is not content".into());
    }
    fate(case, heard)
}

fn keep(case: &Case, heard: &Heard) -> Result<(), String> {
    match case.promise {
        Promise::Supply {
            periods,
            longest_gap_us,
        } => {
            let rounds = lines(heard, "[victim] @supply ");
            for round in &rounds {
                demand(round, "short", |short| short == 0)?;
                demand(round, "lost", |lost| lost == 0)?;
                demand(round, "gap_max_ns", |ns| ns <= longest_gap_us * 1000)?;
                // The victim did not have the processor all the time.
                demand(round, "gaps", |gaps| gaps > 0)?;
            }
            let sum: u64 = rounds
                .iter()
                .filter_map(|round| number(round, "periods"))
                .sum();
            if sum < periods {
                return Err(format!("{sum} periods were watched instead of {periods}"));
            }
        }
        Promise::Jobs { count } => {
            let jobs = only(heard, "[victim] @jobs ")?;
            demand(jobs, "count", |found| found == count)?;
            demand(jobs, "missed", |missed| missed == 0)?;
        }
        Promise::End | Promise::Suite { .. } => {
            demand(only(heard, "[victim] @jobs ")?, "count", |count| count > 0)?;
        }
    }
    Ok(())
}

/// `@suite passed N failed M`.
fn suite(heard: &Heard, least: u64) -> Result<(), String> {
    let counted = only(heard, "[victim] @suite passed ")?;
    let passed = counted.strip_suffix(" failed 0");
    let passed: Option<u64> = passed.and_then(|passed| passed.parse().ok());
    match passed {
        Some(passed) if passed >= least => Ok(()),
        _ => Err(format!("the suite's result is `{counted}`")),
    }
}

fn fate(case: &Case, heard: &Heard) -> Result<(), String> {
    match case.fate {
        ExpectedOutcome::Ends { attempts } => {
            let told = only(heard, "[hostile] @hostile ")?;
            demand(told, "attempts", |found| found >= attempts)
        }
        ExpectedOutcome::Restarts(wanted) if heard.restarts != wanted => Err(format!(
            "the hostile guest was started again {} times instead of {wanted}",
            heard.restarts
        )),
        ExpectedOutcome::Restarts(_) | ExpectedOutcome::Any => Ok(()),
    }
}

/// Returns the text after `head` of each line that begins so.
fn lines<'a>(heard: &'a Heard, head: &str) -> Vec<&'a str> {
    let lines = heard.lines.iter();
    lines.filter_map(|line| line.strip_prefix(head)).collect()
}

/// The one line that begins so.
pub(super) fn only<'a>(heard: &'a Heard, head: &str) -> Result<&'a str, String> {
    match lines(heard, head)[..] {
        [line] => Ok(line),
        ref all => Err(format!(
            "{} lines begin with `{head}` instead of one",
            all.len()
        )),
    }
}

/// Returns the value of `key` in the line.
pub(super) fn number(line: &str, key: &str) -> Option<u64> {
    let mut words = line.split(' ').filter_map(|word| word.split_once('='));
    let (_, value) = words.find(|(name, _)| *name == key)?;
    value.parse().ok()
}

fn demand(line: &str, key: &str, holds: impl Fn(u64) -> bool) -> Result<(), String> {
    match number(line, key) {
        Some(value) if holds(value) => Ok(()),
        Some(value) => Err(format!("`{key}` is {value}")),
        None => Err(format!("`{line}` lacks `{key}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases;
    use super::*;
    use crate::test::storms::Length;

    fn heard(lines: &[&str]) -> Heard {
        Heard {
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            ..Heard::default()
        }
    }

    const GOOD: [&str; 5] = [
        "[victim] @supply periods=5999 short=0 least_ns=3980704 first_ns=9843750 gaps=6000 gap_sum_ns=36115776000 gap_max_ns=6019296 lost=0",
        "[hostile] @hostile attack=all attempts=162781 exceptions=20145 interrupts=0",
        "[victim] @memory hash=a2c452d269518325 kept=1 registers=0",
        "[victim] @exit status=0",
        "[taktos] victim stopped: off",
    ];

    #[test]
    fn a_victim_that_got_everything_is_content() {
        let case = &cases::all(Length::Short)[0];
        assert_eq!(judge(case, &heard(&GOOD)), Ok(()));
    }

    #[test]
    fn whatever_is_amiss_is_named() {
        let case = &cases::all(Length::Short)[0];
        for (from, to, words) in [
            ("short=0", "short=1", "`short` is 1"),
            ("lost=0", "lost=1", "`lost` is 1"),
            ("gap_max_ns=6019296", "gap_max_ns=12200001", "gap_max_ns"),
            ("periods=5999", "periods=599", "599 periods"),
            ("gaps=6000", "gaps=0", "`gaps` is 0"),
            ("kept=1", "kept=0", "`kept` is 0"),
            ("registers=0", "registers=2", "`registers` is 2"),
            ("status=0", "status=1", "not content"),
            ("attempts=162781", "attempts=3", "`attempts` is 3"),
            ("stopped: off", "stopped: fault at 0x0", "did not switch"),
            ("@memory", "@mem", "0 lines begin with `[victim] @memory `"),
            ("[hostile] @hostile", "[victim] @exit", "2 lines begin"),
        ] {
            let changed = GOOD.map(|line| line.replace(from, to));
            let why = judge(case, &heard(&changed.each_ref().map(String::as_str)));
            let why = why.unwrap_err();
            assert!(why.contains(words), "{from}: {why}");
        }
        let told = [&GOOD[..], &["[hostile] @wrong call=0x80000001 answer=0x1"]].concat();
        let why = judge(case, &heard(&told)).unwrap_err();
        assert!(why.contains("call=0x80000001"), "{why}");
        let mut forged = heard(&GOOD);
        forged.unmarked = Some("all is well".into());
        assert!(judge(case, &forged).is_err());
    }

    #[test]
    fn the_suite_must_pass_whole() {
        let all = cases::all(Length::Short);
        let case = all.iter().find(|case| case.name.contains("suite"));
        let case = case.expect("there is one");
        let said = |counts: &str| {
            let counted = format!("[victim] @suite {counts}");
            judge(case, &heard(&[&counted, "[taktos] victim stopped: off"]))
        };
        assert_eq!(said("passed 267 failed 0"), Ok(()));
        assert!(said("passed 26 failed 0").is_err());
        assert!(said("passed 267 failed 1").is_err());
    }

    #[test]
    fn restarts_are_counted() {
        let all = cases::all(Length::Short);
        let case = all.iter().find(|case| case.name.contains("thousand"));
        let case = case.expect("there is one");
        let mut heard = heard(&GOOD);
        heard.restarts = 1_000;
        assert_eq!(judge(case, &heard), Ok(()));
        heard.restarts = 999;
        assert!(judge(case, &heard).is_err());
    }
}
