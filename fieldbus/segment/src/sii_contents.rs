//! Contents of the SII of a model (ETG.1000.6, 5.4; ETG.2010).
//!
//! Owns: the layout of the EEPROM. Must never know: how it is read. The contents are never whole
//! anywhere: each read generates them again and stores only the eight bytes that it requests. So a
//! model may be of any size.

use crate::bytes::put;
use crate::model::{Direction, Mailbox, Model, SyncManager, SyncManagerKind};

const STRINGS: u16 = 10;
const GENERAL: u16 = 30;
const FMMU: u16 = 40;
const SYNC_MANAGERS: u16 = 41;
const TX_PDO: u16 = 50;
const RX_PDO: u16 = 51;
const CLOCK: u16 = 60;

/// Bytes before the first category.
const HEADER: usize = 0x80;
/// No SyncManager: the PDO is not exchanged unless it is assigned.
const UNASSIGNED: u8 = 0xFF;

/// Returns eight bytes from byte `at` on; ones after the end.
pub(crate) fn read(model: &Model<'_>, at: u64) -> [u8; 8] {
    let mut window = Window {
        wanted: usize::try_from(at).unwrap_or(usize::MAX),
        at: 0,
        bytes: [0xFF; 8],
    };
    contents(model, &mut window);
    window.bytes
}

/// Window on the contents as they are written: eight bytes of them are stored.
struct Window {
    wanted: usize,
    at: usize,
    bytes: [u8; 8],
}

impl Window {
    const fn counting() -> Self {
        Self {
            wanted: usize::MAX,
            at: 0,
            bytes: [0; 8],
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        let end = self.at + bytes.len();
        let wanted_end = self.wanted.saturating_add(8);
        let (from, to) = (self.at.max(self.wanted), end.min(wanted_end));
        if from < to {
            let kept = &mut self.bytes[from - self.wanted..to - self.wanted];
            kept.copy_from_slice(&bytes[from - self.at..to - self.at]);
        }
        self.at = end;
    }

    fn category(&mut self, number: u16, body: impl Fn(&mut Window)) {
        let mut counter = Window::counting();
        body(&mut counter);
        if counter.at == 0 {
            return;
        }
        self.put(&number.to_le_bytes());
        self.put(&(counter.at.div_ceil(2) as u16).to_le_bytes());
        body(self);
        if counter.at % 2 == 1 {
            self.put(&[0]);
        }
    }
}

fn contents(model: &Model<'_>, out: &mut Window) {
    out.put(&header(model));
    categories(model, out);
}

fn categories(model: &Model<'_>, out: &mut Window) {
    out.category(STRINGS, |out| strings(model, out));
    out.category(GENERAL, |out| out.put(&general(model)));
    out.category(FMMU, |out| fmmus(model, out));
    out.category(SYNC_MANAGERS, |out| sync_managers(model, out));
    out.category(TX_PDO, |out| pdos(model, Direction::Inputs, out));
    out.category(RX_PDO, |out| pdos(model, Direction::Outputs, out));
    if model.clock {
        out.category(CLOCK, |out| out.put(&clock()));
    }
    out.put(&[0xFF, 0xFF]);
}

fn header(model: &Model<'_>) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    put(&mut bytes, 0, &0x0080_u16.to_le_bytes());
    put(&mut bytes, 8, &model.alias.to_le_bytes());
    bytes[14] = checksum(&bytes[..14]);
    put(&mut bytes, 0x10, &model.vendor.to_le_bytes());
    put(&mut bytes, 0x14, &model.product.to_le_bytes());
    put(&mut bytes, 0x18, &model.revision.to_le_bytes());
    put(&mut bytes, 0x1C, &model.serial.to_le_bytes());
    if let Some(mailbox) = &model.mailbox {
        let areas = mailbox_areas(model);
        if mailbox.bootstrap {
            put(&mut bytes, 0x28, &areas);
        }
        put(&mut bytes, 0x30, &areas);
        put(&mut bytes, 0x38, &protocols(mailbox).to_le_bytes());
    }
    let mut counter = Window::counting();
    categories(model, &mut counter);
    let kibibits = (HEADER + counter.at).div_ceil(128).max(16);
    put(&mut bytes, 0x7C, &(kibibits as u16 - 1).to_le_bytes());
    put(&mut bytes, 0x7E, &1_u16.to_le_bytes());
    bytes
}

/// The checksum of the configuration area: x^8 + x^2 + x + 1, from 0xFF on.
fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0xFF, |sum, byte| {
        (0..8).fold(sum ^ byte, |sum: u8, _| {
            sum << 1 ^ if sum & 0x80 == 0 { 0 } else { 0x07 }
        })
    })
}

