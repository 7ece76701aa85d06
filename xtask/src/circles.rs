//! Circles of files: files of one crate each of which uses the others, at once or through others.
//! Such files can only be read together.
//!
//! Owns: which file uses which, and how many a circle may have. Must never know: what a file has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use syn::{Item, UseName, UseRename, UseTree};
use taktos_runner::workspace::Workspace;

use crate::layering::room_of;
use crate::metadata;

/// The most files of a circle.
const MOST: usize = 3;
/// Crates with a larger circle, and how many files that has: it may not grow, and a smaller one is
/// to be written down.
const LARGER: [(&str, usize); 4] = [
    ("arch/riscv64", 4),
    ("kernel", 14),
    ("user/c", 37),
    ("workloads", 4),
];

/// The files of a crate by their modules, each with the modules that it uses.
type Uses = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// Checks the crates of the tree.
///
/// # Errors
/// Names each circle with too many files, and each crate with a smaller circle than the table says.
pub fn check(workspace: &Workspace) -> Result<String> {
    let root = workspace.root().display().to_string();
    let (mut files, mut wrong) = (0, Vec::new());
    for package in metadata::packages(workspace)? {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let name = room_of(&root, manifest);
        let uses = uses_of(&workspace.path(&name).join("src"))?;
        files += uses.len();
        let circles = circles(&uses);
        let largest = circles.iter().map(Vec::len).max().unwrap_or(1);
        let known = LARGER.iter().find(|(larger, _)| *larger == name);
        match known {
            Some((_, most)) if largest < *most => wrong.push(format!(
                "{name}: its largest circle has {largest} files; write that into xtask/src/circles.rs"
            )),
            _ => {
                let most = known.map_or(MOST, |(_, most)| *most);
                let large = circles.iter().filter(|circle| circle.len() > most);
                wrong.extend(large.map(|circle| format!("{name}: {}", shown(circle))));
            }
        }
    }
    if !wrong.is_empty() {
        bail!(
            "files that use each other in a circle of more than {MOST}:\n  {}",
            wrong.join("\n  ")
        );
    }
    Ok(format!(
        "{files} files, in no circle of more than {MOST} but for {} crates",
        LARGER.len()
    ))
}

fn shown(circle: &[&Vec<String>]) -> String {
    let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
    format!("{} files: {}", circle.len(), names.join(", "))
}

/// The files of a crate's sources, a module each, with their uses; none if it has no such folder.
fn uses_of(folder: &Path) -> Result<Uses> {
    if !folder.is_dir() {
        return Ok(Uses::new());
    }
    let files = files_in(folder)?;
    let modules: BTreeSet<_> = files.iter().map(|file| module_of(folder, file)).collect();
    let mut uses = Uses::new();
    for file in &files {
        let module = module_of(folder, file);
        let used = used_by(file, &module, &modules)?;
        uses.entry(module).or_default().extend(used);
    }
    Ok(uses)
}

/// The sources below `folder`, without those of tests and of programs.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name == "tests" || name == "bin" {
        } else if path.is_dir() {
            found.extend(files_in(&path)?);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// The module that a file is.
fn module_of(folder: &Path, file: &Path) -> Vec<String> {
    let path = file.strip_prefix(folder).unwrap_or(file).with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    let mut module: Vec<String> = parts.collect();
    module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
    module
}

/// The modules of other files that a file uses, by what it imports outside of its tests.
fn used_by(
    file: &Path,
    module: &[String],
    modules: &BTreeSet<Vec<String>>,
) -> Result<BTreeSet<Vec<String>>> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let parsed = syn::parse_file(&text).with_context(|| file.display().to_string())?;
    let mut used = BTreeSet::new();
    for item in &parsed.items {
        let Item::Use(import) = item else { continue };
        let mut paths = Vec::new();
        spell_out(&import.tree, &mut Vec::new(), &mut paths);
        for path in paths {
            let Some(path) = from_root(&path, module) else {
                continue;
            };
            // The longest beginning that is a file's module: what follows is in that file.
            let mut begins = (1..=path.len()).rev().map(|length| path[..length].to_vec());
            used.extend(begins.find(|begin| modules.contains(begin)));
        }
    }
    used.remove(module);
    Ok(used)
}

/// Adds each path of a tree of imports to `paths`.
fn spell_out(tree: &UseTree, before: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            spell_out(&path.tree, before, paths);
            before.pop();
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                spell_out(tree, before, paths);
            }
        }
        UseTree::Name(UseName { ident }) | UseTree::Rename(UseRename { ident, .. }) => {
            paths.push([&before[..], &[ident.to_string()]].concat());
        }
        UseTree::Glob(_) => paths.push(before.clone()),
    }
}

/// A path of the crate from its root; none if it leads into another one.
fn from_root(path: &[String], module: &[String]) -> Option<Vec<String>> {
    let ups = path.iter().take_while(|part| *part == "super").count();
    let (begin, rest) = match path.first()?.as_str() {
        "crate" => (&module[..0], &path[1..]),
        "self" => (module, &path[1..]),
        "super" => (module.get(..module.len().checked_sub(ups)?)?, &path[ups..]),
        _ => return None,
    };
    Some([begin, rest].concat())
}

/// The circles: sets of more than one module each of which reaches every other.
fn circles(uses: &Uses) -> Vec<Vec<&Vec<String>>> {
    let reached: BTreeMap<_, _> = uses.keys().map(|from| (from, reach(uses, from))).collect();
    let mut found: Vec<Vec<&Vec<String>>> = Vec::new();
    for (from, reaches) in &reached {
        let returns = |to: &&Vec<String>| reached.get(*to).is_some_and(|back| back.contains(*from));
        let circle: Vec<_> = reaches.iter().copied().filter(returns).collect();
        if !circle.is_empty() && !found.contains(&circle) {
            found.push(circle);
        }
    }
    found
}

/// The modules that `from` uses, at once or through others.
fn reach<'u>(uses: &'u Uses, from: &Vec<String>) -> BTreeSet<&'u Vec<String>> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        for to in uses.get(next).into_iter().flatten() {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str) -> Vec<String> {
        let parts = path.split("::").filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    }

    #[test]
    fn circle_is_found_through_others() {
        let edges = [
            ("a", "b"),
            ("b", "c"),
            ("c", "a"),
            ("c", "d"),
            ("e", "a"),
            ("d", "f"),
        ];
        let mut uses = Uses::new();
        for (from, to) in edges {
            uses.entry(module(from)).or_default().insert(module(to));
        }
        let found = circles(&uses);
        let expected = ["a", "b", "c"].map(module);
        assert_eq!(found, [expected.iter().collect::<Vec<_>>()]);
    }

    #[test]
    fn paths_are_those_from_the_root() {
        let here = module("a::b");
        for (path, expected) in [
            ("crate::c::D", Some("c::D")),
            ("super::c", Some("a::c")),
            ("super::super::c", Some("c")),
            ("self::c", Some("a::b::c")),
            ("std::fmt", None),
        ] {
            assert_eq!(
                from_root(&module(path), &here),
                expected.map(module),
                "{path}"
            );
        }
    }

    #[test]
    fn trees_are_spelled_out() {
        let tree: UseTree = syn::parse_str("crate::{a::{B, C as D}, e::*}").unwrap();
        let mut paths = Vec::new();
        spell_out(&tree, &mut Vec::new(), &mut paths);
        assert_eq!(
            paths,
            ["crate::a::B", "crate::a::C", "crate::e"].map(module)
        );
    }
}
