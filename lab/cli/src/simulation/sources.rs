//! Owns: where task sets come from: files, directories, the standard input.
//! Must never know: the contents of a task set.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Result;
use taktos_runner::failure::Failure;
use taktos_runner::kind::{self, Kind};

/// Name of the standard input.
const STANDARD_INPUT: &str = "-";
/// Start of the line before each of several sets in one text; its name follows.
pub const SEPARATOR: &str = "# ---- ";
/// The endings of files that a directory is searched for.
const ENDINGS: [&str; 3] = ["toml", "json", "xml"];

/// The text of a task set.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    /// Name of the set in results.
    pub name: String,
    /// Name of the set in errors.
    pub file: String,
    /// The text.
    pub text: String,
}

/// The task sets of the arguments, in their order; those of a directory in the order of their
/// names.
///
/// # Errors
/// When one cannot be read, or is clearly no task set.
pub fn read(arguments: &[PathBuf]) -> Result<Vec<Written>> {
    let mut found = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == STANDARD_INPUT {
            found.extend(split(&standard_input()?));
        } else if argument.is_dir() {
            found.extend(directory(argument)?);
        } else {
            kind::expect(Kind::TaskSet, argument)?;
            found.push(file(argument)?);
        }
    }
    Ok(found)
}

fn standard_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .read_to_string(&mut text)
        .map_err(|cause| {
            Failure::error(
                format!("the standard input cannot be read: {cause}"),
                "pipe a task set into it, or name a file",
            )
        })?;
    Ok(text)
}

fn file(path: &Path) -> Result<Written> {
    let text = std::fs::read_to_string(path).map_err(|cause| unreadable(path, &cause))?;
    let stem = path.file_stem();
    Ok(Written {
        name: stem.map_or("tasks".into(), |stem| stem.to_string_lossy().into_owned()),
        file: path.display().to_string(),
        text,
    })
}

fn unreadable(path: &Path, cause: &std::io::Error) -> anyhow::Error {
    Failure::error(
        format!("{}: cannot be read: {cause}", path.display()),
        "name a task-set file, such as experiments/onboard.toml",
    )
}

/// The task sets of a directory; what is clearly something else is left out with a word.
fn directory(folder: &Path) -> Result<Vec<Written>> {
    let entries = std::fs::read_dir(folder).map_err(|cause| unreadable(folder, &cause))?;
    let paths: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(|cause| unreadable(folder, &cause))?;
    let is_set = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        path.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending))
    };
    paths.retain(is_set);
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        match kind::expect(Kind::TaskSet, &path) {
            Ok(()) => found.push(file(&path)?),
            Err(why) => eprintln!("warning: left out: {why}"),
        }
    }
    if found.is_empty() {
        return Err(Failure::error(
            format!("{} has no task set in it", folder.display()),
            "name a directory with files *.toml, *.json or *.xml",
        ));
    }
    Ok(found)
}

/// The sets of a text: those between the lines that separate them, or one.
fn split(text: &str) -> Vec<Written> {
    let mut sets: Vec<Written> = Vec::new();
    for line in text.split_inclusive('\n') {
        let name = line.strip_prefix(SEPARATOR).map(str::trim);
        if let Some(name) = name {
            sets.push(Written {
                name: name.to_owned(),
                file: format!("standard input, {name}"),
                text: String::new(),
            });
        } else if let Some(set) = sets.last_mut() {
            set.text.push_str(line);
        }
    }
    if sets.is_empty() {
        sets.push(Written {
            name: "input".into(),
            file: "standard input".into(),
            text: text.to_owned(),
        });
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_several_sets_is_split() {
        let sets = split("# ---- one\n[[task]]\n# ---- two\na\nb\n");
        let found: Vec<_> = sets.iter().map(|set| (&*set.name, &*set.text)).collect();
        assert_eq!(found, [("one", "[[task]]\n"), ("two", "a\nb\n")]);
        assert_eq!(sets[1].file, "standard input, two");
        let one = split("[[task]]\n");
        assert_eq!((one.len(), &*one[0].text), (1, "[[task]]\n"));
    }
}
