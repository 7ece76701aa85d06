//! Owns: the files that the emulator loads.
//! Must never know: their contents.

use std::path::{Path, PathBuf};

use super::{Content, Error, Plan};

/// Files and where the emulator puts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Each with its address.
    pub files: Vec<(u64, PathBuf)>,
}

impl Plan {
    /// Writes what is not a file yet into a directory, which is made if it is not there: the
    /// same plan writes the same bytes.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write(&self, directory: &Path) -> Result<Loaded, Error> {
        let written = |path: &Path, result: std::io::Result<()>| {
            let path = path.to_owned();
            result.map_err(|cause| Error::Write { path, cause })
        };
        written(directory, std::fs::create_dir_all(directory))?;
        let mut files = Vec::with_capacity(self.stores.len());
        for store in &self.stores {
            let path = match &store.content {
                Content::File(path) => path.clone(),
                Content::Bytes(bytes) => {
                    let path = directory.join(format!("{}.bin", store.name));
                    written(&path, std::fs::write(&path, bytes))?;
                    path
                }
            };
            files.push((store.at, path));
        }
        Ok(Loaded { files })
    }
}

impl Loaded {
    /// The emulator's arguments that load them.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let one = |(at, path): &(u64, PathBuf)| {
            // In an argument that is a list a comma is written twice.
            let path = path.display().to_string().replace(',', ",,");
            [
                "-device".to_owned(),
                format!("loader,file={path},addr={at:#x},force-raw=on"),
            ]
        };
        self.files.iter().flat_map(one).collect()
    }
}
