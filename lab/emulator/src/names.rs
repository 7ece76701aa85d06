//! The names of threads: the clock tells where each name is, the image what it is.

use object::{Object, ObjectSegment};

pub(crate) struct Names<'data>(Option<object::File<'data>>);

/// A longer name is not one.
const LONGEST: u64 = 64;

impl<'data> Names<'data> {
    pub fn of(elf: &'data [u8]) -> Self {
        Self(object::File::parse(elf).ok())
    }

    /// The name of the thread with this control block, which lies at `text`; the block's address where the image does
    /// not tell.
    pub fn name(&self, thread: u64, text: u64, length: u64) -> String {
        self.find(text, length).unwrap_or_else(|| match thread {
            0 => "none".to_owned(),
            thread => format!("{thread:#010x}"),
        })
    }

    fn find(&self, start: u64, length: u64) -> Option<String> {
        if length == 0 || length > LONGEST {
            return None;
        }
        let range = |s: object::Segment<'data, '_>| s.data_range(start, length).ok().flatten();
        let bytes = self.0.as_ref()?.segments().find_map(range)?;
        String::from_utf8(bytes.to_vec()).ok()
    }
}
