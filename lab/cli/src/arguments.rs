//! The command line: its commands and options, and the help that teaches it.

mod install;
mod new;
mod segment;
mod several;
mod simulation;
mod vm;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub use install::InstallOptions;
pub use new::NewOptions;
pub use segment::SegmentOptions;
pub use several::{LatencyFormat, LatencyOptions, SizeOptions};
pub use simulation::{GenerateOptions, SchedulerChoice, SetForm, SimOptions};
use taktos_runner::failure::{Failure, one_line};
pub use vm::{VmCheck, VmCommand, VmRun};

use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand, ValueEnum};
use taktos_simulate::file::text;

pub use taktos_experiments::screen::Format;

const EXAMPLES: &str = "\
Examples:
  taktos run                                    three papers, ours beside theirs
  taktos run experiments/ipc.toml               one experiment, from its file
  taktos run experiments/onboard.toml           a task set, on the kernel and in the simulator
  taktos reproduce ipc --board mps2-an386       the paper on fixed-time IPC
  taktos reproduce switch --format json         the paper on context switching, for a program
  taktos reproduce smp                          the paper on several processors, in minutes
  taktos reproduce smp --full --format json     the same with every policy, for a program
  taktos reproduce mechanisms --loops 1000      semaphores, FIFOs, mailboxes, queues
  taktos reproduce hypervisor                   real-time guests beside Linux; --full: hours
  taktos latency --load --format cyclictest     how late periodic threads wake
  taktos bench --board mps2-an386               every kernel operation, beside other kernels
  taktos trace ipc                              who ran when, for ui.perfetto.dev
  taktos trace heartbeat --for 1s               the same of a program that never ends
  taktos count my.elf --from open --to close    exact costs of any image, between two symbols
  taktos sim experiments/onboard.toml           a task set in virtual time, under each policy
  taktos generate --tasks 20 --utilisation 3    a task set at random
  taktos vm run experiments/two-guests.toml     guests beside each other, under the hypervisor
  taktos segment                                EtherCAT devices on a socket, for any MainDevice
  taktos new blinky --board virt-riscv64        a program of your own, in a folder of its own
  taktos install sdk                            the kernel for C programs: CMSIS-RTOS2, CMake
  taktos doctor                                 what this machine lacks, and how to install it

The script also has ./taktos test, everything that CI checks (./taktos test --help),
and ./taktos book, the documentation with search

Each run prints its table first and then says where its report is.
Exit status: 0 the run did what was asked; 1 a check failed (a count changed, a test
failed); 2 the run could not be done.";

/// Build, run and measure Taktos images in QEMU, and simulate task sets
#[derive(Parser, Debug)]
#[command(name = "taktos", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

impl Arguments {
    /// The command line of this process; help and what clap refuses end it.
    ///
    /// # Errors
    /// When a number is negative: clap takes it for an option, and its tip would be wrong.
    pub fn read() -> anyhow::Result<Self> {
        let words: Vec<OsString> = std::env::args_os().collect();
        Self::try_parse_from(&words).map_err(|error| match negative(&error, &words) {
            Some(negative) => negative,
            None => error.exit(),
        })
    }
}

/// The error that a number is negative, if that is what clap stumbled over.
fn negative(error: &clap::Error, words: &[OsString]) -> Option<anyhow::Error> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let number = argument.strip_prefix('-')?;
    if !number.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    // Clap names the first letter alone, as it would be an option's.
    let place = words
        .iter()
        .position(|word| word.to_string_lossy().starts_with(argument))?;
    let (before, word) = (
        words[place - 1].to_string_lossy(),
        words[place].to_string_lossy(),
    );
    Some(Failure::error(
        format!(
            "{} behind {} is negative",
            one_line(&word),
            one_line(&before)
        ),
        "give a number or a time that is not; --help says which",
    ))
}

/// A time in nanoseconds: with its unit, or as their plain number.
fn nanoseconds(words: &str) -> Result<u64, String> {
    match words.parse() {
        Ok(number) => Ok(number),
        Err(_) => Ok(text::duration(words)?.as_nanos()),
    }
}

