//! Owns: which descriptions make sense: what a hypervisor may rely on.
//! Must never know: how much memory the machine has; whether servers are admitted.

use super::layout::{
    CHANNEL_INTERRUPT, CHANNEL_MEMORY, CHANNEL_MEMORY_STRIDE, CHANNEL_UART, CHANNEL_UART_STRIDE,
    CONSOLE, CONSOLE_INTERRUPT, DISTRIBUTOR, END, MEMORY, PARTITIONS,
};
use super::{Channel, Description, Device, Partition, Policy, Pool, Server, VcpuRecord, Window};

/// The size of a page. Devices and channels are located on its borders.
const PAGE: u64 = 0x1000;
/// The border on which partitions' memory is located.
const BLOCK: u64 = 0x20_0000;
/// Where the machine's physical addresses end: the largest of the processors (Cortex-A53: 40 bits).
const PHYSICAL_END: u64 = 1 << 40;
const MILLISECOND: u64 = 1_000_000;
/// Shared interrupts that a partition can have: those of the virtual controller.
const SHARED_INTERRUPTS: core::ops::Range<u32> = 32..96;

/// Whether checks are skipped that do not concern memory and the numbers of records: of the names,
/// and of the parameters, which the schedulers check themselves. They are skipped in images, where
/// the size of text counts, and which the tool gives only descriptions that it has checked.
const TRUSTING: bool = cfg!(target_os = "none");

/// A fault of a description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The kind of record.
    pub kind: Kind,
    /// Its number.
    pub number: u8,
    /// The fault, as text.
    pub what: &'static str,
}

/// The kinds of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The machine as a whole.
    Machine,
    /// A pool of processors.
    Pool,
    /// A partition.
    Partition,
    /// A virtual processor.
    Vcpu,
    /// A channel.
    Channel,
}

impl core::fmt::Display for Fault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let kind = match self.kind {
            Kind::Machine => return write!(f, "the machine {}", self.what),
            Kind::Pool => "pool",
            Kind::Partition => "partition",
            Kind::Vcpu => "VCPU",
            Kind::Channel => "channel",
        };
        write!(f, "{kind} {} {}", self.number, self.what)
    }
}

impl core::error::Error for Fault {}

/// The result of an invariant: its text if it does not hold. The caller knows the record's kind and
/// number.
type Law = Result<(), &'static str>;

/// Returns the result of an invariant. Images keep no text for each invariant: the tool has
/// reported it before, and all invariants then fail in one way.
const fn law(holds: bool, otherwise: &'static str) -> Law {
    match holds {
        true => Ok(()),
        false if cfg!(target_os = "none") => Err(""),
        false => Err(otherwise),
    }
}

fn of(kind: Kind, number: usize) -> impl Fn(&'static str) -> Fault {
    move |what| Fault {
        kind,
        number: number as u8,
        what,
    }
}

/// Applies the invariants of a kind to each of its records.
fn each<T>(kind: Kind, records: &[T], laws: impl Fn(usize, &T) -> Law) -> Result<(), Fault> {
    let mut records = records.iter().enumerate();
    records.try_for_each(|(number, record)| laws(number, record).map_err(of(kind, number)))
}

impl Description {
    /// Whether the description is consistent: counts fit, numbers name records, and parameters are
    /// in their ranges (those of `taktos_schedule::vcpu`). Sets of processors are disjoint, and
    /// memory is aligned and belongs to one partition alone. Segments and entries are in their
    /// partition.
    ///
    /// It does not say whether servers are admitted, nor whether the machine has so much
    /// memory. Bound: the square of the number of records.
    ///
    /// # Errors
    /// The first [`Fault`].
    #[inline(never)]
    pub fn check(&self) -> Result<(), Fault> {
        self.machine().map_err(of(Kind::Machine, 0))?;
        each(Kind::Pool, self.pools(), |number, pool| {
            self.pool(number, pool)
        })?;
        each(Kind::Partition, self.partitions(), |number, partition| {
            self.partition(number, partition)
        })?;
        each(Kind::Vcpu, self.vcpus(), |number, vcpu| {
            self.vcpu(number, vcpu)
        })?;
        each(Kind::Channel, self.channels(), |_, channel| {
            self.channel(channel)
        })?;
        self.apart()
    }

