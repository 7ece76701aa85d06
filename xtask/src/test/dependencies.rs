//! Owns: the step that holds what the project depends on to deny.toml: licences, sources, known
//! advisories. Must never know: how a dependency is judged, which is cargo-deny's business.
//!
//! Advisories are looked up in the RustSec database where that can be had, and in advisories.toml,
//! what is known without it, where not. So that no check passes for want of looking, each is also
//! made to fail.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use taktos_cli::command::needs::Need;
use taktos_runner::failure::Failure;
use taktos_runner::image::cargo;
use taktos_runner::workspace::Workspace;

use super::storms::Length;
use super::{Tally, as_checked};

/// How long the database may take to come.
const PATIENCE: Duration = Duration::from_secs(30);
/// A package of the registry that the project uses, with an advisory that might be written.
const MADE_UP: (&str, &str) = ("libm", "RUSTSEC-9999-0001");

/// Address in the place of this step's folder where databases are named: the program takes
/// addresses with a host only, and leaves the rest to git.
const SITE: &str = "https://advisories.invalid/";

/// Facts that are known without the database.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// The day of the database that it was taken from, or how else it is known.
    database: String,
    #[serde(default)]
    advisory: Vec<Advisory>,
}

/// The facts of an advisory.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Advisory {
    id: String,
    package: String,
    informational: Option<String>,
    patched: Vec<String>,
    unaffected: Vec<String>,
}

/// Where the step works.
struct Place<'a> {
    workspace: &'a Workspace,
    program: PathBuf,
    folder: PathBuf,
}

/// Returns what the step needs: nothing if all is as it was checked.
pub(super) fn needs(length: Length) -> &'static [Need] {
    let is_as_checked = |tree| as_checked::is_as_checked(&tree).unwrap_or(false);
    match length {
        Length::Short if Workspace::find().is_ok_and(is_as_checked) => &[],
        _ => &[Need::Deny],
    }
}

/// Checks the project, and that the checks can fail; in short runs, unless all is as it was
/// checked.
pub(super) fn check(workspace: &Workspace, length: Length) -> Result<Tally> {
    if length == Length::Short && as_checked::is_as_checked(workspace)? {
        let mut all = unused(workspace, &known(workspace)?)?;
        all.figures = "as it was when cargo-deny passed\n".into();
        return Ok(all);
    }
    let folder = workspace.target().join("deny");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let place = Place {
        workspace,
        program: program(workspace)?,
        folder,
    };
    let known = known(workspace)?;
    let mut all = unused(workspace, &known)?;
    let (database, words) = match place.online() {
        Some(database) => (database, "the RustSec database of today".to_owned()),
        None => (
            place.database("known", &known.advisory)?,
            format!(
                "{} known without a database ({})",
                known.advisory.len(),
                known.database
            ),
        ),
    };
    let config = place.config("own", Some(&database))?;
    let root = workspace.root();
    let checks = ["licenses", "sources", "bans", "advisories"];
    let (passes, said) = place.deny(root, &config, &checks)?;
    all.add(if passes {
        Tally::pass()
    } else {
        Tally::fail(said)
    });
    all.add(place.fails()?);
    if all.failed == 0 {
        as_checked::passed(workspace)?;
    }
    all.figures = format!("advisories: {words}\n");
    Ok(all)
}

/// The program, of the version that Cargo.toml names.
fn program(workspace: &Workspace) -> Result<PathBuf> {
    let manifest = std::fs::read_to_string(workspace.path("Cargo.toml"))?;
    let version =
        super::cargo::ours(&manifest, "cargo-deny").context("Cargo.toml names no cargo-deny")?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let program = home
        .context("there is no HOME")?
        .join(format!("taktos/cargo-deny-{version}/bin/cargo-deny"));
    if program.is_file() {
        return Ok(program);
    }
    let cause = format!("cargo-deny {version} is not installed");
    Err(Failure::error(cause, "./taktos test installs it"))
}

fn known(workspace: &Workspace) -> Result<Known> {
    let path = workspace.path("advisories.toml");
    let text = std::fs::read_to_string(&path).context("advisories.toml")?;
    toml::from_str(&text).context("advisories.toml")
}

/// Checks that the known facts concern packages that are used: the rest is old.
fn unused(workspace: &Workspace, known: &Known) -> Result<Tally> {
    let lock: toml::Table = std::fs::read_to_string(workspace.path("Cargo.lock"))?.parse()?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let packages: Vec<&str> = packages
        .into_iter()
        .flatten()
        .filter_map(|package| package.get("name")?.as_str())
        .collect();
    let mut all = Tally::default();
    for advisory in &known.advisory {
        all.add(match packages.contains(&advisory.package.as_str()) {
            true => Tally::pass(),
            false => Tally::fail(format!(
                "advisories.toml: {} is not used any longer\n",
                advisory.package
            )),
        });
    }
    Ok(all)
}

