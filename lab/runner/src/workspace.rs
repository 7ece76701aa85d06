//! Where things are: the tree that the tool works in.

use std::path::{Path, PathBuf};

use anyhow::Result;
use taktos_emulator::tree;

use crate::failure::Failure;

/// The root of the project.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Finds the tree of the entry script that started the tool; failing that, the one that holds
    /// the current directory.
    pub fn find() -> Result<Self> {
        let root = tree::root().ok_or_else(|| {
            Failure::error(
                "this is not inside a Taktos tree",
                "change to the directory that holds the script `taktos` and run ./taktos",
            )
        })?;
        Ok(Self { root })
    }

    /// The tree at `root`.
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

    /// Returns where cargo puts what it builds.
    pub fn target(&self) -> PathBuf {
        tree::target(&self.root)
    }

    /// Returns the folder for results without a given place: `out` in the tree, or, for a caller
    /// outside of the tree, `out` in the current directory.
    pub fn results(&self) -> PathBuf {
        let here = std::env::current_dir().ok();
        let outside = here.filter(|here| !here.starts_with(&self.root));
        outside.as_ref().unwrap_or(&self.root).join("out")
    }

    /// Returns the path as it opens from the caller's current directory.
    pub fn opened(&self, path: &Path) -> String {
        let here = std::env::current_dir().unwrap_or_default();
        path.strip_prefix(here)
            .unwrap_or(path)
            .display()
            .to_string()
    }

    /// The path as a person would type it from the root.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .display()
            .to_string()
    }
}
