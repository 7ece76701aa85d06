//! Which places of its sources an image's instructions come from.

use object::{Object, ObjectSection};

use crate::Error;

type Reader<'data> = gimli::EndianSlice<'data, gimli::LittleEndian>;

/// The line tables of an image.
pub struct Lines<'data>(addr2line::Context<Reader<'data>>);

/// A place in the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The function, by the name that the linker knows, or else its author's.
    pub function: Option<String>,
    /// The path of the file, as the compiler received it.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
}

impl<'data> Lines<'data> {
    /// Those of an ELF file; an image without any has no place.
    ///
    /// # Errors
    /// When there are some that cannot be read.
    pub fn of(file: &object::File<'data>) -> Result<Self, Error> {
        let section = |name| {
            let section = file.section_by_name(name);
            section
                .and_then(|section| section.data().ok())
                .unwrap_or(&[])
        };
        let dwarf = gimli::Dwarf::load(|id| {
            Ok::<_, gimli::Error>(Reader::new(section(id.name()), gimli::LittleEndian))
        })?;
        Ok(Self(addr2line::Context::from_dwarf(dwarf)?))
    }

    /// The places of an instruction, from the innermost inlined function outwards.
    #[must_use]
    pub fn sources(&self, address: u64) -> Vec<Source> {
        let mut places = Vec::new();
        if let Ok(mut frames) = self.0.find_frames(address).skip_all_loads() {
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.as_ref();
                let name = name.and_then(|function| function.raw_name().ok());
                let location = frame.location;
                places.push(Source {
                    function: name.map(|name| name.into_owned()),
                    file: location.as_ref().and_then(|at| at.file).map(str::to_owned),
                    line: location.and_then(|at| at.line),
                });
            }
        }
        places
    }

    /// The source files of an instruction, in the same order.
    pub(crate) fn paths(&self, address: u64) -> Vec<String> {
        let places = self.sources(address).into_iter();
        places.filter_map(|place| place.file).collect()
    }
}
