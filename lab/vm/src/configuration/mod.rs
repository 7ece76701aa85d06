//! Owns: a machine and its partitions as somebody wants them, and their file.
//! Must never know: where anything will lie in memory; what images hold.

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
    /// What its file is called, for errors.
    pub file: String,
    /// What it is called.
    pub title: String,
    /// What it asks.
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
    /// What guests' random generators begin with: the same for all.
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
    /// What it is called.
    pub name: String,
    /// Its processors.
    pub cpus: CpuSet,
    /// Its scheduler.
    pub policy: Policy,
    /// Where it stands in the file.
    pub line: Option<usize>,
}

/// A scheduler of virtual processors, and the parameters that are the pool's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// CREDIT.
    Credit {
        /// How long a unit runs at a stretch.
        slice: Duration,
        /// How long who runs is left alone.
        ratelimit: Duration,
        /// How long after it ran a unit is not stolen.
        migration_delay: Duration,
        /// Whether processors steal and units are placed anew.
        balance: bool,
    },
    /// CREDIT2.
    Credit2 {
        /// How long who runs is left alone.
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
    /// Where it stands in the file.
    pub line: Option<usize>,
}

/// A guest and what it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// What it is called.
    pub name: String,
    /// Its pool, by its place.
    pub pool: usize,
    /// Bytes of memory.
    pub memory: u64,
    /// Where its memory lies in the machine; none: where there is room.
    pub address: Option<u64>,
    /// What it runs.
    pub image: Image,
    /// A file system that is handed to Linux, in place of the image's own.
    pub initrd: Option<PathBuf>,
    /// The words that it finds as its command line; none: the image's own.
    pub arguments: Option<String>,
    /// What its device tree has besides.
    pub additions: Node,
    /// Devices of the machine that are its own.
    pub devices: Vec<Device>,
    /// How it waits for interrupts; none: natively when its processors are its own.
    pub wait: Option<Wait>,
    /// What happens when it faults.
    pub on_fault: OnStop,
    /// What happens when it resets itself.
    pub on_reset: OnStop,
    /// Whether it has a console.
    pub console: bool,
    /// Its weight, for CREDIT and CREDIT2.
    pub weight: Option<u32>,
    /// The most it may use, in percent of a processor, for CREDIT and CREDIT2.
    pub cap: Option<u32>,
    /// Its virtual processors.
    pub vcpus: Vec<Vcpu>,
    /// Where it stands in the file.
    pub line: Option<usize>,
}

/// What a partition runs.
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

/// A virtual processor. What is not said has the policy's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vcpu {
    /// Where it may run; none: on all processors of its pool.
    pub hard_affinity: Option<CpuSet>,
    /// Where it had better run; none: as `hard_affinity`.
    pub soft_affinity: Option<CpuSet>,
    /// The period of its server.
    pub period: Option<Duration>,
    /// What it has in a period.
    pub budget: Option<Duration>,
    /// Whether it may use more when nobody else wants it.
    pub extra_time: Option<bool>,
    /// SEDF's weight.
    pub weight: Option<u32>,
    /// Where it stands in the file.
    pub line: Option<usize>,
}

/// A device of the machine in a partition's space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its node in the device tree, without the address.
    pub name: String,
    /// Where it lies.
    pub address: u64,
    /// How long it is.
    pub size: u64,
    /// Whoever has it is trusted with all of the machine's memory, which the device may reach by itself.
    pub trusted_dma: bool,
    /// Its interrupt, 32 and above.
    pub interrupt: Option<u32>,
    /// What drivers know it by.
    pub compatible: Vec<String>,
    /// Where it stands in the file.
    pub line: Option<usize>,
}

/// A link between two partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// What it is called.
    pub name: String,
    /// The partitions, by their places.
    pub between: [usize; 2],
    /// Whether its memory holds a pair of rings.
    pub kind: ChannelKind,
    /// Bytes of memory.
    pub size: u64,
    /// How each end looks; none: as the guest's kind of image wants it.
    pub ends: Option<[Linkage; 2]>,
    /// Where it stands in the file.
    pub line: Option<usize>,
}

/// What a channel's memory is for.
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
            mend: "name a configuration, such as experiments/two-guests.toml".into(),
        })?;
        Self::parse(&text, &file)
    }

    /// The same from the text of a file. Paths in it begin where the file is.
    ///
    /// # Errors
    /// [`FileError`] with what is wrong in it.
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
        mend: impl AsRef<str>,
    ) -> FileError {
        let source = Source {
            file: &self.file,
            text: "",
        };
        source.error_in_line(line, cause, mend)
    }
}
