//! Where the project's tree is on this machine. It is asked when a program runs, never kept in what was built: a tree can
//! be moved or copied with all that was built in it.
//!
//! Owns: what tells the root of a tree, and where cargo's target directory is.
//! Must never know: what is done there.

use std::path::{Path, PathBuf};

/// The tree whose entry script started this program, which it says in `TAKTOS_ROOT`; failing that, the one that holds the
/// current directory.
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

/// Where cargo puts what it builds in the tree of that root.
#[must_use]
pub fn target(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    root.join(target.map_or("target".into(), PathBuf::from))
}

fn is_root(folder: &Path) -> bool {
    folder.join("experiments").is_dir() && folder.join("lab/cli/Cargo.toml").is_file()
}
