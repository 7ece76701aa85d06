//! The step on C programs: the library is installed as a user does, and projects outside of the
//! tree build with it and run.
//!
//! Owns: for which boards, and what each must print. Must never know: what the library's calls do.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use taktos_cli::command::install;
use taktos_emulator::Board;
use taktos_runner::workspace::Workspace;

use super::Tally;
use super::cargo::{tool_built, tool_in};
use super::own::empty_folder;
use super::storms::Length;

/// The targets that a project is built for: one of each architecture, and of each way of handing
/// over floating-point values. Armv8-M's library differs from Armv7-M's in the port alone, and the
/// port's suites run on Armv8-M.
const TARGETS: [&str; 5] = [
    "mps2-an386",
    "mps2-an386-hard",
    "realview-pb-a8",
    "virt-aarch64",
    "virt-riscv64",
];
/// The folders that the library is installed in: as usual, and with clocks of threads' processor
/// time.
const SDK: &str = "sdk";
const METERED_SDK: &str = "sdk-metered";
/// The boards with those clocks in their library; that of the others has none, as usual.
const METERED: [&str; 3] = ["mps3-an547", "realview-pb-a8", "virt-riscv64"];
/// Ending of the targets with a library of bitcode, and the folder that they are installed in.
const BITCODE: &str = "-lto";
const SDK_OF_BITCODE: &str = "sdk-lto";
/// Error that a compiler reports if it cannot be used for them.
const REFUSED: &str = "mps2-an386-lto-is-for-CMAKE_TOOLCHAIN_FILE-arm-none-eabi-clang.cmake";
/// Output of the new project.
const SAYS: &str = "the sum is 10";
/// The flag by which a linker leaves out code without a caller.
const COLLECTING: &str = "-Wl,--gc-sections";
/// The tables of all calls: those of the standard, those of FreeRTOS, those of POSIX threads, and
/// the kernel's own.
const TABLES: &str = "user/c/tests";
const PROGRAMS: [&str; 8] = [
    "table", "freertos", "hooks", "posix", "signals", "queues", "files", "native",
];
/// The table of newlib's functions with state, where there is newlib.
const NEWLIB: &str = "newlib";
/// The table of functions with any number of words, where newlib may be there.
const WORDS: &str = "words";
/// The tables of C++: without exceptions, and with a compiler's usual options.
const OF_CPP: &str = "user/c/tests/cpp";
const CPP_PROGRAMS: [&str; 2] = ["cpp", "cpp-exceptions"];
/// First lines of a program in C++.
const CPP: &str = "#include \"taktos.h\"\n#include \"cmsis_os2.h\"\n";
/// The page of the book, which shows a program of FreeRTOS's.
const PAGE: &str = "docs/c-programs.md";
const TABLES_SAY: &str = " passed, 0 failed";

/// Installs, then builds and runs a new project and the tables of all calls.
pub(super) fn programs(workspace: &Workspace, length: Length) -> Result<Tally> {
    crate::header::check(workspace)?;
    let mut all = tool_built(workspace)?;
    let folder = empty_folder(workspace, "c")?;
    let targets = targets(length);
    let boards: BTreeSet<&str> = targets.iter().map(|target| board(target)).collect();
    let of_bitcode = bitcode(length);
    let boards_of_bitcode: BTreeSet<&str> = of_bitcode.iter().map(|target| board(target)).collect();
    let (metered, others): (Vec<&str>, Vec<&str>) = boards
        .into_iter()
        .partition(|board| METERED.contains(board));
    for (sdk, boards, options) in [
        (SDK, others, [].as_slice()),
        (METERED_SDK, metered, &["--processor-time"]),
        (
            SDK_OF_BITCODE,
            boards_of_bitcode.into_iter().collect(),
            &["--lto"],
        ),
    ] {
        let chosen = boards.iter().flat_map(|board| ["--board", board]);
        run(tool_in(workspace, &folder)
            .args(["install", sdk])
            .args(options)
            .args(chosen))?;
    }
    let place = Place {
        workspace,
        folder: &folder,
    };
    for target in &targets {
        all.add(place.project(target)?);
        for program in tables(target, length) {
            all.add(place.table(TABLES, program, target)?);
        }
        let of_library = match tool_chain(target)? {
            "arm-none-eabi" => Some(NEWLIB),
            "riscv64-linux-gnu" => Some(WORDS),
            _ => None,
        };
        if let Some(program) = of_library {
            all.add(place.table(TABLES, program, target)?);
        }
        for program in CPP_PROGRAMS {
            all.add(place.table(OF_CPP, program, target)?);
        }
    }
    for target in &of_bitcode {
        for program in bitcode_programs(length) {
            all.add(place.table(TABLES, program, target)?);
        }
    }
    all.add(place.refused_by_gcc()?);
    place.read_by_cpp()?;
    all.add(place.packaged()?);
    all.add(place.of_the_book()?);
    fs::remove_dir_all(&folder)?;
    Ok(all)
}

