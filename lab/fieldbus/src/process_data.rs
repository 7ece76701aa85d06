//! PDOs and their entries, as ESI files describe them (ETG.2000, "PdoType").
//!
//! Owns: process data. Must never know: their exchange.

use roxmltree::Node;
use taktos_segment::Direction;

use crate::dictionary::data_type;
use crate::error::EsiError;
use crate::xml::{at_most, attribute, children, error, name_of, need, number_in, number_of};

/// A process data object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdo {
    /// Index of its mapping.
    pub index: u16,
    /// Which way it goes.
    pub direction: Direction,
    /// The SyncManager that carries it by default; `None` where it is not exchanged unless it is
    /// assigned.
    pub sync_manager: Option<u8>,
    /// Its name.
    pub name: String,
    /// Its entries, in order.
    pub entries: Vec<Entry>,
}

/// A value of a process data object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Index of its object; 0 for a gap.
    pub index: u16,
    /// Its subindex.
    pub subindex: u8,
    /// Its size in bits, 1 to 255.
    pub bits: u8,
    /// CoE's number of the data type; 0 where it has no name that is known.
    pub data_type: u16,
    /// Its name.
    pub name: String,
}

impl Pdo {
    pub(crate) fn read(node: Node<'_, '_>, direction: Direction) -> Result<Self, EsiError> {
        let index = need(node, "Index")?;
        let sync_manager = attribute(node, "Sm")?;
        if let Some(number) = sync_manager {
            at_most(node, number, 7)?;
        }
        let entries = children(node, "Entry")
            .map(Entry::read)
            .collect::<Result<Vec<_>, _>>()?;
        if entries.len() > 255 {
            return Err(error(
                node,
                format!("a PDO of {} entries", entries.len()),
                "255 are the most that a device can tell of",
            ));
        }
        Ok(Self {
            index: at_most(index, number_of(index)?, 0xFFFF)? as u16,
            direction,
            sync_manager: sync_manager.map(|number| number as u8),
            name: name_of(node).into(),
            entries,
        })
    }
}

impl Entry {
    fn read(node: Node<'_, '_>) -> Result<Self, EsiError> {
        let index = need(node, "Index")?;
        let length = need(node, "BitLen")?;
        let bits = at_most(length, number_of(length)?, 255)?;
        if bits == 0 {
            return Err(error(
                length,
                "an entry of no bits",
                "give its size in bits",
            ));
        }
        let kind = children(node, "DataType")
            .next()
            .map_or("", crate::xml::text);
        let subindex = number_in(node, "SubIndex")?.unwrap_or(0);
        Ok(Self {
            index: at_most(index, number_of(index)?, 0xFFFF)? as u16,
            subindex: at_most(node, subindex, 255)? as u8,
            bits: bits as u8,
            data_type: data_type(kind),
            name: name_of(node).into(),
        })
    }
}
