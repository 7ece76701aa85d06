//! Service data objects: expedited, normal and segmented transfers, single values and whole objects
//! (ETG.1000.6, 5.6.2.1 to 5.6.2.7).
//!
//! Owns: commands, toggles, the transfer under way. Must never know: the set of objects.

use crate::bytes::{long, word};
use crate::dictionary::{Dictionary, Item, Value, abort};
use crate::reply::{Reply, SIZE_TOO_SHORT};

/// Bytes that one transfer may have.
const MOST_BYTES: usize = 1024;
/// Bytes of a command with index, subindex and four bytes of data.
const COMMAND: usize = 8;
/// A segment carries this many bytes at least.
const SEGMENT: usize = 7;

/// Command specifiers, the upper three bits, of the MainDevice.
const DOWNLOAD_SEGMENT: u8 = 0;
const DOWNLOAD: u8 = 1;
const UPLOAD: u8 = 2;
const UPLOAD_SEGMENT: u8 = 3;
const ABORT: u8 = 4;

/// Commands of the device.
const UPLOADED: u8 = 0x40;
const DOWNLOADED: u8 = 0x60;
const SEGMENT_UPLOADED: u8 = 0x00;
const SEGMENT_DOWNLOADED: u8 = 0x20;
const ABORTED: u8 = 0x80;

const HAS_SIZE: u8 = 1 << 0;
const EXPEDITED: u8 = 1 << 1;
const COMPLETE: u8 = 1 << 4;
const TOGGLE: u8 = 1 << 4;
const LAST: u8 = 1 << 0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    Uploading,
    Downloading,
}

/// The transfer under way.
pub(crate) struct Transfer {
    phase: Phase,
    object: Object,
    toggle: u8,
    /// Bytes that have gone, of `length`.
    at: usize,
    length: usize,
    bytes: [u8; MOST_BYTES],
}

#[derive(Clone, Copy)]
struct Object {
    index: u16,
    subindex: u8,
    is_complete: bool,
}

impl Transfer {
    pub(crate) const fn new() -> Self {
        Self {
            phase: Phase::Idle,
            object: Object {
                index: 0,
                subindex: 0,
                is_complete: false,
            },
            toggle: 0,
            at: 0,
            length: 0,
            bytes: [0; MOST_BYTES],
        }
    }

    pub(crate) fn end(&mut self) {
        self.phase = Phase::Idle;
    }

    fn begin(&mut self, phase: Phase, object: Object) {
        self.phase = phase;
        self.object = object;
        self.toggle = 0;
        self.at = 0;
        self.length = 0;
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), u32> {
        let end = self.length + bytes.len();
        let room = self.bytes.get_mut(self.length..end).ok_or(abort::MEMORY)?;
        room.copy_from_slice(bytes);
        self.length = end;
        Ok(())
    }

    /// The bytes that go next, at most `most`.
    fn next(&mut self, most: usize) -> &[u8] {
        let from = self.at;
        self.at = self.length.min(from + most);
        &self.bytes[from..self.at]
    }
}

/// Answers an SDO request; `body` holds its bytes after the CoE header.
///
/// # Errors
/// The detail of a mailbox error.
pub(crate) fn serve(
    body: &[u8],
    reply: &mut Reply<'_>,
    transfer: &mut Transfer,
    dictionary: &mut Dictionary<'_>,
) -> Result<(), u16> {
    if body.len() < COMMAND || reply.room() < COMMAND {
        return Err(SIZE_TOO_SHORT);
    }
    let object = Object {
        index: word(body, 1),
        subindex: body[3],
        is_complete: body[0] & COMPLETE != 0,
    };
    let result = match body[0] >> 5 {
        DOWNLOAD => download(body, object, reply, transfer, dictionary),
        UPLOAD => upload(object, reply, transfer, dictionary),
        DOWNLOAD_SEGMENT => download_segment(body, reply, transfer, dictionary),
        UPLOAD_SEGMENT => upload_segment(body[0], reply, transfer),
        ABORT => {
            transfer.end();
            reply.clear();
            return Ok(());
        }
        _ => Err((object, abort::COMMAND)),
    };
    if let Err((object, code)) = result {
        transfer.end();
        reply.clear();
        // An abort is a request in either direction.
        reply.put(&0x2000_u16.to_le_bytes());
        answer(reply, ABORTED, object, code);
    }
    Ok(())
}