/// The tables that are run on a target: all on one of 32 bits and one of 64, and where there is
/// time; elsewhere those of all calls of the standard, and of the kernel's own.
fn tables(target: &str, length: Length) -> impl Iterator<Item = &'static str> {
    let has_all = length == Length::Long || ["mps2-an386", "virt-riscv64"].contains(&target);
    let of_each = |program: &&str| ["table", "native"].contains(program);
    PROGRAMS
        .into_iter()
        .filter(move |program| has_all || of_each(program))
}

/// Returns the targets with a library of bitcode: all, if there is time.
fn bitcode(length: Length) -> Vec<String> {
    let all = match length {
        Length::Short => vec![TARGETS[0].to_owned()],
        Length::Long => targets(length),
    };
    let named = all.into_iter().map(|target| format!("{target}{BITCODE}"));
    named.collect()
}

/// The tables that are run there: each is optimised as a whole with the library, some seconds long.
fn bitcode_programs(length: Length) -> &'static [&'static str] {
    match length {
        Length::Short => &["native"],
        Length::Long => &PROGRAMS,
    }
}

/// All, where there is time.
fn targets(length: Length) -> Vec<String> {
    match length {
        Length::Short => TARGETS.map(str::to_owned).to_vec(),
        Length::Long => Board::ALL
            .into_iter()
            .flat_map(|board| {
                let name = board.name().to_owned();
                let hard = board.hard_float_triple().map(|_| format!("{name}-hard"));
                [Some(name), hard]
            })
            .flatten()
            .collect(),
    }
}

/// The board of a target.
fn board(target: &str) -> &str {
    let target = target.trim_end_matches(BITCODE);
    target.trim_end_matches("-hard")
}

/// The folder that what a target needs is installed in.
fn sdk(target: &str) -> &'static str {
    match METERED.contains(&board(target)) {
        _ if target.ends_with(BITCODE) => SDK_OF_BITCODE,
        true => METERED_SDK,
        false => SDK,
    }
}

struct Place<'a> {
    workspace: &'a Workspace,
    folder: &'a Path,
}

