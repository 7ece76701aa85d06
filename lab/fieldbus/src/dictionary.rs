//! The object dictionary of a device in an ESI file (ETG.2000, "Dictionary"), and its data types.
//!
//! Owns: objects of up to 32 bits, which are those that the segment stores. Must never know: the
//! objects among them that follow from the rest of the description; those are left out when the
//! bytes are made.

use std::collections::BTreeMap;

use roxmltree::Node;
use taktos_segment::Access;

use crate::error::EsiError;
use crate::number::data;
use crate::xml::{at_most, child, children, error, name_of, need, number_in, number_of, text};

/// A value of the dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its index.
    pub index: u16,
    /// Its subindex.
    pub subindex: u8,
    /// Its size in bits, 1 to 32.
    pub bits: u8,
    /// CoE's number of the data type; 0 where it has no name that is known.
    pub data_type: u16,
    /// The MainDevice's rights to the object.
    pub access: Access,
    /// Initial value.
    pub value: u32,
    /// Its name.
    pub name: String,
}

/// CoE's numbers of the data types that have names (ETG.1000.6, table 64).
const DATA_TYPES: [(&str, u16); 22] = [
    ("BOOL", 0x0001),
    ("SINT", 0x0002),
    ("INT", 0x0003),
    ("DINT", 0x0004),
    ("USINT", 0x0005),
    ("UINT", 0x0006),
    ("UDINT", 0x0007),
    ("REAL", 0x0008),
    ("LREAL", 0x0011),
    ("LINT", 0x0015),
    ("ULINT", 0x001B),
    ("BYTE", 0x001E),
    ("WORD", 0x001F),
    ("DWORD", 0x0020),
    ("BITARR8", 0x002D),
    ("BIT1", 0x0030),
    ("BIT2", 0x0031),
    ("BIT3", 0x0032),
    ("BIT4", 0x0033),
    ("BIT5", 0x0034),
    ("BIT6", 0x0035),
    ("BIT7", 0x0036),
];

/// The number of a data type; 0 for one that has none.
pub(crate) fn data_type(name: &str) -> u16 {
    let found = DATA_TYPES.iter().find(|(known, _)| *known == name);
    found.map_or(0, |(_, number)| *number)
}

/// Properties of a value, or of an object without subindexes, that its element declares.
struct Declared<'a, 'i> {
    node: Node<'a, 'i>,
    index: u16,
    subindex: u8,
    name: String,
}

type Types<'a, 'i> = BTreeMap<&'a str, Node<'a, 'i>>;

/// The objects of a device.
pub(crate) fn objects(device: Node<'_, '_>) -> Result<Vec<Object>, EsiError> {
    let dictionary = child(device, "Profile").and_then(|profile| child(profile, "Dictionary"));
    let Some(dictionary) = dictionary else {
        return Ok(Vec::new());
    };
    let types: Types<'_, '_> = child(dictionary, "DataTypes")
        .into_iter()
        .flat_map(|types| children(types, "DataType"))
        .filter_map(|kind| Some((text(child(kind, "Name")?), kind)))
        .collect();
    let mut all = Vec::new();
    let objects = child(dictionary, "Objects");
    for object in objects
        .into_iter()
        .flat_map(|objects| children(objects, "Object"))
    {
        read(object, &types, &mut all)?;
    }
    Ok(all)
}

fn read(
    object: Node<'_, '_>,
    types: &Types<'_, '_>,
    all: &mut Vec<Object>,
) -> Result<(), EsiError> {
    let index = need(object, "Index")?;
    let index = at_most(index, number_of(index)?, 0xFFFF)? as u16;
    let kind = types.get(text(need(object, "Type")?));
    let items: Vec<_> = kind
        .into_iter()
        .flat_map(|kind| children(*kind, "SubItem"))
        .collect();
    if items.is_empty() {
        let declared = Declared {
            node: object,
            index,
            subindex: 0,
            name: name_of(object).into(),
        };
        all.extend(value(declared, child(object, "Info"))?);
        return Ok(());
    }
    let infos: Vec<_> = child(object, "Info")
        .into_iter()
        .flat_map(|info| children(info, "SubItem"))
        .collect();
    for (place, item) in items.iter().enumerate() {
        // An array has one sub-item for all its elements, without a subindex: only the first two
        // are read.
        let subindex = number_in(*item, "SubIdx")?.unwrap_or(place as u32);
        let declared = Declared {
            node: *item,
            index,
            subindex: at_most(*item, subindex, 255)? as u8,
            name: name_of(*item).into(),
        };
        let info = infos.get(place).and_then(|info| child(*info, "Info"));
        all.extend(value(declared, info)?);
    }
    Ok(())
}

/// A value with its default; none where it is longer than 32 bits.
fn value(
    declared: Declared<'_, '_>,
    info: Option<Node<'_, '_>>,
) -> Result<Option<Object>, EsiError> {
    let Declared {
        node,
        index,
        subindex,
        name,
    } = declared;
    let bits = number_in(node, "BitSize")?.unwrap_or(0);
    if !(1..=32).contains(&bits) {
        return Ok(None);
    }
    let access = child(node, "Flags").and_then(|flags| child(flags, "Access"));
    let is_writable = access.is_some_and(|access| text(access).contains('w'));
    Ok(Some(Object {
        index,
        subindex,
        bits: bits as u8,
        data_type: child(node, "Type").map_or(0, |kind| data_type(text(kind))),
        access: if is_writable {
            Access::ReadWrite
        } else {
            Access::ReadOnly
        },
        value: info.map_or(Ok(0), default)?,
        name,
    }))
}

fn default(info: Node<'_, '_>) -> Result<u32, EsiError> {
    if let Some(bytes) = child(info, "DefaultData") {
        return data(text(bytes)).ok_or_else(|| {
            error(
                bytes,
                format!("`{}` is no hexadecimal data", text(bytes)),
                "write two digits a byte, the least significant byte first",
            )
        });
    }
    Ok(number_in(info, "DefaultValue")?.unwrap_or(0))
}