    fn machine(&self) -> Law {
        law(
            (1..=Self::CPUS).contains(&usize::from(self.cpus)),
            "has no processor or too many",
        )?;
        let fits = usize::from(self.pool_count) <= Self::POOLS
            && usize::from(self.partition_count) <= Self::PARTITIONS
            && usize::from(self.vcpu_count) <= Self::VCPUS
            && usize::from(self.channel_count) <= Self::CHANNELS;
        law(fits, "has more records than there is room for")?;
        law(self.partition_count > 0, "has no partition")?;
        law(
            self.input < self.partition_count,
            "gives its input to no partition",
        )?;
        law(self.timer_floor <= MILLISECOND, "has a floor above 1 ms")?;
        let theirs = self
            .partitions()
            .iter()
            .map(|one| usize::from(one.vcpus))
            .sum();
        law(
            usize::from(self.vcpu_count) == theirs,
            "has VCPUs that are nobody's",
        )
    }

    fn pool(&self, number: usize, pool: &Pool) -> Law {
        law(pool.cpus != 0, "has no processor")?;
        law(
            pool.cpus >> self.cpus == 0,
            "has a processor that there is not",
        )?;
        let others = &self.pools()[..number];
        law(
            others.iter().all(|other| other.cpus & pool.cpus == 0),
            "has a processor of another pool",
        )?;
        match pool.policy {
            _ if TRUSTING => Ok(()),
            Policy::Credit {
                slice,
                ratelimit,
                migration_delay,
                ..
            } => credit(slice, ratelimit, migration_delay),
            Policy::Credit2 { ratelimit, .. } => rate(ratelimit),
            Policy::Rtds | Policy::Sedf | Policy::Null => Ok(()),
            Policy::Arinc653 {
                frame,
                count,
                ref windows,
            } => {
                let windows = windows.get(..usize::from(count));
                let windows = windows.ok_or("has too many windows")?;
                self.table(number, frame, windows)
            }
        }
    }

    fn table(&self, pool: usize, frame: u64, windows: &[Window]) -> Law {
        law(!windows.is_empty(), "has no window")?;
        let mut sum = 0u64;
        for window in windows {
            law(window.length > 0, "has a window without length")?;
            sum = sum.saturating_add(window.length);
            let vcpu = self.vcpus().get(usize::from(window.vcpu));
            let own = vcpu.and_then(|vcpu| self.pool_of(vcpu));
            law(
                own.is_some_and(|(number, _)| number == pool),
                "has a window of a VCPU that is not in it",
            )?;
        }
        law(
            sum <= frame && frame < 1 << 60,
            "has a frame shorter than its windows, or too long",
        )
    }

    /// The pool of a virtual processor, and its number.
    fn pool_of(&self, vcpu: &VcpuRecord) -> Option<(usize, &Pool)> {
        let partition = self.partitions().get(usize::from(vcpu.partition))?;
        let number = usize::from(partition.pool);
        Some((number, self.pools().get(number)?))
    }

    fn partition(&self, number: usize, partition: &Partition) -> Law {
        let others = &self.partitions()[..number];
        if !TRUSTING {
            name(partition, others)?;
        }
        law(partition.pool < self.pool_count, "is in no pool")?;
        law(partition.vcpus > 0, "has no VCPU")?;
        let first: usize = others.iter().map(|other| usize::from(other.vcpus)).sum();
        law(
            usize::from(partition.first_vcpu) == first,
            "has VCPUs at another place",
        )?;
        if !TRUSTING {
            share(partition)?;
        }
        memory(partition)?;
        segments(partition)?;
        self.devices(number, partition)
    }

    fn devices(&self, number: usize, partition: &Partition) -> Law {
        law(
            usize::from(partition.device_count) <= partition.devices.len(),
            "has too many devices",
        )?;
        for (place, device) in partition.devices().iter().enumerate() {
            self::device(device)?;
            let before = self.partitions()[..number]
                .iter()
                .flat_map(Partition::devices);
            let mut others = before.chain(&partition.devices()[..place]);
            let apart = |other: &Device| {
                let both = overlap(other.at, other.bytes, device.at, device.bytes);
                let same = device.interrupt != 0 && other.interrupt == device.interrupt;
                !both && !same
            };
            law(others.all(apart), "has a device of somebody")?;
        }
        Ok(())
    }