impl Place<'_> {
    /// The configuration with that database instead of the usual one.
    fn config(&self, name: &str, database: Option<&Path>) -> Result<PathBuf> {
        let mut config: toml::Table =
            std::fs::read_to_string(self.workspace.path("deny.toml"))?.parse()?;
        let advisories = config
            .get_mut("advisories")
            .and_then(toml::Value::as_table_mut);
        let advisories = advisories.context("deny.toml has no [advisories]")?;
        let kept = self.folder.join(format!("databases-{name}"));
        advisories.insert("db-path".into(), kept.display().to_string().into());
        if let Some(database) = database {
            let address = format!("{SITE}{}", database.strip_prefix(&self.folder)?.display());
            advisories.insert("db-urls".into(), vec![address].into());
        }
        let path = self.folder.join(format!("{name}.toml"));
        std::fs::write(&path, toml::to_string(&config)?)?;
        Ok(path)
    }

    /// The RustSec database, if it can be had.
    fn online(&self) -> Option<PathBuf> {
        let config = self.config("online", None).ok()?;
        let mut fetch = self.call(self.workspace.root(), &config);
        let fetched = fetch
            .args(["fetch", "db"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = fetched.spawn().ok()?;
        let until = Instant::now() + PATIENCE;
        let status = loop {
            match child.try_wait().ok()? {
                Some(status) => break status,
                None if Instant::now() > until => {
                    // It may end by itself just now: then there is nothing to end.
                    let _ = child.kill();
                    break child.wait().ok()?;
                }
                None => std::thread::sleep(Duration::from_millis(50)),
            }
        };
        let kept = std::fs::read_dir(self.folder.join("databases-online")).ok()?;
        let mut folders = kept
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_dir());
        folders.next().filter(|_| status.success())
    }

    /// A database of these advisories, in the form that the program reads: a repository with a file
    /// each.
    fn database(&self, name: &str, advisories: &[Advisory]) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        for advisory in advisories {
            let file = folder.join(format!("crates/{}/{}.md", advisory.package, advisory.id));
            std::fs::create_dir_all(file.parent().context("a file lies in a folder")?)?;
            std::fs::write(file, page(advisory))?;
        }
        std::fs::create_dir_all(&folder)?;
        repository(&folder)?;
        Ok(folder)
    }

    fn call(&self, root: &Path, config: &Path) -> Command {
        let mut deny = Command::new(&self.program);
        // As cargo is called everywhere: the caller's environment changes nothing.
        for (name, value) in cargo(self.workspace).get_envs() {
            if value.is_none() {
                deny.env_remove(name);
            }
        }
        let folder = format!("url.file://{}/.insteadOf", self.folder.display());
        deny.env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", folder)
            .env("GIT_CONFIG_VALUE_0", SITE);
        deny.current_dir(root)
            .args(["--all-features", "--config"])
            .arg(config);
        deny
    }

    /// Whether the checks pass, and what is said.
    fn deny(&self, root: &Path, config: &Path, checks: &[&str]) -> Result<(bool, String)> {
        let mut deny = self.call(root, config);
        deny.args(["check", "--hide-inclusion-graph"]).args(checks);
        let output = deny.output().context("cargo-deny does not start")?;
        Ok((
            output.status.success(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ))
    }

    /// Each check, where it must fail.
    fn fails(&self) -> Result<Tally> {
        let (package, id) = MADE_UP;
        let made_up = Advisory {
            id: id.into(),
            package: package.into(),
            informational: None,
            patched: Vec::new(),
            unaffected: Vec::new(),
        };
        let database = self.database("made-up", &[made_up])?;
        let with_advisory = self.config("made-up", Some(&database))?;
        let plain = self.config("plain", Some(&database))?;
        let other = self.foreign()?;
        let mut all = Tally::default();
        for (root, config, check, words) in [
            (self.workspace.root(), &with_advisory, "advisories", id),
            (other.as_path(), &plain, "licenses", "GPL-3.0-only"),
            (other.as_path(), &plain, "sources", "source-not-allowed"),
        ] {
            let (passes, said) = self.deny(root, config, &[check])?;
            all.add(match !passes && said.contains(words) {
                true => Tally::pass(),
                false => Tally::fail(format!("{check} does not refuse `{words}`: {said}\n")),
            });
        }
        Ok(all)
    }

    /// A project under another licence, with a dependency from a repository.
    fn foreign(&self) -> Result<PathBuf> {
        let (project, dependency) = (self.folder.join("foreign"), self.folder.join("dependency"));
        package(&dependency, "license = \"MIT\"")?;
        repository(&dependency)?;
        let address = format!("file://{}", dependency.canonicalize()?.display());
        let rest = format!(
            "license = \"GPL-3.0-only\"\n[workspace]\n[dependencies]\ndependency = {{ git = \"{address}\" }}"
        );
        package(&project, &rest)?;
        Ok(project)
    }
}

/// An advisory as the database has it. It wants a day, on which nothing depends.
fn page(advisory: &Advisory) -> String {
    let informational = advisory.informational.as_ref();
    let informational = informational.map_or(String::new(), |kind| {
        format!("informational = \"{kind}\"\n")
    });
    format!(
        "```toml\n[advisory]\nid = \"{}\"\npackage = \"{}\"\ndate = \"1970-01-01\"\n{informational}\n[versions]\npatched = {:?}\n\
         unaffected = {:?}\n```\n\n# {}\n\nSee the RustSec database.\n",
        advisory.id, advisory.package, advisory.patched, advisory.unaffected, advisory.id
    )
}

/// An empty package of that folder's name.
fn package(folder: &Path, rest: &str) -> Result<()> {
    let name = folder
        .file_name()
        .context("a folder has a name")?
        .to_string_lossy();
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("src/lib.rs"), "")?;
    let manifest =
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}\n");
    Ok(std::fs::write(folder.join("Cargo.toml"), manifest)?)
}

/// Makes a repository of a folder, with all that is in it.
fn repository(folder: &Path) -> Result<()> {
    let who = [
        "-c",
        "user.name=taktos",
        "-c",
        "user.email=taktos@localhost",
        "-c",
        "commit.gpgsign=false",
    ];
    for words in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["add", "--all"],
        &["commit", "--quiet", "--allow-empty", "--message=facts"],
    ] {
        let done = Command::new("git")
            .current_dir(folder)
            .args(who)
            .args(words)
            .output();
        let done = done.context("git does not start")?;
        let said = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.success(), "git {}: {said}", words.join(" "));
    }
    Ok(())
}
