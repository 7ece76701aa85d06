//! `taktos new`: a program of one's own, in a repository that builds, runs and tests at once.
//!
//! Owns: the list of files of such a repository, and the values for their blanks.
//! Must never know: the work of the program; that is the template's.

mod chip;
mod device;
mod name;

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use taktos_experiments::screen;
use taktos_runner::failure::Failure;
use taktos_runner::several::Board;
use taktos_runner::workspace::Workspace;
use toml::Value;

use crate::arguments::NewOptions;
use crate::command::install;
pub use device::all;

/// The program itself.
pub const PROGRAM: &str = include_str!("template/main.rs");

/// The files of a repository: the place of each, and its text with blanks. Those of every program,
/// and those of each kind.
const FILES: [(&str, &str); 3] = [
    (
        "rust-toolchain.toml",
        include_str!("template/toolchain.toml"),
    ),
    (".gitignore", include_str!("template/gitignore")),
    (
        "taktos.py",
        include_str!("../../../../../facade/gdb/taktos.py"),
    ),
];
const BOARD_FILES: [(&str, &str); 2] = [
    (".cargo/config.toml", include_str!("template/config.toml")),
    (".github/workflows/ci.yml", include_str!("template/ci.yml")),
];
const PLAIN_FILES: [(&str, &str); 4] = [
    ("Cargo.toml", include_str!("template/manifest.toml")),
    ("build.rs", include_str!("template/build.rs")),
    ("src/main.rs", PROGRAM),
    ("README.md", include_str!("template/README.md")),
];
/// The budgets of a program on one processor, and the script that counts.
const BUDGET_FILES: [(&str, &str); 2] = [
    ("budgets.toml", include_str!("template/budgets.toml")),
    ("budgets.sh", include_str!("template/budgets.sh")),
];
const GUEST_FILES: [(&str, &str); 5] = [
    PLAIN_FILES[0],
    PLAIN_FILES[1],
    PLAIN_FILES[2],
    ("README.md", include_str!("template/guest/README.md")),
    ("guest.toml", include_str!("template/guest/machine.toml")),
];
const LOADER_FILES: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("template/loaded/manifest.toml")),
    ("build.rs", include_str!("template/loaded/build.rs")),
    ("src/main.rs", include_str!("template/loaded/main.rs")),
    ("README.md", include_str!("template/loaded/README.md")),
    (
        "filter/Cargo.toml",
        include_str!("template/loaded/filter.toml"),
    ),
    (
        "filter/build.rs",
        include_str!("template/loaded/filter_build.rs"),
    ),
    (
        "filter/src/main.rs",
        include_str!("template/loaded/filter.rs"),
    ),
];

/// Package and folder of the program that is loaded.
const LOADED: &str = "filter";

/// The files of a C project.
const C_FILES: [(&str, &str); 6] = [
    ("CMakeLists.txt", include_str!("template/c/CMakeLists.txt")),
    ("main.c", include_str!("template/c/main.c")),
    ("sensor.c", include_str!("template/c/sensor.c")),
    ("sensor.h", include_str!("template/c/sensor.h")),
    ("README.md", include_str!("template/c/README.md")),
    (".gitignore", include_str!("template/c/gitignore")),
];

/// The versions that the tree was tested with: cargo keeps of them what the program needs, and need
/// not look for others.
const LOCK: &str = "Cargo.lock";

