//! Owns: the needs of a command on this machine beyond the tool itself.
//! Must never know: how a need is installed; the script `taktos` queries this module and does it.
//! For the checks of the project, `xtask` returns the needs in the same words.

use clap::Parser;

use crate::arguments::{Arguments, Command, Interface, Suite, VmCommand};

/// Something that is installed when a command needs it, in the order in which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Rust for the boards, to build images; with the tools that check sources.
    Images,
    /// QEMU.
    Emulator,
    /// The interpreter that looks for undefined behaviour.
    Miri,
    /// Chromium, in which reports are looked at; where there is none to be had, they are not.
    Browser,
    /// A gdb for the boards' processors; if none can be had, threads are not inspected in it.
    Debugger,
    /// C compilers for the boards' processors, CMake and pkg-config.
    CCompilers,
    /// Clang, which compiles C where the kernel's calls are put into their callers.
    Clang,
    /// The checker of dependencies, which is compiled.
    Deny,
}

impl Need {
    /// As the script reads it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Images => "images",
            Self::Emulator => "emulator",
            Self::Miri => "miri",
            Self::Browser => "browser",
            Self::Debugger => "debugger",
            Self::CCompilers => "c-compilers",
            Self::Clang => "clang",
            Self::Deny => "deny",
        }
    }
}

/// Needs of most commands.
pub const RUNNING: &[Need] = &[Need::Images, Need::Emulator];

/// The words for what the command line needs, a line each: none for help, or for a line that is no
/// command.
pub(super) fn shown(words: &[String]) -> String {
    let line = std::iter::once("taktos").chain(words.iter().map(String::as_str));
    let needs = Arguments::try_parse_from(line).map_or(Vec::new(), |line| of(&line.command));
    lines(needs)
}

/// Needs as the script reads them, a line each.
pub fn lines(needs: impl IntoIterator<Item = Need>) -> String {
    needs
        .into_iter()
        .flat_map(|need| [need.word(), "\n"])
        .collect()
}

fn of(command: &Command) -> Vec<Need> {
    match command {
        Command::Run(_)
        | Command::Reproduce(_)
        | Command::Latency(_)
        | Command::Trace(_)
        | Command::Count(_)
        // So that its program runs at once.
        | Command::New(_)
        | Command::Vm(VmCommand::Run(_)) => RUNNING.to_vec(),
        Command::Bench(bench) => match (bench.suite, bench.interface, bench.lto) {
            (Suite::Simulation, ..) => Vec::new(),
            (Suite::Kernel | Suite::User | Suite::Budgets, ..)
            | (Suite::ThreadMetric, None | Some(Interface::Rust), _) => RUNNING.to_vec(),
            (Suite::ThreadMetric, _, false) => [RUNNING, &[Need::CCompilers]].concat(),
            (Suite::ThreadMetric, _, true) => [RUNNING, &[Need::CCompilers, Need::Clang]].concat(),
        },
        Command::Install(_) | Command::Vm(VmCommand::Check(_)) => vec![Need::Images],
        Command::Sim(_)
        | Command::Generate(_)
        | Command::Segment(_)
        | Command::Doctor
        | Command::Needs { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        shown(&words).replace('\n', " ")
    }

    #[test]
    fn help_lists_and_mistakes_need_nothing() {
        for line in [
            "--help",
            "--version",
            "run --help",
            "vm run -h",
            "vm --help",
            "trace --help",
            "fly",
            "run --bord x",
            "doctor",
            "generate --sets 2",
            "sim experiments/onboard.toml",
        ] {
            assert_eq!(needs(line), "", "{line}");
        }
    }

    #[test]
    fn a_command_needs_what_it_uses() {
        for (line, expected) in [
            ("run", "images emulator "),
            ("trace hello", "images emulator "),
            ("new blinky", "images emulator "),
            ("vm run x.toml", "images emulator "),
            ("vm check x.toml", "images "),
            ("install sdk", "images "),
            ("bench --suite thread-metric", "images emulator "),
            (
                "bench --suite thread-metric --interface cmsis-rtos2",
                "images emulator c-compilers ",
            ),
            (
                "bench --suite thread-metric --interface taktos.h --lto",
                "images emulator c-compilers clang ",
            ),
        ] {
            assert_eq!(needs(line), expected, "{line}");
        }
    }
}
