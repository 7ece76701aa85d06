//! Lines that say what must be so.
//!
//! Owns: the words of each expectation.
//! Must never know: how it is checked.

use super::commands::{in_instance, instance, lock, thread};
use super::words::{Read, Words};
use crate::scenario::command::ThreadName;
use crate::scenario::fault::Wrong;
use crate::scenario::names::Names;
use crate::scenario::script::{Expectation, Expected, Occupant, OnCpu, WaitEnd};
use crate::scenario::units;

/// Subjects of an expectation, in addition to a processor.
const ABOUT: [&str; 17] = [
    "ready",
    "scheduled",
    "running",
    "waiting",
    "blocked",
    "suspended",
    "dormant",
    "pinned",
    "absent",
    "owner",
    "waiters",
    "outcome",
    "priority",
    "affinity",
    "home",
    "cpus",
    "time",
];

/// The states in which threads can be expected.
const STATES: [(&str, Expected); 7] = [
    ("running", Expected::Running),
    ("waiting", Expected::Waiting),
    ("blocked", Expected::Blocked),
    ("suspended", Expected::Suspended),
    ("dormant", Expected::Dormant),
    ("pinned", Expected::Pinned),
    ("absent", Expected::Absent),
];

/// How a wait may have ended.
const ENDS: [(&str, WaitEnd); 4] = [
    ("granted", WaitEnd::Granted),
    ("timeout", WaitEnd::Timeout),
    ("flushed", WaitEnd::Flushed),
    ("none", WaitEnd::None),
];

/// The expectation that the rest of the line states.
pub(super) fn expectation(words: &mut Words<'_>, names: &Names) -> Read<Expectation> {
    if words
        .peek()
        .is_some_and(|word| units::number(word).is_some())
    {
        return cpus(words, names);
    }
    let about = words.word("what is expected")?;
    if let Some((_, state)) = STATES.iter().find(|(name, _)| *name == about) {
        words.expect(":")?;
        return Ok(Expectation::State(*state, threads(words, names)?));
    }
    let expected = match about {
        "ready" => {
            let instance = in_instance(words, names)?;
            words.expect(":")?;
            Expectation::Ready(instance, list(words, names)?)
        }
        "scheduled" => {
            let instance = in_instance(words, names)?;
            words.expect(":")?;
            let mut found = vec![occupant(words, names)?];
            while !words.is_empty() {
                found.push(occupant(words, names)?);
            }
            Expectation::Scheduled(instance, found)
        }
        "owner" | "waiters" => of_lock(about, words, names)?,
        "cpus" => {
            let instance = instance(words, names)?;
            words.expect(":")?;
            Expectation::Owned(instance, words.set()?)
        }
        _ => of_thread(about, words, names)?,
    };
    words.end()?;
    Ok(expected)
}

/// `0: A, 1: B -> C`
fn cpus(words: &mut Words<'_>, names: &Names) -> Read<Expectation> {
    let mut found = Vec::new();
    while !words.is_empty() {
        let cpu = words.cpu()?;
        words.expect(":")?;
        let executing = occupant(words, names)?;
        let heir = match words.take("->") {
            true => occupant(words, names)?,
            false => executing,
        };
        found.push((cpu, OnCpu { executing, heir }));
    }
    Ok(Expectation::Cpus(found))
}

/// `A`, `idle`, `idle for A`, `nobody`
fn occupant(words: &mut Words<'_>, names: &Names) -> Read<Occupant> {
    if words.take("nobody") {
        return Ok(Occupant::Nobody);
    }
    if !words.take("idle") {
        return thread(words, names).map(Occupant::Thread);
    }
    match words.take("for") {
        true => Ok(Occupant::Idle(Some(thread(words, names)?))),
        false => Ok(Occupant::Idle(None)),
    }
}

/// At least one thread.
fn threads(words: &mut Words<'_>, names: &Names) -> Read<Vec<ThreadName>> {
    let mut found = vec![thread(words, names)?];
    while !words.is_empty() {
        found.push(thread(words, names)?);
    }
    Ok(found)
}

/// Threads, or `none`.
fn list(words: &mut Words<'_>, names: &Names) -> Read<Vec<ThreadName>> {
    match words.take("none") {
        true => Ok(Vec::new()),
        false => threads(words, names),
    }
}

fn of_lock(about: &str, words: &mut Words<'_>, names: &Names) -> Read<Expectation> {
    let lock = lock(words, names)?;
    words.expect(":")?;
    if about == "waiters" {
        return Ok(Expectation::Waiters(lock, list(words, names)?));
    }
    let owner = match words.take("none") {
        true => None,
        false => Some(thread(words, names)?),
    };
    Ok(Expectation::Owner(lock, owner))
}

fn of_thread(about: &str, words: &mut Words<'_>, names: &Names) -> Read<Expectation> {
    if !ABOUT.contains(&about) {
        return Err(Wrong::word("expectation", about, ABOUT));
    }
    let thread = thread(words, names)?;
    let inside = match about == "priority" && words.take("in") {
        true => Some(instance(words, names)?),
        false => None,
    };
    words.expect(":")?;
    Ok(match about {
        "outcome" => {
            let word = words.word("how the wait ended")?;
            let found = ENDS.iter().find(|(name, _)| *name == word);
            let known = ENDS.map(|(name, _)| name);
            let (_, end) = found.ok_or_else(|| Wrong::word("outcome", word, known))?;
            Expectation::Outcome(thread, *end)
        }
        "priority" => Expectation::Priority(thread, inside, words.number("a priority")?),
        "affinity" => Expectation::Affinity(thread, words.set()?),
        "home" => Expectation::Home(thread, instance(words, names)?),
        _ => Expectation::Time(thread, words.span("a time")?),
    })
}
