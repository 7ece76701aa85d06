//! Completed runs: their consoles, stored next to the result, so that an experiment that was
//! stopped resumes at its place.
//!
//! Owns: the places of consoles, and the console of each run. Must never know: the meaning of a
//! console.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use taktos_export::replace_file;

/// The folder of kept runs. It may be removed at any time.
#[derive(Clone, Debug)]
pub struct Kept {
    folder: PathBuf,
    /// Whether runs are done even where one is kept.
    fresh: bool,
}

/// A run: for people by its name, and by all that its console depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Name of the run: letters that a file's name can have.
    pub name: String,
    /// A digest of image, question and emulator.
    pub digest: String,
}

impl Key {
    /// The run of that name, which is determined by the parts.
    pub fn of<'a>(name: String, parts: impl IntoIterator<Item = &'a str>) -> Self {
        let digest = digest(parts.into_iter().map(str::as_bytes));
        Self { name, digest }
    }
}

impl Kept {
    /// Returns the runs that belong to a result: next to it, since a result is whole or absent.
    pub fn beside(place: &Path, fresh: bool) -> Self {
        let name = place
            .file_name()
            .map_or("result".into(), |name| name.to_string_lossy());
        let folder = place.with_file_name(format!("{name}.runs"));
        Self { folder, fresh }
    }

    /// Returns how many of these runs are reused, in words; none if all are to be done.
    pub fn taken_over(&self, runs: &[Key]) -> Option<String> {
        let done = runs.iter().filter(|run| self.find(run).is_some()).count();
        (done > 0).then(|| {
            format!(
                "{done} of {} runs were done before and are taken over from {}; --fresh does all anew",
                runs.len(),
                self.folder.display()
            )
        })
    }

    /// Returns the result of `read` for the console of a run; `execute` makes the console if none
    /// is stored.
    ///
    /// # Errors
    /// If the run fails, or its console cannot be read or stored.
    pub fn or_run<T>(
        &self,
        run: &Key,
        execute: impl FnOnce() -> Result<String>,
        read: impl Fn(&str) -> Result<T>,
    ) -> Result<T> {
        if let Some(found) = self.find(run).and_then(|console| read(&console).ok()) {
            return Ok(found);
        }
        let console = execute()?;
        let found = read(&console);
        let ending = match found {
            Ok(_) => "",
            Err(_) => ".failed",
        };
        replace_file(&self.file(run, ending), &console)?;
        found
    }

    /// The console of a run that was done.
    ///
    /// # Errors
    /// When it was not.
    pub fn console(&self, run: &Key) -> Result<String> {
        let file = self.file(run, "");
        std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))
    }

    fn find(&self, run: &Key) -> Option<String> {
        (!self.fresh).then(|| self.console(run).ok())?
    }

    fn file(&self, run: &Key, ending: &str) -> PathBuf {
        let Key { name, digest } = run;
        self.folder.join(format!("{name}.{digest}{ending}.txt"))
    }
}

/// The 64-bit FNV-1a digest: enough to distinguish machines and images, no seal.
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds these bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl fmt::Display for Fnv {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

/// Returns the digest of some texts, each separated from the next.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut digest = Fnv::default();
    for part in parts {
        digest.add(part);
        digest.add(&(part.len() as u64).to_le_bytes());
    }
    digest.to_string()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use anyhow::bail;

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("taktos-kept-{name}-{}", std::process::id());
            Self(std::env::temp_dir().join(name))
        }

        fn kept(&self, fresh: bool) -> Kept {
            Kept::beside(&self.0.join("result"), fresh)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn key(question: &str) -> Key {
        Key::of("one".into(), ["image", question])
    }

    fn number(console: &str) -> Result<u32> {
        Ok(console.parse()?)
    }

    #[test]
    fn a_run_is_done_once() {
        let folder = Folder::new("once");
        let executed = Cell::new(0);
        let find = |fresh, question: &str| {
            let execute = || {
                executed.set(executed.get() + 1);
                Ok(executed.get().to_string())
            };
            let kept = folder.kept(fresh);
            kept.or_run(&key(question), execute, number).unwrap()
        };
        assert_eq!((find(false, "a"), find(false, "a")), (1, 1));
        assert_eq!(find(false, "b"), 2, "another question");
        assert_eq!(find(false, "a"), 1, "whose run did not replace the first");
        assert_eq!(find(true, "a"), 3, "a fresh one");
        assert_eq!(find(false, "a"), 3, "which is kept, too");
        assert_eq!(folder.kept(true).console(&key("a")).unwrap(), "3");
    }

    #[test]
    fn what_failed_is_kept_to_be_looked_at_and_done_again() {
        let folder = Folder::new("failed");
        let kept = folder.kept(false);
        let told = kept.or_run(&key("a"), || Ok("no number".into()), number);
        assert!(told.is_err());
        let file = folder.0.join("result.runs").read_dir().unwrap();
        let names: Vec<_> = file.map(|file| file.unwrap().file_name()).collect();
        assert!(names[0].to_string_lossy().ends_with(".failed.txt"));
        assert!(kept.or_run(&key("a"), || bail!("hangs"), number).is_err());
        assert_eq!(kept.taken_over(&[key("a")]), None);
        let again = kept.or_run(&key("a"), || Ok("7".into()), number);
        assert_eq!(again.unwrap(), 7);
    }

    #[test]
    fn it_says_what_is_taken_over() {
        let folder = Folder::new("said");
        let kept = folder.kept(false);
        let runs = [key("a"), key("b"), key("c")];
        assert_eq!(kept.taken_over(&runs), None);
        for run in &runs[..2] {
            kept.or_run(run, || Ok("1".into()), number).unwrap();
        }
        let words = kept.taken_over(&runs).unwrap();
        assert!(words.starts_with("2 of 3 runs"), "{words}");
        assert_eq!(folder.kept(true).taken_over(&runs), None);
    }

    #[test]
    fn the_digest_is_the_published_one() {
        // The reference values of FNV-1a with 64 bits.
        for (text, expected) in [("", "cbf29ce484222325"), ("foobar", "85944171f73967e8")] {
            let mut digest = Fnv::default();
            digest.add(text.as_bytes());
            assert_eq!(digest.to_string(), expected);
        }
    }

    #[test]
    fn parts_are_told_apart() {
        let digest = |parts: &[&str]| Key::of(String::new(), parts.iter().copied()).digest;
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_eq!(digest(&["ab", "c"]), digest(&["ab", "c"]));
    }
}
