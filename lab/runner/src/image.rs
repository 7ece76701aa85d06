//! Images: built by cargo on request, and distinguished by their contents.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use object::{Object, ObjectSegment};
use taktos_emulator::{Board, El2};
use taktos_export::replace_file;

use crate::failure::Failure;
use crate::kept::Fnv;
use crate::kind;
use crate::progress::Progress;
use crate::workspace::Workspace;

/// An image that was built.
#[derive(Clone, Debug)]
pub struct Image {
    /// The file.
    pub path: PathBuf,
    /// A digest of what is loaded: addresses and contents, without the names
    /// of files that the symbols and line tables hold.
    pub digest: String,
}

/// The profile of the workspace in which a board's programs ship. The hypervisor's have one of
/// their own: their text counts most.
fn shipped(board: &str) -> &'static str {
    match board == El2::BOARD.0 {
        true => "hypervisor",
        false => "release",
    }
}

/// The image that a person names by its file; `None`: the words name a program. Names of programs
/// hold no dot and no slash.
///
/// # Errors
/// When there is no such file, or it is no image.
pub fn given(words: &str) -> Result<Option<Image>> {
    let path = Path::new(words);
    match is_elf(path) {
        true => image(words.into()).map(Some),
        false if words.contains(['/', '.']) => Err(kind::no_image(path)),
        false => Ok(None),
    }
}

/// Returns whether the file begins as ELF files do.
pub fn is_elf(path: &Path) -> bool {
    let mut begin = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin == *b"\x7fELF"
}

/// Builds a board's program as it ships.
///
/// # Errors
/// When cargo is missing or refuses.
pub fn build(workspace: &Workspace, board: Board, program: &str) -> Result<Image> {
    build_for(workspace, (board.name(), board.triple()), program)
}

/// Builds a program as it ships, for a board by its name and the target triple of its images.
///
/// # Errors
/// As [`build`].
pub fn build_for(workspace: &Workspace, board: (&str, &str), program: &str) -> Result<Image> {
    Ok(build_several(workspace, board, &[program])?.remove(0))
}

/// Builds a program without the features that a board has by default.
///
/// # Errors
/// As [`build`].
pub fn build_lean(workspace: &Workspace, board: (&str, &str), program: &str) -> Result<Image> {
    one(workspace, board, program, shipped(board.0), Features::None)
}

/// Several programs of a board at once, which takes less than one after the other.
///
/// # Errors
/// As [`build`].
pub fn build_several(
    workspace: &Workspace,
    board: (&str, &str),
    programs: &[&str],
) -> Result<Vec<Image>> {
    let profile = shipped(board.0);
    let (others, usual): (Vec<&str>, Vec<&str>) =
        programs.iter().partition(|program| has_budgets(program));
    let usual = built(workspace, board, &usual, profile, Features::Usual)?;
    let others = built(workspace, board, &others, profile, Features::Budgets)?;
    let (mut usual, mut others) = (usual.into_iter(), others.into_iter());
    let next = |program: &&str| match has_budgets(program) {
        true => others.next(),
        false => usual.next(),
    };
    programs.iter().filter_map(next).map(image).collect()
}

/// Builds a program in another profile than that in which programs ship, with the features of the
/// smallest image.
///
/// # Errors
/// As [`build`].
pub fn build_brief(
    workspace: &Workspace,
    board: (&str, &str),
    program: &str,
    profile: &str,
) -> Result<Image> {
    one(workspace, board, program, profile, Features::Brief)
}

/// Builds a program that reads the processor's counter at its marks.
///
/// # Errors
/// As [`build`].
pub fn build_counted(workspace: &Workspace, board: Board, program: &str) -> Result<Image> {
    let (profile, named) = (shipped(board.name()), (board.name(), board.triple()));
    one(workspace, named, program, profile, Features::Counted)
}

fn one(
    workspace: &Workspace,
    board: (&str, &str),
    program: &str,
    profile: &str,
    features: Features,
) -> Result<Image> {
    image(built(workspace, board, &[program], profile, features)?.remove(0))
}

fn image(path: PathBuf) -> Result<Image> {
    let digest = digest(&path)?;
    Ok(Image { path, digest })
}

/// Returns whether it is a program of partitions with budgets, a feature of the board: no other
/// image is to hold the code for them.
pub fn has_budgets(program: &str) -> bool {
    matches!(program, "budgets" | "budgets_bench")
}

