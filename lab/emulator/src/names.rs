//! The names of threads, from the image's own data.
//!
//! Owns the layout that the contract between images and laboratory gives: a word of the
//! control block points to an information record, whose first two words are the address
//! and the length of the name.

use object::{Object, ObjectSegment};

pub(crate) struct Names<'data> {
    file: Option<object::File<'data>>,
    offset: Option<u32>,
}

/// A longer name is not one.
const LONGEST: u32 = 64;

impl<'data> Names<'data> {
    pub fn of(elf: &'data [u8], offset: Option<u32>) -> Self {
        Self {
            file: object::File::parse(elf).ok(),
            offset,
        }
    }

    /// The name of a thread; its address where the image does not tell.
    pub fn name(&self, thread: u32) -> String {
        self.find(thread)
            .unwrap_or_else(|| format!("{thread:#010x}"))
    }

    fn find(&self, thread: u32) -> Option<String> {
        let information = self.word(thread.checked_add(self.offset?)?)?;
        let (text, length) = (self.word(information)?, self.word(information + 4)?);
        let bytes = (length <= LONGEST).then(|| self.bytes(text, length))??;
        String::from_utf8(bytes.to_vec())
            .ok()
            .filter(|name| !name.is_empty())
    }

    fn word(&self, address: u32) -> Option<u32> {
        self.bytes(address, 4)
            .and_then(|b| Some(u32::from_le_bytes(b.try_into().ok()?)))
    }

    fn bytes(&self, address: u32, length: u32) -> Option<&'data [u8]> {
        let range = |s: object::Segment<'data, '_>| {
            s.data_range(u64::from(address), u64::from(length))
                .ok()
                .flatten()
        };
        self.file.as_ref()?.segments().find_map(range)
    }
}
