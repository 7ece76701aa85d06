//! Owns: which steps a change can touch: what each step depends on, and what has changed since a
//! commit. Must never know: what a step does.
//!
//! A step names folders. The folder of a package stands for the package and all packages of the
//! tree that it is built from, its tests' included; any other folder or file stands for itself.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use taktos_runner::image::crate_of;
use taktos_runner::workspace::Workspace;

use crate::metadata;

/// Files and folders that every step depends on.
const OF_ALL: [&str; 7] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    ".cargo",
    ".ci",
    "taktos",
    "xtask",
];
/// Stands for the folder of the board that a step's name ends with.
const BOARD: &str = "BOARD";
/// Step that runs the tests of packages: it depends on all, and tests those that changed, with what
/// depends on them.
pub(super) const HOST_TESTS: &str = "host tests";

/// The rows of `depends.csv`: the beginning of a step's name, and the folders that the step depends
/// on, [`BOARD`] among them; `.` is the whole tree, `*/NAME` each file of the name. Of the rows
/// that fit a step the longest counts.
static DEPENDS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows = csv::Reader::from_reader(include_bytes!("depends.csv").as_slice());
    let rows = rows.deserialize().collect::<Result<_, _>>();
    rows.expect("the table in the tree has its columns")
});

#[derive(Deserialize)]
struct Row {
    step: String,
    folders: String,
}

impl Row {
    fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.split(' ')
    }
}

/// Files that changed, and the packages of the tree.
pub(super) struct Changes {
    /// Files, by their paths from the root.
    files: Vec<String>,
    packages: Packages,
}

/// The packages of the tree by their folders.
type Packages = BTreeMap<String, Package>;

/// A package of the tree.
struct Package {
    name: String,
    /// Folders of the packages of the tree that it depends on.
    named: BTreeSet<String>,
    /// Whether cargo compiles it for this machine unless told otherwise.
    for_host: bool,
}

impl Changes {
    /// Finds what has changed since `commit`, committed or not.
    ///
    /// # Errors
    /// When git does not know the commit, or cargo refuses a manifest.
    pub(super) fn since(workspace: &Workspace, commit: &str) -> Result<Self> {
        let mut files = git(
            workspace,
            &["diff", "--name-only", "--no-renames", commit, "--"],
        )?;
        files.extend(git(
            workspace,
            &["ls-files", "--others", "--exclude-standard"],
        )?);
        Ok(Self {
            files,
            packages: packages(workspace)?,
        })
    }

    /// Returns whether the step of this name can be touched by what has changed. A step that has
    /// no row can.
    pub(super) fn touch(&self, step: &str) -> bool {
        let fits = DEPENDS.iter().filter(|row| step.starts_with(&row.step));
        let Some(row) = fits.max_by_key(|row| row.step.len()) else {
            return true;
        };
        let board = step.rsplit(' ').next().unwrap_or_default();
        let board = format!("boards/{}", crate_of(board).0);
        let named = |folder| match folder {
            BOARD => board.as_str(),
            folder => folder,
        };
        let own: Vec<&str> = row.folders().map(named).collect();
        let built: BTreeSet<&str> = own
            .iter()
            .flat_map(|folder| self.built_from(folder))
            .collect();
        let touches = |file: &String| {
            let package = self.package_of(file);
            let mut places = OF_ALL.iter().chain(&own);
            package.is_some_and(|folder| built.contains(folder))
                || places.any(|place| lies_in(file, place))
        };
        self.files.iter().any(touches)
    }

    /// Returns the names of the packages that changed, and of those that are built from them,
    /// without those that are not compiled for this machine: their tests can be touched. None
    /// stands for all, if a file of no package changed, since any test may read that.
    pub(super) fn tested(&self) -> Option<BTreeSet<String>> {
        let changed: Option<BTreeSet<&str>> = (self.files.iter())
            .map(|file| self.package_of(file))
            .collect();
        let changed = changed?;
        let is_built_from = |folder: &str| !self.built_from(folder).is_disjoint(&changed);
        let all = self.packages.iter();
        let all = all.filter(|(folder, one)| one.for_host && is_built_from(folder));
        Some(all.map(|(_, one)| one.name.clone()).collect())
    }

    /// The innermost package that a file lies in.
    fn package_of(&self, file: &str) -> Option<&str> {
        let around = self.packages.keys().filter(|folder| lies_in(file, folder));
        around.max_by_key(|folder| folder.len()).map(String::as_str)
    }

    /// The packages in a folder, with all that they are built from.
    fn built_from<'a>(&'a self, folder: &str) -> BTreeSet<&'a str> {
        let inside = |package: &&String| folder != "." && lies_in(package, folder);
        let mut open: Vec<&str> = self
            .packages
            .keys()
            .filter(inside)
            .map(String::as_str)
            .collect();
        let mut found = BTreeSet::new();
        while let Some(next) = open.pop() {
            if found.insert(next)
                && let Some(package) = self.packages.get(next)
            {
                open.extend(package.named.iter().map(String::as_str));
            }
        }
        found
    }
}

/// Whether a path is that of a folder or file of the table, or below it.
fn lies_in(path: &str, folder: &str) -> bool {
    match folder.strip_prefix("*/") {
        Some(name) => path.rsplit('/').next() == Some(name),
        None if folder == "." => true,
        None => {
            (path.strip_prefix(folder)).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }
    }
}

