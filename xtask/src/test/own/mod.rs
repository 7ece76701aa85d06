//! The step that writes programs as a user does, outside of the tree, and has cargo run and test
//! them: with the tree by its path and by git, as they are debugged and as they ship. Where it can
//! be, the network is forbidden.
//!
//! Owns: which programs are written, and what each must print.
//! Must never know: their text; that is `taktos new`, and `interrupts`, `serial`, `shell`,
//! `threads` and `watchdog`; nor what a debugger shows.

mod debugger;
mod frames;
mod guest;
pub(super) mod hal;
mod interrupts;
mod probe;
mod records;
mod serial;
pub(super) mod settings;
mod shell;
pub(super) mod sockets;
mod threads;
mod watchdog;
pub(super) mod weight;

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use taktos_emulator::Board;
use taktos_runner::image::{cargo, output_of};
use taktos_runner::several::Board as Several;
use taktos_runner::workspace::Workspace;

use super::Tally;
use super::cargo::{counted, tool_built, tool_in};
use super::storms::Length;
use taktos_cli::command::new;

/// The line that the program prints, once.
pub(super) const SAYS: &str = "the sum is 10";
/// The profiles, as `cargo run` takes them.
pub(super) const PROFILES: [&[&str]; 2] = [&[], &["--release"]];

/// Boards on which short runs look at what programs do with lines, threads and debuggers.
const SHOWN: [Board; 2] = [Board::MPS2_AN386, Board::VIRT_AARCH64];

/// Where the programs lie.
pub(super) struct Place<'a> {
    workspace: &'a Workspace,
    /// Outside of the tree.
    pub(super) folder: PathBuf,
}

/// In which profiles a board's programs are built, by how floating-point values are handed over.
struct Profiles {
    soft: &'static [&'static [&'static str]],
    hard: &'static [&'static [&'static str]],
}

impl Profiles {
    /// Returns all profiles, if there is time. Otherwise the one for debugging for each
    /// architecture and for one board that has several processors as a feature, and once the one
    /// that ships, which takes longer.
    fn of(board: Several, length: Length) -> Self {
        let own = [
            Several::from(Board::REALVIEW_PB_A8),
            Several::from(Board::VIRT_AARCH64),
            Several::from(Board::VIRT_RISCV64),
            Several::first(),
        ];
        let by_feature = Several::of_chips().find(|board| board.machine == Board::HIFIVE_UNLEASHED);
        let (soft, hard): (_, &[_]) = match length {
            Length::Long => (&PROFILES[..], &PROFILES),
            _ if board == Several::from(Board::MPS2_AN386) => (&PROFILES[..1], &PROFILES[1..]),
            _ if own.contains(&board) || by_feature == Some(board) => {
                (&PROFILES[..1], &PROFILES[..0])
            }
            _ => (&PROFILES[..0], &PROFILES[..0]),
        };
        Self { soft, hard }
    }
}

/// A program for each board and each way of handing over floating-point values, one that takes the
/// tree by git, and some that cannot be.
pub(super) fn programs(workspace: &Workspace, length: Length) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    let place = Place::new(workspace, "own")?;
    for board in new::all() {
        let (name, words) = (board.name, ["--board", board.name]);
        let Profiles { soft, hard } = Profiles::of(board, length);
        all.add(place.program(&format!("for-{name}"), &words, soft)?);
        if board.processors == 1 && !soft.is_empty() {
            let board = board.machine;
            let name = format!("for-{name}");
            all.add(place.stays_built(&name, board)?);
            all.add(interrupts::handled(&place, &name, board)?);
            // In short runs one board of 32 bits and one of 64 show the rest.
            if length == Length::Long || SHOWN.contains(&board) {
                all.add(serial::echoed(&place, &name, board)?);
                all.add(threads::looked_at(&place, &name)?);
                // The emulator of the Cortex-A8's board does not speak with gdb on its standard
                // streams.
                if board != Board::REALVIEW_PB_A8 {
                    all.add(debugger::looks(&place, &name, board)?);
                }
            }
        }
        if board.machine.hard_float_triple().is_some() {
            let words = [&words[..], &["--hard-float"]].concat();
            let name = format!("hard-float-for-{name}");
            all.add(place.program(&name, &words, hard)?);
            if !hard.is_empty() {
                all.add(place.keeps_its_budgets(&name)?);
            }
        }
    }
    all.add(guest::runs(&place)?);
    all.add(place.loads()?);
    all.add(frames::are_guarded(&place)?);
    all.add(place.panics()?);
    all.add(place.handles_panics()?);
    all.add(place.logs()?);
    all.add(records::lie_in_memory(&place)?);
    all.add(place.by_git()?);
    // On the host a program is the same, whatever its board.
    all.add(counted(place.cargo("by-git").args(["test", "--quiet"]))?);
    all.add(place.refused()?);
    fs::remove_dir_all(&place.folder)?;
    Ok(all)
}

/// A program that is reset by a watchdog, and two with a shell: on a serial line, and on the
/// console that a probe reads.
pub(super) fn watched(workspace: &Workspace) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    let place = Place::new(workspace, "own-watched")?;
    all.add(watchdog::resets(&place)?);
    all.add(shell::answers(&place)?);
    all.add(probe::types(&place)?);
    fs::remove_dir_all(&place.folder)?;
    Ok(all)
}

