//! A board's own counter of cycles: what a program of the board says of it, and whether that is a
//! measurement.
//!
//! Owns: the form of a session, the condition that it is whole, and the condition that its counter
//! is an emulator's. Must never know: the way to the board (that is [`line`]'s), or the writing of
//! a result.

#[cfg(test)]
mod fuzz;
pub mod line;
mod refusal;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use anyhow::Result;
use taktos_runner::failure::Failure;

use crate::console::{self, Line};
use crate::measure::Labels;
use crate::response::Distribution;
use crate::samples::{Samples, Unit, Values};

/// The line with which a session begins, and that with which it ends.
const BEGIN: &str = "@session";
const END: &str = "@end";
/// The version that is read.
const VERSION: u64 = 1;
/// The mark around nothing.
const EMPTY: &str = "empty";
/// The most samples of a mark in a round, which no program comes near to.
const MOST: u64 = 1_000_000;
const AGAIN: &str = "record the board's console again, from its reset to the line `@end`";

/// Session of a board.
#[derive(Debug, PartialEq, Eq)]
pub struct Session {
    /// The board.
    pub board: String,
    /// Its counter.
    pub counter: String,
    /// How often a second that is to count; 0: not known.
    pub hertz: u64,
    /// Conditions of the counts.
    pub conditions: Labels,
    /// Counts of the counter in this many nanoseconds of the board's clock.
    pub rates: Vec<(u64, u64)>,
    /// Loads, each of which waits for the one before it, and what the counter counted meanwhile.
    pub loads: (u64, u64),
    /// The rounds.
    pub rounds: Vec<Round>,
    /// The lines, as they were said.
    pub text: String,
}

/// The samples of a round.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Labels of the round.
    pub labels: Labels,
    /// Each mark, with its samples.
    pub marks: Vec<(String, Vec<u64>)>,
}

impl Round {
    /// Returns the cost of reading the counter: the least of the intervals around nothing.
    fn empty(&self) -> Option<u64> {
        let all = self.marks.iter().find(|(mark, _)| mark == EMPTY)?;
        all.1.iter().copied().min()
    }

    fn add(&mut self, mark: &str, values: Vec<u64>) {
        match self.marks.iter_mut().find(|(known, _)| known == mark) {
            Some((_, all)) => all.extend(values),
            None => self.marks.push((mark.to_owned(), values)),
        }
    }
}

/// Returns whether the last session of a console has ended, so that nothing more is waited for.
pub fn has_ended(console: &str) -> bool {
    last(console).is_some_and(|session| {
        let ended = |line: &str| line.starts_with(END);
        // A line that is cut off may still grow.
        session
            .rfind('\n')
            .is_some_and(|end| session[..end].lines().any(ended))
    })
}

/// Returns the last session of a console: the output from the begin of listening may precede it.
fn last(console: &str) -> Option<&str> {
    let begins = console.rmatch_indices(BEGIN);
    let mut begins = begins.filter(|(at, _)| *at == 0 || console[..*at].ends_with('\n'));
    begins.next().map(|(at, _)| &console[at..])
}

/// Reads the last session of a console.
///
/// # Errors
/// When there is none, it is not whole, or a line says what no program says.
pub fn read(console: &str) -> Result<Session> {
    let whole = whole(console)?;
    let text: String = whole.iter().map(|line| format!("{line}\n")).collect();
    let lines = console::lines(&text)?;
    let mut lines = lines.iter();
    let first = lines.next().ok_or_else(none)?;
    if first.number("version")? != VERSION {
        return Err(first.broken(&format!("whose version is not {VERSION}")));
    }
    let mut session = Session {
        board: first.word("board")?.to_owned(),
        counter: first.word("counter")?.to_owned(),
        hertz: first.number("hertz")?,
        conditions: Labels::new(),
        rates: Vec::new(),
        loads: (0, 0),
        rounds: Vec::new(),
        text: text.clone(),
    };
    for line in lines {
        session.take(line)?;
    }
    session.checked()
}

fn none() -> anyhow::Error {
    Failure::error("the board's console has no line `@session`", AGAIN)
}