/// Which features of a board are built in.
#[derive(Clone, Copy)]
enum Features {
    /// Those that it has by default.
    Usual,
    /// None but the handler of panics.
    None,
    /// Those, and short reports of faults.
    Brief,
    /// Those, and budgets of partitions.
    Budgets,
    /// Those, and the processor's counter read at the marks.
    Counted,
}

impl Features {
    /// Returns the arguments for cargo.
    const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Usual => &[],
            Self::None => &["--no-default-features"],
            Self::Brief => &["--features", "brief-reports"],
            Self::Budgets => &["--features", "budgets"],
            Self::Counted => &["--features", "counted"],
        }
    }

    /// The folder of such images.
    const fn folder(self) -> &'static str {
        match self {
            Self::Usual => "images",
            Self::None => "images/lean",
            Self::Brief => "images/brief",
            Self::Budgets => "images/budgets",
            Self::Counted => "images/counted",
        }
    }
}

/// The images that this process has built. The set is locked only while it is read or extended, so
/// a run of one image does not wait for builds of others.
static BUILT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// One build and copy at a time, of this process and by [`alone`] of all.
static BUILDING: Mutex<()> = Mutex::new(());

/// Builds what was not built yet, and gives the board's own copy of each program.
fn built(
    workspace: &Workspace,
    (board, triple): (&str, &str),
    programs: &[&str],
    profile: &str,
    features: Features,
) -> Result<Vec<PathBuf>> {
    let target = workspace.target();
    let folder = target.join(features.folder()).join(triple).join(board);
    let own = |program: &&str| folder.join(profile).join(program);
    let built = || BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let missing = || {
        let (built, mut programs) = (built(), programs.to_vec());
        programs.retain(|program| !built.contains(&own(program)));
        programs
    };
    if !missing().is_empty() {
        let _alone_here = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
        let _until_copied = alone(&target)?;
        // Those that another thread has built meanwhile are there.
        let missing = missing();
        if !missing.is_empty() {
            compile(workspace, (board, triple), &missing, profile, features)?;
        }
        for program in &missing {
            let from = target.join(triple).join(profile).join(program);
            copy(&from, &own(program))?;
            built().insert(own(program));
        }
    }
    Ok(programs.iter().map(own).collect())
}

/// Builds programs with cargo, which puts each where those of other boards were.
fn compile(
    workspace: &Workspace,
    (board, triple): (&str, &str),
    programs: &[&str],
    profile: &str,
    features: Features,
) -> Result<()> {
    let (_, feature) = crate_of(board);
    let (built, said) = heard(
        cargo(workspace)
            .args(["build", "--profile", profile, "--manifest-path"])
            .arg(manifest(board))
            .args(feature.iter().flat_map(|feature| ["--features", feature]))
            .args(programs.iter().flat_map(|program| ["--bin", program]))
            .args(["--target", triple])
            .env(MACHINE, board)
            // It is a program's own to choose another guard.
            .env_remove("TAKTOS_GUARD")
            .args(features.arguments()),
    )?;
    match built {
        true => Ok(()),
        false => Err(refused(
            (board, triple),
            &programs.join(" "),
            profile,
            &said,
        )),
    }
}

/// Cargo's message when another one has what it needs.
const WAITS: &str = "Blocking waiting for ";

/// Runs cargo to its end, and returns whether it succeeded, and the compiler's output. Reports at
/// once if cargo waits.
fn heard(cargo: &mut Command) -> Result<(bool, String)> {
    cargo.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = cargo.spawn().map_err(not_started)?;
    let mut said = String::new();
    for line in running
        .stderr
        .take()
        .into_iter()
        .flat_map(|said| BufReader::new(said).lines())
    {
        let line = line.unwrap_or_default();
        match line.trim_start().strip_prefix(WAITS) {
            Some(lock) => waits(&format!(
                "cargo waits until another one has finished ({lock})"
            )),
            None if is_status(&line) => {}
            None => said.extend([&line, "\n"]),
        }
    }
    Ok((running.wait()?.success(), said))
}

fn waits(for_what: &str) {
    Progress::default().note(Some(for_what.to_owned()));
}

/// Returns whether a line is cargo's own, of what it does: a verb that ends in the twelfth column.
fn is_status(line: &str) -> bool {
    let (verb, rest) = line.split_at_checked(12).unwrap_or((line, ""));
    let verb = verb.trim_start();
    rest.starts_with(' ')
        && verb.starts_with(char::is_uppercase)
        && verb.chars().all(char::is_alphabetic)
}