/// An empty folder of this name outside of the tree. It is always the same one, so that what builds
/// there knows what it built.
pub(super) fn empty_folder(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    workspace.root().hash(&mut hasher);
    let folder = std::env::temp_dir().join(format!("taktos-{name}-{:016x}", hasher.finish()));
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot write {}", folder.display()))?;
    Ok(folder)
}

impl<'a> Place<'a> {
    /// An empty folder of this name outside of the tree. It is always the same one, so that cargo
    /// knows what it built there. Programs in it are built without a network, so what the tree
    /// depends on is fetched here, in case that no step before did it.
    pub(super) fn new(workspace: &'a Workspace, name: &str) -> Result<Self> {
        let folder = empty_folder(workspace, name)?;
        let output = output_of(cargo(workspace).args(["fetch", "--quiet", "--locked"]))?;
        ensure!(output.status.success(), "cargo fetch: {}", said(&output));
        Ok(Self { workspace, folder })
    }

    /// Writes a program, and runs it in these profiles.
    fn program(&self, name: &str, words: &[&str], profiles: &[&[&str]]) -> Result<Tally> {
        let mut all = Tally::default();
        if profiles.is_empty() {
            return Ok(all);
        }
        self.write(name, words)?;
        for profile in profiles {
            all.add(self.run(name, profile, SAYS)?);
        }
        Ok(all)
    }

    /// The tool, in a folder of this place.
    fn tool(&self, folder: &str) -> Command {
        tool_in(self.workspace, &self.folder.join(folder))
    }

    /// Writes a program with the tool.
    pub(super) fn write(&self, name: &str, words: &[&str]) -> Result<()> {
        let mut tool = self.tool("");
        let output = tool.args(["new", name]).args(words).output();
        let output = output.context("the tool does not start")?;
        ensure!(
            output.status.success(),
            "taktos new {name}: {}",
            said(&output)
        );
        Ok(())
    }

    /// Runs a program in the emulator, which must print a line once.
    pub(super) fn run(&self, name: &str, profile: &[&str], says: &str) -> Result<Tally> {
        let mut run = self.cargo(name);
        let output = run.args(["run", "--quiet"]).args(profile).output()?;
        // A board's console is one of the emulator's two streams, and cargo speaks on one of them.
        let printed = said(&output).lines().filter(|line| *line == says).count();
        Ok(match output.status.success() && printed == 1 {
            true => Tally::pass(),
            false => {
                let profile = profile.concat();
                Tally::fail(format!("{name}, cargo run {profile}: {}\n", said(&output)))
            }
        })
    }

