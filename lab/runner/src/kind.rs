//! Owns: which command a file is for: experiments, task sets and machines with guests are TOML, all three.
//! Must never know: what is in one, beyond what tells it apart; a broken one is told apart, too.

use std::path::Path;

use crate::failure::Failure;
use crate::image;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A question, for `taktos run`.
    Experiment,
    /// Tasks, or guests with tasks, for `taktos sim`.
    TaskSet,
    /// Guests with images, for `taktos vm`.
    Machine,
}

impl Kind {
    /// What the text is, if it can be told.
    pub fn of(text: &str) -> Option<Self> {
        let lines = || text.lines().map(str::trim);
        let head = |name: &str| lines().any(|line| line.starts_with(name));
        let first_head = lines().position(|line| line.starts_with('['));
        let top = first_head.unwrap_or(usize::MAX);
        let key =
            |name: &str, until: usize| lines().take(until).any(|line| key_of(line) == Some(name));
        if head("[machine]") || (head("[[partition]]") && key("image", usize::MAX)) {
            Some(Self::Machine)
        } else if key("program", top) || key("kind", top) || head("[[figure]]") {
            Some(Self::Experiment)
        } else if head("[[task]]") || head("[[partition]]") {
            Some(Self::TaskSet)
        } else {
            None
        }
    }

    /// The words for one, and the command that it is for.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Experiment => ("an experiment", "run"),
            Self::TaskSet => ("a task set", "sim"),
            Self::Machine => ("a machine with guests", "vm run"),
        }
    }

    /// The error that a file is for another command.
    pub fn elsewhere(self, path: &Path) -> anyhow::Error {
        let (what, command) = self.words();
        let path = path.display();
        Failure::error(
            format!("{path} is {what}, which is for another command"),
            format!("taktos {command} {path}"),
        )
    }
}

/// The key of a line that gives one.
fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    Some(key.trim().trim_matches('"'))
}

/// Refuses a file that can be read and is clearly of another kind than the command is for.
///
/// # Errors
/// Names the command that the file is for.
pub fn expect(kind: Kind, path: &Path) -> anyhow::Result<()> {
    if image::is_elf(path) {
        let path = path.display();
        return Err(Failure::error(
            format!("{path} is an image, which is for another command"),
            format!("taktos run {path}"),
        ));
    }
    // What cannot be read is for the command itself to say.
    let Ok(text) = std::fs::read_to_string(path) else {
        return Ok(());
    };
    let toml = path.extension().is_none_or(|ending| ending == "toml");
    match Kind::of(&text).filter(|_| toml) {
        Some(other) if other != kind => Err(other.elsewhere(path)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_even_if_they_are_broken() {
        for (text, kind) in [
            (
                "program = 'ipc'\n[[figure]]\nkind = 'tail'\n",
                Some(Kind::Experiment),
            ),
            (
                "kind = \"smp\"\ntasks = 'onboard.toml'\n",
                Some(Kind::Experiment),
            ),
            ("[[figure]]\n", Some(Kind::Experiment)),
            (
                "title = 'a program = of tasks'\n[[task]]\nname = 'a'\n",
                Some(Kind::TaskSet),
            ),
            (
                "[[partition]]\nname = 'a'\n[[partition.task]]\n",
                Some(Kind::TaskSet),
            ),
            (
                "[[partition]]\nname = 'a'\nimage = 'taktos:x'\n",
                Some(Kind::Machine),
            ),
            ("[machine]\ncpus = \n", Some(Kind::Machine)),
            ("title = 'a'\n", None),
            ("<simulation/>", None),
        ] {
            assert_eq!(Kind::of(text), kind, "{text}");
        }
    }
}
