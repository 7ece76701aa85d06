//! The names of threads: the clock tells where each name is, the image what it is.

use object::{Object, ObjectSegment};

use crate::record::Switched;

pub(crate) struct Names<'data>(Option<object::File<'data>>);

/// A longer name is not one.
const LONGEST: u32 = 64;

impl<'data> Names<'data> {
    pub fn of(elf: &'data [u8]) -> Self {
        Self(object::File::parse(elf).ok())
    }

    /// The name of the thread that runs; its address where the image does not tell.
    pub fn name(&self, switch: &Switched) -> String {
        self.find(switch).unwrap_or_else(|| match switch.thread {
            0 => "none".to_owned(),
            thread => format!("{thread:#010x}"),
        })
    }

    fn find(&self, switch: &Switched) -> Option<String> {
        let (start, length) = (u64::from(switch.text), u64::from(switch.length));
        if switch.length == 0 || switch.length > LONGEST {
            return None;
        }
        let range = |s: object::Segment<'data, '_>| s.data_range(start, length).ok().flatten();
        let bytes = self.0.as_ref()?.segments().find_map(range)?;
        String::from_utf8(bytes.to_vec()).ok()
    }
}
