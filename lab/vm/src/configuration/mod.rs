//! Owns: a machine and its partitions as a user describes them, and their file.
//! Must never know: places in memory; the contents of images.

mod admission;
mod channel;
mod check;
#[cfg(test)]
mod fuzz;
mod machine;
mod partition;
mod pool;
mod shown;
#[cfg(test)]
mod tests;
mod text;
mod vcpu;

use std::path::{Path, PathBuf};

use taktos_abi::vm::{Linkage, OnStop, Wait};
use taktos_schedule::CpuSet;
use taktos_simulate::file::reader::Table;
use taktos_simulate::file::{FileError, Source, document};
use taktos_time::Duration;

pub use text::shown_size;

use crate::tree::Node;

/// A machine, cut into partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Name of its file, for errors.
    pub file: String,
    /// Its title.
    pub title: String,
    /// Its question.
    pub question: String,
    /// The machine.
    pub machine: Machine,
    /// The pools of processors.
    pub pools: Vec<Pool>,
    /// The partitions.
    pub partitions: Vec<Partition>,
    /// The channels between them.
    pub channels: Vec<Channel>,
    /// The partition that the console's input goes to at first, by its place.
    pub input: usize,
    /// Whether it is run although servers may not get their budgets.
    pub force: bool,
}

/// The emulated machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// How many processors: 1 to 4.
    pub cpus: usize,
    /// Which.
    pub processor: Processor,
    /// Bytes of memory.
    pub memory: u64,
    /// How close ahead the hypervisor lets its timer be set.
    pub timer_floor: Duration,
    /// How far one processor may run ahead of another, in nanoseconds, where time is counted
    /// and there are several.
    pub quantum: u32,
    /// Seed of guests' random generators: the same for all.
    pub seed: u64,
    /// More arguments for the emulator, such as devices for passing through.
    pub emulator: Vec<String>,
}

/// Processors that the machine can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// Arm Cortex-A53.
    CortexA53,
    /// Arm Cortex-A57.
    CortexA57,
}

impl Processor {
    /// Its name, as the file and the emulator have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CortexA53 => "cortex-a53",
            Self::CortexA57 => "cortex-a57",
        }
    }
}

/// Processors with one scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Its name.
    pub name: String,
    /// Its processors.
    pub cpus: CpuSet,
    /// Its scheduler.
    pub policy: Policy,
    /// Its line in the file.
    pub line: Option<usize>,
}

/// A scheduler of virtual processors, and the parameters that are the pool's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// CREDIT.
    Credit {
        /// How long a unit runs at a stretch.
        slice: Duration,
        /// Time for which the running unit is not preempted.
        ratelimit: Duration,
        /// How long after it ran a unit is not stolen.
        migration_delay: Duration,
        /// Whether processors steal and units are placed again.
        balance: bool,
    },
    /// CREDIT2.
    Credit2 {
        /// Time for which the running unit is not preempted.
        ratelimit: Duration,
        /// Whether each processor has a queue of its own and units change queues; without,
        /// all share one.
        balance: bool,
    },
    /// RTDS.
    Rtds,
    /// SEDF.
    Sedf,
    /// A processor for each unit.
    Null,
    /// A table of windows.
    Arinc653 {
        /// The length of the table.
        frame: Duration,
        /// The windows, one after another.
        windows: Vec<Window>,
    },
}

impl Policy {
    /// Its name, as the file has it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Credit { .. } => "credit",
            Self::Credit2 { .. } => "credit2",
            Self::Rtds => "rtds",
            Self::Sedf => "sedf",
            Self::Null => "null",
            Self::Arinc653 { .. } => "arinc653",
        }
    }

    /// CREDIT with its defaults (spec 05, section 9).
    #[must_use]
    pub const fn credit() -> Self {
        Self::Credit {
            slice: Duration::from_millis(30),
            ratelimit: Duration::from_millis(1),
            migration_delay: Duration::ZERO,
            balance: true,
        }
    }

    /// CREDIT2 with its defaults (spec 05, section 9).
    #[must_use]
    pub const fn credit2() -> Self {
        Self::Credit2 {
            ratelimit: Duration::from_millis(1),
            balance: true,
        }
    }
}

/// A window of ARINC 653's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The partition.
    pub partition: String,
    /// Which of its virtual processors.
    pub vcpu: usize,
    /// How long it lasts.
    pub runtime: Duration,
    /// Its line in the file.
    pub line: Option<usize>,
}