    /// The step of the program's CI that counts what it costs, word for word; a budget that is too
    /// small fails it.
    fn keeps_its_budgets(&self, name: &str) -> Result<Tally> {
        let ci = fs::read_to_string(self.folder.join(name).join(".github/workflows/ci.yml"))?;
        let step = ci
            .lines()
            .last()
            .and_then(|line| line.split_once("- run: "));
        let (_, line) = step.context("ci.yml ends with a step")?;
        let count = || {
            let mut shell = Command::new("sh");
            let environment = self.cargo(name);
            shell.envs(
                environment
                    .get_envs()
                    .filter_map(|(key, value)| Some((key, value?))),
            );
            let output = shell.args(["-c", line]).current_dir(self.folder.join(name));
            output.output().context("sh does not start")
        };
        let kept = count()?;
        self.replace(name, "budgets.toml", ("5_000", "5"))?;
        let broken = count()?;
        let failed = broken.status.code() == Some(1) && said(&broken).contains("its budget is 5");
        Ok(match kept.status.success() && failed {
            true => Tally::pass(),
            false => Tally::fail(format!("{line}: {}{}\n", said(&kept), said(&broken))),
        })
    }

    /// A program that loads another one into a partition, which fails and is loaded once more; what
    /// needs no kernel of that one is tested on this machine.
    fn loads(&self) -> Result<Tally> {
        const LAST: &str = "filter: undefined instruction, and is loaded once more";
        let [board, ..] = Board::ALL;
        self.write("loads", &["--loaded", "--board", board.name()])?;
        let mut all = self.run("loads", PROFILES[0], LAST)?;
        let words = ["test", "--quiet", "--workspace"];
        all.add(counted(self.cargo("loads").args(words))?);
        Ok(all)
    }

    /// Programs that panic, by themselves and in the kernel, and say in their last words where and
    /// why, with the values. The kernel's place is that in its tree, without the folder in
    /// which the tree is located.
    fn panics(&self) -> Result<Tally> {
        let [board, ..] = Board::ALL;
        let cases = [
            (
                "panics",
                "panic!(\"{sum} is too much\")",
                "fault: panic in thread 'filter' at src/main.rs:44: 10 is too much",
            ),
            (
                "panics-inside",
                "let _ = taktos::Semaphore::<Board>::binary(sum)",
                "fault: panic in thread 'filter' at kernel/src/object/semaphore.rs:",
            ),
        ];
        let mut all = Tally::default();
        for (name, instead, last) in cases {
            self.write(name, &["--board", board.name()])?;
            let words = ("taktos::println!(\"the sum is {sum}\")", instead);
            all.add(self.refused_with(name, "src/main.rs", words, last)?);
        }
        Ok(all)
    }

    /// A program with a panic handler of its own, which leaves out the board's.
    fn handles_panics(&self) -> Result<Tally> {
        const NAME: &str = "handles-panics";
        const HANDLER: &str = "#[cfg(target_os = \"none\")]\n#[panic_handler]\n\
            fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {\n    \
            taktos::println!(\"by its own handler\");\n    Board::exit(3)\n}\n\n";
        const BEFORE: &str = "/// Takes four samples";
        let [board, ..] = Board::ALL;
        self.write(NAME, &["--board", board.name()])?;
        let usual = format!("[\"{}\"] }}", board.name());
        let without = format!("[\"{}\"], default-features = false }}", board.name());
        self.replace(NAME, "Cargo.toml", (&usual, &without))?;
        let with_handler = [HANDLER, BEFORE].concat();
        self.replace(NAME, "src/main.rs", (BEFORE, &with_handler))?;
        let words = ("taktos::println!(\"the sum is {sum}\")", "panic!()");
        self.refused_with(NAME, "src/main.rs", words, "by its own handler")
    }

