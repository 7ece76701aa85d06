//! Result directories and files that are whole or absent.
//!
//! Everything is first written next to its place, under a hidden name, and moved there by one
//! renaming. A run that fails leaves the earlier result.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

/// The file that marks a directory as a result, which may be replaced.
const MANIFEST: &str = "manifest.json";

/// Why something could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file system refused.
    #[error("cannot write {}: {cause}", path.display())]
    Refused {
        /// Place that was to be written.
        path: PathBuf,
        /// Error of the system.
        cause: io::Error,
    },
    /// The place is taken by something that no run of ours has made.
    #[error("{} exists and is not a result directory; it is left as it is", path.display())]
    Foreign {
        /// The place.
        path: PathBuf,
    },
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    |cause| WriteError::Refused {
        path: path.to_owned(),
        cause,
    }
}

/// A result directory in the making.
///
/// Begin it before a long run, so that a place which cannot be written is
/// known at once. Dropping it unfinished removes what was gathered.
#[derive(Debug)]
pub struct ResultDirectory {
    place: PathBuf,
    gathered: PathBuf,
    /// Shows other runs that this one is active.
    _lock: File,
}

impl ResultDirectory {
    /// Begins a result for the place `place`.
    ///
    /// # Errors
    /// When the place's parent cannot be written, or the place holds
    /// something that is not a result.
    pub fn begin(place: &Path) -> Result<Self, WriteError> {
        check_replaceable(place)?;
        Self::gather(place.to_owned(), place)
    }

    /// Begins a directory for the place `place`, which may exist already:
    /// [`ResultDirectory::merge`] moves it there.
    ///
    /// # Errors
    /// When the place or its parent cannot be written.
    pub fn beside(place: &Path) -> Result<Self, WriteError> {
        match fs::canonicalize(place) {
            // A folder that is there may be written where its parent may not.
            Ok(existing) => {
                let name = existing.join("added");
                Self::gather(existing, &name)
            }
            Err(_) => Self::gather(place.to_owned(), place),
        }
    }

    /// Begins a directory that is gathered next to `name`.
    fn gather(place: PathBuf, name: &Path) -> Result<Self, WriteError> {
        let gathered = sibling(name, "part")?;
        remove_directory(&gathered)?;
        remove_abandoned(name);
        fs::create_dir_all(&gathered).map_err(refused(&place))?;
        let lock = File::open(&gathered).map_err(refused(&place))?;
        // If the file system has no locks, no run can take one, and no directory counts as
        // abandoned.
        let _ = lock.lock();
        Ok(Self {
            place,
            gathered,
            _lock: lock,
        })
    }

    /// Returns the final place of the result.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Returns where its files are until it is finished.
    #[must_use]
    pub fn gathered(&self) -> &Path {
        &self.gathered
    }

    /// Adds a file. A name may hold folders: `raw/samples.csv`.
    ///
    /// # Errors
    /// When the file system refuses, or the name leads out of the directory.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> Result<(), WriteError> {
        let path = self.gathered.join(name);
        let is_below = |part| matches!(part, Component::Normal(_));
        if !Path::new(name).components().all(is_below) {
            let cause = io::Error::new(io::ErrorKind::InvalidInput, "it lies outside the result");
            return Err(refused(&path)(cause));
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(refused(folder))?;
        }
        fs::write(&path, contents).map_err(refused(&path))
    }

    /// Puts the result in its place, replacing an earlier one.
    ///
    /// # Errors
    /// If the file system refuses; then the earlier result stays.
    pub fn finish(self) -> Result<PathBuf, WriteError> {
        let earlier = sibling(&self.place, "old")?;
        remove_directory(&earlier)?;
        if self.place.exists() {
            fs::rename(&self.place, &earlier).map_err(refused(&self.place))?;
        }
        if let Err(cause) = fs::rename(&self.gathered, &self.place) {
            // Best effort: the error that is reported is the first one.
            let _ = fs::rename(&earlier, &self.place);
            return Err(refused(&self.place)(cause));
        }
        remove_directory(&earlier)?;
        Ok(self.place.clone())
    }
}

