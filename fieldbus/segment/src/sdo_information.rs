//! SDO information: the list of objects, and what each is (ETG.1000.6, 5.6.3).
//!
//! Owns: the service's messages, and a list that takes several. Must never know: the origin of
//! objects.

use crate::bytes::word;
use crate::dictionary::{Dictionary, abort};
use crate::model::{Access, Direction};
use crate::reply::{Reply, SIZE_TOO_SHORT};

const LIST: u8 = 1;
const LIST_REPLY: u8 = 2;
const OBJECT: u8 = 3;
const OBJECT_REPLY: u8 = 4;
const ENTRY: u8 = 5;
const ENTRY_REPLY: u8 = 6;
const ERROR: u8 = 7;
/// More fragments follow.
const INCOMPLETE: u8 = 0x80;

/// Bytes of the service's header, and its place in a reply, after the CoE header.
const HEADER: usize = 4;
const HEADER_AT: usize = 2;

/// Kinds of lists: how many each of the others has, all, for RxPDOs, for TxPDOs, to be stored, at
/// start-up.
const COUNTS: u16 = 0;
const LAST_LIST: u16 = 5;

/// Object codes: a value, an array, a record.
const VARIABLE: u8 = 7;
const ARRAY: u8 = 8;
const RECORD: u8 = 9;

/// Access of an entry: read in PREOP, SAFEOP and OP; written there; mapped to an RxPDO, a TxPDO.
const READABLE: u16 = 0x0007;
const WRITABLE: u16 = 0x0038;
const IN_RX_PDO: u16 = 0x0040;
const IN_TX_PDO: u16 = 0x0080;

/// A list under way: its kind, and the last index that was sent.
pub(crate) struct Listing {
    kind: u16,
    told: Option<u16>,
}

/// Answers a request; `body` holds its bytes after the CoE header.
///
/// # Errors
/// The detail of a mailbox error.
pub(crate) fn serve(
    body: &[u8],
    reply: &mut Reply<'_>,
    listing: &mut Option<Listing>,
    dictionary: &Dictionary<'_>,
) -> Result<(), u16> {
    *listing = None;
    if body.len() < HEADER + 2 || reply.room() < HEADER + 12 {
        return Err(SIZE_TOO_SHORT);
    }
    let asked = &body[HEADER..];
    let result = match body[0] & 0x7F {
        LIST => list(word(asked, 0), reply, listing, dictionary),
        OBJECT => object(word(asked, 0), reply, dictionary),
        ENTRY if asked.len() >= 4 => entry(word(asked, 0), asked[2], reply, dictionary),
        _ => Err(abort::COMMAND),
    };
    if let Err(code) = result {
        header(reply, ERROR, 0);
        reply.put(&code.to_le_bytes());
    }
    Ok(())
}

/// The next fragment of a list.
pub(crate) fn go_on(
    reply: &mut Reply<'_>,
    listing: &mut Option<Listing>,
    dictionary: &Dictionary<'_>,
) {
    header(reply, LIST_REPLY, 0);
    fill(reply, listing, dictionary);
}

fn header(reply: &mut Reply<'_>, opcode: u8, left: u16) {
    reply.put(&[opcode, 0]);
    reply.put(&left.to_le_bytes());
}

fn list(
    kind: u16,
    reply: &mut Reply<'_>,
    listing: &mut Option<Listing>,
    dictionary: &Dictionary<'_>,
) -> Result<(), u32> {
    if kind > LAST_LIST {
        return Err(abort::UNSUPPORTED_ACCESS);
    }
    header(reply, LIST_REPLY, 0);
    reply.put(&kind.to_le_bytes());
    if kind == COUNTS {
        for kind in 1..=LAST_LIST {
            let count = dictionary.count(|index| is_in(kind, index, dictionary));
            reply.put(&(count as u16).to_le_bytes());
        }
        return Ok(());
    }
    *listing = Some(Listing { kind, told: None });
    fill(reply, listing, dictionary);
    Ok(())
}

/// Writes indexes, as many as there is space for; the header then states the number that is left.
fn fill(reply: &mut Reply<'_>, listing: &mut Option<Listing>, dictionary: &Dictionary<'_>) {
    let Some(Listing { kind, mut told }) = listing.take() else {
        return;
    };
    let whole = reply.room() + reply.length - HEADER_AT - HEADER;
    while let Some(index) = next(kind, told, dictionary) {
        if reply.room() < 2 {
            let is_left = |index| told.is_some_and(|told| index > told);
            let left = dictionary.count(|index| is_in(kind, index, dictionary) && is_left(index));
            let fragments = (left * 2).div_ceil(whole / 2 * 2) as u16;
            reply.set(HEADER_AT, &[LIST_REPLY | INCOMPLETE]);
            reply.set(HEADER_AT + 2, &fragments.to_le_bytes());
            *listing = Some(Listing { kind, told });
            return;
        }
        reply.put(&index.to_le_bytes());
        told = Some(index);
    }
}

fn next(kind: u16, told: Option<u16>, dictionary: &Dictionary<'_>) -> Option<u16> {
    let mut index = dictionary.next_index(told)?;
    while !is_in(kind, index, dictionary) {
        index = dictionary.next_index(Some(index))?;
    }
    Some(index)
}

fn is_in(kind: u16, index: u16, dictionary: &Dictionary<'_>) -> bool {
    match kind {
        1 => true,
        2 => dictionary.is_mapped(index, Direction::Outputs),
        3 => dictionary.is_mapped(index, Direction::Inputs),
        _ => dictionary.is_writable(index),
    }
}

fn object(index: u16, reply: &mut Reply<'_>, dictionary: &Dictionary<'_>) -> Result<(), u32> {
    let first = dictionary.item(index, 0)?;
    let last = dictionary.last_subindex(index);
    let element = dictionary.item(index, last)?;
    let is_array = (1..=last).all(|subindex| {
        dictionary
            .item(index, subindex)
            .is_ok_and(|item| item.data_type == element.data_type)
    });
    let (code, data_type) = match last {
        0 => (VARIABLE, first.data_type),
        _ if is_array => (ARRAY, element.data_type),
        _ => (RECORD, 0),
    };
    header(reply, OBJECT_REPLY, 0);
    reply.put(&index.to_le_bytes());
    reply.put(&data_type.to_le_bytes());
    reply.put(&[last, code]);
    reply.put(dictionary.name(index).as_bytes());
    Ok(())
}

fn entry(
    index: u16,
    subindex: u8,
    reply: &mut Reply<'_>,
    dictionary: &Dictionary<'_>,
) -> Result<(), u32> {
    let item = dictionary.item(index, subindex)?;
    let mut access = READABLE;
    if item.access == Access::ReadWrite {
        access |= WRITABLE;
    }
    match item.mapped {
        Some(Direction::Outputs) => access |= IN_RX_PDO,
        Some(Direction::Inputs) => access |= IN_TX_PDO,
        None => {}
    }
    header(reply, ENTRY_REPLY, 0);
    reply.put(&index.to_le_bytes());
    // No unit, default, least or largest value follows the name.
    reply.put(&[subindex, 0]);
    reply.put(&item.data_type.to_le_bytes());
    reply.put(&(item.bits as u16).to_le_bytes());
    reply.put(&access.to_le_bytes());
    reply.put(item.name.as_bytes());
    Ok(())
}