impl Place<'_> {
    /// A project as the tool writes it.
    fn project(&self, target: &str) -> Result<Tally> {
        let name = format!("for-{target}");
        let words = ["new", &name, "--c", "--board", board(target)];
        run(tool_in(self.workspace, self.folder).args(words))?;
        self.built_and_run(&self.folder.join(&name), &name, target, SAYS)
    }

    /// A table of rows, in a folder of the tree.
    fn table(&self, folder: &str, program: &str, target: &str) -> Result<Tally> {
        let source = self.workspace.path(folder);
        self.built_and_run(&source, program, target, TABLES_SAY)
    }

    /// Builds a program of a project, which is configured once for a target, and runs it.
    fn built_and_run(
        &self,
        source: &Path,
        program: &str,
        target: &str,
        says: &str,
    ) -> Result<Tally> {
        let name = source.file_name().context("a project has a folder")?;
        let build = self.folder.join(format!("build-{target}")).join(name);
        if !build.exists() {
            let file = self.tool_chain_file(target)?;
            run(&mut configured((source, &build), target, &file))?;
        }
        run(Command::new("cmake")
            .arg("--build")
            .arg(&build)
            .args(["--target", program]))?;
        let target_of_run = format!("run-{program}");
        let mut emulated = Command::new("cmake");
        emulated
            .arg("--build")
            .arg(&build)
            .args(["--target", &target_of_run]);
        self.ends(&mut emulated, &format!("{program} on {target}"), says)
    }

    fn tool_chain_file(&self, target: &str) -> Result<PathBuf> {
        let clang = match target.ends_with(BITCODE) {
            true => "-clang",
            false => "",
        };
        let file = format!("lib/cmake/Taktos/{}{clang}.cmake", tool_chain(target)?);
        Ok(self.folder.join(sdk(target)).join(file))
    }

    /// Checks that a compiler that does not write bitcode is refused. The message names one that
    /// does.
    fn refused_by_gcc(&self) -> Result<Tally> {
        let source = self.workspace.path(TABLES);
        let build = self.folder.join("build-refused");
        let file = self
            .folder
            .join(SDK_OF_BITCODE)
            .join("lib/cmake/Taktos/arm-none-eabi.cmake");
        let target = format!("{}{BITCODE}", TARGETS[0]);
        let output = configured((&source, &build), &target, &file).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        Ok(match !output.status.success() && said.contains(REFUSED) {
            true => Tally::pass(),
            false => Tally::fail(format!("{target} with gcc is not refused:\n{said}\n")),
        })
    }

    /// The headers that have no folder of their own are good C++, too.
    fn read_by_cpp(&self) -> Result<()> {
        let source = self.folder.join("both.cpp");
        fs::write(&source, CPP)?;
        run(Command::new("arm-none-eabi-g++")
            .args(["-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .arg("-fsyntax-only")
            .arg("-I")
            .arg(self.folder.join("sdk/include"))
            .arg(source))
    }

    /// Builds and runs the same project by pkg-config, without CMake, and by a linker that keeps
    /// unused functions: all that is named must be there.
    fn packaged(&self) -> Result<Tally> {
        let project = self.folder.join("for-mps2-an386");
        let sources = ["main.c", "sensor.c"];
        self.packaged_and_run(&project, &sources, &["taktos-mps2-an386"], SAYS)
    }

    /// The programs that the book shows, of what has packages of its own: by what each includes.
    fn of_the_book(&self) -> Result<Tally> {
        let page = fs::read_to_string(self.workspace.path(PAGE))?;
        let mut all = Tally::default();
        for (header, package) in [
            ("taktos_initialize", "taktos-mps2-an386"),
            ("FreeRTOS.h", "taktos-freertos"),
            ("pthread.h", "taktos-posix"),
        ] {
            let shown = page
                .split("```c\n")
                .skip(1)
                .filter_map(|rest| rest.split_once("```"))
                .find(|(block, _)| block.contains(header));
            let (program, _) = shown.with_context(|| format!("{PAGE} shows no {header}"))?;
            let project = self.folder.join(format!("of-{package}"));
            fs::create_dir(&project)?;
            fs::write(project.join("main.c"), program)?;
            let packages = ["taktos-mps2-an386", package];
            all.add(self.packaged_and_run(&project, &["main.c"], &packages, "")?);
        }
        Ok(all)
    }

    fn packaged_and_run(
        &self,
        project: &Path,
        sources: &[&str],
        packages: &[&str],
        says: &str,
    ) -> Result<Tally> {
        let flags = Command::new("pkg-config")
            .args(["--cflags", "--libs"])
            .args(packages)
            .env("PKG_CONFIG_PATH", self.folder.join("sdk/lib/pkgconfig"))
            .output()
            .context("pkg-config does not start")?;
        let flags = String::from_utf8(flags.stdout)?;
        run(Command::new("arm-none-eabi-gcc")
            .args(sources)
            .args(["-o", "packaged.elf"])
            .args(flags.split_whitespace().filter(|flag| *flag != COLLECTING))
            .current_dir(project))?;
        let mut words = tool_in(self.workspace, project);
        words.args(["run", "packaged.elf", "--board", "mps2-an386"]);
        let what = format!("{} by pkg-config", packages.join(" and "));
        self.ends(&mut words, &what, says)
    }

    /// Whether a program prints what it must, and ends well.
    fn ends(&self, command: &mut Command, what: &str, says: &str) -> Result<Tally> {
        let output = command
            .output()
            .with_context(|| format!("{what} does not start"))?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        Ok(match output.status.success() && said.contains(says) {
            true => Tally::pass(),
            false => Tally::fail(format!("{what}:\n{said}\n")),
        })
    }
}

/// Returns the command that prepares a build of a project for a target.
fn configured((source, build): (&Path, &Path), target: &str, tool_chain: &Path) -> Command {
    let mut command = Command::new("cmake");
    command
        .arg("-S")
        .arg(source)
        .arg("-B")
        .arg(build)
        .arg(format!("-DCMAKE_TOOLCHAIN_FILE={}", tool_chain.display()))
        .arg(format!("-DTAKTOS_BOARD={target}"));
    command
}

/// The tool chain for a target.
fn tool_chain(target: &str) -> Result<&'static str> {
    Ok(install::kit(board(target))?.tool_chain().name)
}

/// Runs a command, which must end well.
fn run(command: &mut Command) -> Result<()> {
    let output = command
        .output()
        .with_context(|| format!("{command:?} does not start"))?;
    ensure!(
        output.status.success(),
        "{command:?}:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