/// Offset and size of the mailbox that the MainDevice writes, and of the one that it reads.
fn mailbox_areas(model: &Model<'_>) -> [u8; 8] {
    let mut bytes = [0; 8];
    for (at, kind) in [
        (0, SyncManagerKind::MailboxOut),
        (4, SyncManagerKind::MailboxIn),
    ] {
        if let Some(manager) = model.sync_managers.iter().find(|one| one.kind == kind) {
            put(&mut bytes, at, &manager.start.to_le_bytes());
            put(&mut bytes, at + 2, &manager.length.to_le_bytes());
        }
    }
    bytes
}

fn protocols(mailbox: &Mailbox) -> u16 {
    u16::from(mailbox.coe) << 2 | u16::from(mailbox.foe) << 3
}

/// The product's name is the first string, the PDOs' names follow in their order; 255 at most.
fn strings(model: &Model<'_>, out: &mut Window) {
    let count = (1 + model.pdos.len()).min(255);
    out.put(&[count as u8]);
    let names = core::iter::once(model.name).chain(model.pdos.iter().map(|pdo| pdo.name));
    for name in names.take(count) {
        let bytes = &name.as_bytes()[..name.len().min(255)];
        out.put(&[bytes.len() as u8]);
        out.put(bytes);
    }
}

fn general(model: &Model<'_>) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[2] = 1;
    bytes[3] = 1;
    if let Some(mailbox) = &model.mailbox {
        bytes[5] = u8::from(mailbox.coe)
            | u8::from(mailbox.information) << 1
            | u8::from(mailbox.assignment) << 2
            | u8::from(mailbox.complete_access) << 5;
        bytes[6] = u8::from(mailbox.foe);
    }
    put(&mut bytes, 16, &0x0011_u16.to_le_bytes());
    bytes
}

/// One for outputs, one for inputs, one for the mailbox's state.
fn fmmus(model: &Model<'_>, out: &mut Window) {
    let uses = [
        (1, SyncManagerKind::Outputs),
        (2, SyncManagerKind::Inputs),
        (3, SyncManagerKind::MailboxIn),
    ];
    for (number, kind) in uses {
        if model.sync_manager(kind).is_some() {
            out.put(&[number]);
        }
    }
}

fn sync_managers(model: &Model<'_>, out: &mut Window) {
    for (number, manager) in model.sync_managers.iter().enumerate() {
        let mut bytes = [0; 8];
        put(&mut bytes, 0, &manager.start.to_le_bytes());
        put(
            &mut bytes,
            2,
            &length(model, number, &manager).to_le_bytes(),
        );
        bytes[4] = manager.control;
        bytes[6] = manager.enable;
        bytes[7] = manager.kind as u8;
        out.put(&bytes);
    }
}

fn length(model: &Model<'_>, number: usize, manager: &SyncManager) -> u16 {
    let is_mailbox = matches!(
        manager.kind,
        SyncManagerKind::MailboxOut | SyncManagerKind::MailboxIn
    );
    if is_mailbox || manager.length != 0 {
        return manager.length;
    }
    let carried =
        (model.pdos.iter()).filter(|pdo| pdo.sync_manager.map(usize::from) == Some(number));
    let bits: usize = carried
        .flat_map(|pdo| model.entries_of(pdo.index))
        .map(|entry| usize::from(entry.bits))
        .sum();
    bits.div_ceil(8) as u16
}

