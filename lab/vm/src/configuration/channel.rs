//! Owns: reading channels.
//! Must never know: the transport of bytes between the ends.

use taktos_abi::vm::{Description, Linkage, layout};
use taktos_simulate::file::reader::{Entry, Table};
use taktos_simulate::file::{FileError, suggest};

use super::text::{self, size_of};
use super::{Channel, ChannelKind, Partition};

const KINDS: [(&str, ChannelKind); 2] =
    [("fifo", ChannelKind::Fifo), ("shared", ChannelKind::Shared)];
const ENDS: [(&str, Linkage); 2] = [("memory", Linkage::Memory), ("uart", Linkage::Uart)];
/// A channel that says no size.
const SIZE: u64 = 4096;

/// The tables `[[channel]]`.
pub(super) fn read(
    table: &mut Table<'_>,
    partitions: &[Partition],
) -> Result<Vec<Channel>, FileError> {
    let mut channels: Vec<Channel> = Vec::new();
    for mut own in table.tables("channel")? {
        let channel = channel(&mut own, partitions)?;
        let others = channels.iter().map(|other| other.name.as_str());
        own.distinct("channel", &channel.name, others)?;
        if channels.len() == Description::CHANNELS {
            return Err(own.error("there are more than eight channels", "leave one"));
        }
        own.finish()?;
        channels.push(channel);
    }
    Ok(channels)
}

fn channel(table: &mut Table<'_>, partitions: &[Partition]) -> Result<Channel, FileError> {
    let name = text::name(table, "channel", "\"orders\"")?;
    let entry = table.need("between", "[\"control\", \"linux\"]")?;
    let list = entry.list()?;
    let [one, other] = list.as_slice() else {
        let cause = format!("names {} partitions", list.len());
        return Err(entry.error(cause, "name two: between = [\"control\", \"linux\"]"));
    };
    let between = [partition(one, partitions)?, partition(other, partitions)?];
    if between[0] == between[1] {
        return Err(entry.error("names one partition twice", "name two"));
    }
    let kind = table
        .get("kind")
        .map(|entry| entry.choice(&KINDS))
        .transpose()?;
    let kind = kind.unwrap_or(ChannelKind::Fifo);
    let size = table.get("size").map(|entry| size(&entry)).transpose()?;
    let ends = table
        .get("ends")
        .map(|entry| ends(&entry, kind))
        .transpose()?;
    Ok(Channel {
        name,
        between,
        kind,
        size: size.unwrap_or(SIZE),
        ends: ends.or((kind == ChannelKind::Shared).then_some([Linkage::Memory; 2])),
        line: Some(table.line()),
    })
}

/// The place of the partition of that name.
pub(super) fn partition(entry: &Entry<'_>, partitions: &[Partition]) -> Result<usize, FileError> {
    let name = entry.text()?;
    let found = partitions
        .iter()
        .position(|partition| partition.name == name);
    found.ok_or_else(|| {
        let known = partitions.iter().map(|partition| partition.name.as_str());
        let cause = format!("is `{name}`, which is no partition");
        entry.error(cause, suggest::hint(name, known))
    })
}

fn size(entry: &Entry<'_>) -> Result<u64, FileError> {
    let size = size_of(entry)?;
    if !size.is_power_of_two() || !(4096..=layout::CHANNEL_MEMORY_STRIDE).contains(&size) {
        return Err(entry.error(
            "is none that a channel can have",
            "give 4, 8, 16, 32 or 64 KiB",
        ));
    }
    Ok(size)
}

fn ends(entry: &Entry<'_>, kind: ChannelKind) -> Result<[Linkage; 2], FileError> {
    let list = entry.list()?;
    let [one, other] = list.as_slice() else {
        let cause = format!("names {} ends", list.len());
        return Err(entry.error(cause, "name two: ends = [\"memory\", \"uart\"]"));
    };
    let ends = [one.choice(&ENDS)?, other.choice(&ENDS)?];
    if kind == ChannelKind::Shared && ends != [Linkage::Memory; 2] {
        return Err(entry.error(
            "has a UART at shared memory",
            "take kind = \"fifo\", or leave the ends",
        ));
    }
    Ok(ends)
}
