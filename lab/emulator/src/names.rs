//! The names of threads: the clock reports the address of each name, the image holds its bytes.

use object::{Object, ObjectSegment};

use crate::Watch;
use crate::plan::names_lie_in_blocks;

pub(crate) struct Names<'data> {
    image: Option<object::File<'data>>,
    /// Whether the clock reports the name's bytes, not its address.
    are_told: bool,
}

/// A longer name is not one.
const LONGEST: u64 = 64;

impl<'data> Names<'data> {
    pub fn of(elf: &'data [u8], watch: &Watch) -> Self {
        let image = object::File::parse(elf).ok();
        let lie = |image| names_lie_in_blocks(image, watch);
        Self {
            are_told: image.as_ref().is_some_and(lie),
            image,
        }
    }

    /// Returns the name of the thread with this control block, which is at `text`; the block's
    /// address if the image does not hold the name.
    pub fn name(&self, thread: u64, text: u64, length: u64) -> String {
        let found = match self.are_told {
            true => told(text, length),
            false => self.find(text, length),
        };
        found.unwrap_or_else(|| match thread {
            0 => "none".to_owned(),
            thread => format!("{thread:#010x}"),
        })
    }

    fn find(&self, start: u64, length: u64) -> Option<String> {
        if length == 0 || length > LONGEST {
            return None;
        }
        let range = |s: object::Segment<'data, '_>| s.data_range(start, length).ok().flatten();
        let bytes = self.image.as_ref()?.segments().find_map(range)?;
        String::from_utf8(bytes.to_vec()).ok()
    }
}

/// The name of these bytes, if it is one: letters that can be printed, before the first 0.
fn told(first: u64, second: u64) -> Option<String> {
    let mut bytes = first.to_le_bytes().to_vec();
    bytes.extend(second.to_le_bytes());
    let length = bytes.iter().position(|byte| *byte == 0)?;
    bytes.truncate(length);
    let name = String::from_utf8(bytes).ok()?;
    (!name.is_empty() && !name.chars().any(char::is_control)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_told_ends_with_a_0_and_can_be_printed() {
        let name = |text: &[u8; 16]| {
            let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
            told(word(&text[..8]), word(&text[8..]))
        };
        assert_eq!(
            name(b"producer of all\0").as_deref(),
            Some("producer of all")
        );
        assert_eq!(name(b"idle\0\xff\x01zzzzzzzzz").as_deref(), Some("idle"));
        for none in [
            b"\0roducer of all\0",
            b"sixteen letters!",
            b"con\x1btrol\0zzzzzzz",
        ] {
            assert_eq!(name(none), None);
        }
    }
}