fn pdos(model: &Model<'_>, direction: Direction, out: &mut Window) {
    for (place, pdo) in model.pdos.iter().enumerate() {
        if pdo.direction != direction {
            continue;
        }
        let manager = pdo.sync_manager.unwrap_or(UNASSIGNED);
        let name = if place < 254 { place as u8 + 2 } else { 0 };
        let [low, high] = pdo.index.to_le_bytes();
        out.put(&[low, high, pdo.entries, manager, 0, name, 0, 0]);
        for entry in model.entries_of(pdo.index) {
            let [low, high] = entry.index.to_le_bytes();
            let data_type = entry.data_type.min(0xFF) as u8;
            out.put(&[low, high, entry.subindex, 0, data_type, entry.bits, 0, 0]);
        }
    }
}

/// One operation mode: SYNC0, its cycle that of the process data.
fn clock() -> [u8; 24] {
    let mut bytes = [0; 24];
    put(&mut bytes, 12, &0x0300_u16.to_le_bytes());
    put(&mut bytes, 14, &1_u16.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{long, word};
    use crate::standard::{ANALOGUE, COUPLER, DIGITAL, DRIVE};

    /// The contents, read eight bytes at a time.
    fn whole(model: &Model<'_>) -> Vec<u8> {
        (0..256).flat_map(|place| read(model, place * 8)).collect()
    }

    /// The bodies of the categories.
    fn found(bytes: &[u8]) -> Vec<(u16, &[u8])> {
        let (mut at, mut found) = (HEADER, Vec::new());
        while word(bytes, at) != 0xFFFF {
            let length = usize::from(word(bytes, at + 2)) * 2;
            found.push((word(bytes, at), &bytes[at + 4..at + 4 + length]));
            at += 4 + length;
        }
        found
    }

    #[test]
    fn the_checksum_of_the_configuration_area_is_over_its_first_bytes() {
        // The first seven words of the EEPROMs of an EL2004 and an EK1100, with the checksums that
        // they hold.
        let el2004 = [0x04, 0x01, 0, 0, 0, 0, 0x0F, 0, 0, 0, 0, 0, 0, 0];
        let ek1100 = [0x00, 0x0D, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(checksum(&el2004), 0xD8);
        assert_eq!(checksum(&ek1100), 0x46);
        let header = header(&DRIVE);
        assert_eq!(header[14], checksum(&header[..14]));
    }

    #[test]
    fn any_alignment_reads_the_same_bytes() {
        let whole = whole(&DRIVE);
        for at in 0..whole.len() - 8 {
            assert_eq!(read(&DRIVE, at as u64), whole[at..at + 8]);
        }
        assert_eq!(read(&DRIVE, u64::MAX), [0xFF; 8]);
    }

    #[test]
    fn categories_say_what_the_model_does() {
        let bytes = whole(&DRIVE);
        assert_eq!(long(&bytes, 0x14), DRIVE.product);
        assert_eq!(word(&bytes, 0x30), 0x1000);
        assert_eq!(word(&bytes, 0x38), 0x0C);
        let categories = found(&bytes);
        let numbers: Vec<u16> = categories.iter().map(|category| category.0).collect();
        assert_eq!(
            numbers,
            [STRINGS, GENERAL, FMMU, SYNC_MANAGERS, TX_PDO, RX_PDO, CLOCK]
        );
        assert_eq!(
            &categories[0].1[2..2 + DRIVE.name.len()],
            DRIVE.name.as_bytes()
        );
        assert_eq!(categories[3].1.len(), 32);
        assert_eq!(word(categories[3].1, 18), 6, "bytes of outputs");
        assert_eq!(categories[4].1[..4], [0x00, 0x1A, 2, 3]);
    }

    #[test]
    fn each_standard_model_is_readable_to_its_end() {
        for model in [&COUPLER, &DIGITAL, &ANALOGUE, &DRIVE] {
            assert!(found(&whole(model)).len() >= 2);
        }
    }
}