    fn vcpu(&self, number: usize, vcpu: &VcpuRecord) -> Law {
        let partition = self.partitions().get(usize::from(vcpu.partition));
        let own = partition.is_some_and(|partition| {
            let first = usize::from(partition.first_vcpu);
            (first..first + usize::from(partition.vcpus)).contains(&number)
        });
        law(own, "is not where its partition has it")?;
        let (_, pool) = self.pool_of(vcpu).ok_or("is in no pool")?;
        law(
            vcpu.hard & pool.cpus != 0,
            "may run on no processor of its pool",
        )?;
        match pool.policy {
            _ if TRUSTING => Ok(()),
            Policy::Rtds => rtds(&vcpu.server),
            Policy::Sedf => sedf(&vcpu.server),
            _ => Ok(()),
        }
    }

    fn channel(&self, channel: &Channel) -> Law {
        let [one, other] = channel.ends.map(|end| end.partition);
        law(one != other, "has both ends in one partition")?;
        law(
            one.max(other) < self.partition_count,
            "has an end in no partition",
        )?;
        law(
            channel.bytes.is_power_of_two()
                && (PAGE..=CHANNEL_MEMORY_STRIDE).contains(&channel.bytes),
            "has a length out of range",
        )?;
        physical(channel.memory, channel.bytes, PAGE)
    }

    /// Partitions' memory and channels are each others', and no store is in them.
    fn apart(&self) -> Result<(), Fault> {
        let partitions = self.partitions().iter().enumerate();
        let partitions =
            partitions.map(|(number, one)| (Kind::Partition, number, one.memory, one.bytes));
        let channels = self.channels().iter().enumerate();
        let channels = channels.map(|(number, one)| (Kind::Channel, number, one.memory, one.bytes));
        let places = partitions.chain(channels);
        for (place, (kind, number, at, bytes)) in places.clone().enumerate() {
            for (_, _, other, length) in places.clone().take(place) {
                law(
                    !overlap(at, bytes, other, length),
                    "has memory of somebody else",
                )
                .map_err(of(kind, number))?;
            }
            for (number, partition) in self.partitions().iter().enumerate() {
                for segment in partition.segments() {
                    law(
                        !overlap(at, bytes, segment.store, segment.bytes),
                        "keeps a segment in memory of somebody",
                    )
                    .map_err(of(Kind::Partition, number))?;
                }
            }
        }
        Ok(())
    }
}

/// Whether two ranges that do not pass the end of the space have a byte in common.
const fn overlap(at: u64, bytes: u64, other: u64, length: u64) -> bool {
    at < other.saturating_add(length) && other < at.saturating_add(bytes)
}

fn physical(at: u64, bytes: u64, border: u64) -> Law {
    law(at.is_multiple_of(border), "does not lie on a border")?;
    let end = at.checked_add(bytes);
    law(
        at >= PARTITIONS && end.is_some_and(|end| end <= PHYSICAL_END),
        "lies outside the partitions' part of the machine's memory",
    )
}

fn share(partition: &Partition) -> Law {
    law(
        (1..=65_535).contains(&partition.weight),
        "has a weight out of range",
    )?;
    law(
        partition.cap <= 100 * u32::from(partition.vcpus),
        "has a cap above what its VCPUs can use",
    )
}

fn name(partition: &Partition, others: &[Partition]) -> Law {
    let mut parts = partition.name.split(|byte| *byte == 0);
    let name = parts.next().unwrap_or_default();
    let rest = partition.name.get(name.len()..).unwrap_or_default();
    let good = !name.is_empty() && rest.iter().all(|byte| *byte == 0);
    law(good && is_text(name), "has no name")?;
    law(
        others.iter().all(|other| other.name != partition.name),
        "has the name of another",
    )
}

/// Whether it is UTF-8 without control characters.
fn is_text(name: &[u8]) -> bool {
    core::str::from_utf8(name).is_ok_and(|name| !name.contains(char::is_control))
}

