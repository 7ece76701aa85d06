//! Lines that have a stress test.
//!
//! Owns: the words of a stress test, and the names of its threads and locks.
//! Must never know: its commands.

use super::words::{Read, Words};
use crate::scenario::fault::Wrong;
use crate::scenario::names::Names;
use crate::scenario::storm::{KINDS, Kind, Plan};

/// The most threads and locks of a stress test.
const MOST: u32 = 1000;

/// `storm 2000 seed 1 threads 96 locks 6 with affinity locks`
pub(super) fn plan(words: &mut Words<'_>, names: &mut Names) -> Read<Plan> {
    words.word("storm")?;
    let events = words.number("how many commands")?;
    words.expect("seed")?;
    let seed = words.number("a seed")?;
    words.expect("threads")?;
    let threads = count(words, "how many threads")?;
    let locks = match words.take("locks") {
        true => count(words, "how many locks")?,
        false => 0,
    };
    let mut kinds = Vec::new();
    if words.take("with") {
        while !words.is_empty() {
            let word = words.word("a kind of command")?;
            let found = KINDS.iter().find(|(name, _)| *name == word);
            let known = KINDS.map(|(name, _)| name);
            let (_, kind) = found.ok_or_else(|| Wrong::word("kind of command", word, known))?;
            kinds.push(*kind);
        }
    }
    words.end()?;
    let (first_thread, first_lock) = (names.threads().len(), names.locks().len());
    for index in 0..threads {
        names.add_thread(&new(names, format!("T{index}"))?);
    }
    for index in 0..locks {
        names.add_lock(&new(names, format!("M{index}"))?);
    }
    if locks == 0 {
        kinds.retain(|kind| *kind != Kind::Locks);
    }
    Ok(Plan {
        events,
        seed: u64::from(seed),
        threads: (first_thread, names.threads().len() - first_thread),
        locks: (first_lock, names.locks().len() - first_lock),
        kinds,
    })
}

fn count(words: &mut Words<'_>, what: &str) -> Read<u32> {
    let count = words.number(what)?;
    match count {
        1..=MOST => Ok(count),
        _ => Err(Wrong::new(
            format!("{count} cannot be {what}"),
            format!("1 to {MOST} can"),
        )),
    }
}

/// Returns a name that the stress test gives, if no thread or lock has it yet.
fn new(names: &Names, name: String) -> Read<String> {
    match names.find_thread(&name).is_some() || names.find_lock(&name).is_some() {
        false => Ok(name),
        true => Err(Wrong::new(
            format!("the storm names a thread or lock `{name}`, and there is one"),
            "rename it; a case can have one storm",
        )),
    }
}
