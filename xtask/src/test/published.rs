//! The steps on the crates that are to be published: each is packaged, a program is built and run
//! from the packages alone, and their pages are made as a site for documentation makes them. None
//! needs a network.
//!
//! Owns: which crates those are, by their manifests, and what each manifest must say.
//! Must never know: what is in a crate; how a program is written, built and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use taktos_emulator::Board;
use taktos_runner::image::{cargo, output_of};
use taktos_runner::workspace::Workspace;

use super::cargo::{counted, tool_built};
use super::own::{PROFILES, Place, SAYS};
use super::storms::Length;
use super::{Tally, boards};
use crate::metadata;
use taktos_cli::command::new;

/// How their names begin.
const FAMILY: &str = "taktos";
/// Entries that a crate's manifest must have, for people that find the crate.
const SAID: [&str; 4] = ["description", "license", "readme", "rust_version"];
/// As many keywords as the registry takes.
const KEYWORDS: std::ops::RangeInclusive<usize> = 1..=5;
/// Libraries with pages that are made though they are not published: the book names them.
const DOCUMENTED: [&str; 3] = ["taktos-trace", "taktos-hypervisor", "taktos-simulate"];

/// A crate that is to be published.
struct Crate {
    name: String,
    version: String,
    /// Cargo's metadata of it.
    metadata: Value,
}

/// Packages all, and runs a program that takes the kernel from the packages: on the first board,
/// or, where there is time, on each.
pub(super) fn packages(workspace: &Workspace, length: Length) -> Result<Tally> {
    let all = crates(workspace)?;
    let mut tally: Tally = all.iter().map(told).collect();
    let place = Place::new(workspace, "published")?;
    let patches = unpacked(workspace, &all, &place.folder)?;
    tally.add(tool_built(workspace)?);
    let boards = new::all();
    let boards = boards.filter(|board| match length {
        Length::Long => true,
        _ => board.machine == Board::ALL[0],
    });
    for board in boards {
        tally.add(program(&place, board.name, &patches)?);
    }
    fs::remove_dir_all(&place.folder)?;
    Ok(tally)
}

/// Makes the pages of all, a warning being an error.
pub(super) fn documentation(workspace: &Workspace, length: Length) -> Result<Tally> {
    let mut all = crates(workspace)?;
    all.retain(|one| boards::is_documented(&one.name, length));
    let (of_host, of_boards): (Vec<_>, Vec<_>) = all.iter().partition(|one| target(one).is_none());
    let mut host = documented(workspace, "lab");
    host.args(DOCUMENTED.iter().flat_map(|name| ["-p", name]));
    for one in of_host {
        host.args(["-p", &one.name]).args(features(one));
    }
    let mut tally = counted(&mut host)?;
    // One call for each, as a site makes them: no feature of one leaks into another. In the
    // profiles of the lints, which have looked at what these are compiled with.
    for one in of_boards {
        let mut call = documented(workspace, "release");
        call.args(["-p", &one.name]).args(features(one));
        call.args(["--target", target(one).unwrap_or_default()]);
        tally.add(counted(&mut call)?);
    }
    Ok(tally)
}

/// Returns the crates with manifests that do not forbid publishing.
fn crates(workspace: &Workspace) -> Result<Vec<Crate>> {
    let packages = metadata::packages(workspace)?;
    let of = |package: &Value| {
        let word = |key: &str| Some(package[key].as_str()?.to_owned());
        Some(Crate {
            name: word("name")?,
            version: word("version")?,
            metadata: package.clone(),
        })
    };
    let published = packages
        .iter()
        .filter(|package| package["publish"].is_null());
    published
        .map(|package| of(package).context("a package without a name"))
        .collect()
}

/// Checks that the manifest has the entries for people that find the crate.
fn told(one: &Crate) -> Result<(), String> {
    let is_missing = |key: &&str| one.metadata[*key].as_str().is_none_or(str::is_empty);
    let missing: Vec<&str> = SAID.into_iter().filter(|key| is_missing(key)).collect();
    let words = |key: &str| one.metadata[key].as_array().map_or(0, Vec::len);
    let problem = match missing.as_slice() {
        _ if !one.name.starts_with(FAMILY) => format!("is not called {FAMILY}-..."),
        [] if !KEYWORDS.contains(&words("keywords")) => "has no keywords, or too many".into(),
        [] if words("categories") == 0 => "has no categories".into(),
        [] => return Ok(()),
        missing => format!("lacks {}", missing.join(", ")),
    };
    Err(format!(
        "{} {problem}: Cargo.toml of what is published, or `publish.workspace = true`\n",
        one.name
    ))
}

