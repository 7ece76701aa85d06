//! Owns: reading partitions: what they run, what they have.
//! Must never know: whether there is space for all of them.

use std::path::{Path, PathBuf};

use taktos_abi::vm::{Description, OnStop, Wait};
use taktos_simulate::file::reader::{Entry, Table};
use taktos_simulate::file::{FileError, named, suggest};

use super::text::{self, address, optional, size_of};
use super::{Device, Flavour, Image, Partition, Pool, vcpu};
use crate::tree::{self, Node};

/// Alignment of memory.
const BLOCK: u64 = 2 << 20;
const PAGE: u64 = 4096;
/// The longest name, in bytes.
const NAME: usize = 16;
/// Name of the hypervisor on the console.
const HYPERVISOR: &str = "taktos";
/// The most devices of one partition.
const DEVICES: usize = 4;

const WAITS: [(&str, Wait); 2] = [("trapped", Wait::Trapped), ("native", Wait::Native)];
const STOPS: [(&str, OnStop); 2] = [
    ("stay", OnStop::Stay),
    ("restart", OnStop::Restart(u32::MAX)),
];
const FLAVOURS: [(&str, Flavour); 2] = [("rt", Flavour::RealTime), ("ordinary", Flavour::Ordinary)];

/// The tables `[[partition]]`. Paths begin at `near`.
pub(super) fn read(
    table: &mut Table<'_>,
    pools: &[Pool],
    near: &Path,
) -> Result<Vec<Partition>, FileError> {
    let mut partitions: Vec<Partition> = Vec::new();
    for mut own in table.tables("partition")? {
        let partition = partition(&mut own, pools, near)?;
        let others = partitions.iter().map(|other| other.name.as_str());
        own.distinct("partition", &partition.name, others)?;
        if partitions.len() == Description::PARTITIONS {
            return Err(own.error("there are more than eight partitions", "leave one"));
        }
        let all = partitions.iter().chain([&partition]);
        let vcpus: usize = all.map(|partition| partition.vcpus.len()).sum();
        if vcpus > Description::VCPUS {
            let cause = format!("{}: with it there are {vcpus} virtual processors", own.what);
            return Err(own.error(cause, "the hypervisor takes 16: give fewer"));
        }
        own.finish()?;
        partitions.push(partition);
    }
    if partitions.is_empty() {
        return Err(table.error(
            "there is no partition",
            "add one: [[partition]] with name, memory and image",
        ));
    }
    Ok(partitions)
}

fn partition(table: &mut Table<'_>, pools: &[Pool], near: &Path) -> Result<Partition, FileError> {
    let name = text::name(table, "partition", "\"linux\"")?;
    if name.len() > NAME {
        let cause = format!("{}: the name is longer than 16 bytes", table.what);
        return Err(table.error(
            cause,
            "shorten it: it stands before each line of its console",
        ));
    }
    if name == HYPERVISOR {
        let cause = format!("{}: the hypervisor itself is called so", table.what);
        return Err(table.error(
            cause,
            "give it another name: its lines would look like the hypervisor's",
        ));
    }
    let pool = pool(table, pools)?;
    let memory = memory(table)?;
    let place = table
        .get("address")
        .map(|entry| block(&entry))
        .transpose()?;
    let image = image(&table.need("image", "\"taktos:spacecraft\"")?, near)?;
    let initrd = optional(table, "initrd")?.map(|path| near.join(path));
    let additions = match table.get("device-tree") {
        Some(entry) => additions(&entry, near)?,
        None => Node::default(),
    };
    let wait = table.get("wait").map(|entry| entry.choice(&WAITS));
    let stop = |entry: Option<Entry<'_>>, default| match entry {
        Some(entry) => on_stop(&entry),
        None => Ok(default),
    };
    let whole =
        |entry: Option<Entry<'_>>, most| entry.map(|entry| entry.whole(1..=most)).transpose();
    let vcpus = vcpu::read(table, &pools[pool])?;
    let cap = whole(table.get("cap"), 100 * vcpus.len() as u64)?;
    Ok(Partition {
        name,
        pool,
        memory,
        address: place,
        image,
        initrd,
        arguments: optional(table, "arguments")?,
        additions,
        devices: devices(table)?,
        wait: wait.transpose()?,
        on_fault: stop(table.get("on-fault"), OnStop::Stay)?,
        on_reset: stop(table.get("on-reset"), OnStop::Restart(u32::MAX))?,
        console: table
            .get("console")
            .map_or(Ok(true), |entry| entry.boolean())?,
        weight: whole(table.get("weight"), 65_535)?.map(|weight| weight as u32),
        cap: cap.map(|cap| cap as u32),
        vcpus,
        line: Some(table.line()),
    })
}

fn pool(table: &mut Table<'_>, pools: &[Pool]) -> Result<usize, FileError> {
    let Some(entry) = table.get("pool") else {
        if pools.len() == 1 {
            return Ok(0);
        }
        let cause = format!("{} has no `pool`, and there are several", table.what);
        return Err(table.error(
            cause,
            format!("add a line such as pool = \"{}\"", pools[0].name),
        ));
    };
    let name = entry.text()?;
    let found = pools.iter().position(|pool| pool.name == name);
    found.ok_or_else(|| {
        let hint = suggest::hint(name, pools.iter().map(|pool| pool.name.as_str()));
        entry.error(format!("is `{name}`, which is no pool"), hint)
    })
}

