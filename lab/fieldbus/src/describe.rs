//! From devices to the bytes that a partition is given.
//!
//! Owns: the choice of a device's objects, and the length of its wires. Must never know: the layout
//! of the bytes: that is [`Description`]'s.

use std::collections::BTreeSet;

use taktos_segment::{
    Access, Behaviour, Delays, Description, DescriptionError, Entry, Model, Object, Oscillator,
    Pdo, Table,
};

use crate::device::Device;

/// A device at its place in a segment.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// Description of the device.
    pub device: &'a Device,
    /// Behaviour of its application.
    pub behaviour: Behaviour,
    /// Its clock.
    pub oscillator: Oscillator,
    /// How long frames and answers take.
    pub delays: Delays,
    /// The station alias in its SII.
    pub alias: u16,
}

/// The description of a segment, from the MainDevice on.
///
/// # Errors
/// The first device that the form cannot hold, and why.
pub fn describe(segment: &[Placed<'_>]) -> Result<Vec<u8>, DescriptionError> {
    let tables: Vec<Tables<'_>> = segment
        .iter()
        .map(|placed| Tables::of(placed.device))
        .collect();
    let devices: Vec<_> = segment
        .iter()
        .zip(&tables)
        .map(|(placed, tables)| (tables.model(placed), placed.oscillator))
        .collect();
    let mut bytes = vec![0; Description::length(&devices)];
    Description::encode(&devices, &mut bytes)?;
    Ok(bytes)
}

/// The segment's records of a device.
struct Tables<'a> {
    pdos: Vec<Pdo<'a>>,
    entries: Vec<Entry<'a>>,
    objects: Vec<Object<'a>>,
}

impl<'a> Tables<'a> {
    fn of(device: &'a Device) -> Self {
        let pdos = device.pdos.iter().map(|pdo| Pdo {
            index: pdo.index,
            direction: pdo.direction,
            sync_manager: pdo.sync_manager,
            entries: pdo.entries.len() as u8,
            name: short(&pdo.name),
        });
        let entries = device.pdos.iter().flat_map(|pdo| &pdo.entries);
        let entries = entries.map(|entry| Entry {
            index: entry.index,
            subindex: entry.subindex,
            bits: entry.bits,
            data_type: entry.data_type,
            name: short(&entry.name),
        });
        Self {
            pdos: pdos.collect(),
            entries: entries.collect(),
            objects: own_objects(device),
        }
    }

    fn model<'m>(&'m self, placed: &Placed<'m>) -> Model<'m> {
        let device = placed.device;
        Model {
            vendor: device.vendor,
            product: device.product,
            revision: device.revision,
            serial: 0,
            alias: placed.alias,
            name: short(if device.type_name.is_empty() {
                &device.name
            } else {
                &device.type_name
            }),
            profile: device.profile,
            sync_managers: Table::of(&device.sync_managers),
            pdos: Table::of(&self.pdos),
            entries: Table::of(&self.entries),
            objects: Table::of(&self.objects),
            mailbox: device.mailbox,
            clock: device.clock,
            behaviour: placed.behaviour,
            delays: placed.delays,
        }
    }
}

/// Objects that follow from nothing else: not the head of the dictionary, PDOs, assignments,
/// process data. Those that can be written come first, since a model stores the writes to its first
/// ones.
fn own_objects(device: &Device) -> Vec<Object<'_>> {
    let exchanged: BTreeSet<u16> = (device.pdos.iter())
        .flat_map(|pdo| &pdo.entries)
        .map(|entry| entry.index)
        .collect();
    let is_own = |index: u16| {
        let follows = matches!(
            index,
            ..0x1000 | 0x1000 | 0x1008..=0x100A | 0x1018 | 0x1600..=0x17FF | 0x1A00..=0x1C1F
        );
        !follows && !exchanged.contains(&index)
    };
    let mut objects: Vec<_> = (device.objects.iter())
        .filter(|object| is_own(object.index))
        .map(|object| Object {
            index: object.index,
            subindex: object.subindex,
            bits: object.bits,
            data_type: object.data_type,
            access: object.access,
            value: object.value,
            name: short(&object.name),
        })
        .collect();
    objects.sort_by_key(|object| object.access == Access::ReadOnly);
    objects
}

/// Returns at most 255 bytes of a text, which is the space in the SII.
fn short(text: &str) -> &str {
    let mut end = text.len().min(255);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
