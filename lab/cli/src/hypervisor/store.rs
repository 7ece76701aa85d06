//! Runs that were done: kept beside the result, so that a run which was done with the same
//! machine is not done again.
//!
//! Owns: the form of a saved run, and the key that tells machines apart. Must never know:
//! how a run is done.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use taktos_export::{replace_file, to_json};

use super::latency::Latency;

/// The folder of saved runs.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A run as it is saved.
#[derive(Serialize, Deserialize)]
struct Saved {
    /// What the machine was: a digest of images, configuration and arguments.
    key: String,
    /// Nanoseconds of one step of the values.
    step: u64,
    /// The values in steps, each with how often it occurred.
    values: Vec<(u64, u64)>,
}

impl Store {
    /// The store that belongs to a result: beside it, since a result is whole or absent.
    pub fn beside(place: &Path) -> Self {
        let name = place
            .file_name()
            .map_or("hypervisor".into(), |name| name.to_string_lossy());
        Self {
            folder: place.with_file_name(format!("{name}.runs")),
        }
    }

    /// The latencies of a run, where it was done on the same machine.
    pub fn find(&self, name: &str, key: &str) -> Option<Latency> {
        let text = std::fs::read_to_string(self.file(name, "json")).ok()?;
        let saved: Saved = serde_json::from_str(&text).ok()?;
        (saved.key == key).then(|| Latency::of(saved.step, saved.values))?
    }

    /// Saves a run: its console first, so that a saved run always has one.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn save(&self, name: &str, key: &str, console: &str, latency: &Latency) -> Result<()> {
        self.save_console(name, console)?;
        let saved = Saved {
            key: key.to_owned(),
            step: latency.step(),
            values: latency.counts().to_vec(),
        };
        Ok(replace_file(&self.file(name, "json"), to_json(&saved))?)
    }

    /// Saves the console of a run that may have failed.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn save_console(&self, name: &str, console: &str) -> Result<()> {
        Ok(replace_file(&self.file(name, "txt"), console)?)
    }

    /// What was saved of a run: its values and its console.
    ///
    /// # Errors
    /// When it was not saved.
    pub fn files(&self, name: &str) -> Result<[(String, String); 2]> {
        let file = |ending| {
            let path = self.file(name, ending);
            let text = std::fs::read_to_string(&path);
            let text = text.with_context(|| format!("cannot read {}", path.display()))?;
            Ok::<_, anyhow::Error>((format!("raw/{name}.{ending}"), text))
        };
        Ok([file("json")?, file("txt")?])
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
        let latency = Latency::of(1000, vec![(4, 98), (12, 2)]).unwrap();
        assert_eq!(store.find("one", "key"), None);
        store.save("one", "key", "console\n", &latency).unwrap();
        assert_eq!(store.find("one", "key"), Some(latency));
        assert_eq!(store.find("one", "other"), None);
        assert_eq!(store.find("two", "key"), None);
        let [values, console] = store.files("one").unwrap();
        assert_eq!(console, ("raw/one.txt".to_owned(), "console\n".to_owned()));
        assert!(values.1.contains("\"step\": 1000"), "{}", values.1);
        store.save_console("one", "later").unwrap();
        let broken = folder.with_file_name("x");
        assert!(Store::beside(&broken).files("one").is_err());
        std::fs::write(folder.join("result.runs/one.json"), "{\"key\": \"key\"").unwrap();
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
