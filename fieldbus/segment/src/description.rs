//! A segment as bytes: what a partition is given to play a user's own devices.
//!
//! Owns: the form, its version, its checks. Must never know: the origin of the bytes, nor ESI
//! files.
//!
//! All numbers have their least significant byte first. A head, then the devices in their order:
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 3 | `TKEC` |
//! | 4, 5 | version of the form: 1 |
//! | 6, 7 | how many devices |
//! | 8 to 11 | bytes of the whole |
//! | 12 to 15 | CRC-32 (IEEE 802.3) of all that follows |
//!
//! A device is 72 bytes, as `encode_device` writes them, then its SyncManagers, PDOs, entries and
//! objects as `packed` has them, then its texts.

use crate::bytes::{long, put, quad, word};
use crate::clock::Oscillator;
use crate::model::{Behaviour, Delays, Direction, Mailbox, Model};
use crate::registers::UNITS;
use crate::table::{Record, Table};

const MAGIC: [u8; 4] = *b"TKEC";
const VERSION: u16 = 1;
const HEAD: usize = 16;
const DEVICE: usize = 72;
/// Where a device's head has its flags, and the first of its delays.
const FLAGS: usize = 26;
const DELAYS: usize = 44;

/// Flags of a device.
const HAS_MAILBOX: u16 = 1 << 0;
const HAS_COE: u16 = 1 << 1;
const HAS_COMPLETE_ACCESS: u16 = 1 << 2;
const HAS_INFORMATION: u16 = 1 << 3;
const HAS_ASSIGNMENT: u16 = 1 << 4;
const HAS_FOE: u16 = 1 << 5;
const HAS_BOOTSTRAP: u16 = 1 << 6;
const HAS_CLOCK: u16 = 1 << 7;

/// Why bytes are no description, or devices cannot be described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptionError {
    /// They do not begin as one.
    NotADescription,
    /// They are of a form that is not known here.
    Version(u16),
    /// They are fewer, or more, than they say.
    Length,
    /// They were changed: the checksum is another.
    Checksum,
    /// A device is not whole, or holds what cannot be.
    Device {
        /// Which device, from 0 on.
        device: usize,
        /// The fault of the device.
        problem: Problem,
    },
    /// The given space is too small.
    Room,
}

/// Fault in the description of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Its bytes end too soon.
    Short,
    /// Its texts are no UTF-8, or too many.
    Texts,
    /// It has more SyncManagers than a controller.
    SyncManagers,
    /// Its PDOs do not have as many entries as there are.
    Entries,
    /// It has more of something than the form can count.
    TooMany,
    /// Its process data are more than [`Model::PROCESS_DATA`] bytes in one direction.
    ProcessData,
    /// It behaves in a way that is not known here.
    Behaviour,
}

/// A segment that was described in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Description<'d> {
    devices: &'d [u8],
    count: usize,
}