fn memory(partition: &Partition) -> Law {
    law(
        partition.bytes > 0
            && partition.bytes.is_multiple_of(BLOCK)
            && partition.bytes <= END - MEMORY,
        "has a length of memory out of range",
    )?;
    physical(partition.memory, partition.bytes, BLOCK)?;
    law(
        within(partition, partition.entry, 4) && partition.entry.is_multiple_of(4),
        "starts outside its memory",
    )?;
    law(
        partition.argument == 0 || within(partition, partition.argument, 1),
        "has its device tree outside its memory",
    )
}

/// Whether that number of bytes from there on is in the partition's memory, in its own space.
fn within(partition: &Partition, at: u64, bytes: u64) -> bool {
    let end = at.checked_add(bytes);
    at >= MEMORY && end.is_some_and(|end| end <= MEMORY + partition.bytes)
}

fn segments(partition: &Partition) -> Law {
    law(
        usize::from(partition.segment_count) <= partition.segments.len(),
        "has too many segments",
    )?;
    for (place, segment) in partition.segments().iter().enumerate() {
        law(
            segment.bytes > 0 && within(partition, segment.at, segment.bytes),
            "has a segment outside its memory",
        )?;
        physical(segment.store, segment.bytes, 1)?;
        let mut others = partition.segments()[..place].iter();
        law(
            others.all(|other| !overlap(other.at, other.bytes, segment.at, segment.bytes)),
            "has segments one over another",
        )?;
    }
    Ok(())
}

/// Addresses that the hypervisor itself shows to guests, and the machine's own interrupt
/// controller.
const EMULATED: [(u64, u64); 4] = [
    (DISTRIBUTOR, CONSOLE - DISTRIBUTOR),
    (CONSOLE, PAGE),
    (
        CHANNEL_UART,
        Description::CHANNELS as u64 * CHANNEL_UART_STRIDE,
    ),
    (
        CHANNEL_MEMORY,
        Description::CHANNELS as u64 * CHANNEL_MEMORY_STRIDE,
    ),
];

fn device(device: &Device) -> Law {
    let whole = device.at.is_multiple_of(PAGE)
        && device.bytes.is_multiple_of(PAGE)
        && device.bytes > 0
        && device
            .at
            .checked_add(device.bytes)
            .is_some_and(|end| end <= MEMORY);
    law(
        whole,
        "has a device that is no whole pages below the memory",
    )?;
    let mut emulated = EMULATED.iter();
    law(
        emulated.all(|(at, bytes)| !overlap(*at, *bytes, device.at, device.bytes)),
        "has a device where the hypervisor's own are",
    )?;
    let channels = CHANNEL_INTERRUPT..CHANNEL_INTERRUPT + Description::CHANNELS as u32;
    let free = SHARED_INTERRUPTS.contains(&device.interrupt)
        && device.interrupt != CONSOLE_INTERRUPT
        && !channels.contains(&device.interrupt);
    law(
        device.interrupt == 0 || free,
        "has a device whose interrupt is not free",
    )
}

/// Zero, or 100 µs to 500 ms (spec 05, section 9).
fn rate(ratelimit: u64) -> Law {
    law(
        ratelimit == 0 || (100_000..=500 * MILLISECOND).contains(&ratelimit),
        "has a rate limit out of range",
    )
}

fn credit(slice: u64, ratelimit: u64, migration_delay: u64) -> Law {
    rate(ratelimit)?;
    law(
        slice.is_multiple_of(MILLISECOND)
            && (MILLISECOND..=1000 * MILLISECOND).contains(&slice)
            && ratelimit <= slice,
        "has a slice out of range",
    )?;
    law(
        migration_delay <= 100 * MILLISECOND,
        "has a migration delay out of range",
    )
}

/// 10 µs and more, of which 10 µs and more are its own.
fn rtds(server: &Server) -> Law {
    law(
        (10_000..=server.period).contains(&server.budget) && server.period < 1 << 60,
        "has a budget out of range",
    )
}

/// A weight; or a period of 10 µs to 10 s, of which 5 µs and more, or nothing, are its own.
fn sedf(server: &Server) -> Law {
    if server.weight > 0 {
        return law(server.weight <= 65_535, "has a weight out of range");
    }
    law(
        (10_000..=10_000 * MILLISECOND).contains(&server.period),
        "has a period out of range",
    )?;
    law(
        server.budget == 0 || (5_000..=server.period).contains(&server.budget),
        "has a slice out of range",
    )
}