/// Packages all, and unpacks them in a folder. Returns the lines by which a manifest of a program
/// takes them from there.
fn unpacked(workspace: &Workspace, all: &[Crate], folder: &Path) -> Result<String> {
    let target = workspace.target().join("published");
    let output = output_of(
        cargo(workspace)
            .args(["package", "--quiet", "--offline", "--no-verify"])
            // The tree is tested as it is.
            .args(["--allow-dirty", "--target-dir"])
            .arg(&target)
            .args(all.iter().flat_map(|one| ["-p", &one.name])),
    )?;
    ensure!(
        output.status.success(),
        "cargo package: {}",
        said(&output.stderr)
    );
    let mut patches = String::from("\n[patch.crates-io]\n");
    for one in all {
        let lies = unpack(&target, one, folder)?;
        patches += &format!("{} = {{ path = {lies:?} }}\n", one.name);
    }
    Ok(patches)
}

/// Unpacks one, and returns its folder. Its files are of today: those of a package have one time
/// always, by which cargo would take what it built from another content.
fn unpack(target: &Path, one: &Crate, folder: &Path) -> Result<PathBuf> {
    let name = format!("{}-{}", one.name, one.version);
    let package = target.join("package").join(format!("{name}.crate"));
    let output = Command::new("tar")
        .arg("-xzmf")
        .arg(&package)
        .arg("-C")
        .arg(folder)
        .output()
        .context("tar does not start")?;
    ensure!(
        output.status.success(),
        "{}: {}",
        package.display(),
        said(&output.stderr)
    );
    Ok(folder.join(name))
}

/// Writes a program for a board as `taktos new` does, has it name the crates by their versions, and
/// runs it.
fn program(place: &Place<'_>, board: &str, patches: &str) -> Result<Tally> {
    let name = format!("for-{board}");
    place.write(&name, &["--board", board])?;
    let manifest = place.folder.join(&name).join("Cargo.toml");
    let mut written: toml::Table = fs::read_to_string(&manifest)?.parse()?;
    for (table, key) in [
        ("dependencies", "taktos"),
        ("build-dependencies", "taktos-build"),
    ] {
        let named = written.get_mut(table).and_then(|all| all.get_mut(key));
        let named = named.and_then(toml::Value::as_table_mut);
        let named = named.with_context(|| format!("a program that does not name {key}"))?;
        ensure!(
            named.remove("path").is_some(),
            "{key} was not named by its path"
        );
        named.insert("version".into(), env!("CARGO_PKG_VERSION").into());
    }
    place.put(&name, "Cargo.toml", &format!("{written}{patches}"))?;
    place.run(&name, PROFILES[0], SAYS)
}

/// Returns the command that makes pages, a warning being an error.
fn documented(workspace: &Workspace, profile: &str) -> Command {
    let mut call = cargo(workspace);
    call.args(["doc", "--quiet", "--no-deps", "--lib", "--profile", profile])
        .args(["--config", "build.rustdocflags=[\"-Dwarnings\"]"]);
    call
}

/// The target for which a site makes the crate's pages, where the manifest names one.
fn target(one: &Crate) -> Option<&str> {
    site(one)["targets"].get(0)?.as_str()
}

/// The features with which a site makes them.
fn features(one: &Crate) -> Vec<String> {
    let usual = site(one)["no-default-features"]
        .as_bool()
        .is_some_and(|leaves_out| leaves_out);
    let named = site(one)["features"].as_array().into_iter().flatten();
    let named = named.filter_map(Value::as_str);
    let named = named.flat_map(|name| ["--features".into(), format!("{}/{name}", one.name)]);
    let usual = usual.then(|| "--no-default-features".to_owned());
    usual.into_iter().chain(named).collect()
}

/// Returns the manifest's entries for a site.
fn site(one: &Crate) -> &Value {
    &one.metadata["metadata"]["docs"]["rs"]
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn one(name: &str, metadata: Value) -> Crate {
        Crate {
            name: name.into(),
            version: "0.1.0".into(),
            metadata,
        }
    }

    #[test]
    fn a_manifest_that_says_too_little_is_named() {
        let whole = json!({
            "description": "a", "license": "b", "readme": "c", "rust_version": "1",
            "keywords": ["d"], "categories": ["e"],
        });
        assert_eq!(told(&one("taktos-x", whole.clone())), Ok(()));
        for (key, value, why) in [
            ("description", json!(null), "lacks description"),
            ("license", json!(""), "lacks license"),
            ("keywords", json!([]), "has no keywords"),
            (
                "keywords",
                json!(["a", "b", "c", "d", "e", "f"]),
                "too many",
            ),
            ("categories", json!([]), "has no categories"),
        ] {
            let mut lacking = whole.clone();
            lacking[key] = value;
            assert!(told(&one("taktos-x", lacking)).unwrap_err().contains(why));
        }
        assert!(
            told(&one("kernel", whole))
                .unwrap_err()
                .contains("not called")
        );
    }

    #[test]
    fn a_board_is_documented_for_its_target() {
        let board = json!({ "metadata": { "docs": { "rs": {
            "targets": ["thumbv7em-none-eabi"], "no-default-features": true, "features": ["smp"],
        } } } });
        let board = one("taktos-x", board);
        assert_eq!(target(&board), Some("thumbv7em-none-eabi"));
        assert_eq!(
            features(&board),
            ["--no-default-features", "--features", "taktos-x/smp"]
        );
        assert_eq!(target(&one("taktos-y", json!({}))), None);
    }
}