impl ResultDirectory {
    /// Puts the files in their place: by one renaming if nothing is there; else each by one, over
    /// an earlier one of its name, and the file `last` after all others. Files of other names stay.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn merge(self, last: &str) -> Result<PathBuf, WriteError> {
        if !self.place.exists() {
            return self.finish();
        }
        let mut names = Vec::new();
        list_files(&self.gathered, Path::new(""), &mut names).map_err(refused(&self.gathered))?;
        names.sort_by_key(|name| (name == Path::new(last), name.clone()));
        for name in names {
            let path = self.place.join(&name);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(refused(folder))?;
            }
            fs::rename(self.gathered.join(&name), &path).map_err(refused(&path))?;
        }
        Ok(self.place.clone())
    }
}

/// The names of the files in a directory, with those of its folders.
fn list_files(root: &Path, folder: &Path, names: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = folder.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => list_files(root, &name, names)?,
            false => names.push(name),
        }
    }
    Ok(())
}

impl Drop for ResultDirectory {
    fn drop(&mut self) {
        // After `finish` there is nothing left; otherwise the run has failed
        // already and its own error matters more than this one.
        let _ = fs::remove_dir_all(&self.gathered);
    }
}

/// Writes one file, whole or not at all, replacing an earlier one.
///
/// # Errors
/// If the file system refuses; then an earlier file stays.
pub fn replace_file(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), WriteError> {
    let part = sibling(path, "part")?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(refused(path))?;
    }
    let written = fs::write(&part, contents).and_then(|()| fs::rename(&part, path));
    written.map_err(|cause| {
        let _ = fs::remove_file(&part);
        refused(path)(cause)
    })
}

fn check_replaceable(place: &Path) -> Result<(), WriteError> {
    let Ok(status) = fs::symlink_metadata(place) else {
        return Ok(());
    };
    let empty = || fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none());
    if status.is_dir() && (place.join(MANIFEST).is_file() || empty()) {
        return Ok(());
    }
    Err(WriteError::Foreign {
        path: place.to_owned(),
    })
}

/// Returns a hidden name next to the place, with the process number, so that two runs at once do
/// not mix.
fn sibling(place: &Path, kind: &str) -> Result<PathBuf, WriteError> {
    let name = place.file_name().ok_or_else(|| WriteError::Foreign {
        path: place.to_owned(),
    })?;
    let name = format!(".{}.{kind}-{}", name.to_string_lossy(), std::process::id());
    Ok(place.with_file_name(name))
}

/// Removes the files of runs for the same place that were killed before they could remove them.
/// Best effort: remaining files do no harm.
fn remove_abandoned(place: &Path) {
    let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
        return;
    };
    let start = format!(".{}.part-", name.to_string_lossy());
    // The folder of a name alone is the caller's current directory.
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(&start));
        if number.is_some_and(|number| number.parse::<u32>().is_ok()) && is_abandoned(&entry.path())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns whether no run holds the directory's lock.
fn is_abandoned(gathered: &Path) -> bool {
    File::open(gathered).is_ok_and(|file| file.try_lock().is_ok())
}

