//! Where things are: the tree that the tool works in.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::failure::Failure;

/// The root of the project.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The tree that holds the current directory; failing that, the one whose
    /// entry script started the tool, which it says in `TAKTOS_ROOT`.
    pub fn find() -> Result<Self> {
        let here = std::env::current_dir().unwrap_or_default();
        let above = here
            .ancestors()
            .find(|folder| is_root(folder))
            .map(Path::to_owned);
        let told = || {
            std::env::var_os("TAKTOS_ROOT")
                .map(PathBuf::from)
                .filter(|root| is_root(root))
        };
        let root = above.or_else(told).ok_or_else(|| {
            Failure::error(
                "this is not inside a Taktos tree",
                "change to the directory that holds the script `taktos` and run ./taktos",
            )
        })?;
        Ok(Self { root })
    }

    /// The tree at `root`, for tests.
    #[cfg(test)]
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// The root itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file of the tree.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Where cargo puts what it builds.
    pub fn target(&self) -> PathBuf {
        match std::env::var_os("CARGO_TARGET_DIR") {
            Some(target) => self.root.join(target),
            None => self.root.join("target"),
        }
    }

    /// The path as a person would type it from the root.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .display()
            .to_string()
    }
}

fn is_root(folder: &Path) -> bool {
    folder.join("experiments").is_dir() && folder.join("lab/cli/Cargo.toml").is_file()
}