/// A time that is long enough to run for.
fn trace_length(words: &str) -> Result<Duration, String> {
    match text::duration(words)?.as_nanos() {
        0 => Err("nothing happens in no time; take such as `10 s`".into()),
        nanos => Ok(Duration::from_nanos(nanos)),
    }
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run an experiment, a task set or an ELF image (default: the three paper experiments)
    Run(Box<FileOptions>),
    /// Reproduce a paper and compare the results
    Reproduce(Box<PaperOptions>),
    /// Measure wake-up latency of periodic threads, one on each processor (like cyclictest)
    Latency(Box<LatencyOptions>),
    /// Count instructions and cycles of every kernel operation, or measure the simulator
    Bench(Box<BenchOptions>),
    /// Record a scheduling trace, or convert one
    Trace(Box<TraceOptions>),
    /// Count instructions and cycles between two symbols of any image, and check budgets
    Count(Box<CountOptions>),
    /// Simulate a task set, a scenario or a stress test with the kernel's scheduler
    #[command(after_help = simulation::SIM_EXAMPLES)]
    Sim(Box<SimOptions>),
    /// Generate random task sets: utilisations, periods, deadlines
    #[command(after_help = simulation::GENERATE_EXAMPLES)]
    Generate(Box<GenerateOptions>),
    /// Run or check a hypervisor configuration
    #[command(subcommand, after_help = vm::VM_EXAMPLES)]
    Vm(VmCommand),
    /// Emulate a segment of EtherCAT devices on a socket, for any MainDevice that sends Ethernet
    /// frames
    #[command(after_help = segment::SEGMENT_EXAMPLES)]
    Segment(SegmentOptions),
    /// Create a new project with a program and a test
    #[command(after_help = new::NEW_EXAMPLES)]
    New(NewOptions),
    /// Install libraries, headers and linker scripts for C programs: CMSIS-RTOS2, with CMake and
    /// pkg-config
    #[command(after_help = install::INSTALL_EXAMPLES)]
    Install(InstallOptions),
    /// Check the required tools, and show how to install missing ones
    Doctor,
    /// Print the needs of a command line on this machine, for the script `taktos`
    #[command(hide = true)]
    Needs {
        /// The command line
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

/// Options of a run of a file.
#[derive(Args, Debug)]
pub struct FileOptions {
    /// An experiment file, such as experiments/ipc.toml, a task set, such as
    /// experiments/onboard.toml, or any image
    pub experiment: Option<PathBuf>,
    /// Executables that an image loads.
    #[command(flatten)]
    pub loaded: LoadedOptions,
    /// Where and how to run it and to write its result.
    #[command(flatten)]
    pub options: RunOptions,
    /// Where an image runs that is for none of the boards.
    #[command(flatten)]
    pub machine: MachineOptions,
    /// How much is run.
    #[command(flatten)]
    pub size: SizeOptions,
}

/// Options of the repetition of a paper.
#[derive(Args, Debug)]
pub struct PaperOptions {
    /// Which paper
    #[arg(value_enum, default_value_t = Part::All)]
    pub part: Part,
    /// Where and how to run it and to write its result.
    #[command(flatten)]
    pub options: RunOptions,
    /// How much is run.
    #[command(flatten)]
    pub size: SizeOptions,
}

/// Options of a count of operations.
#[derive(Args, Debug)]
pub struct BenchOptions {
    /// Suite to measure
    #[arg(long, value_enum, default_value_t = Suite::Kernel)]
    pub suite: Suite,
    /// Interface that the suite thread-metric calls [default: rust]
    #[arg(long, value_enum)]
    pub interface: Option<Interface>,
    /// Use the library as bitcode: its calls are inlined into their callers in C, which clang
    /// compiles
    #[arg(long, requires = "interface")]
    pub lto: bool,
    /// Where and how to run it and to write its result.
    #[command(flatten)]
    pub options: RunOptions,
    /// Where the board's own counter is read, instead of counting in the emulator.
    #[command(flatten)]
    pub counter: CounterOptions,
    /// Compare with this file instead of experiments/baseline.csv
    #[arg(long, value_name = "FILE", conflicts_with = "save_baseline")]
    pub baseline: Option<PathBuf>,
    /// Make the counts of this run the baseline of the board
    #[arg(long)]
    pub save_baseline: bool,
}

/// Options of a scheduling trace.
#[derive(Args, Debug)]
pub struct TraceOptions {
    /// A program of the board, any image (an ELF file), or a recorded schedule (*.schedule)
    #[arg(default_value = "ipc")]
    pub subject: String,
    /// Where and how to run it and to write its result.
    #[command(flatten)]
    pub options: RunOptions,
    /// Where an image runs that is for none of the boards.
    #[command(flatten)]
    pub machine: MachineOptions,
    /// Executables that the image loads.
    #[command(flatten)]
    pub loaded: LoadedOptions,
    /// The words that the image finds on its command line
    #[arg(long, value_name = "WORDS", default_value = "")]
    pub argument: String,
    /// How long the program runs, in virtual time, unless it ends before
    #[arg(long = "for", value_name = "TIME", default_value = "10s", value_parser = trace_length)]
    pub time: Duration,
    /// For an image built elsewhere: a file that names the variable of its current thread, and
    /// intervals
    #[arg(long, value_name = "FILE")]
    pub watch: Option<PathBuf>,
    /// Where the drawn part begins; default: at the first switch
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    pub from: Option<u64>,
    /// How long the drawn part is; default: the first forty switches
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    pub length: Option<u64>,
}

/// Options of a count between two symbols.
#[derive(Args, Debug)]
pub struct CountOptions {
    /// An image (an ELF file), or a program of the board
    pub subject: String,
    /// Executables that the image loads.
    #[command(flatten)]
    pub loaded: LoadedOptions,
    /// The symbol at which an interval begins
    #[arg(long, value_name = "SYMBOL", requires = "to")]
    pub from: Option<String>,
    /// The symbol at which it ends
    #[arg(long, value_name = "SYMBOL", requires = "from")]
    pub to: Option<String>,
    /// File with intervals and the most that each may cost; exit status 1 if one costs more
    #[arg(long, value_name = "FILE")]
    pub budget: Option<PathBuf>,
    /// How long the image runs, in virtual time, unless it ends before
    #[arg(long = "for", value_name = "TIME", default_value = "10s", value_parser = trace_length)]
    pub time: Duration,
    /// Where and how to run it and to write its result.
    #[command(flatten)]
    pub options: RunOptions,
    /// Where an image runs that is for none of the boards.
    #[command(flatten)]
    pub machine: MachineOptions,
}

/// Where and how to run, and where the result goes.
#[derive(Args, Debug, Clone)]
pub struct RunOptions {
    /// The board; default: the one that the experiment names
    #[arg(long, value_name = "BOARD")]
    pub board: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// The result directory; default: out/NAME
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A machine that is none of the boards, for an image that is built elsewhere.
#[derive(Args, Debug, Clone, Default)]
pub struct MachineOptions {
    /// Run an image on this machine of the emulator's, none of the boards: a name of
    /// `qemu-system-... -M help`
    #[arg(long, value_name = "NAME", conflicts_with = "board")]
    pub machine: Option<String>,
    /// The machine's processor, by a name of `-cpu help`; cycles are modelled for cortex-m0,
    /// cortex-m0plus (in its place the emulator has a cortex-m0), cortex-m3, cortex-m4, cortex-a8,
    /// cortex-a53 and sifive-u54
    #[arg(long, value_name = "NAME", requires = "machine")]
    pub cpu: Option<String>,
    /// How many processors the machine has [default: 1]
    #[arg(long, value_name = "N", requires = "machine", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub processors: Option<u8>,
}

impl MachineOptions {
    /// Refuses a machine where no image is named.
    ///
    /// # Errors
    /// When one is named.
    pub fn none(&self) -> anyhow::Result<()> {
        match &self.machine {
            None => Ok(()),
            Some(name) => Err(Failure::error(
                format!("--machine {} is for an image, an ELF file", one_line(name)),
                "name an image, or say --board: experiments and programs of this tree are built for boards",
            )),
        }
    }
}

/// Executables that an image loads in addition to itself.
#[derive(Args, Debug, Clone, Default)]
pub struct LoadedOptions {
    /// ELF file that the image loads, such as a partition's program (repeatable)
    #[arg(long = "with", value_name = "FILE")]
    pub loaded: Vec<PathBuf>,
}

impl LoadedOptions {
    /// Refuses executables where no image is run that could load them.
    ///
    /// # Errors
    /// When one is named.
    pub fn none(&self) -> anyhow::Result<()> {
        match self.loaded.is_empty() {
            true => Ok(()),
            false => Err(Failure::error(
                "--with names what an image loads, and no image is run",
                "name the image, an ELF file, or leave out --with",
            )),
        }
    }
}

/// How a board with a counter of its own is listened to.
#[derive(Args, Debug, Clone, Default)]
#[group(multiple = true, conflicts_with_all = ["baseline", "save_baseline"])]
pub struct CounterOptions {
    /// Measure on the board itself, with its console on this serial device
    #[arg(long, value_name = "DEVICE")]
    pub serial: Option<PathBuf>,
    /// Start the image with this program, with the image as its last argument; without --serial it
    /// prints the board's console
    #[arg(long, value_name = "COMMAND")]
    pub probe: Option<String>,
    /// Read a console output that a board printed before
    #[arg(long, value_name = "FILE", conflicts_with_all = ["serial", "probe"])]
    pub recorded: Option<PathBuf>,
}

impl CounterOptions {
    /// Whether any of them is there.
    pub const fn any(&self) -> bool {
        self.serial.is_some() || self.probe.is_some() || self.recorded.is_some()
    }
}

/// Suites of `bench`.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    /// The kernel's operations, in counts
    Kernel,
    /// The calls of threads in partitions, in counts
    User,
    /// The calls of threads in partitions with budgets, in counts
    Budgets,
    /// The seven tests of Thread-Metric: yields, resumes, interrupts, messages, semaphores, memory
    /// (mps2-an386)
    ThreadMetric,
    /// The simulator's speed on this machine
    Simulation,
}

/// Interfaces that a program can call.
#[derive(ValueEnum, Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Interface {
    /// The kernel's own, in Rust
    #[default]
    Rust,
    /// The kernel's own, in C
    #[value(name = "taktos.h")]
    Taktos,
    /// The standard's, in C
    CmsisRtos2,
}

/// The papers that can be repeated.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Scheduling and context switch
    Switch,
    /// Synchronous message passing in fixed time
    Ipc,
    /// Spacecraft tasks on several processors
    Smp,
    /// Response times of mechanisms
    Mechanisms,
    /// Real-time guests under each scheduler of a hypervisor
    Hypervisor,
    /// A controller of EtherCAT in a guest; takes hours
    Ethercat,
    /// All of them
    All,
}

