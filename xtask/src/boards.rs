//! The lists of boards, written from `boards.toml`, and checked against it.
//!
//! Owns: how a board looks in each list, and the files with a list. A list is what lies between a
//! line with `boards: NAME` and one with `boards: end`. Must never know: a board.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use taktos_runner::workspace::Workspace;

const FILE: &str = "boards.toml";

/// The file of the rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Boards {
    board: Vec<Row>,
}

/// A board: docs/porting.md explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    name: String,
    about: String,
    processor: String,
    machine: Vec<String>,
    /// The crate of another name that its programs are built from.
    #[serde(rename = "crate")]
    package: Option<String>,
    memory: Option<String>,
    least_processors: Option<usize>,
    resting_processors: Option<usize>,
    #[serde(default)]
    chip: bool,
    #[serde(default)]
    smp: bool,
    #[serde(default)]
    guest: bool,
    #[serde(default)]
    hypervisor: bool,
    #[serde(default)]
    systick: bool,
    #[serde(default)]
    timers_in_memory: bool,
    #[serde(default)]
    pac: bool,
}

/// Lines of a list for one board.
type Lines = fn(&Row) -> Option<String>;

/// A list: the file, the name in the line before it, and the lines for each board.
struct List(&'static str, &'static str, Lines);

const LISTS: [List; 13] = [
    List("Cargo.toml", "crates", |row| {
        let name = &row.name;
        Some(format!(
            "{name} = {{ package = \"taktos-board-{name}\", path = \"boards/{name}\", version = \"=0.1.0\", default-features = false }}\n"
        ))
    }),
    List("facade/Cargo.toml", "panic handlers", |row| {
        Some(format!("    \"{}?/panic-handler\",\n", row.name))
    }),
    List("facade/Cargo.toml", "features", |row| {
        let name = &row.name;
        let mut lines = format!("{name} = [\"dep:{name}\"]\n");
        for (variant, has) in [("guest", row.guest), ("smp", row.smp)] {
            if has {
                lines += &format!("{name}-{variant} = [\"dep:{name}\", \"{name}?/{variant}\"]\n");
            }
        }
        Some(lines)
    }),
    List("facade/Cargo.toml", "tables of interrupts", |row| {
        row.pac.then(|| format!("    \"{}?/pac\",\n", row.name))
    }),
    List("facade/Cargo.toml", "dependencies", |row| {
        Some(format!(
            "{} = {{ workspace = true, optional = true }}\n",
            row.name
        ))
    }),
    List("facade/build.rs", "tables of interrupts", |row| {
        row.pac.then(|| format!("    \"{}\",\n", row.name))
    }),
    List("facade/src/lib.rs", "features", |row| {
        let (name, library) = (&row.name, row.name.replace('-', "_"));
        let variants = [("", true), ("-guest", row.guest), ("-smp", row.smp)];
        let there = variants.into_iter().filter(|(_, has)| *has);
        Some(
            there
                .map(|(variant, _)| format!("    \"{name}{variant}\": {library},\n"))
                .collect(),
        )
    }),
    List("user/c/Cargo.toml", "features", feature),
    List("user/embassy-demo/Cargo.toml", "features", feature),
    List("user/pump-demo/Cargo.toml", "features", |row| {
        let name = &row.name;
        let several = format!("{name}-smp = [\"taktos/{name}-smp\", \"several\"]\n");
        Some(feature(row)? + if row.smp { &several } else { "" })
    }),
    List("lab/emulator/src/board/rows.rs", "rows", |row| {
        Some(constant(row))
    }),
    List("lab/emulator/src/board/rows.rs", "kernels", |row| {
        (row.package.is_none()).then(|| format!("    {},\n", constant_name(row)))
    }),
    List("lab/emulator/src/board/rows.rs", "chips", |row| {
        (row.package.is_some()).then(|| format!("    {},\n", constant_name(row)))
    }),
];

/// A feature of a program for any board.
fn feature(row: &Row) -> Option<String> {
    Some(format!("{0} = [\"taktos/{0}\"]\n", row.name))
}

fn constant_name(row: &Row) -> String {
    row.name.to_uppercase().replace('-', "_")
}

/// The row as the emulator's crate has it.
fn constant(row: &Row) -> String {
    let mut text = format!("    /// {}.\n    {} {{\n", row.about, constant_name(row));
    let mut field = |name: &str, value: String| {
        writeln!(text, "        {name}: {value},").expect("a string takes all");
    };
    field("name", format!("{:?}", row.name));
    if let Some(package) = &row.package {
        field("package", format!("{package:?}"));
    }
    if row.smp {
        field("several", format!("Some(\"{}-smp\")", row.name));
    }
    let parts = row.processor.split('-').map(|part| {
        let (first, rest) = part.split_at(1);
        first.to_uppercase() + rest
    });
    field(
        "processor",
        format!("Processor::{}", parts.collect::<String>()),
    );
    field("machine", format!("&{:?}", row.machine));
    if let Some(memory) = &row.memory {
        field("memory", format!("{memory:?}"));
    }
    for (name, count) in [
        ("least_processors", row.least_processors),
        ("resting_processors", row.resting_processors),
    ] {
        if let Some(count) = count {
            field(name, count.to_string());
        }
    }
    for (name, has) in [
        ("is_chip", row.chip),
        ("has_systick", row.systick),
        ("has_timers_in_memory", row.timers_in_memory),
    ] {
        if has {
            field(name, "true".into());
        }
    }
    text + "    }\n"
}

