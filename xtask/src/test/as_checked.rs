//! Owns: whether all that cargo-deny judges is as it was when it passed last, which a file of the
//! tree says. Must never know: how it judges.
//!
//! Without a network the result of cargo-deny follows from these files alone. Compiling it takes as
//! long as all suites. So short runs call it only if the files have changed. Long runs always call
//! it, with the advisories of that day.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;
use taktos_runner::kept::digest;
use taktos_runner::workspace::Workspace;

use crate::metadata;

/// The file, and what cargo-deny judges in addition to the manifests: the dependencies, and the
/// rules and advisories for them.
const FILE: &str = "deny.checked";
const JUDGED: [&str; 3] = ["Cargo.lock", "deny.toml", "advisories.toml"];

/// Whether nothing has changed.
pub(super) fn is_as_checked(workspace: &Workspace) -> Result<bool> {
    let said = fs::read_to_string(workspace.path(FILE)).unwrap_or_default();
    Ok(said.trim_end() == judged(workspace)?)
}

/// It passed: from now on all is as it was checked.
pub(super) fn passed(workspace: &Workspace) -> Result<()> {
    fs::write(workspace.path(FILE), judged(workspace)? + "\n").context(FILE)
}

/// The digest of all of it.
fn judged(workspace: &Workspace) -> Result<String> {
    let named = JUDGED.map(|name| workspace.path(name));
    let mut manifests = manifests(workspace)?;
    manifests.sort();
    let read = |path: PathBuf| fs::read(&path).with_context(|| path.display().to_string());
    let files: Vec<Vec<u8>> = named
        .into_iter()
        .chain(manifests)
        .map(read)
        .collect::<Result<_>>()?;
    Ok(digest(files.iter().map(Vec::as_slice)))
}

/// The manifests of the tree's own crates.
fn manifests(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let packages = metadata::packages(workspace)?;
    let manifest = |package: &Value| Some(PathBuf::from(package["manifest_path"].as_str()?));
    Ok(packages.iter().filter_map(manifest).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A workspace of one crate.
    fn project(name: &str) -> (Workspace, PathBuf) {
        let folder = std::env::temp_dir().join(format!("taktos-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("src")).unwrap();
        let manifest = "[package]\nname = \"one\"\nversion = \"0.1.0\"\n[workspace]\n";
        for (file, text) in [("src/lib.rs", ""), ("Cargo.toml", manifest)] {
            fs::write(folder.join(file), text).unwrap();
        }
        for name in JUDGED {
            fs::write(folder.join(name), "").unwrap();
        }
        (Workspace::at(&folder), folder)
    }

    fn change(folder: &Path, file: &str) {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        fs::write(folder.join(file), format!("{text}# changed\n")).unwrap();
    }

    #[test]
    fn what_was_checked_is_checked_again_when_any_of_it_changes() {
        let (tree, folder) = project("as-checked");
        assert!(!is_as_checked(&tree).unwrap());
        for file in JUDGED.into_iter().chain(["Cargo.toml"]) {
            passed(&tree).unwrap();
            assert!(is_as_checked(&tree).unwrap());
            change(&folder, file);
            assert!(!is_as_checked(&tree).unwrap(), "{file}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