#[cfg(test)]
mod fuzz;

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_example_is_understood() {
        let mut seen = 0;
        for page in pages(Arguments::command()) {
            for line in page.lines().filter(|line| line.starts_with("  taktos")) {
                let words = line.trim().split("   ").next().unwrap_or_default();
                let read = Arguments::try_parse_from(words.split(' '));
                assert!(read.is_ok(), "{words}");
                seen += 1;
            }
        }
        assert!(seen > 25, "{seen}");
    }

    /// The examples after the help of a command and of those below it.
    fn pages(command: clap::Command) -> Vec<String> {
        let own = command.get_after_help().map(ToString::to_string);
        let below = command.get_subcommands().cloned().flat_map(pages);
        own.into_iter().chain(below).collect()
    }

    #[test]
    fn a_negative_number_is_called_one() {
        for (line, cause) in [
            ("sim x.toml --cpus -1", Some("-1 behind --cpus is negative")),
            (
                "sim x.toml --for -10s",
                Some("-10s behind --for is negative"),
            ),
            (
                "generate --utilisation -0.5",
                Some("-0.5 behind --utilisation is negative"),
            ),
            ("latency --loops -3", Some("-3 behind --loops is negative")),
            ("sim x.toml --cpus 65", None),
            ("sim x.toml -c 1", None),
        ] {
            let words: Vec<OsString> = ["taktos"]
                .into_iter()
                .chain(line.split(' '))
                .map(Into::into)
                .collect();
            let error = Arguments::try_parse_from(&words).unwrap_err();
            let found = negative(&error, &words).map(|error| error.to_string());
            assert_eq!(found.as_deref(), cause, "{line}");
        }
    }
}