/// Waits until no other process builds for boards, and blocks others while the file lives: boards
/// of one triple have programs and libraries of one name, which cargo puts into one place.
///
/// # Errors
/// When the folder takes no file, or its system knows no locks.
pub fn alone(target: &Path) -> Result<File> {
    let path = target.join("boards.lock");
    let locked = || {
        std::fs::create_dir_all(target)?;
        let file = File::create(&path)?;
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            waits("another taktos builds for boards; this waits until it has finished");
            file.lock()?;
        }
        Ok::<_, std::io::Error>(file)
    };
    locked().with_context(|| format!("cannot lock {}", path.display()))
}

/// Copies a file that another process may be running, unless the copy is there.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let bytes = std::fs::read(from).with_context(|| from.display().to_string())?;
    if std::fs::read(to).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    Ok(replace_file(to, bytes)?)
}

/// The manifest of a board's crate, from the tree's folder: it names the board by its folder,
/// whatever the crate is called.
pub fn manifest(board: &str) -> String {
    format!("boards/{}/Cargo.toml", crate_of(board).0)
}

/// The folder in `boards/` of a board's crate, and the feature of that crate which makes it this
/// board, if there is one: all processors instead of one.
pub fn crate_of(board: &str) -> (&str, Option<&'static str>) {
    const SEVERAL: &str = "smp";
    match board.rsplit_once('-') {
        Some((one, SEVERAL)) => (one, Some(SEVERAL)),
        _ => match Board::named(board) {
            Some(known) => (known.package(), None),
            None => (board, None),
        },
    }
}

/// The variable that tells the crate for any chip on which machine its programs run.
const MACHINE: &str = "TAKTOS_MACHINE";

/// Cargo, as it is to be called for images: what is in the environment of the
/// caller must not change them.
pub fn cargo(workspace: &Workspace) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(workspace.root());
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(variable);
    }
    cargo
}

/// Runs cargo to its end.
///
/// # Errors
/// When it does not start.
pub fn output_of(cargo: &mut Command) -> Result<Output> {
    cargo.output().map_err(not_started)
}

fn not_started(cause: io::Error) -> anyhow::Error {
    Failure::error(
        format!("cargo does not start: {cause}"),
        "run ./taktos doctor",
    )
}

/// Messages on a program that a board does not have: there is none, or it is for several processors
/// alone, or for one alone (`taktos_workloads::program`).
const NOT_THERE: [&str; 3] = [
    "no bin target named",
    "requires the features: `smp`",
    "this program is for one processor",
];

/// Returns why cargo refused. The compiler's messages are shown, since they name the line.
fn refused(
    (board, triple): (&str, &str),
    program: &str,
    profile: &str,
    said: &str,
) -> anyhow::Error {
    if NOT_THERE.iter().any(|words| said.contains(words)) {
        return Failure::error(
            format!("the board {board} has no program `{program}`"),
            format!("name one of boards/{}/src/bin", crate_of(board).0),
        );
    }
    eprint!("{said}");
    Failure::error(
        format!("the image {program} for {board} does not build; what the compiler said is above"),
        format!(
            "fix it; {}cargo build --profile {profile} --manifest-path {} --bin {program} --target {triple} shows it again",
            match crate_of(board) {
                (package, None) if package != board => format!("{MACHINE}={board} "),
                _ => String::new(),
            },
            manifest(board)
        ),
    )
}

fn digest(path: &PathBuf) -> Result<String> {
    let file = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let parsed = object::File::parse(file.as_slice())
        .with_context(|| format!("{} is no image", path.display()))?;
    let mut digest = Fnv::default();
    for segment in parsed.segments() {
        digest.add(&segment.address().to_le_bytes());
        let data = segment.data();
        digest.add(data.with_context(|| format!("{} is cut off", path.display()))?);
    }
    Ok(format!("fnv1a64:{digest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiler_says_is_kept_and_what_cargo_does_is_not() {
        let says = "echo '    Blocking waiting for file lock on build directory' >&2; \
                    echo '   Compiling taktos v0.1.0 (/x)' >&2; echo 'error: no' >&2; echo '  --> src/a.rs' >&2; exit 1";
        let (built, said) = heard(Command::new("sh").args(["-c", says])).unwrap();
        assert_eq!(
            (built, said.as_str()),
            (false, "error: no\n  --> src/a.rs\n")
        );
    }

    #[test]
    fn a_process_that_builds_keeps_others_waiting() {
        let folder = std::env::temp_dir().join(format!("taktos-builder-{}", std::process::id()));
        let builder = alone(&folder).unwrap();
        let other = || File::open(folder.join("boards.lock")).unwrap();
        assert!(other().try_lock().is_err());
        drop(builder);
        other().try_lock().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
