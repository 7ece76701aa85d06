//! `taktos doctor`: what this machine has and lacks, and what mends it.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use taktos_emulator::{Board, Emulator, Error, remark};
use taktos_experiments::screen;
use taktos_export::table::{Cell, Column, Table};
use taktos_runner::emulator;
use taktos_runner::failure::CheckFailed;
use taktos_runner::workspace::Workspace;

/// One thing that is needed.
struct Need {
    what: String,
    /// What was found, or what stands in the way.
    found: Result<String, Lack>,
    mend: String,
}

/// What stands in the way.
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

/// Looks for everything that is needed and says what mends the rest.
pub(super) fn run(workspace: &Workspace) -> Result<()> {
    let needs = needs(workspace);
    let mut table = Table::new(
        "What this machine has",
        vec![
            Column::label("needed"),
            Column::label("state"),
            Column::label("found"),
            Column::label("mended by"),
        ],
    );
    for need in &needs {
        let (met, state, found) = match &need.found {
            Ok(found) => (true, "present", found),
            Err(lack) => (false, lack.state, &lack.why),
        };
        let mend = if met {
            String::new()
        } else {
            need.mend.clone()
        };
        let state = Cell::Verdict {
            met,
            words: state.into(),
        };
        table.push(vec![
            need.what.as_str().into(),
            state,
            found.as_str().into(),
            mend.into(),
        ]);
    }
    screen::print(&table.to_text())?;
    match needs.iter().filter(|need| need.found.is_err()).count() {
        0 => {
            screen::print("\nNothing is missing.\n")?;
            Ok(())
        }
        1 => Err(CheckFailed("one thing is missing; what is beside it mends it".into()).into()),
        missing => {
            let words = format!("{missing} things are missing; what is beside each mends it");
            Err(CheckFailed(words).into())
        }
    }
}

fn needs(workspace: &Workspace) -> Vec<Need> {
    let mut needs: Vec<Need> = emulators().collect();
    needs.extend([
        program(
            "cc",
            &["--version"],
            "apt-get install gcc libc6-dev",
            workspace.root(),
        ),
        program(
            "cargo",
            &["--version"],
            "rustc --version, where rustup is (it installs what rust-toolchain.toml names)",
            workspace.root(),
        ),
        program(
            "cargo-fmt",
            &["--version"],
            "rustup component add rustfmt",
            workspace.root(),
        ),
        program(
            "cargo-clippy",
            &["--version"],
            "rustup component add clippy",
            workspace.root(),
        ),
    ]);
    let mut triples: Vec<&str> = Board::ALL.into_iter().map(Board::triple).collect();
    triples.sort_unstable();
    triples.dedup();
    needs.extend(
        triples
            .into_iter()
            .map(|triple| target(triple, workspace.root())),
    );
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
    let mend = match &found {
        Err(Error::EmulatorMissing { .. } | Error::EmulatorVersion { .. }) => {
            "./taktos run (its first step installs what apt has), or install QEMU 10.0 or newer by hand"
        }
        Err(error) => emulator::mend(error).unwrap_or("./taktos run says more"),
        Ok(_) => "",
    };
    Need {
        what: format!("{program} 10.0 or newer, with the clock"),
        mend: mend.to_owned(),
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
fn program(name: &str, arguments: &[&str], mend: &str, root: &Path) -> Need {
    let output = Command::new(name)
        .args(arguments)
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
        mend: mend.into(),
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
        mend: format!("rustup target add {triple}"),
    }
}
