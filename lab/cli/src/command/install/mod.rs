//! `taktos install`: the files of Taktos that a C project needs, where its build finds them.
//!
//! Owns: the list of files, and their contents. Must never know: the effects of the library's
//! calls.

mod form;
mod library;
mod program;
mod script;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use taktos_emulator::{Board, Processor};
use taktos_experiments::screen;
use taktos_export::{ResultDirectory, replace_file};
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_runner::workspace::Workspace;

use crate::arguments::InstallOptions;
use form::Clang;
pub use form::Form;
use library::{Built, Library};
pub use program::{Program, built};
use script::Script;

/// A board that C programs can be for.
#[derive(Clone, Copy, Debug)]
pub struct Kit {
    /// The board.
    pub board: Board,
    /// Arguments of a C compiler for its processor.
    processor: &'static [&'static str],
    /// Arguments of a C compiler for the way to pass floating-point values: in general registers,
    /// or in registers of their own.
    soft: &'static [&'static str],
    hard: &'static [&'static str],
    /// Arguments of clang in their place.
    clang: Clang,
    /// Arguments of a linker in addition to the script.
    link: &'static [&'static str],
    /// The compiler and its file for CMake.
    tool_chain: ToolChain,
    /// How the linker script is made.
    script: Script,
}

/// A compiler with its linker.
#[derive(Clone, Copy, Debug)]
pub struct ToolChain {
    /// Prefix of its programs' names, and of its file for CMake.
    pub name: &'static str,
    /// The packages of Debian that have it.
    pub packages: &'static str,
    /// Clang's name for the target of its programs.
    target: &'static str,
    /// Whether there is a C library.
    has_newlib: bool,
}

const ARM: ToolChain = ToolChain {
    name: "arm-none-eabi",
    packages: "gcc-arm-none-eabi and libnewlib-arm-none-eabi (for C++ libstdc++-arm-none-eabi-newlib)",
    target: "arm-none-eabi",
    has_newlib: true,
};
const AARCH64: ToolChain = ToolChain {
    name: "aarch64-linux-gnu",
    packages: "gcc-aarch64-linux-gnu (for C++ g++-aarch64-linux-gnu)",
    target: "aarch64-none-elf",
    has_newlib: false,
};
const RISCV64: ToolChain = ToolChain {
    name: "riscv64-linux-gnu",
    packages: "gcc-riscv64-linux-gnu (for C++ g++-riscv64-linux-gnu)",
    target: "riscv64-none-elf",
    has_newlib: false,
};

/// The linker's options that put functions of ours before those of these names.
macro_rules! wrapped {
    ($($name:ident),*) => {
        &[$(concat!("-Wl,--wrap=", stringify!($name))),*]
    };
}

/// The linker's options for newlib: the functions that threads share
/// (`user/c/src/start/reentrant.rs`).
const NEWLIB: &[&str] = wrapped![
    strtol, strtoul, strtoll, strtoull, strtoimax, strtoumax, strtod, strtof, strtold, fopen,
    freopen, fclose, fflush, setvbuf, setbuf, fseek, ftell, rewind, fread, fwrite, fgetc, getc,
    getchar, ungetc, fgets, fputc, putc, putchar, fputs, puts, perror, vprintf, viprintf, vfprintf,
    vfiprintf, vscanf, vfscanf, vsprintf, vsiprintf, vsnprintf, vsniprintf, vsscanf, setlocale,
    printf, iprintf, fprintf, fiprintf, sprintf, siprintf, snprintf, sniprintf, scanf, fscanf,
    sscanf, strtok, srand, rand, localtime, gmtime, asctime, ctime
];

/// Arguments of a linker without a C library.
const FREESTANDING: &[&str] = &["-nostdlib", "-static", "-Wl,--build-id=none"];

