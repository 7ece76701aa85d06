//! Owns: what can be wrong with an image. Must never know: how that is found.

use core::fmt;

/// Why an image cannot be loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// It does not begin as an ELF file does.
    Magic,
    /// A header, or contents that it says to be in the image, is located after the image's end.
    Truncated,
    /// Its addresses are of another size, or its bytes in another order.
    Class,
    /// Its format has another version.
    Version,
    /// It is no executable that is linked at fixed addresses.
    Kind,
    /// It is for another architecture.
    Machine,
    /// Its table of segments has entries of another size.
    Table,
    /// It has more entries in that table than [`Program::MOST`](crate::Program::MOST).
    Count,
    /// It needs a dynamic linker, or memory of each thread's own.
    Dynamic,
    /// A segment has more bytes in the image than in memory, or goes beyond the last address.
    Size,
    /// A segment is to be written and executed.
    WriteAndExecute,
    /// A segment is not in memory that is for its use.
    Place,
    /// Two segments have an address in common.
    Overlap,
    /// It does not begin in code that it brings.
    Entry,
}

impl Error {
    /// All that there are.
    pub const ALL: [Self; 14] = [
        Self::Magic,
        Self::Truncated,
        Self::Class,
        Self::Version,
        Self::Kind,
        Self::Machine,
        Self::Table,
        Self::Count,
        Self::Dynamic,
        Self::Size,
        Self::WriteAndExecute,
        Self::Place,
        Self::Overlap,
        Self::Entry,
    ];

    /// Returns the text of the error, in words that continue "the image".
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Magic => "is no ELF file",
            Self::Truncated => "ends before what its headers name",
            Self::Class => "is for addresses of another size, or another order of bytes",
            Self::Version => "has another version of the format",
            Self::Kind => "is not linked at fixed addresses as an executable",
            Self::Machine => "is for another architecture",
            Self::Table => "has a table of segments whose entries are of another size",
            Self::Count => "has too many segments",
            Self::Dynamic => "needs a dynamic linker or memory of each thread's own",
            Self::Size => "has a segment that is larger than its place",
            Self::WriteAndExecute => "has a segment to be both written and executed",
            Self::Place => "has a segment outside the memory that is for its use",
            Self::Overlap => "has segments that overlap",
            Self::Entry => "does not begin in its own code",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the image {}", self.text())
    }
}

impl core::error::Error for Error {}