/// An object, and why it is aborted.
type Aborted = (Object, u32);

fn answer(reply: &mut Reply<'_>, command: u8, object: Object, data: u32) {
    reply.put(&[command]);
    reply.put(&object.index.to_le_bytes());
    reply.put(&[object.subindex]);
    reply.put(&data.to_le_bytes());
}

fn upload(
    object: Object,
    reply: &mut Reply<'_>,
    transfer: &mut Transfer,
    dictionary: &Dictionary<'_>,
) -> Result<(), Aborted> {
    transfer.begin(Phase::Uploading, object);
    collect(object, transfer, dictionary).map_err(|code| (object, code))?;
    let complete = if object.is_complete { COMPLETE } else { 0 };
    let length = transfer.length;
    if (1..=4).contains(&length) {
        let unused = (4 - length as u8) << 2;
        let mut data = [0; 4];
        data[..length].copy_from_slice(&transfer.bytes[..length]);
        let command = UPLOADED | complete | unused | EXPEDITED | HAS_SIZE;
        answer(reply, command, object, u32::from_le_bytes(data));
        transfer.end();
        return Ok(());
    }
    answer(reply, UPLOADED | complete | HAS_SIZE, object, length as u32);
    let room = reply.room();
    reply.put(transfer.next(room));
    if transfer.at == transfer.length {
        transfer.end();
    }
    Ok(())
}

fn collect(
    object: Object,
    transfer: &mut Transfer,
    dictionary: &Dictionary<'_>,
) -> Result<(), u32> {
    if !object.is_complete {
        let item = dictionary.item(object.index, object.subindex)?;
        return append(transfer, &item);
    }
    check_complete(object, dictionary)?;
    for subindex in object.subindex..=dictionary.last_subindex(object.index) {
        // Subindexes that are not there leave no gap.
        if let Ok(item) = dictionary.item(object.index, subindex) {
            append(transfer, &item)?;
            if subindex == 0 {
                transfer.append(&[0])?;
            }
        }
    }
    Ok(())
}

fn check_complete(object: Object, dictionary: &Dictionary<'_>) -> Result<(), u32> {
    let can = (dictionary.model.mailbox).is_some_and(|mailbox| mailbox.complete_access);
    if !can {
        return Err(abort::UNSUPPORTED_ACCESS);
    }
    dictionary.item(object.index, 0)?;
    if object.subindex > 1 || dictionary.last_subindex(object.index) == 0 {
        return Err(abort::NO_COMPLETE_ACCESS);
    }
    Ok(())
}

fn append(transfer: &mut Transfer, item: &Item<'_>) -> Result<(), u32> {
    match item.value {
        Value::Text(text) => transfer.append(text.as_bytes()),
        Value::Number(number) => transfer.append(&number.to_le_bytes()[..item.length().min(4)]),
    }
}

fn upload_segment(
    command: u8,
    reply: &mut Reply<'_>,
    transfer: &mut Transfer,
) -> Result<(), Aborted> {
    let toggle = expect(Phase::Uploading, command, transfer)?;
    let most = reply.room() - 1;
    let is_last = transfer.length - transfer.at <= most;
    let segment = transfer.next(most);
    let unused = SEGMENT.saturating_sub(segment.len());
    let last = if is_last { LAST } else { 0 };
    reply.put(&[SEGMENT_UPLOADED | toggle | (unused as u8) << 1 | last]);
    reply.put(segment);
    reply.put(&[0; SEGMENT][..unused]);
    if is_last {
        transfer.end();
    }
    Ok(())
}

/// The toggle of a segment, which must be the one that follows.
fn expect(phase: Phase, command: u8, transfer: &mut Transfer) -> Result<u8, Aborted> {
    if transfer.phase != phase {
        return Err((transfer.object, abort::COMMAND));
    }
    let toggle = command & TOGGLE;
    if toggle != transfer.toggle {
        return Err((transfer.object, abort::TOGGLE));
    }
    transfer.toggle ^= TOGGLE;
    Ok(toggle)
}