impl Kit {
    /// The needs of C programs for `board`.
    fn of(board: Board) -> Option<Self> {
        Some(match board.processor()? {
            Processor::CortexM0
            | Processor::CortexM3
            | Processor::CortexM7
            | Processor::CortexM33 => return None,
            Processor::CortexM4 => Self::cortex_m4(board),
            Processor::CortexM55 => Self::cortex_m55(board),
            Processor::CortexA8 => Self::cortex_a8(board),
            Processor::CortexA53 | Processor::CortexA72 => Self::aarch64(board),
            Processor::U54 => Self::riscv64(board),
        })
    }

    const fn cortex_m4(board: Board) -> Self {
        Self {
            board,
            processor: &["-mcpu=cortex-m4", "-mthumb"],
            soft: &["-mfloat-abi=soft"],
            hard: &["-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
            clang: form::CORTEX_M4,
            link: NEWLIB,
            tool_chain: ARM,
            script: script::CORTEX_M,
        }
    }

    /// Without the vectors of the processor's floating-point unit, which the board's start does not
    /// know.
    const fn cortex_m55(board: Board) -> Self {
        Self {
            processor: &["-mcpu=cortex-m55+nomve", "-mthumb"],
            hard: &["-mfloat-abi=hard", "-mfpu=fpv5-d16"],
            clang: form::CORTEX_M55,
            ..Self::cortex_m4(board)
        }
    }

    const fn cortex_a8(board: Board) -> Self {
        Self {
            processor: &["-mcpu=cortex-a8", "-mno-unaligned-access"],
            hard: &[],
            clang: form::CORTEX_A8,
            script: script::ARMV7_A,
            ..Self::cortex_m4(board)
        }
    }

    /// Debian's compilers for the 64-bit processors are for Linux: a program is not to see that.
    const fn aarch64(board: Board) -> Self {
        Self {
            board,
            processor: &[
                "-mcpu=cortex-a53",
                "-ffreestanding",
                "-fno-pic",
                "-U__linux__",
                "-U__unix__",
            ],
            soft: &["-mgeneral-regs-only"],
            hard: &[],
            clang: form::AARCH64,
            link: FREESTANDING,
            tool_chain: AARCH64,
            script: script::AARCH64,
        }
    }

    const fn riscv64(board: Board) -> Self {
        Self {
            processor: &[
                "-march=rv64imac_zicsr_zifencei",
                "-mcmodel=medany",
                "-ffreestanding",
                "-fno-pic",
                "-U__linux__",
                "-U__unix__",
            ],
            soft: &["-mabi=lp64"],
            clang: form::RISCV64,
            tool_chain: RISCV64,
            script: script::RISCV64,
            ..Self::aarch64(board)
        }
    }
}

/// A header: its name and its text.
macro_rules! header {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../../../user/c/include/", $name)),
        )
    };
}

/// The headers. Those of FreeRTOS's calls and of POSIX threads have folders of their own: a program
/// adds a folder to use them, and otherwise their names are not in its way.
const HEADERS: [(&str, &str); 30] = [
    header!("cmsis_os2.h"),
    header!("taktos.h"),
    header!("freertos/FreeRTOS.h"),
    header!("freertos/croutine.h"),
    header!("freertos/event_groups.h"),
    header!("freertos/message_buffer.h"),
    header!("freertos/queue.h"),
    header!("freertos/semphr.h"),
    header!("freertos/stream_buffer.h"),
    header!("freertos/task.h"),
    header!("freertos/timers.h"),
    header!("posix/dirent.h"),
    header!("posix/endian.h"),
    header!("posix/errno.h"),
    header!("posix/fcntl.h"),
    header!("posix/limits.h"),
    header!("posix/mqueue.h"),
    header!("posix/pthread.h"),
    header!("posix/sched.h"),
    header!("posix/semaphore.h"),
    header!("posix/signal.h"),
    header!("posix/sys/_pthreadtypes.h"),
    header!("posix/sys/_sigset.h"),
    header!("posix/sys/select.h"),
    header!("posix/sys/signal.h"),
    header!("posix/sys/stat.h"),
    header!("posix/sys/statvfs.h"),
    header!("posix/sys/types.h"),
    header!("posix/time.h"),
    header!("posix/unistd.h"),
];