fn remove_directory(path: &Path) -> Result<(), WriteError> {
    match fs::remove_dir_all(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(refused(path)(cause)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_out_of_the_directory_is_refused() {
        let folder = Folder::new("outside");
        let directory = ResultDirectory::begin(&folder.0.join("result")).unwrap();
        for name in ["../q", "/q", "a/../../q", ".."] {
            assert!(directory.write(name, "x").is_err(), "{name}");
        }
        assert!(directory.write("a/q", "x").is_ok());
        assert!(!folder.0.join("q").exists());
    }

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("taktos-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<String> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn result(place: &Path, contents: &str) {
        let directory = ResultDirectory::begin(place).unwrap();
        directory.write(MANIFEST, "{}").unwrap();
        directory.write("raw/samples.csv", contents).unwrap();
        directory.finish().unwrap();
    }

    #[test]
    fn a_result_replaces_the_one_before() {
        let folder = Folder::new("replace");
        let place = folder.0.join("ipc");
        result(&place, "first");
        result(&place, "second");
        assert_eq!(
            fs::read_to_string(place.join("raw/samples.csv")).unwrap(),
            "second"
        );
        assert_eq!(folder.names(), ["ipc"]);
    }

    #[test]
    fn an_unfinished_result_leaves_no_trace() {
        let folder = Folder::new("unfinished");
        let place = folder.0.join("ipc");
        result(&place, "first");
        let directory = ResultDirectory::begin(&place).unwrap();
        directory.write("raw/samples.csv", "half").unwrap();
        drop(directory);
        assert_eq!(
            fs::read_to_string(place.join("raw/samples.csv")).unwrap(),
            "first"
        );
        assert_eq!(folder.names(), ["ipc"]);
    }

    fn added(place: &Path, name: &str, contents: &str) {
        let directory = ResultDirectory::beside(place).unwrap();
        directory.write(name, contents).unwrap();
        directory.write("lib/last", contents).unwrap();
        directory.merge("lib/last").unwrap();
    }

    #[test]
    fn what_is_added_stands_beside_what_was_there() {
        let folder = Folder::new("added");
        let place = folder.0.join("sdk");
        added(&place, "lib/one", "1");
        fs::write(place.join("mine"), "mine").unwrap();
        added(&place, "lib/two", "2");
        let read = |name: &str| fs::read_to_string(place.join(name)).unwrap();
        assert_eq!(
            [
                read("lib/one"),
                read("lib/two"),
                read("lib/last"),
                read("mine")
            ],
            ["1", "2", "2", "mine"]
        );
        assert_eq!(Folder(place).names(), ["lib", "mine"]);
    }

    #[test]
    fn what_is_not_added_to_the_end_leaves_no_trace() {
        let folder = Folder::new("not-added");
        let place = folder.0.join("sdk");
        let directory = ResultDirectory::beside(&place).unwrap();
        directory.write("lib/one", "1").unwrap();
        assert!(!place.exists());
        drop(directory);
        assert_eq!(folder.names(), [""; 0]);
        added(&place, "lib/one", "1");
        let directory = ResultDirectory::beside(&place).unwrap();
        directory.write("lib/one", "half").unwrap();
        drop(directory);
        assert_eq!(fs::read_to_string(place.join("lib/one")).unwrap(), "1");
        assert_eq!(Folder(place).names(), ["lib"]);
    }

    #[test]
    fn what_a_killed_run_has_gathered_goes_and_a_living_runs_stays() {
        let folder = Folder::new("killed");
        let names = [
            ".result.part-4000000001",
            ".result.part-mine",
            ".other.part-4000000001",
        ];
        for name in names {
            fs::create_dir(folder.0.join(name)).unwrap();
        }
        let living = File::open(folder.0.join(names[0])).unwrap();
        living.lock().unwrap();
        drop(ResultDirectory::begin(&folder.0.join("result")).unwrap());
        assert_eq!(folder.names().len(), 3, "{:?}", folder.names());
        drop(living);
        drop(ResultDirectory::begin(&folder.0.join("result")).unwrap());
        assert_eq!(
            folder.names(),
            [".other.part-4000000001", ".result.part-mine"]
        );
    }

    #[test]
    fn somebody_elses_directory_is_left_alone() {
        let folder = Folder::new("foreign");
        fs::write(folder.0.join("thesis.tex"), "").unwrap();
        let error = ResultDirectory::begin(&folder.0).unwrap_err();
        assert!(matches!(error, WriteError::Foreign { .. }), "{error}");
        assert_eq!(folder.names(), ["thesis.tex"]);
    }

    #[test]
    fn a_place_under_a_file_is_refused_at_the_start() {
        let folder = Folder::new("under-file");
        let file = folder.0.join("file");
        fs::write(&file, "").unwrap();
        let error = ResultDirectory::begin(&file.join("ipc")).unwrap_err();
        assert!(matches!(error, WriteError::Refused { .. }), "{error}");
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = Folder::new("file");
        let path = folder.0.join("baseline.json");
        replace_file(&path, "1").unwrap();
        replace_file(&path, "2").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "2");
        assert_eq!(folder.names(), ["baseline.json"]);
    }
}