fn download(
    body: &[u8],
    object: Object,
    reply: &mut Reply<'_>,
    transfer: &mut Transfer,
    dictionary: &mut Dictionary<'_>,
) -> Result<(), Aborted> {
    transfer.begin(Phase::Downloading, object);
    let aborted = |code| (object, code);
    let command = body[0];
    if command & EXPEDITED != 0 {
        let length = match command & HAS_SIZE {
            0 => dictionary
                .item(object.index, object.subindex)
                .map_or(4, |item| item.length().min(4)),
            _ => 4 - usize::from(command >> 2 & 3),
        };
        transfer.append(&body[4..4 + length]).map_err(aborted)?;
        transfer.at = length;
    } else {
        let size = long(body, 4) as usize;
        if size > MOST_BYTES {
            return Err(aborted(abort::MEMORY));
        }
        transfer.at = size;
        let now = size.min(body.len() - COMMAND);
        transfer
            .append(&body[COMMAND..COMMAND + now])
            .map_err(aborted)?;
    }
    if transfer.length == transfer.at {
        store(transfer, dictionary).map_err(aborted)?;
    }
    let complete = if object.is_complete { COMPLETE } else { 0 };
    answer(reply, DOWNLOADED | complete, object, 0);
    Ok(())
}

fn download_segment(
    body: &[u8],
    reply: &mut Reply<'_>,
    transfer: &mut Transfer,
    dictionary: &mut Dictionary<'_>,
) -> Result<(), Aborted> {
    let toggle = expect(Phase::Downloading, body[0], transfer)?;
    let object = transfer.object;
    let aborted = |code| (object, code);
    let unused = match body.len() - 1 {
        SEGMENT => usize::from(body[0] >> 1 & 7),
        _ => 0,
    };
    transfer
        .append(&body[1..body.len() - unused])
        .map_err(aborted)?;
    if body[0] & LAST != 0 {
        store(transfer, dictionary).map_err(aborted)?;
    } else if transfer.length >= transfer.at {
        return Err(aborted(abort::LENGTH));
    }
    reply.put(&[SEGMENT_DOWNLOADED | toggle, 0, 0, 0, 0, 0, 0, 0]);
    Ok(())
}

/// All has come: it goes into the dictionary.
fn store(transfer: &mut Transfer, dictionary: &mut Dictionary<'_>) -> Result<(), u32> {
    transfer.end();
    if transfer.length != transfer.at {
        return Err(abort::LENGTH);
    }
    let object = transfer.object;
    let bytes = &transfer.bytes[..transfer.length];
    if !object.is_complete {
        return dictionary.write(object.index, object.subindex, bytes);
    }
    check_complete(object, dictionary)?;
    store_complete(object, bytes, dictionary)
}

/// A whole object: what is counted by subindex 0 is written between its old count's end and its new
/// one.
fn store_complete(
    object: Object,
    bytes: &[u8],
    dictionary: &mut Dictionary<'_>,
) -> Result<(), u32> {
    let index = object.index;
    let (count, mut rest) = if object.subindex == 0 {
        let (head, rest) = bytes.split_at_checked(2).ok_or(abort::LENGTH)?;
        (Some(head[0]), rest)
    } else {
        (None, bytes)
    };
    let counts = dictionary.item(index, 0)?.access == crate::model::Access::ReadWrite;
    if counts && count.is_some() {
        dictionary.write(index, 0, &[0])?;
    }
    let mut subindex: u8 = 1;
    while !rest.is_empty() {
        let length = dictionary.item(index, subindex)?.length();
        let (value, more) = rest.split_at_checked(length).ok_or(abort::LENGTH)?;
        dictionary.write(index, subindex, value)?;
        rest = more;
        subindex = subindex.checked_add(1).ok_or(abort::LENGTH)?;
    }
    match count {
        Some(count) if counts => dictionary.write(index, 0, &[count]),
        _ => Ok(()),
    }
}