/// The files for pkg-config of what is installed next to a board's library.
const PACKAGES: [(&str, &str); 2] = [
    (
        "taktos-freertos.pc",
        include_str!("template/taktos-freertos.pc"),
    ),
    ("taktos-posix.pc", include_str!("template/taktos-posix.pc")),
];

/// The linker's options for every board: no start-up code of the compiler's, no function that is
/// never called, and constructors before `main`.
const LINKED: [&str; 3] = ["-nostartfiles", "-Wl,--gc-sections", "-Wl,--wrap=main"];

/// Further arguments of GNU's linker.
const LINKED_BY_GNU: [&str; 1] = ["-Wl,--no-warn-rwx-segments"];

/// The file by which CMake finds the libraries: it names them all.
const CONFIG: &str = "lib/cmake/Taktos/TaktosConfig.cmake";

/// Installs: all files are gathered first, and put in their place when all are there.
///
/// # Errors
/// When a board is unknown, a library does not build, or a file cannot be written.
pub(super) fn run(workspace: &Workspace, options: &InstallOptions) -> Result<()> {
    let kits = chosen(&options.boards)?;
    let gathered = ResultDirectory::beside(&options.folder)?;
    let place = gathered.gathered();
    let libraries: Vec<_> = kits
        .iter()
        .flat_map(|kit| [false, true].map(|hard| (kit, hard)))
        .flat_map(|(kit, hard)| {
            let forms = Form::all(options.lto).iter();
            forms.filter_map(move |form| Library::of(kit, hard, *form))
        })
        .collect();
    install_shared(workspace, place, options.lto)?;
    let targets: String = libraries.iter().map(target).collect();
    let config = format!("{}{targets}", include_str!("template/TaktosConfig.cmake"));
    replace_file(&place.join(CONFIG), config)?;
    for (index, library) in libraries.iter().enumerate() {
        let progress = Progress::step(index + 1, libraries.len());
        let what = format!("building the library for {} ...", library.name());
        progress.during(&what, || {
            let built = library.build(workspace, options.processor_time)?;
            install_library(place, library, &built)
        })?;
    }
    gathered.merge(CONFIG)?;
    let names: Vec<_> = kits.iter().map(|kit| kit.board.name()).collect();
    Ok(screen::print(&format!(
        "installed into {}: headers, and libraries for {}\n\n  taktos new blinky --c      a project that uses them\n",
        options.folder.display(),
        names.join(", ")
    ))?)
}

