//! The check that the pages of the crate `taktos` have an example of each thing that the crate
//! gives a program.
//!
//! Owns: which items of a crate's source are public, and what an example is. Must never know:
//! whether an example runs; cargo sees to that.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use syn::{Attribute, Expr, ExprLit, ImplItem, Item, Lit, Meta, UseTree, Visibility};
use taktos_runner::workspace::Workspace;

use super::Tally;

/// The crate's source.
const SOURCE: &str = "facade/src";

/// Public items with examples elsewhere, and where.
const ELSEWHERE: [(&str, &str); 3] = [
    ("board", "every example names it; what is in it has its own"),
    ("launch", "starts cargo, and is called by what `main` makes"),
    (
        "main",
        "the program that `taktos new` writes: the step on programs of one's own runs it",
    ),
];

/// The kernel's source: the crate has its names, too.
const KERNEL: &str = "kernel/src/lib.rs";

/// Checks every file of the crate, and whether it has all that the kernel has.
pub(super) fn shown(workspace: &Workspace) -> Result<Tally> {
    let folder = workspace.path(SOURCE);
    let mut named = Vec::new();
    let mut files: Vec<_> = fs::read_dir(&folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.sort();
    let mut all = Tally::default();
    for file in files {
        let text = fs::read_to_string(&file)?;
        all.add(lacking(&text, &file)?.into_iter().map(Err).collect());
        named.extend(names(&text)?);
    }
    let of_kernel = names(&fs::read_to_string(workspace.path(KERNEL))?)?;
    ensure!(!of_kernel.is_empty(), "{KERNEL} names nothing");
    let missing = of_kernel.iter().filter(|name| !named.contains(name));
    let words = |name: &String| format!("{SOURCE}: {name} of {KERNEL} is not there\n");
    all.add(missing.map(|name| Err(words(name))).collect());
    Ok(if all.failed == 0 { Tally::pass() } else { all })
}

/// The names of all that a file is public by, one by one.
fn names(text: &str) -> Result<Vec<String>> {
    let parsed = syn::parse_file(text)?;
    let all = public(&parsed.items);
    let names = all.iter().flat_map(|(names, _)| names.split(", "));
    let names = names.filter(|name| !name.is_empty());
    Ok(names.map(str::to_owned).collect())
}

/// Returns the public items of a file that have no example.
fn lacking(text: &str, file: &Path) -> Result<Vec<String>> {
    let parsed = syn::parse_file(text).with_context(|| file.display().to_string())?;
    let module = file.file_stem().unwrap_or_default().to_string_lossy();
    let named = public(&parsed.items).into_iter();
    let lacking = named.filter(|(name, attributes)| {
        let whole = format!("{module}::{name}");
        let is_elsewhere = |(known, _): &(&str, &str)| [name.as_str(), &whole].contains(known);
        !is_hidden(attributes) && !has_example(attributes) && !ELSEWHERE.iter().any(is_elsewhere)
    });
    let words = |(name, _): (String, _)| {
        format!("{SOURCE}/{module}.rs: {name} has no example that runs: ``` in its documentation\n")
    };
    Ok(lacking.map(words).collect())
}

/// Returns the public items of a file, with the attributes before them.
fn public(items: &[Item]) -> Vec<(String, &[Attribute])> {
    let mut all = Vec::new();
    for item in items {
        let (visibility, name, attributes) = match item {
            Item::Fn(one) => (&one.vis, one.sig.ident.to_string(), &one.attrs),
            Item::Struct(one) => (&one.vis, one.ident.to_string(), &one.attrs),
            Item::Enum(one) => (&one.vis, one.ident.to_string(), &one.attrs),
            Item::Const(one) => (&one.vis, one.ident.to_string(), &one.attrs),
            Item::Static(one) => (&one.vis, one.ident.to_string(), &one.attrs),
            Item::Trait(one) => (&one.vis, one.ident.to_string(), &one.attrs),
            Item::Type(one) => (&one.vis, one.ident.to_string(), &one.attrs),
            Item::Use(one) if !is_of_this_crate(&one.tree) => {
                (&one.vis, used(&one.tree), &one.attrs)
            }
            Item::Macro(one) => {
                let exported = one
                    .attrs
                    .iter()
                    .any(|one| one.path().is_ident("macro_export"));
                let name = one.ident.as_ref().map(ToString::to_string);
                all.extend(
                    name.filter(|_| exported)
                        .map(|name| (name, one.attrs.as_slice())),
                );
                continue;
            }
            Item::Impl(one) if one.trait_.is_none() => {
                let of_impl = one.items.iter().filter_map(|item| match item {
                    ImplItem::Fn(one) => Some((&one.vis, &one.sig.ident, &one.attrs)),
                    _ => None,
                });
                let public = of_impl.filter(|(visibility, ..)| is_public(visibility));
                all.extend(public.map(|(_, name, attrs)| (name.to_string(), attrs.as_slice())));
                continue;
            }
            // A public module is as good as what is in it, which is looked at in its own file.
            _ => continue,
        };
        if is_public(visibility) {
            all.push((name, attributes));
        }
    }
    all
}

const fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns whether it is everything of a module of the crate, which is checked there. A glob of
/// another crate would be items that no step checks.
fn is_of_this_crate(tree: &UseTree) -> bool {
    matches!(tree, UseTree::Path(path) if matches!(*path.tree, UseTree::Glob(_)) && path.ident != "taktos_kernel")
}

/// Returns the name that a `use` brings in.
fn used(tree: &UseTree) -> String {
    match tree {
        UseTree::Path(path) => used(&path.tree),
        UseTree::Name(name) if name.ident == "self" => String::new(),
        UseTree::Name(name) => name.ident.to_string(),
        UseTree::Rename(rename) => rename.rename.to_string(),
        UseTree::Glob(_) => "*".into(),
        UseTree::Group(group) => {
            let names: Vec<String> = group.items.iter().map(used).collect();
            names.join(", ")
        }
    }
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    let hidden = |one: &Attribute| matches!(&one.meta, Meta::List(list) if list.path.is_ident("doc") && list.tokens.to_string() == "hidden");
    attributes.iter().any(hidden)
}

/// Returns whether the documentation has a block that is run: one without a word, such as `text` or
/// `ignore`, after its fence.
fn has_example(attributes: &[Attribute]) -> bool {
    let mut is_open = false;
    documentation(attributes).any(|line| {
        let Some(words) = line.trim().strip_prefix("```") else {
            return false;
        };
        is_open = !is_open;
        is_open && words.is_empty()
    })
}

fn documentation(attributes: &[Attribute]) -> impl Iterator<Item = String> {
    attributes.iter().filter_map(|one| match &one.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        lacking(text, Path::new("lib.rs")).unwrap().concat()
    }

    #[test]
    fn what_has_no_example_is_named() {
        for (text, name) in [
            ("pub use taktos_kernel::*;", "*"),
            ("pub use taktos_kernel::Thread;", "Thread"),
            (
                "/// ```text\n/// a\n/// ```\npub use taktos_kernel::Thread;",
                "Thread",
            ),
            ("/// ```no_run\n/// a\n/// ```\npub fn f() {}", "f"),
            ("#[macro_export] macro_rules! m { () => {} }", "m"),
            (
                "pub struct A; impl A { /// Words.\npub fn b(&self) {} }",
                "b",
            ),
        ] {
            assert!(
                of(text).contains(&format!("lib.rs: {name} has no example")),
                "{text}: {}",
                of(text)
            );
        }
    }

    #[test]
    fn names_are_told_one_by_one() {
        let text = "pub use a::{B, c::D}; pub fn e() {} use f::G; pub use h::*;";
        assert_eq!(names(text).unwrap(), ["B", "D", "e"]);
    }

    #[test]
    fn what_has_one_or_is_no_ones_business_is_not() {
        for text in [
            "/// ```\n/// a\n/// ```\npub use taktos_kernel::Thread;",
            "/// ```text\n/// a\n/// ```\n///\n/// ```\n/// b\n/// ```\npub fn f() {}",
            "#[doc(hidden)] pub fn f() {}",
            "pub use threads::*;",
            "fn f() {} pub(crate) fn g() {} mod m;",
        ] {
            assert_eq!(of(text), "", "{text}");
        }
    }
}
