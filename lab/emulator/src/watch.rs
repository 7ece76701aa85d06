//! Watched places of an image in addition to its own symbols: for images that were not made for the
//! clock. Must never know: the origin of the addresses.

use taktos_cycles::Mark;

/// Places of an image that its user names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watch {
    /// Marks, each at the address of an instruction.
    pub marks: Vec<(u64, Mark)>,
    /// The address of the word that holds the running thread's control block, where the image does
    /// not say so itself.
    pub current: Option<u64>,
    /// Offset of the thread's name in a control block, of 16 bytes at most and ended by 0, if the
    /// image does not state it itself.
    pub name: Option<u64>,
    /// Whether it is recorded how long processors hold the image's one lock, which the image of an
    /// SMP kernel names by a symbol.
    pub holds: bool,
}

impl Watch {
    /// Marks alone.
    #[must_use]
    pub const fn marks(marks: Vec<(u64, Mark)>) -> Self {
        Self {
            marks,
            current: None,
            name: None,
            holds: false,
        }
    }
}
