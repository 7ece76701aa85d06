//! A directory for the files of one run, removed with it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Error;

pub(crate) struct Scratch(PathBuf);

static NUMBER: AtomicU32 = AtomicU32::new(0);

impl Scratch {
    pub fn new() -> Result<Self, Error> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("taktos-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).map_err(|cause| Error::Io {
            what: format!("{}", path.display()),
            cause,
        })?;
        Ok(Self(path))
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Files that cannot be removed are in the system's own temporary directory.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
