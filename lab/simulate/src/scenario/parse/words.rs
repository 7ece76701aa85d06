//! The words of a line, one after the other.
//!
//! Owns: how a line is split into words, and the rules for each.
//! Must never know: which command it is.

use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Duration;

use crate::scenario::fault::Wrong;
use crate::scenario::units;

/// The words of a line that have not been read yet.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    words: Vec<&'a str>,
    next: usize,
}

/// A cursor's answers.
pub(super) type Read<T> = Result<T, Wrong>;

impl<'a> Words<'a> {
    /// Splits a line into words. A `#` begins a comment; `:` ends a word and is one; a comma after
    /// a word only parts words.
    pub fn of(line: &'a str) -> Self {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = Vec::new();
        for chunk in line.split_whitespace() {
            let mut rest = chunk;
            while let Some(colon) = rest.find(':') {
                words.push(&rest[..colon]);
                words.push(":");
                rest = &rest[colon + 1..];
            }
            words.push(rest.strip_suffix(',').unwrap_or(rest));
        }
        words.retain(|word| !word.is_empty());
        Self { words, next: 0 }
    }

    /// Whether no word is left.
    pub fn is_empty(&self) -> bool {
        self.next == self.words.len()
    }

    /// The next word, which stays.
    pub fn peek(&self) -> Option<&'a str> {
        self.words.get(self.next).copied()
    }

    /// The next word, which must be there.
    pub fn word(&mut self, what: &str) -> Read<&'a str> {
        let word = self.peek().filter(|word| *word != ":");
        let word = word.ok_or_else(|| {
            let place = match self.next.checked_sub(1) {
                Some(last) => format!(" behind `{}`", self.words[last]),
                None => String::new(),
            };
            Wrong::new(
                format!("{what} is missing{place}"),
                format!("write {what} there"),
            )
        })?;
        self.next += 1;
        Ok(word)
    }

    /// Takes the next word when it is this one.
    pub fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.next += usize::from(found);
        found
    }

    /// The next word, which must be this one.
    pub fn expect(&mut self, word: &str) -> Read<()> {
        if self.take(word) {
            return Ok(());
        }
        let found = match self.peek() {
            Some(found) => format!("`{found}` stands where `{word}` should"),
            None => format!("`{word}` is missing at the end"),
        };
        Err(Wrong::new(found, format!("write `{word}` there")))
    }

    /// That no word is left.
    pub fn end(&self) -> Read<()> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(Wrong::new(
                format!("`{word}` is more than the line can take"),
                "remove it, or begin a new line",
            )),
        }
    }

    /// A number.
    pub fn number(&mut self, what: &str) -> Read<u32> {
        let word = self.word(what)?;
        units::number(word).ok_or_else(|| {
            Wrong::new(
                format!("`{word}` is no number"),
                format!("write {what} as a whole number, 0 to {}", u32::MAX),
            )
        })
    }

    /// A processor.
    pub fn cpu(&mut self) -> Read<Cpu> {
        let word = self.word("a processor")?;
        let index = units::number(word).map(|index| index as usize);
        index.and_then(Cpu::new).ok_or_else(|| {
            Wrong::new(
                format!("`{word}` is no processor"),
                "processors are numbers, 0 to 63",
            )
        })
    }

    /// A set of processors.
    pub fn set(&mut self) -> Read<CpuSet> {
        let word = self.word("a set of processors")?;
        units::set(word).ok_or_else(|| {
            Wrong::new(
                format!("`{word}` is no set of processors"),
                "write it like 0,2-3, or all, or none; processors are 0 to 63",
            )
        })
    }

    /// A length of time.
    pub fn span(&mut self, what: &str) -> Read<Duration> {
        let word = self.word(what)?;
        units::span(word).ok_or_else(|| {
            let hint = match units::number(word) {
                Some(_) => format!("say the unit: {word}ms, {word}us, {word}ns or {word}s"),
                None => "write a whole number with its unit: ns, us, ms or s".to_owned(),
            };
            Wrong::new(format!("`{word}` is no time"), hint)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_falls_into_words() {
        let mut words = Words::of("expect 0: U1', 1:idle 0,2-3 # why");
        assert_eq!(
            words.words,
            ["expect", "0", ":", "U1'", "1", ":", "idle", "0,2-3"]
        );
        while !words.is_empty() {
            words.next += 1;
        }
        assert!(words.end().is_ok());
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut words = Words::of("priority A");
        words.word("a command").unwrap();
        words.word("a thread").unwrap();
        assert_eq!(
            words.number("a priority").unwrap_err().cause,
            "a priority is missing behind `A`"
        );
    }

    #[test]
    fn a_time_without_unit_is_mended() {
        let wrong = Words::of("5").span("a time").unwrap_err();
        assert!(wrong.hint.contains("5ms"), "{}", wrong.hint);
    }
}
