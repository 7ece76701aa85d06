//! Where the project's tree is on this machine. It is determined when a program runs, never stored
//! in a built file: a tree can be moved or copied with all that was built in it.
//!
//! Owns: the marks of a tree's root, and the place of cargo's target directory.
//! Must never know: the use of the tree.

use std::path::{Path, PathBuf};

/// Returns the tree of the entry script that started this program, as `TAKTOS_ROOT` states it;
/// failing that, the one that holds the current directory.
#[must_use]
pub fn root() -> Option<PathBuf> {
    let told = std::env::var_os("TAKTOS_ROOT").map(PathBuf::from);
    let told = told.filter(|root| is_root(root));
    told.or_else(|| {
        let here = std::env::current_dir().ok()?;
        here.ancestors()
            .find(|folder| is_root(folder))
            .map(Path::to_owned)
    })
}

/// Returns where cargo puts what it builds in the tree of that root.
#[must_use]
pub fn target(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    root.join(target.map_or("target".into(), PathBuf::from))
}

fn is_root(folder: &Path) -> bool {
    folder.join("experiments").is_dir() && folder.join("lab/cli/Cargo.toml").is_file()
}