/// A guest and what it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Its name.
    pub name: String,
    /// Its pool, by its place.
    pub pool: usize,
    /// Bytes of memory.
    pub memory: u64,
    /// Address of its memory in the machine; none: any free place.
    pub address: Option<u64>,
    /// Its image.
    pub image: Image,
    /// A file system that is handed to Linux, in place of the image's own.
    pub initrd: Option<PathBuf>,
    /// The words that it finds as its command line; none: the image's own.
    pub arguments: Option<String>,
    /// Additions to its device tree.
    pub additions: Node,
    /// Devices of the machine that are its own.
    pub devices: Vec<Device>,
    /// How it waits for interrupts; none: natively when its processors are its own.
    pub wait: Option<Wait>,
    /// Reaction to its fault.
    pub on_fault: OnStop,
    /// Reaction to its own reset.
    pub on_reset: OnStop,
    /// Whether it has a console.
    pub console: bool,
    /// Its weight, for CREDIT and CREDIT2.
    pub weight: Option<u32>,
    /// The most it may use, in percent of a processor, for CREDIT and CREDIT2.
    pub cap: Option<u32>,
    /// Its virtual processors.
    pub vcpus: Vec<Vcpu>,
    /// Its line in the file.
    pub line: Option<usize>,
}

/// Image of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// This file: an ELF image, or a Linux kernel for arm64.
    File(PathBuf),
    /// The project's guest image of this name.
    Taktos(String),
    /// Debian's kernel with the project's file system.
    Debian(Flavour),
}

/// Debian's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// With real-time preemption.
    RealTime,
    /// The ordinary one.
    Ordinary,
}

/// A virtual processor. A value that is not given is the policy's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vcpu {
    /// Where it may run; none: on all processors of its pool.
    pub hard_affinity: Option<CpuSet>,
    /// Where it had better run; none: as `hard_affinity`.
    pub soft_affinity: Option<CpuSet>,
    /// The period of its server.
    pub period: Option<Duration>,
    /// Its budget in a period.
    pub budget: Option<Duration>,
    /// Whether it may use more if no other unit requests it.
    pub extra_time: Option<bool>,
    /// SEDF's weight.
    pub weight: Option<u32>,
    /// Its line in the file.
    pub line: Option<usize>,
}

/// A device of the machine in a partition's space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its node in the device tree, without the address.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// How long it is.
    pub size: u64,
    /// Whether the partition is trusted with all of the machine's memory, which the device may
    /// access by itself.
    pub trusted_dma: bool,
    /// Its interrupt, 32 and above.
    pub interrupt: Option<u32>,
    /// Names by which drivers identify it.
    pub compatible: Vec<String>,
    /// Its line in the file.
    pub line: Option<usize>,
}

/// A link between two partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// The partitions, by their places.
    pub between: [usize; 2],
    /// Whether its memory holds a pair of rings.
    pub kind: ChannelKind,
    /// Bytes of memory.
    pub size: u64,
    /// Form of each end; none: as the guest's kind of image needs it.
    pub ends: Option<[Linkage; 2]>,
    /// Its line in the file.
    pub line: Option<usize>,
}

/// Use of a channel's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    /// A pair of rings of bytes.
    Fifo,
    /// Whatever its ends put there.
    Shared,
}

impl Configuration {
    /// Reads a file and checks what it says, but not whether servers are admitted: see
    /// [`Configuration::check`].
    ///
    /// # Errors
    /// [`FileError`] when it cannot be read, or what is wrong in it.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|cause| FileError {
            file: file.clone(),
            line: None,
            cause: format!("cannot be read: {cause}"),
            hint: "name a configuration, such as experiments/two-guests.toml".into(),
        })?;
        Self::parse(&text, &file)
    }

    /// Reads the text of a file as [`Configuration::read`] does. Paths in it begin where the file
    /// is.
    ///
    /// # Errors
    /// [`FileError`] with the error in it.
    pub fn parse(text: &str, file: &str) -> Result<Self, FileError> {
        let source = Source { file, text };
        let document = document(source)?;
        let mut table = Table::new(source, "the configuration", document.get_ref(), 0);
        let configuration = Self::of(&mut table, file)?;
        table.finish()?;
        configuration.check_form()?;
        Ok(configuration)
    }

    fn of(table: &mut Table<'_>, file: &str) -> Result<Self, FileError> {
        let title = text::optional(table, "title")?;
        let question = text::optional(table, "question")?;
        let force = table
            .get("force")
            .map(|entry| entry.boolean())
            .transpose()?;
        let machine = machine::read(table)?;
        let (pools, windows) = pool::read(table, &machine)?;
        let near = Path::new(file).parent().unwrap_or(Path::new(""));
        let partitions = partition::read(table, &pools, near)?;
        let pools = pool::with_windows(pools, windows, &partitions)?;
        let channels = channel::read(table, &partitions)?;
        let input = table
            .get("input")
            .map(|entry| channel::partition(&entry, &partitions));
        Ok(Self {
            file: file.to_owned(),
            title: title.unwrap_or_default(),
            question: question.unwrap_or_default(),
            machine,
            pools,
            partitions,
            channels,
            input: input.transpose()?.unwrap_or(0),
            force: force.unwrap_or(false),
        })
    }

    /// An error of this configuration.
    pub(crate) fn error(
        &self,
        line: Option<usize>,
        cause: impl AsRef<str>,
        hint: impl AsRef<str>,
    ) -> FileError {
        let source = Source {
            file: &self.file,
            text: "",
        };
        source.error_in_line(line, cause, hint)
    }
}