impl<'d> Description<'d> {
    /// Reads and checks a description. It keeps the bytes; nothing is copied.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(bytes: &'d [u8]) -> Result<Self, DescriptionError> {
        if bytes.len() < HEAD || bytes[..4] != MAGIC {
            return Err(DescriptionError::NotADescription);
        }
        if word(bytes, 4) != VERSION {
            return Err(DescriptionError::Version(word(bytes, 4)));
        }
        if long(bytes, 8) as usize != bytes.len() {
            return Err(DescriptionError::Length);
        }
        let (head, devices) = bytes.split_at(HEAD);
        if long(head, 12) != crc32(devices) {
            return Err(DescriptionError::Checksum);
        }
        let count = usize::from(word(head, 6));
        let mut rest = devices;
        for device in 0..count {
            let parsed = parse_device(rest).and_then(|parsed| {
                check(&parsed.0)?;
                Ok(parsed)
            });
            let (_, _, more) =
                parsed.map_err(|problem| DescriptionError::Device { device, problem })?;
            rest = more;
        }
        if !rest.is_empty() {
            return Err(DescriptionError::Length);
        }
        Ok(Self { devices, count })
    }

    /// Returns how many devices there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The device at `index`, from the MainDevice on: its model, and its oscillator.
    pub fn get(&self, index: usize) -> Option<(Model<'d>, Oscillator)> {
        self.iter().nth(index)
    }

    /// All devices, from the MainDevice on.
    pub fn iter(&self) -> impl Iterator<Item = (Model<'d>, Oscillator)> + use<'d> {
        let mut rest = self.devices;
        (0..self.count).map_while(move |_| {
            let (model, oscillator, more) = parse_device(rest).ok()?;
            rest = more;
            Some((model, oscillator))
        })
    }

    /// Returns how many bytes the description of these devices has.
    pub fn length(devices: &[(Model<'_>, Oscillator)]) -> usize {
        let length = |(model, _): &(Model<'_>, _)| device_length(model);
        HEAD + devices.iter().map(length).sum::<usize>()
    }

    /// Describes devices in bytes, and answers how many those are.
    ///
    /// # Errors
    /// The fault of a device, or too little space.
    pub fn encode(
        devices: &[(Model<'_>, Oscillator)],
        room: &mut [u8],
    ) -> Result<usize, DescriptionError> {
        let length = Self::length(devices);
        let bytes = room.get_mut(..length).ok_or(DescriptionError::Room)?;
        let count = u16::try_from(devices.len()).map_err(|_| DescriptionError::Length)?;
        let whole = u32::try_from(length).map_err(|_| DescriptionError::Length)?;
        let (head, mut rest) = bytes.split_at_mut(HEAD);
        for (device, (model, oscillator)) in devices.iter().enumerate() {
            let wrong = |problem| DescriptionError::Device { device, problem };
            check(model).map_err(wrong)?;
            let (own, more) = rest.split_at_mut(device_length(model));
            encode_device(model, *oscillator, own).map_err(wrong)?;
            rest = more;
        }
        put(head, 0, &MAGIC);
        put(head, 4, &VERSION.to_le_bytes());
        put(head, 6, &count.to_le_bytes());
        put(head, 8, &whole.to_le_bytes());
        let checksum = crc32(&bytes[HEAD..]);
        put(bytes, 12, &checksum.to_le_bytes());
        Ok(length)
    }
}

/// How many of what a device has.
#[derive(Clone, Copy)]
struct Counts {
    sync_managers: u8,
    pdos: u16,
    entries: u16,
    objects: u16,
    texts: u16,
    name: u8,
}

impl Counts {
    fn of(model: &Model<'_>) -> Result<Self, Problem> {
        let count = |count: usize| u16::try_from(count).map_err(|_| Problem::TooMany);
        Ok(Self {
            sync_managers: u8::try_from(model.sync_managers.len()).map_err(|_| Problem::TooMany)?,
            pdos: count(model.pdos.len())?,
            entries: count(model.entries.len())?,
            objects: count(model.objects.len())?,
            texts: u16::try_from(texts_length(model)).map_err(|_| Problem::Texts)?,
            name: u8::try_from(model.name.len()).map_err(|_| Problem::Texts)?,
        })
    }
}

fn texts_length(model: &Model<'_>) -> usize {
    fn all<'d, T: Record<'d>>(table: &Table<'d, T>) -> usize {
        table.iter().map(|record| record.text().len()).sum()
    }
    model.name.len() + all(&model.pdos) + all(&model.entries) + all(&model.objects)
}

fn device_length(model: &Model<'_>) -> usize {
    fn all<'d, T: Record<'d>>(table: &Table<'d, T>) -> usize {
        table.len() * T::LENGTH
    }
    DEVICE
        + all(&model.sync_managers)
        + all(&model.pdos)
        + all(&model.entries)
        + all(&model.objects)
        + texts_length(model)
}

/// Checks the conditions that every description of a device must meet.
fn check(model: &Model<'_>) -> Result<(), Problem> {
    if model.sync_managers.len() > UNITS {
        return Err(Problem::SyncManagers);
    }
    let entries: usize = model.pdos.iter().map(|pdo| usize::from(pdo.entries)).sum();
    if entries != model.entries.len() {
        return Err(Problem::Entries);
    }
    for direction in [Direction::Outputs, Direction::Inputs] {
        let assigned = (model.pdos.iter())
            .filter(|pdo| pdo.sync_manager.is_some() && pdo.direction == direction);
        let bits: usize = assigned
            .flat_map(|pdo| model.entries_of(pdo.index))
            .map(|entry| usize::from(entry.bits))
            .sum();
        if bits > Model::PROCESS_DATA * 8 {
            return Err(Problem::ProcessData);
        }
    }
    Ok(())
}

/// Returns the device at the begin of `bytes`, and the bytes after it.
fn parse_device(bytes: &[u8]) -> Result<(Model<'_>, Oscillator, &[u8]), Problem> {
    let (head, mut rest) = bytes.split_at_checked(DEVICE).ok_or(Problem::Short)?;
    let mut take = |count: usize, length: usize| {
        let (taken, more) = rest
            .split_at_checked(count * length)
            .ok_or(Problem::Short)?;
        rest = more;
        Ok(taken)
    };
    let sync_managers = take(usize::from(head[29]), 8)?;
    let pdos = take(usize::from(word(head, 30)), 8)?;
    let entries = take(usize::from(word(head, 32)), 10)?;
    let objects = take(usize::from(word(head, 34)), 16)?;
    let texts = take(usize::from(word(head, 36)), 1)?;
    let texts = core::str::from_utf8(texts).map_err(|_| Problem::Texts)?;
    let flags = word(head, FLAGS);
    let model = Model {
        vendor: long(head, 4),
        product: long(head, 8),
        revision: long(head, 12),
        serial: long(head, 16),
        profile: long(head, 20),
        alias: word(head, 24),
        name: texts.get(..usize::from(head[38])).ok_or(Problem::Texts)?,
        sync_managers: Table::packed(sync_managers, texts),
        pdos: Table::packed(pdos, texts),
        entries: Table::packed(entries, texts),
        objects: Table::packed(objects, texts),
        mailbox: mailbox(flags),
        clock: flags & HAS_CLOCK != 0,
        behaviour: behaviour(head[28])?,
        delays: Delays {
            forward_ns: long(head, DELAYS),
            back_ns: long(head, DELAYS + 4),
            sii_ns: long(head, DELAYS + 8),
            reaction_ns: long(head, DELAYS + 12),
        },
    };
    let oscillator = Oscillator {
        drift_ppb: long(head, 60) as i32,
        start_ns: quad(head, 64),
    };
    Ok((model, oscillator, rest))
}

fn encode_device(
    model: &Model<'_>,
    oscillator: Oscillator,
    bytes: &mut [u8],
) -> Result<(), Problem> {
    let counts = Counts::of(model)?;
    let (head, rest) = bytes.split_at_mut(DEVICE);
    head.fill(0);
    for (at, number) in [
        (4, model.vendor),
        (8, model.product),
        (12, model.revision),
        (16, model.serial),
        (20, model.profile),
        (DELAYS, model.delays.forward_ns),
        (DELAYS + 4, model.delays.back_ns),
        (DELAYS + 8, model.delays.sii_ns),
        (DELAYS + 12, model.delays.reaction_ns),
        (60, oscillator.drift_ppb as u32),
    ] {
        put(head, at, &number.to_le_bytes());
    }
    put(head, 24, &model.alias.to_le_bytes());
    put(head, FLAGS, &flags(model).to_le_bytes());
    put(head, 28, &[model.behaviour as u8, counts.sync_managers]);
    for (at, count) in [
        (30, counts.pdos),
        (32, counts.entries),
        (34, counts.objects),
        (36, counts.texts),
    ] {
        put(head, at, &count.to_le_bytes());
    }
    head[38] = counts.name;
    put(head, 64, &oscillator.start_ns.to_le_bytes());
    encode_tables(model, rest);
    Ok(())
}

/// Writes the records, and after them the texts, of which the first is the model's name.
fn encode_tables(model: &Model<'_>, bytes: &mut [u8]) {
    let records = bytes.len() - texts_length(model);
    let (mut rest, texts) = bytes.split_at_mut(records);
    let mut text = model.name.len();
    texts[..text].copy_from_slice(model.name.as_bytes());
    rest = encode_table(&model.sync_managers, rest, &mut text, texts);
    rest = encode_table(&model.pdos, rest, &mut text, texts);
    rest = encode_table(&model.entries, rest, &mut text, texts);
    encode_table(&model.objects, rest, &mut text, texts);
}

/// Answers what is left of `bytes`.
fn encode_table<'b, 'd, T: Record<'d>>(
    table: &Table<'d, T>,
    bytes: &'b mut [u8],
    text: &mut usize,
    texts: &mut [u8],
) -> &'b mut [u8] {
    let (own, rest) = bytes.split_at_mut(table.len() * T::LENGTH);
    for (record, packed) in table.iter().zip(own.chunks_exact_mut(T::LENGTH)) {
        packed.fill(0);
        record.pack(*text as u16, packed);
        let bytes = record.text().as_bytes();
        put(texts, *text, bytes);
        *text += bytes.len();
    }
    rest
}

fn mailbox(flags: u16) -> Option<Mailbox> {
    let has = |flag| flags & flag != 0;
    has(HAS_MAILBOX).then(|| Mailbox {
        coe: has(HAS_COE),
        complete_access: has(HAS_COMPLETE_ACCESS),
        information: has(HAS_INFORMATION),
        assignment: has(HAS_ASSIGNMENT),
        foe: has(HAS_FOE),
        bootstrap: has(HAS_BOOTSTRAP),
    })
}

fn flags(model: &Model<'_>) -> u16 {
    let clock = (model.clock, HAS_CLOCK);
    let mailbox = model.mailbox.as_ref().map(|mailbox| {
        [
            (true, HAS_MAILBOX),
            (mailbox.coe, HAS_COE),
            (mailbox.complete_access, HAS_COMPLETE_ACCESS),
            (mailbox.information, HAS_INFORMATION),
            (mailbox.assignment, HAS_ASSIGNMENT),
            (mailbox.foe, HAS_FOE),
            (mailbox.bootstrap, HAS_BOOTSTRAP),
        ]
    });
    let all = mailbox.into_iter().flatten().chain([clock]);
    all.filter(|flag| flag.0).map(|flag| flag.1).sum()
}

fn behaviour(number: u8) -> Result<Behaviour, Problem> {
    [
        Behaviour::Passive,
        Behaviour::Digital,
        Behaviour::Analogue,
        Behaviour::Drive,
    ]
    .into_iter()
    .find(|behaviour| *behaviour as u8 == number)
    .ok_or(Problem::Behaviour)
}

/// The check sequence of IEEE 802.3.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |rest: u32, _| rest >> 1 ^ if rest & 1 == 0 { 0 } else { 0xEDB8_8320 };
    !bytes.iter().fold(u32::MAX, |rest, byte| {
        (0..8).fold(rest ^ u32::from(*byte), step)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standard::standard;
    use proptest::prelude::*;

    fn standard_devices() -> Vec<(Model<'static>, Oscillator)> {
        let oscillator = |drift_ppb| Oscillator {
            drift_ppb,
            start_ns: 1 << 40,
        };
        (standard(0).iter().enumerate())
            .map(|(place, device)| (*device.model(), oscillator(place as i32 * -7)))
            .collect()
    }

    fn encoded() -> Vec<u8> {
        let devices = standard_devices();
        let mut bytes = vec![0xAA; Description::length(&devices)];
        assert_eq!(Description::encode(&devices, &mut bytes), Ok(bytes.len()));
        bytes
    }

    #[test]
    fn what_was_described_is_there() {
        let bytes = encoded();
        let description = Description::parse(&bytes).unwrap();
        assert_eq!(description.len(), 5);
        for (got, was) in description.iter().zip(standard_devices()) {
            assert_eq!(got.1, was.1);
            let (got, was) = (got.0, was.0);
            assert_eq!(got.name, was.name);
            assert_eq!((got.vendor, got.product), (was.vendor, was.product));
            assert_eq!(got.mailbox, was.mailbox);
            assert_eq!((got.clock, got.behaviour), (was.clock, was.behaviour));
            assert_eq!(got.delays, was.delays);
            assert!(got.sync_managers.iter().eq(was.sync_managers.iter()));
            assert!(got.pdos.iter().eq(was.pdos.iter()));
            assert!(got.entries.iter().eq(was.entries.iter()));
            assert!(got.objects.iter().eq(was.objects.iter()));
        }
        assert!(description.get(5).is_none());
    }

    #[test]
    fn the_check_sequence_is_ethernets() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn each_error_is_told_apart() {
        let good = encoded();
        let with = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            Description::parse(&bytes).err()
        };
        assert_eq!(with(0, 0), Some(DescriptionError::NotADescription));
        assert_eq!(with(4, 2), Some(DescriptionError::Version(2)));
        assert_eq!(with(100, 0xEE), Some(DescriptionError::Checksum));
        assert_eq!(
            Description::parse(&good[..good.len() - 1]).err(),
            Some(DescriptionError::Length)
        );
        assert_eq!(
            Description::encode(&standard_devices(), &mut [0; 99]),
            Err(DescriptionError::Room)
        );
    }

    /// The description with one byte of the first device's head changed and the checksum made good.
    fn resealed(at: usize, value: u8) -> Option<DescriptionError> {
        let mut bytes = encoded();
        bytes[HEAD + at] = value;
        let checksum = crc32(&bytes[HEAD..]);
        put(&mut bytes, 12, &checksum.to_le_bytes());
        Description::parse(&bytes).err()
    }

    #[test]
    fn a_device_that_cannot_be_is_named() {
        let wrong = |problem| Some(DescriptionError::Device { device: 0, problem });
        assert_eq!(resealed(28, 9), wrong(Problem::Behaviour));
        assert_eq!(resealed(29, 9), wrong(Problem::SyncManagers));
        assert_eq!(resealed(33, 0xFF), wrong(Problem::Short));
        assert_eq!(resealed(32, 1), wrong(Problem::Entries));
        assert_eq!(resealed(38, 200), wrong(Problem::Texts));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            cut in any::<prop::sample::Index>(),
            is_cut: bool,
        ) {
            let mut bytes = encoded();
            for (at, value) in changes {
                let at = HEAD + at.index(bytes.len() - HEAD);
                bytes[at] = value;
            }
            if is_cut {
                bytes.truncate(HEAD + cut.index(bytes.len() - HEAD));
            }
            let (length, checksum) = (bytes.len() as u32, crc32(&bytes[HEAD..]));
            put(&mut bytes, 8, &length.to_le_bytes());
            put(&mut bytes, 12, &checksum.to_le_bytes());
            if let Ok(description) = Description::parse(&bytes) {
                let models: Vec<_> = description.iter().collect();
                let mut devices: Vec<_> = models.iter()
                    .map(|(model, oscillator)| crate::Device::new(model, *oscillator))
                    .collect();
                let mut segment = crate::Segment::new(&mut devices);
                segment.advance(1_000_000);
            }
        }

        #[test]
        fn bytes_of_any_kind_are_no_description(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(Description::parse(&bytes).is_err());
        }
    }
}
