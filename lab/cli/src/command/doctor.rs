//! `taktos doctor`: what this machine has and lacks, and what mends it.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use taktos_emulator::{Board, Emulator, Error};
use taktos_export::table::{Cell, Column, Table};

use crate::failure::CheckFailed;
use crate::screen;
use crate::workspace::Workspace;

/// One thing that is needed.
struct Need {
    what: String,
    /// What was found, or what stands in the way.
    found: Result<String, String>,
    mend: String,
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
            Err(found) => (false, "missing", found),
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
        1 => Err(CheckFailed("one thing is missing; the command beside it mends it".into()).into()),
        missing => {
            let words = format!("{missing} things are missing; the command beside each mends it");
            Err(CheckFailed(words).into())
        }
    }
}

fn needs(workspace: &Workspace) -> Vec<Need> {
    let mut needs = vec![
        emulator(),
        program(
            "cc",
            &["--version"],
            "apt-get install gcc libc6-dev",
            workspace.root(),
        ),
        program(
            "cargo",
            &["--version"],
            "rustup toolchain install",
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
    ];
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

fn emulator() -> Need {
    let found =
        Emulator::find().map(|emulator| format!("QEMU {}, the clock builds", emulator.version()));
    let mend = match &found {
        Err(Error::EmulatorMissing | Error::EmulatorVersion { .. }) => {
            "./taktos run (its first step installs version 10.0)"
        }
        Err(Error::CompilerMissing) => "apt-get install gcc libc6-dev",
        _ => "mend lab/clock, then ./taktos doctor",
    };
    let mend = mend.to_owned();
    let found = found.map_err(|error| error.to_string());
    Need {
        what: "qemu-system-arm 10.0, with the clock".into(),
        found,
        mend,
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
            Err(text.lines().next().unwrap_or("it fails").to_owned())
        }
        Err(_) => Err("not found".to_owned()),
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
        _ => Err("no core library".to_owned()),
    };
    Need {
        what: format!("target {triple}"),
        found,
        mend: format!("rustup target add {triple}"),
    }
}