fn memory(table: &mut Table<'_>) -> Result<u64, FileError> {
    let entry = table.need("memory", "\"64 MiB\"")?;
    let memory = size_of(&entry)?;
    if memory == 0 || !memory.is_multiple_of(BLOCK) || memory > 3 << 30 {
        return Err(entry.error(
            "is no whole number of 2 MiB up to 3 GiB",
            "give a size such as \"16 MiB\" or \"128 MiB\"",
        ));
    }
    Ok(memory)
}

fn block(entry: &Entry<'_>) -> Result<u64, FileError> {
    let at = address(entry)?;
    if !at.is_multiple_of(BLOCK) {
        return Err(entry.error(
            "is no multiple of 2 MiB",
            "leave it: the tool finds a place; or give a multiple of 0x20_0000",
        ));
    }
    Ok(at)
}

fn image(entry: &Entry<'_>, near: &Path) -> Result<Image, FileError> {
    let text = entry.text()?;
    if let Some(name) = text.strip_prefix("taktos:") {
        let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        if name.is_empty() || !name.chars().all(letter) || name.starts_with('-') {
            return Err(entry.error(
                format!("is `{text}`, which names no program"),
                "name one of boards/virt-aarch64-guest/src/bin, such as \"taktos:spacecraft\"",
            ));
        }
        return Ok(Image::Taktos(name.to_owned()));
    }
    if let Some(name) = text.strip_prefix("debian:") {
        let found = FLAVOURS.into_iter().find(|(word, _)| *word == name);
        return found
            .map(|(_, flavour)| Image::Debian(flavour))
            .ok_or_else(|| {
                let known = ["debian:rt", "debian:ordinary"];
                let cause = format!("is `{text}`, which is not known");
                entry.error(cause, suggest::hint(text, known))
            });
    }
    if text.is_empty() {
        return Err(entry.error(
            "is empty",
            "give a path, \"taktos:NAME\", \"debian:rt\" or \"debian:ordinary\"",
        ));
    }
    Ok(Image::File(near.join(text)))
}

/// `"stay"`, `"restart"`, or how many times it is started again.
fn on_stop(entry: &Entry<'_>) -> Result<OnStop, FileError> {
    if entry.text().is_ok() {
        return entry.choice(&STOPS);
    }
    let times = entry.whole(0..=u64::from(u32::MAX))?;
    Ok(OnStop::Restart(times as u32))
}

/// A table, or the name of a file that holds one.
fn additions(entry: &Entry<'_>, near: &Path) -> Result<Node, FileError> {
    if entry.is_table() {
        return tree::additions(&entry.table()?);
    }
    let path: PathBuf = near.join(entry.text()?);
    let text = std::fs::read_to_string(&path).map_err(|cause| {
        let cause = format!("is {}, which cannot be read: {cause}", path.display());
        entry.error(
            cause,
            "name a file of properties in TOML, or write them as a table here",
        )
    })?;
    tree::additions_of(&text, &path.display().to_string())
}

fn devices(table: &mut Table<'_>) -> Result<Vec<Device>, FileError> {
    let tables = table.tables("device")?;
    if tables.len() > DEVICES {
        let cause = format!("{} has {} devices", table.what, tables.len());
        return Err(table.error(cause, "a partition can have four: leave the others"));
    }
    tables.into_iter().map(device).collect()
}

fn device(mut table: Table<'_>) -> Result<Device, FileError> {
    let name = named(&mut table, "device", "\"rtc\"")?;
    if !tree::is_name(&name) {
        let cause = format!("{}: the name is none that a device tree takes", table.what);
        return Err(table.error(cause, "take letters, digits and -, such as \"rtc\""));
    }
    let at = table.need("address", "0x0901_0000")?;
    let address = address(&at)?;
    let size = table.get("size").map(|entry| size_of(&entry)).transpose()?;
    let size = size.unwrap_or(PAGE);
    if !address.is_multiple_of(PAGE) || !size.is_multiple_of(PAGE) || size == 0 {
        return Err(at.error(
            "and size are no whole pages of 4 KiB",
            "name the whole pages that the device lies in",
        ));
    }
    let interrupt = table.get("interrupt").map(|entry| entry.whole(32..=95));
    let compatible = match table.get("compatible") {
        Some(entry) if entry.is_list() => texts(&entry)?,
        Some(entry) => vec![entry.text()?.to_owned()],
        None => Vec::new(),
    };
    let trusted = table
        .get("trusted-dma")
        .map(|entry| entry.boolean())
        .transpose()?;
    let device = Device {
        name,
        address,
        size,
        trusted_dma: trusted.unwrap_or(false),
        interrupt: interrupt.transpose()?.map(|number| number as u32),
        compatible,
        line: Some(table.line()),
    };
    table.finish()?;
    Ok(device)
}

fn texts(entry: &Entry<'_>) -> Result<Vec<String>, FileError> {
    let list = entry.list()?;
    let text = |entry: &Entry<'_>| entry.text().map(str::to_owned);
    list.iter().map(text).collect()
}
