//! Owns: what the tool says of the machine and its partitions.
//! Must never know: how it is written down in a file.
//!
//! Times are in nanoseconds, sizes in bytes, sets of processors are bit masks. Counts say how
//! many records of each array mean anything.

/// A machine, cut into partitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Description {
    /// How many processors there are, 1 to [`Description::CPUS`].
    pub cpus: u8,
    /// How close ahead the hypervisor lets its timer be set; zero for no floor.
    pub timer_floor: u64,
    /// The partition that the console's input goes to at first.
    pub input: u8,
    /// How many `pools` there are.
    pub pool_count: u8,
    /// How many `partitions` there are.
    pub partition_count: u8,
    /// How many `vcpus` there are.
    pub vcpu_count: u8,
    /// How many `channels` there are.
    pub channel_count: u8,
    /// The pools of processors.
    pub pools: [Pool; Self::POOLS],
    /// The partitions.
    pub partitions: [Partition; Self::PARTITIONS],
    /// The virtual processors, those of a partition one after another.
    pub vcpus: [VcpuRecord; Self::VCPUS],
    /// The channels.
    pub channels: [Channel; Self::CHANNELS],
}

impl Description {
    /// The most processors.
    pub const CPUS: usize = 4;
    /// The most pools.
    pub const POOLS: usize = 4;
    /// The most partitions.
    pub const PARTITIONS: usize = 8;
    /// The most virtual processors of all partitions.
    pub const VCPUS: usize = 16;
    /// The most channels.
    pub const CHANNELS: usize = 8;

    /// One processor and nothing on it. In each array, the entries beyond its count have these
    /// values.
    pub const EMPTY: Self = Self {
        cpus: 1,
        timer_floor: 0,
        input: 0,
        pool_count: 0,
        partition_count: 0,
        vcpu_count: 0,
        channel_count: 0,
        pools: [Pool::EMPTY; Self::POOLS],
        partitions: [Partition::EMPTY; Self::PARTITIONS],
        vcpus: [VcpuRecord::EMPTY; Self::VCPUS],
        channels: [Channel::EMPTY; Self::CHANNELS],
    };

    /// The pools that there are.
    pub fn pools(&self) -> &[Pool] {
        counted(&self.pools, self.pool_count)
    }

    /// The partitions that there are.
    pub fn partitions(&self) -> &[Partition] {
        counted(&self.partitions, self.partition_count)
    }

    /// The virtual processors that there are.
    pub fn vcpus(&self) -> &[VcpuRecord] {
        counted(&self.vcpus, self.vcpu_count)
    }

    /// The channels that there are.
    pub fn channels(&self) -> &[Channel] {
        counted(&self.channels, self.channel_count)
    }
}

/// The records that a count speaks of; all if it is too large.
pub(super) fn counted<T>(records: &[T], count: u8) -> &[T] {
    &records[..records.len().min(usize::from(count))]
}

/// Processors with one scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pool {
    /// Its processors; the pools' sets are disjoint.
    pub cpus: u64,
    /// Its scheduler.
    pub policy: Policy,
}

impl Pool {
    /// No processor.
    pub const EMPTY: Self = Self {
        cpus: 0,
        policy: Policy::Null,
    };
}

/// A scheduler and the parameters that are the pool's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there are four, and no memory to put the table elsewhere"
)]
pub enum Policy {
    /// CREDIT.
    Credit {
        /// The length of a slice.
        slice: u64,
        /// How long a running unit is left alone.
        ratelimit: u64,
        /// How long after it ran a unit is not stolen.
        migration_delay: u64,
        /// Whether processors steal from each other and units are placed again.
        balance: bool,
    },
    /// CREDIT2.
    Credit2 {
        /// How long a running unit is left alone.
        ratelimit: u64,
        /// Whether units go to other run queues, of which there is one a processor then;
        /// without, all processors share one.
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
        frame: u64,
        /// How many `windows` there are.
        count: u8,
        /// The windows, one after another.
        windows: [Window; 16],
    },
}

/// A window of ARINC 653's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The unit, by its number in [`Description::vcpus`].
    pub vcpu: u8,
    /// How long it lasts.
    pub length: u64,
}

impl Window {
    /// No time.
    pub const EMPTY: Self = Self { vcpu: 0, length: 0 };
}

/// A partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partition {
    /// Its name in UTF-8, filled up with zeros.
    pub name: [u8; 16],
    /// Its pool.
    pub pool: u8,
    /// Its first virtual processor, and how many it has (at least one).
    pub first_vcpu: u8,
    /// See `first_vcpu`.
    pub vcpus: u8,
    /// Its weight for CREDIT and CREDIT2.
    pub weight: u32,
    /// The most it may use of a processor, in percent; zero for no limit. CREDIT, CREDIT2.
    pub cap: u32,
    /// Where its memory is located in the machine, on a border of 2 MiB; in its own space it is at
    /// [`super::layout::MEMORY`].
    pub memory: u64,
    /// How much memory it has, a multiple of 2 MiB.
    pub bytes: u64,
    /// The pieces that are copied into its memory at each start.
    pub segments: [Segment; 4],
    /// How many `segments` there are.
    pub segment_count: u8,
    /// Where it starts, in its own space.
    pub entry: u64,
    /// The value in x0 at its start: the address of its device tree.
    pub argument: u64,
    /// Whether waiting for interrupts is trapped.
    pub wait: Wait,
    /// The action after a fault of the partition.
    pub on_fault: OnStop,
    /// The action after the partition resets itself.
    pub on_reset: OnStop,
    /// Whether it has a console.
    pub console: bool,
    /// Devices of the machine that are its own.
    pub devices: [Device; 4],
    /// How many `devices` there are.
    pub device_count: u8,
}

