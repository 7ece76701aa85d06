//! The tool as a person runs it, in a folder of the test's own.

#[path = "../../../../export/tests/common/visible.rs"]
mod visible;

pub mod browser;
pub mod machine;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the project.
pub fn root() -> PathBuf {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut trees = above.filter(|folder| folder.join("taktos").is_file());
    trees.next().unwrap().to_owned()
}

/// A folder that is gone when the test ends.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("taktos-e2e-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, contents).unwrap();
        path
    }

    /// A program that prints one line.
    pub fn program(&self, name: &str, prints: &str) {
        let path = self.file(name, &format!("#!/bin/sh\necho '{prints}'\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Programs below `place` that say they are the emulators of that version, and are none.
    pub fn emulators(&self, place: &str, version: &str) {
        for target in ["arm", "aarch64", "riscv64"] {
            let words = format!("QEMU emulator version {version} (Debian 1:{version}+ds-1)");
            self.program(&format!("{place}/qemu-system-{target}"), &words);
        }
    }

    /// The names of everything in it, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// No chart is empty: every picture in the folder shows something.
fn look_at_pictures(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            look_at_pictures(&path);
        } else if path
            .extension()
            .is_some_and(|ending| ending == "svg" || ending == "html")
        {
            let text = fs::read_to_string(&path).unwrap();
            visible::all_show_something(&path.display().to_string(), &text);
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            look_at_pictures(&self.0);
        }
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The tool with the words of a line, in the project's root.
pub fn taktos(line: &str) -> Command {
    let Some(tool) = option_env!("CARGO_BIN_EXE_taktos") else {
        panic!("only the tests of the tool's own crate have the tool");
    };
    let mut command = Command::new(tool);
    command.args(line.split_whitespace()).current_dir(root());
    command
}

/// Returns the standard output of a command.
pub fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the standard error of a command.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs it; it must succeed.
pub fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        printed(&output),
        said(&output)
    );
    printed(&output)
}

/// Runs the line; it must be refused with one line that names the cause, and one with the hint.
pub fn refuse(line: &str, cause: &str, hint: &str) {
    fail(&mut taktos(line), 2, cause, hint);
}

/// Runs it; it must fail with this status, one line that names the cause, and one with the hint,
/// and print nothing else.
pub fn fail(command: &mut Command, status: i32, cause: &str, hint: &str) {
    let output = command.output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(status), "{command:?}\n{said}");
    assert_eq!(printed(&output), "", "{command:?}");
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| !line.starts_with("  "))
        .collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(
        lines[0].starts_with("error: ") && lines[0].contains(cause),
        "{said}"
    );
    assert!(
        lines[1].starts_with("hint: ") && lines[1].contains(hint),
        "{said}"
    );
}