    /// A program that logs, by the crate that others log by.
    fn logs(&self) -> Result<Tally> {
        let [board, ..] = Board::ALL;
        self.write("logs", &["--board", board.name()])?;
        let features = format!("[\"{}\"] }}", board.name());
        let with_log = format!("[\"{}\", \"log\"] }}\nlog = \"0.4\"", board.name());
        self.replace("logs", "Cargo.toml", (&features, &with_log))?;
        let start = "let _ = taktos::log::start(log::LevelFilter::Info);\n    let _ = FILTER.start(filter);";
        self.replace(
            "logs",
            "src/main.rs",
            ("let _ = FILTER.start(filter);", start),
        )?;
        let words = (
            "taktos::println!(\"the sum is {sum}\")",
            "log::info!(\"{sum}, and the end\"); panic!()",
        );
        self.refused_with(
            "logs",
            "src/main.rs",
            words,
            " INFO  filter logs: 10, and the end",
        )
    }

    /// A program that takes the tree by git: as it is, from a repository of its own, since nothing
    /// is known of the one it came in.
    fn by_git(&self) -> Result<Tally> {
        self.git(&["init", "--quiet"])?;
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--message", "the tree as it is"])?;
        let head = self.git(&["rev-parse", "HEAD"])?;
        let url = format!("file://{}", self.repository().display());
        self.fetch(&url, head.trim())?;
        self.write("by-git", &["--git", &url, "--rev", head.trim()])?;
        self.run("by-git", PROFILES[0], SAYS)
    }

    fn repository(&self) -> PathBuf {
        self.folder.join("tree.git")
    }