/// Reads the packages from cargo's metadata.
fn packages(workspace: &Workspace) -> Result<Packages> {
    let root = workspace.root().canonicalize()?;
    let inside = |path: &str| {
        let path = std::path::Path::new(path).strip_prefix(&root).ok()?;
        Some(path.to_str()?.to_owned())
    };
    let metadata = metadata::of(workspace)?;
    let list = |key: &str| metadata[key].as_array().cloned().unwrap_or_default();
    let usual = list("workspace_default_members");
    let of = |package: &Value| {
        let manifest = inside(package["manifest_path"].as_str()?)?;
        let folder = manifest.strip_suffix("/Cargo.toml")?.to_owned();
        let named = package["dependencies"].as_array()?.iter();
        let package = Package {
            name: package["name"].as_str()?.to_owned(),
            named: named
                .filter_map(|one| inside(one["path"].as_str()?))
                .collect(),
            for_host: usual.contains(&package["id"]),
        };
        Some((folder, package))
    };
    Ok(list("packages").iter().filter_map(of).collect())
}

/// The lines that git answers.
fn git(workspace: &Workspace, words: &[&str]) -> Result<Vec<String>> {
    let mut git = Command::new("git");
    let output = git.arg("-C").arg(workspace.root()).args(words).output();
    let output = output.context("git does not start")?;
    let said = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(
        output.status.success(),
        "git {}: {}",
        words.join(" "),
        said.trim()
    );
    let lines = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    Ok(lines.lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::steps;
    use super::super::storms::Length;
    use super::*;

    fn changes(file: &str) -> Changes {
        let tree = Workspace::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
        Changes {
            files: vec![file.to_owned()],
            packages: packages(&tree).unwrap(),
        }
    }

    #[test]
    fn every_step_and_every_row_has_its_other() {
        let steps = steps(Length::Long);
        let has_row = |name: &str| DEPENDS.iter().any(|row| name.starts_with(&row.step));
        for step in &steps {
            assert!(has_row(&step.name), "{} has no row", step.name);
        }
        for row in DEPENDS.iter() {
            let fits = steps.iter().any(|step| step.name.starts_with(&row.step));
            assert!(fits, "{} is no step", row.step);
        }
    }

    #[test]
    fn the_folders_of_rows_exist() {
        let tree = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let folders = DEPENDS.iter().flat_map(Row::folders);
        for folder in folders.chain(OF_ALL) {
            let is_place = folder != BOARD && !folder.starts_with("*/");
            assert!(!is_place || tree.join(folder).exists(), "{folder}");
        }
    }

    #[test]
    fn a_change_touches_what_is_built_from_it() {
        for (file, touched, spared) in [
            (
                "kernel/src/ipc/fast.rs",
                "kernel suite on mps2-an386",
                "text of the hypervisor",
            ),
            (
                "hypervisor/src/uart.rs",
                "hostile guests",
                "kernel suite on virt-aarch64",
            ),
            (
                "lab/cli/src/command/count.rs",
                "two runs, the same bytes",
                "budgets of virt-aarch64",
            ),
            (
                "boards/raspberry-pi-4/src/place.rs",
                "lints of raspberry-pi-4-smp",
                "lints of zcu102",
            ),
            ("docs/start.md", "the book's code", "images"),
            (
                "fieldbus/segment/src/lib.rs",
                "an EtherCAT controller",
                "C programs",
            ),
            (
                "boards/zcu102/memory.x",
                "kernel suite on zcu102",
                "kernel suite on imx8mp-evk",
            ),
            ("xtask/src/test/holds.rs", "63 priorities", ""),
            ("Cargo.lock", "images", ""),
            (
                "lab/clock/src/time.h",
                "race search on virt-riscv64-smp",
                "C programs",
            ),
            ("core/time/Cargo.toml", "dependencies", ""),
        ] {
            let changes = changes(file);
            assert!(changes.touch(touched), "{file}: {touched}");
            if !spared.is_empty() {
                assert!(!changes.touch(spared), "{file}: {spared}");
            }
        }
    }

    #[test]
    fn tests_are_those_of_the_package_and_of_what_is_built_from_it() {
        let tested = |file| changes(file).tested();
        let names = |file| tested(file).unwrap().into_iter().collect::<Vec<_>>();
        assert_eq!(
            names("lab/cli/src/command/count.rs"),
            ["taktos-cli", "xtask"]
        );
        assert!(names("core/time/src/lib.rs").contains(&"taktos-kernel".to_owned()));
        let of_board = names("boards/zcu102/memory.x");
        assert!(
            of_board.contains(&"taktos".to_owned()),
            "it may name the board"
        );
        assert!(!of_board.contains(&"taktos-kernel".to_owned()));
        for of_no_package in ["docs/start.md", "Cargo.lock", "experiments/onboard.toml"] {
            assert_eq!(tested(of_no_package), None, "{of_no_package}");
        }
    }

    #[test]
    fn a_commit_that_is_none_is_an_error_that_names_it() {
        let tree = Workspace::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
        let error = Changes::since(&tree, "no-such-commit").err().unwrap();
        assert!(format!("{error:#}").contains("no-such-commit"), "{error:#}");
    }
}