impl Partition {
    /// The weight of a partition that was given none.
    pub const WEIGHT: u32 = 256;

    /// Nothing.
    pub const EMPTY: Self = Self {
        name: [0; 16],
        pool: 0,
        first_vcpu: 0,
        vcpus: 0,
        weight: Self::WEIGHT,
        cap: 0,
        memory: 0,
        bytes: 0,
        segments: [Segment::EMPTY; 4],
        segment_count: 0,
        entry: 0,
        argument: 0,
        wait: Wait::Trapped,
        on_fault: OnStop::Stay,
        on_reset: OnStop::Stay,
        console: false,
        devices: [Device::EMPTY; 4],
        device_count: 0,
    };

    /// Returns the pieces that are copied.
    pub fn segments(&self) -> &[Segment] {
        counted(&self.segments, self.segment_count)
    }

    /// Its devices.
    pub fn devices(&self) -> &[Device] {
        counted(&self.devices, self.device_count)
    }

    /// Its name as a text; as far as it is one.
    pub fn name(&self) -> &str {
        let length = self.name.iter().position(|byte| *byte == 0);
        let bytes = &self.name[..length.unwrap_or(self.name.len())];
        match core::str::from_utf8(bytes) {
            Ok(name) => name,
            Err(error) => core::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
        }
    }
}

/// A piece that is copied into a partition's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Where it is kept in the machine.
    pub store: u64,
    /// How long it is.
    pub bytes: u64,
    /// Where it goes in the partition's space.
    pub at: u64,
}

impl Segment {
    /// Nothing.
    pub const EMPTY: Self = Self {
        store: 0,
        bytes: 0,
        at: 0,
    };
}

/// A device of the machine in a partition's space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Device {
    /// Where it is located in the machine and in the partition's space, on a page's border.
    pub at: u64,
    /// How long it is, in whole pages.
    pub bytes: u64,
    /// Its interrupt (a shared one, 32 and above), physically and virtually; zero for none.
    pub interrupt: u32,
}

impl Device {
    /// None.
    pub const EMPTY: Self = Self {
        at: 0,
        bytes: 0,
        interrupt: 0,
    };
}

/// How a virtual processor waits for interrupts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// The hypervisor lets others run.
    Trapped,
    /// The processor itself waits: for those that have it to themselves.
    Native,
}

/// The action for a partition that stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnStop {
    /// It stays so.
    Stay,
    /// It is started again, this many times at most.
    Restart(u32),
}

/// A virtual processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VcpuRecord {
    /// Its partition.
    pub partition: u8,
    /// Where it may run.
    pub hard: u64,
    /// Where it had better run.
    pub soft: u64,
    /// Its server, for RTDS and SEDF.
    pub server: Server,
}

impl VcpuRecord {
    /// A record that no partition uses.
    pub const EMPTY: Self = Self {
        partition: 0,
        hard: 0,
        soft: 0,
        server: Server::EMPTY,
    };
}

/// A server: a budget in each period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Server {
    /// The period.
    pub period: u64,
    /// RTDS's budget, SEDF's slice.
    pub budget: u64,
    /// Whether it may use more if no other unit wants it.
    pub extra: bool,
    /// SEDF's weight; zero for none.
    pub weight: u32,
}

impl Server {
    /// None.
    pub const EMPTY: Self = Self {
        period: 0,
        budget: 0,
        extra: false,
        weight: 0,
    };
}

/// A link between two partitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Its memory in the machine, on a page's border.
    pub memory: u64,
    /// How much, in whole pages, at most [`super::layout::CHANNEL_MEMORY_STRIDE`].
    pub bytes: u64,
    /// Its two ends.
    pub ends: [End; 2],
}

impl Channel {
    /// None.
    pub const EMPTY: Self = Self {
        memory: 0,
        bytes: 0,
        ends: [End::EMPTY; 2],
    };
}

/// An end of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// The partition that has this end.
    pub partition: u8,
    /// How it looks there.
    pub linkage: Linkage,
}

impl End {
    /// An end that no partition uses.
    pub const EMPTY: Self = Self {
        partition: 0,
        linkage: Linkage::Memory,
    };
}

/// How a channel looks in a partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// Its memory, and a doorbell. The memory holds a pair of rings if the channel is a FIFO.
    Memory,
    /// A PL011: the hypervisor moves its bytes to and from the rings.
    Uart,
}
