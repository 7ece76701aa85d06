//! The step that holds comments to the language of CONTRIBUTING.
//!
//! Owns: the rules that a program can check. Must never know: the meaning of a comment.

use anyhow::Result;
use taktos_runner::workspace::Workspace;

use super::Tally;
use crate::size::listed;

/// The most columns of a comment.
const WIDTH: usize = 100;
/// Pronouns of which a reader would have to guess the referent.
const PRONOUNS: [&str; 3] = ["who", "whoever", "whose"];
/// Words with which no sentence of a comment begins.
const BEGINNINGS: [&str; 6] = ["What ", "Who ", "Whoever ", "Whose ", "Has ", "The same "];
/// Words of this project alone, each with a word of the field.
const PRIVATE: [(&str, &str); 8] = [
    ("mend", "fix, hint"),
    ("mends", "fixes"),
    ("nobody", "no thread, no caller"),
    ("somebody", "another thread"),
    ("seldom", "rarely"),
    ("anew", "again"),
    ("dearer", "more expensive"),
    ("rage", "run the stress test"),
];

/// Checks each comment of each file of Rust.
pub(super) fn check(workspace: &Workspace) -> Result<Tally> {
    let mut all = Tally::default();
    for file in listed(workspace)? {
        let path = workspace.path(&file);
        if !file.ends_with(".rs") || path.is_symlink() || !path.is_file() {
            continue;
        }
        let wrong = wrong(&std::fs::read_to_string(path)?);
        all.add(match wrong.is_empty() {
            true => Tally::pass(),
            false => {
                let lines = wrong
                    .iter()
                    .map(|(line, why)| format!("{file}:{line}: {why}\n"));
                Tally::fail(lines.collect::<String>())
            }
        });
    }
    Ok(all)
}

/// The comment lines of a text that break a rule, with the reason.
fn wrong(text: &str) -> Vec<(usize, String)> {
    let mut wrong = Vec::new();
    let mut before = "";
    for (line, number) in text.lines().zip(1..) {
        let comment = line.trim_start();
        if let Some(why) = comment
            .starts_with("//")
            .then(|| broken(line, before))
            .flatten()
        {
            wrong.push((number, why));
        }
        before = comment;
    }
    wrong
}

/// The first rule that the comment `line`, after the line `before`, breaks.
fn broken(line: &str, before: &str) -> Option<String> {
    if line.chars().count() > WIDTH {
        return Some(format!("a comment is wider than {WIDTH}"));
    }
    let comment = line.trim_start();
    let begins = sentences(comment, before)
        .find_map(|sentence| BEGINNINGS.iter().find(|word| sentence.starts_with(**word)));
    if let Some(word) = begins {
        let word = word.trim_end();
        return Some(format!("a sentence begins with \"{word}\": name the thing"));
    }
    // Names of the code are in back quotes.
    let prose = comment.split('`').step_by(2);
    let mut words = prose
        .flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    words.find_map(|word| {
        let word = word.to_lowercase();
        if PRONOUNS.contains(&word.as_str()) {
            return Some(format!(
                "\"{word}\": name the thread, the caller, the device"
            ));
        }
        let (_, better) = PRIVATE.iter().find(|(private, _)| *private == word)?;
        Some(format!("\"{word}\": {better}"))
    })
}

/// The sentences that begin in `comment`, which follows the line `before`.
fn sentences<'c>(comment: &'c str, before: &str) -> impl Iterator<Item = &'c str> {
    let text = comment.trim_start_matches(['/', '!']).trim_start();
    let last = before.trim_start_matches(['/', '!']).trim();
    let has_ended =
        last.is_empty() || last.starts_with('#') || last.ends_with(['.', ':', '!', '?']);
    let is_rest = before.starts_with("//") && !has_ended;
    text.split(". ").skip(usize::from(is_rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        wrong(text).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn a_comment_that_breaks_a_rule_is_found() {
        let wide = format!("// {}\n", "x".repeat(98));
        assert_eq!(lines(&wide), [1]);
        assert_eq!(lines("/// What it is.\nfn a() {}\n"), [1]);
        assert_eq!(lines("/// Returns it.\n/// What follows is free.\n"), [2]);
        assert_eq!(lines("// The thread\n// whose turn it is.\n"), [2]);
        assert_eq!(lines("// Nobody waits.\n"), [1]);
    }

    #[test]
    fn code_and_other_words_are_left_alone() {
        assert_eq!(
            lines("/// Returns the first of\n/// What-if studies.\n"),
            [0; 0]
        );
        assert_eq!(
            lines("/// Returns it, not\n/// The same as before.\n"),
            [0; 0]
        );
        assert_eq!(lines("let who = nobody();\n"), [0; 0]);
        assert_eq!(
            lines("// The whole of it; `who_waits` is a name.\n"),
            [0; 0]
        );
    }
}
