//! `taktos doctor`: the tools that this machine has and lacks, and how to install missing ones.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use taktos_emulator::{Board, Emulator, Error, remark};
use taktos_experiments::screen;
use taktos_export::table::{Cell, Table};
use taktos_runner::emulator;
use taktos_runner::failure::CheckFailed;
use taktos_runner::workspace::Workspace;

/// One thing that is needed.
struct Need {
    what: String,
    /// Finding, or the obstacle.
    found: Result<String, Lack>,
    hint: String,
}

/// Obstacle to a need.
struct Lack {
    /// In a word or two.
    state: &'static str,
    why: String,
}

impl Lack {
    fn missing(why: impl Into<String>) -> Self {
        Self {
            state: "missing",
            why: why.into(),
        }
    }
}

/// Programs besides the emulators, and how to install each.
const PROGRAMS: [(&str, &str); 4] = [
    ("cc", "apt-get install gcc libc6-dev"),
    (
        "cargo",
        "rustc --version, where rustup is (it installs what rust-toolchain.toml names)",
    ),
    ("cargo-fmt", "rustup component add rustfmt"),
    ("cargo-clippy", "rustup component add clippy"),
];

/// Checks every required tool, and shows how to install missing ones.
pub(super) fn run(workspace: &Workspace) -> Result<()> {
    let needs = needs(workspace);
    let table = Table::over("What this machine has", &needs)
        .label("needed", |need| need.what.as_str())
        .label("state", |need| Cell::Verdict {
            met: need.found.is_ok(),
            words: need
                .found
                .as_ref()
                .err()
                .map_or("present", |lack| lack.state)
                .into(),
        })
        .label("found", |need| match &need.found {
            Ok(found) => found.as_str(),
            Err(lack) => &lack.why,
        })
        .label("fix", |need| match need.found {
            Ok(_) => "",
            Err(_) => &need.hint,
        })
        .done();
    screen::print(&table.to_text())?;
    match needs.iter().filter(|need| need.found.is_err()).count() {
        0 => {
            screen::print("\nNothing is missing.\n")?;
            Ok(())
        }
        1 => Err(CheckFailed(
            "one thing is missing; the column `fix` says how to install it".into(),
        )
        .into()),
        missing => {
            let words =
                format!("{missing} things are missing; the column `fix` says how to install each");
            Err(CheckFailed(words).into())
        }
    }
}

fn needs(workspace: &Workspace) -> Vec<Need> {
    let mut needs: Vec<Need> = emulators().collect();
    let root = workspace.root();
    needs.extend(PROGRAMS.map(|(name, hint)| program(name, hint, root)));
    let mut triples: Vec<&str> = Board::all().map(Board::triple).collect();
    triples.sort_unstable();
    triples.dedup();
    needs.extend(triples.into_iter().map(|triple| target(triple, root)));
    needs
}

/// Every program of the emulator, with the clock that it loads.
fn emulators() -> impl Iterator<Item = Need> {
    let mut boards = Board::ALL.to_vec();
    boards.sort_by_key(|board| board.program());
    boards.dedup_by_key(|board| board.program());
    boards.into_iter().map(|board| {
        let found = Emulator::find(board).map(|emulator| emulator.version().to_owned());
        emulator(board.program(), found)
    })
}

fn emulator(program: &str, found: Result<String, Error>) -> Need {
    let hint = match &found {
        Err(Error::EmulatorMissing { .. } | Error::EmulatorVersion { .. }) => {
            "./taktos run (its first step installs what apt has), or install QEMU 10.0 or newer by hand"
        }
        Err(error) => emulator::hint(error).unwrap_or("./taktos run says more"),
        Ok(_) => "",
    };
    Need {
        what: format!("{program} 10.0 or newer, with the clock"),
        hint: hint.to_owned(),
        found: match found {
            Ok(version) => {
                Ok(remark(&version).unwrap_or_else(|| format!("QEMU {version}, the clock builds")))
            }
            Err(error @ Error::EmulatorMissing { .. }) => Err(Lack::missing(error.to_string())),
            Err(error @ Error::EmulatorVersion { .. }) => Err(Lack {
                state: "too old",
                why: error.to_string(),
            }),
            Err(error) => Err(Lack {
                state: "broken",
                why: error.to_string(),
            }),
        },
    }
}

/// A program that says its version.
fn program(name: &str, hint: &str, root: &Path) -> Need {
    let output = Command::new(name)
        .arg("--version")
        .current_dir(root)
        .output();
    let found = match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            Ok(text.lines().next().unwrap_or_default().to_owned())
        }
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            Err(Lack::missing(text.lines().next().unwrap_or("it fails")))
        }
        Err(_) => Err(Lack::missing("not found")),
    };
    Need {
        what: name.into(),
        found,
        hint: hint.into(),
    }
}

/// The core library of a bare-metal target.
fn target(triple: &str, root: &Path) -> Need {
    let mut rustc = Command::new("rustc");
    rustc
        .args(["--print", "target-libdir", "--target", triple])
        .current_dir(root);
    let libraries = rustc.output().ok().filter(|output| output.status.success());
    let libraries =
        libraries.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let found = match libraries {
        Some(folder) if Path::new(&folder).is_dir() => Ok("core library".to_owned()),
        _ => Err(Lack::missing("no core library")),
    };
    Need {
        what: format!("target {triple}"),
        found,
        hint: format!("rustup target add {triple}"),
    }
}
