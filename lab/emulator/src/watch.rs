//! What is looked at in an image beyond what its own symbols say: for images that were not made for the clock.
//! Must never know: where the addresses come from.

use taktos_cycles::Mark;

/// Places of an image that somebody else names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watch {
    /// Marks, each at the address of an instruction.
    pub marks: Vec<(u64, Mark)>,
    /// The address of the word that holds the running thread's control block, where the image does not say so itself.
    pub current: Option<u64>,
    /// How far into a control block the thread's name lies, of 16 bytes at most and ended by 0, where the image does not say so itself.
    pub name: Option<u64>,
    /// Whether it is recorded how long processors hold the image's one lock, which the image of a
    /// kernel for several tells by a symbol.
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