    /// Returns the output of git, in a repository next to the programs, of the tree.
    fn git(&self, words: &[&str]) -> Result<String> {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=taktos",
                "-c",
                "user.email=taktos@localhost",
            ])
            .args(words)
            .env("GIT_DIR", self.repository())
            .env("GIT_WORK_TREE", self.workspace.root())
            .current_dir(self.workspace.root())
            .output()
            .context("git does not start")?;
        ensure!(
            output.status.success(),
            "git {}: {}",
            words.join(" "),
            said(&output)
        );
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Makes cargo copy the commit, for a package that needs nothing of a registry: cargo can use a
    /// commit that it has later, where the network is forbidden.
    fn fetch(&self, url: &str, rev: &str) -> Result<()> {
        let folder = self.folder.join("fetch");
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("src/lib.rs"), "")?;
        let dependency = format!("taktos-build = {{ git = {url:?}, rev = {rev:?} }}");
        let manifest = format!("[package]\nname = \"fetch\"\n[dependencies]\n{dependency}\n");
        fs::write(folder.join("Cargo.toml"), manifest)?;
        let mut fetch = self.cargo("fetch");
        let output = fetch
            .env("CARGO_NET_OFFLINE", "false")
            .arg("fetch")
            .output()?;
        ensure!(output.status.success(), "cargo fetch: {}", said(&output));
        Ok(())
    }

    /// Fetches the crates that a program takes from a registry: this alone needs the network.
    fn fetch_crates(&self, name: &str) -> Result<()> {
        let mut fetch = self.cargo(name);
        fetch.env("CARGO_NET_OFFLINE", "false");
        let output = fetch.args(["fetch", "--quiet"]).output()?;
        ensure!(
            output.status.success(),
            "the crates of {name} cannot be fetched: {}",
            said(&output)
        );
        Ok(())
    }

    /// Replaces words in a file of a program, which must be there.
    pub(super) fn replace(&self, name: &str, file: &str, (from, to): (&str, &str)) -> Result<()> {
        let path = self.folder.join(name).join(file);
        let text = fs::read_to_string(&path)?;
        ensure!(text.contains(from), "{file} of {name} has no {from}");
        self.put(name, file, &text.replacen(from, to, 1))
    }

    /// Adds lines to the end of a file of a program.
    pub(super) fn append(&self, name: &str, file: &str, lines: &str) -> Result<()> {
        let text = fs::read_to_string(self.folder.join(name).join(file))?;
        self.put(name, file, &(text + lines))
    }

    /// Builds a program as it is debugged, with more words for cargo.
    fn build(&self, name: &str, board: Board, words: &[&str]) -> Result<()> {
        let mut build = self.cargo(name);
        build.args(["build", "--quiet", "--target", board.triple()]);
        let output = build.args(words).output()?;
        // The compiler's warnings are of the tree's own crates: those of others are not shown.
        let is_clean = !String::from_utf8_lossy(&output.stderr).contains("warning: ");
        ensure!(
            output.status.success() && is_clean,
            "{name}: {}",
            said(&output)
        );
        Ok(())
    }

    /// A second build of a program compiles nothing.
    fn stays_built(&self, name: &str, board: Board) -> Result<Tally> {
        self.build(name, board, &[])?;
        let mut again = self.cargo(name);
        let output = again.args(["build", "--target", board.triple()]).output()?;
        Ok(match said(&output) {
            said if said.contains("Compiling") => Tally::fail(format!("{name}, again: {said}\n")),
            _ => Tally::pass(),
        })
    }

    /// Returns the emulator with the image of a program, without the laboratory's clock. It runs
    /// for a minute at most.
    pub(super) fn emulator(&self, name: &str, board: Board) -> Command {
        let mut emulator = Command::new("timeout");
        emulator
            .args(["60", board.program()])
            .args(board.arguments_alone())
            .arg("-kernel")
            .arg(self.image(name, board));
        emulator
    }

    /// The image of a program, as it is debugged.
    pub(super) fn image(&self, name: &str, board: Board) -> PathBuf {
        let own = self.workspace.target().join("own");
        own.join(board.triple()).join("debug").join(name)
    }

    /// Puts a file into a program's folder.
    pub(super) fn put(&self, name: &str, file: &str, text: &str) -> Result<()> {
        fs::write(self.folder.join(name).join(file), text)
            .with_context(|| format!("cannot write {file} of {name}"))
    }

    /// Programs that cannot be: each by what is replaced in a file of one that can, and why it is
    /// refused.
    fn refused(&self) -> Result<Tally> {
        let [board, ..] = Board::ALL;
        let another = |other: &Board| other.triple() != board.triple();
        let other = Board::ALL.into_iter().find(another);
        let other = other.context("all boards are of one architecture")?;
        let quoted = |name: &str| format!("\"{name}\"");
        let (one, both) = (
            quoted(board.name()),
            format!("{:?}, {:?}", board.name(), other.name()),
        );
        let (right, wrong) = (quoted(board.triple()), quoted(other.triple()));
        let cases = [
            (
                "for-two",
                "Cargo.toml",
                (&one, &both),
                "a program is for one board, and",
            ),
            (
                "elsewhere",
                ".cargo/config.toml",
                (&right, &wrong),
                "cannot be compiled for",
            ),
        ];
        let mut all = Tally::default();
        for (name, file, (from, to), why) in cases {
            self.write(name, &["--board", board.name()])?;
            all.add(self.refused_with(name, file, (from, to), why)?);
        }
        Ok(all)
    }

    /// Replaces text in a file of a program, and checks that the program is refused then.
    fn refused_with(
        &self,
        name: &str,
        file: &str,
        words: (&str, &str),
        why: &str,
    ) -> Result<Tally> {
        self.replace(name, file, words)?;
        let output = self.cargo(name).args(["run", "--quiet"]).output()?;
        Ok(
            match !output.status.success() && said(&output).contains(why) {
                true => Tally::pass(),
                false => Tally::fail(format!("{name}: {}\n", said(&output))),
            },
        )
    }

    /// Cargo in the folder of a program. Its results are kept in the tree's target directory, in
    /// one place for all.
    fn cargo(&self, program: &str) -> Command {
        let mut cargo = cargo(self.workspace);
        cargo
            .current_dir(self.folder.join(program))
            .env("CARGO_TARGET_DIR", self.workspace.target().join("own"))
            .env("CARGO_NET_OFFLINE", "true")
            // These files would fill the disk, and no step reads them.
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_INCREMENTAL", "false");
        cargo
    }
}

/// Everything that a program printed.
fn said(output: &Output) -> String {
    let all = [output.stdout.as_slice(), &output.stderr].concat();
    String::from_utf8_lossy(&all).into_owned()
}
