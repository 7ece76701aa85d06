//! Lines of a program for the laboratory: `@kind key=value ...`.
//!
//! Owns: the form of such lines, and errors that name the line. Must never know: the meaning of any
//! kind of line.

#[cfg(test)]
mod fuzz;

use anyhow::Result;
use taktos_runner::failure::{Failure, one_line};

use crate::measure::Labels;

const HINT: &str = "the image and the tool differ in what lines they know: build both anew, ./taktos run builds both";
/// The most letters of a broken line that an error shows.
const SHOWN: usize = 80;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number on the console, from 1.
    number: usize,
    text: &'a str,
    /// Kind of the line.
    pub kind: &'a str,
    fields: Vec<(&'a str, &'a str)>,
}

/// The lines of a console that are for the laboratory, in their order. Other
/// lines are for people.
///
/// # Errors
/// When a word of such a line is no `key=value`, or says a key twice.
pub fn lines(console: &str) -> Result<Vec<Line<'_>>> {
    let numbered = console.lines().enumerate();
    let ours = numbered.filter_map(|(index, text)| Some((index + 1, text.strip_prefix('@')?)));
    ours.map(|(number, text)| line(number, text)).collect()
}

fn line(number: usize, text: &str) -> Result<Line<'_>> {
    let mut words = text.split_ascii_whitespace();
    let mut line = Line {
        number,
        text,
        kind: words.next().unwrap_or_default(),
        fields: Vec::new(),
    };
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            return Err(line.broken(&format!("in which `{word}` is no key=value")));
        };
        if line.word_if_any(key).is_some() {
            return Err(line.broken(&format!("which says `{key}` twice")));
        }
        line.fields.push((key, value));
    }
    Ok(line)
}

impl<'a> Line<'a> {
    /// The value of a key, if the line has it.
    pub fn word_if_any(&self, key: &str) -> Option<&'a str> {
        let field = self.fields.iter().find(|field| field.0 == key)?;
        Some(field.1)
    }

    /// The value of a key.
    ///
    /// # Errors
    /// When the line lacks it.
    pub fn word(&self, key: &str) -> Result<&'a str> {
        let word = self.word_if_any(key);
        word.ok_or_else(|| self.broken(&format!("which lacks `{key}`")))
    }

    /// All keys with their values.
    pub fn labels(&self) -> Labels {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        self.fields.iter().map(owned).collect()
    }

    /// The value of a key as a whole number.
    ///
    /// # Errors
    /// When the line lacks it, or it is none.
    pub fn number(&self, key: &str) -> Result<u64> {
        let word = self.word(key)?;
        let number = word.parse().ok();
        number.ok_or_else(|| self.broken(&format!("in which `{key}` is no whole number")))
    }

    /// The error that this line is broken; `how` completes "the program said ...".
    pub fn broken(&self, how: &str) -> anyhow::Error {
        let shown: String = self.text.chars().take(SHOWN).collect();
        let cut = if shown.len() < self.text.len() {
            "..."
        } else {
            ""
        };
        Failure::error(
            one_line(&format!(
                "line {} of the console is `@{shown}{cut}`, {how}",
                self.number
            )),
            HINT,
        )
    }
}

/// The error that a line is missing which every whole console has.
pub fn missing(kind: &str) -> anyhow::Error {
    Failure::error(format!("the console has no line `@{kind}`"), HINT)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONSOLE: &str =
        "hello\r\n@run policy=edf processors=4\r\n\n@task name=T1 jobs=20\n@end\n";

    #[test]
    fn lines_for_the_laboratory_are_read() {
        let lines = lines(CONSOLE).unwrap();
        let kinds: Vec<&str> = lines.iter().map(|line| line.kind).collect();
        assert_eq!(kinds, ["run", "task", "end"]);
        assert_eq!(lines[0].word("policy").unwrap(), "edf");
        assert_eq!(lines[1].number("jobs").unwrap(), 20);
        assert_eq!(lines[1].word_if_any("missed"), None);
    }

    #[test]
    fn errors_name_the_line() {
        let all = lines(CONSOLE).unwrap();
        for (error, words) in [
            (
                all[1].number("missed").unwrap_err(),
                "line 4 of the console is `@task name=T1 jobs=20`, which lacks `missed`",
            ),
            (
                all[1].number("name").unwrap_err(),
                "in which `name` is no whole number",
            ),
            (
                lines("\n@a b\n").unwrap_err(),
                "line 2 of the console is `@a b`, in which `b` is no key=value",
            ),
            (lines("@a b=1 b=1").unwrap_err(), "which says `b` twice"),
        ] {
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