/// The lines of the last session, if it is whole: the last line says how many they are, and their
/// digest.
fn whole(console: &str) -> Result<Vec<&str>> {
    let mut lines = Vec::new();
    let mut check = FNV_BASIS;
    for line in last(console).ok_or_else(none)?.lines() {
        if line.starts_with(END) {
            let said = console::lines(line)?;
            let [end] = said.as_slice() else { break };
            let (count, digest) = (end.number("lines")?, end.number("check")?);
            if (count, digest) != (lines.len() as u64, u64::from(check)) {
                let cause = format!(
                    "the session is not whole: {} lines came with the digest {check}, the board said {count} with {digest}",
                    lines.len()
                );
                return Err(Failure::error(cause, AGAIN));
            }
            return Ok(lines);
        }
        if line.starts_with('@') {
            lines.push(line);
            check = digest(check, line);
        }
    }
    Err(Failure::error(
        format!(
            "the session is not whole: {} lines came, and no `@end`",
            lines.len()
        ),
        AGAIN,
    ))
}

const FNV_BASIS: u32 = 0x811c_9dc5;

/// The 32-bit FNV-1a digest, as the program makes it.
fn digest(begun: u32, text: &str) -> u32 {
    text.bytes().fold(begun, |digest, byte| {
        (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

impl Session {
    fn take(&mut self, line: &Line<'_>) -> Result<()> {
        match line.kind {
            "conditions" => self.conditions.extend(line.labels()),
            "rate" => self
                .rates
                .push((line.number("cycles")?, line.number("ns")?)),
            "loads" => self.loads = (line.number("count")?, line.number("cycles")?),
            "round" => self.rounds.push(Round {
                labels: line.labels(),
                ..Round::default()
            }),
            "samples" => {
                let (mark, values) = (line.word("mark")?, values(line)?);
                let round = self.rounds.last_mut();
                let round = round.ok_or_else(|| line.broken("which stands before any round"))?;
                round.add(mark, values);
            }
            _ => return Err(line.broken("which is of no kind that is known")),
        }
        Ok(())
    }

    /// Returns the session, if nothing is missing that every session has.
    fn checked(self) -> Result<Self> {
        let missing = [
            (self.rates.is_empty(), "rate"),
            (self.loads.0 == 0, "loads"),
            (self.rounds.is_empty(), "round"),
        ];
        if let Some((_, kind)) = missing.iter().find(|(is_missing, _)| *is_missing) {
            return Err(console::missing(kind));
        }
        match self.rounds.iter().all(|round| round.empty().is_some()) {
            true => Ok(self),
            false => Err(console::missing("samples mark=empty")),
        }
    }

    /// The middle of each mark's counts, of an even number the lower of the two, the empty pair
    /// taken off, in the first round.
    pub fn medians(&self) -> BTreeMap<String, u64> {
        let Some(round) = self.rounds.first() else {
            return BTreeMap::new();
        };
        let empty = round.empty().unwrap_or_default();
        let median = |(mark, values): &(String, Vec<u64>)| {
            let mut values = values.clone();
            values.sort_unstable();
            let middle = values.get(values.len().saturating_sub(1) / 2)?;
            Some((mark.clone(), middle.saturating_sub(empty)))
        };
        round.marks.iter().filter_map(median).collect()
    }

    /// The samples, the empty pair taken off.
    ///
    /// # Errors
    /// When the counter is an emulator's, so that they are no measurement.
    pub fn samples(&self) -> Result<Samples> {
        if let Some(why) = refusal::of(self) {
            return Err(Failure::error(
                format!("the counter of {} is no hardware's: {why}", self.board),
                "figures of an emulator are what `taktos bench --board BOARD` counts, to the last instruction",
            ));
        }
        let mut samples = Samples::default();
        for round in &self.rounds {
            let empty = round.empty().unwrap_or_default();
            for (mark, values) in round.marks.iter().filter(|(mark, _)| mark != EMPTY) {
                let net = values.iter().map(|value| value.saturating_sub(empty));
                if let Some(values) = Distribution::each(net) {
                    samples.push(&round.labels, mark, Unit::Counter, Values::All(values));
                }
            }
        }
        Ok(samples)
    }
}

/// The values of a line: `12,15x3` is one of 12 and three of 15.
fn values(line: &Line<'_>) -> Result<Vec<u64>> {
    let mut all = Vec::new();
    for run in line.word("cycles")?.split(',') {
        let (value, times) = run.split_once('x').unwrap_or((run, "1"));
        let read = value.parse::<u32>().ok().zip(times.parse::<u64>().ok());
        let Some((value, times)) = read.filter(|(_, times)| (1..=MOST).contains(times)) else {
            return Err(line.broken(&format!("in which `{run}` is no count of cycles")));
        };
        all.extend(std::iter::repeat_n(u64::from(value), times as usize));
        if all.len() as u64 > MOST {
            return Err(line.broken("which has more samples than a program takes"));
        }
    }
    Ok(all)
}
