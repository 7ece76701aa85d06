//! Runs that were done: kept beside the result, so that a run which was done with the same
//! machine is not done again.
//!
//! Owns: the form of a saved run, and the key that tells machines apart. Must never know:
//! how a run is done, what a console says.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use taktos_export::replace_file;

/// The folder of saved runs: of each the console, and the key of the machine, which is there only where the run is whole.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

const CONSOLE: &str = "txt";
const KEY: &str = "key";

impl Store {
    /// The store that belongs to a result: beside it, since a result is whole or absent.
    pub fn beside(place: &Path) -> Self {
        let name = place
            .file_name()
            .map_or("result".into(), |name| name.to_string_lossy());
        Self {
            folder: place.with_file_name(format!("{name}.runs")),
        }
    }

    /// The console of a run, where it was done on the same machine.
    pub fn find(&self, name: &str, key: &str) -> Option<String> {
        let saved = std::fs::read_to_string(self.file(name, KEY)).ok()?;
        let console = || std::fs::read_to_string(self.file(name, CONSOLE)).ok();
        (saved == key).then(console)?
    }

    /// Saves the console of a run that is not known to be good.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn save_console(&self, name: &str, console: &str) -> Result<()> {
        // What is left of another run is not this one's.
        let _ = std::fs::remove_file(self.file(name, KEY));
        Ok(replace_file(&self.file(name, CONSOLE), console)?)
    }

    /// Says that the run whose console was saved is good.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn confirm(&self, name: &str, key: &str) -> Result<()> {
        Ok(replace_file(&self.file(name, KEY), key)?)
    }

    /// What is handed on of a run: the name of its file in the result, and its console.
    ///
    /// # Errors
    /// When it was not saved.
    pub fn raw(&self, name: &str) -> Result<(String, String)> {
        let path = self.file(name, CONSOLE);
        let text = std::fs::read_to_string(&path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        Ok((format!("raw/{name}.{CONSOLE}"), text))
    }

    fn file(&self, name: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ending}"))
    }
}

/// The 64-bit FNV-1a digest of some texts, each told apart from the next: enough to tell
/// machines apart, no seal.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        for byte in part.iter().chain(&(part.len() as u64).to_le_bytes()) {
            sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{sum:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_again_on_the_same_machine_only() {
        let folder = std::env::temp_dir().join(format!("taktos-store-{}", std::process::id()));
        let store = Store::beside(&folder.join("result"));
        assert_eq!(store.find("one", "key"), None);
        store.save_console("one", "console\n").unwrap();
        assert_eq!(store.find("one", "key"), None);
        store.confirm("one", "key").unwrap();
        assert_eq!(store.find("one", "key").as_deref(), Some("console\n"));
        assert_eq!(store.find("one", "other"), None);
        assert_eq!(store.find("two", "key"), None);
        let raw = ("raw/one.txt".to_owned(), "console\n".to_owned());
        assert_eq!(store.raw("one").unwrap(), raw);
        assert!(store.raw("two").is_err());
        store.save_console("one", "later\n").unwrap();
        assert_eq!(store.find("one", "key"), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn parts_are_told_apart() {
        let digest = |parts: &[&str]| digest(parts.iter().map(|part| part.as_bytes()));
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_eq!(digest(&["ab", "c"]), digest(&["ab", "c"]));
    }
}