/// Writes the lists.
///
/// # Errors
/// When `boards.toml` or a file with a list cannot be read or written, or has no such list.
pub fn write(workspace: &Workspace) -> Result<String> {
    let changed = changed(workspace)?;
    for (file, text) in &changed {
        fs::write(workspace.path(file), text).with_context(|| (*file).to_owned())?;
    }
    let files: Vec<&str> = changed.into_keys().collect();
    Ok(match files.as_slice() {
        [] => format!("every list of boards is as {FILE} has it"),
        files => format!("written: {}", files.join(", ")),
    })
}

/// Checks the lists.
///
/// # Errors
/// As [`write`], or when a list is not what it would write.
pub fn check(workspace: &Workspace) -> Result<()> {
    match changed(workspace)?.into_keys().next() {
        Some(file) => {
            bail!("the list of boards in {file} is not that of {FILE}: cargo xtask boards")
        }
        None => Ok(()),
    }
}

/// The files with lists that are not those of [`FILE`], each as it is to be.
fn changed(workspace: &Workspace) -> Result<BTreeMap<&'static str, String>> {
    let read =
        |file: &str| fs::read_to_string(workspace.path(file)).with_context(|| file.to_owned());
    let boards: Boards = toml::from_str(&read(FILE)?).with_context(|| FILE.to_owned())?;
    let mut files: BTreeMap<&str, [String; 2]> = BTreeMap::new();
    for List(file, name, lines) in &LISTS {
        // The hypervisor's board runs no kernel, and a machine for any chip has no crate: they are
        // rows of the emulator's alone.
        let rows = boards
            .board
            .iter()
            .filter(|row| match file.ends_with("rows.rs") {
                true => !row.hypervisor || *name == "rows",
                false => !row.hypervisor && row.package.is_none(),
            });
        let list: String = rows.filter_map(lines).collect();
        let [before, text] = match files.remove(file) {
            Some(texts) => texts,
            None => {
                let text = read(file)?;
                [text.clone(), text]
            }
        };
        let text = replaced(&text, name, &list).with_context(|| (*file).to_owned())?;
        files.insert(file, [before, text]);
    }
    let differ = files
        .into_iter()
        .filter(|(_, [before, text])| before != text);
    Ok(differ.map(|(file, [_, text])| (file, text)).collect())
}

/// Returns `text` with this list of that name.
fn replaced(text: &str, name: &str, list: &str) -> Result<String> {
    let marks = [format!("boards: {name}\n"), "boards: end\n".to_owned()];
    let [begin, end] = &marks;
    let begin = text.find(begin).map(|at| at + begin.len());
    let begin = begin.with_context(|| format!("no line ends in `boards: {name}`"))?;
    let end = text[begin..].find(end).map(|at| begin + at);
    let end =
        end.with_context(|| format!("no line after `boards: {name}` ends in `boards: end`"))?;
    let end = text[..end].rfind('\n').map_or(begin, |at| at + 1);
    Ok(format!("{}{list}{}", &text[..begin], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_is_replaced_between_its_lines() {
        let text = "a\n# boards: x\nold\n  # boards: end\nb\n";
        let new = "a\n# boards: x\none\ntwo\n  # boards: end\nb\n";
        assert_eq!(replaced(text, "x", "one\ntwo\n").unwrap(), new);
        assert_eq!(replaced(new, "x", "old\n").unwrap(), text);
        assert!(replaced(text, "y", "").is_err());
        assert!(replaced("# boards: x\n", "x", "").is_err());
    }

    #[test]
    fn row_has_the_keys_that_differ_from_a_plain_one() {
        let boards = "[[board]]\nname = \"a-b\"\nabout = \"A\"\nprocessor = \"cortex-m4\"\nmachine = [\"-M\", \"b\"]\nsmp = true\n";
        let boards: Boards = toml::from_str(boards).unwrap();
        assert_eq!(
            constant(&boards.board[0]),
            "    /// A.\n    A_B {\n        name: \"a-b\",\n        several: Some(\"a-b-smp\"),\n        \
             processor: Processor::CortexM4,\n        machine: &[\"-M\", \"b\"],\n    }\n"
        );
        assert!(toml::from_str::<Boards>("[[board]]\nnames = \"x\"\n").is_err());
    }
}