/// A blank of the templates, and the text that fills it.
type Blank = (&'static str, String);

/// Writes the repository.
///
/// # Errors
/// When the name is none of a crate, its folder is there, or the board or the chip is unknown.
pub(super) fn run(workspace: &Workspace, options: &NewOptions) -> Result<()> {
    if let Some(word) = &options.chip {
        return chip::run(workspace, options, word);
    }
    name::check(&options.name, if options.loaded { LOADED } else { "" })?;
    let board = match options.guest {
        true => device::guest(),
        false => device::by_name(&options.board)?,
    };
    if options.c {
        return c_project(options, board);
    }
    let target = device::target(board, options.hard_float)?;
    // On several processors, a stretch may end on another one than it began on, and is not counted
    // there.
    let budgets: &[_] = match options.loaded || options.guest || board.processors > 1 {
        true => &[],
        false => &BUDGET_FILES,
    };
    let mut blanks = blanks(workspace, options, board, target)?;
    blanks.extend(
        match budgets {
            [] => [("and budgets", ""), ("budget step", "")],
            _ => [
                ("and budgets", ", and what its budgets allow"),
                ("budget step", "      - run: sh budgets.sh\n"),
            ],
        }
        .map(|(blank, text)| (blank, text.to_owned())),
    );
    let lock = (LOCK, read(workspace, LOCK)?);
    let (own, kind, test): (&[_], _, _) = match (options.loaded, options.guest) {
        (false, false) => (
            &PLAIN_FILES,
            "a program",
            "cargo test      on this machine, in virtual time",
        ),
        (false, true) => (
            &GUEST_FILES,
            "a guest of the hypervisor, built",
            "cargo test      on this machine, in virtual time\n  README.md       says how it runs as a guest",
        ),
        (true, _) => (
            &LOADER_FILES,
            "a program, and one that it loads into a partition,",
            "cargo test --workspace    what needs no kernel, on this machine",
        ),
    };
    let files = FILES.iter().chain(&BOARD_FILES).chain(own).chain(budgets);
    let files = files.map(|(place, text)| (*place, filled(text, &blanks)));
    write(Path::new(&options.name), files.chain([lock]))?;
    Ok(screen::print(&format!(
        "{name}: {kind} for {board} ({processor})\n\n  cd {name}\n  cargo run       on the board, in the emulator\n  {test}\n",
        name = options.name,
        board = board.name,
        processor = device::shown(board),
    ))?)
}

/// Writes a C project into a new folder.
fn c_project(options: &NewOptions, board: Board) -> Result<()> {
    let kit = install::kit(board.name)?;
    let compiler = kit.tool_chain();
    let blanks = [
        ("name", options.name.clone()),
        ("board", board.name.to_owned()),
        ("processor", device::shown(board)),
        ("emulator", board.machine.program().to_owned()),
        ("packages", packages(board).to_owned()),
        ("packages of the compiler", compiler.packages.to_owned()),
        ("tool chain", compiler.name.to_owned()),
    ];
    let files = C_FILES.map(|(place, text)| (place, filled(text, &blanks)));
    write(Path::new(&options.name), files.into_iter())?;
    Ok(screen::print(&format!(
        "{name}: a C program for {board} ({processor}); its README.md says how it is built\n\n  taktos install SDK      \
         once, where its build finds the library\n",
        name = options.name,
        board = board.name,
        processor = device::shown(board),
    ))?)
}

/// Makes the folder with its files; when one cannot be written, there is none.
fn write(folder: &Path, files: impl Iterator<Item = (&'static str, String)>) -> Result<()> {
    fs::create_dir(folder).map_err(|cause| {
        let why = match cause.kind() {
            ErrorKind::AlreadyExists => "it is there already".to_owned(),
            _ => cause.to_string(),
        };
        Failure::error(
            format!("the folder {} cannot be made: {why}", folder.display()),
            "name another program, or change to another folder",
        )
    })?;
    let written = files.map(|(place, text)| {
        let file = folder.join(place);
        let above = file.parent().unwrap_or(folder);
        fs::create_dir_all(above)
            .and_then(|()| fs::write(&file, text))
            .with_context(|| format!("cannot write {}", file.display()))
    });
    written.collect::<Result<()>>().inspect_err(|_| {
        // Half a repository would be in the way of the next try.
        let _ = fs::remove_dir_all(folder);
    })
}

/// A file of the tree.
fn read(workspace: &Workspace, file: &str) -> Result<String> {
    let path = workspace.path(file);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the values for the blanks of the templates of boards.
fn blanks(
    workspace: &Workspace,
    options: &NewOptions,
    board: Board,
    target: &str,
) -> Result<Vec<Blank>> {
    let mut blanks = sources(workspace, options)?;
    blanks.extend([
        ("board", board.name.to_owned()),
        ("processor", device::shown(board)),
        ("emulator", board.machine.program().to_owned()),
        ("packages", packages(board).to_owned()),
        ("target", target.to_owned()),
        ("runner", board.runner()),
    ]);
    Ok(blanks)
}

/// Returns the values that do not differ between boards: names, the compiler, and where cargo finds
/// Taktos.
fn sources(workspace: &Workspace, options: &NewOptions) -> Result<Vec<Blank>> {
    let toolchain: toml::Table = read(workspace, "rust-toolchain.toml")?.parse()?;
    let channel = toolchain["toolchain"]["channel"].as_str();
    Ok(vec![
        ("name", options.name.clone()),
        ("crate", options.name.replace('-', "_")),
        (
            "channel",
            channel.context("the tree names its compiler")?.to_owned(),
        ),
        ("source of taktos", source(workspace, options, "facade")?),
        (
            "source of taktos-build",
            source(workspace, options, "facade/build")?,
        ),
        (
            "source of taktos-user",
            source(workspace, options, "user/calls")?,
        ),
    ])
}

/// The package of Debian, and of what comes from it, that has the board's emulator.
fn packages(board: Board) -> &'static str {
    match board.machine.program() {
        "qemu-system-riscv64" => "qemu-system-misc",
        _ => "qemu-system-arm",
    }
}

/// Where cargo finds a crate of the tree.
fn source(workspace: &Workspace, options: &NewOptions, folder: &str) -> Result<String> {
    let quoted = |text: &str| Value::from(text).to_string();
    let Some(url) = &options.git else {
        let path = workspace.path(folder);
        let path = path
            .to_str()
            .context("the path of the tree is not in UTF-8")?;
        return Ok(format!("path = {}", quoted(path)));
    };
    let rev = options.rev.as_deref();
    let rev = rev.map_or(String::new(), |rev| format!(", rev = {}", quoted(rev)));
    Ok(format!("git = {}{rev}", quoted(url)))
}

/// A template with its blanks filled.
fn filled(template: &str, blanks: &[(&str, String)]) -> String {
    blanks
        .iter()
        .fold(template.to_owned(), |text, (blank, filling)| {
            text.replace(&format!("<<{blank}>>"), filling)
        })
}
