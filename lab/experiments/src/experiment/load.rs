//! Reading an experiment file; what is wrong in it is named with its line.

use std::path::Path;

use anyhow::Result;
use serde::de::DeserializeOwned;
use taktos_runner::failure::{Failure, one_line};
use taktos_runner::kind::Kind;

use super::file::Experiment;
use super::scale::{self, Scale};
use super::several::{Several, several};

const HINT: &str = "fix that line; experiments/ipc.toml shows every part of an experiment";

/// Kind of a file's experiment.
#[derive(Debug)]
pub enum Asked {
    /// Marks of a program on one processor.
    Experiment,
    /// An experiment on several processors, and its form where it has two.
    Several(Box<Several>, Option<Scale>),
    /// A task set: it states what runs, and has no question.
    TaskSet,
}

/// Returns the experiment of the file, in the requested form.
///
/// # Errors
/// If it cannot be read, or is a broken experiment on several processors.
pub fn asked(path: &Path, scale: Scale) -> Result<Asked> {
    let text = read(path)?;
    match Kind::of(&text) {
        Some(Kind::TaskSet) => return Ok(Asked::TaskSet),
        Some(Kind::Machine) => return Err(Kind::Machine.elsewhere(path)),
        Some(Kind::Experiment) | None => {}
    }
    let several = several(&text, path, scale)?;
    Ok(several.map_or(Asked::Experiment, |(several, scale)| {
        Asked::Several(Box::new(several), scale)
    }))
}

/// Reads the experiment from a file.
///
/// # Errors
/// When the file cannot be read, is no TOML, or holds a key that experiments
/// do not have.
pub fn load(path: &Path) -> Result<Experiment> {
    parse(&read(path)?, path)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|cause| {
        Failure::error(
            format!("cannot read the experiment {}: {cause}", path.display()),
            "name an experiment file, such as experiments/ipc.toml",
        )
    })
}

/// Reads the experiment from the text of the file of that path.
pub(super) fn parse(text: &str, path: &Path) -> Result<Experiment> {
    parse_as(text, path)
}

/// Reads what has that schema; what is wrong is named with its line.
pub(super) fn parse_as<T: DeserializeOwned>(text: &str, path: &Path) -> Result<T> {
    toml::from_str(text).map_err(|error| misread(text, path, &error))
}

/// Reads these keys of an experiment at a scale, if the text may have a quick form.
pub(super) fn parse_at<T: DeserializeOwned>(
    text: &str,
    path: &Path,
    scale: Scale,
    keys: impl Fn(&str) -> bool,
) -> Result<T> {
    scale::read(text, scale, keys).map_err(|error| misread(text, path, &error))
}

fn misread(text: &str, path: &Path, error: &toml::de::Error) -> anyhow::Error {
    let cause = error.message().lines().next().unwrap_or("it is no TOML");
    let begin = error.span().map_or(0, |span| span.start);
    let key = offset_of_key(&text[begin..], cause);
    refused(text, path, begin + key, cause)
}

/// The error that the line which holds the byte is wrong.
pub(super) fn refused(text: &str, path: &Path, byte: usize, cause: &str) -> anyhow::Error {
    let line = line_of(text, byte);
    let cause = one_line(cause);
    Failure::error(format!("{}:{line}: {cause}", path.display()), HINT)
}

/// Returns how far on the line begins that gives the key which the cause names; a figure is read as
/// a whole, so that its own place is where it begins.
fn offset_of_key(text: &str, cause: &str) -> usize {
    let key = cause
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split('`').next());
    key.map_or(0, |key| offset_of(text, key))
}

/// Returns how far on the line begins that gives the key.
pub(super) fn offset_of(text: &str, key: &str) -> usize {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let name = line.split('=').next().unwrap_or_default();
        if name.trim().trim_matches(['"', '[', ']']) == key {
            return offset;
        }
        offset += line.len();
    }
    0
}

/// The number of the line that holds the byte.
pub fn line_of(text: &str, byte: usize) -> usize {
    1 + text
        .as_bytes()
        .iter()
        .take(byte)
        .filter(|byte| **byte == b'\n')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Figure;

    const GOOD: &str = "title = 'a'\nquestion = 'b'\nboard = 'mps2-an386'\nprogram = 'ipc'\n";

    fn parse(text: &str) -> Result<Experiment> {
        super::parse(text, Path::new("mine.toml"))
    }

    #[test]
    fn a_figure_is_read_by_its_kind() {
        let text = format!("{GOOD}[[figure]]\nkind = 'summary'\ntitle = 'spread'\n");
        let experiment = parse(&text).unwrap();
        assert!(
            matches!(&experiment.figures[0], Figure::Summary(spread) if spread.title == "spread")
        );
    }

    #[test]
    fn a_broken_line_is_named() {
        for (text, line, words) in [
            (format!("{GOOD}bord = 'x'\n"), 5, "unknown field `bord`"),
            ("title = 'a'\nquestion = \n".to_owned(), 2, ""),
            (
                format!("{GOOD}[[figure]]\nkind = 'pie'\n"),
                6,
                "unknown variant `pie`",
            ),
            (
                format!("{GOOD}[[figure]]\nkind = 'tail'\ntitle = 'b'\nmarkz = []\n"),
                8,
                "unknown field `markz`",
            ),
            ("title = 'a'\n".to_owned(), 1, "missing field `question`"),
        ] {
            let error = format!("{}", parse(&text).unwrap_err());
            assert!(error.contains(&format!(".toml:{line}: ")), "{error}");
            assert!(error.contains(words), "{error}");
        }
    }
}
