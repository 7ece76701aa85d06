//! Known facts of the packages that the project uses, from a clone of the RustSec database, for
//! machines that cannot have it.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use toml::{Table, Value};

/// The file, from the root of the project; its first lines, which stay.
const FILE: &str = "advisories.toml";

/// Writes the facts of every advisory in the clone that concerns a package of
/// Cargo.lock.
///
/// # Errors
/// When the folder is no such clone.
pub fn renew(folder: &Path) -> Result<String> {
    let lock: Table = std::fs::read_to_string("Cargo.lock")
        .context("Cargo.lock")?
        .parse()?;
    let packages = lock
        .get("package")
        .and_then(Value::as_array)
        .context("Cargo.lock has no package")?;
    let mut names: Vec<&str> = packages
        .iter()
        .filter_map(|package| package.get("name")?.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    ensure!(
        folder.join("crates").is_dir(),
        "{} has no folder `crates`",
        folder.display()
    );
    let mut found = Vec::new();
    for name in names {
        found.extend(of_package(&folder.join("crates").join(name))?);
    }
    let old = std::fs::read_to_string(FILE).context(FILE)?;
    let comment = old.lines().take_while(|line| line.starts_with('#'));
    let mut text: String = comment.flat_map(|line| [line, "\n"]).collect();
    writeln!(text, "database = \"{}\"", day(folder)?)?;
    for advisory in &found {
        write!(text, "\n[[advisory]]\n{advisory}")?;
    }
    std::fs::write(FILE, text).context(FILE)?;
    Ok(format!(
        "{} advisories concern packages of Cargo.lock",
        found.len()
    ))
}

/// The day of the clone's last change.
fn day(folder: &Path) -> Result<String> {
    let log = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["log", "-1", "--format=%cs"])
        .output();
    let log = log.context("git does not start")?;
    ensure!(log.status.success(), "{} is no clone", folder.display());
    Ok(String::from_utf8(log.stdout)?.trim().to_owned())
}

/// The facts of each advisory of a package, in the order of their names.
fn of_package(folder: &Path) -> Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries: std::io::Result<Vec<_>> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect();
    let mut paths = entries?;
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        found.extend(facts(&text).with_context(|| path.display().to_string())?);
    }
    Ok(found)
}

/// The facts of an advisory; none of one that was withdrawn.
fn facts(page: &str) -> Result<Option<String>> {
    let begun = page
        .split_once("```toml\n")
        .context("it begins with no facts")?
        .1;
    let table: Table = begun
        .split_once("\n```")
        .context("its facts have no end")?
        .0
        .parse()?;
    let advisory = table
        .get("advisory")
        .and_then(Value::as_table)
        .context("it has no [advisory]")?;
    if advisory.contains_key("withdrawn") {
        return Ok(None);
    }
    let mut text = String::new();
    for key in ["id", "package"] {
        writeln!(
            text,
            "{key} = {}",
            advisory
                .get(key)
                .with_context(|| format!("it has no {key}"))?
        )?;
    }
    if let Some(kind) = advisory.get("informational") {
        writeln!(text, "informational = {kind}")?;
    }
    let versions = table.get("versions").and_then(Value::as_table);
    for key in ["patched", "unaffected"] {
        let ranges = versions.and_then(|versions| versions.get(key));
        let ranges = ranges.map_or("[]".to_owned(), ToString::to_string);
        writeln!(text, "{key} = {ranges}")?;
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "```toml\n[advisory]\nid = \"RUSTSEC-9999-0001\"\npackage = \"a\"\nurl = \"u\"\n\n[versions]\n\
        patched = [\">= 1.2\"]\n```\n\n# Words\n";

    #[test]
    fn facts_are_taken_and_words_are_not() {
        let facts = facts(PAGE).unwrap().unwrap();
        let expected = "id = \"RUSTSEC-9999-0001\"\npackage = \"a\"\npatched = [\">= 1.2\"]\nunaffected = []\n";
        assert_eq!(facts, expected);
    }

    #[test]
    fn one_that_was_withdrawn_is_none() {
        let page = PAGE.replace("url = \"u\"", "withdrawn = \"2020-01-01\"");
        assert_eq!(facts(&page).unwrap(), None);
    }
}
