//! A script that cannot be read.
//!
//! Owns: where it fails, why, and how to fix it.
//! Must never know: the grammar.

use std::fmt;

/// Error in a line of a script.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Fault {
    /// The name of the file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// Cause of the error.
    pub cause: String,
    /// Hint for a fix.
    pub hint: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.cause)
    }
}

/// A cause with its hint, not yet at a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wrong {
    pub cause: String,
    pub hint: String,
}

impl Wrong {
    pub fn new(cause: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            cause: cause.into(),
            hint: hint.into(),
        }
    }

    /// A word that is not among those that may stand there.
    pub fn word<'a>(
        what: &str,
        word: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        let hint = match nearest(word, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let known: Vec<&str> = known.into_iter().collect();
                match known.is_empty() {
                    true => format!("there is no {what} yet"),
                    false => format!("known: {}", known.join(", ")),
                }
            }
        };
        Self::new(format!("no {what} `{word}`"), hint)
    }

    pub fn at(self, file: &str, line: usize) -> Fault {
        Fault {
            file: file.to_owned(),
            line,
            cause: self.cause,
            hint: self.hint,
        }
    }
}

/// The known word that `word` may stand for: at most a third of its letters differ.
fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (word.chars().count() / 3).max(1);
    let near = known.into_iter().map(|name| (distance(word, name), name));
    let best = near.min_by_key(|(distance, _)| *distance)?;
    (best.0 <= most).then_some(best.1)
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (from, to, expected) in [("", "abc", 3), ("lokc", "lock", 1), ("ready", "red", 2)] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }

    #[test]
    fn the_mend_names_the_nearest_word_or_all() {
        let known = ["block", "wake", "suspend"];
        assert_eq!(
            Wrong::word("command", "supsend", known).hint,
            "did you mean `suspend`?"
        );
        assert_eq!(
            Wrong::word("command", "fly", known).hint,
            "known: block, wake, suspend"
        );
    }
}
