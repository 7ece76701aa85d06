//! Owns: how Debian's packages are fetched for another architecture and suite, without root and
//! without touching the machine's own package state: apt with lists and folders of its own.
//! Must never know: the packages that a guest needs.
//!
//! apt checks the suite's signature with the keys of Debian's archive, and each package's digest
//! with the signed list.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::Error;
use crate::error::at;
use crate::manifest::Package;
use crate::sources;

/// The keys of Debian's archive, from the package debian-archive-keyring.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
/// Message of apt on a list with a signature by a key that it does not have.
const UNKNOWN_KEY: &str = "NO_PUBKEY";

/// apt for one suite and architecture, in a folder of its own.
pub struct Apt {
    folder: PathBuf,
    suite: String,
    options: Vec<String>,
}

impl Apt {
    /// Prepares the folder: `suite` from the mirror that this machine gets its own suite from.
    pub fn new(folder: &Path, suite: &str, architecture: &str) -> Result<Self, Error> {
        let keyring = Path::new(KEYRING);
        if !keyring.is_file() {
            return Err(Error::Keyring(keyring.to_owned()));
        }
        for sub in ["lists/partial", "cache/archives/partial", "packages"] {
            let path = folder.join(sub);
            std::fs::create_dir_all(&path).map_err(at(&path))?;
        }
        write(&folder.join("status"), "")?;
        let list = format!("deb [signed-by={KEYRING}] {} {suite} main\n", mirror()?);
        write(&folder.join("sources.list"), &list)?;
        let path = |name: &str| folder.join(name).display().to_string();
        let options = [
            ("APT::Architecture", architecture.to_owned()),
            ("APT::Architectures", architecture.to_owned()),
            ("APT::Sandbox::User", String::new()),
            ("Acquire::Languages", "none".to_owned()),
            ("Dir::State", path("")),
            ("Dir::State::lists", path("lists")),
            ("Dir::State::status", path("status")),
            ("Dir::Cache", path("cache")),
            ("Dir::Etc::SourceList", path("sources.list")),
            ("Dir::Etc::SourceParts", path("cache/none")),
            ("Dir::Etc::Preferences", path("cache/none")),
            ("Dir::Etc::PreferencesParts", path("cache/none")),
        ];
        Ok(Self {
            folder: folder.to_owned(),
            suite: suite.to_owned(),
            options: options
                .iter()
                .map(|(name, value)| format!("-o{name}={value}"))
                .collect(),
        })
    }

    /// Fetches the suite's signed list of packages.
    pub fn update(&self) -> Result<(), Error> {
        let output = self.call("apt-get", &["update", "--error-on=any"])?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains(UNKNOWN_KEY) {
            return Err(Error::OldKeyring(self.suite.clone()));
        }
        Err(refused("the list of packages", &said))
    }

    /// Returns the package that a package without contents represents: the first that it depends
    /// on.
    pub fn stands_for(&self, package: &str) -> Result<String, Error> {
        let output = self.call("apt-cache", &["show", "--no-all-versions", package])?;
        let text = String::from_utf8_lossy(&output.stdout);
        let depends = text.lines().find_map(|line| line.strip_prefix("Depends: "));
        let first = depends.and_then(|depends| depends.split([' ', ',']).next());
        let said = String::from_utf8_lossy(&output.stderr);
        first
            .map(str::to_owned)
            .ok_or_else(|| refused(package, &said))
    }

    /// Fetches the packages, of the newest version each: their files, and what they are, in this
    /// order.
    pub fn download(&self, names: &[String]) -> Result<Vec<(PathBuf, Package)>, Error> {
        let folder = self.folder.join("packages");
        let mut arguments = vec!["download", "--quiet=2"];
        arguments.extend(names.iter().map(String::as_str));
        let mut command = self.command("apt-get", &arguments);
        let output = run(command.current_dir(&folder), "apt-get")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(refused(&names.join(", "), &said));
        }
        names.iter().map(|name| found(&folder, name)).collect()
    }

    fn call(&self, program: &str, arguments: &[&str]) -> Result<Output, Error> {
        run(&mut self.command(program, arguments), program)
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(&self.options)
            .args(arguments)
            .env("LC_ALL", "C");
        command
    }
}

/// The file of a package that was fetched.
fn found(folder: &Path, name: &str) -> Result<(PathBuf, Package), Error> {
    let start = format!("{name}_");
    let entries = std::fs::read_dir(folder).map_err(at(folder))?;
    let file = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| {
            path.file_name()
                .is_some_and(|file| file.to_string_lossy().starts_with(&start))
        })
        .ok_or_else(|| refused(name, "its file is missing"))?;
    let field = run(
        Command::new("dpkg-deb")
            .arg("--field")
            .arg(&file)
            .arg("Version"),
        "dpkg-deb",
    )?;
    let sum = run(Command::new("sha256sum").arg("--").arg(&file), "sha256sum")?;
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let first = |text: String| {
        text.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let package = Package {
        name: name.to_owned(),
        version: first(text(&field)),
        sha256: first(text(&sum)),
    };
    Ok((file, package))
}

/// The mirror that this machine gets its own suite from.
fn mirror() -> Result<String, Error> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let suite = sources::codename(&release).unwrap_or("unknown").to_owned();
    let mut files: Vec<PathBuf> = std::fs::read_dir("/etc/apt/sources.list.d")
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files.insert(0, PathBuf::from("/etc/apt/sources.list"));
    let texts: Vec<String> = files
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .collect();
    sources::mirror(texts.iter().map(String::as_str), &suite).ok_or(Error::Mirror(suite))
}

/// Runs a program; a missing program is an error with a hint of its own.
pub fn run(command: &mut Command, program: &str) -> Result<Output, Error> {
    command.output().map_err(|cause| match cause.kind() {
        std::io::ErrorKind::NotFound => Error::Program(program.to_owned()),
        _ => Error::File {
            path: PathBuf::from(program),
            cause,
        },
    })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(at(path))
}

/// Returns the error with apt's message, in one line.
fn refused(what: &str, said: &str) -> Error {
    let line = said
        .lines()
        .find(|line| line.starts_with("E:"))
        .or_else(|| said.lines().last());
    Error::Fetch {
        what: what.to_owned(),
        said: line.unwrap_or("nothing was said").trim().to_owned(),
    }
}
