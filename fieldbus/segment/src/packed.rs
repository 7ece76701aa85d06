//! The packed forms of records, as descriptions hold them.
//!
//! Owns: the layout of a record's bytes. Must never know: their origin. A text is named by its
//! place and length in the description's texts; one that is outside of them is empty, so that no
//! bytes can make this panic.

use crate::bytes::{long, put, word};
use crate::model::{Access, Direction, Entry, Object, Pdo, SyncManager, SyncManagerKind};
use crate::table::Record;

fn text<'d>(packed: &[u8], at: usize, texts: &'d str) -> &'d str {
    let begin = usize::from(word(packed, at));
    let length = usize::from(packed[at + 2]);
    texts.get(begin..begin + length).unwrap_or("")
}

/// Writes the place and the length of a text; a text longer than 255 bytes is left out.
fn put_text(text: &str, text_at: u16, packed: &mut [u8], at: usize) {
    put(packed, at, &text_at.to_le_bytes());
    packed[at + 2] = u8::try_from(text.len()).unwrap_or(0);
}

impl<'d> Record<'d> for SyncManager {
    const LENGTH: usize = 8;

    fn unpack(packed: &'d [u8], _: &'d str) -> Self {
        Self {
            start: word(packed, 0),
            length: word(packed, 2),
            control: packed[4],
            enable: packed[5],
            kind: match packed[6] {
                1 => SyncManagerKind::MailboxOut,
                2 => SyncManagerKind::MailboxIn,
                3 => SyncManagerKind::Outputs,
                4 => SyncManagerKind::Inputs,
                _ => SyncManagerKind::Unused,
            },
        }
    }

    fn pack(&self, _: u16, packed: &mut [u8]) {
        put(packed, 0, &self.start.to_le_bytes());
        put(packed, 2, &self.length.to_le_bytes());
        put(packed, 4, &[self.control, self.enable, self.kind as u8]);
    }

    fn text(&self) -> &'d str {
        ""
    }
}

impl<'d> Record<'d> for Pdo<'d> {
    const LENGTH: usize = 8;

    fn unpack(packed: &'d [u8], texts: &'d str) -> Self {
        Self {
            index: word(packed, 0),
            direction: if packed[2] & 1 == 0 {
                Direction::Outputs
            } else {
                Direction::Inputs
            },
            sync_manager: (packed[2] & 2 != 0).then_some(packed[2] >> 4),
            entries: packed[3],
            name: text(packed, 4, texts),
        }
    }

    fn pack(&self, text_at: u16, packed: &mut [u8]) {
        let is_input = u8::from(self.direction == Direction::Inputs);
        let carried = self.sync_manager.map_or(0, |number| 2 | number << 4);
        let flags = is_input | carried;
        put(packed, 0, &self.index.to_le_bytes());
        put(packed, 2, &[flags, self.entries]);
        put_text(self.name, text_at, packed, 4);
    }

    fn text(&self) -> &'d str {
        self.name
    }
}

impl<'d> Record<'d> for Entry<'d> {
    const LENGTH: usize = 10;

    fn unpack(packed: &'d [u8], texts: &'d str) -> Self {
        Self {
            index: word(packed, 0),
            subindex: packed[2],
            bits: packed[3],
            data_type: word(packed, 4),
            name: text(packed, 6, texts),
        }
    }

    fn pack(&self, text_at: u16, packed: &mut [u8]) {
        put(packed, 0, &self.index.to_le_bytes());
        put(packed, 2, &[self.subindex, self.bits]);
        put(packed, 4, &self.data_type.to_le_bytes());
        put_text(self.name, text_at, packed, 6);
    }

    fn text(&self) -> &'d str {
        self.name
    }
}

impl<'d> Record<'d> for Object<'d> {
    const LENGTH: usize = 16;

    fn unpack(packed: &'d [u8], texts: &'d str) -> Self {
        Self {
            index: word(packed, 0),
            subindex: packed[2],
            bits: packed[3].clamp(1, 32),
            data_type: word(packed, 4),
            access: if packed[6] & 1 == 0 {
                Access::ReadOnly
            } else {
                Access::ReadWrite
            },
            value: long(packed, 8),
            name: text(packed, 12, texts),
        }
    }

    fn pack(&self, text_at: u16, packed: &mut [u8]) {
        put(packed, 0, &self.index.to_le_bytes());
        put(packed, 2, &[self.subindex, self.bits]);
        put(packed, 4, &self.data_type.to_le_bytes());
        packed[6] = u8::from(self.access == Access::ReadWrite);
        put(packed, 8, &self.value.to_le_bytes());
        put_text(self.name, text_at, packed, 12);
    }

    fn text(&self) -> &'d str {
        self.name
    }
}