/// The files that are the same for all boards.
fn install_shared(workspace: &Workspace, place: &Path, lto: bool) -> Result<()> {
    for (name, text) in HEADERS {
        replace_file(&place.join("include").join(name), text)?;
    }
    for chain in [ARM, AARCH64, RISCV64] {
        install_tool_chain(place, chain, lto)?;
    }
    if lto {
        install_linker(workspace, place)?;
    }
    let version = |text: &str| text.replace("{version}", env!("CARGO_PKG_VERSION"));
    for (name, text) in PACKAGES {
        replace_file(&place.join("lib/pkgconfig").join(name), version(text))?;
    }
    let text = version(include_str!("template/TaktosConfigVersion.cmake"));
    replace_file(&cmake(place).join("TaktosConfigVersion.cmake"), text)?;
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<Kit>> {
    if names.is_empty() {
        return Ok(Board::ALL.into_iter().filter_map(Kit::of).collect());
    }
    names.iter().map(|name| kit(name)).collect()
}

/// Returns the needs of C programs for the board of this name.
///
/// # Errors
/// If there is no such board.
pub fn kit(name: &str) -> Result<Kit> {
    let found = Board::ALL.into_iter().find(|board| board.name() == name);
    let found = found.and_then(Kit::of);
    found.ok_or_else(|| {
        let names = Board::ALL.map(Board::name).join(", ");
        Failure::error(
            format!("--board: there is no library for C programs on `{name}`"),
            format!("take one of {names}"),
        )
    })
}

impl Kit {
    /// The compiler.
    pub const fn tool_chain(&self) -> ToolChain {
        self.tool_chain
    }
}

fn cmake(place: &Path) -> std::path::PathBuf {
    place.join("lib/cmake/Taktos")
}

/// The files for CMake of a compiler, and of clang in its place.
fn install_tool_chain(place: &Path, chain: ToolChain, lto: bool) -> Result<()> {
    let name = chain.name;
    let (processor, _) = name.split_once('-').context("such names begin so")?;
    let has_newlib = if chain.has_newlib { "TRUE" } else { "FALSE" };
    let written = |text: &str| {
        text.replace("{name}", name)
            .replace("{processor}", processor)
            .replace("{packages}", chain.packages)
            .replace("{target}", chain.target)
            .replace("{has_newlib}", has_newlib)
    };
    let file = written(include_str!("template/tool-chain.cmake"));
    replace_file(&cmake(place).join(format!("{name}.cmake")), file)?;
    if lto {
        let file = written(include_str!("template/tool-chain-clang.cmake"));
        replace_file(&cmake(place).join(format!("{name}-clang.cmake")), file)?;
    }
    Ok(())
}

/// The linker of bitcode.
fn install_linker(workspace: &Workspace, place: &Path) -> Result<()> {
    let program = place.join(form::LINKERS).join("ld.lld");
    replace_file(&program, form::linker(&form::linkers(workspace)?))?;
    Ok(fs::set_permissions(
        &program,
        fs::Permissions::from_mode(0o755),
    )?)
}

/// The library of one board with its script, and its file for pkg-config.
fn install_library(place: &Path, library: &Library, built: &Built) -> Result<()> {
    let folder = place.join("lib").join(library.name());
    let bytes = std::fs::read(&built.archive)
        .with_context(|| format!("cannot read {}", built.archive.display()))?;
    replace_file(&folder.join("libtaktos.a"), bytes)?;
    let text = script::of(library.kit.script, built)?;
    replace_file(&folder.join("taktos.ld"), text)?;
    let file = format!("lib/pkgconfig/taktos-{}.pc", library.name());
    replace_file(&place.join(file), package(library))?;
    Ok(())
}

/// The file for pkg-config.
fn package(library: &Library) -> String {
    include_str!("template/taktos.pc")
        .replace("{name}", &library.name())
        .replace("{version}", env!("CARGO_PKG_VERSION"))
        .replace("{compile}", &library.compiled().join(" "))
        .replace("{link}", &library.linked().join(" "))
        .replace(form::PREFIX, "${prefix}")
}

/// The template of a target that clang alone can compile for: for another compiler it leads to what
/// says so.
fn bitcode_target(chain: ToolChain) -> String {
    format!(
        "{}{}",
        include_str!("template/target.cmake"),
        include_str!("template/target-clang.cmake").replace("{chain}", chain.name)
    )
}

/// The target for CMake.
fn target(library: &Library) -> String {
    let board = library.kit.board;
    let template = match (library.form, library.kit.tool_chain.name) {
        (Form::Machine, name) if name == RISCV64.name => concat!(
            include_str!("template/target.cmake"),
            include_str!("template/target-newlib.cmake")
        )
        .to_owned(),
        (Form::Machine, _) => include_str!("template/target.cmake").to_owned(),
        (Form::Bitcode, _) => bitcode_target(library.kit.tool_chain),
    };
    template
        .replace("{newlib}", &NEWLIB.join(";"))
        .replace("{name}", &library.name())
        .replace("{compile}", &library.compiled().join(";"))
        .replace("{link}", &library.linked().join(";"))
        .replace(form::PREFIX, "${TAKTOS_PREFIX}")
        .replace(
            "{emulator}",
            &[&[board.program()], board.arguments_alone().as_slice()]
                .concat()
                .join(";"),
        )
}
